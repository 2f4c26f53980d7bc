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

"""The launch file of a robot: without a process started, and where ros2 is there, for real."""

import os
from pathlib import Path
import shutil
import subprocess
import sys
from typing import Any

from launched import executables, FILES, install, last_values, launched, parameters, run_launch
from leader_election.parameters import ParameterError
import pytest
import yaml

pytest.importorskip('launch_ros', reason='launch_ros is not importable: it is not on PyPI, '
                                         'only in a full ROS 2')

FLEET = """
defaults: {radius: 8.0, odom_topic: wheels, scan_yaw: 1.5}
robots:
  alice: {id: 1, initial_pose: [1, 2, 0.5], rescue: {radius: 3}, instances: rescue}
"""


@pytest.fixture(autouse=True)
def share(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have an ament prefix with the package in it, whether it is installed or not."""
    install(tmp_path, 'ros_gz_sim', 'ros_gz_bridge')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path), prepend=os.pathsep)


@pytest.fixture
def fleet(tmp_path: Path) -> str:
    """Return the path of a fleet file."""
    path = tmp_path / 'robots.yaml'
    path.write_text(FLEET)
    return str(path)


def test_robot_has_its_own_namespace_on_the_shared_topic():
    (node,) = launched('robot', robot_id='3', initial_pose='[1, 2, 0.5]', odom_topic='/wheels')
    assert node.expanded_node_namespace == '/robot_3'
    assert parameters(node) == {
        'robot_id': 3, 'initial_pose': (1.0, 2.0, 0.5), 'odometry_timeout': 10.0,
        'use_sim_time': False}
    assert dict(node.expanded_remapping_rules) == {
        'neighbourhood': '/neighbourhood', 'odom': '/wheels'}
    (node,) = launched('robot', robot_id='3', namespace='scout')
    assert node.expanded_node_namespace == '/scout'
    assert 'initial_pose' not in parameters(node)


@pytest.mark.parametrize(('how', 'file'), [
    ('file', 'robot'), ('including', 'robot'), ('included file', 'swarm'), ('file', 'gazebo')])
def test_argument_that_nobody_gave_overrides_nothing(how, file, tmp_path):
    """A parameter file, or a launch file that includes this one, sets other values."""
    clock = file != 'gazebo'
    other = {'use_sim_time': clock, 'odometry_timeout': 0.0, 'seed': 9}
    path = tmp_path / 'mine.yaml'
    path.write_text(yaml.safe_dump({'/**': {'ros__parameters': other}}))
    given: dict[str, Any] = {'robot': {'robot_id': '3', 'motion': 'wander'}}.get(
        file, {'robots': '2'})
    given |= {'params_file': str(path)} if how == 'file' else {
        'global_params': [*other.items()] if how == 'including' else [str(path)]}
    sets = {'robot': ('use_sim_time', 'odometry_timeout'), 'swarm': ('use_sim_time',),
            'gazebo': ('use_sim_time', 'seed')}[file]
    nodes = [node for node in launched(file, **given)
             if getattr(node, 'node_executable', '') in (
                 'election_node', 'wander', 'fleet', 'monitor')]
    assert len(nodes) > 1
    for node in nodes:
        values = last_values(node)
        assert [values.get(name, other[name]) for name in sets] == [
            other[name] for name in sets], node.node_executable
    # What is given counts in any case.
    for node in launched(file, **given, use_sim_time=str(not clock).lower()):
        if getattr(node, 'node_executable', '') in ('election_node', 'fleet'):
            assert last_values(node)['use_sim_time'] is not clock


@pytest.mark.parametrize(('namespace', 'full'), [('/', '/'), ('_a', '/_a')])
def test_driver_may_have_another_namespace(namespace, full):
    for node in launched('robot', robot_id='3', namespace=namespace, motion='wander'):
        assert node.expanded_node_namespace == full


def test_robot_of_a_fleet_file_has_its_parameters(fleet):
    (node,) = launched('robot', fleet_file=fleet, robot='alice')
    assert node.expanded_node_namespace == '/alice'
    assert parameters(node) == {
        'robot_id': 1, 'initial_pose': (1.0, 2.0, 0.5), 'radius': 8.0, 'instances': 'rescue',
        'rescue.radius': 3.0, 'odometry_timeout': 10.0, 'use_sim_time': False}
    assert dict(node.expanded_remapping_rules)['odom'] == 'wheels'


@pytest.mark.parametrize(('argument', 'found'), [
    ('', {'kind': 'serial', 'length': 200}), ('true', {'kind': 'serial', 'length': 200}),
    ('{length: 220}', {'kind': 'serial', 'length': 220}), ('false', None)])
def test_link_of_the_fleet_file_runs_beside_the_robot(tmp_path, argument, found):
    path = tmp_path / 'robots.yaml'
    path.write_text('robots: {alice: {id: 1, link: {kind: serial, length: 200}}}')
    *link, robot = launched('robot', fleet_file=str(path), robot='alice', link=argument)
    assert executables([*link, robot])[:-1] == ['link'] * (found is not None)
    assert [parameters(each) for each in link] == [found] * (found is not None)
    values = parameters(robot)
    assert (values.get('send_topic'), values.get('message_length')) == (
        (None, None) if found is None else ('outgoing', found['length'] - 22))
    assert all(each.expanded_node_namespace == '/alice' for each in link)


def test_managed_and_wandering_robots_are_started(fleet):
    managed, wander = launched(
        'robot', fleet_file=fleet, robot='alice', managed='true', autostart='false',
        motion='wander', arena='blocks', use_sim_time='true')
    assert executables([managed, wander]) == ['managed_election_node', 'wander']
    assert parameters(managed)['autostart'] is False
    assert parameters(wander) == {'world': 'blocks', 'use_sim_time': True, 'scan_yaw': 1.5}
    assert wander.expanded_node_namespace == '/alice'
    assert wander.expanded_remapping_rules == managed.expanded_remapping_rules


@pytest.mark.parametrize('wrong', [
    {'initial_pose': 'here'}, {'odometry_timeout': '-1'}, {'motion': 'dance'}, {'rviz': 'true'},
    {'arena': 'nowhere'}, {'required': 'maybe'}, {'respawn_delay': '-1'},
    {'output_namespace': '/election'}, {'robot': 'alice'}])
def test_wrong_argument_is_named(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        launched('robot', **{'robot_id': '1'} | wrong)


def test_topic_is_in_the_namespace_of_the_swarm_when_relative():
    (node,) = launched('robot', robot_id='3', neighbourhood='air')
    assert dict(node.expanded_remapping_rules)['neighbourhood'] == '/air'
    (node,) = launched('robot', robot_id='3', neighbourhood='air', namespace='red/alice')
    assert dict(node.expanded_remapping_rules)['neighbourhood'] == '/red/air'
    (node,) = launched('robot', robot_id='3', neighbourhood='air', ros_namespace='/red')
    assert dict(node.expanded_remapping_rules)['neighbourhood'] == '/red/air'
    assert node.expanded_node_namespace == '/red/robot_3'


def test_rviz_shows_the_swarm_of_a_robot(monkeypatch, tmp_path):
    install(tmp_path / 'with', 'rviz2')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'with'))
    _, rviz = launched('robot', robot_id='3', rviz='true', namespace='red/alice')
    assert rviz.expanded_node_namespace == '/red'
    _, rviz = launched('robot', robot_id='3', rviz='true')
    assert rviz.expanded_node_namespace == '/'


# For real.

def test_reason_of_an_ended_node_is_in_the_launch_log(tmp_path):
    ran = run_launch(tmp_path, FILES / 'robot.launch.py', 'robot_id:=3', 'odometry_timeout:=0.5')
    assert ran.returncode == 2
    log = next((tmp_path / 'log').glob('*/launch.log'))
    reason = 'no odometry on /robot_3/odom within 0.5 s; start the driver'
    assert reason in log.read_text() and 'robot 3: algorithm bounded' in log.read_text()
    own = [file.read_text() for file in (tmp_path / 'log').glob('*.log')]
    assert any(reason in text for text in own)


def ros2_launch(*arguments: str) -> subprocess.CompletedProcess:
    """Run the launch file of the checkout by ros2."""
    return subprocess.run(
        [ROS2, 'launch', str(FILES / 'robot.launch.py'), *arguments], text=True,
        capture_output=True, timeout=60.0,
        env=os.environ | {'PYTHONPATH': os.pathsep.join([str(FILES.parent), *filter(None, [
            os.environ.get('PYTHONPATH')])])})


ROS2 = shutil.which('ros2', path=os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get('PATH', '')])) or ''
for_real = pytest.mark.skipif(not ROS2, reason='ros2 is not installed')


@for_real
def test_launch_ends_with_one_line_and_status_2_when_the_robot_is_missing(tmp_path, fleet):
    ran = ros2_launch(f'fleet_file:={fleet}', 'robot:=bob')
    assert ran.returncode == 2
    assert ran.stderr == (f"error: parameter robot: 'bob' is not in {fleet}; there are: alice\n")
    assert 'process started' not in ran.stdout


@for_real
def test_robot_without_a_namespace_uses_the_plain_topics(tmp_path):
    ran = ros2_launch('robot_id:=3', 'namespace:=/', 'odometry_timeout:=0.5')
    assert ran.returncode == 2 and 'no odometry on /odom within 0.5 s' in ran.stdout
