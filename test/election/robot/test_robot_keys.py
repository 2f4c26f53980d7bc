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

"""Robots with a key: outsiders, replays, robots without a key, restarts, a change of the key."""

from typing import Any

from election.robot.swarm import line, Swarm
from leader_election.election.algorithms import BOUNDED
from leader_election.election.robot.codec import codec_for, MAX_LENGTH, Message
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import DROPPED, HEARD
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.swarm_key import Authentication, is_signed, Keys, sign, verify
from leader_election.election.robot.wire import RejectReason
from leader_election.parameters import build
import pytest

KEY, NEXT, OTHER = b'k' * 32, b'n' * 32, b'o' * 32
NOW = 1_790_000_000_000
"""A wall clock [ms]."""


def keyed(number: int = 3, keys: Keys = (KEY,), **common: Any) -> Swarm:
    """Return robots 1, 2, ... close to each other, the strongest last, after two rounds."""
    swarm = Swarm({i: (0.1 * i, 0.0) for i in range(1, number + 1)},
                  lambda i: {'strength': float(i)}, keys=keys, start=NOW, **common)
    swarm.sweep(2)
    return swarm


def alone(robot_id: int = 1, keys: Keys = (KEY,), start: int = NOW, **settings: Any) -> Robot:
    """Return a robot that needs no position."""
    return Robot(build(ElectionParameters, {
        'robot_id': robot_id, 'metric': 'hops', 'communication_range': float('inf'), **settings}),
        keys=keys, start=start)


def forged(sender: int = 9, strength: float = 1e9) -> str:
    """Return the message of an outsider: a strong candidacy."""
    return codec_for(BOUNDED).encode(Message(
        sender, 'map', (0.2, 0.0), BOUNDED.state(-strength, 0.0, sender)))


def count(swarm: Swarm, reason: RejectReason) -> list[int]:
    return [robot.counts[reason.value] for robot in swarm.robots.values()]


def test_robots_with_a_key_elect_as_those_without():
    keys, without = keyed(5), keyed(5, keys=())
    assert set(keys.leaders().values()) == {5} and keys.leaders() == without.leaders()
    assert all(is_signed(payload) for payload in keys.said.values())
    assert not any(is_signed(payload) for payload in without.said.values())
    for robot in keys.robots.values():
        assert robot.counts[HEARD] == 8
        assert sum(robot.counts[reason.value] for reason in RejectReason) == 0


@pytest.mark.parametrize(('payload', 'reason'), [
    (forged(), RejectReason.UNSIGNED),
    (forged(sender=1), RejectReason.UNSIGNED),
    (sign(forged(), NOW + 2000, OTHER), RejectReason.SIGNATURE),
    (forged()[:-1] + ',"s":"' + 'A' * 30 + '"}', RejectReason.SIGNATURE)])
def test_an_outsider_changes_nothing(payload, reason):
    swarm = keyed()
    for _ in range(10):
        swarm.tell(9, payload)
        swarm.sweep()
        assert set(swarm.leaders().values()) == {3}
    assert count(swarm, reason) == [10, 10, 10]
    assert all(len(robot.neighbours) == 2 for robot in swarm.robots.values())


def test_no_message_of_a_robot_can_be_changed():
    swarm = keyed()
    swarm.tell(9, swarm.said[1].replace('"c":[-3.0', '"c":[-9.0'))
    assert count(swarm, RejectReason.SIGNATURE) == [1, 1, 1]


@pytest.mark.parametrize(('keys', 'leader'), [((KEY,), 2), ((), 3)])
@pytest.mark.parametrize('every', [1.0, 2.0])
def test_the_message_of_a_dead_leader_replayed_once_a_second_keeps_it_dead(keys, leader, every):
    """Without a key it lives for as long as the replay goes on."""
    swarm = keyed(keys=keys, radius=0.35)
    swarm.silent.add(3)
    for second in range(60):
        if second % every == 0.0:
            swarm.tell(3)
        swarm.sweep()
    assert set(swarm.leaders().values()) == {leader}
    if keys:
        assert count(swarm, RejectReason.REPLAY)[:2] == [60 / every, 60 / every]


