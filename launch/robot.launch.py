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

"""One robot of a physical swarm: its node, which hears its odometry and the others."""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare
from leader_election.parameters import table
from leader_election.robot.parameters import ElectionParameters
import yaml

PACKAGE = 'leader_election'
RVIZ = PathJoinSubstitution([FindPackageShare(PACKAGE), 'config', 'swarm.rviz'])
OF_THE_NODE = ('robot_id', 'initial_pose', 'tasks')
OTHERS = {
    'namespace': ('', 'The namespace of this robot. Empty: robot_ and its id.'),
    'neighbourhood': ('/neighbourhood', 'The topic that all robots of the swarm talk on.'),
    'odom_topic': ('odom', 'The topic of the odometry.'),
    'scan_topic': ('scan', 'The topic of the laser scanner, for tasks that drive.'),
    'cmd_vel_topic': ('cmd_vel', 'The topic that tasks drive the robot by.'),
    'params_file': ('', 'A file of parameters, for example a copy of config/election.yaml; what '
                        'is given here goes before it. Empty: none.'),
    'use_sim_time': ('false', 'Whether to go by /clock.'),
    'log_level': ('info', 'The least that is logged: debug, info, warn, error or fatal.'),
    'rviz': ('false', 'Whether to start RViz; the package rviz2 has to be installed.'),
}


def arguments() -> list[DeclareLaunchArgument]:
    """Return all arguments; those of the node are described by the node's own declarations."""
    declared = [p for p in table(ElectionParameters) if p.name in OF_THE_NODE]
    return [
        *(DeclareLaunchArgument(
            p.name, default_value=None if p.required else '',
            description=f'{p.description} Takes {p.allowed()}.') for p in declared),
        *(DeclareLaunchArgument(name, default_value=default, description=description)
          for name, (default, description) in OTHERS.items())]


def nodes(context: LaunchContext) -> list[Node]:
    """Return the nodes that the arguments ask for."""
    settings = context.launch_configurations
    given = {p.name: p.check(yaml.safe_load(settings[p.name]))
             for p in table(ElectionParameters) if settings.get(p.name)}
    sim_time = {'use_sim_time': yaml.safe_load(settings['use_sim_time'])}
    files = [settings['params_file']] if settings['params_file'] else []
    return [
        Node(
            package=PACKAGE, executable='election_node',
            namespace=settings['namespace'] or f"robot_{given['robot_id']}",
            parameters=[*files, given | sim_time],
            remappings=[('neighbourhood', settings['neighbourhood']),
                        ('odom', settings['odom_topic']),
                        ('scan', settings['scan_topic']),
                        ('cmd_vel', settings['cmd_vel_topic'])],
            arguments=['--ros-args', '--log-level', settings['log_level']], output='screen'),
        Node(
            package='rviz2', executable='rviz2', parameters=[sim_time],
            arguments=['-d', RVIZ],
            condition=IfCondition(LaunchConfiguration('rviz'))),
    ]


def generate_launch_description() -> LaunchDescription:
    """Return what ``ros2 launch leader_election robot.launch.py robot_id:=...`` runs."""
    return LaunchDescription([*arguments(), OpaqueFunction(function=nodes)])
