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

"""What clocks do, by the delays of messages: the time here less the stamp, one after the other."""

from collections.abc import Sequence
from itertools import accumulate
from statistics import median

NEAR = 3
"""A clock that was set is known by so many delays before and after: one may be late [messages]."""
LEAP = 0.25
"""By less than this a clock may go off from one message to the next [s]."""
FEW = 3 * NEAR
"""Of fewer messages nothing can be said of drift."""
DRIFT = 0.1
"""So much a clock has to have gone off in all to be told, beyond what delays vary [s]."""


def leap(delays: Sequence[float]) -> float:
    """
    Return by how much the sender's clock was set, at most [s]; positive: forward; 0: it was not.

    Delays go from one level to another then, at once and for good. The level is the least delay:
    a network that pauses lengthens many, but shortens none.

    >>> leap([0.01, 0.01, 0.02, -2.0, -2.0, -2.0]), leap([0.01, 0.01, 0.9, 0.01, 0.01])
    (2.01, 0.0)
    """
    before = list(accumulate(delays, min))
    after = list(accumulate(reversed(delays), min))[::-1]
    most = 0.0
    for k in range(NEAR, len(delays) - NEAR + 1):
        at_once = median(delays[k - NEAR:k]) - median(delays[k:k + NEAR])
        for_good = before[k - 1] - after[k]
        if at_once * for_good > 0.0:
            most = max(most, min(at_once, for_good, key=abs), key=abs)
    return most if abs(most) > LEAP else 0.0


def flowing(row: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """
    Return the messages, by time of coming and delay [s], that were not held back.

    One that was comes together with the next: sooner before it than their delays differ.

    >>> flowing([(1.0, 0.1), (2.6, 0.7), (2.6, 0.2), (3.1, 0.2)])
    [(1.0, 0.1), (2.6, 0.2), (3.1, 0.2)]
    """
    return [(time, delay) for (time, delay), (following, shorter) in zip(row, row[1:])
            if following - time >= delay - shorter] + list(row[-1:])


def drift(times: Sequence[float], delays: Sequence[float]) -> float:
    """
    Return how fast the delay grows, where it does so all the time [s/s]; 0: it does not.

    >>> times = [float(t) for t in range(12)]
    >>> round(drift(times, [0.02 * t for t in times]), 3), drift(times, [0.01] * 12)
    (0.02, 0.0)
    """
    part = len(delays) // 3
    if len(delays) < FEW:
        return 0.0
    parts = (slice(0, part), slice(part, 2 * part), slice(2 * part, None))
    (early, first), (_, middle), (late, last) = (
        (median(times[each]), median(delays[each])) for each in parts)
    grown = last - first
    steady = abs(middle - (first + last) / 2) < abs(grown) / 4
    return grown / (late - early) if steady and abs(grown) > DRIFT else 0.0
