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

"""Reception: the payloads that become valid messages of other robots, and those refused."""

from collections import Counter, deque
from collections.abc import Callable, Mapping
import math
from operator import itemgetter

from leader_election.election.messages.codec import Codec, Message, sender_at_start
from leader_election.election.messages.swarm_key import Authentication
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.diagnostics import NO_MESSAGE
from leader_election.election.robot.instance import Instance
from leader_election.election.robot.instances import without_excess
from leader_election.election.robot.parameters import ElectionParameters

HEARD = 'messages_heard'
DROPPED = 'messages_dropped'
ROUNDS = 'rounds'
ECHOES_REMEMBERED = 256
"""The own messages remembered to recognise their echoes: some seconds' worth in a busy swarm."""
SHARES = 16
"""One sender uses at most this fraction of a budget, as its denominator."""
SILENCE = 3.0
"""The silence after which no neighbour counts as heard [expiries]."""
REFUSALS = (*(reason.value for reason in RejectReason), DROPPED)
"""The counters of rejected and dropped messages, or parts of them."""
_READ = itemgetter(HEARD, *REFUSALS)


class Reception:
    """
    Turns payloads into valid messages of other robots. What is invalid is counted, by reason.

    :param instances: the robot's, by name. Each has limits of strengths.
    :param knows: whether a sender was heard lately.
    :param counts: the robot's counters.
    :ivar parameters: the robot's. It may be replaced at any time.
    :ivar duplicate: the time of the last message from another robot with this robot's id [s];
        ``None``: there was none.
    """

    def __init__(self, parameters: ElectionParameters, codec: Codec,
                 authentication: Authentication, instances: Mapping[str, Instance],
                 knows: Callable[[int], bool], counts: Counter[str]) -> None:
        self.parameters = parameters
        self.duplicate: float | None = None
        self._codec = codec
        self._authentication = authentication
        self._instances = instances
        self._knows = knows
        self._counts = counts
        self._budget = HearingBudget(parameters.hearing_budget)
        self._sent: deque[str] = deque(maxlen=ECHOES_REMEMBERED)

    def sent(self, payload: str) -> None:
        """Remember a message that the robot sends, to recognise its echo."""
        self._sent.append(payload)

    def accept(self, payload: str, now: float, needs_position: bool) -> Message | None:
        """
        Return the message of another robot, ``None`` for one that does not count.

        :param now: the time [s].
        :param needs_position: whether a message without a position is of no use.
        """
        sender = sender_at_start(payload)
        if sender == self.parameters.robot_id and payload in self._sent:
            # One echo for each message sent: a further copy comes from a robot of the same id.
            self._sent.remove(payload)
            return None
        self._counts[HEARD] += 1
        # The signature first: forged and replayed messages do not use the sender's budget.
        sequence, reason = self._authentication.check(payload)
        if reason is None and sender is not None:
            reason = self._authentication.admit(sender, sequence, now)
        if reason is not None:
            self._counts[reason.value] += 1
            return None
        known = sender is not None and self._knows(sender)
        if not self._budget.admit(sender, known, now, self.parameters.round_period):
            self._counts[DROPPED] += 1
            return None
        message = self._codec.decode(payload)
        if isinstance(message, RejectReason):
            self._counts[message.value] += 1
            return None
        if message.id != sender:
            reason = self._authentication.admit(message.id, sequence, now)
        if reason is None and message.id == self.parameters.robot_id:
            self.duplicate = now
            reason = RejectReason.OWN_ID
        elif reason is None and message.frame != self.parameters.frame:
            reason = RejectReason.FRAME
        elif reason is None and message.position is None and needs_position:
            reason = RejectReason.NO_POSITION
        if reason is not None:
            self._counts[reason.value] += 1
            return None
        admitted = without_excess(message, self._instances)
        if admitted is not message:
            self._counts[RejectReason.STRENGTH.value] += 1
        return admitted


class HearingBudget:
    """
    Bounds the rate of decoded messages, so that rounds keep their time under any load.

    The first message of each known sender in a period is always decoded. All others, and those
    of unknown senders, share a budget of messages a second. It is refilled continuously, so that
    the phase of a sender's rounds does not matter. One sender gets only a part of it.

    :param budget: the shared budget [messages/s].
    """

    def __init__(self, budget: int) -> None:
        self._budget = budget
        self._left = float(budget)
        self._refilled = self._second = self._period = 0.0
        self._first: set[int] = set()
        self._used: Counter[int | None] = Counter()

    def admit(self, sender: int | None, known: bool, now: float, period: float) -> bool:
        """
        Return whether a message is to be decoded.

        :param sender: its sender's id, if known before decoding, ``None`` if unknown.
        :param known: whether this sender was heard lately.
        :param now: the time, which never goes back [s].
        :param period: of the rounds [s].
        """
        if now - self._period >= period:
            self._period = now
            self._first.clear()
        if known and sender is not None and sender not in self._first:
            self._first.add(sender)
            return True
        if now - self._second >= 1.0:
            self._second = now
            self._used.clear()
        self._left = min(self._left + (now - self._refilled) * self._budget, float(self._budget))
        self._refilled = now
        if self._left < 1.0 or self._used[sender] * SHARES >= self._budget:
            return False
        self._left -= 1.0
        self._used[sender] += 1
        return True


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
        Return the faults since the last call, empty for none.

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
