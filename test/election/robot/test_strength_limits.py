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

"""Limits of strengths: which candidacies a robot refuses, and what that leaves to a liar."""

from dataclasses import replace
import math
from types import SimpleNamespace
from typing import Any

from budget import examples
from diagnostic_msgs.msg import DiagnosticStatus
from election.robot.swarm import line, Swarm
from election.robot.test_robot import ME, neighbours, parameters, robot, says
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import (
    BOUNDED,
    CLASSIC,
    COLOUR,
    Device,
    RECURSIVE,
    REPLICATED,
    RESILIENT,
)
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.messages.codec import codec_for, InstanceMessage, Message
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.parameters import ElectionParameters, InstanceParameters
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.strength import Strength, TOLERANCE
from leader_election.parameters import build, ParameterError
from leader_election.ros.nodes.robot_diagnostics import statuses
import pytest

LIMITS = [0.0, 1.0]
WITH_STRENGTHS = [BOUNDED, CLASSIC, COLOUR, RECURSIVE, REPLICATED, RESILIENT]


def test_value_of_a_source_is_admitted_within_limits_and_tolerance() -> None:
    strength = Strength(0.5, hysteresis=0.0)
    strength.limit((0.0, 1.0))
    inside = 0.5 * TOLERANCE
    for value, expected in ((0.0, 0.0), (1.0, 1.0), (1.0 + inside, 1.0), (-inside, 0.0),
                            (BARRED, BARRED)):
        assert strength.admitted(value) == expected and strength.excess is None
    for value in (math.inf, math.nan):
        assert strength.admitted(value) is None and strength.excess is None
    assert strength.admitted(1.5) is None and strength.excess == 1.5
    strength.limit((0.0, 1.2))
    assert strength.excess == 1.5
    strength.limit((0.0, 1.5))
    assert strength.excess is None
    assert not strength.update(math.nan) and (strength.rejected, strength.announced) == (1, 0.5)
    assert strength.update(0.75) and strength.announced == 0.75
    strength.limit((0.0, 20.0))
    assert strength.admitted(21.0) == 20.0 and strength.admitted(21.1) is None


def test_strength_is_unknown_while_its_source_gives_no_number() -> None:
    strength = Strength(0.5, hysteresis=0.0)
    assert strength.unknown is False
    for value, unknown in ((math.nan, True), (0.5, False), (math.inf, True), (BARRED, False)):
        strength.update(value)
        assert strength.unknown == unknown


def refused(me: Robot) -> int:
    return me.counts[RejectReason.STRENGTH.value]


def claim(algorithm: Any, strength: float) -> str:
    """Return the message of robot 7 after two rounds alone, with a strength."""
    seven, state = Device(7, strength), algorithm.start(Device(7, strength))
    round_parameters = algorithm.round_parameters(vars(parameters(algorithm=algorithm.name)))
    for _ in range(2):
        state = algorithm.compute(seven, state, [], [], round_parameters)
    return codec_for(algorithm).encode(Message(7, 'map', (1.0, 0.0), state))


@pytest.mark.parametrize('algorithm', WITH_STRENGTHS, ids=lambda each: each.name)
@pytest.mark.parametrize(('strength', 'counts'), [
    (-0.01, 1), (0.0, 0), (1.0, 0), (1.01, 1), (1e300, 1), (BARRED, 0)])
def test_candidacy_is_refused_when_its_strength_is_beyond_the_limits(
        algorithm, strength, counts):
    me = robot(strength_limits=LIMITS, algorithm=algorithm.name)
    me.receive(claim(algorithm, strength), 0.0)
    assert refused(me) == counts
    assert len(neighbours(me)) == 1 - counts


def test_relayed_candidacy_is_refused_when_its_strength_is_beyond_the_limits():
    me = robot(strength_limits=LIMITS)
    assert not me.receive(says(7, strength=9.0, far=2.0, leader=8), 0.0)
    assert refused(me) == 1 and neighbours(me) == {}


