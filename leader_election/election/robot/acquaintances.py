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

"""The time for which senders have been known, in a bounded memory that decays."""

import math
from typing import NamedTuple

from leader_election.election.robot.mailbox import Mailbox, ReceivedMessage

MOST_STANDING = 127
"""The longest acquaintance that counts [intervals]."""
REMEMBERED = 2
"""The size of the memory, as a multiple of the mailbox's limit of senders."""


class Standing(NamedTuple):
    """The rank of a sender; in a full mailbox the senders that compare less are kept."""

    newness: int
    distance: float
    id: int  # noqa: A003


class Acquaintances:
    """
    Selects the sender to drop from a full mailbox: the one known for the shortest time.

    The time is counted in intervals as long as a message is valid: those in which a sender
    was heard, less those in which it was not. A sender with a count of zero is forgotten.
    Times that differ by less than a factor of two are equal; among equals the nearer sender
    stays. A flood of new ids does not displace known senders, not from this memory either:
    while it is full, new senders are not remembered.

    :param mailbox: the messages that are kept.
    """

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox
        self._known: dict[int, int] = {}
        self._heard: set[int] = set()
        self._end = -math.inf
        """The end of the present interval [s]."""
        self._order: list[Standing] = []

    def hear(self, sender: int, now: float) -> None:
        """
        Count a valid message.

        :param sender: its sender's id.
        :param now: the time [s].
        """
        if now >= self._end:
            self._end_intervals(now)
        if sender not in self._known:
            if len(self._known) >= REMEMBERED * self._mailbox.limit:
                return
            self._known[sender] = 0
        self._heard.add(sender)

    def __contains__(self, sender: int) -> bool:
        """Return whether a sender is remembered."""
        return sender in self._known

    def make_room(self, entry: ReceivedMessage) -> bool:
        """
        Forget the last-ranked sender in the mailbox, if a new one ranks before it.

        :param entry: the message of the new one.
        :return: whether there is room now.
        """
        while self._order and self._mailbox.entry(self._order[-1].id) is None:
            self._order.pop()
        if not self._order:
            # Sorted once an interval, or when all candidates are dropped, not for each message.
            self._order = sorted(map(self.standing, self._mailbox.entries()))
        if self._order[-1] <= self.standing(entry):
            return False
        self._mailbox.forget(self._order.pop().id)
        return True

    def standing(self, entry: ReceivedMessage) -> Standing:
        """Return the standing of the sender of a message."""
        sender = entry.message.id
        return Standing(-self._known.get(sender, 0).bit_length(), entry.distance, sender)

    def _end_intervals(self, now: float) -> None:
        """Count the intervals that have ended; after the first of them nothing was heard."""
        if self._end == -math.inf:
            self._end = now
        ended = int((now - self._end) / self._mailbox.expiry) + 1
        self._end += ended * self._mailbox.expiry
        self._order.clear()
        for sender, known in list(self._known.items()):
            left = known - ended + 2 * (sender in self._heard)
            if left < 0:
                del self._known[sender]
            else:
                self._known[sender] = min(left, MOST_STANDING)
        self._heard.clear()
