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
The region part of a message: keys ``t``, ``r``, ``d`` of ``neighbourhood.schema.json``.

``"t":"count","r":{"p":5,"s":[3,4.5]},"d":[{"members":9}]``: the task names; the fields of
:class:`~leader_election.election.regions.region.Region` that are not empty, by their keys;
the leader's decision, an entry a task. :data:`FIELDS` declares how each field is written and read,
and the text below a field of ``Region`` describes it. Robots that do not know a key ignore it.

An impossible part is counted and ignored. The candidacy beside it still counts. A faulty robot
within the limits is believed: it can add up to ``MOST_MEMBERS`` members and arbitrary
contributions to its region. It cannot spoil other regions, nor its own for good: no number is
infinite, sums are handed on once, and all of it expires soon after the robot falls silent.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
import json
import math
from typing import Any, get_args, get_type_hints, NamedTuple

from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.messages import wire
from leader_election.election.messages.wire import Rejected, RejectReason
from leader_election.election.regions.aggregate import AggregateSet
from leader_election.election.regions.collection import RANKED, SummaryLayout
from leader_election.election.regions.region import MOST_VERSION, Region

DIGITS = 8
"""Significant digits of the numbers in rows. Whole numbers, ids among them, are exact."""
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
    if number == int(number) and abs(number) <= wire.MAX_ID:
        return int(number)
    return float(f'{number:.{digits}g}')


def _read_shares(value: Any) -> tuple[float, ...]:
    wholes = _WHOLES.read(value)
    if sum(wholes) not in (0, WHOLE_SHARE):
        raise Rejected
    return tuple([share / WHOLE_SHARE for share in wholes])


_WHOLES = wire.row(wire.whole())
_ROW = wire.row(wire.number(-wire.MAX_ID, wire.MAX_ID, null=math.inf))._replace(write=_row)
_SHARES = wire.Kind(_read_shares, wire.row(wire.whole(0, WHOLE_SHARE)).schema,
                    lambda shares: [round(share * WHOLE_SHARE) for share in shares])
_TASKS = wire.text(wire.MAX_NAMES)


class RegionPart(NamedTuple):
    """
    The part of a message about the sender's region.

    Its vectors are as short as on the wire: without the padding at their end, and rows of
    contributions as tuples of their own.
    """

    tasks: str
    region: Region
    """The fields that are sent. All others are empty."""

    def without_decision(self) -> 'RegionPart':
        """Return the part without the leader's decision."""
        return self._replace(region=self.region._replace(decision='', decision_version=0))


class _WireField(NamedTuple):
    """The wire format of one field of a region."""

    name: str
    key: str
    kind: wire.Kind
    empty: Any
    """The value that is left out."""
    model: str
    """The field with the same number of entries, empty for any number."""
    at: int
    """Its place in a region."""


def _field(name: str, key: str, kind: wire.Kind, empty: Any = (), model: str = '') -> _WireField:
    return _WireField(name, key, kind, empty, model, Region._fields.index(name))


_COUNT = wire.whole(0, MOST_VERSION)._replace(write=int)
FIELDS = (
    _field('parent', 'p', wire.whole(NOBODY)._replace(write=int), NOBODY),
    _field('summary', 's', _ROW),
    _field('reach', 'r', wire.number(0.0, wire.MAX_NUMBER)._replace(
        write=partial(_short, digits=4)), 0.0),
    _field('recipients', 'n', _WHOLES),
    _field('shares', 'f', _SHARES, model='recipients'),
    _field('announcement', 'a', _ROW),
    _field('members', 'm', _WHOLES),
    _field('ages', 'g', _WHOLES, model='members'),
    _field('contributions', 'c', wire.row(_ROW), model='members'),
    _field('decision_version', 'v', _COUNT, 0),
    _field('decision_age', 'w', _COUNT, 0))
"""The fields of a region that are sent."""
_BY_KEY = {field.key: field for field in FIELDS}
_MODELS = tuple((field.at, Region._fields.index(field.model)) for field in FIELDS if field.model)
_EMPTY = Region(**{
    **dict.fromkeys(Region._fields, ()), **{field.name: field.empty for field in FIELDS},
    'device': NOBODY, 'role': 0, 'load': 0.0, 'decision': ''})


def region_part(tasks: str = '', **fields: Any) -> RegionPart:
    """
    Return a region part with the fields given by name. All others are empty.

    >>> region_part('count', parent=5).region.summary
    ()
    """
    return RegionPart(tasks, _EMPTY._replace(**fields))


def write(part: RegionPart) -> dict[str, Any]:
    """
    Return the members of a message.

    >>> write(region_part('count', parent=5, summary=(3.0, math.inf), decision='[9]'))
    {'t': 'count', 'r': {'p': 5, 's': [3]}, 'd': [9]}
    """
    document: dict[str, Any] = {'t': part.tasks} if part.tasks else {}
    document['r'] = {field.key: field.kind.write(value) for field in FIELDS
                     if (value := part.region[field.at]) != field.empty}
    if part.region.decision:
        document['d'] = json.loads(part.region.decision)
    return document


