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
Draws the pictures of doc/concepts.md: ``python doc/figures.py [FOLDER]``, doc/images by default.

All states in the pictures are computed with the round function that robots run.
"""

from collections.abc import Mapping, Sequence
import math
from pathlib import Path
import sys
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS, Device
from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions.region import parent_of
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.swarm.view.charts import FAINT, FONT, INK, new_figure
from leader_election.swarm.view.formatting import count, GONE, NOTE, Palette
from leader_election.swarm.view.picture import reduced
from matplotlib.axes import Axes
from matplotlib.figure import Figure
import numpy as np
from numpy.typing import NDArray
from PIL import Image

BOUNDED = ALGORITHMS.get('bounded')
LINK = '#c3c7cc'
States = dict[int, Candidacy]


class Swarm(NamedTuple):
    """Robots at fixed positions."""

    places: NDArray[np.float64]
    """Shape (n, 2) [m]; robot k is row k."""
    strengths: Sequence[float]
    range: float  # noqa: A003
    """The range of the radio [m]."""

    def apart(self, one: int, other: int) -> float:
        """Return the distance between two robots [m]."""
        return math.dist(self.places[one], self.places[other])

    def neighbours(self, robot: int, among: Mapping[int, Any]) -> list[int]:
        """Return those of the robots ``among`` that are in range of this robot."""
        return [k for k in among if k != robot and self.apart(robot, k) <= self.range]


def started(swarm: Swarm) -> States:
    """Return the initial states, before any message is received."""
    return {k: BOUNDED.start(Device(k, s)) for k, s in enumerate(swarm.strengths)}


def after(swarm: Swarm, states: States, radius: float) -> States:
    """
    Return the states after one round of all robots in ``states``; the others have failed.

    :param radius: how far a leader reaches [m].
    """
    parameters = BOUNDED.round_parameters({'radius': radius, 'ties': 'id'})
    return {k: BOUNDED.compute(
        Device(k, swarm.strengths[k]), state,
        [states[j] for j in swarm.neighbours(k, states)],
        [swarm.apart(k, j) for j in swarm.neighbours(k, states)], parameters)
        for k, state in states.items()}


def settled(swarm: Swarm, states: States, radius: float) -> tuple[States, int]:
    """Run rounds until no state changes; return the states and the number of rounds."""
    rounds = 0
    while (new := after(swarm, states, radius)) != states:
        states, rounds = new, rounds + 1
    return states, rounds


def parent(swarm: Swarm, states: States, robot: int) -> int:
    """Return the neighbour that is the next hop to the leader; -1: none."""
    near = swarm.neighbours(robot, states)
    columns = BOUNDED.columns(*zip(*(states[j] for j in near)))
    place = parent_of(states[robot].leader, states[robot].distance, columns,
                      [swarm.apart(robot, j) for j in near])
    return near[place] if place != NOBODY else NOBODY


def show(axes: Axes, swarm: Swarm, states: States, palette: Palette, title: str,
         size: float = 45.0) -> dict[int, Any]:
    """Draw links, and robots in their leaders' colours; return the colours by leader."""
    for k in states:
        for j in swarm.neighbours(k, states):
            if j < k:
                axes.plot(*swarm.places[[k, j]].T, color=LINK, linewidth=0.7, zorder=1)
    members: dict[int, list[int]] = {}
    for k, state in states.items():
        if state.leader in states:
            members.setdefault(state.leader, []).append(k)
    colours = palette.assign(members)
    for k, (x, y) in enumerate(swarm.places):
        if k not in states:
            axes.scatter(x, y, s=2.5 * size, marker='X', color=NOTE, zorder=3)
            continue
        leads = states[k].leader == k
        axes.scatter(x, y, s=5 * size if leads else size, marker='*' if leads else 'o',
                     color=[colours.get(states[k].leader, GONE)], zorder=3 if leads else 2,
                     edgecolors=INK if leads else 'none', linewidths=0.8)
    axes.set(aspect='equal', xticks=[], yticks=[])
    axes.margins(0.06)
    axes.spines[:].set_color(LINK)
    axes.set_title(title, fontsize=FONT, color=INK)
    return colours


def scattered(count: int, width: float, height: float, reach: float, seed: int) -> Swarm:
    """
    Return robots at random places, not too near each other, with random strengths.

    :param width: of the area [m], as ``height``.
    :param reach: the range of the radio [m].
    """
    chance = np.random.default_rng(seed)
    places: list[NDArray[np.float64]] = []
    while len(places) < count:
        place = chance.uniform((0, 0), (width, height))
        if all(math.dist(place, other) > 0.45 * reach for other in places):
            places.append(place)
    return Swarm(np.array(places), chance.permutation(count).tolist(), reach)


ROW = Swarm(np.array([(0, 0), (2.5, 1.1), (5, 0), (6.6, 1.1), (9.3, 0), (11.8, 1.1)]),
            (9, 4, 2, 5, 3, 7), 3.0)
"""The robots of the first example, with the parameters by default but for the range."""


