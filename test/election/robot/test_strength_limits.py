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

from diagnostic_msgs.msg import DiagnosticStatus
from election.robot.test_robot import ME, neighbours, parameters, robot, says
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
from leader_election.election.robot.instances import without_excess
from leader_election.election.robot.parameters import InstanceParameters
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.strength import (
    RobotKnowledge,
    Strength,
    STRENGTH_SOURCES,
    TOLERANCE,
)
from leader_election.parameters import build
from leader_election.ros.nodes.robot_diagnostics import statuses
import pytest

LIMITS = [0.0, 1.0]
WITH_STRENGTHS = [BOUNDED, CLASSIC, COLOUR, RECURSIVE, REPLICATED, RESILIENT]


@pytest.mark.parametrize(('name', 'received', 'expected'), [
    ('degree', math.nan, 4.0), ('stillness', math.nan, -0.5), ('data_rate', 54.0, 54.0),
    ('data_rate', math.nan, 0.0), ('trust', 0.5, 0.5), ('trust', 0.4, BARRED),
    ('trust', math.nan, BARRED)])
def test_strength_is_computed_from_what_a_robot_knows(name, received, expected) -> None:
    known = RobotKnowledge(1, 4, 2.0, 0.0, 0.0, 9.0, 1, 0.0, math.nan, 0.5, received)
    compute = STRENGTH_SOURCES.get(name).compute
    assert compute is not None and compute(known, None) == expected


@pytest.mark.parametrize(('percentage', 'known'), [
    (0.25, True), (0.0, True), (-0.01, False), (-1.0, False), (math.nan, False)])
def test_charge_is_unknown_below_zero(percentage: float, known: bool) -> None:
    found = STRENGTH_SOURCES.get('battery').extracted(SimpleNamespace(percentage=percentage), None)
    assert found == percentage if known else math.isnan(found)


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
    strength.limit((10.0, 20.0))
    assert strength.admitted(20.5) == 20.0 and strength.admitted(20.6) is None


def test_value_beyond_the_only_limit_is_not_admitted() -> None:
    strength = Strength(0.5, hysteresis=0.0)
    strength.limit((0.0, math.inf))
    assert not strength.update(-5.0) and (strength.rejected, strength.announced) == (1, 0.5)
    assert strength.excess == -5.0 and strength.update(1e300)


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


def test_instance_beyond_its_limits_is_left_out_of_a_message() -> None:
    far, near = (InstanceMessage('bounded', BOUNDED.state(-strength, 0.0, 7, 0))
                 for strength in (9.0, 1.0))
    message = Message(7, 'map', None, None, others={'far': far, 'near': near})

    def found(**admitted: bool) -> Message | None:
        instances: dict[str, Any] = {
            name: SimpleNamespace(admits=lambda message, admits=admits: admits)
            for name, admits in {'main': True, **admitted}.items()}
        return without_excess(message, instances)
    assert found(far=True, near=True) is message and found(main=False) is None
    left = found(far=False, near=True)
    assert left is not None and left.others == {'near': near}


def test_other_algorithm_or_no_candidacy_is_within_the_limits_of_an_instance() -> None:
    limited = build(InstanceParameters, {'strength_limits': LIMITS})
    rescue = Robot(parameters(), {'rescue': limited}).instances['rescue']
    other = InstanceMessage('classic', CLASSIC.state(-9.0, 7, 0.0, 0.0, 7))
    for others in ({}, {'rescue': other}):
        assert rescue.admits(Message(7, 'map', None, None, others=others))


@pytest.mark.parametrize('algorithm', WITH_STRENGTHS, ids=lambda each: each.name)
@pytest.mark.parametrize(('strength', 'counts'), [
    (-0.01, 1), (0.0, 0), (1.0, 0), (1.01, 1), (1e300, 1), (BARRED, 0)])
def test_candidacy_is_refused_when_its_strength_is_beyond_the_limits(
        algorithm, strength, counts):
    me = robot(strength_limits=LIMITS, algorithm=algorithm.name)
    for times in (1, 2):
        me.receive(claim(algorithm, strength), 0.0)
        assert refused(me) == times * counts
    assert len(neighbours(me)) == 1 - counts


@pytest.mark.parametrize(('source', 'limits'), [
    ('battery', (0.0, 1.0)), ('constant', (-math.inf, math.inf)), ('trust', (-math.inf, math.inf)),
    ('topic', (-math.inf, math.inf)), ('degree', (-math.inf, math.inf))])
def test_limits_follow_the_strength_source_when_none_are_given(source, limits):
    assert build(InstanceParameters, {'strength_source': source}).limits == limits
    given = build(InstanceParameters, {'strength_source': source, 'strength_limits': [-2, 100]})
    assert given.limits == (-2.0, 100.0)
    only = build(InstanceParameters, {'strength': 2.0, 'strength_limits': [2, 2]})
    assert only.limits == (2.0, 2.0)


def battery(percentage: float) -> Any:
    return SimpleNamespace(percentage=percentage)


def test_own_number_is_not_announced_when_it_is_beyond_the_limits():
    me = Robot(parameters(strength_source='battery', strength=0.25))
    me.main.take_strength(battery(57.0), 0.0)
    assert me.main.strength.announced == 0.25 and me.main.strength.rejected == 1
    status = statuses(me, 'r5', 0.0)[0]
    assert status.level == DiagnosticStatus.WARN
    assert status.message == (
        'strength source battery gave 57, beyond strength_limits [0, 1]')
    me.main.take_strength(battery(0.57), 0.0)
    assert me.main.strength.announced == 0.57
    assert statuses(me, 'r5', 0.0)[0].level == DiagnosticStatus.OK


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
