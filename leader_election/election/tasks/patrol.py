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
import json
import math
from typing import Any, NamedTuple

from leader_election.election.regions.aggregate import union
from leader_election.election.regions.task import Member, Position
from leader_election.election.tasks.coverage import (
    area_of,
    assign,
    Cell,
    cell_size,
    cells_in,
    cells_near,
    cells_of,
    disc,
    lanes,
    number_of_lanes,
    numbers_of,
    outline_of,
    own_side,
    packed_cells,
    part_of,
    polygon,
    SWEEPS,
    unpacked_cells,
    without_cells,
)
from leader_election.election.tasks.driver import DriverParameters, DrivingTask
from leader_election.election.tasks.goals import Route
from leader_election.election.tasks.places import (
    place_contribution,
    PLACES,
    places_in,
    RecentValues,
)
from leader_election.election.tasks.steering import minimum_spacing
from leader_election.parameters import parameter, ParameterError

_SAME = 0.1
"""The relative change up to which a part or a radius counts as the same."""
_MOST_PLANS = 4
"""The number of cached plans, since a robot may alternate between two decisions."""
MOST_UNKNOWN = 16
"""The number of visited cells that a region collects in a round."""
_STALLED = 30
"""The number of rounds without another visited cell after which the next sweep begins."""


class _Plan(NamedTuple):
    """The plan of one robot, computed from a decision."""

    part: Any = None
    """The robot's part of the territory, ``None`` without a territory."""
    places: Sequence[Position] = ()
    """To visit in it [m]."""
    error: str = ''
    """The reason why the decision cannot be followed."""


