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

"""The launch file of a simulated swarm, as far as it goes without a process started."""

from pathlib import Path
import sys

from launched import (
    describe,
    executables,
    FILES,
    install,
    launched,
    left_behind,
    parameters,
    run_launch,
)
from leader_election.parameters import ParameterError
from leader_election.ros.launching.processes import shut_down_with_status
import pytest

pytest.importorskip('launch_ros', reason='launch_ros is not importable: it is not on PyPI, '
                                         'only in a full ROS 2')
from launch.actions import DeclareLaunchArgument  # noqa: E402, I100


@pytest.fixture(autouse=True)
def share(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have an ament prefix with the package in it, whether it is installed or not."""
    install(tmp_path)
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path))


@pytest.mark.parametrize('name', ['swarm', 'robot', 'gazebo', 'spawn'])
def test_launch_files_describe_every_argument(name):
    declared = [e for e in describe(name).entities if isinstance(e, DeclareLaunchArgument)]
    assert all(argument.description not in ('', 'no description given') for argument in declared)


def test_swarm_has_world_fleets_and_monitor():
    nodes = launched('swarm', robots='5', robots_per_process='2', seed='7', radius='4')
    assert executables(nodes) == ['swarm_world', 'fleet', 'fleet', 'fleet', 'monitor']
    world, *fleets, monitor = map(parameters, nodes)
    assert [fleet['members'] for fleet in fleets] == ['1-2', '3-4', '5']
    assert ('/tf', 'tf') in nodes[1].expanded_remapping_rules
    for one in (world, *fleets):
        assert (one['robots'], one['seed']) == (5, 7) and 'world' not in one
    assert [fleet['radius'] for fleet in fleets] == [4.0] * 3
    assert not {'motion', 'radio_range'} & world.keys() and monitor.keys() == {'use_sim_time'}


def test_members_argument_divides_a_swarm_between_computers():
    nodes = launched('swarm', robots='5', members='none', monitor='false')
    assert executables(nodes) == ['swarm_world']
    nodes = launched('swarm', robots='5', members='2-4', swarm_world='false',
                     robots_per_process='2', monitor='false')
    assert executables(nodes) == ['fleet', 'fleet']
    assert [(one['members'], one['robots']) for one in map(parameters, nodes)] == [
        ('2-3', 5), ('4', 5)]


def test_use_sim_time_follows_the_world():
    world, fleet, monitor = map(parameters, launched(
        'swarm', robots='3', use_sim_time='true', real_time_factor='2'))
    assert world['publish_clock'] and 'use_sim_time' not in world
    assert world['real_time_factor'] == 2.0
    assert fleet['use_sim_time'] and monitor['use_sim_time']


def test_parameter_file_sets_the_scene(tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text('/**:\n  ros__parameters:\n    seed: 100\n    robots: 3\n'
                    '    radius: 3.0\n    communication_range: 2\n')
    nodes = launched('swarm', params_file=str(file), robots_per_process='2', monitor='false')
    world, *fleets = map(parameters, nodes)
    assert [fleet['members'] for fleet in fleets] == ['1-2', '3']
    for one in (world, *fleets):
        assert (one['seed'], one['robots']) == (100, 3)
    assert world['radio_range'] == 2
    _, fleet = map(parameters, launched(
        'swarm', params_file=str(file), robots='1', monitor='false'))
    assert (fleet['members'], fleet['robots']) == ('1', 1)


def test_parameter_file_is_refused_with_its_name_when_wrong(tmp_path):
    file = tmp_path / 'mine.yaml'
    file.write_text('[')
    with pytest.raises(ParameterError, match='params_file') as caught:
        launched('swarm', params_file=str(file))
    assert '\n' not in str(caught.value)


def test_communication_range_of_robots_is_that_of_the_radio():
    world, fleet, monitor = map(parameters, launched(
        'swarm', robots='3', communication_range='4', radio='relay'))
    assert (world['radio_range'], world['radio']) == (4.0, 'relay')
    assert (fleet['communication_range'], fleet['radio']) == (4.0, 'relay')
    assert monitor['communication_range'] == 4.0


def test_world_accepts_commands_when_tasks_drive():
    world, fleet, monitor = map(parameters, launched(
        'swarm', robots='3', tasks='patrol,count', connected='true', motion='cmd_vel',
        mandate='2.5', physics='mujoco', scan_rate='5', algorithm='classic', collection='tree'))
    assert (fleet['tasks'], fleet['connected'], fleet['collection'], fleet['mandate']) == (
        'patrol,count', True, 'tree', 2.5)
    assert (world['motion'], world['physics'], world['scan_rate']) == ('cmd_vel', 'mujoco', 5.0)
    assert fleet['algorithm'] == monitor['algorithm'] == 'classic'
    assert 'tasks' not in world and 'tasks' not in monitor


@pytest.mark.parametrize('wrong', [
    {'robots': '0'}, {'radius': '['}, {'robots_per_process': '0'}, {'monitor': 'maybe'},
    {'namespace': '1bad'}, {'log_level': 'loud'}, {'real_time_factor': '2'}, {'tasks': 'dance'},
    {'world': 'no/such.yaml'}, {'members': '4-60'}])
def test_wrong_argument_is_named(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        launched('swarm', **wrong)


@pytest.mark.parametrize(('section', 'values', 'named'), [
    ('/robot_2/election_node', '{round_period: 9}', 'parameter message_expiry: 3 '),
    ('/swarm_world', '{scan_rate: -1.0}', 'parameter scan_rate'),
    ('/fleet_1', '{layout: heap}', 'parameter layout'),
    ('/**', '{swarm_key_file: no.key}', 'parameter swarm_key_file'),
    ('/**', '{instances: rescue, rescue.radius: far}', 'parameter rescue.radius')])
def test_value_of_a_file_is_refused_before_the_start_when_wrong(tmp_path, section, values, named):
    file = tmp_path / 'mine.yaml'
    file.write_text(f'{section}:\n  ros__parameters: {values}\n')
    with pytest.raises(ParameterError, match=named) as caught:
        launched('swarm', robots='3', params_file=str(file))
    assert str(file) in str(caught.value)


def test_package_is_named_before_the_start_when_missing(tmp_path):
    (tmp_path / 'lib' / 'leader_election' / 'monitor').unlink()
    with pytest.raises(ParameterError, match='leader_election has no executable monitor'):
        launched('swarm', robots='3')


def test_refused_launch_leaves_no_process(tmp_path):
    """By itself launch would start the world and the robots, and leave them running."""
    ran = run_launch(tmp_path, FILES / 'swarm.launch.py', 'robots:=2', 'rviz:=true')
    assert ran.returncode == 2
    assert any(line.startswith('error: package rviz2 is not installed; install')
               for line in ran.stderr.splitlines())
    assert 'process started' not in ran.stdout + ran.stderr
    assert left_behind(tmp_path) == []


def test_ended_process_ends_the_launch_with_its_status():
    """Only some of the nodes detect a wrong parameter in a file."""
    for node in launched('swarm', robots='3', robots_per_process='2'):
        assert node._ExecuteLocal__on_exit is shut_down_with_status


def test_unknown_argument_is_refused(monkeypatch):
    words = ['ros2', 'launch', 'leader_election', 'swarm.launch.py', 'task:=patrol']
    monkeypatch.setattr(sys, 'argv', words)
    with pytest.raises(ParameterError, match='no such argument; did you mean tasks'):
        launched('swarm', robots='3')


@pytest.mark.parametrize('given, text, noise', [
    ({}, '', 0.0), ({'physics': 'mujoco'}, '', 0.02), ({'pose_source': 'cooperative'}, '', None),
    ({}, 'linear_noise: 0.1', None), ({}, 'odometry_noise_turn: 0.3', 0.3)])
def test_robots_assume_the_odometry_noise_of_the_world(tmp_path, given, text, noise):
    file = tmp_path / 'mine.yaml'
    file.write_text(f'/**:\n  ros__parameters: {{{text}}}\n')
    _, fleet, _ = map(parameters, launched('swarm', robots='3', params_file=str(file), **given))
    assert fleet.get('odometry_noise_turn') == noise
