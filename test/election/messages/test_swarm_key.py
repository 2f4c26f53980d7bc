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

"""Signatures and replays: what is signed, what is believed, and for how long."""

import binascii
import hmac
import json
from typing import Any

from election.robot.swarm import Swarm
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, MAX_LENGTH, Message
from leader_election.election.messages.swarm_key import (
    ahead,
    Authentication,
    is_signed,
    Keys,
    parse_keys,
    RING,
    SENDERS,
    sign,
    SIGNATURE_LENGTH,
    SwarmTime,
    verify,
)
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import DROPPED, HEARD
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build
import pytest

KEY, NEXT, OTHER = b'k' * 32, b'n' * 32, b'o' * 32
PAYLOAD = '{"v":1,"id":3,"frame":"map","p":[1.5,2.0],"c":[-7.0,3.25,8]}'
NOW = 1_790_000_000_000
"""A wall clock [ms]."""
WINDOW = 5.0
SEQUENCES = st.integers(0, RING - 1)


# Signatures.

@given(SEQUENCES)
def test_signature_adds_one_member_to_the_message(sequence):
    signed = sign(PAYLOAD, sequence, KEY)
    document = json.loads(signed)
    assert len(document.pop('s')) == 30 and document == json.loads(PAYLOAD)
    assert len(signed) - len(PAYLOAD) == SIGNATURE_LENGTH < 40
    assert is_signed(signed) and not is_signed(PAYLOAD)
    assert verify(signed, (KEY,)) == sequence and verify(signed, (OTHER,)) is None


@given(SEQUENCES, st.integers(0), st.characters())
def test_signed_text_is_rejected_when_a_character_is_changed(sequence, place, character):
    signed = sign(PAYLOAD, sequence, KEY)
    place %= len(signed)
    changed = signed[:place] + character + signed[place + 1:]
    assert changed == signed or verify(changed, (KEY,)) is None
    assert verify(signed[:place] + signed[place + 1:], (KEY,)) is None
    assert verify(signed[:place] + character + signed[place:], (KEY,)) is None


def test_tag_is_rejected_when_a_spare_bit_is_changed():
    """Base64 has two spare bits at the end of a tag, so a second text could stand for a tag."""
    signed = sign(PAYLOAD, NOW, KEY)
    changed = {signed[:place] + chr(ord(signed[place]) ^ 1 << bit) + signed[place + 1:]
               for place in range(len(signed)) for bit in range(7)}
    assert [text for text in changed if verify(text, (KEY,)) is not None] == []


def test_tag_is_that_of_the_standard_library():
    signed = sign(PAYLOAD, NOW, KEY)
    text, tag = signed[:-24], signed[-24:-2]
    assert binascii.a2b_base64(tag + '==') == hmac.digest(KEY, text.encode(), 'sha256')[:16]
    assert int.from_bytes(binascii.a2b_base64(text[-8:]), 'big') == NOW


def test_two_keys_are_accepted_and_the_first_signs():
    robot = Authentication((KEY, NEXT), NOW)
    assert verify(robot.sign(PAYLOAD, 3, 0.0), (KEY,)) is not None
    for key, sequence in ((KEY, NOW), (NEXT, NOW)):
        assert robot.check(sign(PAYLOAD, sequence, key)) == (sequence, None)
    assert robot.check(sign(PAYLOAD, NOW, OTHER)) == (None, RejectReason.SIGNATURE)


# Keys.

@pytest.mark.parametrize(('text', 'error'), [
    ('', 'it holds 0 keys; it takes one, or two while a key is changed'),
    ('# nothing\n', 'it holds 0 keys'),
    ('secret', 'line 1 has 6 characters; a key has 64 hexadecimal digits'),
    ('# a key\n\n' + 'ab' * 31, 'line 3 has 62 characters'),
    ('g' + 'a' * 63, 'line 1 has a character that is not a hexadecimal digit'),
    ('\n'.join(c * 64 for c in 'abc'), 'it holds 3 keys'),
    ('ab' * 32 + '\n' + 'AB' * 32, 'it holds one key twice')])
def test_wrong_key_file_is_refused(text, error):
    with pytest.raises(ValueError, match=error) as raised:
        parse_keys(text)
    assert 'secret' not in str(raised.value)


def test_keys_are_read_in_their_order():
    assert parse_keys(f'# now\n{KEY.hex()}\n# next\n  {NEXT.hex().upper()}\n') == (KEY, NEXT)


# Replays.

def test_delayed_message_is_rejected_after_the_window():
    for late, accepted in ((WINDOW, True), (WINDOW + 0.001, False)):
        receiver = SwarmTime(NOW)
        assert receiver.accept(2, NOW, WINDOW, 0.0)
        assert receiver.accept(1, NOW, WINDOW, late) == accepted


def test_number_one_ahead_is_accepted_once():
    receiver = SwarmTime(NOW)
    assert [receiver.accept(1, NOW + more, WINDOW, 0.0) for more in (0, 1, 1, 2)] == [
        True, True, False, True]


