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

"""Gazebo Sim and its bridge, as processes of ``ros_gz``, and what to do where they are missing."""

import os
from pathlib import Path
import re
import shlex
from typing import Any

from leader_election.parameters import ParameterError

PACKAGES = ('ros_gz_sim', 'ros_gz_bridge')
OWN_TRANSFORMS = [('/tf', 'tf'), ('/tf_static', 'tf_static')]
"""Frames of all robots have the same names, so that each robot has a topic of its own for them."""


def check_installed(robots: str) -> None:
    """
    Refuse to start where there is no Gazebo.

    :param robots: how many, or which, for the command that does without.
    :raises ParameterError: naming the package, and the embedded world's command.
    """
    from ament_index_python.packages import get_package_share_directory, PackageNotFoundError
    number = robots if _is_number(robots) else '30'
    for package in PACKAGES:
        try:
            get_package_share_directory(package)
        except PackageNotFoundError:
            distro = os.environ.get('ROS_DISTRO', '<distro>')
            raise ParameterError(
                f'Gazebo needs the package {package}, which is not installed; install it with '
                f'apt install ros-{distro}-ros-gz, or take the embedded world: ros2 launch '
                f'leader_election swarm.launch.py robots:={number} motion:=levy') from None


def _is_number(robots: str) -> bool:
    """Return whether the embedded world takes it: what is nonsense is not said again."""
    return re.fullmatch('[1-9][0-9]{0,3}', robots) is not None


def run_folder() -> Path:
    """Return the folder of this launch's logs: the files made for it are worth as much."""
    from launch.logging import launch_config
    return Path(launch_config.log_dir)


def server(world: Path, headless: bool) -> Any:
    """
    Return Gazebo's server; when it ends all ends.

    :param headless: whether sensors are to be rendered without a display.
    """
    # It becomes a part of a shell's command.
    rendering = ' --headless-rendering' if headless else ''
    return _gz_sim(f'-r -s -v2{rendering} {shlex.quote(str(world))}', on_exit_shutdown='true')


def window() -> Any:
    """Return Gazebo's window, which may be closed."""
    # Said again: what the server's was told would else hold for this one, too.
    return _gz_sim('-g -v2', on_exit_shutdown='false')


def _gz_sim(arguments: str, on_exit_shutdown: str) -> Any:
    from launch.actions import IncludeLaunchDescription
    from launch.substitutions import PathJoinSubstitution
    from launch_ros.substitutions import FindPackageShare
    file = PathJoinSubstitution([FindPackageShare('ros_gz_sim'), 'launch', 'gz_sim.launch.py'])
    return IncludeLaunchDescription(
        file, launch_arguments={
            'gz_args': arguments, 'on_exit_shutdown': on_exit_shutdown}.items())


def bridge(config: Path, name: str, sim_time: bool, **options: Any) -> Any:
    """Return the bridge that a file configures; options are those of ``launch_ros``' Node."""
    from launch_ros.actions import Node
    return Node(
        package='ros_gz_bridge', executable='parameter_bridge', name=name, output='screen',
        parameters=[{'config_file': str(config), 'use_sim_time': sim_time}], **options)


def spawn(world_name: str, name: str, model: Path, pose: tuple[float, float, float]) -> Any:
    """Return the process that puts a model into a world that is running, and ends."""
    from launch_ros.actions import Node
    x, y, yaw = pose
    return Node(
        package='ros_gz_sim', executable='create', output='screen', arguments=[
            '-world', world_name, '-name', name, '-file', str(model),
            '-x', repr(x), '-y', repr(y), '-z', '0.0', '-Y', repr(yaw)])
