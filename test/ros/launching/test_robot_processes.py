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

"""Precedence of arguments, fleet file and parameter file; tasks and motion."""

from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.parameters.parameter_files import effective_parameters
from leader_election.ros.launching.arguments import check_argument_names, refuse_quorum
from leader_election.ros.launching.robot_processes import check_scanner, robot_launch
import pytest
import rclpy
import yaml

FLEET = """
defaults: {radius: 8.0, odom_topic: wheels}
types: {small: {radius: 6.0, odometry_timeout: 30, scan_yaw: 1.5, tf_topic: tf}}
robots:
  alice: {id: 1, type: small, initial_pose: [1, 2, 0.5], hostname: tb4-07, tasks: count}
  bob: {id: 2}
"""


@pytest.fixture
def fleet(tmp_path: Path) -> str:
    """Return the path of a fleet file."""
    path = tmp_path / 'robots.yaml'
    path.write_text(FLEET)
    return str(path)


def test_robot_without_a_fleet_file_is_set_by_arguments():
    robot = robot_launch({'robot_id': '3', 'initial_pose': '[1, 2, 0.5]', 'fleet_file': ''}, 'vm')
    assert robot.namespace == 'robot_3'
    assert robot.parameters == {
        'robot_id': 3, 'initial_pose': (1.0, 2.0, 0.5)}
    assert robot.remappings == [('neighbourhood', '/neighbourhood')]


def test_robot_takes_its_own_part_by_name_or_hostname(fleet):
    bob = robot_launch({'fleet_file': fleet, 'robot': 'bob'}, 'tb4-07')
    assert (bob.namespace, bob.parameters['robot_id'], bob.parameters['radius']) == ('bob', 2, 8.0)
    assert 'odometry_timeout' not in bob.parameters
    alice = robot_launch({'fleet_file': fleet}, 'tb4-07')
    assert alice.namespace == 'alice'
    assert alice.parameters == {
        'robot_id': 1, 'initial_pose': (1.0, 2.0, 0.5), 'radius': 6.0, 'tasks': 'count',
        'odometry_timeout': 30.0}
    assert dict(alice.remappings)['odom'] == 'wheels'


def test_transforms_have_two_topics(fleet):
    assert '/tf' not in dict(robot_launch({'robot_id': '3'}, 'vm').remappings)
    for settings, place in (({'fleet_file': fleet}, 'tf'), (
            {'robot_id': '3', 'tf_topic': '/robot_3/tf'}, '/robot_3/tf')):
        found = dict(robot_launch(settings, 'tb4-07').remappings)
        assert (found['/tf'], found['/tf_static']) == (place, f'{place}_static')


def test_driving_parameters_reach_tasks_and_nodes(fleet):
    alice = robot_launch({'fleet_file': fleet, 'robot': 'alice', 'tasks': 'rally'}, 'vm')
    assert alice.parameters['rally.scan_yaw'] == 1.5 and alice.driving == {'scan_yaw': 1.5}


def test_argument_takes_precedence_over_the_fleet_file(fleet):
    alice = robot_launch({
        'fleet_file': fleet, 'robot': 'alice', 'namespace': 'scout', 'robot_id': '7',
        'initial_pose': '[0, 0, 0]', 'tasks': 'rally', 'odom_topic': '/odometry/filtered',
        'odometry_timeout': '0'}, 'vm')
    assert alice.namespace == 'scout'
    assert alice.parameters == {
        'robot_id': 7, 'initial_pose': (0.0, 0.0, 0.0), 'radius': 6.0, 'tasks': 'rally',
        'rally.scan_yaw': 1.5, 'odometry_timeout': 0.0}
    assert dict(alice.remappings)['odom'] == '/odometry/filtered'


def test_namespace_is_accepted_when_ros_allows_it() -> None:
    for name in '/', '_a', '/a', 'a_1/_b', '_':
        assert robot_launch({'robot_id': '3', 'namespace': name}, 'vm').namespace == name
    for name in '//', 'a__b', 'a//b', 'a/', '1', 'a/1', 'a b', '~', 'é', '{a}', 'a\n':
        with pytest.raises(ParameterError, match='parameter namespace: .* or / alone for none$'):
            robot_launch({'robot_id': '3', 'namespace': name}, 'vm')


@pytest.mark.parametrize(('settings', 'said'), [
    ({}, 'parameter robot_id is missing; it takes 0 to 9007199254740991, or give a fleet_file, '
     'which has it under the name of the robot'),
    ({'robot_id': '1', 'robot': 'bob'}, "parameter robot: 'bob' is a name in a fleet file; it "
     'takes fleet_file, too'),
    ({'robot_id': '1', 'tasks': 'count,nonsense'}, "parameter tasks: there is no task 'nonsense' "
     'on this computer; there are: count, dispatch, field, patrol, rally'),
    ({'robot_id': '1', 'odom_topic': 'a b'}, "parameter odom_topic: 'a b' is not allowed"),
    ({'fleet_file': 'FLEET', 'robot': 'carol'}, "parameter robot: 'carol' is not in"),
    ({'fleet_file': 'FLEET'}, 'parameter robot: no robot of'),
])
def test_wrong_value_is_refused_in_one_line(settings, said, fleet):
    with pytest.raises(ParameterError) as caught:
        robot_launch(
            {name: value.replace('FLEET', fleet) for name, value in settings.items()}, 'vm')
    assert str(caught.value).startswith(said) and '\n' not in str(caught.value)


