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
What a message tells of a region: keys ``t``, ``r`` and ``d`` of ``neighbourhood.schema.json``.

``"t":"count","r":[5,[3,4.5,6.25]],"d":[{"members":9}]``: the tasks; parent and summary, and what
else there is; the leader's decision, an entry a task. What is wrong in it costs the region's part
of the message, or its decision, but not the candidacy.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
import json
import math
from typing import Any, NamedTuple

MAX_ID = 2**53 - 1
"""The greatest integer that every JSON parser and every float64 holds exactly."""
MAX_NUMBER = 1e9
"""The greatest number that one robot may contribute; what adds up may come to ``MAX_ID``."""
MAX_DECISION = 1024
"""The longest decision [characters]."""
MOST_LEVELS = 32
"""In a decision lists and objects are so deep in each other at most."""
MAX_NAMES = 200
"""The longest list of tasks [characters]."""
MOST_NUMBERS = 1024
"""The most numbers in one row."""
DIGITS = 8
"""Numbers of a summary are told to so many significant digits; whole numbers are told as such."""
REACH_DIGITS = 4
"""So is the radius of a leader, which nothing hangs on but where its region ends."""
WHOLE_SHARE = 1000
"""Shares are told as whole numbers that add up to this."""


class RejectReason(str, Enum):
    """Why a message was dropped, or a part of it; the value is the name of its counter."""

    SIZE = 'rejected_size'
    MALFORMED = 'rejected_malformed'
    NON_FINITE = 'rejected_non_finite'
    NEGATIVE_DISTANCE = 'rejected_negative_distance'
    VERSION = 'rejected_version'
    ALGORITHM = 'rejected_algorithm'
    FRAME = 'rejected_frame'
    OWN_ID = 'rejected_own_id'
    NO_POSITION = 'rejected_no_position'
    LIMIT = 'rejected_neighbour_limit'
    SUMMARY = 'rejected_summary'
    DECISION = 'rejected_decision'
    TASKS = 'rejected_tasks'


class Told(NamedTuple):
    """What a robot tells of its region (:mod:`leader_election.coordination.region`)."""

    tasks: str = ''
    """The names of the tasks, with commas."""
    parent: int = -1
    reach: float = 0.0
    """0: not told, since there is no feedback [m]."""
    summary: tuple[float, ...] = ()
    """In all rows what stands for nothing is left out at the end."""
    recipients: tuple[int, ...] = ()
    shares: tuple[float, ...] = ()
    announcement: tuple[float, ...] = ()
    members: tuple[int, ...] = ()
    ages: tuple[int, ...] = ()
    contributions: tuple[tuple[float, ...], ...] = ()
    """A row a member."""
    decision: str = ''
    """JSON: a list with an entry for each task; empty: none."""


def write(told: Told) -> dict[str, Any]:
    """
    Return what is told as it stands in a document.

    >>> write(Told('count', 5, 0.0, (3.0, math.inf), (5, 7), (0.25, 0.75), decision='[9]'))
    {'t': 'count', 'r': [5, [3], 0, [5, 7], [250, 750]], 'd': [9]}
    """
    rows: list[Any] = [
        told.parent,
        _row(told.summary),
        _short(told.reach, REACH_DIGITS),
        list(told.recipients),
        [round(share * WHOLE_SHARE) for share in told.shares],
        _row(told.announcement),
        list(told.members),
        list(told.ages),
        [_row(contribution) for contribution in told.contributions],
    ]
    while len(rows) > 2 and rows[-1] in ([], 0):
        rows.pop()
    document: dict[str, Any] = {'t': told.tasks} if told.tasks else {}
    document['r'] = rows
    if told.decision:
        document['d'] = json.loads(told.decision)
    return document


def read(document: Mapping[str, Any]) -> tuple[Told | None, tuple[RejectReason, ...]]:
    """Return what a document tells, ``None`` for nothing, and what was wrong with it."""
    if 'r' not in document:
        return None, ()
    rows, tasks = document['r'], document.get('t', '')
    if type(tasks) is not str or len(tasks) > MAX_NAMES:
        return None, (RejectReason.TASKS,)
    if type(rows) is not list or not 2 <= len(rows) <= 9:
        return None, (RejectReason.SUMMARY,)
    parent, summary, reach, recipients, shares, announcement, members, ages, contributions = (
        rows + [0 if k == 2 else [] for k in range(len(rows), 9)]
    )
    wholes = [_wholes([parent], -1), _wholes(recipients), _wholes(shares), _wholes(members),
              _wholes(ages)]
    numbers = [_numbers(summary), _numbers([reach]), _numbers(announcement)]
    rows_told = _rows(contributions)
    if None in wholes or None in numbers or rows_told is None \
            or len(wholes[1]) != len(wholes[2]) \
            or not len(wholes[3]) == len(wholes[4]) == len(rows_told) \
            or sum(wholes[2]) not in (0, WHOLE_SHARE) \
            or not 0.0 <= numbers[1][0] <= MAX_NUMBER:
        return None, (RejectReason.SUMMARY,)
    decision, faults = '', list[RejectReason]()
    if 'd' in document:
        try:
            decision = decision_text(document['d'])
        except ValueError:
            faults.append(RejectReason.DECISION)
    return Told(tasks, wholes[0][0], numbers[1][0], numbers[0], wholes[1],
                tuple(share / WHOLE_SHARE for share in wholes[2]), numbers[2], wholes[3],
                wholes[4], rows_told, decision), tuple(faults)