def test_messages_that_were_kept_from_the_others_are_believed_for_the_window_only():
    """A jammer withholds the leader's last messages and delivers them after its death."""
    swarm = keyed(radius=0.35)
    kept = []
    for _ in range(40):
        swarm.now += 1.0
        for i in (1, 2, 3):
            swarm.speak(i)
            if i < 3:
                swarm.tell(i)
        kept.append(swarm.said[3])
    swarm.silent.add(3)
    for payload in kept:
        swarm.tell(3, payload)
        swarm.sweep()
    assert set(swarm.leaders().values()) == {2}
    # Those of the last five seconds were in time when their turn came: none of them.
    assert count(swarm, RejectReason.REPLAY)[:2] == [40, 40]
    for late, accepted in ((4, True), (6, False)):
        swarm = keyed(radius=0.35)
        swarm.speak(3)
        swarm.silent.add(3)
        swarm.sweep(late)
        swarm.tell(3)
        assert (count(swarm, RejectReason.REPLAY)[0] == 0) == accepted


def test_a_robot_started_later_believes_no_dead_one():
    """With its clock right at once; with a clock of 1970 as soon as it hears one that lives."""
    swarm = keyed()
    dead = swarm.said[3]
    swarm.silent.add(3)
    swarm.sweep(10)
    right = alone(7, start=NOW)
    assert not right.receive(dead, swarm.now)
    assert right.counts[RejectReason.REPLAY.value] == 1
    wrong = alone(8, start=0)
    assert wrong.receive(dead, swarm.now), 'it cannot know better'
    assert wrong.receive(swarm.said[1], swarm.now)
    for _ in range(3):
        assert not wrong.receive(dead, swarm.now)
    assert wrong.counts[RejectReason.REPLAY.value] == 3


@pytest.mark.parametrize('clock', [0, NOW - 10**7, NOW, NOW + 10**7])
def test_a_restart_with_any_clock_loses_at_most_a_round(clock):
    swarm = keyed(radius=0.35)
    swarm.silent.add(3)
    swarm.sweep(10)
    assert set(swarm.leaders().values()) == {2}
    parameters = swarm.robots[3].parameters
    swarm.robots[3] = Robot(parameters, keys=(KEY,), start=clock)
    swarm.silent.clear()
    swarm.sweep(2)
    assert set(swarm.leaders().values()) == {3}
    # One message of each robot that has not yet heard the clock that is ahead.
    assert max(count(swarm, RejectReason.REPLAY)) <= 2
    lost = count(swarm, RejectReason.REPLAY)
    swarm.sweep(20)
    assert count(swarm, RejectReason.REPLAY) == lost


def test_the_key_is_changed_without_a_change_of_leaders():
    """File by file in any order, a step at a time."""
    swarm = keyed(5)
    for keys in ((KEY, NEXT), (NEXT, KEY), (NEXT,)):
        for i in (4, 1, 5, 3, 2):
            swarm.robots[i].authentication.keys = keys
            swarm.sweep()
            assert set(swarm.leaders().values()) == {5}
    assert all(verify(payload, (NEXT,)) is not None for payload in swarm.said.values())
    for robot in swarm.robots.values():
        assert sum(robot.counts[reason.value] for reason in RejectReason) == 0


def test_robots_without_a_key_do_not_mix_with_the_others_unless_told_to():
    for told, members in ((False, {1: {1, 2}, 3: {3, 4}}), (True, {4: {1, 2, 3, 4}})):
        swarm = Swarm({i: (0.1 * i, 0.0) for i in (1, 2, 3, 4)}, lambda i: {'strength': float(i)},
                      keys=(KEY,), start=NOW, accept_unverified=told)
        for i in (1, 2):
            swarm.robots[i].authentication.keys = ()
        swarm.sweep(4)
        by_leader: dict[int, set[int]] = {}
        for i, leader in swarm.leaders().items():
            by_leader.setdefault(leader, set()).add(i)
        assert sorted(by_leader.values(), key=min) == list(members.values())
        rejects = [reason for reason in (RejectReason.UNSIGNED, RejectReason.SIGNATURE)
                   if any(count(swarm, reason))]
        assert len(rejects) == 2 * (not told)


