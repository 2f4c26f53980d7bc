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

"""A robot without ROS: what it hears, what counts, when it reacts."""

import math
from typing import Any

from leader_election.election.algorithms import BOUNDED, CLASSIC
from leader_election.election.messages.codec import codec_for, counters, InstanceMessage, Message
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.neighbourhood import doubt, Offer
from leader_election.election.robot.parameters import built, ElectionParameters, InstanceParameters
from leader_election.election.robot.reception import ROUNDS
from leader_election.election.robot.robot import COUNTERS, LEADER_CHANGES, phase, Robot
from leader_election.parameters import build
import pytest

ME = 5


def parameters(**changes: Any) -> ElectionParameters:
    return built(ElectionParameters, {'robot_id': ME, 'strength': 1.0, **changes})


def robot(at: tuple[float, float] | None = (0.0, 0.0), **changes: Any) -> Robot:
    """Return a robot that is there at time 0 and has run a round."""
    made = Robot(parameters(**changes))
    if at is not None:
        made.sensing.take_odometry((*at, 0.0), 0.0)
    made.round(0.0)
    return made


def says(sender: int, at: tuple[float, float] | None = (1.0, 0.0), strength: float = 9.0,
         far: float = 0.0, leader: int | None = None, frame: str = 'map') -> str:
    """Return the message of a robot."""
    return codec_for(BOUNDED).encode(Message(sender, frame, at, BOUNDED.state(
        -strength, far, sender if leader is None else leader, int(far > 0.0))))


def reacts(robot: Robot, payload: str, now: float) -> bool:
    """Say whether a message calls for a round."""
    return robot.receive(payload, now) and robot.would_change(now) is not None


def neighbours(of: Robot, now: float = 0.0) -> dict[int, float]:
    """Return whom it counts in a round now, and how far they are."""
    of.round(now)
    return {n.message.id: n.distance for n in of.neighbours}


def test_robot_leads_alone_until_it_hears_a_stronger_one():
    me = robot()
    assert me.state == (-1.0, 0.0, ME, 0)
    assert reacts(me, says(7, at=(3.0, 4.0)), 0.0)
    sent: Any = codec_for(BOUNDED).decode(me.round(0.0))
    assert (sent.id, sent.position, sent.export) == (ME, (0.0, 0.0), (-9.0, 5.0, 7, 1))
    assert me.counts[ROUNDS] == 2 and me.counts[LEADER_CHANGES] == 1
    me.round(100.0)
    assert me.state == (-1.0, 0.0, ME, 0), 'the other fell silent'
    assert me.counts[LEADER_CHANGES] == 2 and me.mailbox.expired == 1


def test_counters_are_zero_at_the_start() -> None:
    counts = Robot(parameters()).counts
    assert {*COUNTERS, *counters(())} <= counts.keys() and not any(counts.values())


def test_duplicate_id_is_detected_when_both_send_equal_messages():
    """Neither has odometry, and parameters are equal, so one of two echoes is of another robot."""
    me, twin = robot(at=None), robot(at=None)
    mine, its = me.round(1.0), twin.round(1.0)
    assert mine == its
    for _ in range(3):
        me.receive(its, 1.0)
    assert me.reception.duplicate is not None and me.counts[RejectReason.OWN_ID.value] == 1


def test_strength_is_its_parameter_until_its_source_gives_a_value():
    me = robot(strength_source='topic', strength=1.0)
    me.configure(parameters(strength_source='topic', strength=7.0))
    assert me.main.strength.announced == 7.0
    me.main.strength.update(2.0)
    me.configure(parameters(strength_source='topic', strength=9.0))
    assert me.main.strength.announced == 2.0


def test_round_is_triggered_when_the_candidacy_would_change():
    me = robot()
    assert not reacts(me, says(7, strength=0.5), 0.0), 'weaker'
    far = {'strength': 9.0, 'at': (2.0, 0.0), 'leader': 9}
    assert reacts(me, says(8, far=1.0, **far), 0.0), 'stronger'
    me.round(0.0)
    assert not reacts(me, says(8, far=1.0, **far), 0.1), 'the same again'
    assert not reacts(me, says(8, far=1.25, **far), 0.1), 'a little farther'
    assert reacts(me, says(8, far=1.5, **far), 0.1), 'as far as the tolerance'
    me.round(0.1)
    assert reacts(me, says(8, strength=8.0, at=(2.5, 0.0)), 0.2), 'another strength'
    me.round(0.2)
    assert reacts(me, says(8, strength=8.0, at=(2.5, 0.0), far=50.0, leader=1), 0.3), 'lost'
    assert not me.receive('rubbish', 0.3) and not me.receive(says(9, at=None), 0.3)
    assert me.counts[RejectReason.NO_POSITION.value] == 1


def test_position_is_news_when_a_neighbour_gets_its_first_one() -> None:
    me = robot(metric='hops', communication_range=math.inf)
    for at, news in ((None, True), (None, False), ((1.0, 0.0), True), ((1.0, 0.0), False)):
        assert me.receive(says(7, at=at), 0.0) == news


