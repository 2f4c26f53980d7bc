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

"""What leaders count and decide."""

import math

from leader_election.swarm.collected import counted, decided, tasks
from leader_election.swarm.snapshot import RobotView, Snapshot


def test_only_leaders_that_live_and_say_so_count():
    views = (RobotView(1, None, -9.0, 0.0, 1, members=2.5),
             RobotView(2, None, -9.0, 1.0, 1, members=1.0),  # a part of its leader's
             RobotView(3, None, -9.0, 0.0, 3),  # runs no regions
             RobotView(4, None, -9.0, 0.0, 4, members=math.inf))  # nonsense
    gone = {5: RobotView(5, None, -9.0, 0.0, 5, members=7.0)}
    assert counted(Snapshot(0.0, {view.id: view for view in views}, gone)) == {1: 2.5}


def test_a_decision_goes_by_the_tasks_of_its_robot():
    robot = RobotView(1, None, -9.0, 0.0, 1, ('field', 'count'))
    assert decided(robot) == {}
    assert decided(robot._replace(decision='[[1,2],{"members":3}]')) == {
        'field': [1, 2], 'count': {'members': 3}}
    # From a robot that is out of its mind.
    assert decided(robot._replace(decision='[1]')) == {'field': 1}


def test_tasks_are_all_that_anybody_does():
    views = (RobotView(1, None, -9.0, 0.0, 1, ('rally',)), RobotView(2, None, -9.0, 0.0, 2),
             RobotView(3, None, -9.0, 0.0, 3, ('count', 'rally')))
    assert tasks(Snapshot(0.0, {view.id: view for view in views})) == ('count', 'rally')
