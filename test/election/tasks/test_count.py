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

"""Counts are whole numbers, with the centre of the robots whose position is known."""

import json

from election.tasks.memory_context import summary_of
from leader_election.election.coordination.task import Member
from leader_election.election.tasks.count import Count


def counting(robot: int, pose: tuple[float, float, float] | None) -> Count:
    return Count(Member(robot, pose=lambda: pose), None)


def decided(*members: Count) -> object:
    summary = summary_of(Count, {task.member.id: task.sense() for task in members})
    return json.loads(json.dumps(members[0].decide(summary)))


def test_count_has_number_and_centre_of_members() -> None:
    assert decided(counting(1, (0.0, 0.0, 1.0)), counting(2, (3.0, 0.0, 2.0)),
                   counting(3, (0.0, 1.0, 3.0))) == {'members': 3, 'centre': [1.0, 0.33]}


def test_a_robot_without_position_counts_but_is_not_in_the_centre() -> None:
    assert decided(counting(1, None), counting(2, (3.0, 4.0, 0.0))) == {
        'members': 2, 'centre': [3.0, 4.0]}
    assert decided(counting(1, None)) == {'members': 1, 'centre': None}


def test_count_is_rounded_to_whole_robots() -> None:
    task = counting(1, None)
    assert task.decide({'members': 6.7, 'centre': None})['members'] == 7
