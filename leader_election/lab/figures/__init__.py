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

"""All figures by name, each with the results and scenarios that it needs."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from leader_election.lab import published
from leader_election.lab.analysis.claims import ALGORITHMS as STUDIED
from leader_election.lab.experiment import scenario as scenarios
from leader_election.lab.figures.curves import draw_instability, draw_leaders
from leader_election.lab.figures.leader_loads import (
    draw_collections,
    draw_evenness,
    draw_loads,
    draw_served,
)
from leader_election.lab.figures.localisation_error import draw_localisation_error
from leader_election.lab.figures.network_snapshots import draw_partitions
from leader_election.lab.figures.steadiness import draw_border, draw_steadiness
from leader_election.lab.figures.style import draw_to, FigureError
from leader_election.lab.figures.sweep import draw_map, draw_sweep
from leader_election.lab.runs.store import kept_of
from leader_election.parameters import did_you_mean
from matplotlib.figure import Figure

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
        return draw_instability(results, published.instability(scenario), early)
    return Drawing(draw_with_published, results=(scenario,))


def _leaders(scenario: str, *algorithms: str) -> Drawing:
    rounds = {name: number for (owner, name), number in published.rounds_to_one_leader().items()
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
        'acsos2022_fig4': _instability('acsos2022_scale_free'),
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
           for label, suffix in zip(STUDIED, ('', '_bounded')) for part, draw in (
               ('fig4', draw_evenness), ('fig5', partial(draw_served, failing=False)),
               ('fig6', draw_served), ('loads', draw_loads))},
        'collections': Drawing(draw_collections, results=('collections',)),
        'map': Drawing(draw_map, results=('map',)),
        'steadiness': Drawing(
            draw_steadiness, results=('steadiness',), scenarios=('steadiness',)),
        'localisation_error': Drawing(
            draw_localisation_error, results=('localisation_error', 'localisation_drift'),
            scenarios=('localisation_error', 'localisation_drift')),
        'border': Drawing(draw_border, results=('border',), scenarios=('border',))}


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
    """Return a figure by its name; raise a :class:`FigureError` for an unknown one."""
    try:
        return drawings()[name]
    except KeyError:
        raise FigureError(f'unknown figure {name!r}; {did_you_mean(name, names())}'
                          f'it takes one of {", ".join(names())}') from None


def draw(name: str, folder: Path, out: Path) -> Path:
    """
    Draw a figure to a file, and return its path.

    :param folder: the folder of the results (see :mod:`leader_election.lab.runs.results`).
    :param out: its suffix is the format: .png, .svg, .pdf and all others of matplotlib.
    :raises FigureError: if there is no such figure, or the file cannot be written.
    :raises ResultError: if results that it needs are missing or cannot be read.
    """
    wanted = drawing(name)
    return draw_to(lambda: wanted.draw(
        *(kept_of(scenarios.load(result), folder, result) for result in wanted.results),
        *(scenarios.load(scenario) for scenario in wanted.scenarios)), out)
