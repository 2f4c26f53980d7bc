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
The papers' figures and this package's by name, each with the results and scenarios that it needs.

Figures of curves show instability as in ACSOS 2022 and the number of leaders as in IFAC 2020, with
the published values.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from leader_election.parameters import did_you_mean
from leader_election.swarm.view.charts import FONT, new_figure, tidy
from leader_election.swarm.view.formatting import count
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.figures import (
    colour_of,
    count_seeds,
    curve,
    draw_map,
    draw_sweep,
    draw_to,
    legend,
    MEASURE,
    scale,
)
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.kept import kept_of
from leader_election_lab.simulation.run import simulate, Snapshot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import reproduction
from reproduction import regions_study
from reproduction.network_snapshots import bounds_of, draw_network, shape_of
import xarray as xr

EARLY = 40
"""Number of rounds in the panel of the first rounds."""


def draw_instability(
    results: xr.Dataset, published: xr.Dataset | None = None, early: bool = False,
) -> Figure:
    """
    Draw the instability of each algorithm over time.

    The curve is the mean over seeds, the band its 95 % interval.

    :param results: of a scenario; ``instability`` over algorithm, seed and time.
    :param published: ``mean`` over algorithm and time, drawn dashed.
    :param early: whether a second panel shows the first rounds.
    """
    seeds = count_seeds(results['instability'])
    caption = f'mean over {seeds}; band: 95 % interval of the mean'
    if published is not None:
        caption += '; dashed: as published (200 seeds)'
    figure = new_figure(11.5 if early else 9.0, 4.6, results.attrs.get('title', ''), caption)
    panels = figure.subplots(1, 2 if early else 1, squeeze=False,
                             width_ratios=[2, 1] if early else [1])[0]
    for axes in panels:
        _draw_algorithms(axes, results, published)
    panels[0].set(xlim=(0, results['time'].max()), ylabel='instability')
    if early:
        panels[1].set_xlim(0, EARLY)
        panels[1].set_title(f'rounds 1 to {EARLY}', fontsize=FONT)
    legend(figure, panels[0])
    return figure


def _draw_algorithms(axes: Axes, results: xr.Dataset, published: xr.Dataset | None) -> None:
    for algorithm in results['algorithm'].values.tolist():
        tint = colour_of(algorithm)
        line = curve(axes, results[MEASURE].sel(algorithm=algorithm), algorithm, tint,
                           (0.0, 1.0))
        if published is not None and algorithm in published['algorithm']:
            mean = published['mean'].sel(algorithm=algorithm)
            # Dark on pale: both are visible where they coincide.
            line.set(alpha=0.5, linewidth=2.2)
            axes.plot(mean['time'], mean, color=tint, linewidth=1.0, linestyle='--',
                      label=f'{algorithm}, published')
    scale(axes, results[MEASURE], MEASURE)
    axes.set_xlabel('rounds')
    tidy(axes)


NAMES = {'resilient-1': 'resilient, K = 1', 'resilient-2': 'resilient, K = 2',
         'resilient-3': 'resilient, K = 3', 'colour': 'colour (Datta et al.)'}


def draw_leaders(algorithms: Sequence[str], published: Mapping[str, float],
                 results: xr.Dataset) -> Figure:
    """
    Draw the number of distinct leaders over time, as in figures 2 to 5 of IFAC 2020.

    :param algorithms: the labels of the algorithms to draw.
    :param published: the published rounds until one leader was left, by label, as far as known.
    :param results: of a scenario; ``named`` over algorithm, seed and time.
    """
    shown = [name for name in algorithms if name in results['algorithm']]
    figure = new_figure(
        9.0, 4.4, results.attrs.get('title', ''),
        f'mean over {count_seeds(results["named"])}, band: its 95 % interval; dotted: '
        'rounds until all have one leader, as published')
    axes = figure.subplots()
    last = 1.0
    for algorithm in shown:
        named = results['named'].sel(algorithm=algorithm)
        tint = colour_of(algorithm)
        curve(axes, named, NAMES.get(algorithm, algorithm), tint, (1.0, float('inf')))
        mean = named.mean('seed')
        last = max([last, *mean['time'].values[mean.values > 1.0]])
        if algorithm in published:
            axes.axvline(published[algorithm], color=tint, linestyle=':', linewidth=1.2)
    # Once all have one leader, the curves stay constant.
    axes.set(yscale='log', xlim=(0, min(1.1 * last + 1, float(results['time'].max()))),
             xlabel='rounds', ylabel='distinct leaders')
    axes.set_ylim(bottom=0.9)
    tidy(axes)
    legend(figure, axes)
    return figure


def draw_partitions(scenario: Scenario, seed: int = 0, time: float | None = None) -> Figure:
    """
    Draw the partition by each algorithm of a scenario.

    :param time: the time of the snapshot [s], half of the duration by default.
    """
    at = scenario.duration / 2 if time is None else time
    taken = {entrant.label: simulate(scenario.replaced({'duration': at}), entrant.label, seed,
                                     [at]).snapshots[-1] for entrant in scenario.entrants}
    return draw_snapshots(taken, scenario.title, f'seed {seed}, round {at:g}')


