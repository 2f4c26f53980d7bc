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
"""The aggregates of the package, by hand; they may be combined in any order."""

from math import inf, nan
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.coordination import summary_layout
from leader_election.election.coordination.aggregate import (
    Aggregate,
    AGGREGATES,
    AggregateSet,
    all_of,
    any_of,
    count,
    greatest,
    histogram,
    layout_of,
    least,
    mean,
    MOST_NUMBERS,
    top,
    total,
    union,
)
from leader_election.election.coordination.summary_layout import ADD, combine, LEAST, OWN
import pytest


def together(aggregate: Aggregate, readings: dict[int, Any]) -> Any:
    """Return what these readings, by the robots' ids, come to."""
    parts = layout_of([aggregate])
    row = list(aggregate.identity)
    for robot_id, reading in readings.items():
        combine(parts, row, tuple(aggregate.contribution(robot_id, reading)), 1.0)
    return aggregate.result(tuple(row))


@pytest.mark.parametrize(('aggregate', 'readings', 'expected', 'of_nobody'), [
    (count(), [True, False, True], 2.0, 0.0),
    (total(), [1.5, -0.5, 2.0], 3.0, 0.0),
    (total(2), [(1.0, 2.0), (3.0, 4.0)], [4.0, 6.0], [0.0, 0.0]),
    (mean(), [1.0, 2.0, 6.0], 3.0, None),
    (mean(2), [(1.0, 2.0), (3.0, 6.0)], [2.0, 4.0], None),
    (least(), [3.0, -1.0, 2.0], -1.0, None),
    (greatest(), [3.0, -1.0, 2.0], 3.0, None),
    (any_of(), [False, True, False], True, False),
    (any_of(), [False, False], False, False),
    (all_of(), [True, True], True, True),
    (all_of(), [True, False, True], False, True),
    # From 0 to 3 in three bins: 3 itself and what is beyond are in the last, -1 in the first.
    (histogram(0.0, 3.0, 3), [-1.0, 0.0, 0.9, 1.0, 3.0, 50.0], [3.0, 1.0, 2.0], [0.0] * 3),
    # The ids are 1, 2, 3, 4: of the two 5.0 that of the lower id comes first.
    (top(2), [1.0, 5.0, 5.0, 3.0], [[5.0, 2], [5.0, 3]], []),
    (top(2, reverse=True), [1.0, 5.0, 5.0, 3.0], [[1.0, 1], [3.0, 4]], []),
    (top(1, extra=2), [(1.0, 7.0, 8.0), (2.0, 9.0, 6.0)], [[2.0, 2, 9.0, 6.0]], []),
    (union(4), [True, False, True, True], [1, 3, 4], []),
    (union(2), [True, False, True, True], [1, 3], []),
])
def test_result_of_each_aggregate(
        aggregate: Aggregate, readings: list[Any], expected: Any, of_nobody: Any) -> None:
    assert together(aggregate, dict(enumerate(readings, 1))) == expected
    assert together(aggregate, {}) == of_nobody


NUMBERS = st.integers(-20, 20).map(float)
"""Whole, so that sums are exact in any order."""
READINGS: dict[str, st.SearchStrategy[Any]] = {
    name: NUMBERS for name in ('sum', 'mean', 'min', 'max', 'histogram', 'top')}
READINGS.update((name, st.booleans()) for name in ('count', 'any', 'all', 'union'))


def test_laws_are_tested_of_all_registered_aggregates() -> None:
    assert set(AGGREGATES.names()) == set(READINGS)


def combined(aggregate: Aggregate, into: Any, other: Any) -> Any:
    row = list(into)
    combine(layout_of([aggregate]), row, other, 1.0)
    return row


