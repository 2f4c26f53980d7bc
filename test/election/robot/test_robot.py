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

from dataclasses import replace
import math
from types import SimpleNamespace
from typing import Any

from leader_election.election.algorithms import ALGORITHMS, BOUNDED, CLASSIC, Device, REPLICATED
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.neighbourhood import doubt, Offer
from leader_election.election.robot.own_parameters import built
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import HEARD, ROUNDS
from leader_election.election.robot.robot import LEADER_CHANGES, Robot
from leader_election.election.robot.rounds import phase, wait
from leader_election.localisation.poses import from_parameter
from leader_election.ros.nodes.robot_diagnostics import statuses
import numpy as np
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


def test_neighbour_is_dropped_when_the_robot_drives_out_of_range():
    """The neighbour stands, and its last position is out of range of the robot's new position."""
    me = robot(communication_range=5.0)
    me.receive(says(7, at=(4.0, 0.0)), 0.0)
    me.sensing.take_odometry((-2.0, 0.0, 0.0), 0.1)
    assert neighbours(me, 0.1) == {}
    me.sensing.take_odometry((-1.0, 0.0, 0.0), 0.2)
    assert neighbours(me, 0.2) == {7: 5.0}


def test_initial_pose_and_odometry_compose():
    me = Robot(parameters(initial_pose=[10.0, 0.0, np.pi / 2]))
    me.sensing.take_odometry((3.0, 0.0, 0.0), 0.0)
    assert me.sensing.locate(0.0) == (10.0, 3.0)
    me.sensing.take_odometry((1.0, 2.0, 0.0), 0.0, origin=from_parameter([0.0, 0.0, 0.0]))
    assert me.sensing.locate(0.0) == (1.0, 2.0), 'the origin replaces the start pose'


def test_message_under_the_own_id_is_rejected():
    me = robot()
    assert not me.receive(says(ME, at=(2.0, 0.0)), 0.0)
    assert me.reception.duplicate is not None and me.counts[RejectReason.OWN_ID.value] == 1
    assert neighbours(me) == {}


def test_duplicate_id_is_detected_when_both_send_equal_messages():
    """Neither has odometry, and parameters are equal, so one of two echoes is of another robot."""
    me, twin = robot(at=None), robot(at=None)
    mine, its = me.round(1.0), twin.round(1.0)
    assert mine == its
    for _ in range(3):
        me.receive(its, 1.0)
    assert me.reception.duplicate is not None and me.counts[RejectReason.OWN_ID.value] == 1


def test_message_is_counted_once_or_kept_in_the_mailbox():
    me = robot(neighbour_limit=3, communication_range=5.0, top_speed=float('inf'))
    payloads = [
        says(7), says(8), says(7, at=(1.5, 0.0)), says(9), says(10, at=(2.0, 0.0)),
        says(7, at=(9.0, 0.0)),
        says(11, frame='x'), says(ME), 'x', says(12, at=None), says(8, far=-1.0),
        says(13, at=(99.0, 0.0)), 'y' * 10000, says(14), '{"v":2}', says(8, strength=3.0)]
    kept = 0
    for payload in payloads:
        before = sum(me.counts.values()) - me.counts[HEARD]
        me.receive(payload, 0.0)
        more = sum(me.counts.values()) - me.counts[HEARD] - before
        assert more in (0, 1), payload
        kept += more == 0
    assert me.counts[HEARD] == len(payloads)
    # 7, 8, 7, 9; not 10: the mailbox is full of nearer ones; 7 leaves, so 14 has room; 8 again.
    assert kept == 6
    assert sorted(neighbours(me)) == [8, 9, 14]


def test_robot_without_odometry_has_neither_position_nor_neighbours():
    me = robot(at=None)
    assert '"p"' not in me.round(0.0)
    me.receive(says(7), 0.0)
    assert me.counts[HEARD] == 1 and me.mailbox.entry(7) is not None
    assert neighbours(me) == {} and me.state.leader == ME
    me.sensing.take_odometry((0.0, 0.0, 0.0), 0.1)
    assert neighbours(me, 0.1) == {7: 1.0}


