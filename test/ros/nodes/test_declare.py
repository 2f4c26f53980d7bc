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
from leader_election.ros.nodes.election import ElectionNode
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
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that makes a node with the arguments of a process and a file."""
    file = tmp_path / 'mine.yaml'

    def make(kind: Callable[..., Any], content: str, *arguments: str, **given: Any) -> Any:
        file.write_text(content)
        words = ['node', '--ros-args', *arguments, '--params-file', str(file)]
        monkeypatch.setattr('sys.argv', words)
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
    (ElectionNode, 'leaders', 'given.leaders'), (ElectionNode, 'resuce.radius', 'rescue.radius'),
    (ManagedElectionNode, 'autostrat', 'autostart'), (SwarmWorld, 'sede', 'seed'),
    (Monitor, 'trial', 'trail'), (WanderNode, 'robtos', 'robots'),
    (GazeboOdometry, 'ground_thruth', 'ground_truth'), (Recorder, 'tpoics', 'topics')])
def test_misspelt_name_is_refused_for_one_node_and_warned_of_for_all(
        node, kind, wrong, right, capfd, tmp_path, monkeypatch):
    # A recorder writes where it is started.
    monkeypatch.chdir(tmp_path)
    values = ROBOT if kind in (ElectionNode, ManagedElectionNode) else {}
    said = f'parameter {wrong} is not known; did you mean {right}?'
    with pytest.raises(ParameterError) as refused:
        node(kind, section('/*', f'{wrong}: 3.0'), **values)
    assert str(refused.value) == said
    node(kind, section('/**', f'{wrong}: 3.0'), **values)
    assert said + '; it is passed over' in capfd.readouterr().err


def test_fleet_is_refused_when_a_parameter_of_a_robot_is_misspelt(node):
    with pytest.raises(ParameterError, match='parameter raduis is not known; did you mean '):
        node(RobotHost, section('/robot_2/election_node', 'raduis: 1.0'), '-p', 'robots:=2')


SHARED = section('/**', 'robots: 2, radius: 3.0, real_time_factor: 1.0, trail: 1.0, '
                 'use_sim_time: false, start_type_description_service: false, instances: rescue, '
                 'rescue.radius: 9.0, rescue.tasks: patrol, rescue.patrol.lane: 1.0, '
                 'rally.distance: 1.0') + """
/nobody: {ros__parameters: {anything: 1, robot_id: 10}}
/**/election_node:
  ros__parameters:
    qos_overrides./neighbourhood.subscription.depth: 7
"""


@pytest.mark.parametrize('kind', [RobotHost, SwarmWorld, Monitor, ElectionNode])
def test_parameter_file_is_accepted_when_shared_by_nodes(node, kind):
    """Names of other nodes, of tasks and instances, and of rclpy are allowed."""
    own = {'robot_id': 1} if kind is ElectionNode else {}
    of_robots = ('-p', 'radius:=4.0', '-p', 'patrol.lane:=1.0') if kind is RobotHost else ()
    node(kind, SHARED, *of_robots, **own)


@pytest.mark.parametrize(('name', 'value', 'said'), [
    ('initial_position', '[1.0, 2.0, 0.0]', 'did you mean initial_pose?'),
    ('namespace', 'bob', 'give a namespace by -r __ns:=/NAME'),
    ('radus', '3.0', 'did you mean radius?')])
def test_wrong_name_is_refused_on_the_command_line_with_the_right_one(node, name, value, said):
    with pytest.raises(ParameterError, match=f'parameter {name} is not known; {said}'):
        node(ElectionNode, section('/**', 'robot_id: 1'), '-p', f'{name}:={value}')


@pytest.mark.parametrize('prefix', ['', 'rescue.'])
def test_own_parameter_is_refused_unless_it_is_a_default_when_nothing_chosen_has_it(node, prefix):
    every = section('/**', 'robot_id: 1, instances: rescue')
    node(ElectionNode, every, '-p', f"{prefix}given.leaders:=''")
    with pytest.raises(ParameterError, match=f"^parameter {prefix}given.leaders: '3-4' is not "
                                             'allowed; given is not chosen$'):
        node(ElectionNode, every, '-p', f'{prefix}given.leaders:=3-4')
    node(ElectionNode, every, '-p', f'{prefix}given.leaders:=3-4',
         '-p', f'{prefix}algorithm:=given')


def test_parameter_of_another_package_is_a_warning_for_all_nodes(node, capfd):
    node(ElectionNode, section('/**', 'robot_id: 1'), '-p', 'amcl.alpha1:=x')
    assert 'parameter amcl.alpha1 is not known' in capfd.readouterr().err


@pytest.mark.parametrize(('place', 'text', 'argument'), [
    ('/election_node', 'robot_id: -08', ''), ('/**', 'robot_id: 1', 'robot_id:=010'),
    ('/**', 'robot_id: 1, initial_pose: [1, 010, 0]', '')])
def test_number_with_a_leading_zero_is_refused(node, place, text, argument):
    with pytest.raises(ParameterError, match='parameter .*: .* is not allowed'):
        node(ElectionNode, section(place, text), *(['-p', argument] if argument else ()))


def test_missing_id_names_the_nodes_that_the_file_is_for(node):
    with pytest.raises(ParameterError, match='this node is /election_node, and .*/mine.yaml has '
                                             'sections for /alise/election_node'):
        node(ElectionNode, section('/alise/election_node', 'robot_id: 1'))


def test_change_of_an_unknown_parameter_names_the_known_one(ros):
    made = ElectionNode(parameter_overrides=overrides({'robot_id': 1}))
    for name, said in ('radus', 'did you mean radius?'), ('colour', 'ros2 param list lists all'):
        answer = made.set_parameters_atomically([rclpy.Parameter(name, value=2.0)])
        assert (answer.successful, answer.reason) == (
            False, f'parameter {name} is not known; {said}')
    assert made.set_parameters_atomically([rclpy.Parameter('radius', value=2.0)]).successful
    made.destroy_node()
