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
What rejected sightings show: a robot that was carried, a wrong sensor, ids that are often wrong.

A robot to which most recent rejected sightings belong was carried.
"""

from collections import Counter, deque
from collections.abc import Container
import math
from statistics import median_low

REMEMBERED_FOR, MEMORY = 12.0, 6
"""The time for which rejections count [s], and the number that is remembered of each pair."""
LEAST_REJECTED, SHARE = 4, 0.6
"""The least number, and share, of rejections that make a robot suspect."""
OF_CARRIED, OF_OTHERS = 0.8, 0.05
"""The expected shares of rejected sightings: of a carried robot, and of others."""
FOR, AGAINST = math.log(OF_CARRIED / OF_OTHERS), math.log((1 - OF_CARRIED) / (1 - OF_OTHERS))
"""The change of the log-likelihood ratio by a rejected and by an accepted sighting."""


class Rejections:
    """The last sightings of each pair of robots, with whether they were rejected."""

    def __init__(self) -> None:
        """Start without sightings."""
        self._pairs: dict[tuple[int, int], deque[tuple[float, bool]]] = {}
        self._now = -math.inf

    def note(self, observer: int, seen: int, now: float, rejected: bool) -> None:
        """Remember a sighting, not before the last one."""
        self._now = now
        self._pairs.setdefault((observer, seen), deque(maxlen=MEMORY)).append((now, rejected))

    def fits(self, observer: int, seen: int) -> bool:
        """Return whether the last sighting of a pair, if there is a recent one, was accepted."""
        recent = self._recent((observer, seen))
        return bool(recent and not recent[-1])

    def suspect(self, robots: Container[int], now: float) -> int | None:
        """
        Return the robot that best explains recent rejections, by the log-likelihood ratio.

        The share of rejections alone is not enough: a robot that contradicts all others has many
        rejections, but a robot with a single observer may have only rejections. Of two robots
        alone either may have been moved: the one with the greater id is returned.

        :param robots: the possible suspects. Landmarks are not among them.
        :return: ``None`` if no robot has enough rejections.
        """
        self._now = now
        taken, rejected = Counter[int](), Counter[int]()
        for pair in self._pairs:
            recent = self._recent(pair)
            for robot in pair:
                taken[robot] += len(recent)
                rejected[robot] += sum(recent)
        return max((
            (score(number, taken[robot] - number), robot)
            for robot, number in rejected.items()
            if number >= LEAST_REJECTED and number >= SHARE * taken[robot] and robot in robots),
            default=(0.0, None))[1]

    def rejects_most(self, observer: int, now: float) -> bool:
        """Return whether most recent sightings by an observer were rejected."""
        self._now = now
        recent = [bad for pair in self._pairs if pair[0] == observer
                  for bad in self._recent(pair)]
        return sum(recent) >= LEAST_REJECTED and 2 * sum(recent) >= len(recent)

    def forget(self, robot: int) -> None:
        """Forget the sightings by a robot and of it."""
        self._pairs = {pair: kept for pair, kept in self._pairs.items() if robot not in pair}

    def _recent(self, pair: tuple[int, int]) -> list[bool]:
        """Return whether the recent sightings of a pair were rejected."""
        return [rejected for time, rejected in self._pairs.get(pair, ())
                if self._now - time <= REMEMBERED_FOR]


def score(wrong: int, right: int) -> float:
    """Return the log-likelihood ratio of a wrong pose to a right one, by numbers of sightings."""
    return FOR * wrong + AGAINST * right


COMMON = 0.12
"""The share of rejected sightings from which on wrong ids count as common."""
HALF_LIFE, LEAST_WEIGHT = 60.0, 6.0
"""The half-life of the weight of a sighting [s], and the least weight of an observer."""


class WrongIds:
    """
    Whether detectors often take one robot for another.

    Then rejected sightings say little about poses: of a robot that nobody sees there are only
    rejected ones. The median of the observers decides, over minutes. A robot that was carried, or
    one wrong sensor, does not change it.

    :ivar are_common: whether the share of rejected sightings is beyond :data:`COMMON`.
    """

    def __init__(self) -> None:
        """Start without sightings."""
        self.are_common = False
        self._observers: dict[int, tuple[float, float, float]] = {}
        """The weights of all sightings and of rejected ones, and their time [s]."""

    def note(self, observer: int, taken: int, rejected: int, now: float) -> None:
        """Add the numbers of all sightings by an observer, and of the rejected ones."""
        weight, wrong, time = self._observers.get(observer, (0.0, 0.0, now))
        fading = 0.5 ** ((now - time) / HALF_LIFE)
        self._observers[observer] = weight * fading + taken, wrong * fading + rejected, now
        shares = [self.share(robot) for robot in self._observers]
        shares = [share for share in shares if not math.isnan(share)]
        self.are_common = bool(shares) and median_low(shares) > COMMON

    def share(self, observer: int) -> float:
        """Return the share of rejected sightings by an observer, nan with few sightings."""
        weight, wrong, _ = self._observers.get(observer, (0.0, 0.0, 0.0))
        return wrong / weight if weight >= LEAST_WEIGHT else math.nan

    def forget(self, robot: int) -> None:
        """Forget the sightings by a robot."""
        self._observers.pop(robot, None)
