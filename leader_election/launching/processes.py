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

"""The processes that launch files start: each of ours, with what all of them are told."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
import os
from pathlib import Path
import re
import shlex
import sys
from typing import Any

from leader_election.command_line import print_error
from leader_election.launching.arguments import PACKAGE
from leader_election.parameters import ParameterError


def ours(settings: Mapping[str, str], executable: str, name: str, parameters: Mapping[str, Any],
         **options: Any) -> Any:
    """
    Return a process of an executable of this package.

    :param settings: the launch's: ``params_file`` and ``log_level``, and ``namespace`` where the
        launch has one.
    :param name: of its first node.
    :param options: for ``launch_ros.actions.Node``.
    """
    from launch_ros.actions import Node
    files = [settings['params_file']] if settings['params_file'] else []
    # Not by the argument name of Node: the parameters would then be for that one node alone, and
    # not for the robots that live in the same process.
    return Node(
        package=PACKAGE, executable=executable, namespace=settings.get('namespace', ''),
        parameters=[*files, dict(parameters)], output='screen', arguments=[
            '--ros-args', '-r', f'__node:={name}', '--log-level', settings['log_level']],
        # Many nodes take their time to say goodbye.
        sigterm_timeout='30',
        **options)


def rviz(settings: Mapping[str, str], sim_time: bool) -> Any:
    """Return RViz, where argument rviz asks for it."""
    from launch.conditions import IfCondition
    from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
    from launch_ros.actions import Node
    from launch_ros.substitutions import FindPackageShare
    view = PathJoinSubstitution([FindPackageShare(PACKAGE), 'config', 'swarm.rviz'])
    return Node(
        package='rviz2', executable='rviz2', namespace=settings.get('namespace', ''),
        arguments=['-d', view], parameters=[{'use_sim_time': sim_time}],
        condition=IfCondition(LaunchConfiguration('rviz')))


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


Make = Callable[[Any], list[Any]]
"""What an ``OpaqueFunction`` calls: a context in, actions out."""


def refusing(make: Make) -> Make:
    """
    Return what makes the same actions, and ends the launch where that is a ``ParameterError``.

    What a launch file that includes this one has started before is stopped first. Where no launch
    is running, as in a test, the error is the caller's.
    """
    @wraps(make)
    def made(context: Any) -> list[Any]:
        try:
            return make(context)
        except ParameterError as error:
            if context.asyncio_loop is None:
                raise
            from launch.actions import Shutdown
            _end_with_status(context.asyncio_loop, print_error(error))
            return [Shutdown(reason='wrong arguments')]

    return made


def passing_on(event: Any, context: Any) -> list[Any]:
    """
    End the launch when a process ends, with the process's status; for its ``on_exit``.

    Left to itself ``launch`` ends with 0, however its processes did.
    """
    from launch.actions import Shutdown
    if context.is_shutdown:
        # Who ends now was told to.
        return []
    if event.returncode != 0 and context.asyncio_loop is not None:
        # What a signal killed has a negative one.
        _end_with_status(context.asyncio_loop, max(event.returncode, 1))
    return [Shutdown(reason=f'{event.process_name} has ended')]


def after(first: Any, rest: Sequence[Any], trouble: str) -> list[Any]:
    """
    Return a process that ends by itself, and what is started when it has ended well.

    Where it has not, the launch ends with its status.

    :param trouble: what that means, in a line.
    """
    from launch.actions import RegisterEventHandler
    from launch.event_handlers import OnProcessExit

    def go_on(event: Any, context: Any) -> list[Any]:
        if context.is_shutdown:
            return []
        if event.returncode == 0:
            return list(rest)
        print_error(trouble)
        return passing_on(event, context)

    return [RegisterEventHandler(OnProcessExit(target_action=first, on_exit=go_on)), first]


def _end_with_status(loop: asyncio.AbstractEventLoop, status: int) -> None:
    """Have the process end with the status once the launch has come to its end."""
    for task in asyncio.all_tasks(loop):
        # launch has no word for it: the task is that of LaunchService.run.
        if getattr(task.get_coro(), '__name__', '') == 'run_async':
            task.add_done_callback(lambda _: sys.exit(status))