def test_any_strength_is_accepted_without_limits():
    me = robot()
    me.receive(says(7, strength=1.7e308), 0.0)
    assert refused(me) == 0 and neighbours(me) == {7: 1.0}


@pytest.mark.parametrize(('source', 'limits'), [
    ('battery', (0.0, 1.0)), ('constant', (-math.inf, math.inf)), ('trust', (-math.inf, math.inf)),
    ('topic', (-math.inf, math.inf)), ('degree', (-math.inf, math.inf))])
def test_limits_follow_the_strength_source_when_none_are_given(source, limits):
    assert build(InstanceParameters, {'strength_source': source}).limits == limits
    given = build(InstanceParameters, {'strength_source': source, 'strength_limits': [-2, 100]})
    assert given.limits == (-2.0, 100.0)


@pytest.mark.parametrize(('settings', 'text'), [
    ({'strength_source': 'battery', 'strength': 7.0},
     'parameter strength: 7.0 is not allowed; it takes 0 to 1, by strength_limits and '
     'strength_source battery'),
    ({'strength_limits': [2.0, 1.0]},
     'parameter strength_limits: [2.0, 1.0] is not allowed; it takes the least strength, then '
     'the greatest'),
    ({'strength_limits': [1.0]},
     'parameter strength_limits: [1.0] is not allowed; it takes 2 finite numbers')])
def test_limits_are_refused_at_the_start_when_wrong(settings, text):
    with pytest.raises(ParameterError) as error:
        build(ElectionParameters, {'robot_id': ME, **settings})
    assert str(error.value) == text


def battery(percentage: float) -> Any:
    return SimpleNamespace(percentage=percentage)


def test_own_number_is_not_announced_when_it_is_beyond_the_limits():
    me = Robot(parameters(strength_source='battery', strength=0.25))
    me.main.take_strength(battery(57.0), 0.0)
    assert me.strength.announced == 0.25 and me.strength.rejected == 1
    status = statuses(me, 'r5', 0.0)[0]
    assert status.level == DiagnosticStatus.WARN
    assert status.message == (
        'strength source battery gave 57, beyond strength_limits [0, 1]')
    me.main.take_strength(battery(0.57), 0.0)
    assert me.strength.announced == 0.57
    assert statuses(me, 'r5', 0.0)[0].level == DiagnosticStatus.OK


@pytest.mark.parametrize('percentage', [math.nan, -0.01, -1.0, -math.inf, math.inf])
def test_charge_is_unknown_and_the_battery_not_silent_when_it_is_no_share(percentage):
    me = Robot(parameters(strength_source='battery', strength=0.25))
    me.main.take_strength(battery(percentage), 0.0)
    assert me.strength.announced == 0.25 and me.strength.rejected == 1
    assert statuses(me, 'r5', 0.0)[0].message == (
        'strength source battery does not know its value: the parameter strength holds')
    me.main.take_strength(battery(0.0), 0.0)
    assert me.strength.announced == 0.0
    assert statuses(me, 'r5', 0.0)[0].level == DiagnosticStatus.OK


@pytest.mark.parametrize(('percentage', 'announced'), [
    (1.02, 1.0), (1.04, 1.0), (1.06, 0.25), (12.0, 0.25)])
def test_own_number_becomes_the_limit_when_it_is_little_beyond(percentage, announced):
    me = Robot(parameters(strength_source='battery', strength=0.25))
    me.main.take_strength(battery(percentage), 0.0)
    assert me.strength.announced == announced


def test_limits_take_effect_when_changed_at_run_time():
    me = robot()
    for sender, strength in ((7, 9.0), (8, 0.5)):
        me.receive(says(sender, strength=strength), 0.0)
    me.round(0.0)
    assert me.state.leader == 7
    narrow = replace(me.parameters, strength_limits=(0.0, 1.0))
    me.configure(narrow)
    me.round(0.0)
    assert me.state.leader == ME, 'the message that was kept is dropped'
    assert neighbours(me) == {8: 1.0}
    me.configure(replace(narrow, strength_limits=(0.0, 9.0)))
    me.receive(says(7, strength=9.0), 0.1)
    me.round(0.1)
    assert me.state.leader == 7 and refused(me) == 0


