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

"""The places of a region's members: known ones, kept during message loss, and formations."""

from collections.abc import Collection, Mapping, Sequence
import math
from typing import Generic, TypeVar

from leader_election.election.regions.aggregate import top
from leader_election.election.regions.task import Position
import shapely

K = TypeVar('K')
V = TypeVar('V')

MOST_MEMBERS = 21
"""The most robots whose places are collected: an aggregate holds this many records of three."""
PLACES = top(MOST_MEMBERS, extra=1)
"""The aggregate of x, y [m]; of too many robots it keeps the ones farthest east."""
TRAIL_STEP = 0.1
"""The least distance between the points of a trail [m]."""


def place_contribution(pose: Sequence[float] | None) -> Position | None:
    """
    Return a robot's contribution to ``PLACES``, to a tenth of a metre.

    :param pose: x, y, ... [m], ``None`` if unknown and so without contribution.
    """
    return None if pose is None else (round(pose[0], 1), round(pose[1], 1))


def places_in(collected: Sequence[Sequence[float]]) -> dict[int, Position]:
    """
    Return x, y of each robot [m], by ids in ascending order.

    :param collected: the result of ``PLACES``: records of x, id, y.

    >>> places_in(PLACES.result(PLACES.contribution(7, (1.0, 2.0))))
    {7: (1.0, 2.0)}
    """
    return {int(robot): (x, y) for x, robot, y in sorted(collected, key=lambda row: row[1])}


class RecentValues(Generic[K, V]):
    """
    The last value under each key, kept for some rounds after it was received.

    So a lost message does not make a leader plan again.

    >>> recent = RecentValues(hold=2)
    >>> recent.update({'a': 1, 'b': 2}), recent.update({'b': 3}), recent.update({'b': 4})
    ({'a': 1, 'b': 2}, {'a': 1, 'b': 3}, {'b': 4})

    :param hold: the number of rounds without a value after which a key is forgotten, >= 1.
    """

    def __init__(self, hold: int) -> None:
        self._hold, self._round = hold, 0
        self._values: dict[K, tuple[int, V]] = {}
        """The last value under each key, and the round of it."""

    def update(self, values: Mapping[K, V]) -> dict[K, V]:
        """Add this round's values, and return all known ones."""
        self._round += 1
        self._values |= {key: (self._round, value) for key, value in values.items()}
        self._values = {key: each for key, each in self._values.items()
                        if self._round - each[0] < self._hold}
        return {key: value for key, (_, value) in self._values.items()}


# Formations: round a leader or behind it.

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


def nearest_first(centre: Position, members: Mapping[int, Position]) -> list[int]:
    """Return the members' ids by distance from a point [m], equal distances by id."""
    return sorted(members, key=lambda robot: (math.dist(centre, members[robot]), robot))


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


def middle(places: Collection[Position]) -> Position:
    """
    Return the mean of positions, one or more [m].

    >>> middle([(0.0, 0.0), (2.0, 4.0)])
    (1.0, 2.0)
    """
    return (sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places))
