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
Content, colours, symbols and legend of a picture of a swarm.

Pictures, animations, the page in a browser and the page of a run all show this content.
"""

from collections.abc import Sequence
import math
from typing import NamedTuple

from leader_election.election.messages.codec import Position
from leader_election.election.robot.zones import outline
from leader_election.swarm.snapshot import alarmed, links, positions, regions, RobotView
from leader_election.swarm.view import formatting
from leader_election.swarm.view.frame import Frame, patrol_parts, Ring, Rings

INK, FAINT = '#2b2f36', '#8a9099'
"""Colours of texts and edges. The faint one is readable on white and on black."""
LINK, WALL, WALL_EDGE = '#9aa0a8', '#d5d8dc', '#a3a9b1'
PEAK: formatting.Colour = formatting.colour(1)
OUTLINE_MARGIN = 0.45
"""Distance of a region's outline from its members [m]."""
REGION_FILL, REGION_EDGE = 0.13, 0.75
"""Opacity of a region."""


class Label(NamedTuple):
    """A text beside a robot."""

    text: str
    position: Position
    above: int
    """Upwards from the robot [points]."""
    remark: bool
    """Whether the line is a remark or an alarm, in the colour of the note."""


class Drawing(NamedTuple):
    """The moving parts of a picture. Robots have a position."""

    robots: list[RobotView]
    """All but leaders."""
    leaders: list[RobotView]
    gone: list[RobotView]
    links: list[list[Position]]
    """Both ends of each."""
    regions: list[tuple[formatting.Colour, Ring]]
    """Outlines, but of patrols; in the note's colour where the leader raises an alarm."""
    parts: list[tuple[formatting.Colour, Ring]]
    """The parts of patrols."""
    uncertain: list[RobotView]
    """Robots with a finite deviation."""
    labels: list[Label]


def drawing(frame: Frame, communication_range: float) -> Drawing:
    """
    Return the moving parts of the picture of a frame.

    :param communication_range: robots within this distance are linked by a line [m], 0 for no
        lines.
    """
    snapshot = frame.snapshot
    placed = [robot for robot in snapshot.robots.values() if robot.position is not None]
    leaders = [robot for robot in placed if robot.leader == robot.id]
    alarms = {robot.id for robot in leaders if alarmed(snapshot, robot.id)}
    members = ((leader, positions(snapshot, ids)) for leader, ids in regions(snapshot).items())
    parts = patrol_parts(snapshot)
    pairs = links(snapshot, communication_range) if communication_range > 0.0 else []
    shown = snapshot.robots | snapshot.gone
    texts = [
        *((formatting.label(robot) + (' alarm' if robot.id in alarms else ''), robot, 15,
           robot.id in alarms) for robot in leaders),
        *((text, shown[i], -15, True) for i, text in frame.remarks.items() if i in shown)]
    return Drawing(
        [robot for robot in placed if robot.leader != robot.id], leaders,
        [robot for robot in snapshot.gone.values() if robot.position is not None],
        [positions(snapshot, pair) for pair in pairs],
        [(formatting.NOTE if leader in alarms else frame.colours[leader],
          tuple(outline(places, OUTLINE_MARGIN).exterior.coords))
         for leader, places in members if places and not parts.get(leader)],
        [(frame.colours[leader], ring) for leader, rings in parts.items() for ring in rings],
        [robot for robot in placed if math.isfinite(robot.deviation)],
        [Label(text, robot.position, above, remark) for text, robot, above, remark in texts
         if robot.position is not None])


def spot(robot: RobotView, frame: Frame) -> tuple[str, str, float]:
    """Return fill, edge and edge width of a robot's symbol, hollow without a mandate."""
    tint = formatting.hexadecimal(frame.colours[robot.leader])
    if not robot.ruled:
        return 'white', tint, 1.8
    return tint, INK if robot.leader == robot.id else 'white', 0.9


SIGNS = {'*': '★', 'o': '●', 'x': '×', '-': '—', '--': '╌'}


class Entry(NamedTuple):
    """An entry of the legend; symbols as in matplotlib."""

    text: str
    symbol: str = ''
    """``*``, ``o``, ``x``, a line ``-`` or ``--``, empty for none."""
    colour: str = FAINT
    hollow: str = ''
    """The colour inside, empty for that of the symbol."""
    size: float = 7.0
    """The size of a marker, or ten times the width of a line [points]."""

    @property
    def sign(self) -> str:
        """Return the symbol as a character."""
        signs = {'*': '☆', 'o': '○'} if self.hollow else SIGNS
        return signs.get(self.symbol, '')


def legend(frames: Sequence[Frame], rings: Rings, communication_range: float) -> list[Entry]:
    """Return the legend of these frames, without links if the range is 0."""
    robots = [robot for frame in frames for robot in frame.snapshot.robots.values()]
    mandates = any(robot.term is not None for robot in robots)
    found = [Entry('leader that acts' if mandates else 'leader', '*', size=11),
             Entry("robot, in its leader's colour", 'o')]
    if communication_range > 0.0:
        found.append(Entry('in radio range', '-', size=8))
    if mandates:
        found += [Entry('leader that only leads', '*', hollow='white', size=11),
                  Entry('robot under no mandate', 'o', hollow='white')]
    if any(frame.snapshot.gone for frame in frames):
        found.append(Entry('silent', 'x', formatting.hexadecimal(formatting.GONE)))
    if any(math.isfinite(robot.deviation) for robot in robots):
        found.append(Entry('believed position ± 1 deviation', 'o', hollow='none', size=9))
    if any(math.isfinite(robot.members) for robot in robots if robot.leader == robot.id):
        found.append(Entry('7 (12): leader 7 counts 12 robots'))
    if any(patrol_parts(frame.snapshot) for frame in frames[-1:]):
        found.append(Entry('part of a patrol', '-', size=18))
    if rings.peaks:
        found.append(Entry('1/2, 9/10 of the peak', '--', formatting.hexadecimal(PEAK), size=15))
    return found
