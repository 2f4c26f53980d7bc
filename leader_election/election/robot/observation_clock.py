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

"""The time for the ages of a robot's data: it never goes back, and leaps by a bounded step."""

import math


class ObservationClock:
    """
    Turns the readings of a clock into times at which a robot could have observed something.

    A simulator's clock stands still, goes back when a run restarts, and leaps over minutes.
    No message could arrive meanwhile, so none of this is news about the neighbours. So time
    advances by ``longest_step`` at most from one reading to the next, and not at all where
    the clock goes back: data is neither forgotten at once nor kept for longer.

    A steady clock leaps when the process was stopped or starved. That time has really passed for
    all other robots, so it counts (an infinite step): a robot that wakes forgets its neighbours
    before it sends anything, instead of forwarding outdated candidacies. Under simulated time the
    two cases cannot be distinguished, and a robot that wakes may forward old candidacies until
    they expire.

    :param longest_step: the most that time advances between two readings [s].

    >>> clock = ObservationClock(longest_step=2.0)
    >>> [clock.observe(reading) for reading in (100.0, 101.0, 700.0, 701.0, 5.0, 6.0)]
    [100.0, 101.0, 103.0, 104.0, 104.0, 105.0]
    """

    def __init__(self, longest_step: float = math.inf) -> None:
        self.longest_step = longest_step
        self._time = self._offset = self._reading = 0.0

    def observe(self, reading: float) -> float:
        """
        Return the time: as long as the clock neither leaps nor goes back, the reading itself.

        :param reading: of the clock, now [s]; 0: not set yet, before the first ``/clock``.
        """
        if self._reading == 0.0:
            self._time = reading
        else:
            advance = reading - self._reading
            self._offset += min(max(advance, 0.0), self.longest_step) - advance
            # The maximum, since adding the offset rounds.
            self._time = max(reading + self._offset, self._time)
        self._reading = reading
        return self._time
