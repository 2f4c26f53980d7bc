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

"""Task ``rally``: members follow their leader in a column, or surround it."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
import math
from statistics import fmean
from typing import Any

from leader_election.election.regions.task import Member, Position
from leader_election.election.tasks import goals
from leader_election.election.tasks.driving import DriverParameters, DrivingTask
from leader_election.election.tasks.steering import minimum_spacing
from leader_election.parameters import parameter
import shapely

LEADER_SPEED = 0.4
"""The greatest speed of the leader, as a share of that of the others, which have to keep up."""
TRAIL_STEP = 0.1
"""The least distance between the points of a trail [m]."""


@dataclass(frozen=True)
class RallyParameters(DriverParameters):
    """The parameters of the task: the formation and its size."""

    formation: str = parameter(
        'surround', 'Members surround their leader, evenly on a circle, or follow it, one behind '
        'the other, along the path that it has driven.', choices=lambda: ('surround', 'follow'))
    distance: float = parameter(
        1.5, 'From the leader to the circle, or to the last robot of the column. It grows '
        'if the robots do not fit.', unit='m', lower=0.1, upper=1000.0)


class Rally(DrivingTask):
    """
    Keep a region's robots together in a formation. The leader drives about at random.

    The decision is ``[[id, x, y], ...]``: a place [m] for each member except the leader, to the
    centimetre. A robot drives to its place, past obstacles and other robots. A robot without a
    place stands still. A leader has nothing to remember for the next one: the formation begins
    anew round another robot.
    """

    parameters = RallyParameters
    settings: RallyParameters
    collects = {'places': goals.PLACES}

    def __init__(self, member: Member, settings: RallyParameters) -> None:
        """Begin without members. The robot stands until there is a decision."""
        super().__init__(member, settings)
        self._spacing = minimum_spacing(settings)
        self._recent = goals.RecentValues[Position]()
        length = max(settings.distance, self._spacing * goals.MOST_MEMBERS)
        self._trail: deque[Position] = deque(maxlen=math.ceil(length / TRAIL_STEP) + 1)
        """The places where this robot was, the newest first."""
        self._angles: dict[int, float] = {}
        self._order: list[int] = []
        self._wander = goals.Wander(member.id, settings.tolerance, settings.patience)
        self._place: Position | None = None

    def sense(self) -> Mapping[str, Any]:
        """Contribute this robot's position."""
        return {'places': goals.place_contribution(self.member.pose())}

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Give each member a place. The assignment changes only when members come or go."""
        pose = self.member.pose()
        if pose is None:
            return None
        centre = pose[:2]
        if not self._trail or math.dist(centre, self._trail[0]) >= TRAIL_STEP:
            self._trail.appendleft(centre)
        members = self._recent.update(goals.places_in(summary['places']))
        members.pop(self.member.id, None)
        if not members:
            return []
        if self._angles.keys() != members.keys():
            self._angles = slots(centre, members)
            self._order = sorted(
                members, key=lambda robot: (math.dist(centre, members[robot]), robot))
        if self.settings.formation == 'surround':
            places = on_circle(centre, self._angles, self.settings.distance, self._spacing)
        else:
            x, y = (fmean(each) for each in zip(*members.values()))
            places = in_column([centre, *self._trail], self._order, (x, y),
                               self.settings.distance, self._spacing)
        return [[robot, round(x, 2), round(y, 2)] for robot, (x, y) in places.items()]

    def act(self, decision: Any) -> None:
        """Take this robot's place from the decision. The driver reads it with each scan."""
        speed = self.settings.speed * (LEADER_SPEED if self.member.leads else 1.0)
        self._driver.limits = replace(self.settings, speed=speed)
        # With an unreadable decision the robot stands still, as without one.
        self._place = None
        place = next(((x, y) for robot, x, y in decision or () if robot == self.member.id), None)
        if place is not None and not all(type(number) in (int, float) for number in place):
            raise ValueError(f'{place} is not a place; it takes x, y in metres')
        self._place = place

    def _goal_for(self, x: float, y: float, now: float) -> Position | None:
        return self._wander.goal(x, y, now) if self.member.leads else self._place


def slots(centre: Position, members: Mapping[int, Position]) -> dict[int, float]:
    """
    Return each member's bearing from the centre in an even formation on a circle [rad].

    Members keep their order round the centre, so that their paths do not cross there. The circle
    is turned so that the sum of the squares of the angles to move is least. Evenly spaced members
    stay.

    :param centre: of the circle [m].
    :param members: the position of each, by id [m].

    A member in the east and one in the north-east make room for each other:

    >>> east, north_east = slots((0.0, 0.0), {1: (2.0, 0.0), 2: (2.0, 2.0)}).values()
    >>> round(math.degrees(east), 1), round(math.degrees(north_east), 1)
    (-67.5, 112.5)
    """
    bearings = sorted((math.atan2(y - centre[1], x - centre[0]), robot)
                      for robot, (x, y) in members.items())
    step = 2 * math.pi / max(len(bearings), 1)
    # Starting with another robot would add a step to all differences, and change no slot.
    turn = sum(bearing - k * step for k, (bearing, _) in enumerate(bearings)) \
        / max(len(bearings), 1)
    return {robot: turn + k * step for k, (_, robot) in enumerate(bearings)}


def on_circle(centre: Position, angles: Mapping[int, float], radius: float,
              spacing: float) -> dict[int, Position]:
    """
    Return each member's place on a circle round the centre [m].

    :param centre: of the circle [m].
    :param angles: each member's bearing, as :func:`slots` returns them [rad].
    :param radius: of the circle. It is enlarged where places would be too close [m].
    :param spacing: the least distance between places, and to the centre [m].

    >>> on_circle((1.0, 1.0), {7: 0.0}, 2.0, 0.5)
    {7: (3.0, 1.0)}
    """
    half_step = math.pi / max(len(angles), 2)
    radius = max(radius, spacing, spacing / (2 * math.sin(half_step)))
    return {robot: (centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle))
            for robot, angle in angles.items()}


def in_column(trail: Sequence[Position], order: Sequence[int], towards: Position, length: float,
              spacing: float) -> dict[int, Position]:
    """
    Return each member's place in a column along the leader's trail [m].

    :param trail: the leader's positions, the newest first, one point or more [m].
    :param order: the members' ids, from the leader back.
    :param towards: a trail that is too short is extended straight towards this point [m].
    :param length: from the leader to the last place, along the trail [m]. More if the spacing
        needs more.
    :param spacing: the least distance between places, along the trail [m].

    >>> in_column([(0.0, 0.0), (1.0, 0.0)], [8, 5], (1.0, 9.0), 2.0, 0.5)
    {8: (1.0, 0.0), 5: (1.0, 1.0)}
    """
    gap = max(spacing, length / max(len(order), 1))
    needed = gap * len(order)
    (x, y), far = trail[-1], math.dist(trail[-1], towards)
    ahead = ((towards[0] - x) / far, (towards[1] - y) / far) if far > TRAIL_STEP else (-1.0, 0.0)
    way = shapely.LineString([*trail, (x + needed * ahead[0], y + needed * ahead[1])])
    places = (way.interpolate(gap * k) for k in range(1, len(order) + 1))
    return {robot: (place.x, place.y) for robot, place in zip(order, places)}
