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

"""Processes of Gazebo Sim in launch files: its server and window, its bridge, new models."""

from collections.abc import Mapping, Sequence
from pathlib import Path
import shlex
import sys
from typing import Any

from leader_election.parameters.command_line import print_error
from leader_election.ros.launching import bound, processes
from leader_election.ros.launching.arguments import check_installed
from leader_election.swarm.fleet.receive_buffers import (
    BUFFER_REMEDY,
    buffers_too_small,
    MANY_ROBOTS,
)


def check_gazebo_installed() -> None:
    """
    Check that Gazebo's packages for ROS are installed.

    :raises ParameterError: if one is not. The message names the package and the command for the
        embedded world.
    """
    for package, executable in (('ros_gz_sim', 'create'), ('ros_gz_bridge', 'parameter_bridge')):
        check_installed(package, executable, (
            f'install it with apt install ros-{processes.distro()}-ros-gz, or take the embedded '
            'world: ros2 launch leader_election swarm.launch.py robots:=30 motion:=levy'))


def gazebo_server(world: Path, headless: bool) -> list[Any]:
    """
    Return the process of Gazebo's server. Its end ends the launch with a status other than 0.

    :param world: the path of the world file.
    :param headless: whether sensors are rendered without a display.
    """
    from launch.actions import RegisterEventHandler
    from launch.event_handlers import OnProcessExit
    file = shlex.quote(str(world))

    def on_exit(event: Any, context: Any) -> list[Any]:
        if context.is_shutdown or file not in ' '.join(event.cmd):
            return []
        print_error(f'Gazebo has ended by itself, with status {event.returncode}; see its output')
        # gz ends with status 0 also when it cannot load the world.
        return processes.shut_down(event, context, max(event.returncode, 1))

    # gz_sim.launch.py puts the arguments into a shell command.
    rendering = ' --headless-rendering' if headless else ''
    return [RegisterEventHandler(OnProcessExit(on_exit=on_exit)),
            _gz_sim(f'-r -s -v2{rendering} {file}')]


def warn_of_buffers(robots: int, settings: Mapping[str, int]) -> None:
    """
    Warn of receive buffers in which many robots would not find each other.

    :param robots: their number.
    :param settings: of this computer (:func:`.buffer_sizes`).
    """
    small = buffers_too_small(settings)
    if robots > MANY_ROBOTS and small:
        print(f'warning: {small}, too little for {robots} robots in Gazebo Sim: some would get no '
              f'commands. Stop, raise it and start again: {BUFFER_REMEDY}',
              file=sys.stderr, flush=True)


def gazebo_window() -> Any:
    """Return the process of Gazebo's window. Closing it does not end the launch."""
    return _gz_sim('-g -v2')


def _gz_sim(arguments: str) -> Any:
    """Return a process of Gazebo, whose end does not end the launch."""
    from ament_index_python.packages import get_package_share_directory
    from launch.actions import GroupAction, IncludeLaunchDescription, SetLaunchConfiguration
    file = Path(get_package_share_directory('ros_gz_sim'), 'launch', 'gz_sim.launch.py')
    # gz starts processes and passes on only some signals. A shell passes on none.
    shell = 'shell=True' in file.read_text(encoding='utf-8')
    words = [*(['exec'] if shell else []), *bound.group_prefix()]
    return GroupAction([
        SetLaunchConfiguration('launch-prefix', shlex.join(words)),
        IncludeLaunchDescription(str(file), launch_arguments={
            'gz_args': arguments, 'on_exit_shutdown': 'false'}.items())])


def gazebo_bridge(settings: Mapping[str, str], config: Path, name: str, sim_time: bool) -> Any:
    """
    Return the process of a bridge between Gazebo and ROS. Its end ends the launch.

    :param settings: the values of arguments.
    :param config: the path of its configuration.
    :param name: of its node.
    :param sim_time: whether it uses simulated time.
    """
    return processes.bound_node(
        settings, 'ros_gz_bridge', 'parameter_bridge', name=name, output='screen',
        parameters=[{'config_file': str(config), 'use_sim_time': sim_time}],
        on_exit=processes.shut_down_with_status)


def after_the_clock(settings: Mapping[str, str], actions: Sequence[Any]) -> list[Any]:
    """
    Return actions that start when simulated time advances: the world is loaded then.

    Before that Gazebo Sim announces many topics at once, and new subscribers miss some.

    :param settings: the values of arguments.
    :param actions: those that follow.
    """
    return processes.start_after(
        processes.package_node(settings, 'await_clock', 'await_clock', {}, {}), actions,
        'simulated time did not begin; see what Gazebo and the bridge of the clock say')


def robot_odometry(settings: Mapping[str, str], name: str, parameters: Mapping[str, Any],
                   sim_time: bool) -> list[Any]:
    """
    Return the process of node ``gazebo_odometry`` in a list, which is empty if it is not needed.

    :param settings: the values of arguments.
    :param name: of the node.
    :param parameters: of the node, empty if it is not needed.
    :param sim_time: whether it uses simulated time.
    """
    return [processes.package_node(
        settings, 'gazebo_odometry', name, parameters, {'use_sim_time': sim_time},
        on_exit=processes.shut_down_with_status)] if parameters else []


def spawn_model(settings: Mapping[str, str], world_name: str, name: str, model: Path,
                pose: tuple[float, float, float, float]) -> Any:
    """
    Return the process of ``ros_gz_sim`` that adds a model to a running world and then ends.

    :param settings: the values of arguments.
    :param world_name: of the running world.
    :param name: of the model.
    :param model: the path of its SDF file.
    :param pose: x, y, z, yaw [m, rad].
    """
    words = [word for option, value in zip(('-x', '-y', '-z', '-Y'), pose)
             for word in (option, repr(value))]
    return processes.bound_node(
        settings, 'ros_gz_sim', 'create', output='screen',
        arguments=['-world', world_name, '-name', name, '-file', str(model), *words])
