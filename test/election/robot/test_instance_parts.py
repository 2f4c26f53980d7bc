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

"""One instance alone: what its parts receive, and which neighbours its election has."""

from collections import Counter
import json
import math
from typing import Any

from leader_election.election.algorithms import BOUNDED, CLASSIC, Device
from leader_election.election.mandates.mandates import MandatePart, Notice
from leader_election.election.mandates.parameters import digest_of, MandateSettings
from leader_election.election.mandates.part import SETTINGS_DIFFER
from leader_election.election.messages.codec import codec_for, InstanceMessage, Message
from leader_election.election.messages.wire import RejectReason
from leader_election.election.part import ElectionOutcome, Part, PartSetup
from leader_election.election.regions.region import CANDIDATE, RELAY
from leader_election.election.robot.instance import ALGORITHM_DIFFERS, Instance
from leader_election.election.robot.neighbourhood import Neighbour, no_view
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.election.robot.robot import Robot, UNMEASURED
from leader_election.parameters import build
import pytest

PLACE = (3.0, 4.0)
STATE = BOUNDED.state(-9.0, 2.0, 8, 2)


class Probe(Part):
    """Keeps what it receives, and admits no message of robot 4."""

    name = 'probe'

    def __init__(self) -> None:
        super().__init__(PartSetup(1, None, Counter(), {}, None, 0, None))
        self.received: list[Any] = []

    def check(self, parameters: Any) -> None:
        self.received.append(parameters)

    def admits(self, message: Any) -> bool:
        return bool(message.id != 4)

    def process(self, sender: int, export: Any, sent: Any, now: float) -> bool:
        self.received.append((sender, export, sent, now))
        return True

    def round(self, elected: ElectionOutcome) -> None:  # noqa: A003
        self.received.append(elected)


def instance(name: str = 'main', **settings: Any) -> tuple[Instance, Probe]:
    """Return an instance of robot 1, and its only part."""
    probe = Probe()
    return Instance(name, 1, build(InstanceParameters, settings), math.inf, Counter(),
                    {'probe': probe}, None, counts_links=False), probe


def message(robot: int, **changes: Any) -> Message:
    return Message(robot, 'map', PLACE, STATE, **changes)


@pytest.mark.parametrize(('role', 'number'), [('candidate', CANDIDATE), ('relay', RELAY)])
def test_part_receives_the_outcome_of_the_election(role: str, number: int) -> None:
    made, probe = instance(radius=9.0, role=role)
    assert made.view == no_view()
    before, view = made.state, made.view_of([Neighbour(message(2), 1.5)])
    departed = made.view_of([Neighbour(message(3), math.inf)])
    made.round(view, departed, PLACE, now=7.0, expiry=3.0, period=0.5)
    after = made.state
    assert (after.leader, after.distance, after.hops) == (8, 3.5, 3)
    device = Device(1, before.value * -1.0)
    assert probe.received == [ElectionOutcome(
        device, number, role == 'relay', False, 8, 3.5, 9.0, before, after, view, departed, PLACE,
        7.0, 3.0 + 2.0 * 0.5 * 3, 0.5)]


def test_part_receives_messages_that_have_it_and_changed_parameters() -> None:
    made, probe = instance('more')
    assert not made.process(message(2), 1.0)
    for sent in ({}, {'probe': 'sent'}):
        others = {'more': InstanceMessage('bounded', STATE, sent)}
        assert made.process(message(2, others=others), 1.0) == (sent != {})
    made.check(made.parameters)
    assert probe.received == [(2, STATE, 'sent', 1.0), made.parameters]


def test_view_has_the_neighbours_of_the_instance_that_all_parts_admit() -> None:
    made, _ = instance('more')
    good = InstanceMessage('bounded', STATE)
    messages = [message(2), message(3, others={'more': InstanceMessage('classic', STATE)}),
                *(message(robot, others={'more': good}) for robot in (4, 5))]
    view = made.view_of([Neighbour(each, 1.5) for each in messages])
    assert view.messages == messages[-1:] and view.exports == [STATE]
    assert view.faults == [ALGORITHM_DIFFERS]
    assert made.elect(view) is made.elect(view), 'the second time it is not computed'


def test_state_of_a_neighbour_has_aged_by_its_missed_messages() -> None:
    made, _ = instance()
    view = made.view_of([Neighbour(message(2), 1.5, 3), Neighbour(message(3), 1.5)])
    assert view.exports == [STATE._replace(hops=5), STATE] and view.missed == [3, 0]


