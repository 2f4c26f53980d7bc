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
Whether sightings bear out the covariance of a filter, and by how much it may be too small.

The mean of the normalised innovations squared is 1 where covariances are right, and its multiple
by their number has a chi-square distribution (Y. Bar-Shalom, X. Li, T. Kirubarajan, *Estimation
with Applications to Tracking and Navigation*, 2001, 5.4). So few sightings, or bad ones, leave it
open whether the covariance is much too small; then it counts as unknown.

An error of the frame stays, since sightings of each other do not show it: one bad minute outweighs
a good one after it. So all sightings since the start count alike, unless landmarks are known.
"""

from collections.abc import Container, Iterable
import math

from leader_election.localisation.neighbourhood_filter import Innovation
from leader_election.localisation.updates import GATES

GREATEST, SURE = 1.5, 1.1
"""
The factors by which a covariance that counts as known may be too small, and below which an unknown
one becomes known.
"""
QUANTILE = -3.09
"""The quantile of the normal distribution whose level the limit of the factor has, 0.1 %."""
WITH_LANDMARKS = 60.0
"""The half-life of the weight of a sighting where landmarks show errors of the frame [s]."""
RECENT, EXPECTED = 3.0, 4.0
"""
The half-life of the weight of a sighting of one robot [s], and the number of sightings with square
1 that are assumed before: on three worlds and logs probabilities of a wrong leader are best so.
"""


class Consistency:
    """
    Tests innovations, also rejected ones, with the gate in place of greater squares.

    :ivar known: whether the covariance is known; changes of the factor between :data:`SURE` and
        :data:`GREATEST` do not change it.
    """

    def __init__(self, half_life: float = math.inf) -> None:
        """
        Start without sightings, so with an unknown covariance.

        :param half_life: of the weight of a sighting [s].
        """
        self.known = False
        self._half_life = half_life
        self._weight = self._weights_squared = self._squares = 0.0
        self._time = -math.inf

    def take(self, innovations: Iterable[Innovation], now: float) -> None:
        """
        Process innovations.

        :param now: their time [s], which never goes back.
        """
        if self._weight:
            fading = 0.5 ** ((now - self._time) / self._half_life)
            self._weight, self._squares = self._weight * fading, self._squares * fading
            self._weights_squared *= fading * fading
        self._time = now
        for _, _, *errors, _ in innovations:
            for error in errors:
                if not math.isnan(error):
                    self._weight += 1.0
                    self._weights_squared += 1.0
                    self._squares += min(error * error, GATES[1])
        self.known = self.factor <= (GREATEST if self.known else SURE)

    @property
    def mean(self) -> float:
        """Return the mean of the squares; nan: no sightings."""
        return self._squares / self._weight if self._weight else math.nan

    @property
    def factor(self) -> float:
        """
        Return by how much the covariance may be too small; infinite: too few sightings to tell.

        That is the upper limit, at 99.9 %, of the expected square, by the approximation of the
        chi-square distribution of E. Wilson and M. Hilferty (PNAS 17, 1931).
        """
        if not self._weight:
            return math.inf
        spread = 2.0 / 9.0 * self._weights_squared / self._weight ** 2
        least = 1.0 - spread + QUANTILE * math.sqrt(spread)
        return self.mean / least ** 3 if least > 0.0 else math.inf


class RecentConsistency:
    """
    Tests the innovations of each robot, as observer or seen: by how much its pose errs now.

    A robot that slips, or is carried, errs for seconds by much more than its covariance says.
    """

    def __init__(self) -> None:
        """Start without sightings."""
        self._robots: dict[int, tuple[float, float, float]] = {}

    def take(self, innovations: Iterable[Innovation], now: float) -> None:
        """
        Process innovations, also rejected ones, with the gate in place of greater squares.

        :param now: their time [s], which never goes back.
        """
        for observer, seen, *errors, _ in innovations:
            squares = [min(error * error, GATES[1]) for error in errors if not math.isnan(error)]
            for robot in (observer, seen):
                weight, total = self._faded(robot, now)
                self._robots[robot] = weight + len(squares), total + sum(squares), now

    def factor(self, robot: int, now: float) -> float:
        """Return the mean of a robot's squares where that is above 1, otherwise 1."""
        weight, total = self._faded(robot, now)
        return max((total + EXPECTED) / (weight + EXPECTED), 1.0)

    def keep(self, robots: Container[int]) -> None:
        """Forget all other robots."""
        self._robots = {robot: each for robot, each in self._robots.items() if robot in robots}

    def _faded(self, robot: int, now: float) -> tuple[float, float]:
        weight, total, time = self._robots.get(robot, (0.0, 0.0, now))
        fading = 0.5 ** ((now - time) / RECENT)
        return weight * fading, total * fading
