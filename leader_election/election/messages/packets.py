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

"""
Packets that carry robots' messages between domains, over a network that loses and repeats them.

A packet is the word ``LE1``, the number of its sender's start, the number of the packet, and one
message in UTF-8. Packets are neither signed nor secret: a swarm key signs the message inside.
"""

from collections import Counter, OrderedDict
import struct
from typing import NamedTuple

from leader_election.election.messages.codec import MAX_LENGTH

HEADER = struct.Struct('!3sQI')
MARK = b'LE1'
LARGEST = 4 * MAX_LENGTH
"""The largest message [bytes]."""
MOST_PEERS = 256
"""The most senders that are remembered. A flood of new ones makes the oldest forgotten."""
WINDOW = 64
"""By how many packets of its sender a packet may be late."""
HEARD, LOST, REPEATED, STRANGE, OWN, FLOODED = (
    'heard', 'lost', 'repeated', 'strange', 'own', 'flooded')
COUNTERS = (HEARD, LOST, REPEATED, STRANGE, OWN, FLOODED)
"""The names of the counters of a :class:`PacketReader`."""


def packet(start: int, number: int, message: str) -> bytes:
    """
    Return a packet.

    :param start: the number of the sender's start, 0 to 2**64 - 1.
    :param number: of the packet, from 0 on; it wraps at 2**32.
    :raises ValueError: for a message that is too large.

    >>> packet(7, 1, '{"v":1}')[15:]
    b'{"v":1}'
    """
    content = message.encode()
    if len(content) > LARGEST:
        raise ValueError(f'a message of {len(content)} bytes, at most {LARGEST} are allowed')
    return HEADER.pack(MARK, start, number % 2**32) + content


class Peer(NamedTuple):
    """What is known of a sender since its start."""

    newest: int
    """The greatest number of its packets."""
    seen: int
    """A bit for each of the last packets, the newest first."""
    tokens: float
    """How many packets may follow at once."""
    time: float
    """When the last packet came [s]."""


class PacketReader:
    """
    Reads packets: leaves out its own, repeated and strange ones, and a flood, and counts them.

    :ivar counts: by the names in :data:`COUNTERS`. A packet that comes later than its successors
        was counted as lost, and is so no more.
    """

    def __init__(self, start: int, rate: float) -> None:
        """
        Begin.

        :param start: the number of the own start, which the own packets have.
        :param rate: the most packets of a sender [1/s]; a second of them may come at once.
        """
        self.counts = Counter(dict.fromkeys(COUNTERS, 0))
        self._start, self._rate = start, rate
        self._peers: OrderedDict[int, Peer] = OrderedDict()

    def peers(self, now: float, age: float) -> int:
        """Return the number of senders that were heard in a time [s]."""
        return sum(now - each.time <= age for each in self._peers.values())

    def read(self, data: bytes, now: float) -> str | None:
        """
        Return the message in a packet, ``None`` if it is left out.

        :param now: the time, which never goes back [s].
        """
        message = None
        if HEADER.size < len(data) <= HEADER.size + LARGEST:
            mark, start, number = HEADER.unpack_from(data)
            if mark == MARK:
                if start == self._start:
                    self.counts[OWN] += 1
                    return None
                try:
                    message = data[HEADER.size:].decode()
                except UnicodeDecodeError:
                    message = None
        if message is None:
            self.counts[STRANGE] += 1
            return None
        reason = self._note(start, number, now)
        self.counts[reason] += 1
        return message if reason == HEARD else None

    def _note(self, start: int, number: int, now: float) -> str:
        """Remember a packet of a sender, and return the counter that it belongs to."""
        peer = self._peers.pop(start, None)
        if peer is None:
            if len(self._peers) >= MOST_PEERS:
                self._peers.popitem(last=False)
            self._peers[start] = Peer(number, 1, self._rate - 1.0, now)
            return HEARD
        tokens = min(self._rate, peer.tokens + (now - peer.time) * self._rate)
        ahead = (number - peer.newest + 2**31) % 2**32 - 2**31
        newest, seen = peer.newest, peer.seen
        if ahead > 0:
            newest, seen = number, (seen << min(ahead, WINDOW) | 1) % 2**WINDOW
        elif -ahead >= WINDOW or seen >> -ahead & 1:
            self._peers[start] = peer._replace(time=now, tokens=tokens)
            return REPEATED
        else:
            seen |= 1 << -ahead
        if tokens < 1.0:
            self._peers[start] = Peer(newest, seen, tokens, now)
            return FLOODED
        self.counts[LOST] += ahead - 1 if ahead > 0 else -1
        self._peers[start] = Peer(newest, seen, tokens - 1.0, now)
        return HEARD
