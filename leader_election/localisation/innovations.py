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

"""Statistics of innovations: white and of mean zero where the filter's assumptions hold."""

from collections.abc import Iterable
import math

from leader_election.localisation.neighbourhood_filter import Innovation

HALF_LIFE = 120.0
"""The half-life of the weight of a sighting [s]."""
LONGEST_GAP = 10.0
"""Sightings of a pair farther apart in time are not compared with each other [s]."""
MOST_PAIRS = 1000
"""The greatest number of pairs that are compared; beyond it all are forgotten."""
LEAST, CORRELATED = 30.0, 0.15
"""The least number of comparisons to judge, and the greatest correlation of white noise."""
MOST = 0.9
"""The greatest correlation with which a mean still tells something."""
SIGNIFICANT = 4.0
"""A correlation is significant above this, in standard deviations (1 / sqrt(comparisons))."""


class InnovationStatistics:
    """
    Mean, mean square and correlation of the normalised innovations of ranges.

    The correlation is that of each sighting with the one before of the same pair: the least
    requirement of a whiteness test (R. Mehra, J. Peschon, Automatica 7, 1971). Rejected sightings
    are left out.
    """

    def __init__(self) -> None:
        """Start without sightings."""
        self._weight = self._sum = self._squares = 0.0
        self._pairs = self._products = 0.0
        self._time = 0.0
        self._last: dict[tuple[int, int], tuple[float, float]] = {}

    def take(self, innovations: Iterable[Innovation], now: float) -> None:
        """
        Process innovations.

        :param now: their time [s], which never goes back.
        """
        fading = 0.5 ** (max(now - self._time, 0.0) / HALF_LIFE)
        self._time = now
        self._weight, self._sum = self._weight * fading, self._sum * fading
        self._squares, self._pairs = self._squares * fading, self._pairs * fading
        self._products *= fading
        if len(self._last) > MOST_PAIRS:
            self._last.clear()
        for observer, seen, error, _, accepted in innovations:
            if not accepted or math.isnan(error):
                continue
            self._weight += 1.0
            self._sum += error
            self._squares += error * error
            before, time = self._last.get((observer, seen), (0.0, -math.inf))
            if now - time <= LONGEST_GAP:
                self._pairs += 1.0
                self._products += before * error
            self._last[observer, seen] = error, now

    @property
    def mean(self) -> float:
        """Return the mean, which is near 0; nan: no sightings."""
        return self._sum / self._weight if self._weight else math.nan

    @property
    def mean_square(self) -> float:
        """Return the mean of the squares, which is near 1; nan: no sightings."""
        return self._squares / self._weight if self._weight else math.nan

    @property
    def correlation(self) -> float:
        """Return the correlation of two successive sightings of a pair; nan: no such sightings."""
        if not self._pairs or not self._squares:
            return math.nan
        return self._products / self._pairs / self.mean_square

    @property
    def persistence(self) -> float:
        """
        Return the factor by which the deviation of means is greater than of white noise, >= 1.

        That of a first-order autoregression: errors of odometry persist, and so do innovations.
        """
        correlation = min(max(self.correlation, 0.0), MOST) if self._pairs >= LEAST else 0.0
        return math.sqrt((1.0 + correlation) / (1.0 - correlation))

    @property
    def white(self) -> bool:
        """Whether chance explains the correlation, or it is too small to matter."""
        correlation = self.correlation
        return not (self._pairs >= LEAST and correlation > CORRELATED
                    and correlation * math.sqrt(self._pairs) > SIGNIFICANT)
