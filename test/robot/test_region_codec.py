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

"""What is told of a region comes out as it went in; what is wrong costs no more than itself."""

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from leader_election.robot.region_codec import (
    decision_text,
    DIGITS,
    exactly,
    MAX_DECISION,
    MAX_ID,
    MAX_NUMBER,
    MOST_NUMBERS,
    REACH_DIGITS,
    read,
    RejectReason,
    Told,
    WHOLE_SHARE,
    write,
)
import pytest

IDS = st.integers(0, MAX_ID)
NUMBERS = st.integers(-MAX_ID, MAX_ID).map(float) | st.floats(-1e9, 1e9) | st.just(math.inf)
ROWS = st.lists(NUMBERS, max_size=5).map(tuple)
SHARES = st.lists(st.floats(0.0, 1e6), max_size=4)


@st.composite
def regions(draw) -> Told:
    """Draw what a robot may tell of its region."""
    shares = exactly(draw(SHARES))
    members = draw(st.lists(IDS, max_size=4))
    decision = draw(st.none() | st.lists(st.none() | st.text(max_size=5) | st.integers(-9, 9),
                                         max_size=3))
    return Told(
        tasks=draw(st.text(max_size=20)), parent=draw(st.integers(-1, MAX_ID)),
        reach=draw(st.floats(0.0, 1e9)), summary=draw(ROWS),
        recipients=tuple(draw(IDS) for _ in shares), shares=shares, announcement=draw(ROWS),
        members=tuple(members), ages=tuple(draw(IDS) for _ in members),
        contributions=tuple(draw(ROWS) for _ in members),
        decision='' if decision is None else decision_text(decision))


def shown(row: tuple[float, ...], digits: int = DIGITS) -> list[float]:
    """Return a row as it is told: whole numbers exactly, others to so many digits."""
    while row and row[-1] == math.inf:
        row = row[:-1]
    return [n if n == math.inf or n.is_integer() else float(f'{n:.{digits}g}') for n in row]


@given(regions())
def test_round_trip(told):
    found, faults = read(json.loads(json.dumps(write(told), allow_nan=False)))
    assert faults == () and found is not None
    rows = {'summary': tuple(shown(told.summary)), 'announcement': tuple(shown(told.announcement)),
            'contributions': tuple(tuple(shown(row)) for row in told.contributions),
            'reach': shown((told.reach,), REACH_DIGITS)[0]}
    assert found == told._replace(**rows)


def test_by_hand():
    """Parent 5; three members and nothing; a quarter to 5 and the rest to 7; a decision."""
    told = Told('count', 5, 0.0, (3.0, math.inf), (5, 7), (0.25, 0.75), decision='[9]')
    assert write(told) == {'t': 'count', 'r': [5, [3], 0, [5, 7], [250, 750]], 'd': [9]}
    assert read(write(told)) == (told._replace(summary=(3.0,)), ())
    assert write(Told('', -1)) == {'r': [-1, []]}
    assert read({}) == (None, ()) and read({'t': 'count', 'd': [1]}) == (None, ())


def test_whole_numbers_may_be_written_either_way():
    assert read({'r': [5.0, [3], 0.0, [7.0], [1000.0]]}) == read({'r': [5, [3.0], 0, [7], [1000]]})


def wrong(at: int, value: Any) -> list[Any]:
    rows: list[Any] = [5, [3], 0, [7], [1000], [], [], [], []]
    return rows[:at] + [value] + rows[at + 1:]


DEEP: Any = []
for _ in range(40):
    DEEP = [DEEP]


@pytest.mark.parametrize('rows', [
    None, 5, {}, 'text', [], [5], [5, [3]] + [[]] * 8,
    *(wrong(0, parent) for parent in (-2, 1.5, None, 'x', True, [], MAX_ID + 1)),
    *(wrong(1, row) for row in (None, 3, {}, 'x', [True], ['3'], [[3]], [1e16], [10**400], [-1e16],
                                [math.inf], [-math.inf], [0] * (MOST_NUMBERS + 1))),
    *(wrong(2, reach) for reach in (-1, None, 'x', True, [], 1.1 * MAX_NUMBER)),
    *(wrong(3, recipients) for recipients in (None, [], [7, 8], [-1], [1.5], ['7'], [True])),
    *(wrong(4, shares) for shares in (None, [], [999], [1001], [500, 500], [-1], [999.5])),
    wrong(5, None), wrong(5, [1e16]), wrong(6, [1]), wrong(7, [1]), wrong(8, 'x'),
    wrong(8, [[]]), wrong(8, [1]),
    [5, [3], 0, [], [], [], [7], [-1], [[1]]], [5, [3], 0, [], [], [], [-7], [1], [[1]]],
    [5, [3], 0, [], [], [], [7], [1], [1]], [5, [3], 0, [], [], [], [7], [1], [[1], [1]]],
    [5, [3], 0, [7, 8], [1500, -500]]])
def test_a_region_that_is_wrong_is_left_out(rows):
    assert read({'r': rows}) == (None, (RejectReason.SUMMARY,))


@pytest.mark.parametrize('tasks', [None, 5, [], 'x' * 201])
def test_tasks_that_are_wrong(tasks):
    assert read({'r': [5, [3]], 't': tasks}) == (None, (RejectReason.TASKS,))


@pytest.mark.parametrize('decision', [
    None, 5, {}, 'x', ['x' * MAX_DECISION], [math.inf], [[-math.inf]], [1e999], DEEP])
def test_a_decision_that_is_wrong_costs_the_decision(decision):
    assert read({'r': [5, [3]], 'd': decision}) == (
        Told('', 5, 0.0, (3.0,)),
        (RejectReason.DECISION,),
    )


@given(st.lists(st.floats(0.0, 1e308), max_size=6))
def test_shares_add_up_to_all_or_to_nothing(shares):
    wholes = [share * WHOLE_SHARE for share in exactly(shares)]
    assert sum(map(round, wholes)) == (WHOLE_SHARE if 0.0 < sum(shares) < math.inf else 0)
    assert all(whole >= 0.0 for whole in wholes)
