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

"""Task ``patrol``: a region's robots cover its territory repeatedly, each its own part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
import json
import math
from typing import Any, NamedTuple

from leader_election.election.coordination.task import Member, Position, Task
from leader_election.election.tasks.coverage import (
    area_of,
    assign,
    disc,
    lanes,
    number_of_lanes,
    outline_of,
    own_side,
    part_of,
    polygon,
)
from leader_election.election.tasks.driving import Driver
from leader_election.election.tasks.goals import Route
from leader_election.election.tasks.places import place_contribution, PLACES, places_in, Recent
from leader_election.election.tasks.steering import DrivingParameters, minimum_spacing
from leader_election.parameters import parameter, ParameterError

_SAME = 0.1
"""The relative change up to which a part or a radius counts as the same."""
_MOST_PLANS = 4
"""The number of cached plans, since a robot may alternate between two decisions."""


class _Plan(NamedTuple):
    """The plan of one robot, computed from a decision."""

    part: Any = None
    """Of the territory; ``None`` without one."""
    places: Sequence[Position] = ()
    """To visit in it [m]."""
    error: str = ''
    """The reason why the decision cannot be followed."""


@dataclass(frozen=True)
class PatrolParameters(DrivingParameters):
    """The parameters of the task: the area, and the distance of lanes."""

    area: tuple[float, ...] = parameter(
        (), 'The area: corners x, y, x, y, ... in the shared frame. Empty: the disc of the '
        "region's radius round the place where its leader became leader; the leader stays there.",
        unit='m')
    lane: float = parameter(
        1.0, 'The distance from one lane to the next.', unit='m', lower=0.05, upper=1000.0)
    hold: int = parameter(
        5, 'The number of rounds after which a member without a position, or an adjacent '
        'region without a leader, is no longer taken into account.', unit='rounds',
        lower=1, upper=1000)

    def __post_init__(self) -> None:
        """Refuse corners without an area, and an area too large for the width of the lanes."""
        try:
            if self.area:
                number_of_lanes(polygon(self.area), self.lane)
        except ValueError as error:
            raise ParameterError('area', problem=f': {error}') from None


class Patrol(Task):
    """
    Cover a territory, each robot its own part.

    With connected leaders, the territory is the area without the parts nearer to the leaders of
    other regions. The decision is its outline [m] and the members' ids in the order of their
    parts, ``{"area": [[x, y, x, y, ...], ...], "ids": [...]}``: every member splits it the same
    way. Regions with the same area whose leaders are not connected each cover all of it.

    :ivar route: through this robot's part; ``None`` without a part.
    """

    parameters = PatrolParameters
    settings: PatrolParameters
    collects = {'places': PLACES}

    def __init__(self, member: Member, settings: PatrolParameters) -> None:
        """Create the driver; the robot stands until there is a decision."""
        super().__init__(member, settings)
        self._members = Recent[int, Position](settings.hold)
        self._borders = Recent[int, tuple[float, ...]](settings.hold)
        self._post: tuple[float, float, float] | None = None
        self._decided: Any = None
        self._followed: Any = None
        self._part: Any = None
        self._plans: dict[str, _Plan] = {}
        self.route: Route | None = None
        self._driver = Driver(member.node, settings, self._goal_for, lambda: member.pose(),
                              seed=member.id)

    def sense(self) -> Mapping[str, Any]:
        """Contribute this robot's position."""
        return {'places': place_contribution(self.member.pose())}

    def announce(self) -> tuple[float, ...] | None:
        """Announce the leader's post to other regions' leaders: x, y, radius [m]."""
        return self._post

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Decide on the territory; assign the parts again if it or the members have changed."""
        pose = self.member.pose()
        if pose is None:
            return None
        self._keep_post(pose[:2])
        assert self._post is not None
        members = self._members.update(places_in(summary['places']))
        if not self.settings.area and len(members) > 1:
            members.pop(self.member.id, None)
        others = self._borders.update(dict(self.member.borders))
        here = self._post[:2]
        area = (polygon(self.settings.area) if self.settings.area
                else disc(here, self._post[2]))
        leaders = [(post[0], post[1]) for post in others.values()]
        outline = outline_of(own_side(area, here, leaders))
        before = self._decided
        if (before is None or before['area'] != outline
                or set(before['ids']) != members.keys()):
            ids = assign(area_of(outline), members) if outline else []
            self._decided = {'area': outline, 'ids': ids}
        return self._decided

    def act(self, decision: Any) -> None:
        """
        Take this robot's part from the decision; the robot waits while there is none.

        If the part is nearly the same as before, the robot continues along the same route.
        """
        if not self.member.leads:
            self._post = self._decided = None
        if decision == self._followed:
            return
        # With an unreadable decision the robot stands still, as without one.
        self._followed = None
        if decision is None:
            return
        part, places, error = self._plan_of(decision)
        if error:
            raise ValueError(error)
        if part is None or self._part is None or (
                part.symmetric_difference(self._part).area > _SAME * part.area):
            self._part, self.route = part, self._route_through(places)
        self._followed = decision

    def close(self) -> None:
        """Stop the robot."""
        self._driver.close()

    def _keep_post(self, here: Position) -> None:
        """Keep the place where the robot became leader as the territory's centre."""
        radius = self.member.radius if math.isfinite(self.member.radius) else 0.0
        if not self.settings.area and radius <= 0.0:
            raise ValueError('parameter area is missing: this region has no radius')
        if self._post is None:
            self._post = (*here, radius)
        elif abs(radius - self._post[2]) > _SAME * self._post[2]:
            self._post = (*self._post[:2], radius)

    def _plan_of(self, decision: Any) -> _Plan:
        """Return the plan for a decision, computed once, also if it cannot be followed."""
        text = json.dumps(decision)
        if text not in self._plans:
            while len(self._plans) >= _MOST_PLANS:
                del self._plans[next(iter(self._plans))]
            try:
                self._plans[text] = self._plan(decision)
            except Exception as error:  # A decision may contain anything, not only an area.
                self._plans[text] = _Plan(error=f'{type(error).__name__}: {error}')
        return self._plans[text]

    def _plan(self, decision: Any) -> _Plan:
        ids = list(decision['ids'])
        if self.member.id not in ids:
            return _Plan()
        part = part_of(area_of(decision['area']), len(ids), ids.index(self.member.id))
        # Lanes keep a distance from adjacent parts, so that goals are not too near to each other.
        return _Plan(part, lanes(part, self.settings.lane, minimum_spacing(self.settings) / 2))

    def _route_through(self, places: Sequence[Position]) -> Route | None:
        near = max(self.settings.tolerance, self.settings.lane / 4)
        return Route(places, near, self.settings.patience) if places else None

    def _goal_for(self, x: float, y: float, now: float) -> Position | None:
        if self._followed is None:
            return None
        if self.route is not None:
            return self.route.goal(x, y, now)
        return None if self._post is None else self._post[:2]
