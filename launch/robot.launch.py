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
One robot of a physical swarm: its election node, and optionally a node that drives it.

Identity and settings come from the fleet file, by the robot's name or hostname, or from arguments.
Arguments take precedence over the fleet file, and this over a parameter file.
"""

import socket
import sys

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.tasks.goals import WanderParameters
from leader_election.parameters import Parameter, ParameterError
from leader_election.ros.launching import arguments, processes, robot_processes
from leader_election.simulation.scene import load_arena
from leader_election.swarm.fleet.transports import LinkParameters

MOTION = Parameter(
    'motion', str, 'none', 'Whether node wander drives the robot at random, past obstacles that '
    'its laser scanner detects; not together with tasks that drive.',
    choices=lambda: ('none', 'wander'))
IN_FILE = ' Empty: as in the fleet file, or {}.'
EMPTY = arguments.EMPTY
OTHERS = {
    'fleet_file': ('', 'The YAML file of all robots, for example a copy of config/robots.yaml. '
                       'Empty: none.'),
    'robot': ('', 'The name of this robot in the fleet file. Empty: the robot with the hostname '
                  'of this computer.'),
    'namespace': ('', 'The namespace of this robot; / if its driver has none. Empty: its name in '
                      'the fleet file, or robot_ and its id.'),
    'neighbourhood': ('', 'The topic on which all robots of the swarm exchange messages; a '
                          'relative one is in the parent namespace of the robot.'
                      + IN_FILE.format('/neighbourhood')),
    'odom_topic': ('', 'The topic of the odometry.' + IN_FILE.format('odom')),
    'scan_topic': ('', 'The topic of the laser scanner, for tasks and nodes that drive.'
                   + IN_FILE.format('scan')),
    'cmd_vel_topic': ('', 'The topic of velocity commands.' + IN_FILE.format('cmd_vel')),
    'tf_topic': ('', 'The topic of transforms, for pose_source tf; static transforms are on the '
                     'topic of that name with suffix _static.' + IN_FILE.format('/tf')),
    'pose_topic': ('', 'The topic of poses, for pose_source pose.' + IN_FILE.format('pose')),
    **{f'{source}_topic': ('', f'The topic of {what}, with sighting_sources: {source}.'
                           + IN_FILE.format(source)) for source, what in (
        ('measurements', 'measurements of neighbours'), ('detections', 'detections'),
        ('tags', 'the transforms of a tag detector'))},
    'required': ('true', 'Whether the end of a node ends the whole launch, with its status; not '
                         'with respawn.'),
    'respawn': ('false', 'Whether a node that has ended is started again.'),
    **arguments.arguments_with_defaults([robot_processes.RESPAWN_DELAY]),
    'link': ('', 'Whether node link carries the messages to robots in other ROS domains; or its '
                 'parameters, as {kind: udp, port: 7447}.' + IN_FILE.format('false')),
    'managed': ('false', 'Whether the node is a managed node, with the life cycle of ROS 2.'),
    'autostart': ('', 'Whether a managed node is configured and activated at its start.'
                      + EMPTY.format('true')),
    MOTION.name: (MOTION.default, f'{MOTION.description} Takes {MOTION.allowed()}.'),
    'arena': ('', 'For motion wander without a laser scanner: the walls, as a YAML file.'),
    'use_sim_time': ('', 'Whether to use the time of /clock.' + EMPTY.format('false')),
    **arguments.COMMON_ARGUMENTS,
}


def declarations() -> list[DeclareLaunchArgument]:
    """Return all arguments; those that set parameters are derived from their declarations."""
    return arguments.declare_arguments({
        p.name: ('', f'{p.description} Takes {p.allowed()}. Empty: as in the files, or '
                     + ('10.' if p.name == 'odometry_timeout' else 'the default.'))
        for p in arguments.select_parameters(
            (ElectionParameters,), robot_processes.NODE_ARGUMENTS)} | OTHERS)


def check_arena(arena: str) -> None:
    """Check argument ``arena``: the name of a world, or the path of its file."""
    try:
        load_arena(arena)
    except ParameterError as error:
        raise error.named('arena') from None


@processes.ends_on_error
def nodes(context: LaunchContext) -> list[Node]:
    """Return the processes; all arguments are checked before anything starts."""
    settings = context.launch_configurations
    arguments.check_argument_names(sys.argv, __file__, [each.name for each in declarations()])
    robot = robot_processes.robot_launch(settings, socket.gethostname())
    sim_time = arguments.sim_time(settings, False)
    defaults = {'use_sim_time': sim_time}
    here = settings | {'namespace': robot.namespace}
    managed = arguments.parse_bool(settings, 'managed')
    autostart = {'autostart': arguments.parse_bool(settings, 'autostart')
                 } if settings['autostart'] else {}
    wander = MOTION.parse(settings[MOTION.name]) == 'wander'
    space = arguments.full_namespace(settings, robot.namespace).rstrip('/')
    arguments.check_parameters(
        settings['params_file'], {f'{space}/{robot_processes.NODE_NAME}': ElectionParameters},
        robot.parameters)
    if wander:
        arguments.check_parameters(
            settings['params_file'], {f'{space}/wander': WanderParameters}, robot.driving)
    arena = {'world': settings['arena']} if settings['arena'] else {}
    if arena:
        check_arena(settings['arena'])
    # Left alone, a robot would drive on without election.
    driving = [processes.package_node(here, 'wander', 'wander',
                                      robot.driving | arena, defaults,
                                      remappings=robot.remappings,
                                      **robot_processes.at_its_end(settings))
               ] if wander else []
    link, outgoing, length = [], {}, {}
    if robot.link is not None:
        node = f'{space}/link'
        arguments.check_parameters(settings['params_file'], {node: LinkParameters}, robot.link)
        link = [processes.package_node(here, 'link', 'link', robot.link, {},
                                       remappings=robot.remappings,
                                       **robot_processes.at_its_end(settings))]
        outgoing = {'send_topic': 'outgoing'}
        length = {'message_length': robot_processes.message_length(
            settings['params_file'], node, robot.link)}
    return [
        *link,
        processes.package_node(
            here, 'managed_election_node' if managed else 'election_node',
            robot_processes.NODE_NAME,
            robot.parameters | outgoing | (autostart if managed else {}),
            defaults | length | {'odometry_timeout': robot_processes.ODOMETRY_TIMEOUT},
            remappings=robot.remappings, **robot_processes.at_its_end(settings, driving)),
        *driving,
        # It shows the whole swarm.
        *processes.rviz_nodes(settings | {'namespace': robot_processes.swarm_namespace(space)},
                              sim_time),
    ]


def generate_launch_description() -> LaunchDescription:
    """Describe ``ros2 launch leader_election robot.launch.py fleet_file:=...``."""
    return LaunchDescription([*declarations(), OpaqueFunction(function=nodes)])
