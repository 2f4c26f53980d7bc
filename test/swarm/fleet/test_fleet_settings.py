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

"""Settings of robots in a fleet file: parameters of driving, instances and tasks."""

from leader_election.swarm.fleet.fleet_file import read_fleet
from leader_election.swarm.fleet.fleet_settings import task_parameters
from swarm.fleet.example import robots


def test_driving_parameters_reach_the_tasks_that_drive() -> None:
    (alice,) = read_fleet(robots(
        scan_yaw=1.5, stamped=True, instances='rescue', tasks='rally', rescue={'tasks': 'count'},
        **{'rally.stamped': False}), 'mine.yaml').robots
    assert alice.driving == {'scan_yaw': 1.5, 'stamped': True}
    assert task_parameters(alice.driving, alice.parameters) == {
        'rally.scan_yaw': 1.5, 'rally.stamped': True}
    assert alice.parameters['rally.stamped'] is False


def test_parameters_of_instances_tasks_and_qos_have_a_dot() -> None:
    (alice,) = read_fleet(robots(
        instances='rescue', tasks='count,theirs:Task', rescue={'radius': 3, 'tasks': 'rally'},
        **{'rescue.rally.reaction': 2, 'task.whatever': 'so',
           'qos_overrides./neighbourhood.subscription.depth': 50}), 'mine.yaml').robots
    assert alice.parameters == {
        'robot_id': 1, 'initial_pose': (0.0, 0.0, 0.0), 'instances': 'rescue',
        'tasks': 'count,theirs:Task', 'rescue.radius': 3.0, 'rescue.tasks': 'rally',
        'rescue.rally.reaction': 2.0, 'task.whatever': 'so',
        'qos_overrides./neighbourhood.subscription.depth': 50}
