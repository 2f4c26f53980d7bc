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

"""One robot added to a running swarm in Gazebo Sim: its model, its bridge and its node."""

import sys

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import build, table
from leader_election.ros.gazebo.plan import plan_spawn, SpawnParameters
from leader_election.ros.launching import (
    arguments,
    gazebo_processes,
    processes,
    robot_processes,
)
from leader_election.simulation.odometry import PHYSICAL_WHEELS
from leader_election.simulation.parameters import GazeboOdometryParameters
from leader_election.swarm.fleet.robot_list import format_robot_list

OTHERS = {name: arguments.COMMON_ARGUMENTS[name] for name in ('params_file', 'log_level')} | {
    'use_sim_time': ('', 'Whether to use the time of Gazebo.' + arguments.EMPTY.format('true')),
}


def declarations() -> list[DeclareLaunchArgument]:
    """Return all arguments; those that set parameters are derived from their declarations."""
    return arguments.declare_arguments(
        arguments.arguments_with_defaults(table(SpawnParameters))
        | arguments.optional_arguments(arguments.select_parameters(
            (ElectionParameters,), arguments.ELECTION_ARGUMENTS))
        | arguments.arguments_with_defaults([robot_processes.MOTION]) | OTHERS)


@processes.ends_on_error
def robot(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the processes; all arguments are checked before anything starts."""
    settings = context.launch_configurations
    arguments.check_argument_names(sys.argv, __file__, [each.name for each in declarations()])
    gazebo_processes.check_gazebo_installed()
    parameters = build(SpawnParameters, arguments.given_values(settings, SpawnParameters))
    plan = plan_spawn(parameters)
    [robot] = plan.robots
    robot_processes.check_scanner(settings, [robot.name], parameters.lidar)
    sim_time = arguments.sim_time(settings, True)
    defaults = {'use_sim_time': sim_time}
    motion = robot_processes.wander_nodes(settings, [robot.name], plan.wander, defaults)
    election = arguments.given_values(settings, ElectionParameters, arguments.ELECTION_ARGUMENTS)
    node = f'/{robot.name}/{robot_processes.NODE_NAME}'
    arguments.check_parameters(settings['params_file'], {node: ElectionParameters}, election)
    arguments.refuse_quorum(settings['params_file'], node)
    arguments.check_parameters(
        settings['params_file'], {f'/{robot.name}_odometry': GazeboOdometryParameters},
        plan.odometry)
    noise = {} if parameters.odometry_drift else arguments.noise_of_odometry(
        settings['params_file'], election, PHYSICAL_WHEELS)
    folder = processes.run_folder()
    folder.mkdir(parents=True, exist_ok=True)
    model, config = folder / f'{robot.name}.sdf', folder / f'{robot.name}_bridge.yaml'
    model.write_text(plan.sdf, encoding='utf-8')
    config.write_text(plan.bridge, encoding='utf-8')
    x, y, yaw = robot.pose
    return processes.start_after(
        gazebo_processes.spawn_model(
            settings, plan.world_name, robot.name, model, (x, y, parameters.z, yaw)), [
            gazebo_processes.gazebo_bridge(settings, config, f'{robot.name}_bridge', sim_time),
            *gazebo_processes.robot_odometry(
                settings, f'{robot.name}_odometry', plan.odometry, sim_time),
            *processes.fleet_nodes(settings, [(robot.id,)], {
                'roster': format_robot_list([robot]), **noise, **election}, defaults),
            *motion], 'the robot was not put into the world; see the message of create')


def generate_launch_description() -> LaunchDescription:
    """Describe ``ros2 launch leader_election spawn.launch.py id:=...``."""
    return LaunchDescription([*declarations(), OpaqueFunction(function=robot)])
