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

"""The launch files for Gazebo Sim, beside stand-ins of the folders that ros_gz installs."""

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from launched import INDEX, install, launched, parameters
from leader_election.parameters import ParameterError
from leader_election.ros.launching import processes
from leader_election.swarm.fleet.robot_list import parse_robot_list, RobotSpec
import pytest
import yaml

pytest.importorskip('launch_ros', reason='launch_ros is not importable: it is not on PyPI, '
                                         'only in a full ROS 2')
from launch import LaunchContext  # noqa: E402, I100
from launch.actions import (  # noqa: E402
    AppendEnvironmentVariable,
    GroupAction,
    IncludeLaunchDescription,
    RegisterEventHandler,
    Shutdown,
)
from launch_ros.actions import Node  # noqa: E402

TWO = '{name: alice, id: 7, pose: {x: -8, y: 5}}; {name: bob, pose: {x: 8, y: 5}}'


@pytest.fixture(autouse=True)
def prefix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Have an ament prefix with our package and ros_gz in it, and a folder for logs."""
    install(tmp_path / 'prefix', 'ros_gz_sim', 'ros_gz_bridge', 'rviz2')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'prefix'))
    monkeypatch.setattr(processes, 'run_folder', lambda: tmp_path / 'logs')
    return tmp_path


def nodes(actions: list[Any]) -> dict[str, Node]:
    """Return the nodes by their executables, a number after those that are there already."""
    found: dict[str, Node] = {}
    for action in actions:
        if isinstance(action, Node):
            name = action.node_executable
            again = [known for known in found if known.startswith(name)]
            found[f'{name}{len(again) + 1}' if again else name] = action
    return found


def arrived(actions: list[Any], returncode: int = 0, first: str = 'create') -> list[Any]:
    """Return the actions that start when the awaited process has ended."""
    (handler,) = (handler for handler, process in pairwise(actions) if isinstance(
        handler, RegisterEventHandler) and getattr(process, 'node_executable', '') == first)
    context = LaunchContext()
    event = SimpleNamespace(returncode=returncode, process_name=first)
    found = handler.event_handler._OnActionEventBase__on_event(event, context)
    for action in found:
        if isinstance(action, Node):
            action._perform_substitutions(context)
    return found


def simulators(actions: list[Any]) -> list[dict[str, str]]:
    """Return the arguments of each inclusion of Gazebo's launch file."""
    groups = [action.get_sub_entities() for action in actions if isinstance(action, GroupAction)]
    return [dict(a.launch_arguments) for group in groups for a in group
            if isinstance(a, IncludeLaunchDescription)]


def command(node: Node) -> list[str]:
    return [''.join(getattr(part, 'text', '') for part in word) for word in node.cmd]


def test_swarm_has_server_window_bridge_fleets_wander_and_monitor(prefix):
    actions = launched('gazebo', robots='5', robots_per_process='3', seed='7', radius='4')
    server, window = simulators(actions)
    world, bridge = prefix / 'logs' / 'world.sdf', prefix / 'logs' / 'bridge.yaml'
    assert server == {'gz_args': f'-r -s -v2 {world}', 'on_exit_shutdown': 'false'}
    assert window == {'gz_args': '-g -v2', 'on_exit_shutdown': 'false'}
    found = nodes(actions)
    assert list(found) == ['parameter_bridge', 'await_clock', 'gazebo_odometry', 'fleet', 'fleet2',
                           'wander', 'monitor']
    assert parameters(found['parameter_bridge']) == {
        'config_file': str(prefix / 'logs' / 'clock.yaml'), 'use_sim_time': True}
    # The bridge of the robots comes when time passes.
    (later,) = arrived(actions, first='await_clock')
    assert parameters(later) == {'config_file': str(bridge), 'use_sim_time': True}
    assert '/clock' not in bridge.read_text()
    assert parameters(found['gazebo_odometry']) == {
        'robots': 'robot_1,robot_2,robot_3,robot_4,robot_5', 'seed': 7, 'odometry_drift': False,
        'ground_truth': False, 'bumper': True, 'scanner_height': 0.0, 'use_sim_time': True}
    first, second = parameters(found['fleet']), parameters(found['fleet2'])
    assert (first['members'], second['members']) == ('1-3', '4-5')
    assert first['roster'] == second['roster'] and first['seed'] == 7
    assert first['radius'] == second['radius'] == 4.0
    assert all(parameters(node)['use_sim_time'] for name, node in found.items()
               if name != 'await_clock')
    assert parameters(found['wander']) == {
        'robots': 'robot_1,robot_2,robot_3,robot_4,robot_5', 'world': 'blocks',
        'seed': 7, 'use_sim_time': True}
    for name in ('fleet', 'fleet2'):
        words = command(found[name])
        assert {'/tf:=tf', '/tf_static:=tf_static'} <= set(words)
    robots = parse_robot_list(first['roster'])
    assert [robot.id for robot in robots] == [1, 2, 3, 4, 5]
    for robot in robots:
        assert f'<model name="{robot.name}">' in world.read_text()
        assert f'ros_topic_name: {robot.name}/wheel_odometry\n' in bridge.read_text()


@pytest.mark.parametrize(('given', 'wanders'), [
    ({'tasks': 'count,patrol'}, False), ({'tasks': 'my.robots:Dance'}, False),
    ({'tasks': 'patrol', 'motion': 'wander'}, True), ({'motion': 'none'}, False),
    ({'filed': 'patrol', 'tasks': 'count'}, True)])
