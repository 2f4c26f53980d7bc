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
Statements that robots sign, hash chains of leaders, and proofs of contradictions.

A robot signs what it says of its election: leader, value, distance, hops, place. Each statement
has a serial number, greater than all before it in the same life of the robot. A robot never signs
two statements of one number, nor promises itself to two leaders at a time; a pair of those is the
proof that it lies, whoever shows it.

A leader's statement holds the anchor of a hash chain (Y.-C. Hu, D. Johnson, A. Perrig, "SEAD:
Secure Efficient Distance Vector Routing", WMCSA 2002). Its elements prove beats and hops: the one
of beat k and hop j is hashed once by each relay, so nobody finds that of a later beat, or of fewer
hops, than it has received. The same number of hops may be said again.
"""

import hashlib
import math
import struct
from typing import NamedTuple

from leader_election.election.identity.roster import SIGNATURE_BYTES, verify

BEATS, WIDTH = 64, 16
"""The beats of a chain, and the hops that it tells apart; more count as the last."""
ELEMENT_BYTES = 12
MOST_HOPS, MOST_INTERVAL = 255, 2**16 - 1
ROUNDING = 100
"""By how much an honest robot's numbers may be wrong [ms]."""
NO_ANCHOR = bytes(ELEMENT_BYTES)
_STATEMENT = struct.Struct(f'<QIQQdBfff{ELEMENT_BYTES}sHQQ')
SIGNED_BYTES = _STATEMENT.size + SIGNATURE_BYTES
_CONTEXT = b'leader_election statement 1\0'


RING = 2**48
"""Numbers are counted modulo this [ms]."""


def ahead(one: int, other: int) -> int:
    """
    Return by how much a number is ahead of another on the ring [ms]; negative: behind.

    >>> ahead(7, 5), ahead(5, 7), ahead(1, RING - 1)
    (2, -2, 2)
    """
    return (one - other + RING // 2) % RING - RING // 2


class Statement(NamedTuple):
    """What a robot signs."""

    robot: int
    boot: int
    """A random number of its life since the last start, 32 bits."""
    serial: int
    """Greater than those before in this life: the swarm time [ms]."""
    leader: int
    value: float
    """The leader's strength, negated."""
    hops: int
    distance: float
    """To the leader [m], rounded to 32 bits, as its place is."""
    x: float
    """Its place [m]; NaN: unknown."""
    y: float
    anchor: bytes = NO_ANCHOR
    """On a leader, of its chain."""
    interval: int = 0
    """On a leader, the time between two beats [ms]."""
    promised: int = 0
    """With mandates, on a robot that does not lead, the leader to which it has promised itself."""
    until: int = 0
    """For how long at least, on the swarm time [ms]; 0: there is no promise."""

    @property
    def leads(self) -> bool:
        """Return whether it is a leader's."""
        return self.anchor != NO_ANCHOR


class Signed(NamedTuple):
    """A statement with the signature of its robot."""

    statement: Statement
    signature: bytes

    def holds(self, key: bytes) -> bool:
        """Return whether the robot of a public key has signed it."""
        return verify(signed_text(self.statement), self.signature, key)


def signed_text(statement: Statement) -> bytes:
    """Return the bytes that are signed."""
    return _CONTEXT + _STATEMENT.pack(*statement)


def rounded(number: float) -> float:
    """Return a number rounded to 32 bits; one that is too great becomes infinite."""
    kept: float = struct.unpack('<f', struct.pack(
        '<f', math.inf if abs(number) > 3e38 else number))[0]
    return kept


def contradict(one: Statement, other: Statement) -> bool:
    """
    Return whether two statements prove that their robot lies.

    An honest robot signs one statement under a number, and promises itself to another leader only
    after the end of its promise to the one before.
    """
    if one[:2] != other[:2]:
        return False
    later = ahead(other.serial, one.serial)
    if later < 0:
        one, other, later = other, one, -later
    if later == 0:
        return signed_text(one) != signed_text(other)
    return one.until != 0 != other.until and one.promised != other.promised and ahead(
        one.until, other.serial) > ROUNDING


class Proof(NamedTuple):
    """Two statements signed by one robot that contradict each other: the proof that it lies."""

    one: Signed
    other: Signed

    @property
    def robot(self) -> int:
        """Return the robot that it convicts."""
        return self.one.statement.robot

    def holds(self, key: bytes) -> bool:
        """
        Return whether it convicts the robot of a public key.

        No proof against an honest robot exists unless its private key is known.
        """
        return contradict(self.one.statement, self.other.statement) and all(
            each.holds(key) for each in self)

    def told(self) -> str:
        """Return the contradiction in words."""
        one, other = (each.statement for each in self)
        if one.serial != other.serial:
            return (f'promised itself to {one.promised} and {other.promised} at the same time')
        said = [f'{name} {a:g} and {b:g}' for name, a, b in zip(
            one._fields[3:9], one[3:9], other[3:9]) if str(a) != str(b)]
        return f'signed under one number: {", ".join(said) or "two hash chains"}'


def packed_proof(proof: Proof) -> bytes:
    """Return a proof as bytes."""
    return b''.join(_STATEMENT.pack(*statement) + signature for statement, signature in proof)


def unpacked_proof(data: bytes) -> Proof:
    """
    Return the proof in bytes; it is not checked.

    :raises ValueError: for bytes of another length.
    """
    if len(data) != 2 * SIGNED_BYTES:
        raise ValueError('it is no proof')
    halves = data[:SIGNED_BYTES], data[SIGNED_BYTES:]
    return Proof(*(Signed(Statement(*_STATEMENT.unpack(half[:_STATEMENT.size])),
                          half[_STATEMENT.size:]) for half in halves))


def hashed(element: bytes, times: int = 1) -> bytes:
    """Return an element of a chain hashed so many times."""
    for _ in range(times):
        element = hashlib.sha256(element).digest()[:ELEMENT_BYTES]
    return element


def index(beat: int, hop: int) -> int:
    """
    Return the place of an element in its chain, from the secret on; the anchor is the last.

    >>> index(BEATS - 1, 0), index(BEATS - 1, 1), index(BEATS - 2, 0), index(-1, 0)
    (0, 1, 16, 1024)
    """
    return (BEATS - 1 - beat) * WIDTH + min(hop, WIDTH - 1)


def chain(secret: bytes) -> list[bytes]:
    """Return the elements of a chain, the anchor last."""
    elements = [secret[:ELEMENT_BYTES]]
    for _ in range(BEATS * WIDTH):
        elements.append(hashed(elements[-1]))
    return elements
