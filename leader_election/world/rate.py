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

"""When what has a rate of its own is due in a world that goes by steps."""

import math

_ROUNDING = 1e-6
"""By how much of a period a step may seem to be too early."""


class Rate:
    """
    So many times a second of the world's time, at most once a step; 0: never.

    >>> five = Rate(5.0)
    >>> [now for now in (0.1, 0.2, 0.3, 0.4, 0.8, 0.9) if five.due(now)]
    [0.1, 0.2, 0.4, 0.8]
    """

    def __init__(self, rate: float) -> None:
        """Take a rate [Hz], not negative."""
        self._rate = rate
        self._next = 0

    def due(self, now: float) -> bool:
        """Return whether it is time again [s]; true once a period, what was missed is left out."""
        period = math.floor(now * self._rate + _ROUNDING)
        if self._rate == 0.0 or period < self._next:
            return False
        self._next = period + 1
        return True
