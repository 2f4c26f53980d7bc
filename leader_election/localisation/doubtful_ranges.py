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
Ranges that are wrong by their sensor's noise, and that an uncertain pose alone explains.

Reflections make a radio's ranges metres too long. Where poses are certain the gate rejects these;
where they are uncertain one of them fits, and moves them to a wrong place that the filter then
believes. A reflection seldom repeats itself, so such a range waits for a second one of the same
two robots that says the same, as tracks of a radar are confirmed (Y. Bar-Shalom, X. R. Li,
T. Kirubarajan, Estimation with Applications to Tracking and Navigation, 2001).
"""

from typing import NamedTuple

SENSOR_GATE = 25.0
"""The squared error of a doubtful range, normalised by the variance of its sensor alone."""
WINDOW = 3.0
"""The time within which the second range has to follow [s]."""

Pair = tuple[int, int]
"""The ids of observer and seen, in any order: both measure the same."""


class _Doubted(NamedTuple):
    time: float
    error: float
    variance: float


class DoubtfulRanges:
    """Remembers the last doubtful range of each pair."""

    def __init__(self) -> None:
        """Start without ranges."""
        self._doubted: dict[Pair, _Doubted] = {}
        self._now = 0.0

    def begin(self, now: float) -> None:
        """Set the time of the ranges that follow [s]."""
        self._now = now
        self._doubted = {pair: doubted for pair, doubted in self._doubted.items()
                         if now - doubted.time <= WINDOW}

    def believes(self, pair: Pair, error: float, variance: float) -> bool:
        """
        Return whether a range is to be used.

        :param error: measured less expected [m].
        :param variance: of the sensor [m2].
        """
        pair = min(pair), max(pair)
        before = self._doubted.pop(pair, None)
        if error * error <= SENSOR_GATE * variance:
            return True
        self._doubted[pair] = _Doubted(self._now, error, variance)
        return before is not None and (
            (error - before.error) ** 2 <= SENSOR_GATE * (variance + before.variance))