def read(document: Mapping[str, Any]) -> tuple[RegionPart | None, tuple[RejectReason, ...]]:
    """Return the region part of a document, ``None`` without one, and the reasons to reject."""
    if 'r' not in document:
        return None, ()
    try:
        tasks = _TASKS.read(document.get('t', ''))
    except Rejected:
        return None, (RejectReason.TASKS,)
    try:
        values = _read_fields(document['r'])
    except Rejected:
        return None, (RejectReason.SUMMARY,)
    faults: tuple[RejectReason, ...] = ()
    if 'd' in document:
        try:
            values[_DECISION] = wire.decision_text(document['d'])
        except ValueError:
            faults = (RejectReason.DECISION,)
            values[_VERSION] = 0
    return RegionPart(tasks, Region._make(values)), faults


_DECISION, _VERSION, _SUMMARY = map(
    Region._fields.index, ('decision', 'decision_version', 'summary'))


def _read_fields(raw: Any) -> list[Any]:
    """Return the values of a region, in their order, or raise :class:`Rejected`."""
    values = [*_EMPTY]
    if type(raw) is not dict:
        raise Rejected
    for key, value in raw.items():
        field = _BY_KEY.get(key)
        if field is not None:
            values[field.at] = field.kind.read(value)
    for one, other in _MODELS:
        if len(values[one]) != len(values[other]):
            raise Rejected
    return values


def region_properties() -> dict[str, Any]:
    """Return the JSON Schema of the members of the part, by their keys."""
    described = wire.descriptions(Region)
    return {
        't': {'description': 'The tasks of the region, separated by commas; regions with other '
                             'tasks are ignored.', **_TASKS.schema},
        'r': {'description': 'The region part: the fields that are not empty. Identities (null) '
                             'at the end of a row are left out.',
              'type': 'object',
              'properties': {
                  field.key: {'description': described[field.name], **field.kind.schema}
                  for field in FIELDS}},
        'd': {'description': "The leader's decision: an entry for each task, null for none. At "
                             f'most {wire.MAX_DECISION} characters, and {wire.MOST_LEVELS} nested '
                             'lists and objects.', 'type': 'array'}}


REGIONS = wire.WirePart('regions', read, write, region_properties, (
    wire.Shortening(4, 'decisions_left_out', RegionPart.without_decision),
    wire.Shortening(5, 'regions_left_out', lambda part: None)))


class RegionCodec:
    """
    Packs regions of one kind into messages, and unpacks those of neighbours.

    :param tasks: the names of the tasks, as messages carry them.
    :param aggregates: the parts of a summary. Its first number is that of members.
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
        for field in FIELDS:
            value = getattr(region, field.name)
            if field.name == 'contributions':
                value = rows_of(value, len(self._aggregates.identity))
            if field.model:
                value = value[:len(values[field.model])]
            elif field.kind is _WHOLES and NOBODY in value:
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

        :param radius: of a region without feedback [m], 0 if it has none.
        """
        nothing = self.initial._replace(device=sender, reach=radius)
        if part is None:
            return nothing, None
        if part.tasks != self.tasks:
            return nothing, TASKS_DIFFER
        sent, values = part.region, [*nothing]
        values[_DECISION] = sent.decision
        for field in FIELDS:
            value: Any = sent[field.at]
            if field.at == _SUMMARY:
                # With gossip nobody sends one.
                value = (self._aggregates.identity if sent.members
                         else self._whole(value, MOST_MEMBERS))
            elif value == field.empty:
                continue
            elif field.empty == ():
                value = self._full(field, value)
            if value is None:
                return nothing, WRONG_SUMMARY
            values[field.at] = value
        return Region._make(values), None

    def _full(self, field: _WireField, value: Any) -> Any:
        """Return a vector in its full length, ``None`` for another kind of region."""
        initial: Any = self.initial[field.at]
        if field.name == 'contributions':
            rows = [self._whole(row, self._most) for row in value]
            if None in rows:
                return None
            value = tuple(chain.from_iterable(filter(None, rows)))
        elif field.name == 'announcement' and (
                len(value) not in (0, len(initial)) or math.inf in value):
            return None
        return None if len(value) > len(initial) else _filled(value, initial)

    def _whole(self, row: Sequence[float], most: int) -> tuple[float, ...] | None:
        """
        Return a row with the identity filled in at its end, ``None`` for a row of another kind.

        :param most: the most members that it may count.
        """
        identity = self._aggregates.identity
        if len(row) > len(identity) or any(n != math.inf for n in identity[len(row):]):
            return None
        full = _filled(row, identity)
        if any(number == math.inf != none for number, none in zip(full, identity)):
            return None
        members = full[0]
        if not 0.0 <= members <= most or not _records_whole(self._aggregates.layout, full):
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


_PLAIN = tuple((name, get_args(hint)[0] if get_args(hint) else hint, bool(get_args(hint)))
               for name, hint in get_type_hints(Region).items() if name != 'decision')
"""The fields of a region except the decision: name, type of numbers, vector or not."""


def plain(region: Region) -> Region:
    """Return a region in plain Python numbers, with shares as on the wire."""
    values: dict[str, Any] = {
        name: tuple(map(number, getattr(region, name))) if vector
        else number(getattr(region, name)) for name, number, vector in _PLAIN}
    return region._replace(**{**values, 'shares': whole_shares(values['shares'])})


def whole_shares(shares: Sequence[float]) -> tuple[float, ...]:
    """
    Return shares as on the wire: in whole thousandths that still add up to one.

    >>> whole_shares((1 / 9, 2 / 3, 2 / 9))
    (0.111, 0.667, 0.222)
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