def test_missing_orientation_is_named_when_robots_localise_each_other():
    me = Robot(parameters(pose_source='cooperative'))
    me.sensing.take_odometry((3.0, 0.0, 0.0), 0.5)
    assert me.counts['odometry_rejected'] == 1
    assert statuses(me, 'r1', 0.5)[1].message == (
        'the orientation of odometry is missing (a quaternion of zeros): '
        'no position is announced')
    me.sensing.take_odometry((np.nan, 0.0, 0.0), 0.5, yaw=0.0)
    assert 'no place' in statuses(me, 'r1', 0.5)[1].message


def test_metric_hops_needs_no_position():
    me = robot(at=None, metric='hops', communication_range=float('inf'), radius=2.0)
    assert reacts(me, says(7, at=None, far=1.0, leader=8), 0.0)
    assert neighbours(me) == {7: 1.0}
    assert me.state == (-9.0, 2.0, 8, 2)
    me.receive(says(7, at=None, far=2.0, leader=8), 0.0)
    me.round(0.0)
    assert me.state.leader == ME, 'three hops: beyond the radius'


def test_metric_hops_needs_a_position_when_a_range_is_set():
    """A sender is no neighbour while the robot cannot check the range."""
    me = robot(at=None, metric='hops', communication_range=5.0, radius=3.0)
    me.receive(says(7, at=(900.0, 0.0)), 0.0)
    me.receive(says(8, at=(3.0, 0.0)), 0.0)
    assert neighbours(me) == {}
    me.sensing.take_odometry((0.0, 0.0, 0.0), 0.1)
    assert neighbours(me, 0.1) == {8: 1.0}


def test_degree_is_announced_with_its_hysteresis():
    me = robot(strength_source='degree', strength=0.0)
    announced = []
    for sender in range(10, 14):
        me.receive(says(sender, strength=-1.0), 0.0)
        me.round(0.0)
        announced.append(me.strength.announced)
    # 0 was announced alone. One more or less than announced is not enough.
    assert announced == [0.0, 2.0, 2.0, 4.0]


def test_strength_changes_at_run_time():
    me = robot()
    me.configure(parameters(strength=3.0))
    me.round(0.0)
    assert me.state == (-3.0, 0.0, ME, 0)
    me.configure(parameters(strength=3.5, strength_hysteresis=1.0))
    me.round(0.0)
    assert me.state.value == -3.5, 'a constant has no noise'


def test_received_strength_is_forgotten_when_older_than_a_time():
    me = robot(strength_source='topic', strength=1.0)
    me.main.take_strength(SimpleNamespace(data=5.0), 10.0)
    for before, strength in ((9.0, 5.0), (10.0, 5.0), (10.1, 1.0), (11.0, 1.0)):
        me.main.expire_strength(before)
        assert me.main.strength.announced == strength
    assert math.isnan(me.main.received_strength)
    me.main.take_strength(SimpleNamespace(data=6.0), 12.0)
    assert (me.main.strength.announced, me.main.received_strength) == (6.0, 6.0)
    me.main.expire_strength(13.0)
    assert me.main.strength.announced == 1.0, 'again'


def test_strength_is_its_parameter_until_its_source_gives_a_value():
    me = robot(strength_source='topic', strength=1.0)
    me.configure(parameters(strength_source='topic', strength=7.0))
    assert me.strength.announced == 7.0
    me.strength.update(2.0)
    me.configure(parameters(strength_source='topic', strength=9.0))
    assert me.strength.announced == 2.0


def test_message_expiry_changes_at_run_time():
    me = robot(message_expiry=3.0)
    me.receive(says(7), 0.0)
    me.configure(parameters(message_expiry=1.5))
    assert neighbours(me, 1.6) == {}


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
    assert not me.receive('rubbish', 0.3)


def test_round_is_triggered_when_small_changes_add_up():
    """Changes are compared with the announced state, so small ones add up."""
    me = robot()
    me.receive(says(8, far=1.0, leader=9), 0.0)
    me.round(0.0)
    steps = [reacts(me, says(8, far=1.0 + 0.125 * n, leader=9), 0.1) for n in range(1, 5)]
    assert steps == [False, False, False, True]


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
    assert me.leads and me.would_change(2.6) is None, 'its candidacy is too old'


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

