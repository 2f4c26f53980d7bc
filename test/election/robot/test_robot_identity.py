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

"""Robots with identities against one that has the swarm's key, and lies."""

from collections.abc import Callable
import json
from typing import Any

from election.identity.grants import identities, record_of, START
from election.robot.swarm import line, of_one, Swarm
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import BOUNDED
from leader_election.election.identity.part import IdentityPart, LeaderPart, Link, Own
from leader_election.election.identity.roster import packed_record
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.messages.identity_codec import IDENTITY
from leader_election.election.messages.swarm_key import sign, verify
from leader_election.election.messages.wire import Rejected
import pytest

KEY = bytes(32)
STRENGTHS = {1: 1.0, 2: 2.0, 3: 3.0, 4: 9.0}


def swarm(**common: Any) -> Swarm:
    """Return robots on a line, which follow the last, the strongest."""
    made = Swarm(line(4), lambda i: of_one(i, STRENGTHS), keys=(KEY,), start=START,
                 identities=identities(STRENGTHS), radius=5.0, **common)
    made.sweep(6)
    assert made.leaders() == dict.fromkeys(STRENGTHS, 4)
    return made


def lie(made: Swarm, sender: int, leader: int, value: float, hops: int = 0,
        part: IdentityPart | None = None) -> None:
    """Say something with the key of the swarm, in the middle of it."""
    payload = codec_for(BOUNDED).encode(Message(sender, 'map', (1.5, 0.0), BOUNDED.state(
        value, float(hops), leader, hops), identity=part))
    made.tell(sender, sign(payload, START + int(1e3 * made.now) + 500, KEY))


LIES: dict[str, Callable[[Swarm], None]] = {
    'the strongest claim': lambda made: lie(made, 1, 1, -1e9),
    'an invented leader': lambda made: lie(made, 1, 99, -1e9, 1),
    'an invented robot': lambda made: lie(made, 99, 99, -1e9),
    'the leader follows another': lambda made: lie(made, 4, 99, -1e9, 1),
    'the leader is weak': lambda made: lie(made, 4, 4, 0.0),
    'fewer hops': lambda made: lie(made, 2, 4, -9.0, 0),
}


@pytest.mark.parametrize('kind', LIES)
def test_a_liar_with_the_key_changes_no_leader(kind: str) -> None:
    made = swarm()
    made.silent = {1}
    for _ in range(8):
        LIES[kind](made)
        made.sweep()
        assert made.leaders() == {2: 4, 3: 4, 4: 4}
    assert made.robots[3].counts['rejected_identity'] + made.robots[3].counts[
        'rejected_candidacy'] >= 8
    assert all(not robot.identity.proofs for robot in made.robots.values() if robot.identity)


@pytest.mark.parametrize('kind', [*LIES][:3])
def test_without_identities_a_liar_with_the_key_leads(kind: str) -> None:
    made = Swarm(line(4), lambda i: of_one(i, STRENGTHS), keys=(KEY,), start=START, radius=5.0)
    made.sweep(6)
    made.silent = {1}
    LIES[kind](made)
    made.sweep()
    assert made.leaders()[3] == made.leaders()[4] != 4


def test_a_dead_leader_is_left_whatever_its_relay_repeats() -> None:
    made = swarm()
    made.silent = {3, 4}
    for _ in range(8):
        # Robot 3 repeats what it said last, under new numbers.
        made.now += 0.1
        last = json.loads(made.said[3])
        del last['s']
        made.tell(3, sign(json.dumps(last, separators=(',', ':')),
                          START + int(1e3 * made.now), KEY))
        made.sweep()
    assert made.leaders() == {1: 2, 2: 2}


def test_a_revoked_leader_is_out_within_seconds_of_one_robots_new_roster() -> None:
    made = swarm()
    assert made.robots[1].identity is not None
    made.robots[1].identity.take_record(record_of(4, 9.0, version=2, revoked=True))
    made.sweep(4)
    assert made.leaders() == dict.fromkeys(STRENGTHS, 3), 'it obeys, too'


def test_a_leader_that_signs_twice_is_dropped_by_all_and_by_none_else() -> None:
    made = swarm(replay_window=60.0)
    liar = made.robots[4].identity
    assert liar is not None and liar.speaker.mine is not None
    said, swarm_time = liar.speaker.mine, liar.speaker.mine.statement.serial
    made.places[4] = (3.4, 0.0)
    liar.speaker.mine, liar.speaker.beat = None, 0
    made.now += 1.0
    made.robots[4].authentication.time._time = swarm_time
    made.robots[4].authentication.time._at = made.now
    made.speak(4)
    assert liar.speaker.mine is not None
    assert liar.speaker.mine.statement.serial == said.statement.serial
    made.tell(4)
    made.sweep(6)
    assert {i: made.leaders()[i] for i in (1, 2, 3)} == {1: 3, 2: 3, 3: 3}
    assert [sorted(robot.identity.proofs) for i, robot in made.robots.items()
            if robot.identity and i != 4] == [[4], [4], [4]]


@pytest.mark.parametrize(('accepts', 'leader'), [(False, 3), (True, 4)])
def test_a_robot_without_an_identity_is_believed_only_if_unverified_ones_are(
        accepts: bool, leader: int) -> None:
    make = identities(STRENGTHS)
    made = Swarm(line(4), lambda i: of_one(i, STRENGTHS), keys=(KEY,), start=START,
                 identities=lambda i: None if i == 4 else make(i), radius=5.0,
                 accept_unverified=accepts)
    made.sweep(6)
    assert made.leaders()[3] == leader and made.leaders()[4] == 4


