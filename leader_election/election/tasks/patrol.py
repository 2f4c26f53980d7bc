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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
import json
import math
from typing import Any

from leader_election.election.regions.aggregate import union
from leader_election.election.regions.task import Member, Position
from leader_election.election.tasks import coverage, goals
from leader_election.election.tasks.driving import DriverParameters, DrivingTask
from leader_election.election.tasks.steering import minimum_spacing
from leader_election.parameters import parameter, ParameterError
import shapely

_SAME = 0.1
"""The relative change up to which a part or a radius counts as the same."""
MOST_UNKNOWN = 16
"""The number of visited cells that a region collects in a round."""
_STALLED = 30
"""The number of rounds without another visited cell after which the next sweep begins."""


@dataclass(frozen=True)
class PatrolParameters(DriverParameters):
    """The parameters of the task: the area, and the distance of lanes."""

    area: tuple[float, ...] = parameter(
        (), 'The area: corners x, y, x, y, ... in the shared frame. Empty: the disc of the '
        "region's radius round the place where its leader became leader. The leader stays there.",
        unit='m')
    lane: float = parameter(
        1.0, 'The distance from one lane to the next.', unit='m', lower=0.05, upper=1000.0)

    def __post_init__(self) -> None:
        """Refuse corners without an area, and an area too large for the width of the lanes."""
        try:
            if self.area:
                coverage.number_of_lanes(coverage.polygon(self.area), self.lane)
        except ValueError as error:
            raise ParameterError('area', problem=f': {error}') from None