def test_missed_messages_trigger_no_round():
    """They count in the next round: as hops of the old candidacy."""
    me = robot(odometry_expiry=9.0, message_expiry=9.0)
    me.receive(says(7, far=1.0, leader=9), 0.0)
    for now, hops in ((0.0, 2), (1.3, 3), (2.6, 4)):
        me.round(now)
        assert me.state.hops == hops
        assert me.would_change(now) is None and me.would_change(now + 1.25) is None
    me.mailbox.forget(7)
    assert me.would_change(2.7) is not None
    me = robot(odometry_expiry=9.0, message_expiry=9.0, hop_limit=3)
    me.receive(says(7, far=1.0, leader=9), 0.0)
    me.round(2.6)
    assert me.main.leads and me.would_change(2.6) is None, 'its candidacy is too old'
    me = Robot(parameters(odometry_expiry=9.0, message_expiry=9.0, hop_limit=3))
    me.sensing.take_odometry((0.0, 0.0, 0.0), 0.0)
    me.receive(says(7, far=1.0, leader=9), 0.0)
    assert me.would_change(2.6) is not None, 'no round has run'


def test_probability_of_a_wrong_leader_is_that_of_the_localised_robots():
    settings = {'pose_source': 'cooperative', 'communication_range': 5.0, 'radius': 9.0}
    me = Robot(parameters(**settings))
    me.sensing.take_odometry((0.0, 0.0, 0.0), 10.0, yaw=0.0)
    sent = {7: (4.5, 9.0, 9), 8: (4.25, 9.0, 9), 6: (4.75, 9.5, 4)}
    for sender, (x, strength, leader) in sent.items():
        me.receive(says(sender, at=(x, 0.0), strength=strength, far=1.0, leader=leader), 10.0)
    me.round(10.0)
    offers = [Offer(me.mailbox.entry(sender).message.export, distance, deviation)
              for sender, distance, deviation in me.sensing.source.distances(10.0)]
    found = me.doubt(10.0)
    assert len(offers) == 3 and 0.01 < found < 0.99
    assert found == doubt(me.state, ME, offers, 5.0, me.main.round_parameters)
    leader = Robot(parameters(**settings))
    leader.sensing.take_odometry((0.0, 0.0, 0.0), 10.0, yaw=0.0)
    leader.round(10.0)
    leader.receive(says(7, at=(4.5, 0.0), strength=1.0, far=4.5, leader=ME), 10.0)
    assert leader.doubt(10.0) == 0.0
    for others in ({'pose_source': 'odometry'}, {'metric': 'hops'}, {'algorithm': 'classic'}):
        assert math.isnan(Robot(parameters(**{**settings, **others})).doubt(10.0))


# Other algorithms than bounded: the robot knows nothing of their states but what it needs.


def test_phases_of_rounds_are_spread_evenly():
    for first in (0, 17):
        phases = sorted(phase(robot) for robot in range(first, first + 100))
        gaps = [b - a for a, b in zip(phases, phases[1:] + [phases[0] + 1.0], strict=True)]
        assert 0.0 <= phases[0] and phases[-1] < 1.0
        assert max(gaps) < 0.02, '100 robots: a gap of 1/100 each, and no two at once'
        assert min(gaps) > 0.003


# What the check for news reads.

def test_parts_are_not_read_when_news_is_sought() -> None:
    me, read = robot(regions=True), list[Any]()
    me.main.parts['regions'].read = lambda *sent: read.append(sent)
    me.receive(says(7), 0.0)
    assert me.would_change(0.0) is not None and read == []


def test_instance_that_the_robot_does_not_run_is_ignored() -> None:
    me, state = robot(), BOUNDED.state(-9.0, 0.0, 7, 0)
    me.receive(codec_for(BOUNDED).encode(Message(7, 'map', (1.0, 0.0), state, others={
        'rescue': InstanceMessage('bounded', state)})), 0.0)
    assert me.mailbox.entry(7).message.others == {}


@pytest.mark.parametrize(('algorithm', 'far', 'news'), [
    ('bounded', 0.0, False), ('bounded', 5.0, True), ('classic', 5.0, False)])
def test_candidacy_in_another_instance_is_news_when_of_its_algorithm(
        algorithm: str, far: float, news: bool) -> None:
    """The robot's own instance runs algorithm bounded."""
    me = Robot(parameters(), {'rescue': build(InstanceParameters, {})})
    of = {'bounded': BOUNDED.state(-9.0, far, 8, 1),
          'classic': CLASSIC.state(-9.0, 8, far, far, 8)}

    def said(export: Any) -> Message:
        return Message(7, 'map', None, BOUNDED.state(-9.0, 0.0, 7, 0), others={
            'rescue': InstanceMessage(algorithm, export)})
    before = of[algorithm]._replace(distance=0.0)
    assert me._is_news(said(before), said(of[algorithm])) == news
