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

"""Mailbox and clock; the probability of a wrong leader."""

import math

from hypothesis import given, strategies
from leader_election.election.algorithms import BOUNDED
from leader_election.election.algorithms.algorithm import Device
from leader_election.election.algorithms.bounded import (
    bounded_round,
    Candidacies,
    Candidacy,
    configure,
)
from leader_election.election.messages.codec import Message
from leader_election.election.robot.mailbox import (
    Acquaintances,
    Mailbox,
    MOST_INTERVALS,
    ObservationClock,
    PLACE_TOLERANCE,
    ReceivedMessage,
    REMEMBERED,
    reserve_left,
    smoothed_velocity,
    velocity_after,
)
from leader_election.election.robot.neighbourhood import doubt, Offer
from leader_election.localisation.source import Estimate
import numpy as np
import pytest


def message(sender: int, value: float = 0.0) -> Message:
    return Message(sender, 'map', (0.0, 0.0), BOUNDED.state(value, 0.0, sender))


def put(mailbox: Mailbox, received: Message, now: float) -> bool:
    return mailbox.put(ReceivedMessage(received, now))


def senders(mailbox: Mailbox, now: float) -> list[int]:
    return [entry.message.id for entry in mailbox.valid(now)]


def test_mailbox_returns_the_last_message_of_each_sender_in_order_of_ids():
    mailbox = Mailbox(expiry=3.0, limit=10)
    for sender, value in ((7, -1.0), (2, -2.0), (7, -3.0)):
        assert put(mailbox, message(sender, value), now=0.0)
    assert [entry.message for entry in mailbox.valid(1.0)] == [message(2, -2.0), message(7, -3.0)]
    assert mailbox.entry(3) is None


def test_message_expires_from_its_receipt():
    mailbox = Mailbox(expiry=3.0, limit=10)
    put(mailbox, message(1), now=10.0)
    put(mailbox, message(2), now=11.0)
    assert senders(mailbox, 13.0) == [1, 2], 'exactly as old as the expiry: it still counts'
    assert senders(mailbox, 13.001) == [2]
    assert mailbox.expired == 1
    put(mailbox, message(2), now=13.5)
    assert senders(mailbox, 16.5) == [2], 'heard again: it counts anew'
    assert senders(mailbox, 100.0) == []
    assert mailbox.expired == 2


def test_mailbox_keeps_the_nearest_senders_up_to_its_limit():
    mailbox = Mailbox(expiry=3.0, limit=2)
    assert put(mailbox, message(1), now=0.0)
    assert put(mailbox, message(2), now=1.0)
    assert not put(mailbox, message(3), now=1.0), 'no room'
    assert put(mailbox, message(2, -9.0), now=2.0), 'known: it has its place'
    assert senders(mailbox, 2.0) == [1, 2]
    assert put(mailbox, message(3), now=3.5), '1 has expired and makes room'
    assert senders(mailbox, 3.5) == [2, 3]


def test_forgotten_sender_is_removed():
    mailbox = Mailbox(expiry=3.0, limit=10)
    put(mailbox, message(1), now=0.0)
    mailbox.forget(1)
    mailbox.forget(2)
    assert mailbox.valid(0.0) == []
    assert mailbox.expired == 0, 'forgotten is not fallen silent'


def test_velocity_is_smoothed_over_a_period():
    first = ReceivedMessage(message(7)._replace(position=(0.0, 0.0)), 5.0)
    further = message(7)._replace(position=(0.5, -1.0))
    assert velocity_after(None, further, 1.0, 1.0) == (0.0, 0.0)
    assert velocity_after(first, further, 6.0, 1.0) == (0.5, -1.0)
    assert velocity_after(first, further, 7.0, 1.0) == (0.25, -0.5)
    # Half a period counts half.
    assert velocity_after(first, further, 5.5, 1.0) == (0.5, -1.0)
    assert velocity_after(first, further, 5.0, 1.0) == (0.0, 0.0), 'no time has passed'
    assert velocity_after(first, further._replace(position=None), 6.0, 1.0) == (0.0, 0.0)
    quarter = smoothed_velocity((0.0, 2.0), (0.0, 0.0), (1.0, 1.0), elapsed=1.0, period=4.0)
    assert quarter == (0.25, 1.75)


