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

"""What a robot's round and its check for news read: one robot, without a swarm."""

from dataclasses import replace
import math
from types import SimpleNamespace
from typing import Any

from election.robot.test_robot import ME, parameters, robot, says
from leader_election.election.algorithms import BOUNDED, CLASSIC
from leader_election.election.messages.codec import InstanceMessage, Message
from leader_election.election.robot.parameters import InstanceParameters
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.strength import RobotKnowledge
from leader_election.parameters import build
import pytest

HERE = '{here: [[-9, -9], [9, -9], [9, 9], [-9, 9]]}'
KEYS = (b'k' * 32,)


def test_times_and_numbers_of_a_robot_begin_at_zero_by_default() -> None:
    made = Robot(parameters(mandate=5.0), keys=KEYS)
    explicit = Robot(parameters(mandate=5.0), keys=KEYS, start=0, first_number=0)
    assert made.round(5.0) == explicit.round(5.0)
    later = Robot(parameters(mandate=5.0), keys=KEYS, start=7)
    assert made.authentication.time.read(5.0) + 7 == later.authentication.time.read(5.0)


def test_changed_parameters_are_checked_by_each_part() -> None:
    me, asked = robot(), list[Any]()
    part: Any = SimpleNamespace(check=asked.append)
    me.main.parts = {'part': part}
    changed = parameters(strength=3.0)
    me.check(changed)
    assert [each.strength for each in asked] == [3.0]


@pytest.mark.parametrize('metric', ['odometry', 'sensor_difference', 'round_trip'])
@pytest.mark.parametrize('at', [None, (3.0, 4.0)])
def test_computed_strength_is_given_what_the_robot_knows(
        metric: str, at: tuple[float, float] | None) -> None:
    me, given = robot(at, metric=metric, radius=99.0, communication_range=99.0), list[Any]()

    def compute(known: RobotKnowledge, own: Any) -> float:
        given.append(known._asdict())
        return 1.0
    me.main.source = replace(me.main.source, compute=compute)
    me.sensing.take_sensed(6.5, 0.0)
    me.receive(says(7, at=(0.0, 4.0)), 0.0)
    me.main.state = BOUNDED.state(-9.0, 2.5, 7, 1)
    me.sensing.velocity = 1.0, 0.0
    me.round(0.0)
    known = at is not None
    expected = {
        'id': ME, 'neighbours': int(known and metric == 'odometry'),
        'nearest': 3.0 if known and metric == 'odometry' else math.inf,
        'x': 3.0 if known else math.nan, 'y': 4.0 if known else math.nan, 'time': 0.0,
        'leader': 7, 'distance': 2.5,
        'reading': 6.5 if metric == 'sensor_difference' else math.nan,
        'speed': 1.0 if known else math.nan, 'received': math.nan}
    assert given == [pytest.approx(expected, nan_ok=True)]


def test_position_of_the_robot_is_used_when_news_is_sought() -> None:
    me = robot(zones=HERE)
    assert me.would_change(0.0) is None
    me.receive(says(7), 0.0)
    assert me.would_change(0.0) is not None


def test_parts_are_not_read_when_news_is_sought() -> None:
    me, read = robot(regions=True), list[Any]()
    me.main.parts['regions'].read = lambda *sent: read.append(sent)
    me.receive(says(7), 0.0)
    assert me.would_change(0.0) is not None and read == []


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