def test_accept_unverified_changes_at_run_time():
    robot = alone()
    assert not robot.receive(forged(), 0.0)
    robot.configure(build(ElectionParameters, {
        **{'robot_id': 1, 'metric': 'hops', 'communication_range': float('inf')},
        'accept_unverified': True}))
    assert robot.receive(forged(), 0.0)
    assert robot.receive(sign(forged(8), NOW, KEY), 0.0)
    assert not robot.receive(forged(8), 0.0), 'it has been heard with the key'


def test_own_message_is_an_echo_once_and_a_replay_later():
    """An echo is no message; whatever comes after it of this robot's own is no twin's either."""
    robot, twin = alone(1), alone(1)
    payload = robot.round(1.0)
    assert not robot.receive(payload, 1.0)
    assert robot.counts[HEARD] == 0
    robot.receive(payload, 1.1)
    robot.receive(payload, 2.0)
    assert robot.counts[RejectReason.REPLAY.value] == 2
    assert robot.reception.duplicate is None, 'the attacker would make it a twin'
    robot.receive(twin.round(2.5), 2.5)
    assert robot.reception.duplicate == 2.5
    assert robot.counts[RejectReason.OWN_ID.value] == 1


def test_a_signed_message_is_no_longer_than_a_message_may_be():
    """What is left out to make it short enough is left out of a signed one a little sooner."""
    robot = alone()
    assert robot.authentication.room < MAX_LENGTH
    many = ','.join(f'i{n}' for n in range(16))
    swarm = Swarm(line(2), keys=(KEY,), start=NOW, instances=many)
    assert all(len(robot.round(0.0)) <= MAX_LENGTH for robot in swarm.robots.values())


def test_wrong_signed_message_is_counted_by_reason():
    robot = alone()
    for n, (text, reason) in enumerate([
            ('{"v":1,"id":3}', RejectReason.MALFORMED), ('{"v":2}', RejectReason.VERSION),
            (forged().replace('map', 'moon'), RejectReason.FRAME)]):
        assert not robot.receive(sign(text, NOW + n, KEY), 0.0)
        assert robot.counts[reason.value] == 1


def test_the_signature_is_checked_before_anything_is_read():
    robot = alone()
    robot._codec = None  # type: ignore[assignment]
    robot.receive('{"v":1', 0.0)
    robot.receive(sign(forged(), NOW, OTHER), 0.0)
    assert robot.counts[RejectReason.UNSIGNED.value] == 1
    assert robot.counts[RejectReason.SIGNATURE.value] == 1


def test_forged_and_replayed_messages_leave_the_budget_to_their_sender():
    swarm = keyed(hearing_budget=16)
    old = swarm.said[3]
    swarm.sweep()
    swarm.now += 1.0
    for _ in range(500):
        for payload in (old, forged(sender=3), sign(forged(sender=3), NOW + 9000, OTHER),
                        forged(sender=3) + ' ' * MAX_LENGTH):
            swarm.tell(9, payload)
    swarm.speak(3)
    swarm.tell(3)
    for i in (1, 2):
        robot = swarm.robots[i]
        assert robot.mailbox.entry(3).received == swarm.now
        assert robot.counts[DROPPED] == 0
        assert [robot.counts[reason.value] for reason in (
            RejectReason.REPLAY, RejectReason.UNSIGNED, RejectReason.SIGNATURE,
            RejectReason.SIZE)] == [500] * 4


def test_a_robot_of_the_version_before_reads_a_signed_message():
    """It ignores what it does not know."""
    signed = Authentication((KEY,), NOW).sign(forged(), 9, 0.0)
    codec = codec_for(BOUNDED)
    assert codec.decode(signed) == codec.decode(forged())