def test_numbers_are_milliseconds_of_the_clock_and_one_more_when_it_stands():
    sender = SwarmTime(NOW)
    numbers = [sender.next(1, now) for now in (0.0, 0.0, 0.5, 0.5)]
    assert numbers == [NOW, NOW + 1, NOW + 501, NOW + 502]
    assert SwarmTime(NOW).read(3600.0) == NOW + 3_600_000
    slowly = SwarmTime(NOW)
    for t in range(1, 1001):
        slowly.read(t * 0.0019)
    assert slowly.read(1.9) == NOW + 1900


def test_senders_that_are_silent_beyond_the_window_are_forgotten_when_there_are_many():
    time = SwarmTime(0)
    for sender in range(SENDERS):
        assert time.accept(sender, 1000 * (sender % 2 * 4), WINDOW, 4.0)
    assert len(time._last) == SENDERS
    # One more: half of them are older than the window, and half are heard still.
    assert time.accept(SENDERS, 8000, WINDOW, 8.0)
    assert [time.knows(sender, WINDOW, 8.0) for sender in (0, 1, SENDERS)] == [False, True, True]
    assert len(time._last) == SENDERS // 2 + 1
    # It looks again only beyond twice as many as were left then, and the number.
    most = 2 * (SENDERS // 2 + 1) + SENDERS
    for sender in range(SENDERS, SENDERS + most - SENDERS // 2):
        assert time.accept(sender, 8000 + sender, WINDOW, 10.0)
    assert len(time._last) == most
    assert time.accept(0, 20000, WINDOW, 20.0) and len(time._last) == 1


def test_sequence_numbers_wrap_around():
    sender, receiver = SwarmTime(RING - 2000), SwarmTime(RING - 2000)
    sent = [sender.next(1, t / 2) for t in range(12)]
    assert sent[-1] < sent[0]
    assert all(receiver.accept(1, number, WINDOW, t / 2) for t, number in enumerate(sent))
    assert not any(receiver.accept(1, number, WINDOW, 6.0) for number in sent)


@given(st.data())
def test_loss_duplication_and_reordering_reject_no_newer_message(data):
    """
    Whatever happens on the way: within the window, the newest message of a sender is accepted.

    Clocks of senders differ by up to 1 s, messages are under way for up to 3 s, in any order. Some
    are lost, some come twice.
    """
    receiver, sent = SwarmTime(NOW), []
    for sender in range(data.draw(st.integers(1, 4))):
        robot = SwarmTime(NOW + data.draw(st.integers(-500, 500)))
        for sending in sorted(data.draw(st.lists(st.floats(0.0, 20.0), max_size=8))):
            number = robot.next(sender, sending)
            sent += [(sending + data.draw(st.floats(0.0, 3.0)), sender, number)
                     for _ in range(data.draw(st.integers(0, 2)))]
    greatest: dict[int, int] = {}
    for arrival, sender, number in sorted(sent):
        newer = sender not in greatest or ahead(number, greatest[sender]) > 0
        assert receiver.accept(sender, number, WINDOW, arrival) == newer
        if newer:
            greatest[sender] = number


@given(st.lists(st.tuples(st.integers(0, 3), SEQUENCES, st.floats(-1e6, 1e6)), max_size=20))
def test_no_message_is_ever_accepted_twice_nor_after_the_window(messages):
    """Messages and clocks are arbitrary, except for jumps ahead by half the ring."""
    receiver, times = SwarmTime(NOW), []
    for sender, number, now in messages:
        number = (NOW + number // 2**20) % RING
        accepted = receiver.accept(sender, number, WINDOW, now)
        times.append(receiver.read(now))
        assert not receiver.accept(sender, number, WINDOW, now)
        if accepted:
            assert ahead(number, times[-1]) >= -1e3 * WINDOW
    assert all(ahead(b, a) >= 0 for a, b in zip(times, times[1:]))


# Who is believed.

def test_robots_with_and_without_a_key_ignore_each_other_unless_told_to():
    keyed, other, plain = Authentication((KEY,), NOW), Authentication((OTHER,)), Authentication()
    signed, theirs = keyed.sign(PAYLOAD, 3, 0.0), other.sign(PAYLOAD, 3, 0.0)
    assert plain.sign(PAYLOAD, 3, 0.0) == PAYLOAD
    believed, unsigned, unverified = ((None, reason) for reason in (
        None, RejectReason.UNSIGNED, RejectReason.SIGNATURE))
    assert keyed.check(PAYLOAD) == unsigned
    assert keyed.check(theirs) == plain.check(signed) == unverified
    assert keyed.check(signed) == (NOW, None) and plain.check(PAYLOAD) == believed
    for robot in (keyed, plain):
        robot.accept_unverified = True
    assert keyed.check(PAYLOAD) == plain.check(signed) == believed
    assert keyed.check(theirs) == unverified, 'that would make the key pointless'


def test_unsigned_message_of_a_signing_robot_is_rejected():
    keyed = Authentication((KEY,), NOW)
    keyed.accept_unverified = True
    assert keyed.admit(3, None, 0.0) is None
    assert keyed.admit(3, NOW, 0.0) is None
    assert keyed.admit(3, None, WINDOW) == RejectReason.UNSIGNED
    assert keyed.admit(4, None, WINDOW) is None
    late = WINDOW + 0.002
    assert keyed.admit(3, None, late) is None, 'it has been silent for longer than the window'


def test_message_of_the_greatest_length_is_checked_and_a_longer_one_rejected():
    authentication = Authentication()
    assert (authentication.file_error, authentication.accept_unverified) == ('', False)
    assert (authentication.room, authentication.time.read(0.0)) == (MAX_LENGTH, 0)
    assert authentication.check('x' * MAX_LENGTH) == (None, None)
    assert authentication.check('x' * (MAX_LENGTH + 1)) == (None, RejectReason.SIZE)


# Robots with a key: outsiders, replays, robots without a key, restarts, a change of the key.

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


@pytest.mark.parametrize(('payload', 'reason'), [
    (forged(), RejectReason.UNSIGNED),
    (forged(sender=1), RejectReason.UNSIGNED),
    (sign(forged(), NOW + 2000, OTHER), RejectReason.SIGNATURE),
    (forged()[:-1] + ',"s":"' + 'A' * 30 + '"}', RejectReason.SIGNATURE)])
def test_outsider_does_not_change_the_election(payload, reason):
    swarm = keyed()
    for _ in range(10):
        swarm.tell(9, payload)
        swarm.sweep()
        assert set(swarm.leaders().values()) == {3}
    assert count(swarm, reason) == [10, 10, 10]
    assert all(len(robot.neighbours) == 2 for robot in swarm.robots.values())


@pytest.mark.parametrize(('keys', 'leader'), [((KEY,), 2), ((), 3)])
@pytest.mark.parametrize('every', [1.0, 2.0])
def test_replayed_messages_of_a_dead_leader_are_ignored(keys, leader, every):
    """Without a key the replay keeps the dead leader."""
    swarm = keyed(keys=keys, radius=0.35)
    swarm.silent.add(3)
    for second in range(60):
        if second % every == 0.0:
            swarm.tell(3)
        swarm.sweep()
    assert set(swarm.leaders().values()) == {leader}
    if keys:
        assert count(swarm, RejectReason.REPLAY)[:2] == [60 / every, 60 / every]


@pytest.mark.parametrize('clock', [0, NOW - 10**7, NOW, NOW + 10**7])
def test_restarted_robot_loses_at_most_one_round_with_any_clock(clock):
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


def test_leaders_stay_when_the_key_is_changed():
    """Key files change in any order, one step at a time."""
    swarm = keyed(5)
    for keys in ((KEY, NEXT), (NEXT, KEY), (NEXT,)):
        for i in (4, 1, 5, 3, 2):
            swarm.robots[i].authentication.keys = keys
            swarm.sweep()
            assert set(swarm.leaders().values()) == {5}
    assert all(verify(payload, (NEXT,)) is not None for payload in swarm.said.values())
    for robot in swarm.robots.values():
        assert sum(robot.counts[reason.value] for reason in RejectReason) == 0


def test_accept_unverified_changes_at_run_time():
    robot = alone()
    assert not robot.receive(forged(), 0.0)
    robot.configure(build(ElectionParameters, {
        **{'robot_id': 1, 'metric': 'hops', 'communication_range': float('inf')},
        'accept_unverified': True}))
    assert robot.receive(forged(), 0.0)
    assert robot.receive(sign(forged(8), NOW, KEY), 0.0)
    assert not robot.receive(forged(8), 0.0), 'it has been heard with the key'
    assert alone(accept_unverified=True).receive(forged(), 0.0)


def test_signed_messages_are_numbered_from_the_start_of_the_robot() -> None:
    for robot, start in ((alone(), NOW), (Robot(alone().parameters, keys=(KEY,)), 0)):
        assert verify(robot.round(1.0), (KEY,)) == start + 1000


def test_own_message_is_an_echo_once_then_a_replay():
    """Neither an echo nor a replay of the robot's own message reports a duplicate id."""
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


@pytest.mark.parametrize('start', ['{"frame":"map","v":1,', '{"v":1,"id":9,"frame":"map",'])
def test_replay_is_rejected_when_the_message_has_two_ids(start: str) -> None:
    """The last of two ids counts, also for the order of messages."""
    robot, text = alone(), forged(8)
    assert robot.receive(sign(text, NOW + 5, KEY), 0.0)
    for sequence, replayed in ((NOW + 5, 1), (NOW + 4, 2)):
        other = start + text.removeprefix('{"v":1,')
        assert not robot.receive(sign(other, sequence, KEY), 0.1)
        assert robot.counts[RejectReason.REPLAY.value] == replayed
    robot.receive(sign(other, NOW + 6, KEY), 0.2)
    assert robot.counts[RejectReason.REPLAY.value] == 2


def test_forged_and_replayed_messages_use_no_budget_of_the_sender():
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