@dataclass(frozen=True)
class PatrolParameters(DriverParameters):
    """The parameters of the task: the area, and the distance of lanes."""

    area: tuple[float, ...] = parameter(
        (), 'The area: corners x, y, x, y, ... in the shared frame. Empty: the disc of the '
        "region's radius round the place where its leader became leader. The leader stays there.",
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
    collects = {'places': PLACES, 'visited': union(MOST_UNKNOWN)}

    def __init__(self, member: Member, settings: PatrolParameters) -> None:
        """Begin without members. The robot stands until there is a decision."""
        super().__init__(member, settings)
        self._members = RecentValues[int, Position](settings.hold)
        self._borders = RecentValues[int, tuple[float, ...]](settings.hold)
        self._post: tuple[float, float, float] | None = None
        self._decided: Any = None
        self._visited: set[Cell] = set()
        """The cells known to be visited in this sweep."""
        self._leader_knows: set[Cell] = set()
        self._cells: set[Cell] = set()
        self._own: set[Cell] = set()
        """The cells of the whole area, and those of the territory."""
        self._possible: set[Cell] = set()
        """The cells of the area and of a border, since outlines of territories are simplified."""
        self._side, self._sweep, self._stalled = settings.lane, 0, 0
        self._outline: Any = None
        """The outline and the side of cells of the last decision."""
        self._followed: Any = None
        self._part: Any = None
        self._plans: dict[str, _Plan] = {}
        self.route: Route | None = None

    def sense(self) -> Mapping[str, Any]:
        """Contribute this robot's position, and visited cells that the leader does not know."""
        pose = self.member.pose()
        if pose is not None:
            self._visited |= cells_near(pose[:2], self._side) & self._own
        unknown = sorted(self._visited - self._leader_knows)[:MOST_UNKNOWN]
        return {'places': place_contribution(pose),
                'visited': numbers_of(unknown, self._sweep, self._side)}

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
        places = places_in(summary['places'])
        members = self._members.update(places)
        if not self.settings.area and len(members) > 1:
            members.pop(self.member.id, None)
        others = self._borders.update(dict(self.member.borders))
        here = self._post[:2]
        area = (polygon(self.settings.area) if self.settings.area
                else disc(here, self._post[2]))
        leaders = [(post[0], post[1]) for post in others.values()]
        outline = outline_of(own_side(area, here, leaders))
        before = self._decided
        if before is None or before['area'] != outline:
            self._scale(area, area_of(outline))
        self._learn(summary['visited'])
        if (before is None or before['area'] != outline or self._note(places.values())
                or set(before['ids']) != members.keys()):
            self._decided = {'area': outline, 'ids': []}
            if self._visited:
                self._decided['visited'] = packed_cells(self._visited, self._side)
            if outline:
                self._decided['ids'] = assign(_to_visit(self._decided), members)
        return {**self._decided, 'known': [self._sweep, *packed_cells(
            self._visited, self._side)]}

    def act(self, decision: Any) -> None:
        """
        Take this robot's part from the decision. The robot waits while there is none.

        If the part is nearly the same as before, the robot continues along the same route.
        """
        if not self.member.leads:
            self._post = self._decided = None
        # With an unreadable decision the robot stands still, as without one.
        followed, self._followed = self._followed, None
        if decision is None:
            return
        decision = dict(decision)
        known = decision.pop('known', None)
        if known is not None and not self.member.leads:
            self._take_known(decision['area'], *known)
        if decision == followed:
            self._followed = followed
            return
        part, places, error = self._plan_of(decision)
        if error:
            raise ValueError(error)
        if part is None or self._part is None or (
                part.symmetric_difference(self._part).area > _SAME * part.area):
            self._part, self.route = part, self._route_through(places)
        self._followed = decision

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
        cells, side = unpacked_cells(grid, visited), float(grid[0])
        if self._outline != (outline, side):
            self._outline = outline, side
            self._visited = _scaled(self._visited, self._side, side)
            self._side, territory = side, area_of(outline)
            self._own = set() if territory.is_empty else cells_of(territory, side)
        if sweep > self._sweep:
            self._sweep, self._visited = sweep, set()
        self._leader_knows = cells if sweep == self._sweep else set()
        self._visited |= self._leader_knows

    def _learn(self, numbers: Iterable[int]) -> None:
        """Take over what members know to be visited in this sweep, or a later one."""
        for sweep, cells in sorted(cells_in(numbers, self._side, self._possible).items()):
            ahead = sweep - self._sweep % SWEEPS
            if 0 < ahead < SWEEPS // 2 or ahead < -SWEEPS // 2:
                self._sweep, self._visited = self._sweep + ahead % SWEEPS, set()
                ahead = 0
            if ahead == 0:
                self._visited |= cells

    def _scale(self, area: Any, territory: Any) -> None:
        """Divide the area and the territory in it into cells."""
        side, self._side = self._side, cell_size(area, self.settings.lane)
        self._visited = _scaled(self._visited, side, self._side)
        self._cells = cells_of(area, self._side)
        self._possible = cells_of(area.buffer(2.0 * self._side), self._side)
        self._visited &= self._possible
        self._own = set() if territory.is_empty else cells_of(territory, self._side)

    def _note(self, places: Iterable[Position]) -> bool:
        """Note the cells that are visited now, and return whether parts end since a sweep does."""
        near = set[Cell]().union(*(cells_near(place, self._side) for place in places))
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
        part = part_of(_to_visit(decision), len(ids), ids.index(self.member.id))
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


def _to_visit(decision: Mapping[str, Any]) -> Any:
    """Return the area of a decision, without what was visited unless that is nearly all of it."""
    area = area_of(decision['area'])
    if 'visited' not in decision:
        return area
    grid, visited = decision['visited']
    side = float(grid[0])
    left = without_cells(area, unpacked_cells(grid, visited), side)
    return left if left.area > side * side else area


def _scaled(cells: set[Cell], side: float, other: float) -> set[Cell]:
    """Return the cells of another size that have the middles of these."""
    if side == other:
        return cells
    return {(math.floor((i + 0.5) * side / other), math.floor((j + 0.5) * side / other))
            for i, j in cells}
