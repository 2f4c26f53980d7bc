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

"""The positions of a region's members, kept during message loss, and routes over places."""

from collections.abc import Mapping, Sequence
import itertools
import math
from typing import Generic, TypeVar

from leader_election.election.coordination.aggregate import top
from leader_election.election.coordination.pattern import decay
from leader_election.election.coordination.task import Position

K = TypeVar('K')
V = TypeVar('V')

MOST_MEMBERS = 21
"""The most robots whose places are collected: an aggregate holds this many records of three."""
PLACES = top(MOST_MEMBERS, extra=1)
"""The aggregate of x, y [m]; of too many robots it keeps the ones farthest east."""


def place_contribution(pose: Sequence[float] | None) -> Position | None:
    """
    Return a robot's contribution to ``PLACES``, to a tenth of a metre.

    :param pose: x, y, ... [m]; ``None``: unknown, no contribution.
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


class Recent(Generic[K, V]):
    """
    The last value under each key, kept for some rounds after it was received.

    So a lost message does not make a leader plan again.

    >>> recent = Recent(hold=2)
    >>> recent.update({'a': 1, 'b': 2}), recent.update({'b': 3}), recent.update({'b': 4})
    ({'a': 1, 'b': 2}, {'a': 1, 'b': 3}, {'b': 4})
    """

    def __init__(self, hold: int) -> None:
        """:param hold: the number of rounds without a value after which it is forgotten, >= 1."""
        self._hold = hold
        self._rounds_left: dict[K, float] = {}
        self._values: dict[K, V] = {}

    def update(self, values: Mapping[K, V]) -> dict[K, V]:
        """Add this round's values; return all known ones."""
        left = {key: decay(left, 0.0, step=1.0) for key, left in self._rounds_left.items()}
        for key, value in values.items():
            left[key], self._values[key] = float(self._hold), value
        self._rounds_left = {key: rounds for key, rounds in left.items() if rounds > 0.0}
        self._values = {key: self._values[key] for key in self._rounds_left}
        return dict(self._values)


_PROGRESS = 0.1
"""The least approach to a goal that counts as progress [m]."""


class Patience:
    """
    Detects that a robot has come no nearer to its goal for some time.

    >>> patience = Patience(5.0)
    >>> [patience.lost(3.0, 0.0), patience.lost(2.0, 4.0), patience.lost(2.5, 8.9)]
    [False, False, False]
    >>> patience.lost(1.95, 9.0)
    True
    """

    def __init__(self, seconds: float) -> None:
        """:param seconds: the longest time without progress [s]."""
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Start again, for another goal."""
        self._least, self._since = math.inf, math.inf

    def lost(self, distance: float, now: float) -> bool:
        """
        Return whether to give up the goal; the time restarts if the clock was set back.

        :param distance: from the robot to its goal [m].
        :param now: the present time [s].
        """
        if distance <= self._least - _PROGRESS or now < self._since:
            self._least, self._since = min(distance, self._least), now
        return now - self._since >= self._seconds


class Route:
    """
    The goals of a robot that visits places to and fro, without end.

    >>> route = Route([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], near=0.1, seconds=5.0)
    >>> [route.goal(x, 0.0, now) for now, x in enumerate((0.5, 0.0, 1.0, 2.0, 1.0))]
    [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 0.0), (0.0, 0.0)]

    :ivar places: to be visited, in their order [m].
    """

    def __init__(self, places: Sequence[Position], near: float, seconds: float) -> None:
        """
        Start at the first place, or at the last if the robot is nearer to that one by then.

        :param places: one or more [m].
        :param near: the distance at which a place counts as visited [m].
        :param seconds: the time without progress after which a place is skipped [s].
        """
        self.places = list(places)
        self._near = near
        self._patience = Patience(seconds)
        self._next: Position | None = None

    def goal(self, x: float, y: float, now: float) -> Position:
        """
        Return the place to drive to [m].

        :param x: the robot's position, with ``y`` [m].
        :param now: the present time [s].
        """
        if self._next is None:
            places = self.places
            if math.dist((x, y), places[-1]) < math.dist((x, y), places[0]):
                places = places[::-1]
            self._cycle = itertools.cycle(places + places[-2:0:-1])
            self._next = next(self._cycle)
        distance = math.dist((x, y), self._next)
        if distance <= self._near or self._patience.lost(distance, now):
            self._next = next(self._cycle)
            self._patience.renew()
        return self._next
