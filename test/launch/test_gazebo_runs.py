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

"""The launch files for Gazebo Sim run whole, with stand-ins of its server, bridge and command."""

import os
from pathlib import Path
import signal
import subprocess
import sys
import time

from launched import FILES, install, left_behind, watch_launch
import pytest

pytest.importorskip('launch_ros', reason='launch_ros is not importable: it is not on PyPI, '
                                         'only in a full ROS 2')


@pytest.fixture(autouse=True)
def prefix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Have an ament prefix with our package and ros_gz in it."""
    install(tmp_path / 'prefix', 'ros_gz_sim', 'ros_gz_bridge', 'rviz2')
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'prefix'))
    return tmp_path


BRIDGE = """
# As parameter_bridge of ros_gz, with robots that drive as commanded in place of Gazebo.
import math, os, sys, yaml, rclpy
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock

rclpy.init()
node = rclpy.create_node('bridge', automatically_declare_parameters_from_overrides=True)
with open(node.get_parameter('config_file').value) as file:
    topics = [entry['ros_topic_name'] for entry in yaml.safe_load(file)]
robots = {}

def make(name):
    out = node.create_publisher(Odometry, name + '/wheel_odometry', 10)
    state = robots[name] = [out, 0.0, 0.0, 0.0, Twist()]
    def command(twist):
        state[4] = twist
    node.create_subscription(Twist, name + '/cmd_vel', command, 10)

clock = None
for topic in topics:
    if topic == '/clock':
        clock = node.create_publisher(Clock, '/clock', 10)
    elif topic.endswith('/wheel_odometry'):
        make(topic.partition('/')[0])
steady = rclpy.clock.Clock(clock_type=rclpy.clock.ClockType.STEADY_TIME)
ticks = 0

def step():
    global ticks
    ticks += 1
    if clock is not None:
        message = Clock()
        message.clock.sec, tenths = divmod(ticks, 10)
        message.clock.nanosec = tenths * 10**8
        clock.publish(message)
    for state in robots.values():
        state[1] += 0.1 * state[4].linear.x * math.cos(state[3])
        state[2] += 0.1 * state[4].linear.x * math.sin(state[3])
        state[3] += 0.1 * state[4].angular.z
        message = Odometry(child_frame_id='base_link')
        message.header.frame_id = 'odom'
        message.header.stamp = node.get_clock().now().to_msg()
        message.pose.pose.position.x, message.pose.pose.position.y = state[1:3]
        message.pose.pose.orientation.z = math.sin(state[3] / 2)
        message.pose.pose.orientation.w = math.cos(state[3] / 2)
        state[0].publish(message)
    far = max((math.hypot(*state[1:3]) for state in robots.values()), default=0.0)
    if far > 0.5:
        print('a robot has driven', flush=True)

node.create_timer(0.1, step, clock=steady)
try:
    rclpy.spin(node)
except (KeyboardInterrupt, rclpy.executors.ExternalShutdownException):
    pass
"""
INCLUDES = """
from launch import LaunchDescription
from launch.actions import IncludeLaunchDescription

def generate_launch_description():
    return LaunchDescription([IncludeLaunchDescription('FILE', launch_arguments={
        'robots': '3', 'headless': 'true', 'monitor': 'true', 'bumper': 'false',
        'odometry_drift': 'true'}.items())])
"""


def simulator(prefix: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Have a program in place of Gazebo's server and window."""
    file = prefix / 'prefix' / 'share' / 'ros_gz_sim' / 'launch' / 'gz_sim.launch.py'
    file.write_text(GZ_SIM_LAUNCH)
    (prefix / 'gz-stand-in').write_text(program)
    (prefix / 'gz-stand-in').chmod(0o755)
    monkeypatch.setenv('PATH', f'{prefix}:{os.environ["PATH"]}')


