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

``"g":[52,1,[4,0,7,2],[9,3,5]]``: the beat of the sender's leader; by how much the greatest
number that the sender has seen is above; the members with their granted beats; those that leave a
leader, as member, leader and beat; those released, likewise. Beats are sent as what they
are below that greatest number; empty lists at the end are left out.
"""

from itertools import chain
from typing import Any

from leader_election.election.mandates.part import (
    MandatePart,
    MOST_GRANTS,
    MOST_NOTICES,
    Notice,
)
from leader_election.election.robot.wire import Kind, MAX_ID, record, Rejected, row, whole

MOST_NUMBER = 2**50
"""The greatest beat; more would end the counting of all that hear it."""
_SIZES = (2, 3, 3)
_RECORD = record(whole(0, MOST_NUMBER), whole(0, MOST_NUMBER), *(
    row(whole(0, MAX_ID), size * most) for size, most in zip(
        _SIZES, (MOST_GRANTS, MOST_NOTICES, MOST_NOTICES))), least=2)


def _read(value: Any) -> MandatePart:
    beat, above, *rest = _RECORD.read(value)
    number, lists = beat + above, list[Any]()
    for flat, size in zip(rest, _SIZES):
        if len(flat) % size:
            raise Rejected
        lists.append([flat[at:at + size] for at in range(0, len(flat), size)])
    grants, leaving, released = lists + [[]] * (len(_SIZES) - len(lists))
    if any(below > number for _, below in grants) or any(
            each[2] > number for each in chain(leaving, released)):
        raise Rejected
    return MandatePart(beat, number, {member: number - below for member, below in grants},
                       *(tuple(Notice(member, leader, number - below)
                               for member, leader, below in each)
                         for each in (leaving, released)))


def _write(part: MandatePart) -> list[Any]:
    number = part.number
    lists: list[Any] = [
        part.beat, number - part.beat,
        [each for member, beat in part.grants.items() for each in (member, number - beat)],
        *([each for member, leader, beat in notices
           for each in (member, leader, number - beat)]
          for notices in (part.leaving, part.released))]
    while lists[-1] == []:
        lists.pop()
    return lists


MANDATE = Kind(_read, _RECORD.schema, _write)
"""The kind of the part of a message about mandates."""
