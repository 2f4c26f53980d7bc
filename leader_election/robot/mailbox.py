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

"""The mailbox: the last message of each neighbour, until it expires."""

import math
from typing import NamedTuple

from leader_election.robot.codec import Message


class ReceivedMessage(NamedTuple):
    """A message with the time of its receipt."""

    message: Message
    received: float
    """The time of receipt on the receiver's own clock [s]: senders' clocks are not trusted."""


class Mailbox:
    """
    Keeps the last message of each sender until it expires.

    :param expiry: the time after its receipt at which a message expires [s].
    :param limit: the greatest number of senders.
    """

    def __init__(self, expiry: float, limit: int) -> None:
        self.expiry = expiry
        self.limit = limit
        self.expired = 0
        """The number of senders whose last message expired."""
        self._received: dict[int, ReceivedMessage] = {}

    def put(self, message: Message, now: float) -> bool:
        """
        Keep a message in place of the sender's last one.

        :param now: the time [s].
        :return: whether it was kept; false where the limit of senders is reached.
        """
        if message.id not in self._received and len(self._received) >= self.limit:
            self._drop_expired(now)
            if len(self._received) >= self.limit:
                return False
        self._received[message.id] = ReceivedMessage(message, now)
        return True

    def forget(self, sender: int) -> None:
        """Remove the message of this sender, if there is one."""
        self._received.pop(sender, None)

    def last(self, sender: int) -> Message | None:
        """Return the last message of this sender, expired or not."""
        entry = self._received.get(sender)
        return entry.message if entry else None

    def age(self, sender: int, now: float) -> float:
        """Return the age of this sender's last message [s]; infinite: there is none."""
        entry = self._received.get(sender)
        return max(now - entry.received, 0.0) if entry else math.inf

    def messages(self, now: float) -> list[Message]:
        """Return the messages that have not expired, one for each sender, in the order of ids."""
        self._drop_expired(now)
        return [self._received[sender].message for sender in sorted(self._received)]

    def _drop_expired(self, now: float) -> None:
        for sender, entry in list(self._received.items()):
            if entry.received > now:
                # The clock went backwards: the age is not known, so it counts from now on.
                self._received[sender] = entry._replace(received=now)
            elif now - entry.received > self.expiry:
                del self._received[sender]
                self.expired += 1