def test_velocity_ignores_a_correction_of_the_position():
    def at(x: float, odometry: float) -> Message:
        told = Estimate((0.6 * odometry, 0.8 * odometry, 0.0), 0.0, 0.1, 0.1)
        return message(7)._replace(position=(x, 0.0), parts={'localisation': told})

    first = ReceivedMessage(at(0.0, 0.0), 0.0)
    corrected, leapt = at(5.0, 0.1), at(0.0, 5.0)
    assert reserve_left(first, corrected, 1.0, top_speed=0.5) == PLACE_TOLERANCE
    assert reserve_left(first, leapt, 1.0, top_speed=0.5) == 1.0 + 0.5 - 5.0
    less = first._replace(reserve=0.5)
    assert reserve_left(less, leapt, 1.0, math.inf) == 0.5
    assert reserve_left(less, leapt._replace(position=None, parts={}), 1.0, 0.5) == 0.5
    unplaced = less._replace(message=message(7)._replace(position=None))
    assert reserve_left(unplaced, leapt, 1.0, 0.5) == 0.5
    without = [each._replace(parts={}) for each in (at(0.0, 0.0), corrected)]
    assert reserve_left(ReceivedMessage(without[0], 0.0), without[1], 1.0, 0.5) < 0.0


# The choice of senders in a full mailbox: by how long they are known, and how near they are.

EXPIRY = 3.0


def received(sender: int, now: float = 0.0, distance: float = 1.0) -> ReceivedMessage:
    message = Message(sender, 'map', (0.0, 0.0), BOUNDED.state(0.0, 0.0, sender))
    return ReceivedMessage(message, now, distance)


class Receiver:
    """A mailbox with its acquaintances."""

    def __init__(self, limit: int = 2) -> None:
        self.mailbox = Mailbox(EXPIRY, limit)
        self.known = Acquaintances(self.mailbox)

    def hear(self, sender: int, now: float, distance: float = 1.0) -> bool:
        """Take in a message, and return whether it is kept."""
        entry = received(sender, now, distance)
        self.known.note(sender, now)
        if self.mailbox.put(entry):
            return True
        has_room = self.known.make_room(entry)
        assert self.mailbox.put(entry) == has_room
        return has_room

    def kept(self, now: float) -> list[int]:
        return [entry.message.id for entry in self.mailbox.valid(now)]

    def newness(self, sender: int) -> int:
        return self.known.rank(received(sender)).newness


def test_nearer_new_sender_is_kept_when_the_mailbox_is_full():
    of = Receiver()
    assert of.hear(1, 0.0, 5.0) and of.hear(2, 0.0, 3.0)
    assert not of.hear(3, 0.0, 5.0), 'of two as far as each other the lower id'
    assert of.hear(4, 0.0, 1.0), 'nearer than 1'
    assert of.kept(0.0) == [2, 4]
    assert of.hear(5, 0.0, 2.0) and of.kept(0.0) == [4, 5]


def test_longer_known_sender_returns_into_a_full_mailbox():
    """It was silent for longer than the expiry, and strangers took its place."""
    of = Receiver()
    for second in range(30):
        of.hear(1, float(second), 9.0)
    for second in range(33, 36):
        assert of.hear(2, float(second)) and of.hear(3, float(second))
    assert of.kept(35.0) == [2, 3]
    assert of.hear(1, 35.5, 9.0), 'farther, and known for longer'
    assert 1 in of.kept(35.5) and len(of.kept(35.5)) == 2


def test_sender_displaces_nobody_when_known_as_long_and_farther():
    of = Receiver()
    for second in range(30):
        for sender, distance in ((1, 1.0), (2, 1.0), (3, 2.0)):
            of.hear(sender, float(second), distance)
    assert of.kept(29.0) == [1, 2]


def test_time_known_is_bounded_and_runs_out():
    of = Receiver()
    for interval in range(2 * MOST_INTERVALS):
        of.hear(1, interval * EXPIRY)
    longest = of.newness(1)
    assert longest == -MOST_INTERVALS.bit_length()
    silent = 2 * MOST_INTERVALS * EXPIRY
    of.hear(2, silent + 0.4 * MOST_INTERVALS * EXPIRY)
    assert of.newness(1) == longest, 'silent for less than half the time'
    of.hear(2, silent + 0.6 * MOST_INTERVALS * EXPIRY)
    assert longest < of.newness(1) < 0
    of.hear(2, silent + 1.1 * MOST_INTERVALS * EXPIRY)
    assert of.newness(1) == 0


def test_sender_is_remembered_as_long_as_it_was_heard():
    """Intervals of 3 s: a sender heard in one of them is forgotten at the end of the third."""
    acquaintances = Acquaintances(Mailbox(expiry=3.0, limit=10))
    acquaintances.note(1, 0.0)
    for now, known in ((3.0, True), (6.0, True), (9.0, False)):
        acquaintances.note(2, now)
        assert (1 in acquaintances) == known


def test_flood_of_ids_displaces_no_known_sender():
    of = Receiver(limit=10)
    for second in range(10):
        of.hear(1, float(second))
    before = of.newness(1)
    for n in range(10_000):
        of.hear(100 + n, 10.0 + n * 1e-3)
    assert len(of.known._known) == REMEMBERED * 10
    assert of.newness(1) <= before + 1, 'silent for 10 s'
    for later in (30.0, 60.0, 90.0):
        of.known.note(1, later)
    assert set(of.known._known) == {1}


