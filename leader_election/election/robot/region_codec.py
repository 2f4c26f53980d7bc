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
The region part of a message: keys ``t``, ``r`` and ``d`` of ``neighbourhood.schema.json``.

``"t":"count","r":[5,[3,4.5,6.25]],"d":[{"members":9}]``: the task names; the fields of
:class:`~leader_election.election.coordination.region.Region` that are sent, in the order of their
declaration, without what is empty at the end; the leader's decision, an entry a task.
The type hints of ``Region`` and their marks define how each field is written, read,
shortened and checked; so a further field is a declaration there. It must be the last one,
or the order of the others on the wire changes; the values before it are then sent even
where they are empty.

An impossible part is counted and ignored; the candidacy beside it still counts. A faulty robot
within the limits is believed: it can add up to ``MOST_MEMBERS`` members and arbitrary
contributions to its region. It cannot spoil other regions, nor its own for good: no number is
infinite, sums are handed on once, and all of it expires soon after the robot falls silent.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
import json
import math
from typing import Any, get_args, get_origin, get_type_hints, NamedTuple

from leader_election.election.algorithms.fields import KEPT, NOBODY, unmarked
from leader_election.election.coordination.aggregate import AggregateSet
from leader_election.election.coordination.region import (
    ALL_OR_NOTHING,
    AsMany,
    Digits,
    LAID_OUT,
    Region,
    SENDER,
    SHARES,
    Within,
)
from leader_election.election.coordination.summary_layout import RANKED, SummaryLayout
from leader_election.election.robot.wire import (
    decision_text,
    is_whole,
    MAX_ID,
    MAX_NAMES,
    MAX_NUMBER,
    MOST_NUMBERS,
    RejectReason,
)

DIGITS = 8
"""Significant digits of the numbers in rows; whole numbers, ids among them, are exact."""
WHOLE_SHARE = 1000
"""Shares are sent as whole numbers that add up to this."""
MOST_MEMBERS = 100_000
"""A summary of more robots than this is rejected."""
TASKS_DIFFER = 'rejected_other_tasks'
WRONG_SUMMARY = 'rejected_other_summary'


# JSON values.

def _row(row: Sequence[float]) -> list[Any]:
    """Return a row of numbers without the infinities at its end."""
    length = len(row)
    while length > 0 and row[length - 1] == math.inf:
        length -= 1
    return [_short(number) for number in row[:length]]


def _short(number: float, digits: int = DIGITS) -> float | int | None:
    if number == math.inf:
        return None
    # An id is a number, too, and has to be exact.
    if number == int(number) and abs(number) <= MAX_ID:
        return int(number)
    return float(f'{number:.{digits}g}')


def _read_number(value: Any) -> float | None:
    """Return a number that is not negative, ``None`` for anything else."""
    row = _read_row([value])
    return row[0] if row is not None and 0.0 <= row[0] <= MAX_NUMBER else None


def _read_row(row: Any) -> tuple[float, ...] | None:
    if type(row) is not list or len(row) > MOST_NUMBERS:
        return None
    if not all(n is None or (type(n) in (int, float) and abs(n) <= MAX_ID) for n in row):
        return None
    return tuple(math.inf if n is None else float(n) for n in row)


def _read_rows(rows: Any) -> tuple[tuple[float, ...], ...] | None:
    if type(rows) is not list or len(rows) > MOST_NUMBERS:
        return None
    found = [_read_row(row) for row in rows]
    return None if None in found else tuple(row for row in found if row is not None)


def _read_wholes(row: Any) -> tuple[int, ...] | None:
    if type(row) is not list or len(row) > MOST_NUMBERS:
        return None
    return tuple(map(int, row)) if all(is_whole(n) for n in row) else None


def _read_shares(row: Any) -> tuple[float, ...] | None:
    wholes = _read_wholes(row)
    if wholes is None or sum(wholes) not in (0, WHOLE_SHARE):
        return None
    return tuple(share / WHOLE_SHARE for share in wholes)


# The part of a message.

class RegionPart(NamedTuple):
    """
    The part of a message about the sender's region.

    Its vectors are as short as on the wire: without the padding at their end, and rows of
    contributions as tuples of their own.
    """

    tasks: str
    """The names of the tasks, separated by commas."""
    region: Region
    """The fields that are sent; all others are empty."""


class _WireField(NamedTuple):
    """The wire format of one field of a region."""

    name: str
    marks: tuple[Any, ...]
    vector: bool
    ids: bool
    """Whether it is a vector of ids, in which -1 stands for none."""
    empty: Any
    """The value that is left out at the end of the document."""
    write: Callable[[Any], Any]
    read: Callable[[Any], Any]
    """Returns the value, or ``None`` for invalid JSON."""

    @property
    def model(self) -> str:
        """Return the field with the same number of entries; empty: any number."""
        return next((mark.field for mark in self.marks if isinstance(mark, AsMany)), '')


