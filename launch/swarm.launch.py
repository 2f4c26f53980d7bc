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
A simulated swarm: the embedded world, the robots in a few processes, and the monitor.

Several computers may share a swarm: each hosts some of the robots, and one of them the world.
"""

import sys
from typing import Any

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from leader_election.election.algorithms.given import GIVEN
from leader_election.election.robot.parameters import ElectionParameters, prefix_of
from leader_election.parameters import build, table
from leader_election.parameters.parameter_files import effective_parameters, global_parameters
from leader_election.ros.launching import arguments, processes, robot_processes
from leader_election.simulation.odometry import noise_in_world
from leader_election.simulation.parameters import SceneParameters, WorldParameters
from leader_election.simulation.scene import make_scene
from leader_election.swarm.fleet.robot_list import parse_ids, RobotHostParameters
from leader_election.swarm.tracker import MonitorParameters

SCENE = ('robots', 'seed', 'world', 'logs', 'radio')
WORLD = ('motion', 'physics', 'scan_rate', 'reading_rate', 'ranging_rate', 'camera_rate',
         'real_time_factor')
ELECTION = (*arguments.ELECTION_ARGUMENTS, 'pose_source')
GIVEN_PREFIX = prefix_of(GIVEN)
NO_MEMBERS = 'none'
OTHERS = arguments.SWARM_ARGUMENTS | {
    'members': ('', 'The robots whose nodes run on this computer, where several share a swarm, '
                    f'for example 1-20,25, or {NO_MEMBERS}. Empty: all.'),
    'swarm_world': ('true', 'Whether the embedded world runs on this computer; of several that '
                            'share a swarm on exactly one.'),
    'use_sim_time': ('', 'Whether all nodes use the time of the world, which then publishes '
                         '/clock. real_time_factor needs it.' + arguments.EMPTY.format('false')),
    'params_file': ('', arguments.SWARM_ARGUMENTS['params_file'][1]
                    + ' Parameters of initial poses must be in section /**.'),
    'namespace': ('', 'The namespace of the whole swarm.'),
}


def declarations() -> list[DeclareLaunchArgument]:
    """Return all arguments; those that set parameters are derived from their declarations."""
    return arguments.declare_arguments(arguments.optional_arguments([
        *arguments.select_parameters(
            (WorldParameters, ElectionParameters), (*SCENE, *WORLD, *ELECTION)),
        *table(GIVEN.parameters, GIVEN_PREFIX)]) | OTHERS)


def range_in_file(in_file: dict[str, Any]) -> float | None:
    """
    Return the range of the radio in a parameter file; ``None`` without.

    :param in_file: the parameters of all nodes.
    :raises ParameterError: for a value that is not allowed.
    """
    for declared in (*table(WorldParameters), *table(ElectionParameters)):
        if declared.name in ('radio_range', 'communication_range') and declared.name in in_file:
            found: float = declared.check(in_file[declared.name])
            return found
    return None


@processes.ends_on_error
def nodes(context: LaunchContext) -> list[Any]:
    """Return the processes; all arguments are checked before anything starts."""
    settings = context.launch_configurations
    arguments.check_argument_names(sys.argv, __file__, [each.name for each in declarations()])
    in_file = global_parameters(settings['params_file'])
    scene = arguments.given_values(settings, SceneParameters, SCENE)
    election = arguments.given_values(settings, ElectionParameters, ELECTION) | (
        arguments.given_values(settings, GIVEN.parameters, prefix=GIVEN_PREFIX))
    world = scene | arguments.given_values(settings, WorldParameters, WORLD)
    sim_time = arguments.sim_time(settings, False)
    time = {'publish_clock': True} if sim_time else {}
    monitor = arguments.given_values(settings, MonitorParameters, arguments.ELECTION_ARGUMENTS)
    # The world's radio has the range that the robots assume.
    radio_range = election.get('communication_range', range_in_file(in_file))
    if radio_range is not None:
        world['radio_range'] = radio_range

    known = {p.name: in_file[p.name] for p in table(SceneParameters) if p.name in in_file} | scene
    ids = make_scene(build(SceneParameters, known)).ids
    ids = () if settings['members'] == NO_MEMBERS else parse_ids(settings['members'], ids)
    share = arguments.ROBOTS_PER_PROCESS.parse(settings[arguments.ROBOTS_PER_PROCESS.name])
    shares = [ids[i:i + share] for i in range(0, len(ids), share)]
    space = arguments.full_namespace(settings, settings['namespace']).rstrip('/')
    file = settings['params_file']
    arguments.check_parameters(file, {f'{space}/swarm_world': WorldParameters}, time | world)
    arguments.check_parameters(file, {
        f'{space}/fleet_{own[0]}': RobotHostParameters for own in shares}, scene)
    arguments.check_parameters(file, {
        f'{space}/robot_{robot}/{robot_processes.NODE_NAME}': ElectionParameters
        for robot in ids}, election)
    arguments.check_parameters(file, {f'{space}/monitor': MonitorParameters}, monitor)
    [of_world] = effective_parameters(file, [f'{space}/swarm_world'], time | world)
    noise = arguments.noise_of_odometry(file, election, noise_in_world(build(WorldParameters, {
        p.name: of_world[p.name] for p in table(WorldParameters) if p.name in of_world})))
    return [
        # The end of any process, for example after a wrong parameter, ends the launch.
        *([processes.package_node(settings, 'swarm_world', 'swarm_world', world, time,
                                  on_exit=processes.shut_down_with_status)]
          if arguments.parse_bool(settings, 'swarm_world') else []),
        *processes.fleet_nodes(
            settings, shares, scene | election | noise, {'use_sim_time': sim_time}),
        *processes.observers(settings, monitor, sim_time),
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe ``ros2 launch leader_election swarm.launch.py``."""
    return LaunchDescription([*declarations(), OpaqueFunction(function=nodes)])
