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

"""Parameters that a node does not have are refused, wherever they are given."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from leader_election.parameters import ParameterError
from leader_election.ros.nodes.declare import overrides
from leader_election.ros.nodes.election_node import ElectionNode
from leader_election.ros.nodes.gazebo_odometry import GazeboOdometry
from leader_election.ros.nodes.managed_election_node import ManagedElectionNode
from leader_election.ros.nodes.monitor import Monitor
from leader_election.ros.nodes.recorder import Recorder
from leader_election.ros.nodes.robot_host import RobotHost
from leader_election.ros.nodes.swarm_world import SwarmWorld
from leader_election.ros.nodes.wander import WanderNode
import pytest
import rclpy

ROBOT = {'robot_id': 1, 'instances': 'rescue', 'tasks': 'count'}


@pytest.fixture
def node(tmp_path: Path) -> Any:
    """Return a function that makes a node with the arguments of a process and a file."""
    file = tmp_path / 'mine.yaml'

    def make(kind: Callable[..., Any], content: str, *arguments: str, **given: Any) -> Any:
        file.write_text(content)
        words = ['node', '--ros-args', *arguments, '--params-file', str(file)]
        rclpy.init(args=words)
        try:
            made = kind(words) if kind is RobotHost else kind(
                parameter_overrides=overrides(given))
            for each in getattr(made, 'robots', []) if kind is RobotHost else []:
                each.destroy_node()
            made.destroy_node()
        finally:
            rclpy.try_shutdown()
    return make


def section(name: str, text: str) -> str:
    return f'{name}:\n  ros__parameters: {{{text}}}\n'


@pytest.mark.parametrize(('kind', 'wrong', 'right'), [
    (ElectionNode, 'raduis', 'radius'), (ElectionNode, 'robotid', 'robot_id'),
    (ElectionNode, 'rescue.raduis', 'rescue.radius'),
    (ElectionNode, 'resuce.radius', 'rescue.radius'), (ElectionNode, 'patrol.lame', 'patrol.lane'),
    (ManagedElectionNode, 'autostrat', 'autostart'), (SwarmWorld, 'sede', 'seed'),
    (Monitor, 'pictrue', 'picture'), (WanderNode, 'robtos', 'robots'),
    (GazeboOdometry, 'ground_thruth', 'ground_truth'), (Recorder, 'tpoics', 'topics'),
])
@pytest.mark.parametrize('place', ['/**', '/*'])
def test_parameter_file_is_refused_when_a_name_is_misspelt(node, kind, wrong, right, place):
    values = ROBOT if kind in (ElectionNode, ManagedElectionNode) else {}
    with pytest.raises(ParameterError) as refused:
        node(kind, section(place, f'{wrong}: 3.0'), **values)
    assert str(refused.value) == f'parameter {wrong} is not known; did you mean {right}?'


@pytest.mark.parametrize('name', ['raduis', 'sede', 'patrol.lame'])
def test_fleet_is_refused_when_a_parameter_is_misspelt(node, name):
    with pytest.raises(ParameterError, match=f'parameter {name} is not known; did you mean '):
        node(RobotHost, section('/**', f'robots: 2, {name}: 1'))
    with pytest.raises(ParameterError, match='parameter raduis is not known; did you mean '):
        node(RobotHost, section('/robot_2/election_node', 'raduis: 1.0'), '-p', 'robots:=2')


SHARED = section('/**', 'robots: 2, radius: 3.0, real_time_factor: 1.0, trail: 1.0, '
                 'use_sim_time: false, start_type_description_service: false, instances: rescue, '
                 'rescue.radius: 9.0, rescue.tasks: patrol, rescue.patrol.lane: 1.0, '
                 'rally.distance: 1.0') + """
/nobody: {ros__parameters: {anything: 1}}
/**/election_node:
  ros__parameters:
    qos_overrides./neighbourhood.subscription.depth: 7
"""


@pytest.mark.parametrize('kind', [RobotHost, SwarmWorld, Monitor, ElectionNode])
def test_parameter_file_is_accepted_when_shared_by_nodes(node, kind):
    """Names of other nodes, of tasks and instances, and of rclpy are allowed."""
    own = {'robot_id': 1} if kind is ElectionNode else {}
    node(kind, SHARED, **own)


def test_fleet_accepts_parameters_of_its_robots(node):
    node(RobotHost, SHARED, '-p', 'radius:=4.0', '-p', 'patrol.lane:=1.0')


def test_parameter_file_is_refused_when_one_node_does_not_know_a_name(node, monkeypatch):
    monkeypatch.setattr('sys.argv', ['monitor', '--ros-args', '-p', 'robot_id:=1'])
    with pytest.raises(ParameterError, match='parameter robot_id is not known; --help lists'):
        node(Monitor, section('/**', 'frame: map'), '-p', 'robot_id:=1')
