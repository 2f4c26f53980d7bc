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
number of 48 bits and a tag of 128 bits, both in base64url. The tag is the HMAC-SHA-256 (RFC 2104,
truncated as in RFC 2104 section 5) of all the text before it, the sequence number included, so
that no character of a signed message can be changed. The text itself is verified, never what was
read from it.

The sequence number is the *swarm time* [ms] at which the message was sent. Each robot starts it
from its wall clock, lets it run on its own clock, and sets it forward to the greatest that it
receives under a valid signature (a hybrid logical clock: Kulkarni et al., OPODIS 2014). So robots
that hear each other agree on it, whatever their clocks say, and a message is a replay where it is
no newer than the last one of its sender, or older than a window. Nothing else has to be remembered
of a sender, and nothing for longer than the window.

Sequence numbers are compared on a ring (RFC 1982): there is no greatest one, after which nobody
could be heard again.
"""

from base64 import urlsafe_b64encode
import binascii
from functools import lru_cache
import hashlib
import hmac
import re

from leader_election.robot.codec import MAX_LENGTH
from leader_election.robot.wire import RejectReason

KEY_DIGITS = 64
"""The length of a key in its file [hexadecimal digits]: 256 bits."""
MOST_KEYS = 2
"""The most keys in a file: the one that signs, and one that is accepted beside it."""
SIGNATURE_LENGTH = 37
"""What a signature adds to a message [characters]."""
RING = 2**48
"""Sequence numbers are counted modulo this [ms]."""

_MEMBER = ',"s":"'
_END = '"}'
_SEQUENCE_DIGITS, _TAG_DIGITS = 8, 22
_TAG = _TAG_DIGITS + len(_END)
_SIGNATURE = _SEQUENCE_DIGITS + _TAG
_TAG_BYTES = 16
_SIGNED = re.compile(_MEMBER + '[A-Za-z0-9_-]{30}"}')

Keys = tuple[bytes, ...]
"""The keys of a robot: the first signs, all verify; none: it takes part without a key."""
NO_KEYS: Keys = ()


def parse_keys(text: str) -> Keys:
    """
    Return the keys in the text of a key file: one a line, and comments that begin with ``#``.

    :param text: the content of the file.
    :return: one key, or two while one is being changed; the first signs.
    :raises ValueError: where the text is none of that; it never quotes a key.

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
                     else 'a character that is no hexadecimal digit')
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
    Return what tells keys apart without revealing them.

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
    return (payload.endswith(_END) and payload.startswith(_MEMBER, -_SIGNATURE - len(_MEMBER))
            and _SIGNED.fullmatch(payload, len(payload) - SIGNATURE_LENGTH - 1) is not None)


def sign(payload: str, sequence: int, key: bytes) -> str:
    """
    Return a message with its signature, ``SIGNATURE_LENGTH`` characters longer.

    :param payload: the message, a JSON object with at least one member.
    :param sequence: the sequence number [ms], modulo ``RING``.

    >>> sign('{"v":1,"id":3}', 7, bytes(32))
    '{"v":1,"id":3,"s":"AAAAAAAHGm1Zp-bt-RYmQim_OvwUkQ"}'
    """
    text = (payload[:-1] + _MEMBER
            + urlsafe_b64encode((sequence % RING).to_bytes(6, 'big')).decode())
    return text + _tag(text, key) + _END


def verify(payload: str, keys: Keys) -> int | None:
    """
    Return the sequence number of a message with a valid signature by one of the keys.

    :return: in [0, ``RING``) [ms]; ``None``: the signature is wrong, or there is none.

    >>> signed = sign('{"v":1,"id":3}', 7, bytes(32))
    >>> verify(signed, (bytes(32),)), verify(signed.replace('3', '4'), (bytes(32),))
    (7, None)
    """
    return _verify(payload, keys) if is_signed(payload) else None


@lru_cache(maxsize=1024)
def _verify(payload: str, keys: Keys) -> int | None:
    """Verify; cached, since all robots of one process receive the same payloads."""
    text, tag = payload[:-_TAG], payload[-_TAG:-len(_END)]
    for key in keys:
        if hmac.compare_digest(_tag(text, key), tag):
            return int.from_bytes(binascii.a2b_base64(
                text[-_SEQUENCE_DIGITS:].replace('-', '+').replace('_', '/')), 'big')
    return None


def _tag(text: str, key: bytes) -> str:
    # Text from elsewhere may hold surrogates, which strict UTF-8 refuses.
    digest = hmac.digest(key, text.encode('utf-8', 'surrogatepass'), 'sha256')
    return urlsafe_b64encode(digest[:_TAG_BYTES]).decode()[:_TAG_DIGITS]


