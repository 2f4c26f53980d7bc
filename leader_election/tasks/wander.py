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

"""Wandering: one goal after the other, drawn at random not far away."""

from collections.abc import Callable
import math
from random import Random

from leader_election.tasks.patience import Patience

SHORTEST, LONGEST = 2.0, 6.0
"""How far away a goal is when it is drawn, if nothing else is said [m]."""

Leg = Callable[[Random], float]
"""Draws how far away the next goal is [m], greater than 0."""


def evenly(random: Random) -> float:
    """Draw any length between the shortest and the longest [m]."""
    return random.uniform(SHORTEST, LONGEST)


def levy(scale: float, shape: float) -> Leg:
    """
    Return what draws the legs of a Levy walk: most of them short, some very long.

    :param scale: the shortest leg [m].
    :param shape: exponent of the Pareto distribution; the smaller, the more long legs.

    >>> leg, random = levy(0.5, 1.5), Random(1)
    >>> min(leg(random) for _ in range(1000)) >= 0.5
    True
    """
    return lambda random: scale * random.paretovariate(shape)


class Wander:
    """
    Where a robot goes that has nowhere to go.

    It knows of no walls; what it cannot reach it gives up.
    """

    def __init__(self, seed: int | str, near: float, seconds: float, leg: Leg = evenly) -> None:
        """
        Begin anywhere.

        :param near: so near to a goal it has arrived [m].
        :param seconds: when it has come no nearer for so long it goes elsewhere [s].
        """
        self._random = Random(seed)
        self._leg = leg
        self._near = near
        self._patience = Patience(seconds)
        self._goal: tuple[float, float] | None = None

    def goal(self, x: float, y: float, now: float) -> tuple[float, float]:
        """Return the goal of a robot that is there [m] at that time [s]."""
        if self._goal is not None:
            distance = math.dist((x, y), self._goal)
            if distance <= self._near or self._patience.lost(distance, now):
                self._goal = None
        if self._goal is None:
            bearing = self._random.uniform(-math.pi, math.pi)
            far = self._leg(self._random)
            self._goal = (x + far * math.cos(bearing), y + far * math.sin(bearing))
            self._patience.renew()
        return self._goal
