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
from collections.abc import Mapping
from dataclasses import dataclass, replace
import math
from typing import Any

from leader_election.election.regions.task import Member, Position
from leader_election.election.tasks import places
from leader_election.election.tasks.driving import DriverParameters, DrivingTask
from leader_election.election.tasks.goals import Wander
from leader_election.election.tasks.steering import minimum_spacing
from leader_election.parameters import parameter


@dataclass(frozen=True)
class RallyParameters(DriverParameters):
    """The parameters of the task: the goals of members and of the leader."""

    formation: str = parameter(
        'surround', 'Members surround their leader, evenly on a circle, or follow it, one behind '
        'the other, along the path that it has driven.', choices=lambda: ('surround', 'follow'))
    distance: float = parameter(
        1.5, 'From the leader to the circle, or to the last robot of the column. It grows '
        'if the robots do not fit.', unit='m', lower=0.1, upper=1000.0)
    leader: str = parameter(
        'wander', 'The leader drives about at random, stays where it is, or drives to goal.',
        choices=lambda: ('wander', 'stay', 'goal'))
    leader_speed: float = parameter(
        0.2, 'The greatest forward speed of the leader, so that the others keep up.',
        unit='m/s', lower=0.01, upper=20.0)
    goal: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Leader goal: x, y in the shared frame.', unit='m', lengths=(2,))
    hold: int = parameter(
        5, 'The number of rounds without a position after which a member loses its place.',
        unit='rounds', lower=1, upper=1000)


class Rally(DrivingTask):
    """
    Keep a region's robots together in a formation.

    The decision is ``[[id, x, y], ...]``: a place [m] for each member except the leader, to the
    centimetre. A robot drives to its place, past obstacles and other robots. A robot without a
    place stands still. A leader has nothing to remember for the next one: the formation begins
    anew round another robot.
    """

    parameters = RallyParameters
    settings: RallyParameters
    collects = {'places': places.PLACES}

    def __init__(self, member: Member, settings: RallyParameters) -> None:
        """Begin without members. The robot stands until there is a decision."""
        super().__init__(member, settings)
        self._spacing = minimum_spacing(settings)
        self._recent = places.RecentValues[int, Position](settings.hold)
        length = max(settings.distance, self._spacing * places.MOST_MEMBERS)
        self._trail: deque[Position] = deque(maxlen=math.ceil(length / places.TRAIL_STEP) + 1)
        """The places where this robot was, the newest first."""
        self._angles: dict[int, float] = {}
        self._order: list[int] = []
        self._wander = Wander(member.id, settings.tolerance, settings.patience)
        self._place: Position | None = None

    def sense(self) -> Mapping[str, Any]:
        """Contribute this robot's position."""
        return {'places': places.place_contribution(self.member.pose())}

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Give each member a place. The assignment changes only when members come or go."""
        pose = self.member.pose()
        if pose is None:
            return None
        centre = pose[:2]
        if not self._trail or math.dist(centre, self._trail[0]) >= places.TRAIL_STEP:
            self._trail.appendleft(centre)
        members = self._recent.update(places.places_in(summary['places']))
        members.pop(self.member.id, None)
        if not members:
            return []
        if self._angles.keys() != members.keys():
            self._angles = places.slots(centre, members)
            self._order = places.nearest_first(centre, members)
        if self.settings.formation == 'surround':
            goals = places.on_circle(centre, self._angles, self.settings.distance, self._spacing)
        else:
            goals = places.in_column(
                [centre, *self._trail], self._order, places.middle(members.values()),
                self.settings.distance, self._spacing)
        return [[robot, round(x, 2), round(y, 2)] for robot, (x, y) in goals.items()]

    def act(self, decision: Any) -> None:
        """Take this robot's place from the decision. The driver reads it with each scan."""
        speed = self.settings.leader_speed if self.member.leads else self.settings.speed
        self._driver.limits = replace(self.settings, speed=speed)
        # With an unreadable decision the robot stands still, as without one.
        self._place = None
        place = next(((x, y) for robot, x, y in decision or ()
                      if robot == self.member.id), None)
        if place is not None and not all(type(number) in (int, float) for number in place):
            raise ValueError(f'{place} is not a place; it takes x, y in metres')
        self._place = place

    def _goal_for(self, x: float, y: float, now: float) -> Position | None:
        if not self.member.leads:
            return self._place
        if self.settings.leader == 'wander':
            return self._wander.goal(x, y, now)
        goal = self.settings.goal
        return (goal[0], goal[1]) if self.settings.leader == 'goal' else None
