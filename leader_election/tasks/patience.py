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

"""Patience: a place that is not reached for some time is given up."""

import math

NEARER = 0.1
"""Less than this is no progress [m]."""


class Patience:
    """
    How long a robot has come no nearer to its goal.

    >>> patience = Patience(5.0)
    >>> [patience.lost(3.0, 0.0), patience.lost(2.0, 4.0), patience.lost(2.5, 8.9)]
    [False, False, False]
    >>> patience.lost(1.95, 9.0)
    True
    """

    def __init__(self, seconds: float) -> None:
        """:param seconds: how long to try on without progress [s]."""
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        """Begin with another goal."""
        self._least, self._since = math.inf, math.inf

    def lost(self, distance: float, now: float) -> bool:
        """Return whether to give up; a clock that jumped back begins anew."""
        if distance <= self._least - NEARER or now < self._since:
            self._least, self._since = min(distance, self._least), now
        return now - self._since >= self._seconds
