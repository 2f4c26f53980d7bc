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
The distances of metric ``range``: those by odometry, corrected by measured ranges.

Ranges of radios are sometimes wrong by metres, and their median over some seconds lags when
robots move. The difference between a range and the distance by odometry at the same time changes
slowly. So the distance is the one by odometry now plus the median of the last differences, which
include the neighbour's sightings of this robot. Without positions it is the median of the last
ranges.
"""

from collections import deque
import math
from statistics import median
from typing import NamedTuple

RANGES = 5
REMEMBERED = 30.0
"""The time for which a difference counts: odometry drifts by some decimetres meanwhile [s]."""
LEAST = 1e-3
"""The least corrected distance [m]."""


class _Measured(NamedTuple):
    """One range."""

    time: float
    range: float  # noqa: A003
    """[m]."""
    difference: float
    """The range less the distance by odometry at that time [m], nan if unknown."""


class RangeSmoothing:
    """
    Smooths the ranges of each neighbour.

    >>> ranges = RangeSmoothing(expiry=3.0)
    >>> for time, measured in enumerate((2.5, 2.5, 9.0)):
    ...     ranges.take(7, measured, apart=2.0, now=float(time))
    >>> ranges.distance(7, apart=1.25, now=2.5)
    1.75
    """

    def __init__(self, expiry: float) -> None:
        """
        Start without ranges.

        :param expiry: the age of the last range beyond which a neighbour is not measured [s].
        """
        self._expiry = expiry
        self._measured: dict[int, deque[_Measured]] = {}

    def configure(self, expiry: float) -> None:
        """Apply changed parameters."""
        self._expiry = expiry

    def take(self, neighbour: int, measured: float, apart: float | None, now: float) -> None:
        """
        Process a range.

        :param measured: [m], positive.
        :param apart: the distance of both positions at that time [m], ``None`` if unknown.
        """
        self._measured.setdefault(neighbour, deque(maxlen=RANGES)).append(_Measured(
            now, measured, math.nan if apart is None else measured - apart))

    def distance(self, neighbour: int, apart: float | None, now: float) -> float | None:
        """
        Return the distance to a neighbour [m], ``None`` if it was not measured lately.

        :param apart: the distance of both positions now [m], ``None`` if unknown.
        """
        measured = self._measured.get(neighbour)
        if not measured or now - measured[-1].time > self._expiry:
            return None
        if apart is not None:
            differences = [each.difference for each in measured
                           if now - each.time <= REMEMBERED and not math.isnan(each.difference)]
            if differences:
                return max(apart + median(differences), LEAST)
        return median(each.range for each in measured if now - each.time <= self._expiry)

    def forget(self, now: float) -> None:
        """Drop neighbours whose ranges are too old."""
        longest = max(REMEMBERED, self._expiry)
        self._measured = {neighbour: measured for neighbour, measured in self._measured.items()
                          if now - measured[-1].time <= longest}