class Patrol(DrivingTask):
    """
    Cover a territory, each robot its own part.

    With connected leaders, the territory is the area without the parts nearer to the leaders of
    other regions. The decision is its outline [m] and the members' ids in the order of their
    parts, ``{"area": [[x, y, x, y, ...], ...], "ids": [...]}``. Every member splits it the same
    way. Regions with the same area whose leaders are not connected each cover all of it.

    A leader notes the cells that are visited in a sweep. If members come or go meanwhile,
    ``"visited"`` has them, as in :func:`.packed_cells`, and what is left is split. ``"known"`` has
    the number of the sweep and the cells visited so far. So each member knows what its leader
    knows. A member contributes the cells that it knows and its leader does not. So the next leader
    continues the sweep of one that has failed.

    :ivar route: through this robot's part, ``None`` without a part.
    """

    parameters = PatrolParameters
    settings: PatrolParameters
    collects = {'places': goals.PLACES, 'visited': union(MOST_UNKNOWN)}

    def __init__(self, member: Member, settings: PatrolParameters) -> None:
        """Begin without members. The robot stands until there is a decision."""
        super().__init__(member, settings)
        self._members = goals.RecentValues[Position]()
        self._borders = goals.RecentValues[tuple[float, ...]]()
        self._post: tuple[float, float, float] | None = None
        self._decided: Any = None
        self._visited: set[coverage.Cell] = set()
        """The cells known to be visited in this sweep."""
        self._leader_knows: set[coverage.Cell] = set()
        self._cells: set[coverage.Cell] = set()
        self._own: set[coverage.Cell] = set()
        """The cells of the whole area, and those of the territory."""
        self._possible: set[coverage.Cell] = set()
        """The cells of the area and of a border, since outlines of territories are simplified."""
        self._side, self._sweep, self._stalled = settings.lane, 0, 0
        self._outline: Any = None
        """The outline and the side of cells of the last decision."""
        self._follows = False
        """Whether there is a decision that can be followed."""
        self._part: Any = None
        # Of some decisions, since a robot may alternate between two.
        self._plan_of = lru_cache(4)(self._plan)
        self.route: goals.Route | None = None

    def sense(self) -> Mapping[str, Any]:
        """Contribute this robot's position, and visited cells that the leader does not know."""
        pose = self.member.pose()
        if pose is not None:
            self._visited |= coverage.cells_near(pose[:2], self._side) & self._own
        unknown = sorted(self._visited - self._leader_knows)[:MOST_UNKNOWN]
        return {'places': goals.place_contribution(pose),
                'visited': coverage.numbers_of(unknown, self._sweep)}

    def announce(self) -> tuple[float, ...] | None:
        """Announce the leader's post to other regions' leaders: x, y, radius [m]."""
        return self._post

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Decide on the territory. Assign the parts again if it or the members have changed."""
        pose = self.member.pose()
        if pose is None:
            return None
        self._keep_post(pose[:2])
        assert self._post is not None
        places = goals.places_in(summary['places'])
        members = self._members.update(places)
        if not self.settings.area and len(members) > 1:
            members.pop(self.member.id, None)
        others = self._borders.update(dict(self.member.borders))
        here = self._post[:2]
        area = (coverage.polygon(self.settings.area) if self.settings.area
                else shapely.Point(here).buffer(self._post[2], quad_segs=5))
        leaders = [(post[0], post[1]) for post in others.values()]
        outline = coverage.outline_of(coverage.own_side(area, here, leaders))
        before = self._decided
        is_new = before is None or before['area'] != outline
        if is_new:
            side = coverage.cell_size(area, self.settings.lane)
            self._divide(coverage.area_of(outline), side)
            self._cells, self._possible = (
                coverage.cells_of(area, side), coverage.cells_of(area.buffer(2.0 * side), side))
            self._visited &= self._possible
        self._learn(summary['visited'])
        if is_new or self._note(places.values()) or set(before['ids']) != members.keys():
            self._decided = {'area': outline, 'ids': []}
            if self._visited:
                self._decided['visited'] = coverage.packed_cells(self._visited, self._side)
            if outline:
                self._decided['ids'] = coverage.assign(_to_visit(self._decided), members)
        return {**self._decided, 'known': [self._sweep, *coverage.packed_cells(
            self._visited, self._side)]}

    def act(self, decision: Any) -> None:
        """
        Take this robot's part from the decision. The robot waits while there is none.

        If the part is nearly the same as before, the robot continues along the same route.
        """
        if not self.member.leads:
            self._post = self._decided = None
        # With an unreadable decision the robot stands still, as without one.
        self._follows = False
        if decision is None:
            return
        decision = dict(decision)
        known = decision.pop('known', None)
        if known is not None and not self.member.leads:
            self._take_known(decision['area'], *known)
        part, places = self._plan_of(json.dumps(decision))
        if part is None or self._part is None or (
                part.symmetric_difference(self._part).area > _SAME * part.area):
            near = max(self.settings.tolerance, self.settings.lane / 4)
            self._part = part
            self.route = goals.Route(places, near, self.settings.patience) if places else None
        self._follows = True

    def _keep_post(self, here: Position) -> None:
        """Keep the place where the robot became leader as the territory's centre."""
        radius = self.member.radius if math.isfinite(self.member.radius) else 0.0
        if not self.settings.area and radius <= 0.0:
            raise ValueError('parameter area is missing: this region has no radius')
        if self._post is None:
            self._post = (*here, radius)
        elif abs(radius - self._post[2]) > _SAME * self._post[2]:
            self._post = (*self._post[:2], radius)

    def _take_known(self, outline: Any, sweep: int, grid: Sequence[float], visited: str) -> None:
        """Take over what the leader knows to be visited in this sweep, or a later one."""
        cells, side = coverage.unpacked_cells(grid, visited), float(grid[0])
        if self._outline != (outline, side):
            self._outline = outline, side
            self._divide(coverage.area_of(outline), side)
        if sweep > self._sweep:
            self._sweep, self._visited = sweep, set()
        self._leader_knows = cells if sweep == self._sweep else set()
        self._visited |= self._leader_knows

    def _learn(self, numbers: Iterable[int]) -> None:
        """Take over what members know to be visited in this sweep, or a later one."""
        for sweep, cells in sorted(coverage.cells_in(numbers, self._possible).items()):
            ahead = (sweep - self._sweep) % coverage.SWEEPS
            if ahead < coverage.SWEEPS // 2:
                self._visited = cells | (set() if ahead else self._visited)
                self._sweep += ahead

    def _divide(self, territory: Any, side: float) -> None:
        """Divide the territory into cells of a side [m]. Of other cells nothing is known."""
        if side != self._side:
            self._visited = set()
        self._side, self._own = side, coverage.cells_of(territory, side)

    def _note(self, places: Iterable[Position]) -> bool:
        """Note the cells that are visited now, and return whether parts end since a sweep does."""
        near = set[coverage.Cell]().union(
            *(coverage.cells_near(place, self._side) for place in places))
        new = near & self._own - self._visited
        self._visited |= near & self._cells
        self._stalled = 0 if new else self._stalled + 1
        # A small territory is soon visited, and may grow again.
        done = self._own <= self._visited and 2 * len(self._own) >= len(self._cells)
        if not done and self._stalled <= _STALLED:
            return False
        self._sweep, self._stalled = self._sweep + 1, 0
        self._visited = self._visited - self._own
        return self._decided is not None and 'visited' in self._decided

    def _plan(self, text: str) -> tuple[Any, Sequence[Position]]:
        """
        Return this robot's part, ``None`` without one, and the places to visit in it [m].

        :param text: a decision, as JSON.
        :raises Exception: if it cannot be followed. A decision may contain anything.
        """
        decision = json.loads(text)
        ids = list(decision['ids'])
        if self.member.id not in ids:
            return None, ()
        part = coverage.part_of(_to_visit(decision), len(ids), ids.index(self.member.id))
        # Lanes keep a distance from adjacent parts: goals are not too near to each other.
        return part, coverage.lanes(part, self.settings.lane, minimum_spacing(self.settings) / 2)

    def _goal_for(self, x: float, y: float, now: float) -> Position | None:
        if not self._follows:
            return None
        if self.route is not None:
            return self.route.goal(x, y, now)
        return None if self._post is None else self._post[:2]


def _to_visit(decision: Mapping[str, Any]) -> Any:
    """Return the area of a decision, without what was visited unless that is nearly all of it."""
    area = coverage.area_of(decision['area'])
    if 'visited' not in decision:
        return area
    grid, visited = decision['visited']
    side = float(grid[0])
    left = coverage.without_cells(area, coverage.unpacked_cells(grid, visited), side)
    return left if left.area > side * side else area
