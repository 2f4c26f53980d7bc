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

from leader_election.parameters import ParameterError
from leader_election.simulation.arena import load_arena
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import make_scene
from leader_election.swarm.fleet.fleet_file import read_fleet
from leader_election.swarm.fleet.fleet_settings import task_parameters
from leader_election.swarm.fleet.hosting import check_free_space, scene_robots
from leader_election.swarm.fleet.robot_list import RobotSpec
import pytest
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


# Robots placed by a layout, and checks of free space.

@pytest.mark.parametrize('layout', ['random', 'grid', 'circle'])
def test_robots_are_named_after_their_ids_and_have_free_space(layout: str) -> None:
    scene = make_scene(SceneParameters(robots=20, first_id=5, layout=layout, seed=3))
    robots = scene_robots(scene)
    assert [robot.name for robot in robots] == [f'robot_{i}' for i in range(5, 25)]
    assert [robot.pose for robot in robots] == list(scene.starts)
    check_free_space(robots, load_arena('blocks'), 0.15)


@pytest.mark.parametrize(('where', 'line'), [
    ([(0.0, 0.0)], r'no room for r0 at \(0, 0\)'),
    ([(2.0, 0.0), (50.0, 0.0)], r'no room for r1 at \(50, 0\)'),
    ([(2.0, 0.0), (8.0, 5.0), (2.1, 0.0)], 'r0 and r2 would start within each other'),
])
def test_robots_without_free_space_are_refused_by_name(
        where: list[tuple[float, float]], line: str) -> None:
    robots = [RobotSpec(f'r{i}', i, (x, y, 0.0)) for i, (x, y) in enumerate(where)]
    with pytest.raises(ParameterError, match=line):
        check_free_space(robots, load_arena('blocks'), 0.15)


def test_robots_may_touch_and_be_in_an_unknown_arena() -> None:
    robots = [RobotSpec('a', 1, (50.0, 0.0, 0.0)), RobotSpec('b', 2, (50.3, 0.0, 0.0))]
    check_free_space(robots, None, 0.15)
