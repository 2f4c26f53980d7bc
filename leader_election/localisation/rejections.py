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

"""
Rejected sightings: of robots that were carried off, and of sensors that are wrong.

A robot whose own sightings contradict the others', while others see it where it is expected, was
not carried off: its sensor is wrong. Its pose stays, and its sightings are only judged, until
they agree again.
"""

from collections import Counter, deque
from collections.abc import Collection, Container
import math

MEMORY = 6
"""The number of remembered sightings of each directed pair."""
WINDOW = 12.0
"""They count for so long [s]."""
LEAST = 4
"""The least number of rejections that make a robot suspect."""
SHARE = 0.6
"""The least share of its sightings that are rejected."""
OF_CARRIED, OF_OTHERS = 0.8, 0.05
"""The expected shares of rejected sightings: of a robot that was carried off, and of others."""
SENSOR_LEAST, SENSOR_SHARE = (3, 2), (0.5, 0.7)
"""Of a wrong sensor: the least numbers, and shares, of rejected sightings by a robot, and of
accepted ones of it."""
JUDGED, AGREED = 8, 6
"""Of so many last sightings so many have to agree before a sensor is believed again."""
FOR, AGAINST = math.log(OF_CARRIED / OF_OTHERS), math.log((1 - OF_CARRIED) / (1 - OF_OTHERS))
"""The additions to the log-likelihood ratio: for a rejected, and for an accepted sighting."""


class Rejections:
    """
    Remembers which of the last sightings of each pair of robots were rejected.

    The counts are updated with each sighting and expiry, since they are used after each
    rejection.
    """

    def __init__(self) -> None:
        self._pairs: dict[tuple[int, int], deque[tuple[float, bool]]] = {}
        self._order: deque[tuple[float, tuple[int, int]]] = deque()
        """The times and pairs of noted sightings, including forgotten ones."""
        self._taken: Counter[int] = Counter()
        self._rejected: Counter[int] = Counter()
        self._by: dict[int, list[int]] = {}
        """The numbers of sightings by an observer, and of rejected ones among them."""

    def note(self, observer: int, seen: int, now: float, rejected: bool) -> None:
        """Remember a sighting, not before the last one."""
        pair = observer, seen
        sightings = self._pairs.get(pair)
        if sightings is None:
            sightings = self._pairs[pair] = deque()
        if len(sightings) < MEMORY:
            self._count(pair, 1, int(rejected))
        else:
            oldest = sightings.popleft()[1]
            if oldest != rejected:
                self._count(pair, 0, rejected - oldest)
        sightings.append((now, rejected))
        self._order.append((now, pair))
        self._expire(now)

    def fits(self, observer: int, seen: int) -> bool:
        """Return whether the last sighting of a pair, if there is a recent one, was accepted."""
        sightings = self._pairs.get((observer, seen))
        return bool(sightings and not sightings[-1][1])

    def suspect(self, robots: Container[int], now: float,
                newcomers: Collection[int] = ()) -> int | None:
        """
        Return the robot that best explains recent rejections, by the log-likelihood ratio.

        The share of rejections alone is not enough: a robot that contradicts all others has many
        rejections, but a robot with a single observer may have only rejections. Of two robots
        alone either may have been moved: the one with the greater id is returned.

        :param robots: the possible suspects; landmarks are not among them.
        :param newcomers: those whose poses are their own word only: sightings by them and of them
            count against them alone.
        :return: ``None`` where no robot has enough rejections.
        """
        self._expire(now)
        taken, rejected = self._taken, self._rejected
        if newcomers:
            taken, rejected = taken.copy(), rejected.copy()
            for pair, sightings in self._pairs.items():
                if (pair[0] in newcomers) != (pair[1] in newcomers):
                    established = pair[pair[0] in newcomers]
                    taken[established] -= len(sightings)
                    rejected[established] -= sum(bad for _, bad in sightings)
        return max((
            (FOR * number + AGAINST * (taken[robot] - number), robot)
            for robot, number in rejected.items()
            if number >= LEAST and number >= SHARE * taken[robot] and robot in robots),
            default=(0.0, None))[1]

    def doubts(self, observer: int, now: float) -> bool:
        """Return whether most recent sightings by an observer were rejected."""
        self._expire(now)
        taken, rejected = self._by.get(observer, (0, 0))
        return rejected >= LEAST and 2 * rejected >= taken

    def is_of_sensor(self, robot: int) -> bool:
        """Return whether recent sightings show that the sensor of a robot is wrong."""
        numbers = {True: [0, 0], False: [0, 0]}
        for pair, sightings in self._pairs.items():
            if robot in pair:
                of_role = numbers[pair[0] == robot]
                of_role[0] += len(sightings)
                of_role[1] += sum(bad for _, bad in sightings)
        (by_it, rejected), (of_it, wrong) = numbers[True], numbers[False]
        return (rejected >= max(SENSOR_LEAST[0], SENSOR_SHARE[0] * by_it)
                and of_it - wrong >= max(SENSOR_LEAST[1], SENSOR_SHARE[1] * of_it))

    def forget(self, robot: int) -> None:
        """Forget the sightings by a robot and of it."""
        for pair in [pair for pair in self._pairs if robot in pair]:
            sightings = self._pairs.pop(pair)
            self._count(pair, -len(sightings), -sum(bad for _, bad in sightings))
        for counts in (self._taken, self._rejected, self._by):
            counts.pop(robot, None)

    def _expire(self, now: float) -> None:
        """Forget the sightings outside of the window."""
        order = self._order
        while order and now - order[0][0] > WINDOW:
            time, pair = order.popleft()
            sightings = self._pairs.get(pair)
            if sightings and sightings[0][0] <= time:
                self._count(pair, -1, -sightings.popleft()[1])

    def _count(self, pair: tuple[int, int], taken: int, rejected: int) -> None:
        observer, seen = pair
        self._taken[observer] += taken
        self._taken[seen] += taken
        by = self._by.setdefault(observer, [0, 0])
        by[0] += taken
        by[1] += rejected
        if rejected:
            self._rejected[observer] += rejected
            self._rejected[seen] += rejected


class SensorTrust:
    """Remembers whose sensors are wrong."""

    def __init__(self) -> None:
        """Start with trust in all sensors."""
        self._judged: dict[int, deque[bool]] = {}

    @property
    def distrusted(self) -> list[int]:
        """Return the robots whose sensors are wrong."""
        return sorted(self._judged)

    def distrust(self, robot: int) -> None:
        """Believe a sensor no longer."""
        self._judged[robot] = deque(maxlen=JUDGED)

    def judge(self, robot: int, accepted: bool) -> None:
        """Take whether a sighting by a distrusted sensor would have been accepted."""
        judged = self._judged.get(robot)
        if judged is not None:
            judged.append(accepted)
            if sum(judged) >= AGREED:
                self.forget(robot)

    def forget(self, robot: int) -> None:
        """Believe a sensor again."""
        self._judged.pop(robot, None)