def ahead(one: int, other: int) -> int:
    """
    Return by how much a sequence number is ahead of another on the ring [ms]; negative: behind.

    >>> ahead(7, 5), ahead(5, 7), ahead(1, RING - 1)
    (2, -2, 2)
    """
    return (one - other + RING // 2) % RING - RING // 2


class SwarmTime:
    """
    The swarm time of one robot, and the last sequence numbers that it has accepted.

    :param start: the wall clock at time 0 of the robot's own clock [ms since 1970].
    """

    def __init__(self, start: int = 0) -> None:
        self._time = start % RING
        self._at = 0.0
        self._last: dict[int, int] = {}

    def read(self, now: float) -> int:
        """
        Return the swarm time [ms]; it never goes back.

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

    def next(self, sender: int, now: float) -> int:
        """Return the sequence number of a message that this robot sends now."""
        sequence = self.read(now)
        last = self._last.get(sender)
        if last is not None and ahead(sequence, last) <= 0:
            sequence = (last + 1) % RING
            self._time = sequence
        self._remember(sender, sequence)
        return sequence

    def accept(self, sender: int, sequence: int, window: float, now: float) -> bool:
        """
        Return whether a sequence number under a valid signature is a new one, and remember it.

        :param sender: the sender's id.
        :param window: the greatest age of a message [s].
        :param now: the time on the robot's own clock [s].
        """
        time = self.read(now)
        if not self._is_current(sequence, time, window):
            return False
        if ahead(sequence, time) > 0:
            self._time = time = sequence
        last = self._last.get(sender)
        if last is not None and ahead(sequence, last) <= 0:
            return False
        self._remember(sender, sequence)
        while not self._is_current(self._last[first := next(iter(self._last))], time, window):
            del self._last[first]
        return True

    def knows(self, sender: int, window: float, now: float) -> bool:
        """Return whether a signed message of a sender was accepted within the window."""
        last = self._last.get(sender)
        return last is not None and self._is_current(last, self.read(now), window)

    def _remember(self, sender: int, sequence: int) -> None:
        # In the order of acceptance: what has left the window is in front.
        self._last.pop(sender, None)
        self._last[sender] = sequence

    @staticmethod
    def _is_current(sequence: int, time: int, window: float) -> bool:
        return ahead(sequence, time) >= -1e3 * window


class Authentication:
    """
    What a robot signs, and which messages it believes.

    :ivar keys: the first signs, all verify; they may be replaced at any time.
    :ivar file_error: what is wrong with the file of the keys now; empty: nothing.
    :ivar window: the greatest age of a message [s].
    :ivar accept_unverified: whether unsigned messages are believed by a robot with a key, and
        signed ones by a robot without.
    """

    def __init__(self, keys: Keys = NO_KEYS, start: int = 0) -> None:
        """
        Create the authentication of one robot.

        :param start: the wall clock at time 0 of the robot's own clock [ms since 1970].
        """
        self.keys = keys
        self.file_error = ''
        self.window = 5.0
        self.accept_unverified = False
        self._time = SwarmTime(start)

    def configure(self, window: float, accept_unverified: bool) -> None:
        """Apply changed parameters."""
        self.window, self.accept_unverified = window, accept_unverified

    @property
    def room(self) -> int:
        """The greatest length of a message before it is signed [characters]."""
        return MAX_LENGTH - SIGNATURE_LENGTH if self.keys else MAX_LENGTH

    def sign(self, payload: str, sender: int, now: float) -> str:
        """
        Return a message as it is sent: signed, where there is a key.

        :param sender: the robot's own id.
        :param now: the time [s].
        """
        if not self.keys:
            return payload
        return sign(payload, self._time.next(sender, now), self.keys[0])

    def check(self, payload: str) -> tuple[int | None, RejectReason | None]:
        """
        Check the signature of a message, before anything is read from it.

        :return: its sequence number where the signature is valid, else ``None``; and why it is not
            believed, ``None`` where it is. Whatever is too long is left to the codec.
        """
        if len(payload) > MAX_LENGTH:
            return None, None
        signed = is_signed(payload)
        if self.keys and signed:
            sequence = _verify(payload, self.keys)
            return sequence, RejectReason.SIGNATURE if sequence is None else None
        if self.accept_unverified or signed == bool(self.keys):
            return None, None
        return None, RejectReason.SIGNATURE if signed else RejectReason.UNSIGNED

    def admit(self, sender: int, sequence: int | None, now: float) -> RejectReason | None:
        """
        Check that a message is no replay, and remember it.

        :param sender: the id in the message.
        :param sequence: as :meth:`check` returned it.
        :param now: the time [s].
        :return: why the message is not believed; ``None``: it is.
        """
        if not self.keys:
            return None
        if sequence is None:
            # A robot that has the key does not speak without it.
            known = self._time.knows(sender, self.window, now)
            return RejectReason.UNSIGNED if known else None
        if self._time.accept(sender, sequence, self.window, now):
            return None
        return RejectReason.REPLAY
