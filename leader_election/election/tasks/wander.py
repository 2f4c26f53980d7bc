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

"""Random walks: goals drawn one after the other; and the parameters of the node ``wander``."""

from collections.abc import Callable
from dataclasses import dataclass
import math
from random import Random

from leader_election.election.tasks.places import Patience
from leader_election.election.tasks.steering import DrivingParameters
from leader_election.parameters import parameter, ProcessParameters

SHORTEST, LONGEST = 2.0, 6.0
"""The limits of the legs that are drawn by default [m]."""

Leg = Callable[[Random], float]
"""Draws the distance to the next goal [m], greater than 0."""


@dataclass(frozen=True)
class WanderParameters(DrivingParameters, ProcessParameters):
    """The parameters of the node ``wander``: its robots, and their driving."""

    speed: float = parameter(
        0.3, 'The greatest forward speed. The faster, the older are the positions in messages, '
        'and the more often leaders change.', unit='m/s', lower=0.01, upper=20.0)
    robots: str = parameter(
        '', 'The robots that this process drives: their namespaces, for example '
        "'robot_1,robot_2'; empty: the one whose namespace this node is in.")
    world: str = parameter(
        '', 'The arena, for robots without a laser scanner: blocks, rooms, barriers, empty, or '
        'the path of a YAML file. They then avoid its walls and each other by their odometry, the '
        'start poses that their own nodes have, and the positions published on neighbourhood. '
        'Empty: only robots with a scan drive.')
    blind: bool = parameter(
        False, 'Whether robots with neither a scanner nor a known arena drive, too: they back off '
        'from what they touch (topic bumper), and where their wheels stall.')
    patience: float = parameter(
        4.0, 'The time without progress after which a goal is given up for the next one.',
        unit='s', lower=0.1, upper=1e6)
    levy_scale: float = parameter(
        1.0, 'The shortest leg.', unit='m', lower=0.01, upper=1e4)
    levy_shape: float = parameter(
        1.5, 'Exponent of the Pareto distribution of the legs; the smaller, the more long ones.',
        lower=0.5, upper=10.0)
    seed: int = parameter(
        0, 'The seed of all random numbers; each robot has its own, by its name.',
        lower=0, upper=2**62)


def uniform_leg(random: Random) -> float:
    """Draw a length between the shortest and the longest leg, all as probable [m]."""
    return random.uniform(SHORTEST, LONGEST)


def levy(scale: float, shape: float) -> Leg:
    """
    Return a function that draws the legs of a Levy walk: most of them short, some very long.

    :param scale: the shortest leg [m].
    :param shape: exponent of the Pareto distribution; the smaller, the more long legs.

    >>> leg, random = levy(0.5, 1.5), Random(1)
    >>> min(leg(random) for _ in range(1000)) >= 0.5
    True
    """
    return lambda random: scale * random.paretovariate(shape)


class Wander:
    """
    The goals of a robot that drives about at random.

    They do not depend on walls; a goal that the robot cannot reach is given up.
    """

    def __init__(self, seed: int | str, near: float, seconds: float,
                 leg: Leg = uniform_leg) -> None:
        """
        Start anywhere.

        :param seed: of the random numbers.
        :param near: the distance at which a goal is reached [m].
        :param seconds: the time without progress after which a goal is given up [s].
        :param leg: draws the distance to the next goal.
        """
        self._random = Random(seed)
        self._leg = leg
        self._near = near
        self._patience = Patience(seconds)
        self._goal: tuple[float, float] | None = None

    def give_up(self) -> None:
        """Draw another goal next time: something is in the way."""
        self._goal = None

    def goal(self, x: float, y: float, now: float) -> tuple[float, float]:
        """
        Return the goal to drive to [m].

        :param x: the robot's position, with ``y`` [m].
        :param now: the present time [s].
        """
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
