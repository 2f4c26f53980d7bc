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

"""The mailbox: the last message of each neighbour until it expires, by a clock of its own."""

from collections.abc import Iterator
import math
from typing import NamedTuple

from leader_election.election.messages.codec import Message, Position

PLACE_TOLERANCE = 1.0
"""The allowance beyond the distance possible at top speed [m]: odometry arrives in steps,
and a localisation corrects itself."""


class ReceivedMessage(NamedTuple):
    """A message with the receiver's data about it."""

    message: Message
    received: float
    """The time of receipt on the receiver's own clock [s]: senders' clocks are not trusted."""
    distance: float = math.inf
    """Between the two positions at the receipt [m], infinite if unknown."""
    noted: Message | None = None
    """The last message of the sender that was news."""
    reserve: float = PLACE_TOLERANCE
    """The distance that the sender may still go beyond what the top speed allows [m]."""
    velocity: tuple[float, float] = (0.0, 0.0)
    """The sender's, by the positions in its messages, smoothed over a period [m/s]."""


class Mailbox:
    """
    Keeps the last message of each sender until it expires.

    Times never go back (:class:`ObservationClock`).

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
        :return: whether it was kept, false if the limit of senders is reached.
        """
        sender, received = entry.message.id, self._received
        if sender not in received and len(received) >= self.limit:
            self._drop_expired(entry.received)
            if len(received) >= self.limit:
                return False
        received[sender] = entry
        return True

    def forget(self, sender: int) -> None:
        """Remove the message of this sender, if there is one."""
        self._received.pop(sender, None)

    def entry(self, sender: int) -> ReceivedMessage | None:
        """Return the last received message of this sender with its data, expired or not."""
        return self._received.get(sender)

    def valid(self, now: float) -> list[ReceivedMessage]:
        """Return the messages that have not expired, one for each sender, in the order of ids."""
        self._drop_expired(now)
        return [self._received[sender] for sender in sorted(self._received)]

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
    :param top_speed: of all robots [m/s], infinite if any step is possible.
    :return: negative: the sender cannot be at the position in the message.
    """
    before, after = dead_reckoned(last.message), dead_reckoned(message)
    if math.isinf(top_speed) or before is None or after is None:
        return last.reserve
    step = math.dist(before, after)
    return min(last.reserve + top_speed * (now - last.received) - step, PLACE_TOLERANCE)


def dead_reckoned(message: Message) -> Position | None:
    """Return the sender's position by odometry alone, if sent: it is never corrected."""
    told = message.parts.get('localisation')
    if told is None or told.odometry is None:
        return message.position
    return told.odometry[0], told.odometry[1]


def velocity_after(last: ReceivedMessage | None, message: Message, now: float,
                   period: float) -> tuple[float, float]:
    """
    Return the velocity of a sender by a further message of it [m/s].

    :param last: the last received message, ``None`` for none.
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

    >>> smoothed_velocity((1.0, 2.0), (0.0, 0.0), (1.0, 1.0), 0.5, 1.0)
    (1.5, 2.0)
    """
    share = min(elapsed / period, 1.0)
    x, y = ((there - here) / elapsed for here, there in zip(before, after))
    return velocity[0] + share * (x - velocity[0]), velocity[1] + share * (y - velocity[1])


MOST_INTERVALS = 127
"""The longest acquaintance that counts [intervals]."""
REMEMBERED = 2
"""The size of the memory, as a multiple of the mailbox's limit of senders."""


class SenderRank(NamedTuple):
    """The rank of a sender; in a full mailbox the senders that compare less are kept."""

    newness: int
    distance: float
    id: int  # noqa: A003


class Acquaintances:
    """
    Selects the sender to drop from a full mailbox: the one known for the shortest time.

    The time is counted in intervals as long as a message is valid: those in which a sender
    was heard, less those in which it was not. A sender with a count of zero is forgotten.
    Times that differ by less than a factor of two are equal. Among equals the nearer sender
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
        self._order: list[SenderRank] = []

    def note(self, sender: int, now: float) -> None:
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
            self._order = sorted(map(self.rank, self._mailbox.entries()))
        if self._order[-1] <= self.rank(entry):
            return False
        self._mailbox.forget(self._order.pop().id)
        return True

    def rank(self, entry: ReceivedMessage) -> SenderRank:
        """Return the rank of the sender of a message."""
        sender = entry.message.id
        return SenderRank(-self._known.get(sender, 0).bit_length(), entry.distance, sender)

    def _end_intervals(self, now: float) -> None:
        """Count the intervals that have ended. After the first of them nothing was heard."""
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
                self._known[sender] = min(left, MOST_INTERVALS)
        self._heard.clear()


class ObservationClock:
    """
    Turns the readings of a clock into times at which a robot could have observed something.

    A simulator's clock stands still, goes back when a run restarts, and leaps over minutes.
    No message could arrive meanwhile, so none of this is news about the neighbours. So time
    advances by ``longest_step`` at most from one reading to the next, and not at all where the
    clock goes back. Data is then neither forgotten at once nor kept for longer.

    A steady clock leaps when the process was stopped or starved. That time has really passed for
    all other robots, so it counts (an infinite step). A robot that wakes forgets its neighbours
    before it sends anything, instead of forwarding outdated candidacies. Under simulated time the
    two cases cannot be distinguished. There a robot that wakes may forward old candidacies until
    they expire.

    :param longest_step: the most that time advances between two readings [s].

    A simulated clock reads 0 until ``/clock`` is received. Time begins with the first other
    reading, however far from 0.

    >>> clock = ObservationClock(longest_step=2.0)
    >>> [clock.observe(reading) for reading in (100.0, 101.0, 700.0, 701.0, 5.0, 6.0)]
    [100.0, 101.0, 103.0, 104.0, 104.0, 105.0]
    """

    def __init__(self, longest_step: float = math.inf) -> None:
        self.longest_step = longest_step
        self._time = self._offset = self._reading = 0.0
        self._is_set = self._waited = False

    def observe(self, reading: float) -> float:
        """
        Return the time: as long as the clock neither leaps nor goes back, the reading itself.

        :param reading: of the clock, now [s], 0 while no ``/clock`` was received yet.
        """
        if self._is_set:
            advance = reading - self._reading
            self._offset += min(max(advance, 0.0), self.longest_step) - advance
            # The maximum, since adding the offset rounds.
            self._time = max(reading + self._offset, self._time)
        elif reading == 0.0:
            self._waited = True
        else:
            self._is_set = True
            # What was noted before the first reading is no older than that.
            self._offset = -reading if self._waited else 0.0
            self._time = reading + self._offset
        self._reading = reading
        return self._time
