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

from collections.abc import Iterable
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
