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

"""Routes: places to visit in order, with a limit on the time for each."""

from collections.abc import Sequence
import itertools
import math

from leader_election.election.coordination.task import Position

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