def test_leader_that_follows_another_keeps_its_followers_when_the_algorithm_allows_it() -> None:
    """Robot 2 backs 3, and 3 follows 4."""
    made, _ = instance(algorithm='classic', radius=20.0)
    said = CLASSIC.state(-9.0, 3, 1.0, 1.0, 3, 1, 1)
    other = said._replace(lead_value=-5.0, lead=4, leader=4)
    view = made.view_of([Neighbour(message(2)._replace(export=said), 1.0),
                         Neighbour(message(3)._replace(export=other), 1.0)])
    assert made.elect(view).lead == 3


@pytest.mark.parametrize(('asked', 'found'), [(-1.0, 1.0), (0.0, 0.0), (0.5, 0.5)])
def test_hysteresis_is_that_of_the_source_unless_asked_for(asked: float, found: float) -> None:
    made, _ = instance(strength_source='degree', strength_hysteresis=asked)
    assert made.strength.hysteresis == found


def test_region_has_no_radius_when_its_algorithm_takes_none() -> None:
    assert instance(algorithm='resilient')[0].radius == math.inf


# A whole robot.

def test_parts_receive_the_position_and_the_robots_that_have_left_the_range() -> None:
    robot = Robot(build(ElectionParameters, {'robot_id': 1, 'communication_range': 5.0}))
    probe = Probe()
    robot.main.parts['probe'] = probe
    robot.sensing.take_odometry((0.0, 0.0, 0.0), 0.0)
    for sender, x in ((7, 4.0), (8, 1.0)):
        robot.receive(codec_for(BOUNDED).encode(Message(sender, 'map', (x, 0.0), STATE)), 0.0)
    robot.sensing.take_odometry((-3.0, 0.0, 0.0), 0.5)
    robot.round(0.5)
    [elected] = probe.received
    assert [each.id for each in elected.view.messages] == [8]
    assert [each.id for each in elected.departed.messages] == [7]
    assert elected.departed.metric == [math.inf]
    assert (elected.position, elected.now, elected.period) == ((-3.0, 0.0), 0.5, 1.0)


def test_mandates_count_at_their_receipt_and_ask_for_a_round() -> None:
    robot = Robot(build(ElectionParameters, {
        'robot_id': 1, 'mandate': 5.0, 'strength': 99.0, 'metric': 'hops',
        'communication_range': math.inf}))
    robot.round(0.0)
    state = BOUNDED.state(-9.0, 0.0, 7, 0)

    def receive(part: MandatePart) -> bool:
        return robot.receive(codec_for(BOUNDED).encode(Message(
            7, 'map', None, state, {'mandates': part})), 0.5)

    receive(MandatePart(1, 1))
    assert robot.main.counts[SETTINGS_DIFFER] == 1
    notice = MandatePart(1, 1, leaving=(Notice(7, 1, 1),), digest=digest_of(
        MandateSettings(5.0)))
    assert receive(notice), 'only the notice is new'


def test_part_that_the_robot_does_not_use_is_not_read() -> None:
    robot = Robot(build(ElectionParameters, {'robot_id': 1, 'metric': 'hops'}))
    payload = json.loads(codec_for(BOUNDED).encode(Message(7, 'map', (1.0, 0.0), STATE)))
    robot.receive(json.dumps(payload | {'r': 'wrong'}), 0.0)
    assert robot.counts[RejectReason.SUMMARY.value] == 0


def test_robot_in_a_zone_would_not_change_without_news() -> None:
    """Of two robots in range only one is in the same zone."""
    robot = Robot(build(ElectionParameters, {
        'robot_id': 1, 'zones': '{a: [[-1, -1], [2, -1], [2, 1], [-1, 1]]}'}))
    robot.sensing.take_odometry((0.0, 0.0, 0.0), 0.0)
    robot.round(0.0)
    assert robot.main.leads and robot.would_change(0.0) is None
    for sender, x in ((7, 3.0), (8, 1.0)):
        robot.receive(codec_for(BOUNDED).encode(Message(sender, 'map', (x, 0.0), STATE)), 0.0)
    robot.round(0.0)
    assert [each.id for each in robot.main.view.messages] == [8]


def test_unmeasured_neighbour_is_counted_in_each_round() -> None:
    robot = Robot(build(ElectionParameters, {
        'robot_id': 1, 'metric': 'range', 'communication_range': math.inf}))
    robot.receive(codec_for(BOUNDED).encode(Message(7, 'map', None, STATE)), 0.0)
    for now in (0.0, 0.5):
        robot.round(now)
    assert robot.counts[UNMEASURED] == 2
