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

"""Messages that are received, the budget of decoded ones, and faults for the diagnostics."""

from collections import Counter
from typing import Any

from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import Codec, Message
from leader_election.election.messages.swarm_key import Authentication
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import (
    DROPPED,
    ECHOES_REMEMBERED,
    HEARD,
    HearingBudget,
    NeighbourhoodWatch,
    NO_MESSAGE,
    Reception,
    REFUSALS,
    ROUNDS,
    SHARES,
    SILENCE,
)
from leader_election.parameters import build


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


class Received:
    """The reception of robot 1, which knows robot 2."""

    def __init__(self, **settings: Any) -> None:
        self.counts: Counter[str] = Counter()
        self.reception = Reception(
            build(ElectionParameters, {'robot_id': 1, **settings}), CODEC, Authentication(), {},
            lambda sender: sender == 2, self.counts)

    def accepted(self, payload: str, now: float = 10.0, needs_position: bool = False,
                 ) -> int | None:
        """Return the sender of a message that counts."""
        found = self.reception.accept(payload, now, needs_position)
        return None if found is None else found.id


CODEC = Codec(BOUNDED)


def payload(robot: int, frame: str = 'map', place: tuple[float, float] | None = None) -> str:
    """Return the message of a robot."""
    return CODEC.encode(Message(robot, frame, place, BOUNDED.state(0.0, 0.0, robot, 0)))


def test_known_sender_is_heard_once_a_period_beyond_the_budget() -> None:
    made = Received(hearing_budget=SHARES)
    assert [made.accepted(payload(2)) for _ in range(3)] == [2, 2, None]
    assert [made.accepted(payload(3)) for _ in range(3)] == [3, None, None]
    assert (made.counts[HEARD], made.counts[DROPPED]) == (6, 3)


def test_echo_of_each_sent_message_is_ignored_once() -> None:
    made = Received()
    made.reception.sent(payload(1))
    assert made.accepted(payload(1)) is None
    assert made.counts[HEARD] == 0 and made.reception.duplicate is None
    assert made.accepted(payload(1), 11.0) is None
    assert (made.counts[HEARD], made.counts['rejected_own_id']) == (1, 1)
    assert made.reception.duplicate == 11.0


def test_echo_is_forgotten_after_many_further_messages() -> None:
    made = Received()
    for x in range(ECHOES_REMEMBERED + 1):
        made.reception.sent(payload(1, place=(float(x), 0.0)))
    for x, counted in ((1, 0), (0, 1)):
        made.accepted(payload(1, place=(float(x), 0.0)))
        assert made.counts['rejected_own_id'] == counted


def test_message_is_refused_with_one_reason() -> None:
    made = Received()
    for number in (1, 2):
        assert made.accepted('{}') is None and made.counts['rejected_malformed'] == number
    assert made.accepted(payload(2, 'odom'), needs_position=True) is None
    assert made.accepted(payload(2), needs_position=True) is None
    assert made.accepted(payload(2, place=(1.0, 2.0)), needs_position=True) == 2
    refused = {name: count for name, count in made.counts.items() if name != HEARD and count}
    assert refused == {
        'rejected_malformed': 2, 'rejected_frame': 1, 'rejected_no_position': 1}


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
    watch = NeighbourhoodWatch()
    assert [watch.fault(counts(0, rounds), 3.0, 10.0) for rounds in (1, 2)] == ['', '']
    assert watch.fault(counts(0, 2), 3.0, 11.0 + limit) == expected, 'the round ran since'
    assert watch.fault(counts(6, 3), 3.0, 10.0 + 2.0 * limit) == ''
    assert watch.fault(counts(6, 4), 3.0, 10.0 + 3.0 * limit) == ''
