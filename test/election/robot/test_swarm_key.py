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
import random

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.robot.codec import MAX_LENGTH
from leader_election.election.robot.swarm_key import (
    ahead,
    Authentication,
    is_signed,
    parse_keys,
    RING,
    SENDERS,
    sign,
    SIGNATURE_LENGTH,
    SwarmTime,
    verify,
)
from leader_election.election.robot.wire import RejectReason
import pytest

KEY, NEXT, OTHER = b'k' * 32, b'n' * 32, b'o' * 32
PAYLOAD = '{"v":1,"id":3,"frame":"map","p":[1.5,2.0],"c":[-7.0,3.25,8]}'
NOW = 1_790_000_000_000
"""A wall clock [ms]."""
WINDOW = 5.0
SEQUENCES = st.integers(0, RING - 1)


# Signatures.

@given(SEQUENCES)
def test_a_signed_message_is_the_message_with_one_member_more(sequence):
    signed = sign(PAYLOAD, sequence, KEY)
    document = json.loads(signed)
    assert len(document.pop('s')) == 30 and document == json.loads(PAYLOAD)
    assert len(signed) - len(PAYLOAD) == SIGNATURE_LENGTH < 40
    assert is_signed(signed) and not is_signed(PAYLOAD)
    assert verify(signed, (KEY,)) == sequence and verify(signed, (OTHER,)) is None


@given(SEQUENCES, st.integers(0), st.characters())
def test_any_change_of_one_character_is_noticed(sequence, place, character):
    signed = sign(PAYLOAD, sequence, KEY)
    place %= len(signed)
    changed = signed[:place] + character + signed[place + 1:]
    assert changed == signed or verify(changed, (KEY,)) is None
    assert verify(signed[:place] + signed[place + 1:], (KEY,)) is None
    assert verify(signed[:place] + character + signed[place:], (KEY,)) is None


def test_every_bit_of_every_character_counts():
    """Base64 has two spare bits at the end of a tag: no second text may stand for one tag."""
    signed = sign(PAYLOAD, NOW, KEY)
    changed = {signed[:place] + chr(ord(signed[place]) ^ 1 << bit) + signed[place + 1:]
               for place in range(len(signed)) for bit in range(7)}
    assert [text for text in changed if verify(text, (KEY,)) is not None] == []


@given(st.text(st.characters(), max_size=80), st.booleans())
def test_forged_text_is_never_verified(text, signed):
    forged = text + ',"s":"' + 'A' * 30 + '"}' if signed else text
    assert verify(forged, (KEY,)) is None
    assert Authentication((KEY,)).check(forged) in (
        (None, RejectReason.SIGNATURE), (None, RejectReason.UNSIGNED))


@given(st.text(st.characters(max_codepoint=127), min_size=8, max_size=8))
def test_a_key_holder_may_sign_any_sequence_number(digits):
    text = PAYLOAD[:-1] + ',"s":"' + digits
    tag = binascii.b2a_base64(hmac.digest(KEY, text.encode(), 'sha256')[:16]).decode()[:22]
    number = verify(text + tag + '"}', (KEY,))
    assert number is None or 0 <= number < RING


def test_the_tag_is_that_of_the_standard_library():
    signed = sign(PAYLOAD, NOW, KEY)
    text, tag = signed[:-24], signed[-24:-2]
    assert binascii.a2b_base64(tag + '==') == hmac.digest(KEY, text.encode(), 'sha256')[:16]
    assert int.from_bytes(binascii.a2b_base64(text[-8:]), 'big') == NOW


def test_a_signature_of_another_message_does_not_fit():
    one, other = (sign(text, NOW, KEY) for text in (PAYLOAD, PAYLOAD.replace('8', '9')))
    assert verify(one[:-SIGNATURE_LENGTH] + other[-SIGNATURE_LENGTH:], (KEY,)) is None


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


def test_keys_in_their_order():
    assert parse_keys(f'# now\n{KEY.hex()}\n# next\n  {NEXT.hex().upper()}\n') == (KEY, NEXT)


# Replays.

def test_a_message_is_accepted_once():
    receiver = SwarmTime(NOW)
    assert receiver.accept(1, NOW, WINDOW, 0.0)
    assert not receiver.accept(1, NOW, WINDOW, 0.0)
    assert receiver.accept(2, NOW, WINDOW, 0.0)
    assert receiver.accept(1, NOW + 1, WINDOW, 0.001)
    assert not receiver.accept(1, NOW, WINDOW, 0.001)


def test_a_message_held_back_is_accepted_within_the_window_only():
    for late, accepted in ((WINDOW, True), (WINDOW + 0.001, False)):
        receiver = SwarmTime(NOW)
        assert receiver.accept(2, NOW, WINDOW, 0.0)
        assert receiver.accept(1, NOW, WINDOW, late) == accepted


def test_a_receiver_started_later_does_not_believe_what_is_past():
    """By its own clock; and with a clock that is behind, from the first living robot on."""
    assert not SwarmTime(NOW + 6000).accept(1, NOW, WINDOW, 0.0)
    receiver = SwarmTime(0)
    assert receiver.accept(1, NOW, WINDOW, 0.0), 'nothing is known yet: it is fooled, once'
    assert not receiver.accept(1, NOW, WINDOW, 0.1)
    assert receiver.accept(2, NOW + 60_000, WINDOW, 1.0)
    assert not receiver.accept(1, NOW + 1000, WINDOW, 1.1)


