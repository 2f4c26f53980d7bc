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

"""
A swarm in Gazebo Sim: a world with all robots, the bridge, the robots' nodes, the monitor.

Needs Gazebo Harmonic, Ionic or Jetty and ros_gz. The world file and the bridges' configurations
are written into the folder of the launch's logs. The clock has its own bridge; the bridge of the
robots starts when simulated time advances.
"""

from pathlib import Path
import sys
from typing import Any

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import AppendEnvironmentVariable, DeclareLaunchArgument, OpaqueFunction
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.tasks.goals import WanderParameters
from leader_election.parameters import build, table
from leader_election.ros.gazebo.plan import GazeboParameters, plan_swarm, write_files
from leader_election.ros.launching import (
    arguments,
    gazebo_processes,
    processes,
    robot_processes,
)
from leader_election.simulation.odometry import PHYSICAL_WHEELS
from leader_election.simulation.parameters import GazeboOdometryParameters
from leader_election.swarm.fleet.receive_buffers import buffer_sizes
from leader_election.swarm.fleet.robot_list import format_robot_list
from leader_election.swarm.tracker import MonitorParameters

OTHERS = arguments.SWARM_ARGUMENTS | {
    'headless': ('false', 'Whether to run without a display: no window is opened, and scans are '
                          'rendered without one.'),
    'gui': ('true', 'Whether to open the window of Gazebo; the simulation continues if it is '
                    'closed.'),
    'use_sim_time': ('', 'Whether all nodes use the time of Gazebo.'
                         + arguments.EMPTY.format('true')),
}


def declarations() -> list[DeclareLaunchArgument]:
    """Return all arguments; those that set parameters are derived from their declarations."""
    return arguments.declare_arguments(
        arguments.arguments_with_defaults(
            p for p in table(GazeboParameters) if p.name != 'seed')
        | arguments.optional_arguments(arguments.select_parameters(
            (GazeboParameters, ElectionParameters), ('seed', *arguments.ELECTION_ARGUMENTS)))
        | arguments.arguments_with_defaults([robot_processes.MOTION]) | OTHERS)


@processes.ends_on_error
def swarm(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the processes; all arguments are checked before anything starts."""
    settings = context.launch_configurations
    arguments.check_argument_names(sys.argv, __file__, [each.name for each in declarations()])
    gazebo_processes.check_gazebo_installed()
    parameters = build(GazeboParameters, arguments.given_values(settings, GazeboParameters))
    plan = plan_swarm(parameters)
    names = [robot.name for robot in plan.robots]
    robot_processes.check_scanner(settings, names, parameters.lidar)
    election = arguments.given_values(settings, ElectionParameters, arguments.ELECTION_ARGUMENTS)
    monitor = arguments.given_values(settings, MonitorParameters, arguments.ELECTION_ARGUMENTS)
    file = settings['params_file']
    arguments.check_parameters(file, {
        f'/{name}/{robot_processes.NODE_NAME}': ElectionParameters for name in names}, election)
    arguments.check_parameters(file, {'/monitor': MonitorParameters}, monitor)
    arguments.check_parameters(file, {'/wander': WanderParameters}, {})
    arguments.check_parameters(file, {'/gazebo_odometry': GazeboOdometryParameters}, plan.odometry)
    sim_time = arguments.sim_time(settings, True)
    defaults = {'use_sim_time': sim_time, 'seed': parameters.seed}
    headless = arguments.parse_bool(settings, 'headless')
    share = arguments.ROBOTS_PER_PROCESS.parse(settings[arguments.ROBOTS_PER_PROCESS.name])
    motion = robot_processes.wander_nodes(settings, names, plan.wander, defaults)
    window = arguments.parse_bool(settings, 'gui') and not headless
    watching = processes.observers(settings, monitor, sim_time)
    arguments.LOG_LEVEL.parse(settings['log_level'])
    gazebo_processes.warn_of_buffers(len(names), buffer_sizes())
    files = write_files(plan, processes.run_folder())
    swarm_parameters: dict[str, Any] = {'roster': format_robot_list(plan.robots)}
    if not parameters.odometry_drift:
        swarm_parameters |= arguments.noise_of_odometry(file, election, PHYSICAL_WHEELS)
    ids = tuple(robot.id for robot in plan.robots)
    return [
        # A user's world file may name models beside it.
        *([] if plan.arena else [AppendEnvironmentVariable(
            'GZ_SIM_RESOURCE_PATH', str(Path(parameters.world).resolve().parent))]),
        *gazebo_processes.gazebo_server(files['world'], headless),
        *([gazebo_processes.gazebo_window()] if window else []),
        gazebo_processes.gazebo_bridge(settings, files['clock'], 'clock_bridge', sim_time),
        *gazebo_processes.after_the_clock(settings, [
            gazebo_processes.gazebo_bridge(settings, files['bridge'], 'gazebo_bridge', sim_time)]),
        *gazebo_processes.robot_odometry(settings, 'gazebo_odometry', plan.odometry, sim_time),
        *processes.fleet_nodes(settings, (ids[i:i + share] for i in range(0, len(ids), share)),
                               swarm_parameters | election, defaults),
        *motion,
        *watching,
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe ``ros2 launch leader_election gazebo.launch.py``."""
    return LaunchDescription([*declarations(), OpaqueFunction(function=swarm)])
