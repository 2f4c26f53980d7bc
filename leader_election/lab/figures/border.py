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
The known bad case of Bounded Election: a strong device that moves to and fro across a border.

Whenever the second strongest device leaves the region of the strongest, it becomes a leader and
other devices follow it; whenever it enters again, they return to the strongest.
"""

from collections.abc import Sequence

from leader_election.lab.analysis.statistics import WARM_UP
from leader_election.lab.experiment.scenario import Scenario
from leader_election.lab.figures.style import colour_of, count_seeds, FigureError
from leader_election.lab.simulation.simulate import simulate, Snapshot
from leader_election.swarm.view.charts import FAINT, FONT, INK, new_figure, tidy
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray
import xarray as xr

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
        raise FigureError(f'device {own}, which moves most, is in no region but its own')
    strongest = int(np.flatnonzero(snapshots[0].id == others[times.argmax()])[0])
    apart: NDArray[np.float64] = np.linalg.norm(
        positions[:, mover] - positions[:, strongest], axis=1)
    return apart


def crossings(distance: NDArray[np.float64], radius: float) -> NDArray[np.int64]:
    """
    Return the indices of the first samples after each crossing of the border.

    >>> crossings(np.array([9.0, 11.0, 12.0, 10.0, 9.0]), 10.0).tolist()
    [1, 3]
    """
    indices: NDArray[np.int64] = np.flatnonzero(np.diff(distance <= radius)) + 1
    return indices


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
    changes = within.astype(float).sum('time', skipna=False) / (len(crossed) - 1)
    return changes


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
        f'{count_seeds(results["changes"])}')
    *rows, below = figure.subplots(len(labels) + 1, 1, sharex=True,
                                   height_ratios=[1.0] * len(labels) + [1.4])
    changes = results['changes'].astype(float).mean('seed')
    each = changes_per_crossing(results, distance, radius).mean('seed')
    # The first election, at the start, may exceed the scale.
    most = float(changes.where(changes['time'] > WARM_UP * times[-1]).max())
    for axes, label in zip(rows, labels):
        axes.fill_between(times, changes.sel(algorithm=label), color=colour_of(label), linewidth=0)
        axes.set_ylim(0.0, 1.1 * most if most > 0.0 else 1.0)
        average = float(each.sel(algorithm=label))
        _annotate_right(axes, 0.5, f'{label}\n{average:.0f} changes a crossing', 'axes fraction',
                        INK)
    below.plot(times, distance, color=INK, linewidth=1.2)
    below.axhline(radius, color=FAINT, linestyle='--', linewidth=1.0)
    _annotate_right(below, radius, 'radius', 'data', FAINT)
    below.set_ylabel('moving device to\nstrongest one [m]', fontsize=FONT - 1)
    below.set_xlim(0.0, times[-1])
    below.set_xlabel('time [s]', fontsize=FONT)
    for axes in (*rows, below):
        tidy(axes)
    return figure


def _annotate_right(axes: Axes, height: float, text: str, unit: str, tint: str) -> None:
    """Write a text on the right of axes."""
    axes.annotate(text, (1.0, height), (4, 0), xycoords=('axes fraction', unit),
                  textcoords='offset points', fontsize=FONT - 1, color=tint, va='center')
