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
Frames of a serial line, which loses, alters and invents bytes.

A frame is a packet and its CRC-32, encoded by COBS (Cheshire and Baker, *Consistent Overhead Byte
Stuffing*, 1999), between two zero bytes. A zero is in no other place, so a reader that has lost
its place finds it again at the next frame.
"""

from collections.abc import Iterator
import struct
import zlib

CRC = struct.Struct('!I')
DELIMITER = b'\0'
RUN = 254
"""The most bytes behind one count of COBS."""


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
