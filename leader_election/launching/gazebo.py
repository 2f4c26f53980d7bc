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

"""Processes of launch files for Gazebo Sim: server, window, bridges, a robot put into it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
import re
import shlex
import sys
from typing import Any

from leader_election.launching.arguments import PACKAGE
from leader_election.launching.processes import (
    distro,
    package_node,
    shut_down_with_status,
    start_after,
)
from leader_election.parameters import ParameterError

GAZEBO_PACKAGES = ('ros_gz_sim', 'ros_gz_bridge')


def check_gazebo_installed(robots: str) -> None:
    """
    Check that Gazebo is installed.

    :param robots: the argument of the launch file, for the alternative command in the message.
    :raises ParameterError: if it is not; the message names the missing package and the command
        for the embedded world.
    """
    from ament_index_python.packages import get_package_share_directory, PackageNotFoundError
    number = robots if _is_number(robots) else '30'
    for package in GAZEBO_PACKAGES:
        try:
            get_package_share_directory(package)
        except PackageNotFoundError:
            raise ParameterError(
                f'Gazebo needs the package {package}, which is not installed; install it with '
                f'apt install ros-{distro()}-ros-gz, or take the embedded world: ros2 launch '
                f'leader_election swarm.launch.py robots:={number} motion:=levy') from None


def _is_number(robots: str) -> bool:
    """Return whether the embedded world accepts it; a wrong value is not repeated in a message."""
    return re.fullmatch('[1-9][0-9]{0,3}', robots) is not None


def gazebo_server(world: Path, headless: bool) -> Any:
    """
    Return the process of Gazebo's server; its end ends the launch.

    :param world: the path of the world file.
    :param headless: whether sensors are rendered without a display.
    """
    # gz_sim.launch.py puts the arguments into a shell command.
    rendering = ' --headless-rendering' if headless else ''
    return _gz_sim(f'-r -s -v2{rendering} {shlex.quote(str(world))}', on_exit_shutdown='true')


def gazebo_window() -> Any:
    """Return the process of Gazebo's window; closing it does not end the launch."""
    # Given explicitly: launch would otherwise keep the value set for the server.
    return _gz_sim('-g -v2', on_exit_shutdown='false')


def _gz_sim(arguments: str, on_exit_shutdown: str) -> Any:
    from launch.actions import GroupAction, IncludeLaunchDescription, SetLaunchConfiguration
    from launch.substitutions import PathJoinSubstitution
    from launch_ros.substitutions import FindPackageShare
    file = PathJoinSubstitution([FindPackageShare('ros_gz_sim'), 'launch', 'gz_sim.launch.py'])
    # It runs gz in a shell, which does not forward the signals of a launch; ours does.
    prefix = shlex.join([sys.executable, '-m', 'leader_election.launching.process_group'])
    return GroupAction([
        SetLaunchConfiguration('launch-prefix', prefix),
        IncludeLaunchDescription(file, launch_arguments={
            'gz_args': arguments, 'on_exit_shutdown': on_exit_shutdown}.items())])


def gazebo_bridge(config: Path, name: str, sim_time: bool) -> Any:
    """
    Return the process of a bridge between Gazebo and ROS; its end ends the launch.

    :param config: the path of its configuration.
    :param name: of its node.
    :param sim_time: whether it uses simulated time.
    """
    from launch_ros.actions import Node
    return Node(
        package='ros_gz_bridge', executable='parameter_bridge', name=name, output='screen',
        parameters=[{'config_file': str(config), 'use_sim_time': sim_time}],
        on_exit=shut_down_with_status)


def after_the_clock(settings: Mapping[str, str], actions: Sequence[Any]) -> list[Any]:
    """
    Return actions that start when simulated time advances: the world is loaded then.

    Before that Gazebo Sim announces many topics at once, and new subscribers miss some.

    :param settings: the values of arguments.
    :param actions: those that follow.
    """
    return start_after(
        package_node(settings, 'await_clock', 'await_clock', {}), actions,
        'simulated time did not begin; see what Gazebo and the bridge of the clock say')


def robot_odometry(settings: Mapping[str, str], name: str, parameters: Mapping[str, Any],
                   sim_time: bool) -> list[Any]:
    """
    Return the process of node ``gazebo_odometry`` in a list, which is empty if it is not needed.

    :param settings: the values of arguments.
    :param name: of the node.
    :param parameters: of the node; empty if it is not needed.
    :param sim_time: whether it uses simulated time.
    """
    return [package_node(settings, 'gazebo_odometry', name,
                         {**parameters, 'use_sim_time': sim_time},
                         on_exit=shut_down_with_status)] if parameters else []


def spawn_model(world_name: str, name: str, model: Path,
                pose: tuple[float, float, float, float]) -> Any:
    """
    Return the process that adds a model to a running world and then ends.

    :param world_name: of the running world.
    :param name: of the model.
    :param model: the path of its SDF file.
    :param pose: x, y, z, yaw [m, rad].
    """
    from launch_ros.actions import Node
    words = [word for option, value in zip(('x', 'y', 'z', 'yaw'), pose)
             for word in (f'--{option}', repr(value))]
    return Node(
        package=PACKAGE, executable='gazebo_spawn', output='screen', arguments=[
            '--world', world_name, '--name', name, '--file', str(model), *words])


def note(text: str) -> list[Any]:
    """Return the action that prints a note for the user, in a list; none for an empty text."""
    from launch.actions import LogInfo
    return [LogInfo(msg=f'note: {text}')] if text else []
