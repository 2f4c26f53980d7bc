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
from leader_election.ros.launching.arguments import (
    arguments_with_defaults,
    check_argument_names,
    COMMON_ARGUMENTS,
    declare_arguments,
    ELECTION_ARGUMENTS,
    given_values,
    optional_arguments,
    parse_bool,
    select_parameters,
)
from leader_election.ros.launching.checks import (
    check_parameters,
    noise_of_odometry,
    refuse_quorum,
)
from leader_election.ros.launching.gazebo import (
    check_gazebo_installed,
    gazebo_bridge,
    note,
    robot_odometry,
    spawn_model,
)
from leader_election.ros.launching.processes import (
    ends_on_error,
    fleet_nodes,
    run_folder,
    shut_down_with_status,
    start_after,
)
from leader_election.ros.launching.robot_processes import (
    check_scanner,
    MOTION,
    NODE_NAME,
    wander_nodes,
)
from leader_election.simulation.odometry import PHYSICAL_WHEELS
from leader_election.simulation.parameters import GazeboOdometryParameters
from leader_election.swarm.fleet.robot_list import format_robot_list

OTHERS = {name: COMMON_ARGUMENTS[name] for name in ('params_file', 'log_level')} | {
    'use_sim_time': ('true', 'Whether to use the time of Gazebo.'),
}


def arguments() -> list[DeclareLaunchArgument]:
    """Return all arguments; those that set parameters are derived from their declarations."""
    return declare_arguments(
        arguments_with_defaults(table(SpawnParameters))
        | optional_arguments(select_parameters((ElectionParameters,), ELECTION_ARGUMENTS))
        | arguments_with_defaults([MOTION]) | OTHERS)


@ends_on_error
def robot(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    """Return the processes; all arguments are checked before anything starts."""
    settings = context.launch_configurations
    check_argument_names(sys.argv, __file__, [each.name for each in arguments()])
    check_gazebo_installed('30')
    parameters = build(SpawnParameters, given_values(settings, SpawnParameters))
    plan = plan_spawn(parameters)
    [robot] = plan.robots
    check_scanner(settings, [robot.name], parameters.lidar)
    sim_time = parse_bool(settings, 'use_sim_time')
    motion = wander_nodes(settings, [robot.name], {
        **plan.wander, 'use_sim_time': sim_time}, on_exit=shut_down_with_status)
    election = given_values(settings, ElectionParameters, ELECTION_ARGUMENTS)
    check_parameters(settings['params_file'],
                     {f'/{robot.name}/{NODE_NAME}': ElectionParameters}, election)
    refuse_quorum(settings['params_file'], f'/{robot.name}/{NODE_NAME}')
    check_parameters(settings['params_file'],
                     {f'/{robot.name}_odometry': GazeboOdometryParameters}, plan.odometry)
    noise = {} if parameters.odometry_drift else noise_of_odometry(
        settings['params_file'], election, PHYSICAL_WHEELS)
    folder = run_folder()
    folder.mkdir(parents=True, exist_ok=True)
    model, config = folder / f'{robot.name}.sdf', folder / f'{robot.name}_bridge.yaml'
    model.write_text(plan.sdf)
    config.write_text(plan.bridge)
    x, y, yaw = robot.pose
    return note(plan.note) + start_after(
        spawn_model(settings, plan.world_name, robot.name, model, (x, y, plan.heights[0], yaw)), [
            gazebo_bridge(settings, config, f'{robot.name}_bridge', sim_time),
            *robot_odometry(settings, f'{robot.name}_odometry', plan.odometry, sim_time),
            *fleet_nodes(settings, [(robot.id,)], {
                'roster': format_robot_list([robot]), 'use_sim_time': sim_time, **noise,
                **election}),
            *motion], error_text='')


def generate_launch_description() -> LaunchDescription:
    """Describe ``ros2 launch leader_election spawn.launch.py id:=...``."""
    return LaunchDescription([*arguments(), OpaqueFunction(function=robot)])