def test_neighbour_is_displaced_once_per_interval():
    """The order of senders is computed once an interval, without senders that arrive during it."""
    of = Receiver(limit=3)
    for sender in (1, 2, 3):
        of.hear(sender, 0.0, 9.0)
    for sender in (4, 5, 6, 7):
        assert of.hear(sender, 0.0, 9.0 - sender), sender
    assert of.kept(0.0) == [5, 6, 7]


def test_sender_that_has_left_is_passed_over_for_the_next_to_displace():
    of = Receiver(limit=3)
    for sender, distance in ((1, 9.0), (2, 8.0), (3, 7.0), (4, 8.5)):
        assert of.hear(sender, 0.0, distance)
    of.mailbox.forget(2)
    for sender, distance in ((5, 8.6), (6, 6.0)):
        assert of.hear(sender, 0.0, distance)
    assert of.kept(0.0) == [4, 5, 6], 'the new ones are not compared in this interval'


# The time of observations: what leaps and jumps back of a clock do to it.

@pytest.mark.parametrize('longest_step, readings, times', [
    (1.25, [1.7e9 + n / 7 for n in range(1000)], [1.7e9 + n / 7 for n in range(1000)]),
    # Until the clock is set no time goes by, whatever leaps count.
    (1.0, [0.0, 0.0, 500.0, 500.5], [0.0, 0.0, 0.0, 0.5]),
    (math.inf, [0.0, 500.0, 500.5, 600.0], [0.0, 0.0, 0.5, 100.0]),
    # A clock that starts again at zero has been set before.
    (2.0, [100.0, 101.0, 0.0, 0.5, 1.0], [100.0, 101.0, 101.0, 101.5, 102.0]),
    (math.inf, [1.0, 1e6, 5.0, 6.0], [1.0, 1e6, 1e6, 1e6 + 1])])
def test_clock_returns_readings_without_steps_back(longest_step, readings, times):
    clock = ObservationClock(longest_step)
    assert [clock.observe(reading) for reading in readings] == times


# The probability of a wrong leader is that with which drawn distances elect another. Names.

RANGE, RADIUS, OWN, STRENGTH = 2.5, 3.0, 1, 5.0
DRAWS = 2000


def offers() -> strategies.SearchStrategy[list[Offer]]:
    """Draw the candidacies of three leaders of their own, and how far they are."""
    return strategies.lists(
        strategies.tuples(strategies.floats(0.5, 4.0), strategies.floats(0.01, 1.0)),
        min_size=3, max_size=3).map(lambda rows: [
            Offer(Candidacy(-4.0 - k, 0.0, k + 2), *row) for k, row in enumerate(rows)])


def elected(found: list[Offer], distances: list[float], leader: int, hysteresis: float) -> int:
    """Return the leader of a round with these distances."""
    near = [k for k, distance in enumerate(distances) if distance <= RANGE]
    state = Candidacy(-STRENGTH, 0.0, leader)
    columns = zip(*(found[k].candidacy for k in near)) if near else [()] * 4
    return bounded_round(Device(OWN, STRENGTH), state, Candidacies(*map(list, columns)),
                         [distances[k] for k in near],
                         configure(RADIUS, 'id', radius_hysteresis=hysteresis)).leader


@given(offers(), strategies.sampled_from([0.0, 0.2]))
def test_doubt_is_the_share_of_drawn_distances_with_another_leader(
        found: list[Offer], hysteresis: float) -> None:
    leader = elected(found, [each.distance for each in found], OWN, hysteresis)
    value = next((each.candidacy.value for each in found if each.candidacy.leader == leader),
                 -STRENGTH)
    expected = doubt(Candidacy(value, 1.0, leader), OWN, found, RANGE,
                     configure(RADIUS, 'id', radius_hysteresis=hysteresis))
    drawn = np.random.default_rng(0).normal(
        [each.distance for each in found], [each.deviation for each in found], (DRAWS, 3))
    others = sum(elected(found, row, leader, hysteresis) != leader for row in drawn.tolist())
    assert others / DRAWS == pytest.approx(expected, abs=4.0 * 0.5 / math.sqrt(DRAWS))


def test_own_leader_is_right_up_to_the_radius_and_others_up_to_the_joining_radius() -> None:
    parameters = configure(4.0, 'id')._replace(joining_radius=2.0)
    own, other = Candidacy(-9.0, 3.0, 2, 1), Candidacy(-9.5, 0.0, 3)
    sent = Candidacy(-9.0, 0.0, 2)
    assert doubt(own, 1, [Offer(sent, 3.0, 0.1)], 9.0, parameters) < 1e-6
    assert doubt(own, 1, [Offer(sent, 3.0, 0.1), Offer(other, 3.0, 0.1)], 9.0, parameters) < 1e-6
    assert doubt(own, 1, [Offer(sent, 3.0, 0.1), Offer(other, 1.0, 0.1)], 9.0, parameters) > 0.99
