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

"""Formations: places round a leader or behind it, and who takes which."""

from collections.abc import Collection, Mapping, Sequence
import math

from leader_election.coordination.task import Position
import shapely

CRUMB = 0.1
"""A trail has a point each time that a robot has gone so far [m]."""


def slots(centre: Position, members: Mapping[int, Position]) -> dict[int, float]:
    """
    Return where on a circle round the centre each member belongs [rad], evenly.

    Members keep their order round the centre, so that their ways do not cross there, and of all
    ways to turn the circle it is the one with the least squares of angles to go. Who stands on it
    evenly stays.

    :param members: where they are [m].

    One in the east and one in the north-east make room for each other:

    >>> east, north_east = slots((0.0, 0.0), {1: (2.0, 0.0), 2: (2.0, 2.0)}).values()
    >>> round(math.degrees(east), 1), round(math.degrees(north_east), 1)
    (-67.5, 112.5)
    """
    bearings = sorted((math.atan2(y - centre[1], x - centre[0]), robot)
                      for robot, (x, y) in members.items())
    step = 2 * math.pi / max(len(bearings), 1)
    # Beginning with another robot would add a step to all differences, and change no slot.
    turn = sum(bearing - k * step for k, (bearing, _) in enumerate(bearings)) \
        / max(len(bearings), 1)
    return {robot: turn + k * step for k, (_, robot) in enumerate(bearings)}


def on_circle(centre: Position, angles: Mapping[int, float], radius: float,
              apart: float) -> dict[int, Position]:
    """
    Return each member's place on a circle round the centre [m].

    :param angles: as :func:`slots` gave them out [rad].
    :param radius: of the circle; it is larger where places would not be apart [m].
    :param apart: places are at least so far from each other, and from the centre [m].

    >>> on_circle((1.0, 1.0), {7: 0.0}, 2.0, 0.5)
    {7: (3.0, 1.0)}
    """
    half_step = math.pi / max(len(angles), 2)
    radius = max(radius, apart, apart / (2 * math.sin(half_step)))
    return {robot: (centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle))
            for robot, angle in angles.items()}


def nearest_first(centre: Position, members: Mapping[int, Position]) -> list[int]:
    """Return the members' ids by how far they are from a point, equal ones by id."""
    return sorted(members, key=lambda robot: (math.dist(centre, members[robot]), robot))


def in_column(trail: Sequence[Position], order: Sequence[int], towards: Position, length: float,
              apart: float) -> dict[int, Position]:
    """
    Return each member's place on the way that the leader came [m].

    :param trail: where the leader is and was, the newest first, one point or more [m].
    :param order: the members, from the leader back.
    :param towards: where the trail is too short it goes on straight in this direction [m].
    :param length: the last place is so far back, along the trail [m]; farther if need be.
    :param apart: places are so far from each other and from the leader, along the trail [m].

    >>> in_column([(0.0, 0.0), (1.0, 0.0)], [8, 5], (1.0, 9.0), 2.0, 0.5)
    {8: (1.0, 0.0), 5: (1.0, 1.0)}
    """
    gap = max(apart, length / max(len(order), 1))
    needed = gap * len(order)
    (x, y), far = trail[-1], math.dist(trail[-1], towards)
    ahead = ((towards[0] - x) / far, (towards[1] - y) / far) if far > CRUMB else (-1.0, 0.0)
    way = shapely.LineString([*trail, (x + needed * ahead[0], y + needed * ahead[1])])
    places = (way.interpolate(gap * k) for k in range(1, len(order) + 1))
    return {robot: (place.x, place.y) for robot, place in zip(order, places)}


def middle(places: Collection[Position]) -> Position:
    """
    Return the mean of places, one or more [m].

    >>> middle([(0.0, 0.0), (2.0, 4.0)])
    (1.0, 2.0)
    """
    return (sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places))


class Trail:
    """
    The way that a robot came.

    >>> trail = Trail(length=1.0)
    >>> for x in (0.0, 0.02, 0.5, 1.0, 1.5, 2.0):
    ...     trail.add((x, 0.0))
    >>> trail.points
    [(2.0, 0.0), (1.5, 0.0), (1.0, 0.0), (0.5, 0.0)]

    :ivar points: where it was, the newest first [m].
    """

    def __init__(self, length: float) -> None:
        """:param length: how far back to remember, at least [m]."""
        self.points: list[Position] = []
        self._length = length

    def add(self, here: Position) -> None:
        """Go on to a place; what is hardly another one is passed over."""
        if self.points and math.dist(here, self.points[0]) < CRUMB:
            return
        self.points.insert(0, here)
        so_far = 0.0
        for k in range(1, len(self.points)):
            if so_far > self._length:
                del self.points[k:]
                break
            so_far += math.dist(self.points[k - 1], self.points[k])
