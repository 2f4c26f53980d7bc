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

"""Kinds of values in messages: what they read, what they write, and their JSON Schema."""

from collections.abc import Callable
from functools import partial
import math
from typing import Annotated, Any, NamedTuple

from leader_election.election.messages.wire import (
    decision_text,
    dumps,
    Kind,
    LARGEST,
    MAX_DECISION,
    MAX_ID,
    members,
    MOST_LEVELS,
    MOST_NAMES,
    MOST_NUMBERS,
    NAMES,
    number,
    POSITIVE,
    record,
    Rejected,
    RejectReason,
    row,
    Sent,
    text,
    whole,
)
import pytest

WRONG = RejectReason.MALFORMED
NON_FINITE = RejectReason.NON_FINITE
NEGATIVE = RejectReason.NEGATIVE_DISTANCE
# Each test makes its kinds itself.
RANGE = partial(whole, 2, 4)
ANY = number
UNIT = partial(number, 0.0, 1.0, otherwise=NEGATIVE)
MAYBE = partial(number, 0.0, 9.0, null=math.inf)
UNKNOWN = partial(number, 0.0, 9.0, null=math.nan, decimals=1)
CODE = partial(text, 9, pattern='[a-z]|1')
SHORT = partial(text, 3, 1)


def rows(kind: Callable[[], Kind], *limits: int) -> Callable[[], Kind]:
    """Return a maker of the kind of rows of a kind."""
    return lambda: row(kind(), *limits)


def records(*kinds: Callable[[], Kind], least: int | None = None) -> Callable[[], Kind]:
    """Return a maker of the kind of records of kinds."""
    return lambda: record(*[kind() for kind in kinds], least=least)


def read(kind: Kind, value: Any) -> Any:
    """Return the value that a kind reads, or the reason for rejecting it."""
    try:
        return kind.read(value)
    except Rejected as rejected:
        return rejected.reason


@pytest.mark.parametrize(('kind', 'value', 'found'), [
    (RANGE, 2, 2), (RANGE, 4, 4), (RANGE, 1, WRONG), (RANGE, 5, WRONG),
    (RANGE, 2.0, 2), (RANGE, 4.0, 4), (RANGE, 1.0, WRONG),
    (RANGE, 5.0, WRONG), (RANGE, 2.5, WRONG), (RANGE, True, WRONG),
    (whole, 0, 0), (whole, -1, WRONG), (whole, MAX_ID, MAX_ID), (whole, MAX_ID + 1, WRONG),
    (ANY, LARGEST, LARGEST), (ANY, -LARGEST, -LARGEST), (ANY, math.inf, NON_FINITE),
    (ANY, math.nan, NON_FINITE), (ANY, 10 ** 400, NON_FINITE), (ANY, -10 ** 400, NON_FINITE),
    (ANY, int(LARGEST), LARGEST), (ANY, -int(LARGEST), -LARGEST),
    (ANY, '1', WRONG), (ANY, None, WRONG), (ANY, False, WRONG),
    (UNIT, 0.0, 0.0), (UNIT, 1.0, 1.0), (UNIT, 1, 1.0), (UNIT, -0.1, NEGATIVE),
    (UNIT, 2, NEGATIVE), (UNIT, -math.inf, NON_FINITE), (UNIT, None, WRONG),
    (MAYBE, None, math.inf), (MAYBE, 9, 9.0),
    (SHORT, 'abc', 'abc'), (SHORT, 'a', 'a'), (SHORT, '', WRONG),
    (SHORT, 'abcd', WRONG), (SHORT, 5, WRONG), (text, '', ''),
    (CODE, 'a', 'a'), (CODE, 'ab', WRONG), (partial(text, pattern=r'\w'), 'é', WRONG),
    (rows(UNIT, 2), [], ()), (rows(UNIT, 2), [0, 1], (0.0, 1.0)),
    (rows(UNIT, 2), [0, 1, 1], WRONG), (rows(UNIT, 2), [2], NEGATIVE),
    (rows(UNIT, 2), (0, 1), WRONG), (rows(UNIT), [0] * MOST_NUMBERS, (0.0,) * MOST_NUMBERS),
    (rows(UNIT), [0] * (MOST_NUMBERS + 1), WRONG),
    (records(UNIT), [1], (1.0,)), (records(UNIT), [], WRONG), (records(UNIT), [1, 1], WRONG),
    (records(UNIT, whole), [1, 7], (1.0, 7)), (records(UNIT, whole), [7, 1], NEGATIVE),
    (records(UNIT, whole), [1], WRONG), (records(UNIT, whole), (1, 7), WRONG),
    (records(UNIT, whole, text), [1, 7, 'a'], (1.0, 7, 'a')),
    (records(UNIT, whole, text, partial(whole, 9)), [1, 7, 'a', 9], (1.0, 7, 'a', 9)),
    (records(UNIT, whole, least=1), [1], (1.0,)), (records(UNIT, whole, least=1), [], WRONG),
])
def test_kind_reads_values_within_its_limits_and_rejects_others_with_a_reason(
        kind: Callable[[], Kind], value: Any, found: Any) -> None:
    result = read(kind(), value)
    assert (result, type(result)) == (found, type(found))


