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

"""What a robot passes on of the grants that it hears, where some robots lie."""

from leader_election.election.mandates.mandates import (
    Follows,
    MandateSettings,
    NO_ONE,
    Promise,
)
from leader_election.election.mandates.part import Heard, MandatePart
from leader_election.election.mandates.witnessed import WitnessedMandates
import pytest


class Proofs:
    """The leader 1 has said beat 5; its robots prove a grant by twice the beat."""

    def beat(self, leader: int) -> int:
        return 5 if leader == 1 else 0

    def tag(self, leader: int, beat: int) -> int:
        return 2 * beat

    def has_granted(self, member: int, beat: int, tag: int) -> bool:
        return tag == 2 * beat

    def promised(self, robot: int) -> int:
        return 1 if robot != 9 else NO_ONE

    def promise(self, promise: Promise | None) -> None:
        pass


def robot(i: int) -> WitnessedMandates:
    made = WitnessedMandates(i, MandateSettings(10.0), Proofs())
    made.silent_until = 0.0
    return made


def said(sender: int, beat: int, tag: int, member: int = 7) -> Heard:
    return Heard(sender, 1, 2.0, MandatePart(beat, beat, {member: beat}, tags={member: tag}))


@pytest.mark.parametrize('lie', [said(3, 6, 0), said(3, 99, 0), said(3, 4, 0)])
def test_a_grant_of_a_beat_that_is_not_proven_hides_no_other_one(lie: Heard) -> None:
    relay = robot(2)
    relay.round(Follows(1, 1.0, False), [lie, said(4, 5, 10)], 1.0)
    assert relay.part.grants == {2: 5, 7: 5} and relay.part.tags == {2: 10, 7: 10}


def test_a_wrong_proof_hides_the_right_one_in_some_rounds_only() -> None:
    relay, tags = robot(2), []
    for now in range(6):
        relay.round(Follows(1, 1.0, False), [said(3, 5, 0), said(4, 5, 10), said(6, 5, 99)], now)
        tags.append(relay.part.tags[7])
    assert sorted(tags) == [0, 0, 10, 10, 99, 99]
    relay.round(Follows(1, 1.0, False), [said(3, 5, 0), said(7, 5, 10), said(6, 5, 99)], 6.0)
    assert relay.part.tags[7] == 10, 'the member itself has said it'


def test_a_neighbour_that_has_signed_no_promise_is_not_passed_on() -> None:
    relay = robot(2)
    relay.round(Follows(1, 1.0, False), [said(9, 5, 10, member=9)], 1.0)
    assert relay.part.grants == {2: 5}


def test_a_beat_is_dated_once_also_when_it_is_said_again_after_its_mandate() -> None:
    leader = robot(1)
    for now in (1.0, 20.0, 30.0):
        leader.round(Follows(1, 0.0, True), [said(4, 5, 10)], now)
        assert (leader.held == {}) == (now > 1.0)


def test_a_leader_counts_proven_grants_from_its_beat_on() -> None:
    leader = robot(1)
    leader.round(Follows(1, 0.0, True), [], 1.0)
    leader.round(Follows(1, 0.0, True), [said(4, 5, 10), said(3, 5, 0, member=8)], 6.0)
    leader.hear(said(3, 5, 0, member=1), 6.0)
    assert {member: held.until for member, held in leader.held.items()} == {1: 10.8, 7: 10.8}
