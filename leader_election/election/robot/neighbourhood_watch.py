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

"""A robot's report of its neighbourhood: rejected messages, and silence."""

from collections.abc import Mapping
import math
from operator import itemgetter

from leader_election.election.robot.diagnostics import NO_MESSAGE
from leader_election.election.robot.robot import DROPPED, HEARD, ROUNDS
from leader_election.election.robot.wire import RejectReason

SILENCE = 3.0
"""The silence after which no neighbour counts as heard [expiries]."""
REFUSALS = (*(reason.value for reason in RejectReason), DROPPED)
"""The counters of rejected and dropped messages, or parts of them."""
_READ = itemgetter(HEARD, *REFUSALS)


class NeighbourhoodWatch:
    """Finds faults of a neighbourhood from one report to the next."""

    def __init__(self) -> None:
        self._before = (0,) * (1 + len(REFUSALS))
        """The counters at the last call."""
        self._since = math.inf
        """The time of the last message, or of the first call [s]."""
        self._rounds = 0

    def fault(self, counts: Mapping[str, int], expiry: float, now: float) -> str:
        """
        Return the faults since the last call; empty: none.

        :param counts: the robot's counters.
        :param expiry: of messages [s].
        :param now: the time, which never goes back [s].
        """
        # Called for each robot once a second: nearly always nothing was refused.
        read = _READ(counts)
        heard, refused = read[0] != self._before[0], read[1:] != self._before[1:]
        before, self._before = self._before, read
        if heard or now < self._since:
            self._since, self._rounds = now, counts[ROUNDS]
        if refused:
            return 'messages are refused: ' + ', '.join(
                f'{name} {after - earlier}'
                for name, earlier, after in zip(REFUSALS, before[1:], read[1:])
                if after != earlier)
        if now - self._since > SILENCE * expiry and counts[ROUNDS] > self._rounds:
            return f'{NO_MESSAGE} for {now - self._since:.0f} s, although rounds run'
        return ''