def test_own_strength_is_withdrawn_when_changed_limits_exclude_it():
    me = Robot(parameters(strength_source='topic', strength=0.5))
    me.main.take_strength(SimpleNamespace(data=8.0), 0.0)
    assert me.strength.announced == 8.0
    me.configure(replace(me.parameters, strength_limits=(0.0, 1.0)))
    assert me.strength.announced == 0.5
    me.main.take_strength(SimpleNamespace(data=8.0), 0.1)
    assert me.strength.excess == 8.0
    me.configure(replace(me.parameters, strength_limits=(0.0, 10.0)))
    assert me.strength.excess is None


def with_instance(strength: float, main: float = 1.0) -> str:
    """Return a message of robot 7 with an instance beside its first."""
    return codec_for(BOUNDED).encode(Message(
        7, 'map', (1.0, 0.0), BOUNDED.state(-main, 0.0, 7, 0),
        others={'rescue': InstanceMessage('bounded', BOUNDED.state(-strength, 0.0, 7, 0))}))


def test_limits_of_an_instance_refuse_its_candidacies_only():
    me = Robot(parameters(), {'rescue': build(InstanceParameters, {'strength_limits': LIMITS})})
    me.sensing.take_odometry((0.0, 0.0, 0.0), 0.0)
    me.receive(with_instance(5.0, main=9.0), 0.0)
    me.round(0.0)
    assert (me.state.leader, me.instances['rescue'].state.leader) == (7, ME)
    assert refused(me) == 1
    me.receive(with_instance(0.5, main=9.0), 0.1)
    me.round(0.1)
    assert me.instances['rescue'].state.leader == 7


def test_levels_above_have_the_limits_of_the_first_instance():
    me = Robot(parameters(strength_limits=LIMITS, hierarchy='20'))
    level = codec_for(BOUNDED).encode(Message(
        7, 'map', (1.0, 0.0), BOUNDED.state(-1.0, 0.0, 7, 0),
        others={'level_1': InstanceMessage('bounded', BOUNDED.state(-5.0, 0.0, 7, 0))}))
    me.sensing.take_odometry((0.0, 0.0, 0.0), 0.0)
    me.receive(level, 0.0)
    assert refused(me) == 1
    assert dict(me.mailbox.entry(7).message.others) == {}


def test_candidacy_of_another_algorithm_is_not_checked():
    """The round leaves it out and counts it, as without limits."""
    me = Robot(parameters(), {'rescue': build(InstanceParameters, {
        'strength_limits': LIMITS, 'algorithm': 'classic'})})
    me.sensing.take_odometry((0.0, 0.0, 0.0), 0.0)
    assert me.receive(with_instance(5.0), 0.0)
    assert refused(me) == 0


@settings(max_examples=examples(25), deadline=None)
@given(st.data())
def test_robot_follows_no_strength_beyond_the_limits(data):
    """
    Liars claim any strength beyond the limits, also with ids of others.

    All robots lead themselves, or follow a robot that exists.
    """
    strengths = data.draw(st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4))
    algorithm = data.draw(st.sampled_from(WITH_STRENGTHS))
    radius = {'radius': 9.0} if 'radius' in algorithm.takes else {}
    swarm = Swarm(line(4), lambda i: {'strength': strengths[i - 1], **radius},
                  strength_limits=LIMITS, algorithm=algorithm.name)
    beyond = st.floats(1.0, 1e300, exclude_min=True) | st.floats(-1e300, 0.0, exclude_max=True)
    for _ in range(8):
        swarm.sweep()
        sender = data.draw(st.integers(1, 9))
        lie = claim(algorithm, data.draw(beyond)).replace('"id":7', f'"id":{sender}')
        swarm.tell(0, lie)
        for each in swarm.robots.values():
            assert all(0.0 <= strength <= 1.0
                       for strength in algorithm.strengths(each.state)), each.state
            assert each.state.leader in swarm.robots
    assert sum(refused(each) for each in swarm.robots.values()) >= 24
