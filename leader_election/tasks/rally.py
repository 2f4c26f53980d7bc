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

"""Task ``rally``: members follow their leader, or surround it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leader_election.coordination.task import Member, Position, Task
from leader_election.parameters import parameter
from leader_election.tasks.driving import Driver
from leader_election.tasks.driving_parameters import apart, DrivingParameters, limits_of
from leader_election.tasks.formation import (
    in_column,
    middle,
    nearest_first,
    on_circle,
    slots,
    Trail,
)
from leader_election.tasks.places import MOST_MEMBERS, PLACES, places_in, reading_of
from leader_election.tasks.recent import Recent
from leader_election.tasks.wander import Wander


@dataclass(frozen=True)
class RallyParameters(DrivingParameters):
    """Where members go, and where the leader goes."""

    formation: str = parameter(
        'surround', 'Members surround their leader, evenly on a circle, or follow it, one behind '
        'the other on the way that it came.', choices=lambda: ('surround', 'follow'))
    distance: float = parameter(
        1.5, 'From the leader to the circle, or to the last of those who follow; more where so '
        'many robots do not fit.', unit='m', lower=0.1, upper=1000.0)
    leader: str = parameter(
        'wander', 'The leader goes about at random, stays where it is, or drives to goal.',
        choices=lambda: ('wander', 'stay', 'goal'))
    leader_speed: float = parameter(
        0.2, 'The greatest forward speed of the leader, so that the others keep up.',
        unit='m/s', lower=0.01, upper=20.0)
    goal: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Leader goal: x, y in the shared frame.', unit='m', lengths=(2,))
    hold: int = parameter(
        5, 'A member that is not heard of for so many rounds loses its place.',
        unit='rounds', lower=1, upper=1000)


class Rally(Task):
    """
    Keep a region's robots together.

    The decision is ``[[id, x, y], ...]``: a place for each member but the leader, to the
    centimetre. Who is in it drives there, past obstacles and each other; who is not stands still.
    """

    parameters = RallyParameters
    settings: RallyParameters
    collects = {'places': PLACES}

    def __init__(self, member: Member, settings: RallyParameters) -> None:
        """Get ready to drive."""
        super().__init__(member, settings)
        self._apart = apart(settings)
        self._recent = Recent[int, Position](settings.hold)
        self._trail = Trail(max(settings.distance, self._apart * MOST_MEMBERS))
        self._angles: dict[int, float] = {}
        self._order: list[int] = []
        self._wander = Wander(member.id, settings.tolerance, settings.patience)
        self._goal = (settings.goal[0], settings.goal[1])
        self._place: Position | None = None
        self._driver = Driver(member, settings, self._where_to)

    def sense(self) -> Mapping[str, Any]:
        """Contribute where this robot is."""
        return {'places': reading_of(self.member.pose())}

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Give each member a place; who has which is decided anew when members come or go."""
        pose = self.member.pose()
        if pose is None:
            return None
        centre = pose[:2]
        self._trail.add(centre)
        members = self._recent.update(places_in(summary['places']))
        members.pop(self.member.id, None)
        if not members:
            return []
        if self._angles.keys() != members.keys():
            self._angles = slots(centre, members)
            self._order = nearest_first(centre, members)
        if self.settings.formation == 'surround':
            places = on_circle(centre, self._angles, self.settings.distance, self._apart)
        else:
            places = in_column([centre, *self._trail.points], self._order,
                               middle(members.values()), self.settings.distance, self._apart)
        return [[robot, round(x, 2), round(y, 2)] for robot, (x, y) in places.items()]

    def act(self, decision: Any) -> None:
        """Take one's place from the decision; the driver asks for it."""
        speed = self.settings.leader_speed if self.member.leads else self.settings.speed
        self._driver.limits = limits_of(self.settings)._replace(speed=speed)
        self._place = next(((x, y) for robot, x, y in decision or ()
                            if robot == self.member.id), None)

    def close(self) -> None:
        """Stop the robot."""
        self._driver.close()

    def _where_to(self, x: float, y: float, now: float) -> Position | None:
        if not self.member.leads:
            return self._place
        if self.settings.leader == 'wander':
            return self._wander.goal(x, y, now)
        return self._goal if self.settings.leader == 'goal' else None