@pytest.mark.parametrize('algorithm', ALGORITHMS.names())
def test_two_robots_elect_with_each_algorithm(algorithm):
    """Two robots 3 m apart follow the stronger. Their states stay plain numbers."""
    told = {'given.leaders': '7'} if algorithm == 'given' else {}
    weak = robot(algorithm=algorithm, **told)
    strong = robot(algorithm=algorithm, robot_id=7, strength=9.0, at=(3.0, 0.0), **told)
    for n in range(20):
        for speaker, listener in ((weak, strong), (strong, weak)):
            listener.receive(speaker.round(0.1 * n), 0.1 * n)
    assert (weak.state.leader, strong.state.leader) == (7, 7)
    assert (weak.leads, strong.leads) == (False, True)
    for field, value in zip(weak.main.algorithm.fields, weak.state):
        for number in (value,) if field.padding is None else value:
            assert type(number) is field.type
    assert [weak.counts[reason.value] for reason in RejectReason] == [0] * len(RejectReason)


def test_robot_without_a_leader_does_not_lead():
    me = robot(algorithm='classic')
    assert me.leads
    me.main.state = CLASSIC.state(float('inf'), -1, 6.0, float('inf'), ME)
    assert not me.leads


def test_round_is_triggered_by_a_tick_of_a_neighbour_but_not_by_its_rounds():
    me = robot(algorithm='recursive-replicated')
    own = REPLICATED.start(Device(ME, 1.0))

    def wire(**changes: Any) -> str:
        return codec_for(REPLICATED).encode(Message(7, 'map', (1.0, 0.0), own._replace(
            leader=7, depth=0, best=(7, 7, 7, *own.best[3:]),
            best_value=(-9.0, -9.0, -9.0, *own.best_value[3:]),
            best_distance=(0.0, *own.best_distance[1:]), **changes)))

    assert reacts(me, wire(rounds=1), 0.0)
    me.round(0.0)
    assert me.state.leader == 7
    assert not reacts(me, wire(rounds=2), 0.1)
    assert reacts(me, wire(rounds=0, clock=1), 0.2)


def test_phases_of_rounds_are_spread_evenly():
    for first in (0, 17):
        phases = sorted(phase(robot) for robot in range(first, first + 100))
        gaps = [b - a for a, b in zip(phases, phases[1:] + [phases[0] + 1.0], strict=True)]
        assert 0.0 <= phases[0] and phases[-1] < 1.0
        assert max(gaps) < 0.02, '100 robots: a gap of 1/100 each, and no two at once'
        assert min(gaps) > 0.003


@pytest.mark.parametrize('last, now, expected', [
    (10.0, 10.0, 1.0),
    (10.0, 10.75, 0.25),
    (10.0, 11.0, 0.0),
    (10.0, 99.0, 0.0),
    (float('-inf'), 0.0, 0.0),  # never yet
])
def test_wait_lasts_until_the_interval_is_over(last, now, expected):
    assert wait(last, now, interval=1.0) == expected


# Metric look_ahead.

@pytest.mark.parametrize('own, other, expected', [
    ((1.0, 0.0), (1.0, 0.0), 3.0), ((-1.0, 0.0), (1.0, 0.0), 33.0),
    ((0.0, 1.0), (0.0, -1.0), math.hypot(3.0, 30.0))])
def test_prediction_uses_the_velocities_of_both_robots(own, other, expected):
    """Both drive at 1 m/s, beside each other or apart, for 5 s, with 10 s ahead."""
    me = robot(at=None, metric='look_ahead', communication_range=100.0,
               **{'look_ahead.look_ahead': 10.0})
    for n in range(6):
        me.sensing.take_odometry((own[0] * n, own[1] * n, 0.0), float(n), yaw=0.0)
        me.receive(says(7, at=(3.0 + other[0] * n, other[1] * n)), float(n))
        me.round(float(n))
        if n == 0:
            assert me.neighbours[0].distance == pytest.approx(3.0), 'nothing is known yet'
    assert me.neighbours[0].distance == pytest.approx(expected, abs=1e-6)


def test_localisation_uses_message_expiry_when_changed_at_run_time():
    robot = Robot(ElectionParameters(robot_id=1, pose_source='cooperative'))
    source = robot.sensing.source
    robot.sensing.take_odometry((0.0, 0.0, 0.0), 0.0, yaw=0.0)
    source.hear(2, (5.0, 0.0), None, 0.0)
    robot.configure(replace(robot.parameters, message_expiry=60.0))
    robot.sensing.begin_round(30.0)
    assert [neighbour for neighbour, *_ in source.distances(30.0)] == [2]
