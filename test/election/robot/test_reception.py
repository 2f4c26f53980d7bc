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

"""The budget of hearing: what a flood may use, and what it must leave to others."""

from collections import Counter

from election.robot.test_robot import robot, says
from leader_election.election.robot.reception import (
    DROPPED,
    HEARD,
    HearingBudget,
    NeighbourhoodWatch,
    ROUNDS,
    SHARES,
)

BUDGET = 160
EACH = BUDGET // SHARES


def admitted(budget: HearingBudget, sender: int | None, times: int, now: float,
             known: bool = False) -> int:
    return sum(budget.admit(sender, known, now, period=1.0) for _ in range(times))


def test_one_sender_uses_a_part():
    budget = HearingBudget(BUDGET)
    assert admitted(budget, 7, 1000, 10.0) == EACH
    assert admitted(budget, None, 1000, 10.0) == EACH, 'those that cannot be told apart'
    assert admitted(budget, 8, 3, 10.0) == 3
    assert admitted(budget, 7, 1000, 11.0) == EACH


def test_many_strangers_use_all_and_each_neighbour_is_heard_once_a_period():
    budget = HearingBudget(BUDGET)
    assert sum(admitted(budget, 100 + n, 1, 10.0) for n in range(1000)) == BUDGET
    assert [admitted(budget, neighbour, 2, 10.0, known=True) for neighbour in (1, 2)] == [1, 1]
    assert admitted(budget, 1, 2, 10.5, known=True) == 2, 'a part of the budget is back'
    assert admitted(budget, 2, 1, 11.0, known=True) == 1


def test_it_is_refilled_as_time_goes_by():
    """Whatever the phase of a sender, it gets through now and then."""
    budget = HearingBudget(BUDGET)
    phases = []
    for n in range(10_000):
        if budget.admit(n, False, 10.0 + n * 1e-3, 1.0) and n > 1000:
            phases.append(n % 1000 // 100)
    assert len(phases) < 9.1 * BUDGET
    assert set(phases) == set(range(10))


def test_the_least_budget_still_lets_something_through():
    budget = HearingBudget(1)
    assert [admitted(budget, 7, 5, float(second)) for second in (10, 11, 12)] == [1, 1, 1]


# The watch over a neighbourhood: what it reports, and when it is content again.

EXPIRY = 3.0


def test_rejected_messages_are_reported_once():
    me, watch = robot(), NeighbourhoodWatch()
    assert watch.fault(me.counts, EXPIRY, 0.0) == ''
    for payload in ('{', '[', says(7, frame='moon'), says(7)):
        me.receive(payload, 0.5)
    assert watch.fault(me.counts, EXPIRY, 1.0) == (
        'messages are refused: rejected_malformed 2, rejected_frame 1')
    me.receive(says(7), 1.5)
    assert watch.fault(me.counts, EXPIRY, 2.0) == ''


def test_dropped_messages_are_reported():
    me, watch = robot(hearing_budget=1), NeighbourhoodWatch()
    for k in range(4):
        me.receive(says(10 + k), 0.5)
    assert me.counts[DROPPED] == 3
    assert watch.fault(me.counts, EXPIRY, 1.0) == 'messages are refused: messages_dropped 3'


def test_silence_is_reported_after_three_expiries_while_rounds_run():
    watch, counts = NeighbourhoodWatch(), Counter[str]()
    faults = []
    for second in range(0, 40):
        if second == 20:
            counts[HEARD] += 1
        # A round each four seconds, and a look each second.
        counts[ROUNDS] = 1 + second // 4
        faults.append(watch.fault(counts, EXPIRY, float(second)))
    reported = [second for second, fault in enumerate(faults) if fault]
    assert reported == [*range(10, 20), *range(30, 40)]
    assert faults[12] == 'no message of another robot for 12 s, although rounds run'
    assert faults[32] == faults[12], 'counted from the last message'


def test_no_silence_without_rounds():
    """A managed node that is inactive."""
    watch = NeighbourhoodWatch()
    assert {watch.fault(Counter(), EXPIRY, 10.0 * k) for k in range(9)} == {''}