def draw_snapshots(snapshots: dict[str, Snapshot], title: str, caption: str) -> Figure:
    """Draw snapshots side by side, each under its algorithm's label."""
    bounds = bounds_of(list(snapshots.values()))
    figure = new_figure(4.2 * len(snapshots), 4.2 * shape_of(bounds) + 0.8, title,
                        f'{caption}; one colour a leader; stars: leaders; grey: failed, '
                        'or without a leader')
    panels = figure.subplots(1, len(snapshots), squeeze=False)[0]
    for axes, (algorithm, snapshot) in zip(panels, snapshots.items()):
        draw_network(axes, snapshot, bounds)
        axes.set_title(f'{algorithm}: {count(int(snapshot.is_leader.sum()), "leader")}',
                       fontsize=FONT)
    return figure


SWEEP = 'sweep_'
"""Prefix of the names of scenarios that have a figure of the same name."""


@dataclass(frozen=True)
class Drawing:
    """A figure: the function that draws it, and its inputs."""

    draw: Callable[..., Figure]
    """Called with the results, then the scenarios."""
    results: tuple[str, ...] = ()
    """The scenarios whose results it needs."""
    scenarios: tuple[str, ...] = ()
    """The scenarios that it simulates itself, for one seed."""


def _instability(scenario: str, early: bool = False) -> Drawing:
    def draw_with_published(results: Any) -> Figure:
        return draw_instability(results, reproduction.instability(scenario), early)
    return Drawing(draw_with_published, results=(scenario,))


def _leaders(scenario: str, *algorithms: str) -> Drawing:
    rounds = {name: number for (owner, name), number in reproduction.rounds_to_one_leader().items()
              if owner == scenario}
    return Drawing(partial(draw_leaders, algorithms, rounds), results=(scenario,))


RESILIENT = ('resilient-1', 'resilient-2', 'resilient-3')


def drawings() -> dict[str, Drawing]:
    """Return all figures by their names."""
    sweeps = [name for name in scenarios.names() if name.startswith(SWEEP)]
    return {
        'acsos2022_random_partition': Drawing(draw_partitions, scenarios=('acsos2022_random',)),
        'acsos2022_edge_partition': Drawing(draw_partitions, scenarios=('acsos2022_edge',)),
        'acsos2022_scale_free_partition': Drawing(
            draw_partitions, scenarios=('acsos2022_scale_free',)),
        'acsos2022_fig4': _instability('acsos2022_scale_free', early=True),
        'acsos2022_fig5': _instability('acsos2022_random', early=True),
        'acsos2022_fig6': _instability('acsos2022_edge', early=True),
        'acsos2022_fig6_rounding': _instability('acsos2022_edge_rounding', early=True),
        'ifac2020_fig2': _leaders('ifac2020_convergence', *RESILIENT),
        'ifac2020_fig3': _leaders('ifac2020_convergence', 'colour'),
        'ifac2020_fig4': _leaders('ifac2020_perturbed', *RESILIENT),
        'ifac2020_fig5': _leaders('ifac2020_perturbed', 'colour'),
        **{name: Drawing(draw_sweep, results=(name,)) for name in sweeps},
        **{f'coordination2019_{part}{suffix}': Drawing(
            partial(draw, label=label), results=('coordination2019',))
           for label, suffix in zip(regions_study.ALGORITHMS, ('', '_bounded'))
           for part, draw in (
               ('fig4', regions_study.draw_evenness),
               ('fig5', partial(regions_study.draw_served, failing=False)),
               ('fig6', regions_study.draw_served), ('loads', regions_study.draw_loads))},
        'collections': Drawing(regions_study.draw_collections, results=('collections',)),
        'map': Drawing(draw_map, results=('map',))}


def names() -> tuple[str, ...]:
    """
    Return the names of all figures.

    >>> names()[:2]
    ('acsos2022_random_partition', 'acsos2022_edge_partition')
    """
    return tuple(drawings())


def of_scenarios(wanted: Collection[str]) -> tuple[str, ...]:
    """Return the names of the figures of some scenarios alone."""
    return tuple(name for name, drawing in drawings().items()
                 if {*drawing.results, *drawing.scenarios} <= set(wanted))


def drawing(name: str) -> Drawing:
    """Return a figure by its name, or raise a :class:`ResultError` for an unknown one."""
    try:
        return drawings()[name]
    except KeyError:
        raise ResultError(f'unknown figure {name!r}; {did_you_mean(name, names())}'
                          f'it takes one of {", ".join(names())}') from None


def draw(name: str, folder: Path, out: Path) -> Path:
    """
    Draw a figure to a file, and return its path.

    :param folder: the folder of the results (see :mod:`leader_election_lab.runs.results`).
    :param out: its suffix is the format: .png, .svg, .pdf and all others of matplotlib.
    :raises ResultError: if there is no such figure.
    :raises ResultError: if results that it needs are missing or cannot be read, or the file cannot
        be written.
    """
    wanted = drawing(name)
    return draw_to(lambda: wanted.draw(
        *(kept_of(scenarios.load(result), folder, result) for result in wanted.results),
        *(scenarios.load(scenario) for scenario in wanted.scenarios)), out)
