# Copyright 2026 The leader_election authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""
Steadiness: the lifetime of leaders among moving devices, and its cost; and the known bad case.

A steady election changes leaders rarely, while devices have a leader that leads itself. The cost
is more leaders, since a device between the joining radius and the radius of a stronger one
continues to lead itself, and possibly a longer time to take over a better leader: the time until
most devices near a new strongest device follow it.

The known bad case of Bounded Election is a strong device that moves to and fro across a border.
Whenever the second strongest device leaves the region of the strongest, it becomes a leader and
other devices follow it; whenever it enters again, they return to the strongest.
"""

from collections.abc import Sequence

from leader_election.swarm.view.charts import FAINT, FONT, INK, new_figure, tidy
from leader_election_lab.analysis.measures import WARM_UP
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.figures import style
from leader_election_lab.figures.curves import averages, FOLLOWING
from leader_election_lab.runs.results import varied
from leader_election_lab.simulation.simulate import simulate
from leader_election_lab.simulation.snapshots import Snapshot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray
import xarray as xr

NEAR = 5.0
"""Greatest distance of the devices that should follow a newcomer [m]."""
MOST = 0.9
"""The part of these devices that counts as most of them."""
SEEDS = 5
"""Number of seeds for which the time to take over is measured."""
TABLE_COLUMNS = ('algorithm', 'messages lost', 'instability', 'led', 'leaders', 'taken over')


def take_over_time(snapshots: Sequence[Snapshot], newcomer: int, since: float) -> float:
    """
    Return the time until most devices near a newcomer follow it [s].

    :param snapshots: from the time at which it joins, in their order.
    :param newcomer: the id of the newcomer.
    :param since: the time at which it joins [s].
    :return: infinite if they never do.
    """
    for snapshot in snapshots:
        place = snapshot.position[snapshot.id == newcomer]
        near = np.linalg.norm(snapshot.position - place, axis=1) <= NEAR
        following = snapshot.leader[near & snapshot.running] == newcomer
        if len(following) > 1 and following.mean() >= MOST:
            return snapshot.time - since
    return float('inf')


def take_over_times(scenario: Scenario, seeds: int = SEEDS) -> dict[str, float]:
    """
    Return the median time to take over the device that joins, by the algorithm's label [s].

    :param scenario: with an event ``join``; it is run again, without its variations.
    """
    [joining] = [p for event, p in scenario.events if event.name == 'join']
    times = np.arange(joining.at + 0.5, scenario.duration, 0.5).tolist()
    return {entrant.label: float(np.median([
        take_over_time(simulate(scenario, entrant.label, seed, times).snapshots, joining.first,
                       joining.at) for seed in range(seeds)]))
            for entrant in scenario.entrants}


def table_rows(results: xr.Dataset, scenario: Scenario) -> list[tuple[str, ...]]:
    """Return the rows of the table: a row for each algorithm and part of messages lost."""
    shown, taken = averages(results).mean('seed'), take_over_times(scenario)
    [loss] = varied(results)
    return [(label, f'{value:.0%}', f'{one["instability"]:.4f}', f'{one[FOLLOWING]:.1%}',
             f'{one["leaders"]:.1f}', _seconds(taken[label]) if value == 0.0 else '')
            for label in shown['algorithm'].values.tolist()
            for value in shown[loss].values.tolist()
            for one in [shown.sel({'algorithm': label, loss: value})]]


def draw_steadiness(results: xr.Dataset, scenario: Scenario) -> Figure:
    """
    Draw instability, devices led, leaders and the time to take over, all algorithms side by side.

    :param results: over algorithm, part of messages lost, seed and time; each part lost has its
        own marker.
    :param scenario: the same scenario, which is run again for the time to take over.
    """
    shown, taken = averages(results).mean('seed'), take_over_times(scenario)
    [loss] = varied(results)
    labels = shown['algorithm'].values.tolist()
    figure = new_figure(
        13.0, 2.2 + 0.4 * len(labels), results.attrs.get('title', ''),
        f'mean over {style.count_seeds(results["instability"])} of the average over time, without '
        f'the first sixth; time to take over: median of {SEEDS} seeds, until {MOST:.0%} of the '
        f'devices within {NEAR:g} m follow')
    panels = figure.subplots(1, 4, sharey=True)
    for axes, measure, title in zip(panels, shown, (
            'instability', 'part of devices\nwhose leader leads', 'leaders')):
        for marker, value in zip('os^Dv', shown[loss].values.tolist()):
            _points(axes, labels, shown[measure].sel({loss: value}).values.tolist(), marker,
                    f'{value:.0%} of messages lost')
        axes.set_xlabel(title)
    _points(panels[3], labels, [taken[label] for label in labels], 'o', '')
    panels[3].set_xlabel('time to take over\na better leader [s]')
    for place, label in enumerate(labels):
        if not np.isfinite(taken[label]):
            panels[3].annotate('never', (0.0, place), (4, 0), textcoords='offset points',
                               va='center', fontsize=FONT - 1, color=INK)
    panels[0].set_yticks(range(len(labels)), labels)
    panels[0].invert_yaxis()
    panels[2].set_xscale('log')
    style.count_axis(panels[2].xaxis)
    panels[3].set_xlim(left=0.0)
    handles, names = panels[0].get_legend_handles_labels()
    style.legend_outside(figure, handles, names, above=True, ncols=len(names), fontsize=FONT - 1)
    for axes in panels:
        tidy(axes)
    return figure


def _points(axes: Axes, labels: Sequence[str], values: Sequence[float], marker: str,
            name: str) -> None:
    """Draw a value for each algorithm, in its colour and on its own line."""
    tints = style.colours_of(labels)
    finite = [(value, place) for place, value in enumerate(values) if np.isfinite(value)]
    axes.scatter([value for value, _ in finite], [place for _, place in finite], marker=marker,
                 c=[tints[labels[place]] for _, place in finite], s=36)
    if name:
        axes.plot([], [], marker, color=INK, label=name)


def _seconds(time: float) -> str:
    """
    Return a time as text.

    >>> _seconds(4.5), _seconds(float('inf'))
    ('4.5 s', 'never')
    """
    return f'{time:.1f} s' if np.isfinite(time) else 'never'


ALGORITHM = 'bounded'
"""The algorithm whose run gives the distance of the moving device."""


def draw_border(results: xr.Dataset, scenario: Scenario, seed: int = 0) -> Figure:
    """
    Draw leader changes over time, and below the distance of the moving device to the strongest.

    :param results: ``changes`` over algorithm, seed and time.
    :param scenario: the same scenario, which is run once more for the distance.
    :param seed: of that run.
    """
    entrant = scenario.entrant(ALGORITHM)
    taken = simulate(scenario, ALGORITHM, seed, scenario.times().tolist()).snapshots
    return draw_distance_below(results, scenario.times(), distances(taken),
                               float(entrant.parameters.radius))


def distances(snapshots: Sequence[Snapshot]) -> NDArray[np.float64]:
    """
    Return the distance of the device that moves most from the leader that it names most often.

    :param snapshots: of one run, in their order. Times at which it leads itself do not count.
    :return: at each snapshot [m].
    :raises FigureError: if it never names another leader than itself.
    """
    positions = np.array([snapshot.position for snapshot in snapshots])
    walked = np.linalg.norm(np.diff(positions, axis=0), axis=2).sum(axis=0)
    mover = int(walked.argmax())
    own = int(snapshots[0].id[mover])
    named = np.array([snapshot.leader[mover] for snapshot in snapshots])
    others, times = np.unique(named[(named != own) & np.isin(named, snapshots[0].id)],
                              return_counts=True)
    if len(others) == 0:
        raise style.FigureError(f'device {own}, which moves most, is in no region but its own')
    strongest = int(np.flatnonzero(snapshots[0].id == others[times.argmax()])[0])
    return np.linalg.norm(positions[:, mover] - positions[:, strongest], axis=1)


def crossings(distance: NDArray[np.float64], radius: float) -> NDArray[np.int64]:
    """
    Return the indices of the first samples after each crossing of the border.

    >>> crossings(np.array([9.0, 11.0, 12.0, 10.0, 9.0]), 10.0).tolist()
    [1, 3]
    """
    return np.flatnonzero(np.diff(distance <= radius)) + 1


def changes_per_crossing(results: xr.Dataset, distance: NDArray[np.float64],
                         radius: float) -> xr.DataArray:
    """
    Return the number of leader changes of all devices for each crossing of the border.

    :param results: ``changes`` over algorithm, seed and time.
    :param distance: of the moving device from the strongest, at the same times [m].
    :param radius: of the border [m].
    :return: the mean over equally many outward and inward crossings, from the first one after the
        warm-up on; nan with fewer than three crossings. Over algorithm and seed.
    """
    first = int(np.searchsorted(results['time'], WARM_UP * results['time'][-1]))
    crossed = crossings(distance, radius)
    crossed = crossed[crossed >= first]
    changes: xr.DataArray = results['changes'].isel(time=0, drop=True) * np.nan
    if len(crossed) < 3:
        return changes
    # Outward and inward crossings cause different numbers of changes.
    crossed = crossed[:len(crossed) - (len(crossed) + 1) % 2]
    within = results['changes'].isel(time=slice(crossed[0], crossed[-1]))
    # As float64: a sum of many float32 is not exact.
    return within.astype(float).sum('time', skipna=False) / (len(crossed) - 1)


def draw_distance_below(results: xr.Dataset, times: NDArray[np.float64],
                        distance: NDArray[np.float64], radius: float) -> Figure:
    """
    Draw leader changes over time, one row for each algorithm, and a distance below.

    :param results: ``changes`` over algorithm, seed and time.
    :param distance: at ``times`` [s], in metres, as is the radius.
    """
    labels = results['algorithm'].values.tolist()
    figure = new_figure(
        9.0, 2.4 + 0.8 * len(labels), results.attrs.get('title', ''),
        'leader changes of all devices between two samples: mean over '
        f'{style.count_seeds(results["changes"])}')
    *rows, below = figure.subplots(len(labels) + 1, 1, sharex=True,
                                   height_ratios=[1.0] * len(labels) + [1.4])
    changes = results['changes'].astype(float).mean('seed')
    each = changes_per_crossing(results, distance, radius).mean('seed')
    # The first election, at the start, may exceed the scale.
    most = float(changes.where(changes['time'] > WARM_UP * times[-1]).max())
    for axes, label in zip(rows, labels):
        axes.fill_between(times, changes.sel(algorithm=label), color=style.colour_of(label),
                          linewidth=0)
        axes.set_ylim(0.0, 1.1 * most if most > 0.0 else 1.0)
        average = float(each.sel(algorithm=label))
        _annotate_right(axes, 0.5, f'{label}\n{average:.0f} changes a crossing', 'axes fraction',
                        INK)
    below.plot(times, distance, color=INK, linewidth=1.2)
    below.axhline(radius, color=FAINT, linestyle='--', linewidth=1.0)
    _annotate_right(below, radius, 'radius', 'data', FAINT)
    below.set_ylabel('moving device to\nstrongest one [m]', fontsize=FONT - 1)
    below.set(xlim=(0.0, times[-1]), xlabel='time [s]')
    for axes in (*rows, below):
        tidy(axes)
    return figure


def _annotate_right(axes: Axes, height: float, text: str, unit: str, tint: str) -> None:
    """Write a text on the right of axes."""
    axes.annotate(text, (1.0, height), (4, 0), xycoords=('axes fraction', unit),
                  textcoords='offset points', fontsize=FONT - 1, color=tint, va='center')
