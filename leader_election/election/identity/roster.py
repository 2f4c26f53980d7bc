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
The roster: what the owner of a swarm grants to each robot, signed with the owner's key.

A record names a robot, its public key, the greatest strength that it may claim, whether it may
lead, and until when it is valid. Each is signed by itself (Ed25519, RFC 8032), so that robots pass
on single ones; of the records of a robot the one of the greatest version counts.
"""

from collections.abc import Iterable
from datetime import datetime, timezone
from functools import lru_cache
import re
import struct
import sys
from typing import Any, NamedTuple

KEY_BYTES, SIGNATURE_BYTES = 32, 64
_RECORD = struct.Struct('<Q32sd?IQ?')
_CONTEXT = b'leader_election roster record 1\0'
RECORD_BYTES = _RECORD.size + SIGNATURE_BYTES
MOST_ID = 2**53 - 1
MOST_STRENGTH = sys.float_info.max
ENDLESS = 2**32 - 1
"""The end of a record that does not expire [s since 1970]."""


class Record(NamedTuple):
    """What one robot is granted."""

    robot: int
    key: bytes
    """Its public key."""
    strength: float
    """The greatest that it may claim."""
    leads: bool
    """Whether it may lead."""
    until: int
    """The end of its validity [s since 1970]."""
    version: int
    """When it was signed [ms since 1970]."""
    revoked: bool = False


class SignedRecord(NamedTuple):
    """A record with the owner's signature."""

    record: Record
    signature: bytes


