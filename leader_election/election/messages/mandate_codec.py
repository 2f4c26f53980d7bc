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
The part of a message about mandates: key ``g`` of ``neighbourhood.schema.json``.

A text of whole numbers, each with 5 bits a character, the highest first. The characters are those
of base64, of which the first 32 end a number. So most members take 2 or 3 characters. The lists
behind the first numbers, each after a point, are left out where they are empty, at the end.
"""

from collections.abc import Mapping
import re
from typing import Annotated, Any, NamedTuple

from leader_election.election.mandates.mandates import MandatePart, Notice
from leader_election.election.mandates.parameters import DIGEST_BITS, NO_MARK, RosterMark
from leader_election.election.messages import wire
from leader_election.election.messages.wire import Rejected, RejectReason

MOST_NUMBER = 2**50
"""The greatest beat. More would end the counting of all that hear it."""
ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
_DIGITS = str.maketrans(ALPHABET, 2 * '0123456789abcdefghijklmnopqrstuv')
NUMBER = '[g-z0-9+/]{0,10}[A-Za-f]'
"""The pattern of a whole number."""
_SINGLE = re.compile(NUMBER).findall
_TRIPLES = rf'[.](({NUMBER}){{3}})*'
_PAIRS = rf'(({NUMBER}){{2}})'
_TEXT = wire.text(pattern=rf'({NUMBER}){{3}}{_PAIRS}?([.]{_PAIRS}*({_TRIPLES}({_TRIPLES})?)?)?')


def written(number: int) -> str:
    """
    Return a whole number from 0 on as text.

    :raises ValueError: for a negative one, which has no end.

    >>> written(0), written(31), written(32), written(2_826_000_000)
    ('A', 'f', 'hA', 'i0ni10A')
    """
    if number < 0:
        raise ValueError(f'{number} is negative')
    found = ALPHABET[number & 31]
    while number := number >> 5:
        found = ALPHABET[32 | number & 31] + found
    return found


def numbers_in(text: str) -> list[int]:
    """
    Return the whole numbers in a text.

    >>> numbers_in('AfhA')
    [0, 31, 32]
    """
    return [int(each.translate(_DIGITS), 32) for each in _SINGLE(text)]


def _read(value: Any) -> MandatePart:
    head, *lists = map(numbers_in, _TEXT.read(value).split('.'))
    beat, number, digest = head[0], head[0] + head[1], head[2]
    proven = RosterMark(*head[3:]) if head[3:] else NO_MARK
    grants, leaving, released = lists + [[]] * (3 - len(lists))
    if max(head) > MOST_NUMBER or (digest | proven.digest) >> DIGEST_BITS or any(
            below > number for numbers, size in ((grants, 2), (leaving, 3), (released, 3))
            for below in numbers[size - 1::size]) or any(
            robot > wire.MAX_ID for robot in (*grants, *leaving, *released)):
        raise Rejected
    return MandatePart(
        beat, number, {member: number - below for member, below in zip(grants[::2], grants[1::2])},
        _notices(leaving, number), _notices(released, number), digest, proven)


def _notices(numbers: list[int], number: int) -> tuple[Notice, ...]:
    return tuple(Notice(member, leader, number - below)
                 for member, leader, below in zip(numbers[::3], numbers[1::3], numbers[2::3]))


def _write(part: MandatePart) -> str:
    number = part.number
    lists = [
        (part.beat, number - part.beat, part.digest,
         *(() if part.proven == NO_MARK else part.proven)),
        [each for member, beat in part.grants.items() for each in (member, number - beat)],
        *([each for member, leader, beat in notices for each in (member, leader, number - beat)]
          for notices in (part.leaving, part.released))]
    return '.'.join(''.join(map(written, numbers)) for numbers in lists).rstrip('.')


class MandateMembers(NamedTuple):
    """The member of a message that holds the part about mandates."""

    part: Annotated[MandatePart, wire.Sent('g', wire.Kind(_read, _TEXT.schema, _write))]
    """
    The part about mandates, if its leaders have them: the beat of the sender's leader; by how much
    the greatest number that the sender has seen is above. A digest of its settings of mandates (30
    bits), and robots with different digests use nothing but that greatest number and the next two
    of each other; with a quorum the newest roster under which a leader is known to have acted, as
    twice its version, less one while it changes, and a digest (30 bits). After points the members
    and the beats that they have granted (of a leader that acts: itself and its term); those that
    leave a leader, as member, leader, beat; those released, likewise. But for the first,
    beats are sent as what they are below that greatest number. Each number has 5 bits a character
    of base64, the highest first. Characters from g on are not its last. Empty lists at the end are
    left out. A wrong part is ignored. The message counts.
    """


_KIND = wire.members(MandateMembers)['part'].kind


def read(document: Mapping[str, Any]) -> tuple[MandatePart | None, tuple[RejectReason, ...]]:
    """Return the part about mandates in a document, ``None`` without one, and the faults."""
    if 'g' not in document:
        return None, ()
    try:
        return _KIND.read(document['g']), ()
    except Rejected:
        return None, (RejectReason.MANDATE,)


def write(part: MandatePart) -> dict[str, Any]:
    """
    Return the member of a message.

    >>> write(MandatePart(5, 7, {3: 6}))
    {'g': 'FCA.DB'}
    """
    return {'g': _KIND.write(part)}


def with_newer_grants(part: MandatePart) -> MandatePart:
    """Return a part with the newer half of its grants. Other members are under no mandate."""
    newest = sorted(part.grants.items(), key=lambda each: -each[1])
    return part._replace(grants=dict(newest[:(len(newest) + 1) // 2]))


GRANTS_LEFT_OUT = 'grants_left_out'
MANDATES = wire.WirePart('mandates', read, write, lambda: wire.properties(MandateMembers), (
    wire.Shortening(3, GRANTS_LEFT_OUT, with_newer_grants),
    wire.Shortening(7, GRANTS_LEFT_OUT, with_newer_grants, repeats=10)))
