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
One robot of a physical swarm: its node, which hears its odometry and the others.

Who it is, and what holds for it, it reads in the fleet file by its name or hostname, or it is
told here; what is told here goes before the fleet file, and that before a file of parameters.
"""

import socket
import sys

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch_ros.actions import Node
from leader_election.launching.arguments import check_known, COMMON, declare, named, read, switch
from leader_election.launching.processes import ours, passing_on, refusing, rviz
from leader_election.launching.robot import OF_THE_NODE, one_robot
from leader_election.parameters import Parameter
from leader_election.robot.parameters import ElectionParameters

MOTION = Parameter(
    'motion', str, 'none', 'Whether node wander drives the robot at random, past what its laser '
    'scanner shows; not together with tasks that drive.', choices=lambda: ('none', 'wander'))
IN_FILE = ' Empty: what the fleet file says, or {}.'
OTHERS = {
    'fleet_file': ('', 'The YAML file of all robots, for example a copy of config/robots.yaml. '
                       'Empty: none.'),
    'robot': ('', 'Which robot of the fleet file this is, by its name. Empty: the one with the '
                  'hostname of this computer.'),
    'namespace': ('', 'The namespace of this robot; / for none, where its driver has none. Empty: '
                      'its name in the fleet file, or robot_ and its id.'),
    'neighbourhood': ('', 'The topic that all robots of the swarm talk on.'
                      + IN_FILE.format('/neighbourhood')),
    'odom_topic': ('', 'The topic of the odometry.' + IN_FILE.format('odom')),
    'scan_topic': ('', 'The topic of the laser scanner, for what drives.'
                   + IN_FILE.format('scan')),
    'cmd_vel_topic': ('', 'The topic that the robot is driven by.' + IN_FILE.format('cmd_vel')),
    'tf_topic': ('', 'The topic of the transforms, for pose_source tf; those that never change '
                     'come on the one of that name with _static behind it.'
                 + IN_FILE.format('/tf')),
    'managed': ('false', 'Whether the node is a managed one, with the life cycle of ROS 2.'),
    'autostart': ('true', 'Whether a managed node goes to work by itself.'),
    MOTION.name: (MOTION.default, f'{MOTION.description} Takes {MOTION.allowed()}.'),
    'arena': ('', 'For motion wander without a laser scanner: the walls, as a YAML file.'),
    'use_sim_time': ('false', 'Whether to go by /clock.'),
    **COMMON,
}


def arguments() -> list[DeclareLaunchArgument]:
    """Return all arguments; those of the node are described by the node's own declarations."""
    return declare({
        p.name: ('', f'{p.description} Takes {p.allowed()}. Empty: what the files say, or '
                     + ('10.' if p.name == 'odometry_timeout' else 'the default.'))
        for p in named((ElectionParameters,), OF_THE_NODE)} | OTHERS)


@refusing
def nodes(context: LaunchContext) -> list[Node]:
    """Return the nodes that the arguments ask for."""
    settings = context.launch_configurations
    check_known(sys.argv, __file__, [each.name for each in arguments()])
    robot = one_robot(settings, socket.gethostname())
    sim_time = {'use_sim_time': switch(settings, 'use_sim_time')}
    here = settings | {'namespace': robot.namespace}
    managed = switch(settings, 'managed')
    life = {'autostart': switch(settings, 'autostart')} if managed else {}
    wander = read(MOTION, settings[MOTION.name]) == 'wander'
    return [
        ours(here, 'managed_election_node' if managed else 'election_node', 'election_node',
             robot.parameters | life | sim_time, remappings=robot.remappings,
             # Who drives on without the election, or a launch that ends well, would hide it.
             on_exit=passing_on),
        *([ours(here, 'wander', 'wander',
                robot.driving | {'world': settings['arena']} | sim_time,
                remappings=robot.remappings, on_exit=passing_on)] if wander else []),
        rviz(here, sim_time['use_sim_time']),
    ]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch leader_election robot.launch.py fleet_file:=...`` runs."""
    return LaunchDescription([*arguments(), OpaqueFunction(function=nodes)])
