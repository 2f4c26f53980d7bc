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

# flake8: noqa: A005

"""The mailbox: the last message of each neighbour, until it expires."""

from collections.abc import Iterator
import math
from typing import NamedTuple

from leader_election.election.robot.codec import Message, Position

PLACE_TOLERANCE = 1.0
"""The allowance beyond the distance possible at top speed [m]: odometry arrives in steps,
and a localisation corrects itself."""


class ReceivedMessage(NamedTuple):
    """A message with the receiver's data about it."""

    message: Message
    received: float
    """The time of receipt on the receiver's own clock [s]: senders' clocks are not trusted."""
    distance: float = math.inf
    """Between the two positions at the receipt [m]; infinite: not known."""
    noted: Message | None = None
    """The last message of the sender that was news."""
    reserve: float = PLACE_TOLERANCE
    """The distance that the sender may still go beyond what the top speed allows [m]."""
    velocity: tuple[float, float] = (0.0, 0.0)
    """The sender's, by the positions in its messages, smoothed over a period [m/s]."""


class Mailbox:
    """
    Keeps the last message of each sender until it expires.

    Times never go back (:mod:`leader_election.election.robot.observation_clock`).

    :param expiry: the time after its receipt at which a message expires [s].
    :param limit: the greatest number of senders.
    """

    def __init__(self, expiry: float, limit: int) -> None:
        self.expiry = expiry
        self.limit = limit
        self.expired = 0
        """The number of senders whose last message expired."""
        self._received: dict[int, ReceivedMessage] = {}
        self._oldest = -math.inf
        """A lower bound of the times of receipt of all messages."""

    def put(self, entry: ReceivedMessage) -> bool:
        """
        Keep a message in place of the sender's last one.

        :param entry: the message, received now.
        :return: whether it was kept; false where the limit of senders is reached.
        """
        if self.is_full_for(entry.message.id, entry.received):
            return False
        self._received[entry.message.id] = entry
        return True

    def is_full_for(self, sender: int, now: float) -> bool:
        """Return whether the limit is reached and this sender is not in the mailbox."""
        if sender in self._received or len(self._received) < self.limit:
            return False
        self._drop_expired(now)
        return len(self._received) >= self.limit

    def forget(self, sender: int) -> None:
        """Remove the message of this sender, if there is one."""
        self._received.pop(sender, None)

    def entry(self, sender: int) -> ReceivedMessage | None:
        """Return the last received message of this sender with its data, expired or not."""
        return self._received.get(sender)

    def last(self, sender: int) -> Message | None:
        """Return the last message of this sender, expired or not."""
        entry = self._received.get(sender)
        return entry.message if entry else None

    def age(self, sender: int, now: float) -> float:
        """Return the age of this sender's last message [s]; infinite: there is none."""
        entry = self._received.get(sender)
        return now - entry.received if entry else math.inf

    def messages(self, now: float) -> list[Message]:
        """Return the messages that have not expired, one for each sender, in the order of ids."""
        self._drop_expired(now)
        return [self._received[sender].message for sender in sorted(self._received)]

    def entries(self) -> Iterator[ReceivedMessage]:
        """Yield all entries, expired or not."""
        yield from self._received.values()

    def _drop_expired(self, now: float) -> None:
        if now - self._oldest <= self.expiry:
            return
        for sender, entry in list(self._received.items()):
            if now - entry.received > self.expiry:
                del self._received[sender]
                self.expired += 1
        self._oldest = min((entry.received for entry in self._received.values()), default=now)


def reserve_left(last: ReceivedMessage, message: Message, now: float, top_speed: float) -> float:
    """
    Return the distance that a sender may still go beyond its top speed after this message [m].

    The reserve grows back at the top speed up to ``PLACE_TOLERANCE``, so that many messages with
    a small step each get no farther than one.

    Corrections of its position do not count: only odometry is judged, where it is sent.

    :param last: the message of the sender that was kept last.
    :param message: a later one.
    :param now: the time of its receipt [s].
    :param top_speed: of all robots [m/s]; infinite: any step is possible.
    :return: negative: the sender cannot be at the position in the message.
    """
    before, after = dead_reckoned(last.message), dead_reckoned(message)
    if math.isinf(top_speed) or before is None or after is None:
        return last.reserve
    step = math.dist(before, after)
    return min(last.reserve + top_speed * (now - last.received) - step, PLACE_TOLERANCE)


def dead_reckoned(message: Message) -> Position | None:
    """Return the sender's position by odometry alone, if sent: it is never corrected."""
    told = message.localisation
    if told is None or told.odometry is None:
        return message.position
    return told.odometry[0], told.odometry[1]


def velocity_after(last: ReceivedMessage | None, message: Message, now: float,
                   period: float) -> tuple[float, float]:
    """
    Return the velocity of a sender by a further message of it [m/s].

    :param last: the last received message; ``None``: none.
    :param message: the further message.
    :param now: the time [s].
    :param period: over which it is smoothed [s].
    """
    if last is None or message.position is None or last.message.position is None:
        return 0.0, 0.0
    elapsed = now - last.received
    if elapsed <= 0.0:
        return last.velocity
    return smoothed_velocity(last.velocity, last.message.position, message.position, elapsed,
                             period)


def smoothed_velocity(velocity: tuple[float, float], before: Position, after: Position,
                      elapsed: float, period: float) -> tuple[float, float]:
    """
    Return a velocity after a further position [m/s].

    :param velocity: the one until then [m/s].
    :param before: the last position [m].
    :param after: the further one [m].
    :param elapsed: the time between the two [s], > 0.
    :param period: over which it is smoothed [s].

    >>> smoothed_velocity((0.0, 2.0), (0.0, 0.0), (1.0, 1.0), 0.5, 1.0)
    (1.0, 2.0)
    """
    share = min(elapsed / period, 1.0)
    x, y = ((there - here) / elapsed for here, there in zip(before, after))
    return velocity[0] + share * (x - velocity[0]), velocity[1] + share * (y - velocity[1])