@pytest.mark.parametrize(('value', 'found'), [
    ({'7': '/a'}, {7: '/a'}), ({}, {}), ({'7': 'a'}, WRONG),
    ({str(MAX_ID): '/'}, {MAX_ID: '/'}), ({str(MAX_ID + 1): '/'}, WRONG),
    ({'a': '/'}, WRONG), ([], WRONG),
    ({str(i): '/a' for i in range(MOST_NAMES)}, dict.fromkeys(range(MOST_NAMES), '/a')),
    ({str(i): '/a' for i in range(MOST_NAMES + 1)}, WRONG),
])
def test_names_are_namespaces_by_ids(value: Any, found: Any) -> None:
    assert read(NAMES, value) == found


@pytest.mark.parametrize(('kind', 'value', 'written'), [
    (UNIT, 0.123456, 0.123456), (MAYBE, math.inf, None), (MAYBE, 2.0, 2.0),
    (UNKNOWN, math.nan, None), (UNKNOWN, 1.26, 1.3), (UNKNOWN, 9.7, 9.0), (UNKNOWN, -1.0, 0.0),
    (partial(number, POSITIVE, 9.0, decimals=2), 0.0, 0.01),
    (partial(number, -1.0, 9.0, decimals=2), -3.0, -1.0),
    (partial(number, decimals=2), 1.234, 1.23),
    (rows(UNKNOWN), (math.nan, 1.26), [None, 1.3]),
    (records(UNKNOWN, UNKNOWN), (math.nan, 1.26), [None, 1.3]),
    (records(UNKNOWN, UNKNOWN), (1.26, math.nan), [1.3, None]),
    (records(UNKNOWN, UNKNOWN, least=1), (1.26, math.nan), [1.3]),
    (records(UNKNOWN, UNKNOWN, least=1), (math.nan, math.nan), [None]),
    (records(UNKNOWN, UNKNOWN, least=0), (math.nan, math.nan), []),
])
def test_kind_writes_a_value_as_it_read_the_value(
        kind: Callable[[], Kind], value: Any, written: Any) -> None:
    assert kind().write(value) == written




class Told(NamedTuple):
    """A field that is sent, with its unit, and one that is not."""

    speed: Annotated[float, 'm/s', Sent('s', NAMES)]
    name: str


@pytest.mark.parametrize(('make', 'schema'), [
    (text, {'type': 'string'}),
    (partial(text, 5, 2, 'a|b'), {
        'type': 'string', 'minLength': 2, 'maxLength': 5, 'pattern': '^(a|b)$'}),
    (partial(number, POSITIVE, 9.0), {'type': 'number', 'exclusiveMinimum': 0, 'maximum': 9.0}),
    (partial(number, -1.0, null=math.inf), {'type': ['number', 'null'], 'minimum': -1.0}),
    (lambda: row(text(), 3), {'type': 'array', 'items': {'type': 'string'}, 'maxItems': 3}),
    (lambda: record(text(), number(), least=1), {
        'type': 'array', 'prefixItems': [{'type': 'string'}, {'type': 'number'}], 'minItems': 1,
        'maxItems': 2})])
def test_schema_of_a_kind_says_its_limits(make: Callable[[], Kind], schema: Any) -> None:
    assert make().schema == schema


def test_members_of_a_part_are_its_marked_fields() -> None:
    assert members(Told) == {'speed': Sent('s', NAMES)}


def nested(levels: int, innermost: Any = 1) -> Any:
    """Return lists in lists, the outermost one included, and objects in turn with them."""
    value = innermost
    for level in range(levels - 1):
        value = {'a': value} if level % 2 else [value]
    return [value]


def test_decision_is_compact_json_within_its_limits() -> None:
    assert decision_text([{'a': [1, 'é']}, None]) == dumps([{'a': [1, 'é']}, None])
    assert decision_text([{'a': [1, 2]}]) == '[{"a":[1,2]}]'
    assert len(decision_text(['x' * (MAX_DECISION - 4)])) == MAX_DECISION
    assert decision_text(nested(MOST_LEVELS)) == dumps(nested(MOST_LEVELS))
    wide = [nested(MOST_LEVELS - 1), *[[1]] * MOST_LEVELS]
    assert decision_text(wide) == dumps(wide)


@pytest.mark.parametrize('value', [
    'text', (1,), None, [math.inf], [object()], ['x' * (MAX_DECISION - 3)],
    nested(MOST_LEVELS + 1), nested(MOST_LEVELS + 1, []), nested(MOST_LEVELS + 1, {}),
    nested(10_000)],
    ids=['text', 'tuple', 'none', 'infinity', 'object', 'long', 'deep', 'deep list', 'deep object',
         'deeper than JSON'])
def test_decision_is_refused_when_it_cannot_be_sent(value: Any) -> None:
    with pytest.raises(ValueError, match='it |JSON|recursion'):
        decision_text(value)
