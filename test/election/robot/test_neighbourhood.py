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

"""Which messages of other robots count, and who is a neighbour."""

import math
from typing import Any

from election.robot.sensed import Sensed
from leader_election.election.algorithms import BOUNDED
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.bounded import configure
from leader_election.election.messages.codec import Message
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.mailbox import ReceivedMessage
from leader_election.election.robot.neighbourhood import (
    contradicted,
    doubt,
    leader_name,
    Neighbourhood,
    NeighbourView,
    no_view,
    Offer,
    OUT_OF_RANGE,
)
import pytest


def message(robot: int, x: float | None = 1.0, value: float = 0.0, **changes: Any) -> Message:
    """Return a message from a place on the x axis."""
    place = None if x is None else (x, 0.0)
    return Message(robot, 'map', place, BOUNDED.state(value, 0.0, robot, 0), **changes)


class Near:
    """The neighbourhood of robot 1, which is at 0 and hears up to 5 m far."""

    def __init__(self, **settings: Any) -> None:
        self.made = Sensed(communication_range=5.0, message_expiry=3.0, **settings)
        self.counts = self.made.counts
        self.near = Neighbourhood(
            self.made.parameters, self.made.mailbox, self.made.sensing, self.counts)
        self.compared: list[tuple[float, float]] = []

    def hear(self, received: Message, now: float) -> bool:
        """Admit a message; a changed value is news."""
        self.made.sensing.take_odometry((0.0, 0.0, 0.0), now)

        def is_news(before: Message, after: Message) -> bool:
            self.compared.append((before.export.value, after.export.value))
            return bool(abs(before.export.value - after.export.value) > 1.0)
        return self.near.admit(received, now, is_news)

    def neighbours(self, now: float) -> dict[int, tuple[float, int]]:
        """Return the distances of the neighbours, and what they have missed."""
        self.made.sensing.take_odometry((0.0, 0.0, 0.0), now)
        self.made.sensing.locate(now)
        return {each.message.id: (each.distance, each.missed) for each in self.near.at(now)}


def test_sender_is_known_while_its_message_or_its_memory_lasts() -> None:
    near = Near()
    near.hear(message(2), 10.0)
    near.hear(message(3, 9.0), 10.0)
    near.made.mailbox.put(ReceivedMessage(message(5), 10.0))
    assert [near.near.knows(robot) for robot in (2, 3, 4, 5)] == [True, False, False, True]
    near.made.mailbox.forget(2)
    assert near.near.knows(2)


def test_message_is_news_when_it_differs_from_the_last_one_that_was() -> None:
    near = Near()
    assert near.hear(message(2, value=0.0), 10.0)
    assert not near.hear(message(2, value=0.8), 11.0)
    assert near.hear(message(2, value=1.6), 12.0), 'small changes add up'
    assert near.compared == [(0.0, 0.8), (0.0, 1.6)]
    assert not near.hear(message(2, value=1.6), 15.0), 'at its expiry'
    last = message(2, value=1.6)
    assert near.hear(last, 18.1), 'after its expiry'
    del near.compared[:]
    assert not near.hear(last, 18.2), 'it is the same'
    near.made.mailbox.put(ReceivedMessage(last, 18.2))
    assert near.hear(message(2, value=1.6), 18.3), 'none was news'
    assert near.compared == []


def test_message_from_out_of_range_is_counted_and_ends_the_neighbour() -> None:
    near = Near()
    assert not near.hear(message(2, 5.1), 10.0), 'it changes nothing'
    assert near.hear(message(2, 5.0), 11.0) and near.neighbours(11.0) == {2: (5.0, 0)}
    assert near.hear(message(2, 5.1), 12.0) and near.neighbours(12.0) == {}
    assert near.counts[OUT_OF_RANGE] == 2
    assert near.near.heard(15.0) == {2} and near.near.heard(15.1) == set()


def test_leap_beyond_the_top_speed_is_counted_and_ignored() -> None:
    near = Near(top_speed=1.0)
    near.hear(message(2, 0.0), 10.0)
    assert not near.hear(message(2, 4.9), 10.1)
    assert near.counts[RejectReason.IMPLAUSIBLE.value] == 1
    assert near.neighbours(10.1) == {2: (0.01, 0)}
    near.hear(message(2, 2.0), 11.0)
    assert near.neighbours(11.0) == {2: (2.0, 0)}, 'just possible'


def test_faults_of_a_message_are_counted() -> None:
    near = Near()
    for number in (1, 2):
        near.hear(message(2, faults=(RejectReason.NAMES, RejectReason.READING)), 10.0)
        assert near.counts['rejected_names'] == near.counts['rejected_reading'] == number


def test_nearer_senders_are_kept_when_the_mailbox_is_full() -> None:
    near = Near()
    near.made.mailbox.limit = 2
    for robot, x, kept in ((2, 3.0, True), (3, 4.0, True), (4, 2.0, True), (5, 4.5, False)):
        assert near.hear(message(robot, x), 10.0) == kept
    assert near.neighbours(10.0) == {2: (3.0, 0), 4: (2.0, 0)}
    assert near.counts[RejectReason.LIMIT.value] == 2


@pytest.mark.parametrize(('late', 'missed'), [
    (0.0, 0), (1.2, 0), (1.3, 1), (2.2, 1), (2.3, 2)])