@pytest.mark.parametrize('clock', [0, NOW - 3_600_000, NOW + 3_600_000, NOW + 10**12])
def test_a_restart_with_a_clock_that_was_set_loses_no_more_than_a_message(clock):
    """Whatever it says: who hears a robot that is ahead of it goes on from there."""
    other, before = SwarmTime(NOW), SwarmTime(NOW)
    assert other.accept(1, before.next(1, 0.0), WINDOW, 0.0)
    restarted = SwarmTime(clock - 1000)
    first = other.accept(1, restarted.next(1, 1.0), WINDOW, 1.0)
    assert first == (clock > NOW)
    assert restarted.accept(2, other.next(2, 1.5), WINDOW, 1.5)
    assert other.accept(1, restarted.next(1, 2.0), WINDOW, 2.0)


def test_a_clock_that_stands_or_goes_back_gives_growing_numbers():
    sender = SwarmTime(NOW)
    numbers = [sender.next(1, now) for now in (10.0, 10.0, 10.0, 3.0, 3.5, -1e6, 1e9)]
    assert all(ahead(b, a) > 0 for a, b in zip(numbers, numbers[1:]))


def test_sequence_numbers_wrap_around():
    """From the end of the range numbers go on at its beginning."""
    sender, receiver = SwarmTime(RING - 2000), SwarmTime(RING - 2000)
    sent = [sender.next(1, t / 2) for t in range(12)]
    assert sent[-1] < sent[0]
    assert all(receiver.accept(1, number, WINDOW, t / 2) for t, number in enumerate(sent))
    assert not any(receiver.accept(1, number, WINDOW, 6.0) for number in sent)


def test_a_leap_to_any_number_costs_others_no_more_than_a_message():
    """An insider sends the greatest numbers that there are: robots go on from there."""
    draw = random.Random(1)
    one, other = SwarmTime(NOW), SwarmTime(NOW)
    for t in range(1, 50):
        one.accept(9, draw.randrange(RING), WINDOW, float(t))
        one.accept(9, RING - 1, WINDOW, float(t))
        other.accept(1, one.next(1, t + 0.2), WINDOW, t + 0.2)
        one.accept(2, other.next(2, t + 0.4), WINDOW, t + 0.4)
        assert other.accept(1, one.next(1, t + 0.6), WINDOW, t + 0.6)
        assert one.accept(2, other.next(2, t + 0.8), WINDOW, t + 0.8)


def test_two_leaps_by_a_third_of_the_ring_lock_nobody_out():
    """Two messages of a key holder, heard by all while two pairs do not hear each other."""
    robots = {i: SwarmTime(NOW) for i in range(4)}

    def exchanged(now: float, pairs: list[tuple[int, int]]) -> list[bool]:
        sent = {i: robot.next(i, now) for i, robot in robots.items()}
        return [robots[to].accept(by, sent[by], WINDOW, now)
                for one, other in pairs for by, to in ((one, other), (other, one))]

    together = [(i, j) for i in robots for j in range(i)]
    assert all(exchanged(1.0, together))
    for now, leap in ((2.0, RING // 3), (4.0, 2 * RING // 3)):
        for robot in robots.values():
            robot.accept(9, (NOW + leap) % RING, WINDOW, now)
        assert all(exchanged(now + 1.0, [(0, 1), (2, 3)]))
    assert all(exchanged(6.0, together))
    assert not robots[0].knows(9, WINDOW, 20.0)


def test_senders_are_forgotten_after_the_window():
    receiver = SwarmTime(NOW)
    for i in range(5000):
        assert receiver.accept(i, NOW + 10 * i, WINDOW, 0.01 * i)
    assert len(receiver._last) <= 2 * 501 + SENDERS


@given(st.data())
def test_loss_duplication_and_reordering_reject_no_newer_message(data):
    """
    Whatever happens on the way: within the window, the newest message of a sender is accepted.

    Clocks of senders differ by up to 1 s, messages are under way for up to 3 s, in any order; some
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
    """Whatever comes in, and whatever the clock does; but for half the ring of numbers ahead."""
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

def test_with_and_without_a_key_robots_do_not_mix_unless_told_to():
    keyed, other, plain = Authentication((KEY,), NOW), Authentication((OTHER,)), Authentication()
    signed, theirs = keyed.sign(PAYLOAD, 3, 0.0), other.sign(PAYLOAD, 3, 0.0)
    assert plain.sign(PAYLOAD, 3, 0.0) == PAYLOAD
    believed, unsigned, unverified = ((None, reason) for reason in (
        None, RejectReason.UNSIGNED, RejectReason.SIGNATURE))
    assert keyed.check(PAYLOAD) == unsigned
    assert keyed.check(theirs) == plain.check(signed) == unverified
    assert keyed.check(signed) == (NOW, None) and plain.check(PAYLOAD) == believed
    for robot in (keyed, plain):
        robot.configure(WINDOW, accept_unverified=True)
    assert keyed.check(PAYLOAD) == plain.check(signed) == believed
    assert keyed.check(theirs) == unverified, 'that would make the key pointless'


def test_unsigned_message_of_a_signing_robot_is_rejected():
    keyed = Authentication((KEY,), NOW)
    keyed.configure(WINDOW, accept_unverified=True)
    assert keyed.admit(3, None, 0.0) is None
    assert keyed.admit(3, NOW, 0.0) is None
    assert keyed.admit(3, None, 1.0) == RejectReason.UNSIGNED
    assert keyed.admit(4, None, 1.0) is None
    assert keyed.admit(3, None, 6.0) is None, 'it has been silent for longer than the window'


def test_the_window_is_that_of_the_parameter():
    for window, reason in ((5.0, RejectReason.REPLAY), (30.0, None)):
        receiver = Authentication((KEY,), NOW)
        receiver.configure(window, accept_unverified=False)
        assert receiver.admit(1, NOW - 10_000, 0.0) == reason


def test_a_signed_message_has_room_below_the_greatest_length():
    assert Authentication((KEY,)).room + SIGNATURE_LENGTH == Authentication().room == MAX_LENGTH
