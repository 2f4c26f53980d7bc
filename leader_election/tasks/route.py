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

"""A route: places that are visited one after the other, to and fro, over and over."""

from collections.abc import Sequence
import itertools
import math

from leader_election.coordination.task import Position
from leader_election.tasks.patience import Patience


class Route:
    """
    Where a robot goes next.

    >>> route = Route([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], near=0.1, seconds=5.0)
    >>> [route.goal(x, 0.0, now) for now, x in enumerate((0.5, 0.0, 1.0, 2.0, 1.0))]
    [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (1.0, 0.0), (0.0, 0.0)]

    :ivar places: to be visited, in their order [m].
    """

    def __init__(self, places: Sequence[Position], near: float, seconds: float) -> None:
        """
        Begin at the first place, or at the last if that is the nearer one by then.

        :param places: one or more [m].
        :param near: so near to a place it has been visited [m].
        :param seconds: a place that comes no nearer for so long is passed over [s].
        """
        self.places = list(places)
        self._near = near
        self._patience = Patience(seconds)
        self._next: Position | None = None

    def goal(self, x: float, y: float, now: float) -> Position:
        """Return the place to drive to from there [m] at that time [s]."""
        if self._next is None:
            there = self.places
            if math.dist((x, y), there[-1]) < math.dist((x, y), there[0]):
                there = there[::-1]
            self._cycle = itertools.cycle(there + there[-2:0:-1])
            self._next = next(self._cycle)
        distance = math.dist((x, y), self._next)
        if distance <= self._near or self._patience.lost(distance, now):
            self._next = next(self._cycle)
            self._patience.renew()
        return self._next