def test_swarm_starts_drives_and_ends(prefix, monkeypatch):
    """The bridge drives the robots."""
    simulator(prefix, monkeypatch, 'import time\ntime.sleep(300)\n')
    bridge = prefix / 'prefix' / 'lib' / 'ros_gz_bridge' / 'parameter_bridge'
    bridge.write_text(f'#!{sys.executable}{BRIDGE}')
    including = prefix / 'mine.launch.py'
    including.write_text(INCLUDES.replace('FILE', str(FILES / 'gazebo.launch.py')))
    assert watch_launch(prefix / 'prefix', including, 'a robot has driven',
                        '3 robots · [1-3] regions') == []
    assert left_behind(prefix / 'prefix') == []


SERVER = """
import os, pathlib, subprocess, sys, time
# As gz, which runs another process: nothing hands a signal on.
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])
pathlib.Path(os.environ['PIDS']).write_text(f'{os.getpid()} {child.pid}')
time.sleep(300)
"""
GZ_SIM_LAUNCH = """
import sys
from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, ExecuteProcess, OpaqueFunction, Shutdown
from launch.substitutions import LaunchConfiguration

def server(context):
    # As that of ros_gz_sim 1.0.7: words in a shell, and any text but this one means yes.
    return [ExecuteProcess(
        cmd=[sys.executable + ' $(which gz-stand-in) sim', LaunchConfiguration('gz_args'),
             '--force-version', '8'], name='gazebo', output='screen', shell=True,
        on_exit=None if LaunchConfiguration('on_exit_shutdown').perform(context) == 'false'
        else Shutdown())]

def generate_launch_description():
    return LaunchDescription([DeclareLaunchArgument('gz_args'),
                              DeclareLaunchArgument('on_exit_shutdown', default_value='false'),
                              OpaqueFunction(function=server)])
"""

LAUNCH = """
import sys
from pathlib import Path
from launch import LaunchDescription, LaunchService
from leader_election.ros.launching.gazebo_processes import gazebo_server, gazebo_window
service = LaunchService(noninteractive=True)
service.include_launch_description(LaunchDescription([
    *gazebo_server(Path('/tmp/a world.sdf'), False), *([gazebo_window()] if WINDOW else [])]))
sys.exit(service.run())
"""
CLOSED = """
import pathlib, sys, time
# The window is closed at once. Then the server ends, as one that cannot load its world.
closed = pathlib.Path(__file__).with_name('closed')
if '-g' in sys.argv:
    closed.touch()
else:
    while not closed.exists():
        time.sleep(0.05)
    time.sleep(1.0)
    print('the server ends', flush=True)
"""


def test_ended_server_is_an_error_and_closed_window_is_none(prefix, monkeypatch):
    simulator(prefix, monkeypatch, CLOSED)
    ran = subprocess.run([sys.executable, '-c', LAUNCH.replace('WINDOW', 'True')],
                         capture_output=True, text=True, timeout=60)
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert 'the server ends' in ran.stdout
    assert 'error: Gazebo has ended by itself, with status 0' in ran.stderr


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_server_ends_when_only_the_launch_receives_a_signal(prefix, monkeypatch, number):
    simulator(prefix, monkeypatch, SERVER)
    pids = prefix / 'pids'
    monkeypatch.setenv('PIDS', str(pids))
    with subprocess.Popen([sys.executable, '-c', LAUNCH.replace('WINDOW', 'False')],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as launch:
        end = time.monotonic() + 60.0
        while not (pids.exists() and pids.read_text()) and time.monotonic() < end:
            time.sleep(0.05)
        started = [int(word) for word in pids.read_text().split()]
        launch.send_signal(number)
        out, _ = launch.communicate(timeout=60)
    # The shell of gz_sim.launch.py would hand no SIGINT on.
    assert 'escalating' not in out
    end = time.monotonic() + 60.0
    for pid in started:
        while Path(f'/proc/{pid}').exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert not Path(f'/proc/{pid}').exists(), out
