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

"""Tasks field and count: the decisions on readings and on members."""

import json
import math
from typing import Any

from election.tasks.memory_context import MemoryContext, summary_of
from leader_election.election.regions.task import Member
from leader_election.election.tasks.count import Count
from leader_election.election.tasks.field import Field, FieldParameters
from leader_election.parameters import build
import pytest
from std_msgs.msg import Bool, Float64


def monitor(robot: int, place: tuple[float, float] | None = (0.0, 0.0), **settings: Any) -> Field:
    pose = None if place is None else (*place, 0.0)
    member = Member(robot, MemoryContext(), pose=lambda: pose, leads=robot == 1)
    return Field(member, build(FieldParameters, settings))


def measure(task: Field, *numbers: float) -> None:
    for number in numbers:
        task.member.node.deliver('reading', Float64(data=number))


def round_of(*members: Field) -> dict[str, Any]:
    """Let the first robot lead one round, and return its decision."""
    summary = summary_of(Field, {task.member.id: task.sense() for task in members})
    decision = json.loads(json.dumps(members[0].decide(summary), allow_nan=False))
    for task in members:
        task.act(decision)
    return decision


def alarms(task: Field) -> list[bool]:
    return [message.data for message in task.member.node.published('alarm')]


def test_decision_has_mean_and_extremes_with_positions() -> None:
    one, two, three = monitor(1, (0.0, 0.0)), monitor(2, (1.0, 2.0)), monitor(3, (3.0, 4.0))
    for task, number in ((one, 20.0), (two, 26.0), (three, 14.0)):
        measure(task, 99.0, number)
    assert round_of(one, two, three) == {
        'mean': 20.0, 'least': [14.0, 3.0, 4.0], 'greatest': [26.0, 1.0, 2.0], 'alarm': 0}


def test_robot_without_position_contributes_its_reading() -> None:
    one, two = monitor(1, (1.0, 2.0)), monitor(2, None)
    measure(one, 20.0)
    measure(two, 30.0)
    decision = round_of(one, two)
    assert decision['least'] == [20.0, 1.0, 2.0]
    assert decision['greatest'] == [30.0, None, None]


def test_reading_is_ignored_when_expired_or_no_number() -> None:
    task = monitor(1)
    measure(task, 20.0, math.nan, math.inf)
    task.member.node.advance_to(5.0)
    assert round_of(task)['mean'] == 20.0
    task.member.node.advance_to(5.1)
    assert round_of(task)['mean'] is None


@pytest.mark.parametrize(('settings', 'calm', 'out'), [
    ({'alarm_above': 25.0}, 25.0, 25.5), ({'alarm_below': -3.0}, -3.0, -3.5)])
def test_alarm_reaches_every_member_and_lasts_for_five_rounds(
        settings: dict[str, float], calm: float, out: float) -> None:
    one, two = (monitor(robot, **settings) for robot in (1, 2))
    measure(one, calm)
    measure(two, calm)
    round_of(one, two)
    assert alarms(one) == alarms(two) == [False]
    measure(two, out)
    # Two rounds out of bounds, then five more with the alarm.
    assert [round_of(one, two)['alarm'], round_of(one, two)['alarm']] == [5, 5]
    measure(two, calm)
    assert [round_of(one, two)['alarm'] for _ in range(6)] == [4, 3, 2, 1, 0, 0]
    assert alarms(one) == alarms(two) == [False, True, False]
    assert two.member.node.latched['alarm']
    assert type(two.member.node.published('alarm')[0]) is Bool


def test_next_leader_continues_an_alarm_until_it_ends() -> None:
    one, two = (monitor(robot, alarm_above=25.0) for robot in (1, 2))
    measure(one, 30.0)
    assert round_of(one, two)['alarm'] == 5
    # The first is gone: a round without a decision, then the second leads.
    two.act(None)
    assert [round_of(two)['alarm'] for _ in range(4)] == [3, 2, 1, 0]
    assert alarms(two) == [True, False]


@pytest.mark.parametrize('alarm', ['nan', '3', None, [3], True])
def test_alarm_duration_is_refused_when_no_number_of_rounds(alarm: object) -> None:
    task = monitor(2)
    with pytest.raises(ValueError, match='it takes a number of rounds'):
        task.act({'alarm': alarm})
    task.act(None)
    assert alarms(task) == [False]


def test_next_leader_names_the_robots_that_raised_alarms_before() -> None:
    one, two, late = (monitor(robot, alarm_above=25.0) for robot in (1, 2, 3))
    assert 'raised' not in round_of(one, two)
    measure(one, 30.0)
    assert round_of(one, two)['raised'] == [1]
    assert round_of(two, late)['raised'] == round_of(late)['raised'] == [1]
    measure(late, 40.0)
    assert round_of(late)['raised'] == [1, 3]


# Counts are whole numbers, with the centre of the robots whose position is known.

def counting(robot: int, pose: tuple[float, float, float] | None) -> Count:
    return Count(Member(robot, pose=lambda: pose), None)


def decided(*members: Count) -> object:
    summary = summary_of(Count, {task.member.id: task.sense() for task in members})
    return json.loads(json.dumps(members[0].decide(summary)))


def test_count_has_number_and_centre_of_members() -> None:
    assert decided(counting(1, (0.0, 0.0, 1.0)), counting(2, (3.0, 0.0, 2.0)),
                   counting(3, (0.0, 1.0, 3.0))) == {'members': 3, 'centre': [1.0, 0.33]}


def test_robot_without_position_is_counted_but_does_not_move_the_centre() -> None:
    assert decided(counting(1, None), counting(2, (3.0, 4.0, 0.0))) == {
        'members': 2, 'centre': [3.0, 4.0]}
    assert decided(counting(1, None)) == {'members': 1, 'centre': None}
