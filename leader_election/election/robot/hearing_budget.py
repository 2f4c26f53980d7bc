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

"""The hearing budget: a limit on the rate of messages that are decoded."""

from collections import Counter

SHARES = 16
"""One sender uses at most this fraction of a budget, as its denominator."""


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

        :param sender: its sender's id, if known before decoding; ``None``: unknown.
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