def test_a_robot_with_an_identity_is_not_believed_without_it_where_unverified_ones_are() -> None:
    made = swarm(accept_unverified=True)
    made.silent = {1}
    for _ in range(4):
        lie(made, 3, 3, -1e9)
        made.sweep()
        assert made.leaders() == {2: 4, 3: 4, 4: 4}
    assert made.robots[2].counts['rejected_identity'] == 4


def test_a_neighbour_in_whose_name_another_one_speaks_stays_where_it_is() -> None:
    made = swarm()
    for _ in range(3):
        made.sweep()
        for at in ((2.9, 0.0), (2.9, 0.1)):
            said = codec_for(BOUNDED).decode(made.said[3])
            assert isinstance(said, Message)
            assert said.identity is not None
            payload = codec_for(BOUNDED).encode(said._replace(
                position=at, identity=said.identity._replace(own=None)))
            made.tell(3, sign(payload, START + int(1e3 * made.now) + 1, KEY))
    entry = made.robots[2].mailbox.entry(3)
    assert entry is not None and entry.message.position == (2.0, 0.0)


@pytest.mark.parametrize('by', [6_500, 3_600_000])
def test_a_number_ahead_in_the_name_of_another_moves_no_swarm_time(by: int) -> None:
    made = swarm()
    before = made.robots[2].authentication.time.read(made.now)
    last = json.loads(made.said[3])
    del last['s']
    made.tell(3, sign(json.dumps(last, separators=(',', ':')), before + by, KEY))
    assert made.robots[2].authentication.time.read(made.now) == before
    assert made.robots[2].counts['rejected_replay'] == 1


def test_a_repeated_message_leaves_the_senders_share_of_the_budget_to_it() -> None:
    made = swarm(hearing_budget=100)
    old = made.said[3]
    for _ in range(40):
        made.tell(3, old)
    made.speak(3)
    made.now += 0.01
    for _ in range(2):
        made.speak(3)
        made.tell(3)
    assert made.robots[2].counts['messages_dropped'] == 0
    assert made.robots[2].counts['rejected_replay'] == 40


def test_a_refused_message_that_is_repeated_leaves_the_budget_to_its_sender() -> None:
    """An outsider repeats what is not believed, as of a neighbour that is new."""
    made = swarm(hearing_budget=100)
    last = json.loads(made.said[3])
    del last['s'], last['y']
    refused = sign(json.dumps(last, separators=(',', ':')), START + int(1e3 * made.now) + 1, KEY)
    made.now += 0.5
    for _ in range(40):
        made.tell(3, refused)
    assert made.robots[2].counts['rejected_candidacy'] == 1
    assert made.robots[2].counts['rejected_replay'] == 39


def test_a_message_in_the_name_of_another_makes_its_next_one_no_replay() -> None:
    """An insider says what a robot is about to say, under the number that this will have."""
    made = swarm()
    last = json.loads(made.said[3])
    del last['s']
    made.now += 1.0
    made.speak(3)
    number = verify(made.said[3], (KEY,))
    assert number is not None
    for _ in range(2):
        made.tell(3, sign(json.dumps(last, separators=(',', ':')), number, KEY))
    made.tell(3)
    made.tell(3)
    assert [made.robots[i].counts['rejected_replay'] for i in (1, 2, 4)] == [2, 2, 2], (
        'each came twice')


@pytest.mark.parametrize('early', [{3, 4}, {1, 2}, {4}, {1}, {1, 2, 3}])
def test_parts_whose_clocks_differ_by_an_hour_become_one(early: set[int]) -> None:
    made = swarm()
    for i in early:
        made.robots[i].authentication.time._time += 3_600_000
    made.sweep(8)
    assert made.leaders() == dict.fromkeys(STRENGTHS, 4)


def test_a_leader_whose_clock_is_fast_is_heard_all_the_time() -> None:
    """It has signed nothing since it is ahead of all by more than a second."""
    made = swarm()
    for _ in range(4):
        for i in (1, 2, 3):
            made.robots[i].authentication.time._time -= 600
        made.sweep()
        assert made.leaders() == dict.fromkeys(STRENGTHS, 4)
    assert all(not robot.counts['rejected_replay'] for robot in made.robots.values())


def test_a_robot_obeys_its_own_grant() -> None:
    made = Swarm(line(2), lambda i: {'strength': 9.0}, keys=(KEY,), start=START,
                 identities=identities({1: 1.0, 2: 2.0}))
    made.sweep(5)
    assert made.leaders() == {1: 2, 2: 2} and made.robots[2].state.value == -2.0


def some(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


BOOTS, NUMBERS = st.integers(0, 2**32 - 1), st.integers(0, 2**48 - 1)
PLACES = st.floats(width=32, allow_nan=False)
PARTS = st.builds(
    IdentityPart, st.none() | st.builds(
        Own, BOOTS, NUMBERS, st.integers(0, 255), PLACES, PLACES, PLACES, some(64), NUMBERS,
        st.integers(1, 2**48 - 1)),
    st.none() | st.builds(Link, st.integers(0, 255), some(12)),
    st.none() | st.builds(LeaderPart, BOOTS, NUMBERS, PLACES, PLACES, some(12),
                          st.integers(0, 2**16 - 1), some(64)),
    st.sampled_from([b'', packed_record(record_of(1, 2.0))]))


@given(PARTS)
def test_a_part_about_identities_is_read_as_it_was_written(part: IdentityPart) -> None:
    assert IDENTITY.read(IDENTITY.write(part)) == part


@given(st.text(max_size=200) | st.from_regex(r'[A-Za-z0-9+/.]{0,300}', fullmatch=True))
def test_any_text_is_a_part_or_refused(text: str) -> None:
    try:
        IDENTITY.read(text)
    except Rejected:
        pass
