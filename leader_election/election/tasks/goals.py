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

"""Goals of a robot, one after the other, on a route or at random; the places of members."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
import itertools
import math
from random import Random
from typing import Generic, TypeVar

from leader_election.election.regions.aggregate import top
from leader_election.election.regions.task import Position
from leader_election.election.tasks.steering import DrivingParameters
from leader_election.parameters import parameter

V = TypeVar('V')

_PROGRESS = 0.1
"""The least approach to a goal that counts as progress [m]."""
MOST_MEMBERS = 21
"""The most robots whose places are collected: an aggregate holds this many records of three."""
PLACES = top(MOST_MEMBERS, extra=1)
"""The aggregate of x, y [m]; of too many robots it keeps the ones farthest east."""
HOLD = 5
"""The number of rounds without a position after which a member has no place any more."""


class Patience:
    """
    Detects that a robot has come no nearer to its goal for some time.

    >>> patience = Patience(5.0)
    >>> [patience.lost(3.0, 0.0), patience.lost(2.0, 4.0), patience.lost(2.5, 8.9)]
    [False, False, False]
    >>> patience.lost(1.95, 9.0)
    True

    :param seconds: the longest time without progress [s].
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Start again, for another goal."""
        self._least, self._since = math.inf, math.inf

    def lost(self, distance: float, now: float) -> bool:
        """
        Return whether to give up the goal. The time restarts if the clock was set back.

        :param distance: from the robot to its goal [m].
        :param now: the present time [s].
        """
        if distance <= self._least - _PROGRESS or now < self._since:
            self._least, self._since = min(distance, self._least), now
        return now - self._since >= self._seconds


class Goals:
    """Goals one after the other: a further one where the last is reached, or cannot be."""

    def __init__(self, near: float, seconds: float) -> None:
        """
        Begin without a goal.

        :param near: the distance at which a goal is reached [m].
        :param seconds: the time without progress after which a goal is given up [s].
        """
        self._near, self._patience = near, Patience(seconds)
        self._goal: Position | None = None

    def goal(self, x: float, y: float, now: float) -> Position:
        """
        Return the goal to drive to [m].

        :param x: the robot's position, with ``y`` [m].
        :param now: the present time [s].
        """
        goal = self._goal or self._next(x, y)
        distance = math.dist((x, y), goal)
        if distance <= self._near or self._patience.lost(distance, now):
            goal = self._next(x, y)
            self._patience.renew()
        self._goal = goal
        return goal

    def give_up(self) -> None:
        """Take another goal next time: something is in the way."""
        self._goal = None
        self._patience.renew()

    def _next(self, x: float, y: float) -> Position:
        """Return the next goal of a robot at x, y [m]."""
        raise NotImplementedError


class Route(Goals):
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

        Further parameters as of :class:`Goals`.

        :param places: one or more [m].
        """
        super().__init__(near, seconds)
        self.places = list(places)
        self._cycle: Iterator[Position] | None = None

    def _next(self, x: float, y: float) -> Position:
        if self._cycle is None:
            places = self.places
            if math.dist((x, y), places[-1]) < math.dist((x, y), places[0]):
                places = places[::-1]
            self._cycle = itertools.cycle(places + places[-2:0:-1])
        return next(self._cycle)


@dataclass(frozen=True)
class WanderParameters(DrivingParameters):
    """The parameters of the node ``wander``: its robots, and their driving."""

    speed: float = parameter(
        0.3, 'The greatest forward speed. The faster, the older are the positions in messages, '
        'and the more often leaders change.', unit='m/s', lower=0.01, upper=20.0)
    robots: str = parameter(
        '', 'The robots that this process drives: their namespaces, for example '
        "'robot_1,robot_2'. Empty: the one whose namespace this node is in.")
    world: str = parameter(
        '', 'The arena, for robots without a laser scanner: blocks, rooms, barriers, empty, or '
        'the path of a YAML file. They then avoid its walls and each other by their odometry, the '
        'start poses that their own nodes have, and the positions published on neighbourhood. '
        'Empty: only robots with a scan drive.')
    blind: bool = parameter(
        False, 'Whether robots with neither a scanner nor a known arena drive, too: they back off '
        'from what they touch (topic bumper), and where their wheels stall.')
    seed: int = parameter(
        0, 'The seed of all random numbers. Each robot has its own, by its name.',
        lower=0, upper=2**62)


class Wander(Goals):
    """
    The goals of a robot on a Levy walk: most legs are short, some very long.

    They do not depend on walls. A goal that the robot cannot reach is given up.
    """

    def __init__(self, seed: int | str, near: float, seconds: float, scale: float = 2.0,
                 shape: float = 1.5) -> None:
        """
        Start anywhere. Further parameters as of :class:`Goals`.

        :param seed: of the random numbers.
        :param scale: the shortest leg [m].
        :param shape: exponent of the Pareto distribution; the smaller, the more long legs.
        """
        super().__init__(near, seconds)
        self._random, self._scale, self._shape = Random(seed), scale, shape

    def _next(self, x: float, y: float) -> Position:
        bearing = self._random.uniform(-math.pi, math.pi)
        far = self._scale * self._random.paretovariate(self._shape)
        return x + far * math.cos(bearing), y + far * math.sin(bearing)


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


class RecentValues(Generic[V]):
    """
    The last value under each key, kept for some rounds after it was received.

    So a lost message does not make a leader plan again.

    >>> recent = RecentValues(hold=2)
    >>> recent.update({7: 1, 8: 2}), recent.update({8: 3}), recent.update({8: 4})
    ({7: 1, 8: 2}, {7: 1, 8: 3}, {8: 4})

    :param hold: the number of rounds without a value after which a key is forgotten, >= 1.
    """

    def __init__(self, hold: int = HOLD) -> None:
        self._hold, self._round = hold, 0
        self._values: dict[int, tuple[int, V]] = {}
        """The last value under each key, and the round of it."""

    def update(self, values: Mapping[int, V]) -> dict[int, V]:
        """Add this round's values, and return all known ones."""
        self._round += 1
        self._values |= {key: (self._round, value) for key, value in values.items()}
        self._values = {key: each for key, each in self._values.items()
                        if self._round - each[0] < self._hold}
        return {key: value for key, (_, value) in self._values.items()}
