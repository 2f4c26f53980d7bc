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

"""Aggregates, the layout of their rows, roles and parents."""

from collections.abc import Callable, Iterator
from functools import partial
from math import inf, nan
from typing import Any

from election.regions.regions import columns
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions import collection
from leader_election.election.regions.aggregate import (
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
from leader_election.election.regions.collection import (
    ADD,
    combine,
    contributes_nothing,
    LEAST,
    OWN,
    rank,
    RANKED,
    SummaryLayout,
)
from leader_election.election.regions.region import (
    parent_of,
)
import pytest


def together(aggregate: Aggregate, readings: dict[int, Any]) -> Any:
    """Return the combined result of readings by robot id."""
    parts = layout_of([aggregate])
    row = list(aggregate.identity)
    for robot_id, reading in readings.items():
        combine(parts, row, tuple(aggregate.contribution(robot_id, reading)), 1.0)
    return aggregate.result(tuple(row))


@pytest.mark.parametrize(('make', 'readings', 'expected', 'of_nobody'), [
    (count, [True, False, True], 2.0, 0.0),
    (total, [1.5, -0.5, 2.0], 3.0, 0.0),
    (partial(total, 2), [(1.0, 2.0), (3.0, 4.0)], [4.0, 6.0], [0.0, 0.0]),
    (mean, [1.0, 2.0, -6.0], -1.0, None),
    (partial(mean, 2), [(1.0, 2.0), (3.0, 6.0)], [2.0, 4.0], None),
    (least, [3.0, -1.0, 2.0], -1.0, None),
    (greatest, [3.0, -1.0, 2.0], 3.0, None),
    (any_of, [False, True, False], True, False),
    (any_of, [False, False], False, False),
    (all_of, [True, True], True, True),
    (all_of, [True, False, True], False, True),
    # From 0 to 3 in three bins: 3 itself and what is beyond are in the last, -1 in the first.
    (partial(histogram, 0.0, 3.0, 3), [-1.0, 0.0, 0.9, 1.0, 3.0, 50.0], [3.0, 1.0, 2.0],
     [0.0] * 3),
    (histogram, [0.05, 0.95, 0.95], [1.0, *[0.0] * 8, 2.0], [0.0] * 10),
    (partial(histogram, 2.0, 4.0, 2), [2.5, 3.5, 3.5], [1.0, 2.0], [0.0] * 2),
    # The ids are 1, 2, 3, 4: of the two 5.0 that of the lower id comes first.
    (partial(top, 2), [1.0, 5.0, 5.0, 3.0], [[5.0, 2], [5.0, 3]], []),
    (partial(top, 2, reverse=True), [1.0, 5.0, 5.0, 3.0], [[1.0, 1], [3.0, 4]], []),
    (partial(top, 1, extra=2), [(1.0, 7.0, 8.0), (2.0, 9.0, 6.0)], [[2.0, 2, 9.0, 6.0]], []),
    (top, [1.0, 5.0, 5.0, 3.0], [[5.0, 2], [5.0, 3], [3.0, 4]], []),
    (union, [range(20)], [*range(16)], []),
    (partial(union, 4), [{9, 3}, (), [3], {4}], [3, 4, 9], []),
    (partial(union, 2), [{9, 3}, (), [3], {4}], [3, 4], []),
])
def test_aggregate_returns_its_result(
        make: Callable[[], Aggregate], readings: list[Any], expected: Any, of_nobody: Any) -> None:
    aggregate = make()
    assert together(aggregate, dict(enumerate(readings, 1))) == expected
    assert together(aggregate, {}) == of_nobody


def test_aggregates_are_selected_by_their_names() -> None:
    assert [make().name for make in (
        count, total, mean, least, greatest, any_of, all_of, histogram, top, union)] == [
            'count', 'sum', 'mean', 'min', 'max', 'any', 'all', 'histogram', 'top', 'union']


@pytest.mark.parametrize('aggregate', [
    Aggregate('pair', ADD, (0.0, 0.0), lambda _, reading: reading, list), total(2)])
def test_no_more_than_one_number_too_many_is_read_of_a_reading(aggregate: Aggregate) -> None:
    def endless() -> Iterator[float]:
        yield from (1.0, 2.0, 3.0)
        raise AssertionError('it is read on')
    with pytest.raises(ValueError, match='is not allowed'):
        AggregateSet({'own': aggregate}).contribution(1, {'own': endless()})


@pytest.mark.parametrize('numbers', [(1.0,), (1.0, 2.0, 3.0)])
def test_contribution_is_refused_when_it_has_another_number_of_numbers(
        numbers: tuple[float, ...]) -> None:
    wrong = AggregateSet({'two': Aggregate(
        'pair', ADD, (0.0, 0.0), lambda _, reading: numbers, lambda row: None)})
    with pytest.raises(ValueError, match='two: 5 is not allowed; aggregate pair'):
        wrong.contribution(1, {'two': 5})


NUMBERS = st.integers(-20, 20).map(float)
"""Whole, so that sums are exact in any order."""
READINGS: dict[str, st.SearchStrategy[Any]] = dict.fromkeys(
    ('sum', 'mean', 'min', 'max', 'histogram', 'top'), NUMBERS)
READINGS.update((name, st.booleans()) for name in ('count', 'any', 'all'))
READINGS['union'] = st.frozensets(st.integers(0, 40))


def combined(aggregate: Aggregate, into: Any, other: Any) -> Any:
    row = list(into)
    combine(layout_of([aggregate]), row, other, 1.0)
    return row


@pytest.mark.parametrize('name', sorted(READINGS))
@given(st.data())
def test_combination_is_commutative_associative_with_identity(
        name: str, data: st.DataObject) -> None:
    aggregate = AGGREGATES.get(name).make()
    # Of each robot there is one reading: a robot's own does not contradict itself.
    reading = data.draw(st.fixed_dictionaries(dict.fromkeys(range(6), READINGS[name])))

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


def test_aggregate_set_places_aggregates_side_by_side() -> None:
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
def test_reading_is_refused_with_its_name_when_wrong(
        readings: dict[str, Any], message: str) -> None:
    aggregates = AggregateSet(
        {'n': count(), 'x': mean(2), 'low': least(), 'best': top(2, extra=1)}
    )
    with pytest.raises(ValueError, match=message):
        aggregates.contribution(1, readings)


def test_combine_function_of_a_user_is_registered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def longest(a: Any, b: Any) -> Any:
        return max(a, b)

    monkeypatch.setattr(collection, 'OWNS', [min])
    own = Aggregate('longest', OWN, (0.0, 0.0), lambda _, reading: reading, list, combine=longest)
    assert layout_of([own, own]).detail == (1, 1)
    assert together(own, {1: (1.0, 5.0), 2: (1.0, 6.0), 3: (0.0, 9.0)}) == [1.0, 6.0]


@pytest.mark.parametrize('numbers', [0, MOST_NUMBERS + 1])
def test_aggregate_of_too_many_numbers_is_refused(numbers: int) -> None:
    with pytest.raises(ValueError, match=f'{numbers} numbers are not allowed'):
        total(numbers)
    assert len(total(MOST_NUMBERS).identity) == MOST_NUMBERS


# How parts of a summary combine: by hand, and that the order of combining makes no difference.

ALL = SummaryLayout((ADD, LEAST, RANKED), (0, 2, 3, 9), (0, 0, 3))
"""Two numbers that add up, a least one, and the first two records of three numbers."""
NOTHING = (inf,) * 3


def test_combine_scales_additive_parts_by_the_share_only() -> None:
    into = [1.0, 10.0, 5.0, 1.0, 7.0, 0.5, *NOTHING]
    combine(ALL, into, [2.0, -4.0, 3.0, 0.0, 8.0, 0.25, *NOTHING], 0.5)
    # 1 + 2 / 2, 10 - 4 / 2, the lesser of 5 and 3, the record with key 0 before that with 1.
    assert into == [2.0, 8.0, 3.0, 0.0, 8.0, 0.25, 1.0, 7.0, 0.5]


@pytest.mark.parametrize('wrong', [
    [1e100, -1e100, -inf, 3.0, inf, 0.5, inf, 4.0, 0.5], [inf, -inf, inf, *NOTHING, *NOTHING]])
def test_combine_ignores_numbers_that_are_not_finite_or_too_large(wrong: list[float]) -> None:
    into = [1.0, 10.0, 5.0, 2.0, 7.0, 0.5, *NOTHING]
    combine(ALL, into, wrong, 1.0)
    assert into == [1.0, 10.0, 5.0, 2.0, 7.0, 0.5, *NOTHING]


def test_identity_contributes_nothing() -> None:
    identity = (0.0, 0.0, inf, *NOTHING, *NOTHING)
    assert contributes_nothing(ALL, identity)
    for at in range(9):
        assert not contributes_nothing(ALL, [*identity[:at], 1.0, *identity[at + 1:]])
    assert contributes_nothing(SummaryLayout((ADD, OWN), (0, 1, 2), (0, 0)), (0.0, 7.0))


RECORDS = st.lists(
    st.tuples(st.integers(0, 4).map(float), st.integers(0, 6).map(float)), max_size=8)


def ranked(records: list[tuple[float, float]], places: int) -> list[float]:
    """Return the first records, one an id, worked out by sorting."""
    best: dict[float, float] = {}
    for key, who in records:
        best[who] = min(key, best.get(who, inf))
    first = sorted((key, who) for who, key in best.items())[:places]
    return [number for record in first for number in record] + [inf] * 2 * (places - len(first))


@given(RECORDS, st.integers(1, 4))
def test_rank_of_many_records_equals_sorting(
        records: list[tuple[float, float]], places: int) -> None:
    into = [inf] * 2 * places
    for record in records:
        rank(into, 0, len(into), 2, record, 0)
    assert into == ranked(records, places)


# The parent on the way to a leader.


def said(*leader_and_distance: tuple[int, float]):
    return columns(*({'leader': leader, 'distance': far} for leader, far in leader_and_distance))


def test_parent_is_on_the_shortest_path():
    # 1 + 3, 2 + 1 and 0 + 4 m: by the second.
    assert parent_of(8, 5.0, said((8, 1.0), (8, 2.0), (8, 0.0)), [3.0, 1.0, 4.0]) == 1
    # 4 + 2 and 0 + 4 m: the leader itself.
    assert parent_of(8, 5.0, said((8, 4.0), (8, 0.0)), [2.0, 4.0]) == 1
    # Of ways as long the first.
    assert parent_of(8, 5.0, said((8, 1.0), (8, 2.0)), [2.0, 1.0]) == 0
    assert parent_of(8, 0.0, said((8, 0.0), (8, 1.0)), [1.0, 1.0]) == NOBODY, 'the leader'


@pytest.mark.parametrize('wrong', [
    (9, 1.0), (8, 5.0), (8, 6.0), (8, inf), (8, nan), (8, -1.0), (8, -inf)])
def test_neighbour_is_no_parent_when_of_another_region_or_not_nearer(wrong):
    """The third case is a neighbour with an invalid distance."""
    assert parent_of(8, 5.0, said(wrong), [1.0]) == NOBODY
    assert parent_of(8, 5.0, said(wrong, (8, 4.5)), [1.0, 9.0]) == 1