ROBOTS = ('alice', 'bob')


def settings(folder: Path, text: str = '', tasks: str = '') -> dict[str, str]:
    """Return the arguments, with a file of that text."""
    file = folder / 'mine.yaml'
    file.write_text(text)
    return {'tasks': tasks, 'params_file': str(file) if text else ''}


INSTANCE = '/**:\n  ros__parameters: {instances: "rescue, other", rescue.tasks: patrol}\n'
NESTED = '/**:\n  ros__parameters:\n    instances: rescue\n    rescue: {tasks: patrol}\n'
ONE = '/alice/election_node:\n  ros__parameters: {tasks: patrol}\n'
SPLIT = (INSTANCE.replace(', rescue.tasks: patrol', '')
         + 'bob:\n  election_node:\n    ros__parameters: {rescue.tasks: "count,patrol"}\n')
OTHERS = ('/bob/election_nodes:\n  ros__parameters: {tasks: patrol}\n'
          'wander:\n  ros__parameters: {tasks: patrol}\n')


@pytest.mark.parametrize('text', [INSTANCE, NESTED, ONE, SPLIT])
def test_task_that_needs_a_scanner_is_found_in_every_setting(tmp_path, text):
    given = settings(tmp_path, text)
    with pytest.raises(ParameterError, match='lidar: 0 leaves robots blind, and patrol drives'):
        check_scanner(given, ROBOTS, 0)
    check_scanner(given, ROBOTS, 36)
    check_scanner(settings(tmp_path, OTHERS), ROBOTS, 0)


SECTIONS = {
    '/**': {'a': 'all', 'b': 'all', 'c': 'all', 'd': 'all'},
    '/alice/election_node': {'b': 'own', 'c': 'own', 'nested': {'e': 'own'}},
    '/**/election_node': {'c': 'named', 'f': 'named'},
    '/alice/*': {'f': 'beside', 'g': 'beside'},
    '/bob/election_node': {'a': 'another', 'h': 'another'},
}
ORDERS = (list(SECTIONS), list(reversed(SECTIONS)))


@pytest.mark.parametrize('order', ORDERS)
def test_effective_parameters_equal_those_of_ros(order, tmp_path):
    file, arguments = tmp_path / 'mine.yaml', tmp_path / 'arguments.yaml'
    given = {'a': 'argument', 'c': 'argument', 'g': 'argument'}
    for path, sections in ((file, {name: SECTIONS[name] for name in order}),
                           (arguments, {'/**': given})):
        path.write_text(yaml.safe_dump(
            {name: {'ros__parameters': values} for name, values in sections.items()},
            sort_keys=False))
    context = rclpy.Context()
    rclpy.init(context=context, args=[
        '--ros-args', '--params-file', str(file), '--params-file', str(arguments)])
    try:
        node = rclpy.create_node('election_node', namespace='/alice', context=context,
                                 automatically_declare_parameters_from_overrides=True)
        found = {name: parameter.value for name, parameter in node.get_parameters_by_prefix(
            '').items() if name in {*'abcdfgh', 'nested.e'}}
        node.destroy_node()
    finally:
        rclpy.shutdown(context=context)
    assert effective_parameters(str(file), ['alice/election_node'], given) == [found]
    assert {'a', 'b', 'c', 'nested.e', 'f', 'g'} <= set(found) and 'h' not in found


def test_robot_that_joins_a_running_swarm_takes_no_quorum(tmp_path):
    file, node = tmp_path / 'mine.yaml', '/robot_9/election_node'
    refuse_quorum('', node)
    file.write_text("/**: {ros__parameters: {quorum: 'none'}}")
    refuse_quorum(str(file), node)
    file.write_text('/**: {ros__parameters: {quorum: majority}}')
    with pytest.raises(ParameterError, match='parameter quorum: majority is not allowed'):
        refuse_quorum(str(file), node)


# Arguments derived from declarations of parameters.


def test_argument_names_are_checked_if_the_command_names_the_file(tmp_path, monkeypatch):
    file = tmp_path / 'ours' / 'robot.launch.py'
    file.parent.mkdir()
    file.touch()
    (tmp_path / 'link.launch.py').symlink_to(file)
    monkeypatch.chdir(file.parent)
    for command in (['leader_election', 'robot.launch.py'], [str(file)], ['robot.launch.py'],
                    ['../ours/robot.launch.py'], [str(tmp_path / 'link.launch.py')]):
        words = ['ros2', 'launch', *command, 'model:=lite']
        with pytest.raises(ParameterError, match='^parameter model: robot.launch.py has no such'):
            check_argument_names(words, str(file), ['robot'])
        check_argument_names(words, str(file), ['robot', 'model'])


def test_launch_file_of_the_same_name_that_includes_ours_has_its_own_arguments(tmp_path):
    file, other = (tmp_path / folder / 'robot.launch.py' for folder in ('ours', 'theirs'))
    for each in (file, other):
        each.parent.mkdir()
        each.touch()
    for command in (['turtlebot4_bringup', 'robot.launch.py'], [str(other)],
                    ['leader_election', 'mine.launch.py']):
        check_argument_names(['ros2', 'launch', *command, 'model:=lite'], str(file), ['robot'])