@pytest.mark.parametrize('name', sorted(READINGS))
@settings(max_examples=50, deadline=None)
@given(st.data())
def test_combination_is_commutative_associative_with_identity(
        name: str, data: st.DataObject) -> None:
    aggregate = AGGREGATES.get(name).make()
    # Of each robot there is one reading: a robot's own does not contradict itself.
    reading = data.draw(st.fixed_dictionaries({i: READINGS[name] for i in range(6)}))

    def draw() -> list[float]:
        row = list(aggregate.identity)
        once = not aggregate_is_idempotent(aggregate)
        for i in data.draw(st.lists(st.integers(0, 5), max_size=5, unique=once)):
            row = combined(aggregate, row, aggregate.contribution(i, reading[i]))
        return row

    a, b, c = draw(), draw(), draw()
    assert combined(aggregate, a, aggregate.identity) == a
    assert combined(aggregate, aggregate.identity, a) == a
    assert combined(aggregate, a, b) == combined(aggregate, b, a)
    assert combined(aggregate, combined(aggregate, a, b), c) \
        == combined(aggregate, a, combined(aggregate, b, c))
    if aggregate_is_idempotent(aggregate):
        assert combined(aggregate, a, a) == a


def aggregate_is_idempotent(aggregate: Aggregate) -> bool:
    """Say so of what ships: all but what adds up."""
    return aggregate.kind != ADD


def test_aggregate_set_lays_aggregates_side_by_side() -> None:
    aggregates = AggregateSet({'n': count(), 'where': mean(2), 'low': least()})
    assert aggregates.layout.start == (0, 1, 4, 5)
    assert aggregates.layout.kind == (ADD, ADD, LEAST)
    assert aggregates.identity == (0.0, 0.0, 0.0, 0.0, inf)
    row = list(aggregates.contribution(1, {'n': True, 'where': (2.0, 3.0), 'low': 7}))
    # A robot that has not measured anything, and says so or not.
    combine(aggregates.layout, row, aggregates.contribution(2, {'n': True, 'low': None}), 1.0)
    assert aggregates.results(row) == {'n': 2.0, 'where': [2.0, 3.0], 'low': 7.0}


@pytest.mark.parametrize(('readings', 'message'), [
    ({'heat': 1.0}, 'heat is not collected, but n, x, low, best'),
    ({'x': 'warm'}, "x: 'warm'"),
    ({'x': [1.0]}, r'x: \[1.0\]'),
    ({'x': (1.0, 2.0, 3.0)}, 'takes 2 numbers'),
    ({'x': (1.0, inf)}, 'not finite'),
    ({'x': (nan, 1.0)}, 'not finite'),
    ({'x': (10 ** 400, 1.0)}, 'x: '),
    ({'low': -inf}, 'not finite'),
    ({'low': inf}, 'not finite'),
    ({'low': nan}, 'not finite'),
    ({'best': (1.0, inf)}, 'not finite'),
    ({'best': (-inf, 1.0)}, 'not finite'),
    ({'best': range(10 ** 9)}, 'best: '),
])
def test_wrong_reading_is_refused_with_its_name(readings: dict[str, Any], message: str) -> None:
    aggregates = AggregateSet(
        {'n': count(), 'x': mean(2), 'low': least(), 'best': top(2, extra=1)}
    )
    with pytest.raises(ValueError, match=message):
        aggregates.contribution(1, readings)


def test_own_combine_function_is_registered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def longest(a: Any, b: Any) -> Any:
        return max(a, b)

    monkeypatch.setattr(summary_layout, 'OWNS', [min])
    own = Aggregate('longest', OWN, (0.0, 0.0), lambda _, reading: reading, list, combine=longest)
    assert layout_of([own, own]).detail == (1, 1)
    assert together(own, {1: (1.0, 5.0), 2: (1.0, 6.0), 3: (0.0, 9.0)}) == [1.0, 6.0]


@pytest.mark.parametrize('numbers', [0, MOST_NUMBERS + 1])
def test_aggregate_of_too_many_numbers_is_refused(numbers: int) -> None:
    with pytest.raises(ValueError, match=f'{numbers} numbers are not allowed'):
        total(numbers)
    assert len(total(MOST_NUMBERS).identity) == MOST_NUMBERS