def test_robots_wander_when_no_task_drives(prefix, given, wanders):
    given = dict(given)
    if 'filed' in given:
        file = prefix / 'mine.yaml'
        file.write_text(f"/**:\n  ros__parameters: {{tasks: '{given.pop('filed')}'}}\n")
        given['params_file'] = str(file)
    found = nodes(launched('gazebo', robots='2', lidar='36', **given))
    assert ('wander' in found) == wanders


def test_robot_with_its_own_driving_task_does_not_wander(prefix):
    file = prefix / 'mine.yaml'
    given = {'params_file': str(file), 'lidar': '36'}
    file.write_text('/robot_1/election_node:\n  ros__parameters: {tasks: patrol}\n')
    found = nodes(launched('gazebo', robots='3', **given))
    assert parameters(found['wander'])['robots'] == 'robot_2,robot_3'
    assert 'wander' in nodes(arrived(launched('spawn', id='31', x='9', y='0', **given)))
    assert 'wander' not in nodes(arrived(launched('spawn', id='1', x='9', y='0', **given)))
    file.write_text('/**:\n  ros__parameters: {instances: rescue, rescue.tasks: patrol}\n')
    assert 'wander' not in nodes(launched('gazebo', robots='3', **given))
    assert 'wander' not in nodes(arrived(launched('spawn', id='31', x='9', y='0', **given)))
    for name, own in (('gazebo', {'robots': '2'}), ('spawn', {'id': '31', 'x': '9', 'y': '0'})):
        with pytest.raises(ParameterError, match='parameter lidar: 0 leaves robots blind'):
            launched(name, **own, params_file=str(file))


def test_world_of_a_user_is_copied_and_its_folder_searched(prefix):
    own = prefix / 'mine' / 'depot.sdf'
    own.parent.mkdir()
    own.write_text('<sdf version="1.7"><world name="depot"></world></sdf>')
    actions = launched('gazebo', robots='2', world=str(own))
    (path,) = [action for action in actions if isinstance(action, AppendEnvironmentVariable)]
    assert [part.text for part in path.value] == [str(own.parent)]
    assert 'robot_2' in (prefix / 'logs' / 'world.sdf').read_text()
    # By the scanners alone: nobody knows where the walls are.
    assert parameters(nodes(actions)['wander'])['world'] == ''


@pytest.mark.parametrize(('wrong', 'line'), [
    ({'robots': '0'}, 'parameter robots: 0'), ({'world': 'no.sdf'}, 'parameter world'),
    ({'headless': 'perhaps'}, 'parameter headless'), ({'motion': 'fly'}, 'parameter motion'),
    ({'tasks': 'rally'}, 'parameter lidar: 0 leaves robots blind, and rally drives by a laser')])
def test_wrong_argument_is_named_and_nothing_is_written(prefix, wrong, line):
    with pytest.raises(ParameterError, match=line):
        launched('gazebo', **wrong)
    assert not (prefix / 'logs').exists()


@pytest.mark.parametrize(('name', 'package'), [
    ('gazebo', 'ros_gz_sim'), ('spawn', 'ros_gz_bridge')])
def test_launch_names_the_remedy_when_gazebo_is_missing(monkeypatch, prefix, name, package):
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    (prefix / 'prefix' / INDEX / package).unlink()
    with pytest.raises(ParameterError) as caught:
        launched(name, id='7') if name == 'spawn' else launched(name, robots='0')
    assert str(caught.value) == (
        f'package {package} is not installed; install it with apt install ros-jazzy-ros-gz, or '
        'take the embedded world: ros2 launch leader_election swarm.launch.py robots:=30 '
        'motion:=levy')


def test_spawned_robot_has_model_bridge_node_and_wander(prefix):
    actions = launched('spawn', id='31', name='late', x='2.5', y='0', yaw='-1')
    found = nodes([actions[-1], *arrived(actions)])
    model, bridge = prefix / 'logs' / 'late.sdf', prefix / 'logs' / 'late_bridge.yaml'
    assert list(found) == [
        'create', 'parameter_bridge', 'gazebo_odometry', 'fleet', 'wander']
    words = command(found['create'])
    assert words[words.index('-world'):words.index('--ros-args')] == [
        '-world', 'swarm', '-name', 'late', '-file', str(model),
        '-x', '2.5', '-y', '0.0', '-z', '0.0', '-Y', '-1.0']
    assert '<model name="late">' in model.read_text()
    topics = [row['ros_topic_name'] for row in yaml.safe_load(bridge.read_text())]
    assert topics == ['late/wheel_odometry', 'late/cmd_vel', 'late/contacts']
    assert parse_robot_list(parameters(found['fleet'])['roster']) == (
        RobotSpec('late', 31, (2.5, 0.0, -1.0)),)
    wander = parameters(found['wander'])
    assert (wander['robots'], wander['world']) == ('late', 'blocks')


def test_failed_spawn_starts_no_nodes(capsys):
    (end,) = arrived(launched('spawn', id='31', x='9', y='0'), returncode=1)
    assert isinstance(end, Shutdown)
    assert 'the robot was not put into the world' in capsys.readouterr().err


@pytest.mark.parametrize(('wrong', 'line'), [
    ({'id': ''}, 'parameter id is missing'), ({'x': 'far'}, 'parameter x'),
    ({'x': '0'}, 'no room for robot_1 at'),
    ({'tasks': 'patrol'}, 'parameter lidar: 0 leaves robots blind')])
def test_spawned_robot_is_refused_with_its_name_when_wrong(wrong, line):
    with pytest.raises(ParameterError, match=line):
        launched('spawn', **({'id': '1', 'x': '9', 'y': '0'} | wrong))