def decision_text(decisions: Any) -> str:
    """
    Return what leaders decide as it is told: a list with an entry for each task.

    :raises ValueError: for what is no list, too long or too deep, or not for JSON to tell.
    """
    if type(decisions) is not list:
        raise ValueError('it is no list')
    try:
        text = dumps(decisions)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if len(text) > MAX_DECISION:
        raise ValueError(f'it has {len(text)} characters in JSON; it may have {MAX_DECISION}')
    if not _within(decisions, MOST_LEVELS):
        raise ValueError(f'it has more than {MOST_LEVELS} levels')
    return text


def _within(value: Any, levels: int) -> bool:
    """Say whether lists and objects are no deeper in each other than so many levels."""
    if not isinstance(value, (list, tuple, dict)):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_within(part, levels - 1) for part in parts)


def dumps(value: Any) -> str:
    """
    Return a value as compact JSON.

    :raises TypeError, ValueError: for what JSON cannot tell, infinities included.
    """
    return json.dumps(value, separators=(',', ':'), allow_nan=False)


def exactly(shares: Sequence[float]) -> tuple[float, ...]:
    """
    Return shares as they are told: in whole thousandths, and they still add up to one.

    >>> exactly((1 / 3, 1 / 3, 1 / 3))
    (0.334, 0.333, 0.333)
    """
    total = sum(shares)
    if not 0.0 < total < math.inf:
        return tuple(0.0 for _ in shares)
    parts = [share / total * WHOLE_SHARE for share in shares]
    wholes = [math.floor(part) for part in parts]
    short = WHOLE_SHARE - sum(wholes)
    for k in sorted(range(len(parts)), key=lambda k: wholes[k] - parts[k])[:short]:
        wholes[k] += 1
    return tuple(whole / WHOLE_SHARE for whole in wholes)


def rows_of(numbers: Sequence[float], width: int) -> tuple[tuple[float, ...], ...]:
    """
    Return numbers as rows of a width.

    >>> rows_of([1.0, 2.0, 3.0, 4.0], 2)
    ((1.0, 2.0), (3.0, 4.0))
    """
    return tuple(tuple(numbers[at:at + width]) for at in range(0, len(numbers), width))


def _row(row: Sequence[float]) -> list[Any]:
    """Return a row of numbers without what stands for nothing at its end."""
    length = len(row)
    while length > 0 and row[length - 1] == math.inf:
        length -= 1
    return [_short(number) for number in row[:length]]


def _short(number: float, digits: int = DIGITS) -> float | int | None:
    if number == math.inf:
        return None
    # An id is one, and has to be told exactly.
    if number == int(number) and abs(number) <= MAX_ID:
        return int(number)
    return float(f'{number:.{digits}g}')


def _numbers(row: Any) -> Any:
    if type(row) is not list or len(row) > MOST_NUMBERS:
        return None
    if not all(n is None or (type(n) in (int, float) and abs(n) <= MAX_ID) for n in row):
        return None
    return tuple(math.inf if n is None else float(n) for n in row)


def _rows(rows: Any) -> Any:
    if type(rows) is not list or len(rows) > MOST_NUMBERS:
        return None
    found = tuple(map(_numbers, rows))
    return None if None in found else found


def _wholes(row: Any, least: int = 0) -> Any:
    if type(row) is not list or len(row) > MOST_NUMBERS:
        return None
    return tuple(map(int, row)) if all(is_whole(n, least) for n in row) else None


def is_whole(value: Any, least: int = 0) -> bool:
    """
    Say whether a value is a whole number in range; 3.0 is one, as JSON Schema has it.

    >>> is_whole(3.0), is_whole(3.5), is_whole(True), is_whole(-1), is_whole(-1, least=-1)
    (True, False, False, False, True)
    """
    return type(value) in (int, float) and least <= value <= MAX_ID and value == int(value)
