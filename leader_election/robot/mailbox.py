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

"""The mailbox: the last message of each neighbour, for as long as it counts."""

import math
from typing import NamedTuple

from leader_election.robot.codec import Message


class Letter(NamedTuple):
    """A message, and when it was received."""

    message: Message
    received: float
    """On the receiver's own clock [s]: senders' clocks are not trusted."""


class Mailbox:
    """
    Keeps the last message of each sender until it expires.

    :param expiry: how long a message counts after its receipt [s].
    :param limit: the most senders remembered at once.
    """

    def __init__(self, expiry: float, limit: int) -> None:
        self.expiry = expiry
        self.limit = limit
        self.expired = 0
        """How many senders fell silent."""
        self._letters: dict[int, Letter] = {}

    def put(self, message: Message, now: float) -> bool:
        """
        Keep a message in the place of the sender's last one.

        :return: false where it was not kept, since too many others are remembered already.
        """
        if message.id not in self._letters and len(self._letters) >= self.limit:
            self._drop_expired(now)
            if len(self._letters) >= self.limit:
                return False
        self._letters[message.id] = Letter(message, now)
        return True

    def forget(self, sender: int) -> None:
        """Drop what this sender said, if anything."""
        self._letters.pop(sender, None)

    def last(self, sender: int) -> Message | None:
        """Return the last message of this sender, expired or not."""
        letter = self._letters.get(sender)
        return letter.message if letter else None

    def age(self, sender: int, now: float) -> float:
        """Return how long ago this sender was heard [s]; infinite: it was not."""
        letter = self._letters.get(sender)
        return max(now - letter.received, 0.0) if letter else math.inf

    def messages(self, now: float) -> list[Message]:
        """Return the messages that have not expired, one a sender, in the senders' order."""
        self._drop_expired(now)
        return [self._letters[sender].message for sender in sorted(self._letters)]

    def _drop_expired(self, now: float) -> None:
        for sender, letter in list(self._letters.items()):
            if letter.received > now:
                # The clock went backwards: the age is not known, so it counts from now on.
                self._letters[sender] = letter._replace(received=now)
            elif now - letter.received > self.expiry:
                del self._letters[sender]
                self.expired += 1
