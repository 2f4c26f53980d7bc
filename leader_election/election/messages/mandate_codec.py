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

A text of whole numbers, each with 5 bits a character, the highest first; the characters are those
of base64, of which the first 32 end a number. So most members take 2 or 3 characters. The lists
behind the first two numbers, each after a point, are left out where they are empty, at the end.
"""

import re
from typing import Any

from leader_election.election.mandates.part import MandatePart, Notice
from leader_election.election.messages.wire import Kind, MAX_ID, Rejected, text

MOST_NUMBER = 2**50
"""The greatest beat; more would end the counting of all that hear it."""
ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
_DIGITS = str.maketrans(ALPHABET, 2 * '0123456789abcdefghijklmnopqrstuv')
NUMBER = '[g-z0-9+/]{0,10}[A-Za-f]'
"""The pattern of a whole number."""
_SINGLE = re.compile(NUMBER).findall
_TRIPLES = rf'[.](({NUMBER}){{3}})*'
_TEXT = text(pattern=rf'({NUMBER}){{2}}([.](({NUMBER}){{2}})*({_TRIPLES}({_TRIPLES})?)?)?')


def written(number: int) -> str:
    """
    Return a whole number from 0 on as text.

    >>> written(0), written(31), written(32), written(2_826_000_000)
    ('A', 'f', 'hA', 'i0ni10A')
    """
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
    beat, number = head[0], head[0] + head[1]
    grants, leaving, released = lists + [[]] * (3 - len(lists))
    if max(head) > MOST_NUMBER or any(
            below > number for numbers, size in ((grants, 2), (leaving, 3), (released, 3))
            for below in numbers[size - 1::size]) or any(
            robot > MAX_ID for robot in (*grants, *leaving, *released)):
        raise Rejected
    return MandatePart(
        beat, number, {member: number - below for member, below in zip(grants[::2], grants[1::2])},
        _notices(leaving, number), _notices(released, number))


def _notices(numbers: list[int], number: int) -> tuple[Notice, ...]:
    return tuple(Notice(member, leader, number - below)
                 for member, leader, below in zip(numbers[::3], numbers[1::3], numbers[2::3]))


def _write(part: MandatePart) -> str:
    number = part.number
    lists = [
        (part.beat, number - part.beat),
        [each for member, beat in part.grants.items() for each in (member, number - beat)],
        *([each for member, leader, beat in notices for each in (member, leader, number - beat)]
          for notices in (part.leaving, part.released))]
    return '.'.join(''.join(map(written, numbers)) for numbers in lists).rstrip('.')


MANDATE = Kind(_read, _TEXT.schema, _write)
"""The kind of the part of a message about mandates."""
