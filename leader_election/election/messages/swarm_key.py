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
The swarm key: messages are signed with it, and messages without its signature are not believed.

A signature is the last member of a message, ``"s":"SSSSSSSSTTTTTTTTTTTTTTTTTTTTTT"``: a sequence
number of 48 bits and a tag of 128 bits, both in base64. The tag is the HMAC-SHA-256 (RFC 2104,
truncated as in RFC 2104 section 5) of all the text before it, the sequence number included. So no
character of a signed message can be changed. The text itself is verified, before it is parsed.

The sequence number is the *swarm time* [ms] at which the message was sent. Each robot starts it
from its wall clock and lets it run on its own clock. The robot sets it forward to the greatest
that arrives under a valid signature (a hybrid logical clock: Kulkarni et al., OPODIS 2014). So
robots that hear each other agree on it, whatever their clocks show. A message is a replay if it is
no newer than the last one of its sender, or older than a window. A robot remembers one number per
sender, and only for the length of the window. Sequence numbers are compared on a ring (RFC 1982):
there is no greatest one, which would block all later messages.
"""

import binascii
from functools import lru_cache
import hashlib
import hmac
import re
from typing import Any

from leader_election.election.messages.codec import MAX_LENGTH
from leader_election.election.messages.wire import RejectReason

RING = 2**48
"""Sequence numbers are counted modulo this [ms]."""
KEY_DIGITS = 64
"""The length of a key in its file [hexadecimal digits]: 256 bits."""
MOST_KEYS = 2
"""The most keys in a file: the one that signs, and one that is accepted beside it."""
SIGNATURE_LENGTH = 37
"""The length that a signature adds to a message [characters]."""
REPLAY_WINDOW = 5.0
"""The greatest age of a signed message. A withheld one can be delivered once within it [s]."""
SENDERS = 500
"""The number of senders from which on long silent senders are forgotten."""

_MEMBER, _END = ',"s":"', '"}'
_SEQUENCE_DIGITS, _TAG_DIGITS, _TAG_BYTES = 8, 22, 16
# The starts of the parts of a signed message, counted from its end.
_TAG = _TAG_DIGITS + len(_END)
_SEQUENCE = _SEQUENCE_DIGITS + _TAG
_SIGNATURE = len(_MEMBER) + _SEQUENCE

Keys = tuple[bytes, ...]
"""The keys of a robot: the first signs, all verify, empty for no key."""
NO_KEYS: Keys = ()


def ahead(one: int, other: int) -> int:
    """
    Return the lead of a number over another on the ring [ms], negative if it is behind.

    >>> ahead(7, 5), ahead(5, 7), ahead(1, RING - 1)
    (2, -2, 2)
    """
    return (one - other + RING // 2) % RING - RING // 2


def parse_keys(text: str) -> Keys:
    """
    Return the keys in the text of a key file: one a line, and comments that begin with ``#``.

    :param text: the content of the file.
    :return: one key, or two while one is being changed. The first signs.
    :raises ValueError: for any other text. It never quotes a key.

    >>> len(parse_keys('# of the ten robots' + chr(10) + '0f' * 32)[0])
    32
    """
    keys: list[bytes] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith('#'):
            continue
        if not re.fullmatch(rf'[0-9a-fA-F]{{{KEY_DIGITS}}}', line):
            wrong = (f'{len(line)} characters' if len(line) != KEY_DIGITS
                     else 'a character that is not a hexadecimal digit')
            raise ValueError(f'line {number} has {wrong}; a key has {KEY_DIGITS} hexadecimal '
                             'digits')
        keys.append(bytes.fromhex(line))
    if not 1 <= len(keys) <= MOST_KEYS:
        raise ValueError(f'it holds {len(keys)} keys; it takes one, or two while a key is changed')
    if len(set(keys)) < len(keys):
        raise ValueError('it holds one key twice')
    return tuple(keys)


def fingerprint(key: bytes) -> str:
    """
    Return a short digest that distinguishes keys without revealing them.

    >>> fingerprint(bytes(32)), fingerprint(bytes(31) + b'a')
    ('9fec5db6', 'edbeddad')
    """
    return hashlib.sha256(b'leader_election swarm key ' + key).hexdigest()[:8]


def is_signed(payload: str) -> bool:
    """
    Return whether a message carries a signature, which may be wrong.

    >>> is_signed('{"v":1,"id":3}'), is_signed(sign('{"v":1,"id":3}', 7, bytes(32)))
    (False, True)
    """
    return payload[-_SIGNATURE:-_SEQUENCE] == _MEMBER and payload.endswith(_END)


def sign(payload: str, sequence: int, key: bytes) -> str:
    """
    Return a message with its signature, ``SIGNATURE_LENGTH`` characters longer.

    :param payload: the message, a JSON object with at least one member.
    :param sequence: the sequence number [ms], modulo ``RING``.

    >>> sign('{"v":1,"id":3}', 7, bytes(32))
    '{"v":1,"id":3,"s":"AAAAAAAHGm1Zp+bt+RYmQim/OvwUkQ"}'
    """
    digits = binascii.b2a_base64((sequence % RING).to_bytes(6, 'big'), newline=False)
    text = (payload[:-1] + _MEMBER).encode() + digits
    return (text + _tag(text, key)).decode() + _END


@lru_cache(maxsize=1024)
def verify(payload: str, keys: Keys) -> int | None:
    """
    Return the sequence number of a message with a valid signature by one of the keys.

    Results are cached, since all robots of one process receive the same payloads.

    :return: in [0, ``RING``) [ms], ``None`` if the signature is wrong, or there is none.

    >>> signed = sign('{"v":1,"id":3}', 7, bytes(32))
    >>> verify(signed, (bytes(32),)), verify(signed.replace('3', '4'), (bytes(32),))
    (7, None)
    """
    if not is_signed(payload) or not payload.isascii():
        return None
    signed = payload.encode()
    text, tag = signed[:-_TAG], signed[-_TAG:-len(_END)]
    for key in keys:
        # The digits are compared, since two spare bits of the last one could be of any value.
        if hmac.compare_digest(_tag(text, key), tag):
            return _sequence(text[-_SEQUENCE_DIGITS:])
    return None


def _sequence(digits: bytes) -> int | None:
    try:
        return int.from_bytes(binascii.a2b_base64(digits), 'big')
    except binascii.Error:
        # The signature itself is valid: from a robot of another version.
        return None


def _tag(text: bytes, key: bytes) -> bytes:
    # HMAC by copies of its two hashes takes half the time of hmac.digest.
    hashes = _hashes(key)
    inner, outer = hashes[0].copy(), hashes[1].copy()
    inner.update(text)
    outer.update(inner.digest())
    return binascii.b2a_base64(outer.digest()[:_TAG_BYTES], newline=False)[:_TAG_DIGITS]


@lru_cache
def _hashes(key: bytes) -> tuple[Any, Any]:
    """Return the inner and the outer hash of HMAC-SHA-256 (RFC 2104), before any text."""
    padded = key.ljust(hashlib.sha256().block_size, bytes(1))
    inner, outer = (hashlib.sha256(bytes(byte ^ pad for byte in padded)) for pad in (0x36, 0x5c))
    return inner, outer


class SwarmTime:
    """
    The swarm time of one robot, and the last sequence numbers that it has accepted.

    :param start: the wall clock at time 0 of the robot's own clock [ms since 1970].
    """

    def __init__(self, start: int) -> None:
        self._time = start % RING
        self._at = 0.0
        self._last: dict[int, int] = {}
        self._most = SENDERS

    def read(self, now: float) -> int:
        """
        Return the swarm time [ms]. It never goes back.

        :param now: the time on the robot's own clock [s].
        """
        if now < self._at:
            # The clock went back: the swarm time runs on from where it is.
            self._at = now
        elapsed = int((now - self._at) * 1e3)
        if elapsed:
            self._time = (self._time + elapsed) % RING
            self._at += elapsed / 1e3
        return self._time

    def next(self, sender: int, now: float) -> int:  # noqa: A003
        """Return the sequence number of a message that this robot sends now."""
        sequence = self.read(now)
        if sequence == self._last.get(sender):
            self._time = sequence = (sequence + 1) % RING
        self._last[sender] = sequence
        return sequence

    def accept(self, sender: int, sequence: int, window: float, now: float) -> bool:
        """
        Return whether a sequence number under a valid signature is a new one, and remember it.

        :param sender: the sender's id.
        :param window: the greatest age of a message [s].
        :param now: the time on the robot's own clock [s].
        """
        by = ahead(sequence, self.read(now))
        if by < -1e3 * window:
            return False
        if by > 0:
            self._time = sequence
        # The swarm time has passed both numbers: ages need no order on the ring.
        last = self._last.get(sender)
        if last is not None and self._age(last) <= max(0, -by):
            return False
        self._last[sender] = sequence
        if len(self._last) > self._most:
            self._forget(window)
        return True

    def _forget(self, window: float) -> None:
        """Forget the senders that were not heard within the window: it refuses their messages."""
        self._last = {sender: last for sender, last in self._last.items()
                      if self._age(last) <= 1e3 * window}
        self._most = 2 * len(self._last) + SENDERS

    def knows(self, sender: int, window: float, now: float) -> bool:
        """Return whether a signed message of a sender was accepted within the window."""
        self.read(now)
        last = self._last.get(sender)
        return last is not None and self._age(last) <= 1e3 * window

    def _age(self, sequence: int) -> int:
        """Return the time since an accepted number, by the last reading of the swarm time [ms]."""
        return (self._time - sequence) % RING


class Authentication:
    """
    Signs the messages of a robot, and checks those that it receives.

    :ivar keys: the first signs, all verify. They may be replaced at any time.
    :ivar file_error: the present error of the key file, or of the time beside it, empty for none.
    :ivar time: the swarm time, and the numbers accepted.
    :ivar accept_unverified: whether unsigned messages are believed by a robot with a key, and
        signed ones by a robot without.
    :ivar length: of the longest message that is sent [characters].
    """

    def __init__(self, keys: Keys = NO_KEYS, start: int = 0) -> None:
        """
        Create the authentication of one robot.

        :param start: the wall clock at time 0 of the robot's own clock [ms since 1970].
        """
        self.keys = keys
        self.file_error = ''
        self.accept_unverified = False
        self.length = MAX_LENGTH
        self.time = SwarmTime(start)

    @property
    def room(self) -> int:
        """Return the greatest length of a message before it is signed [characters]."""
        return self.length - SIGNATURE_LENGTH if self.keys else self.length

    def sign(self, payload: str, sender: int, now: float) -> str:
        """
        Return a message as it is sent: signed if there is a key.

        :param sender: the robot's own id.
        :param now: the time [s].
        """
        if not self.keys:
            return payload
        return sign(payload, self.time.next(sender, now), self.keys[0])

    def check(self, payload: str) -> tuple[int | None, RejectReason | None]:
        """
        Check the length and the signature of a message, before it is parsed.

        :return: its sequence number if the signature is valid, else ``None``; and the reason for
            rejecting it, ``None`` if it is accepted.
        """
        if len(payload) > MAX_LENGTH:
            return None, RejectReason.SIZE
        signed = is_signed(payload)
        if self.keys and signed:
            sequence = verify(payload, self.keys)
            return sequence, RejectReason.SIGNATURE if sequence is None else None
        if self.accept_unverified or signed == bool(self.keys):
            return None, None
        return None, RejectReason.SIGNATURE if signed else RejectReason.UNSIGNED

    def admit(self, sender: int, sequence: int | None, now: float) -> RejectReason | None:
        """
        Check that a message is not a replay, and remember it.

        :param sender: the id in the message.
        :param sequence: as :meth:`check` returned it.
        :param now: the time [s].
        :return: the reason for rejecting the message, ``None`` if it is accepted.
        """
        if not self.keys:
            return None
        if sequence is None:
            # A robot with the key signs all of its messages.
            known = self.time.knows(sender, REPLAY_WINDOW, now)
            return RejectReason.UNSIGNED if known else None
        new = self.time.accept(sender, sequence, REPLAY_WINDOW, now)
        return None if new else RejectReason.REPLAY