def _wire_fields() -> tuple[_WireField, ...]:
    """Return the fields of a region that are sent, read off its type hints."""
    fields = []
    for name, hint in get_type_hints(Region, include_extras=True).items():
        kind, marks = unmarked(hint)
        if KEPT in marks or SENDER in marks or name == 'decision':
            continue
        vector = get_origin(kind) is tuple
        element = unmarked(get_args(kind)[0])[0] if vector else kind
        digits = next((mark.number for mark in marks if isinstance(mark, Digits)), DIGITS)
        write, read = _codec_of(element, vector, marks, digits)
        fields.append(_WireField(
            name=name, marks=marks, vector=vector, ids=vector and element is int,
            empty=[] if vector else 0, write=write, read=read))
    return tuple(fields)


def _codec_of(element: type, vector: bool, marks: Sequence[Any], digits: int,
              ) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return the functions that write and read values of one type."""
    if not vector:
        if element is int:
            least, most = next((mark for mark in marks if isinstance(mark, Within)),
                               Within(NOBODY, MAX_ID))
            return int, lambda value: (
                int(value) if is_whole(value, least) and value <= most else None)
        return (lambda value: _short(value, digits)), _read_number
    if SHARES in marks:
        return (lambda row: [round(share * WHOLE_SHARE) for share in row]), _read_shares
    if element is int:
        return list, _read_wholes
    if LAID_OUT in marks and any(isinstance(mark, AsMany) for mark in marks):
        return (lambda rows: [_row(row) for row in rows]), _read_rows
    return _row, _read_row


_FIELDS = _wire_fields()
_FEWEST = 2
"""Parent and summary are always there."""


def region_part(tasks: str = '', **fields: Any) -> RegionPart:
    """
    Return a region part with the fields given by name; all others are empty.

    >>> region_part('count', parent=5).region.summary
    ()
    """
    empty = {name: () for name in Region._fields} | {
        field.name: () if field.vector else 0 for field in _FIELDS}
    return RegionPart(tasks, Region(**{
        **empty, 'device': NOBODY, 'role': 0, 'load': 0.0, 'parent': NOBODY, 'reach': 0.0,
        'decision': '', **fields}))


def write(part: RegionPart) -> dict[str, Any]:
    """
    Return a region part as a list of JSON values.

    >>> write(region_part('count', parent=5, summary=(3.0, math.inf), recipients=(5, 7),
    ...                   shares=(0.25, 0.75), decision='[9]'))
    {'t': 'count', 'r': [5, [3], 0, [5, 7], [250, 750]], 'd': [9]}
    """
    rows = [field.write(getattr(part.region, field.name)) for field in _FIELDS]
    while len(rows) > _FEWEST and rows[-1] == _FIELDS[len(rows) - 1].empty:
        rows.pop()
    document: dict[str, Any] = {'t': part.tasks} if part.tasks else {}
    document['r'] = rows
    if part.region.decision:
        document['d'] = json.loads(part.region.decision)
    return document


def read(document: Mapping[str, Any]) -> tuple[RegionPart | None, tuple[RejectReason, ...]]:
    """Return the region part of a document, ``None`` without one, and the reasons to reject."""
    if 'r' not in document:
        return None, ()
    rows, tasks = document['r'], document.get('t', '')
    if type(tasks) is not str or len(tasks) > MAX_NAMES:
        return None, (RejectReason.TASKS,)
    if type(rows) is not list or not _FEWEST <= len(rows) <= len(_FIELDS):
        return None, (RejectReason.SUMMARY,)
    rows = rows + [field.empty for field in _FIELDS[len(rows):]]
    values = {field.name: field.read(row) for field, row in zip(_FIELDS, rows)}
    if None in values.values() or any(
            field.model and len(values[field.name]) != len(values[field.model])
            for field in _FIELDS):
        return None, (RejectReason.SUMMARY,)
    decision, faults = '', list[RejectReason]()
    if 'd' in document:
        try:
            decision = decision_text(document['d'])
        except ValueError:
            faults.append(RejectReason.DECISION)
            values['decision_version'] = 0
    return region_part(tasks, **values, decision=decision), tuple(faults)


class RegionCodec:
    """
    Packs regions of one kind into messages, and unpacks those of neighbours.

    :param tasks: the names of the tasks, as messages carry them.
    :param aggregates: the parts of a summary; its first number is that of members.
    :param initial: the region of a robot that has received nothing yet.
    :param most: the most members that one robot's own contribution may count.
    """

    def __init__(self, tasks: str, aggregates: AggregateSet, initial: Region, most: int) -> None:
        self.tasks = tasks
        self.initial = initial
        self._aggregates = aggregates
        self._most = most

    def pack(self, region: Region, feedback: bool) -> RegionPart:
        """
        Return the part of a message about a region.

        :param feedback: whether the leader's radius is worth sending.
        """
        values: dict[str, Any] = {}
        for field in _FIELDS:
            value = getattr(region, field.name)
            if field.model:
                if LAID_OUT in field.marks:
                    value = rows_of(value, len(self._aggregates.identity))
                value = value[:len(values[field.model])]
            elif field.ids and NOBODY in value:
                value = value[:value.index(NOBODY)]
            values[field.name] = value
        if not feedback:
            values['reach'] = 0.0
        if values['members']:
            # With gossip each receiver sums the contributions itself.
            values['summary'] = ()
        return region_part(self.tasks, **values, decision=region.decision)

    def unpack(self, sender: int, part: RegionPart | None, radius: float,
               ) -> tuple[Region, str | None]:
        """
        Return a neighbour's region, or the counter of the fault in an unusable part.

        :param radius: of a region without feedback [m]; 0: it has none.
        """
        nothing = self.initial._replace(device=sender, reach=radius)
        if part is None:
            return nothing, None
        if part.tasks != self.tasks:
            return nothing, TASKS_DIFFER
        sent = part.region
        values = {field.name: self._full(field, getattr(sent, field.name)) for field in _FIELDS}
        if sent.members:
            values['summary'] = self._aggregates.identity
        if None in values.values():
            return nothing, WRONG_SUMMARY
        values['reach'] = sent.reach or radius
        return nothing._replace(**values, decision=sent.decision), None

    def _full(self, field: _WireField, value: Any) -> Any:
        """Return a value in its full length; ``None`` for another kind of region."""
        if not field.vector:
            return value
        initial = getattr(self.initial, field.name)
        if LAID_OUT in field.marks:
            if not field.model:
                return self._whole(value, MOST_MEMBERS)
            rows = [self._whole(row, self._most) for row in value]
            if None in rows:
                return None
            value = tuple(chain.from_iterable(filter(None, rows)))
        elif ALL_OR_NOTHING in field.marks and (
                len(value) not in (0, len(initial)) or math.inf in value):
            return None
        return None if len(value) > len(initial) else _filled(value, initial)

    def _whole(self, row: Sequence[float], most: int) -> tuple[float, ...] | None:
        """
        Return a row with the identity filled in at its end; ``None`` for a row of another kind.

        :param most: the most members that it may count.
        """
        identity = self._aggregates.identity
        if len(row) > len(identity) or any(n != math.inf for n in identity[len(row):]):
            return None
        full = _filled(row, identity)
        if any(number == math.inf != none for number, none in zip(full, identity)):
            return None
        if not 0.0 <= full[0] <= most or not _records_whole(self._aggregates.layout, full):
            return None
        return full


def _records_whole(layout: SummaryLayout, row: Sequence[float]) -> bool:
    """Return whether each record in a row is either finite or completely left out."""
    for part, kind in enumerate(layout.kind):
        if kind == RANKED:
            width = layout.detail[part]
            for k in range(layout.start[part], layout.start[part + 1], width):
                if len(set(map(math.isfinite, row[k:k + width]))) > 1:
                    return False
    return True


def _filled(row: Sequence[Any], identity: Sequence[Any]) -> tuple[Any, ...]:
    return (*row, *identity[len(row):])


def _plain_types() -> tuple[tuple[str, Any, bool], ...]:
    """Return the fields of a region except the decision: name, type of numbers, vector or not."""
    found = []
    for name, hint in get_type_hints(Region, include_extras=True).items():
        kind, _ = unmarked(hint)
        vector = get_origin(kind) is tuple
        if name != 'decision':
            found.append((name, unmarked(get_args(kind)[0])[0] if vector else kind, vector))
    return tuple(found)


_PLAIN = _plain_types()


def plain(region: Region) -> Region:
    """Return a region in plain Python numbers, with shares as on the wire."""
    values: dict[str, Any] = {
        name: tuple(map(number, getattr(region, name))) if vector
        else number(getattr(region, name)) for name, number, vector in _PLAIN}
    return region._replace(**{**values, 'shares': whole_shares(values['shares'])})


def whole_shares(shares: Sequence[float]) -> tuple[float, ...]:
    """
    Return shares as on the wire: in whole thousandths that still add up to one.

    >>> whole_shares((1 / 3, 1 / 3, 1 / 3))
    (0.334, 0.333, 0.333)
    """
    total = sum(shares)
    if not 0.0 < total < math.inf:
        return tuple(0.0 for _ in shares)
    parts = [share / total * WHOLE_SHARE for share in shares]
    wholes = [math.floor(part) for part in parts]
    short = WHOLE_SHARE - sum(wholes)
    # The largest remainders are rounded up.
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
