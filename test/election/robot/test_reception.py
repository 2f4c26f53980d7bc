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

"""The budget of decoded messages, and the faults of a neighbourhood that diagnostics report."""

from collections import Counter

from leader_election.election.robot.reception import (
    HEARD,
    HearingBudget,
    NeighbourhoodWatch,
    NO_MESSAGE,
    REFUSALS,
    ROUNDS,
    SHARES,
    SILENCE,
)


def admitted(budget: HearingBudget, number: int, now: float, sender: int | None = None) -> int:
    """Return how many messages of a sender that is not known are decoded at a time."""
    return sum(budget.admit(sender, False, now, 1.0) for _ in range(number))


def test_first_message_of_a_known_sender_in_a_period_needs_no_budget() -> None:
    budget = HearingBudget(0)
    for now, sender, expected in ((1.0, 7, True), (1.0, 7, False), (1.0, 8, True),
                                  (1.9, 7, False), (2.0, 7, True), (2.5, 8, True)):
        assert budget.admit(sender, True, now, 1.0) == expected
    assert not budget.admit(9, False, 3.0, 1.0) and not budget.admit(None, True, 3.0, 1.0)


def test_one_sender_gets_its_share_of_the_budget_each_second() -> None:
    budget = HearingBudget(4 * SHARES)
    assert admitted(budget, 50, 10.0, 7) == 4
    assert admitted(budget, 50, 10.99, 7) == 0
    assert admitted(budget, 50, 11.0, 7) == 4
    assert admitted(budget, 50, 11.0, 8) == 4, 'another sender has its own'


def test_budget_is_refilled_continuously_up_to_a_second() -> None:
    budget = HearingBudget(10)
    senders = range(100)

    def all_admitted(now: float) -> int:
        return sum(admitted(budget, 1, now, sender) for sender in senders)
    assert all_admitted(5.0) == 10
    assert all_admitted(5.0) == 0
    assert all_admitted(5.375) == 3, '3.75 messages later'
    assert all_admitted(5.5) == 2
    assert all_admitted(60.0) == 10


def counts(heard: int, rounds: int, **refused: int) -> Counter[str]:
    """Return the counters of a robot."""
    return Counter({**dict.fromkeys(REFUSALS, 0), HEARD: heard, ROUNDS: rounds, **refused})


def test_refused_messages_are_reported_once_by_reason() -> None:
    watch, (first, second) = NeighbourhoodWatch(), REFUSALS[:2]
    assert watch.fault(counts(5, 1), 3.0, 0.0) == ''
    assert watch.fault(counts(9, 2, **{first: 2, second: 3}), 3.0, 1.0) == (
        f'messages are refused: {first} 2, {second} 3')
    assert watch.fault(counts(9, 3, **{first: 2, second: 3}), 3.0, 2.0) == ''
    assert watch.fault(counts(9, 3, **{first: 2, second: 7}), 3.0, 3.0) == (
        f'messages are refused: {second} 4')


def test_silence_is_reported_after_its_limit_while_rounds_run() -> None:
    limit = SILENCE * 3.0
    for rounds, since, expected in (
            (2, limit, ''), (1, limit + 1.0, ''),
            (2, limit + 1.0, f'{NO_MESSAGE} for {limit + 1.0:.0f} s, although rounds run')):
        watch = NeighbourhoodWatch()
        assert watch.fault(counts(5, 1), 3.0, 10.0) == ''
        assert watch.fault(counts(5, rounds), 3.0, 10.0 + since) == expected
    assert watch.fault(counts(6, 3), 3.0, 10.0 + 2.0 * limit) == ''
    assert watch.fault(counts(6, 4), 3.0, 10.0 + 3.0 * limit) == ''
