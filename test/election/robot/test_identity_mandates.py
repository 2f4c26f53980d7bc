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

"""Mandates of robots with identities, against liars that have the swarm's key."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from election.identity.grants import identities, keys_of, START
from election.robot.swarm import line, of_one, Swarm
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import BOUNDED
from leader_election.election.identity.roster import public_key
from leader_election.election.identity.tags import common_key, grant_tag, TAG_BITS
from leader_election.election.mandates.mandates import Mandates, Promise
from leader_election.election.mandates.part import MandatePart, Notice
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.messages.swarm_key import sign
import pytest

KEY = bytes(32)
STRENGTHS = {1: 1.0, 2: 2.0, 3: 3.0, 4: 9.0}
ALL = [1, 2, 3, 4]


def swarm(identified: bool = True, rounds: int = 10) -> Swarm:
    """Return robots on a line, over which the last one acts, the strongest."""
    make = identities(STRENGTHS) if identified else (lambda i: None)
    made = Swarm(line(4), lambda i: of_one(i, STRENGTHS), keys=(KEY,), start=START,
                 identities=make, radius=5.0, mandate=6.0)
    made.sweep(rounds)
    return made


def mandates(made: Swarm, robot: int) -> Mandates:
    found = made.robots[robot].main.mandates
    assert found is not None
    return found


def over(made: Swarm, robot: int) -> list[int]:
    return sorted(mandates(made, robot).over(made.now))


def promise(made: Swarm, robot: int) -> Promise:
    found = mandates(made, robot).bound(made.now)
    assert found is not None
    return found


def lie(made: Swarm, sender: int, change: Callable[[MandatePart], MandatePart],
        **said: Any) -> None:
    """Repeat the last message of a robot, with another part about mandates."""
    last = codec_for(BOUNDED).decode(made.said[sender])
    assert isinstance(last, Message) and last.mandate is not None
    part = change(last.mandate)
    part = part._replace(number=max(part.number, part.beat, *part.grants.values(), *(
        notice.beat for notice in part.leaving + part.released)))
    payload = codec_for(BOUNDED).encode(last._replace(mandate=part, **said))
    made.tell(sender, sign(payload, max(
        robot.authentication.time.read(made.now) for robot in made.robots.values()) + 1, KEY))


def test_a_leader_acts_over_the_robots_that_prove_their_grants_and_terms_grow() -> None:
    made = swarm()
    assert over(made, 4) == ALL
    acting = mandates(made, 4).acting(made.now)
    made.silent = {4}
    made.sweep(16)
    later = mandates(made, 3).acting(made.now)
    assert over(made, 3) == [1, 2, 3] and over(made, 4) == []
    assert acting is not None and later is not None and later.term > acting.term
    assert mandates(made, 3).part.beat == START + int(1e3 * made.now), "it is its identity's"


def grant_of_another(made: Swarm) -> bool:
    """Say that robot 1, which is gone, grants the newest beats."""
    made.silent = {1}
    for _ in range(9):
        made.sweep()
        beat = mandates(made, 4).part.beat
        for tag in (0, 2**TAG_BITS - 1, mandates(made, 2).part.tags.get(2, 1)):
            lie(made, 3, lambda part, beat=beat, tag=tag: part._replace(
                beat=beat, number=beat, grants={**part.grants, 1: beat},
                tags={**part.tags, 1: tag}))
    return 1 in over(made, 4)


def release_of_another(made: Swarm) -> bool:
    """Say that the leader, which acts, but is cut off, has released all."""
    made.silent = {4}
    made.sweep(4)
    for _ in range(3):
        made.sweep()
        for sender in (3, 4):
            lie(made, sender, lambda part: part._replace(released=tuple(
                Notice(robot, 4, promise(made, robot).last) for robot in (1, 2, 3)
                if mandates(made, robot).bound(made.now))))
    return any(mandates(made, robot).promise is None for robot in (1, 2, 3))


def step_down_of_another(made: Swarm) -> bool:
    """Say in the name of a leader that follows another one that it grants it beats."""
    last = promise(made, 3).last
    for robot in (3, 4):
        made.robots[robot].main.strength.announced = 0.0
    made.sweep(5)
    assert made.leaders()[4] == 2
    lie(made, 4, lambda part: part._replace(beat=last + 5000, grants={4: last + 5000}))
    made.sweep()
    bound = mandates(made, 3).bound(made.now)
    return bound is None or bound.leader != 4


def beats_of_a_dead_leader(made: Swarm) -> bool:
    """Say newer beats of a dead leader, in its name and in that of a follower."""
    made.silent = {4}
    last = mandates(made, 4).part.beat
    for n in range(1, 4):
        made.sweep()
        for sender in (3, 4):
            lie(made, sender, lambda part, n=n: part._replace(beat=last + 1000 * n))
    made.sweep()
    return any(promise(made, robot).last > last for robot in (1, 2, 3))


def counting_to_the_end(made: Swarm) -> bool:
    """Say a number above all."""
    lie(made, 2, lambda part: part._replace(number=2**50 - 1))
    made.sweep(2)
    return mandates(made, 4).number > START + int(1e3 * made.now)


def leave_of_another(made: Swarm) -> bool:
    """Say in the name of robot 1 that it leaves."""
    for _ in range(8):
        made.sweep()
        for sender in (1, 3):
            lie(made, sender, lambda part: part._replace(
                leaving=(Notice(1, 4, part.number),)))
        if over(made, 4) != ALL:
            return True
    return False


LIES = (grant_of_another, release_of_another, step_down_of_another, beats_of_a_dead_leader,
        counting_to_the_end, leave_of_another)


@pytest.mark.parametrize('tell', LIES)
def test_a_liar_changes_no_mandate_in_the_name_of_another(tell: Callable[[Swarm], bool]) -> None:
    assert not tell(swarm())


@pytest.mark.parametrize('tell', LIES)
def test_without_identities_it_does(tell: Callable[[Swarm], bool]) -> None:
    assert tell(swarm(identified=False))


def test_a_promise_to_two_leaders_is_proof() -> None:
    made = swarm()
    made.silent = {4}
    made.sweep(4)
    liar = made.robots[2].identity
    assert liar is not None and liar.speaker.mine is not None
    assert liar.speaker.mine.statement.promised == 4
    # Robot 3 will lead; robot 2 promises itself to it at once, and is still bound to robot 4.
    held = promise(made, 2)
    while made.robots[2].state.leader == 4:
        made.sweep()
    assert mandates(made, 2).bound(made.now), 'still bound'
    mandates(made, 2).promise = held._replace(leader=3)
    made.sweep(3)
    for robot in (1, 3):
        identity = made.robots[robot].identity
        assert identity is not None and identity.proofs.keys() == {2}
        assert identity.proofs[2].told() == 'promised itself to 4 and 3 at the same time'


def test_a_grant_of_a_neighbour_that_has_signed_another_promise_does_not_count() -> None:
    made = swarm()
    liar = made.robots[3].identity
    assert liar is not None
    liar.speaker.promised = None
    liar.speaker.mine = None
    for _ in range(8):
        mandates(made, 3)._witness.promise = lambda promise: None
        made.sweep()
    assert over(made, 4) == [1, 2, 4]


def test_a_robot_whose_leader_steps_down_waits_as_it_has_signed_to() -> None:
    made = swarm()
    for robot in (3, 4):
        made.robots[robot].main.strength.announced = 0.0
    made.sweep(6)
    assert set(made.leaders().values()) == {2} and promise(made, 3).leader == 4
    made.sweep(8)
    assert over(made, 2) == ALL
    assert not any(robot.identity.proofs for robot in made.robots.values() if robot.identity)


def test_a_leader_whose_round_period_changes_goes_on_with_new_beats() -> None:
    made = swarm()
    for robot in made.robots.values():
        robot.configure(replace(robot.parameters, round_period=1.4))
    for _ in range(80):
        made.now += 0.4
        beat = mandates(made, 4).part.beat
        made.sweep()
        assert mandates(made, 4).part.beat > beat and over(made, 4) == ALL


@settings(max_examples=15)
@given(st.lists(st.tuples(st.sampled_from(ALL), st.booleans(), st.integers(0, 12)),
                max_size=12))
def test_honest_robots_are_never_dropped_nor_under_two_mandates(
        events: list[tuple[int, bool, int]]) -> None:
    """Robots fall silent, come back, and change their strengths."""
    made = swarm(rounds=8)
    for robot, speaks, strength in events:
        made.silent = made.silent - {robot} if speaks else made.silent | {robot}
        made.robots[robot].main.strength.announced = min(float(strength), STRENGTHS[robot])
        for _ in range(3):
            made.sweep()
            held = [member for i in ALL for member in over(made, i)]
            assert len(held) == len(set(held))
    assert not any(robot.identity.proofs for robot in made.robots.values() if robot.identity)


def test_two_robots_find_the_same_key_and_no_other_one_does() -> None:
    one, two, three = (keys_of(robot).seed for robot in (1, 2, 3))
    key = common_key(one, public_key(two))
    assert key == common_key(two, public_key(one)) != common_key(three, public_key(two))
    assert common_key(one, (1).to_bytes(32, 'little')) == bytes(32), 'the point without a secret'
    tags = {grant_tag(key, *of) for of in ((1, 2, 7, 5), (2, 1, 7, 5), (1, 2, 8, 5), (1, 2, 7, 6))}
    assert len(tags) == 4 and max(tags) < 2**TAG_BITS
