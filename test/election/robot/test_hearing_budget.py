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

from leader_election.election.robot.reception import HearingBudget, SHARES

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