def test_missed_messages_are_those_a_quarter_of_a_period_overdue(
        late: float, missed: int) -> None:
    for period in (1.0, 0.5):
        near = Near(round_period=period)
        near.hear(message(2), 10.0)
        assert near.neighbours(10.0 + period * late) == {2: (1.0, missed)}


def test_measured_range_decides_who_is_out_of_range_now_and_soon() -> None:
    near = Near(metric='range')
    near.made.sensing.take_measurements([2.0, 6.0], 10.0)
    near.hear(message(2), 10.0)
    assert near.counts[OUT_OF_RANGE] == 1
    near = Near(metric='range')
    near.hear(message(2, 3.5), 10.0)
    near.made.sensing.take_measurements([2.0, 4.5], 10.0)
    near.made.mailbox.put(ReceivedMessage(message(2, 3.5), 10.0, velocity=(1.0, 0.0)))
    assert near.neighbours(10.0) == {2: (4.5, 0)} and near.neighbours(11.4) == {}
    near.made.sensing.take_measurements([2.0, 6.5] * 2, 11.5)
    near.made.mailbox.put(ReceivedMessage(message(2, 3.5), 11.5))
    assert near.neighbours(11.5) == {}


def test_doubt_counts_each_leader_within_the_hop_limit() -> None:
    """The distance to each sender is as likely within the range as not."""
    parameters = configure(3.0, 'id')._replace(hop_limit=3)
    own, better = BOUNDED.state(-9.0, 2.0, 2, 1), BOUNDED.state(-9.5, 0.0, 4, 0)
    offers = [Offer(better, 2.0, 0.1), Offer(BOUNDED.state(-9.0, 0.0, 2, 0), 2.0, 0.1)]
    assert doubt(own, 1, offers, 2.0, parameters) == 0.75
    offers[0] = Offer(better._replace(hops=3), 2.0, 0.1)
    assert doubt(own, 1, offers, 2.0, parameters) == 0.5
    near, edge = (Offer(BOUNDED.state(-9.0, 1.0, 2, 0), metres, 0.1) for metres in (1.0, 2.0))
    assert doubt(own, 1, [edge], 9.0, parameters) == 0.5
    assert doubt(own, 1, [near, edge], 9.0, parameters) < 1e-6, 'the best way to a leader counts'


def test_robot_that_may_not_lead_and_says_so_does_not_deny_its_own_candidacy() -> None:
    barred = BOUNDED.state(-BARRED, 0.0, 2, 0)
    for candidacy, outdated in ((barred, []), (BOUNDED.state(-9.0, 1.0, 2, 1), [1])):
        assert contradicted(no_view()._replace(
            messages=[message(2), message(3)], exports=[barred, candidacy])) == outdated


def test_name_of_a_leader_is_that_of_the_nearest_follower_that_came_first() -> None:
    def view(*names: dict[int, str]) -> NeighbourView:
        messages = [message(robot)._replace(names=name) for robot, name in enumerate(names, 2)]
        return no_view()._replace(
            messages=messages, exports=[BOUNDED.state(0.0, 1.0, 9, 1)] * len(names))

    assert leader_name(view({9: '/b'}, {9: '/a'}), 9) == '/b'
    assert leader_name(view({}, {9: '/a'}), 9) == '' == leader_name(view({9: '/a'}), 8)


@pytest.mark.parametrize(('velocity', 'late', 'kept'), [
    ((1.0, 0.0), 1.0, True), ((1.0, 0.0), 1.4, False), ((-1.0, 0.0), 1.4, True),
    ((0.0, 2.0), 1.4, False), ((0.0, -2.0), 1.4, False), ((0.0, 0.5), 1.4, True)])
def test_silent_neighbour_is_dropped_where_its_velocity_takes_it_out_of_range(
        velocity: tuple[float, float], late: float, kept: bool) -> None:
    near = Near()
    near.made.mailbox.put(ReceivedMessage(message(2, 4.5), 10.0, velocity=velocity))
    near.made.mailbox.put(ReceivedMessage(
        message(3)._replace(position=(0.0, 4.5)), 10.0, velocity=velocity[::-1]))
    x, y = velocity
    for now in (9.0, 10.0):
        near.hear(message(4)._replace(position=(4.5 + x * (now - 10.0), y * (now - 10.0))), now)
    assert near.neighbours(10.0 + late).keys() == ({2, 3, 4} if kept else set())


def test_silent_neighbour_without_a_position_is_kept_only_where_no_range_is_set() -> None:
    near = Near(metric='hops')
    near.made.mailbox.put(ReceivedMessage(message(2, None), 10.0))
    assert near.neighbours(11.5) == {} and near.near.unmeasured == 0
    alone = Sensed(metric='hops', communication_range=math.inf)
    alone.mailbox.put(ReceivedMessage(message(2, None), 10.0))
    hood = Neighbourhood(alone.parameters, alone.mailbox, alone.sensing, alone.counts)
    assert [(each.message.id, each.missed) for each in hood.at(11.5)] == [(2, 1)]


def test_robots_in_range_without_a_distance_are_counted() -> None:
    near = Near(metric='range')
    assert near.near.unmeasured == 0
    near.hear(message(2), 10.0)
    near.hear(message(3), 10.0)
    assert near.neighbours(10.0) == {} and near.near.unmeasured == 2
    near.made.mailbox.forget(3)
    near.made.sensing.take_measurements([2.0, 4.0], 10.0)
    assert near.neighbours(10.0) == {2: (4.0, 0)} and near.near.unmeasured == 0