def candidacies() -> Figure:
    """Draw six robots in a row, and the final candidacy of each."""
    swarm, radius = ROW, ElectionParameters.radius
    states, rounds = settled(swarm, started(swarm), radius)
    figure = new_figure(7, 2.9, 'A candidacy: (strength of the leader, distance to it, its id)',
                        f'radius {radius:g} m, settled after {rounds} rounds; numbers on lines: '
                        'metres between neighbours; arrows: the path of each candidacy')
    axes = figure.subplots()
    colours = show(axes, swarm, states, Palette(), '', 110)
    for k, (x, y) in enumerate(swarm.places):
        value, distance, leader, *_ = states[k]
        above = 1 if y else -1
        axes.annotate(f'robot {k}, strength {swarm.strengths[k]}\n'
                      rf'$\bf{{({-value:g},\ {distance:.1f}\,m,\ {leader})}}$',
                      (x, y), (0, 17 * above), textcoords='offset points', ha='center',
                      va='bottom' if y else 'top', fontsize=FONT, color=INK)
        if k:
            axes.annotate(f'{swarm.apart(k, k - 1):.1f}', swarm.places[[k, k - 1]].mean(axis=0),
                          ha='center', va='center', fontsize=FONT - 1, color=FAINT,
                          bbox={'facecolor': 'white', 'edgecolor': 'none', 'pad': 1.5})
        draw_arrow(axes, swarm, k, parent(swarm, states, k), colours[leader])
    axes.set(ylim=(-1.2, 2.3), xlim=(-1.6, 13.6))
    axes.axis('off')
    return figure


def draw_arrow(axes: Axes, swarm: Swarm, robot: int, source: int, colour: Any) -> None:
    """Draw an arrow to a robot from the robot ``source``; -1: none."""
    if source != NOBODY:
        axes.annotate('', swarm.places[robot], swarm.places[source], zorder=1, arrowprops={
            'arrowstyle': '-|>', 'color': colour, 'shrinkA': 9, 'shrinkB': 7, 'linewidth': 1.8,
            'connectionstyle': 'arc3,rad=0.28'})


def radii() -> Figure:
    """Draw one swarm with four radii."""
    swarm = scattered(150, 24, 18, 2.7, seed=3)
    figure = new_figure(7, 6.2, 'The radius determines the number of leaders',
                        'the same 150 robots, radio range 2.7 m; stars: leaders; colours repeat '
                        'where there are more than 12')
    for axes, radius in zip(figure.subplots(2, 2).flat, (3.0, 6.0, 12.0, math.inf)):
        states, rounds = settled(swarm, started(swarm), radius)
        leaders = len({state.leader for state in states.values()})
        reach = 'no bound' if radius == math.inf else f'{radius:g} m'
        show(axes, swarm, states, Palette(),
             f'{reach}: {leaders} leader{"s" * (leaders > 1)}, after {rounds} rounds', 26)
    return figure


def recovery() -> Figure:
    """Draw a swarm before and after its strongest robot fails."""
    swarm = scattered(60, 15, 9, 2.5, seed=5)
    radius = 5.0
    states, _ = settled(swarm, started(swarm), radius)
    strongest = max(states, key=lambda k: swarm.strengths[k])
    palette = Palette()
    figure = new_figure(7, 5.6, 'A leader fails',
                        f'60 robots, radius {radius:g} m; stars: leaders; cross: the failed '
                        'one; grey: robots that still follow it; rounds count from the expiry '
                        'of its messages')
    panels = figure.subplots(2, 2).flat
    show(next(panels), swarm, states, palette, 'before')
    states = {k: state for k, state in states.items() if k != strongest}
    end, rounds = settled(swarm, states, radius)
    done = 0
    for axes, at in zip(panels, (1, rounds // 2, rounds)):
        while done < at:
            states, done = after(swarm, states, radius), done + 1
        late = sum(state.leader == strongest for state in states.values())
        show(axes, swarm, states, palette, f'{count(at, "round")} after: {late} still follow it')
    assert states == end
    return figure


def regions() -> Figure:
    """Draw how a region counts its robots, and how the leader's decision spreads."""
    swarm = scattered(26, 10, 6.5, 2.4, seed=8)
    states, _ = settled(swarm, started(swarm), 5.0)
    above = {k: parent(swarm, states, k) for k in states}
    below = dict.fromkeys(states, 1)
    for k in sorted(states, key=lambda k: -states[k].distance):
        if above[k] != NOBODY:
            below[above[k]] += below[k]
    figure = new_figure(7, 3.6, 'What a region does in each round',
                        'numbers: the count that each robot sends; stars: leaders')
    panels = figure.subplots(1, 2)
    for axes, title in zip(panels, ('counts go towards the leader',
                                    'its decision spreads')):
        colours = show(axes, swarm, states, Palette(), title, 130)
        for k, source in above.items():
            tint = colours[states[k].leader]
            ends = (source, k) if axes is panels[0] else (k, source)
            draw_arrow(axes, swarm, *(ends if source != NOBODY else (k, NOBODY)), tint)
    for k, place in enumerate(swarm.places):
        panels[0].annotate(str(below[k]), place, ha='center', va='center', color='white',
                           fontsize=FONT - 1, fontweight='bold', zorder=4)
        if states[k].leader == k:
            panels[1].annotate(f'{below[k]} robots', place, (0, -19), textcoords='offset points',
                               ha='center', fontsize=FONT, color=INK, zorder=5, bbox={
                                   'facecolor': 'white', 'edgecolor': 'none', 'pad': 1})
    return figure


FIGURES = {'candidacies': candidacies, 'radii': radii, 'recovery': recovery, 'regions': regions}


def main(folder: Path) -> None:
    """Draw all pictures into an existing folder."""
    for name, figure in FIGURES.items():
        file = folder / f'concept_{name}.png'
        figure().savefig(file)
        # Not the most frequent colours: those of small regions would merge.
        reduced(Image.open(file).convert('RGB')).save(file, optimize=True)


if __name__ == '__main__':
    main(Path(*sys.argv[1:] or [Path(__file__).parent / 'images']))
