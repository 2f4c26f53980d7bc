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

"""What a robot reports of its neighbourhood: messages that it rejects, and silence."""

from collections.abc import Mapping
import math

from leader_election.robot.robot import DROPPED, HEARD, ROUNDS
from leader_election.robot.wire import RejectReason

SILENCE = 3.0
"""After so many expiries without any message it is reported that nobody is heard."""
REFUSALS = (*(reason.value for reason in RejectReason), DROPPED)
"""The counters of messages, or parts of them, that were received in vain."""


class NeighbourhoodWatch:
    """Finds what is wrong with a neighbourhood from one report to the next."""

    def __init__(self) -> None:
        self._before: dict[str, int] = {}
        self._since = math.inf
        """The time of the last message, or of the first call [s]."""
        self._rounds = 0

    def fault(self, counts: Mapping[str, int], expiry: float, now: float) -> str:
        """
        Return what is wrong since the last call; empty: nothing.

        :param counts: the robot's counters.
        :param expiry: of messages [s].
        :param now: the time, which never goes back [s].
        """
        more = {name: counts[name] - self._before.get(name, 0) for name in (*REFUSALS, HEARD)}
        self._before = {name: counts[name] for name in more}
        refused = {name: more[name] for name in REFUSALS if more[name]}
        if more[HEARD] or now < self._since:
            self._since, self._rounds = now, counts[ROUNDS]
        if refused:
            return 'messages are refused: ' + ', '.join(
                f'{name} {number}' for name, number in refused.items())
        if now - self._since > SILENCE * expiry and counts[ROUNDS] > self._rounds:
            return (f'no message of another robot for {now - self._since:.0f} s, although rounds '
                    'run')
        return ''