# Imported by the functions that need it: a robot without an identity works without it.
@lru_cache(maxsize=8)
def _private(seed: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    return Ed25519PrivateKey.from_private_bytes(seed)


@lru_cache(maxsize=1024)
def _public(key: bytes) -> Any:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    return Ed25519PublicKey.from_public_bytes(key)


@lru_cache(maxsize=1024)
def public_key(seed: bytes) -> bytes:
    """
    Return the public key of a private one.

    :param seed: the private key, 32 bytes.
    :raises ModuleNotFoundError: without ``cryptography``.
    """
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
    key: bytes = _private(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    return key


def sign(data: bytes, seed: bytes) -> bytes:
    """Return the signature of data by a private key."""
    signature: bytes = _private(seed).sign(data)
    return signature


@lru_cache(maxsize=4096)
def verify(data: bytes, signature: bytes, key: bytes) -> bool:
    """Return whether a signature is valid; cached, as robots of one process hear the same."""
    from cryptography.exceptions import InvalidSignature
    try:
        _public(key).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def sign_record(record: Record, owner: bytes) -> SignedRecord:
    """
    Return a record signed by the owner.

    :param owner: the owner's private key.
    """
    return SignedRecord(record, sign(_CONTEXT + _RECORD.pack(*record), owner))


def packed_record(signed: SignedRecord) -> bytes:
    """Return a record with its signature as bytes, ``RECORD_BYTES`` many."""
    return _RECORD.pack(*signed.record) + signed.signature


def unpacked_record(data: bytes) -> SignedRecord:
    """
    Return the record in bytes; its signature is not checked.

    :raises ValueError: for bytes that are no record.
    """
    if len(data) != RECORD_BYTES:
        raise ValueError(f'a record has {RECORD_BYTES} bytes')
    record = Record(*_RECORD.unpack(data[:_RECORD.size]))
    if record.robot > MOST_ID or not abs(record.strength) <= MOST_STRENGTH or (
            _RECORD.pack(*record) != data[:_RECORD.size]):
        raise ValueError('it is no record')
    return SignedRecord(record, data[_RECORD.size:])


def _rank(record: Record) -> tuple[int, bool, bytes]:
    """Return the order of records of a robot: of equal versions all robots keep the same one."""
    return record.version, record.revoked, _RECORD.pack(*record)


class Roster:
    """
    The newest record of each robot.

    :ivar records: by the ids of robots.
    """

    def __init__(self, owner: bytes, records: Iterable[SignedRecord] = ()) -> None:
        """
        Make a roster.

        :param owner: the public key of the owner; records that it has not signed do not count.
        """
        self.owner = owner
        self.records: dict[int, SignedRecord] = {}
        self._standing: dict[int, Record | None] = {}
        for signed in records:
            self.take(signed)

    def take(self, signed: SignedRecord) -> bool:
        """Take a record if it is newer than the present one of its robot; return whether."""
        record, signature = signed
        known = self.records.get(record.robot)
        if known is not None and _rank(known.record) >= _rank(record):
            return False
        if not verify(_CONTEXT + _RECORD.pack(*record), signature, self.owner):
            return False
        self.records[record.robot] = signed
        self._standing[record.robot] = None if record.revoked else record
        return True

    def valid(self, robot: int, wall: float) -> Record | None:
        """
        Return the record of a robot that takes part.

        :param wall: the time [s since 1970]; a robot whose clock is behind finds none expired.
        """
        record = self._standing.get(robot)
        return record if record is not None and wall <= record.until else None


def roster_text(roster: Roster) -> str:
    """Return the text of a roster's file."""
    lines = ['# Roster of leader_election, signed by the owner of the swarm.',
             f'owner {roster.owner.hex()}']
    for robot, signed in sorted(roster.records.items()):
        lines += [f'# {robot}: {told(signed.record)}', f'record {packed_record(signed).hex()}']
    return '\n'.join(lines) + '\n'


def told(record: Record) -> str:
    """
    Return what a record grants, in words.

    >>> told(Record(3, bytes(32), 5.0, False, 1_800_000_000, 7))
    'strength at most 5, may not lead, until 2027-01-15 08:00 UTC'
    """
    strength = f'strength at most {record.strength:g}, ' * (record.strength < MOST_STRENGTH)
    end = '' if record.until == ENDLESS else ', until ' + datetime.fromtimestamp(
        record.until, timezone.utc).strftime('%Y-%m-%d %H:%M UTC')
    return 'revoked' if record.revoked else (
        f'{strength}may {"" if record.leads else "not "}lead{end}')


def _lines(text: str) -> list[str]:
    """Return the lines of a file but comments."""
    return [line for line in map(str.strip, text.splitlines())
            if line and not line.startswith('#')]


def parse_roster(text: str) -> Roster:
    """
    Return the roster in the text of its file.

    :raises ValueError: for another text, or a record that the owner has not signed.
    """
    owner, *records = _lines(text) or ['']
    found = re.fullmatch(r'owner ([0-9a-f]{64})', owner)
    if found is None:
        raise ValueError('it does not begin with the owner')
    roster = Roster(bytes.fromhex(found[1]))
    for number, line in enumerate(records, 1):
        found = re.fullmatch(rf'record ([0-9a-f]{{{2 * RECORD_BYTES}}})', line)
        if found is None or not roster.take(unpacked_record(bytes.fromhex(found[1]))):
            raise ValueError(f'record {number} is not one that the owner has signed')
    return roster


class IdentityKeys(NamedTuple):
    """What the identity file of a robot holds."""

    robot: int
    seed: bytes
    """Its private key."""
    owner: bytes
    """The public key of the owner."""


def identity_text(keys: IdentityKeys) -> str:
    """Return the text of an identity file."""
    return (f'# Identity of a robot of leader_election. Keep it secret.\nrobot {keys.robot}\n'
            f'private {keys.seed.hex()}\nowner {keys.owner.hex()}\n')


def parse_identity(text: str) -> IdentityKeys:
    """
    Return what the text of an identity file holds.

    :raises ValueError: for another text; it never quotes a key.
    """
    found = re.fullmatch(r'robot (\d{1,16})\nprivate ([0-9a-f]{64})\nowner ([0-9a-f]{64})',
                         '\n'.join(_lines(text)))
    if found is None or int(found[1]) > MOST_ID:
        raise ValueError('it takes the lines robot, private and owner')
    return IdentityKeys(int(found[1]), bytes.fromhex(found[2]), bytes.fromhex(found[3]))
