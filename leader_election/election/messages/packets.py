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
message in UTF-8. The content of a packet with the word ``LR1`` is a report: which senders its own
sender has heard. So both ends know the loss in both directions. Packets are neither signed nor
secret: a swarm key signs the message inside.

A serial line, which loses, alters and invents bytes, carries a packet in a *frame*: the packet and
its CRC-32, encoded by COBS (Cheshire and Baker, *Consistent Overhead Byte Stuffing*, 1999),
between two zero bytes. A zero is in no other place, so a reader that has lost its place finds it
again at the next frame.
"""

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
import struct
import zlib

from leader_election.election.messages.codec import MAX_LENGTH, sender_at_start

HEADER = struct.Struct('!3sQI')
MARK, REPORT = b'LE1', b'LR1'
TOTAL, ROW = struct.Struct('!H'), struct.Struct('!QII')
"""A report: the number of senders, then for each one the start, and how many packets came, and
how many were lost. A short report has some senders only."""
LARGEST = 4 * MAX_LENGTH
"""The largest message [bytes]."""
MOST_PEERS = 256
"""The most senders that are remembered. A flood of new ones makes the oldest forgotten."""
MOST_ROBOTS = 16
"""The most robots that are remembered of a sender."""
MOST_NEW = 64
"""The most senders that may be new at once, and then one a second. More are a flood."""
RESYNC = 5
"""The time of late packets alone after which the numbers of a sender begin anew [s]."""
WINDOW = 64
"""By how many packets of its sender a packet may be late."""
HEARD, LOST, REPEATED, STRANGE, OWN, FLOODED = COUNTERS = (
    'heard', 'lost', 'repeated', 'strange', 'own', 'flooded')
"""The names of the counters of a :class:`PacketReader`."""
CRC = struct.Struct('!I')
DELIMITER = b'\0'
RUN = 254
"""The most bytes behind one count of COBS."""


def packet(start: int, number: int, message: str) -> bytes:
    """
    Return a packet.

    :param start: the number of the sender's start, 0 to 2**64 - 1.
    :param number: of the packet, from 0 on; it wraps at 2**32.

    >>> packet(7, 1, '{"v":1}')[15:]
    b'{"v":1}'
    """
    return HEADER.pack(MARK, start, number % 2**32) + message.encode()


def opened(data: bytes) -> tuple[int, int, str | bytes]:
    """
    Return the start and number in a packet, and its message, or the content of its report.

    :raises ValueError: for anything else.
    """
    if HEADER.size < len(data) <= HEADER.size + LARGEST:
        mark, start, number = HEADER.unpack_from(data)
        content = data[HEADER.size:]
        if mark == MARK:
            return start, number, content.decode()
        if mark == REPORT and len(content) % ROW.size == TOTAL.size:
            return start, number, content
    raise ValueError('it is no packet of a link')


@dataclass
class Peer:
    """What is known of a sender since its start."""

    newest: int
    """The greatest number of its packets."""
    seen: int
    """A bit for each of the last packets, the newest first."""
    tokens: float
    """How many packets may follow at once."""
    time: float
    """When the last packet came [s]."""
    fresh: float
    """When the last packet came that was neither repeated nor late [s]."""
    heard: int = 0
    """How many of its packets were heard."""
    lost: int = 0
    """How many were lost. Less than 0 if the first ones came late."""
    robots: set[int] = field(default_factory=set)
    """The ids in its messages."""
    told: tuple[int | None, int] = None, 0
    """How many packets of this computer the sender has heard and lost, ``None`` if unknown."""


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
        self._new, self._new_at = float(MOST_NEW), 0.0
        """How many senders may be new, and when that was [s]."""

    def peers(self, now: float, age: float) -> Mapping[int, Peer]:
        """Return the senders that were heard in a time [s], by their starts."""
        return {start: each for start, each in self._peers.items() if now - each.time <= age}

    def report(self, number: int, now: float, age: float, room: int) -> bytes:
        """
        Return a packet which tells the senders that were heard in a time [s].

        :param number: of the packet. It also decides which senders are told, if not all are.
        :param room: the greatest size of its content [bytes].
        """
        peers = [*self.peers(now, age).items()]
        most = (room - TOTAL.size) // ROW.size
        first = number * most % len(peers) if len(peers) > most else 0
        rows = (peers * 2)[first:first + min(most, len(peers))]
        return (HEADER.pack(REPORT, self._start, number % 2**32) + TOTAL.pack(len(peers))
                + b''.join(ROW.pack(start, peer.heard % 2**32, max(peer.lost, 0) % 2**32)
                           for start, peer in rows))

    def read(self, data: bytes, now: float) -> str | None:
        """
        Return the message in a packet, ``None`` if it is left out, and for a report.

        :param now: the time, which never goes back [s].
        """
        try:
            start, number, content = opened(data)
            reason = OWN if start == self._start else self._note(start, number, now)
        except ValueError:
            reason = STRANGE
        self.counts[reason] += 1
        if reason != HEARD:
            return None
        peer = self._peers[start]
        peer.heard += 1
        if isinstance(content, bytes):
            self._take_report(peer, content)
            return None
        if len(peer.robots) < MOST_ROBOTS and (robot := sender_at_start(content)) is not None:
            peer.robots.add(robot)
        return content

    def _take_report(self, peer: Peer, content: bytes) -> None:
        """Remember what a sender says that it has heard of this computer."""
        rows = {start: (heard, lost)
                for start, heard, lost in ROW.iter_unpack(content[TOTAL.size:])}
        if self._start in rows:
            peer.told = rows[self._start]
        elif len(rows) >= TOTAL.unpack_from(content)[0]:
            peer.told = 0, 0

    def _note(self, start: int, number: int, now: float) -> str:
        """Remember a packet of a sender, and return the counter that it belongs to."""
        peer = self._peers.get(start)
        if peer is None:
            return self._note_new(start, number, now)
        self._peers.move_to_end(start)
        passed = now - peer.time
        peer.tokens, peer.time = min(self._rate, peer.tokens + passed * self._rate), now
        ahead = (number - peer.newest + 2**31) % 2**32 - 2**31
        lost = ahead - 1 if ahead > 0 else -1
        if ahead > 0:
            peer.newest = number
            peer.seen = (peer.seen << min(ahead, WINDOW) | 1) % 2**WINDOW
        elif -ahead >= WINDOW and now - peer.fresh >= RESYNC:
            # A forged packet was far ahead.
            peer.newest, peer.seen, lost = number, 1, 0
        elif -ahead >= WINDOW or peer.seen >> -ahead & 1:
            return REPEATED
        else:
            peer.seen |= 1 << -ahead
        peer.fresh = now
        if peer.tokens < 1.0:
            return FLOODED
        # It cannot have sent more.
        lost = min(lost, int((passed + 1.0) * self._rate))
        peer.lost, self.counts[LOST] = peer.lost + lost, self.counts[LOST] + lost
        peer.tokens -= 1.0
        return HEARD

    def _note_new(self, start: int, number: int, now: float) -> str:
        """Remember a new sender, unless too many are new."""
        self._new = min(MOST_NEW, self._new + now - self._new_at)
        self._new_at = now
        if self._new < 1.0:
            return FLOODED
        self._new -= 1.0
        if len(self._peers) >= MOST_PEERS:
            self._peers.popitem(last=False)
        self._peers[start] = Peer(number, 1, self._rate - 1.0, now, now)
        return HEARD


def room(length: int) -> int:
    """
    Return the size of the largest packet that fits into a frame, whatever its bytes are.

    :param length: of the frame, at least 128 [bytes].

    >>> room(250), len(frame(bytes([1]) * room(250)))
    (243, 250)
    """
    return length - 2 * len(DELIMITER) - CRC.size - 1 - length // RUN


def frame(packet: bytes) -> bytes:
    r"""
    Return the frame of a packet.

    >>> frame(b'm')
    b'\x00\x06m\xe1\x01\xf2h\x00'
    """
    encoded = bytearray(DELIMITER)
    for part in (packet + CRC.pack(zlib.crc32(packet))).split(DELIMITER):
        while len(part) >= RUN:
            encoded += bytes([RUN + 1]) + part[:RUN]
            part = part[RUN:]
        encoded += bytes([len(part) + 1]) + part
    return bytes(encoded + DELIMITER)


class FrameReader:
    """
    Reads frames from a stream of bytes.

    :ivar damaged: the number of frames that were left out: altered, cut, or too long.
    """

    def __init__(self, length: int) -> None:
        """
        Begin.

        :param length: of the longest frame [bytes]. No more is kept.
        """
        self.damaged, self._length = 0, length
        self._rest = b''
        """The bytes since the last delimiter, at most one more than a frame has."""

    def read(self, data: bytes) -> Iterator[bytes]:
        """Yield the packets whose frames end in these bytes of the stream."""
        *ends, rest = (self._rest + data).split(DELIMITER)
        self._rest = rest[:self._length + 1]
        for encoded in filter(None, ends):
            packet = _decoded(encoded) if len(encoded) <= self._length else b''
            if packet:
                yield packet
            else:
                self.damaged += 1


def _decoded(encoded: bytes) -> bytes:
    """Return the packet between two delimiters, empty if it is damaged."""
    content, at = b'', 0
    while at < len(encoded):
        count = encoded[at]
        content += encoded[at + 1:at + count] + (b'' if count > RUN else DELIMITER)
        at += count
    # The last count stands for a zero that is not in the packet.
    packet, check = content[:-CRC.size - 1], content[-CRC.size - 1:-1]
    fits = at == len(encoded) and check == CRC.pack(zlib.crc32(packet))
    return packet if fits else b''
