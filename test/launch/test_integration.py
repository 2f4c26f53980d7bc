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

"""The launch files of doc/integration.md, run. Drivers and Nav2's manager are stand-ins."""

import os
from pathlib import Path
import re
import sys

from launched import FILES, INDEX, install, left_behind, run_launch, watch_launch
import pytest

pytest.importorskip('launch_ros', reason='launch_ros is not importable: it is not on PyPI, '
                                         'only in a full ROS 2')

PAGE = Path(__file__).parents[2] / 'doc' / 'integration.md'
MANAGER = """
# As nav2_lifecycle_manager does it (startup, changeStateForNode): each transition, then the state
# is asked for; with a bond_timeout the node has to have a bond, which ours has not.
from lifecycle_msgs.srv import ChangeState, GetState
import rclpy
from rclpy.node import Node

def call(kind, service, request):
    client = node.create_client(kind, service)
    assert client.wait_for_service(30.0)
    future = client.call_async(request)
    rclpy.spin_until_future_complete(node, future, timeout_sec=5.0)
    return future.result()

rclpy.init()
node = Node('lifecycle_manager', automatically_declare_parameters_from_overrides=True)
given = {name: node.get_parameter(name).value
         for name in ('autostart', 'node_names', 'bond_timeout')}
assert given['autostart']
for transition, state in ((1, 2), (3, 3)):
    for name in given['node_names']:
        request = ChangeState.Request()
        request.transition.id = transition
        assert call(ChangeState, f'{name}/change_state', request).success
        assert call(GetState, f'{name}/get_state', GetState.Request()).current_state.id == state
assert given['bond_timeout'] == 0.0, 'was unable to be reached by bond'
print('Managed nodes are active', flush=True)
"""
DRIVER = """
from nav_msgs.msg import Odometry
import rclpy
from rclpy.node import Node

rclpy.init()
node = Node('turtlebot3_node')
odometry = node.create_publisher(Odometry, 'odom', 10)

def publish():
    odometry.publish(Odometry())
    if odometry.get_subscription_count():
        print('heard on', odometry.topic_name, flush=True)

node.create_timer(0.2, publish)
rclpy.spin(node)
"""
BRINGUP = """
# As turtlebot3_bringup does it: the namespace is pushed, and no group is round it.
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node, PushRosNamespace

def generate_launch_description():
    namespace = LaunchConfiguration('namespace', default='')
    return LaunchDescription([
        DeclareLaunchArgument('namespace', default_value=namespace), PushRosNamespace(namespace),
        Node(package='turtlebot3_node', executable='turtlebot3_ros', output='screen')])
"""


@pytest.fixture(autouse=True)
def prefix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return an ament prefix with our package, as installed, and the stand-ins."""
    install(tmp_path, 'nav2_lifecycle_manager', 'turtlebot3_bringup', 'turtlebot3_node')
    for file in FILES.glob('*.launch.py'):
        (tmp_path / 'share' / 'leader_election' / 'launch' / file.name).symlink_to(file)
    for package, name, text in (
            ('nav2_lifecycle_manager', 'lifecycle_manager', MANAGER),
            ('turtlebot3_node', 'turtlebot3_ros', DRIVER)):
        program = tmp_path / 'lib' / package / name
        program.write_text(f'#!{sys.executable}\n{text}')
        program.chmod(0o755)
    (tmp_path / 'share' / 'turtlebot3_bringup' / 'launch' / 'robot.launch.py').write_text(BRINGUP)
    assert (tmp_path / INDEX / 'turtlebot3_node').exists()
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path), prepend=os.pathsep)
    return tmp_path


def example(prefix: Path, name: str, more: str = '') -> Path:
    """Write a launch file of the page; ``more`` replaces the list of what it describes."""
    (text,) = re.findall(rf'```python\n(# {name}\n.*?)```', PAGE.read_text(), re.DOTALL)
    path = prefix / name
    path.write_text(text.replace('LaunchDescription([Group', f'LaunchDescription([{more}Group'))
    return path


def test_every_launch_file_of_the_page_is_tested() -> None:
    named = set(re.findall(r'# (\w+\.launch\.py)\n', PAGE.read_text()))
    assert all(f"'{name}'" in Path(__file__).read_text() for name in named) and len(named) == 4


def test_bringup_continues_without_an_ended_robot(prefix: Path) -> None:
    """The robot ends after half a second without odometry, in place of 10 s."""
    path = example(prefix, 'one_robot.launch.py', '*others(), ')
    path.write_text(path.read_text().replace("'required'", "'odometry_timeout': '0.5', 'required'")
                    + """

def others():
    from launch.actions import ExecuteProcess, RegisterEventHandler
    from launch.event_handlers import OnProcessExit
    driver = ExecuteProcess(cmd=['sleep', '100'])

    def ended(event, context):
        if 'election_node' not in event.process_name:
            return None
        return [ExecuteProcess(cmd=['sh', '-c', 'echo the bringup goes on'], output='screen')]

    return [driver, RegisterEventHandler(OnProcessExit(on_exit=ended))]
""")
    assert not watch_launch(prefix, path, 'no odometry on /alice/odom', 'the bringup goes on')
    assert left_behind(prefix) == []


def test_ended_required_robot_ends_the_bringup(prefix: Path) -> None:
    path = example(prefix, 'one_robot.launch.py')
    path.write_text(path.read_text().replace("'required': 'false'", "'odometry_timeout': '0.5'"))
    ran = run_launch(prefix, path)
    assert ran.returncode == 2 and 'no odometry on /alice/odom' in ran.stdout + ran.stderr


def test_ended_robot_is_respawned(prefix: Path) -> None:
    path = example(prefix, 'one_robot.launch.py')
    path.write_text(path.read_text().replace(
        "'required': 'false'", "'odometry_timeout': '0.5', 'respawn': 'true', "
        "'respawn_delay': '0.1'"))
    twice = '(?s)(error: parameter odometry_timeout.*){2}'
    assert not watch_launch(prefix, path, twice)


def test_two_swarms_have_their_own_topics(prefix: Path) -> None:
    path = example(prefix, 'two_swarms.launch.py')
    assert not watch_launch(prefix, path, *(
        rf'\[{swarm}.robot_{number}.election_node\]: robot {number}: .* topic '
        rf'/{swarm}/neighbourhood' for swarm in ('red', 'blue') for number in (1, 2)))


def test_lifecycle_manager_brings_a_robot_up(prefix: Path) -> None:
    path = example(prefix, 'managed.launch.py')
    assert not watch_launch(prefix, path, 'configured: robot 3', 'activated', 'nodes are active')


def test_turtlebot_and_its_robot_share_a_namespace(prefix: Path) -> None:
    path = example(prefix, 'turtlebot3.launch.py')
    assert not watch_launch(prefix, path, 'robot 1: ', 'heard on /alice/odom')
