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
The executable ``fleet``: hosts the nodes of many simulated robots in one process.

One executor serves all nodes, so that a large swarm runs on one machine. Executable and node are
called ``fleet``. The room ``leader_election.swarm.fleet`` holds lists of robots and the fleet file
of physical robots, each of which runs in a process of its own.
"""

from itertools import islice
import sys

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import format_ids
from leader_election.ros.nodes.declare import Declared, overrides, refuse_unknown
from leader_election.ros.nodes.election import announcements, CHANGES, ElectionNode
from leader_election.ros.nodes.process import run
from leader_election.simulation.scene import make_scene
from leader_election.swarm.fleet import robot_list
from rclpy.logging import LoggingSeverity
from rclpy.node import Node
from rclpy.utilities import remove_ros_args


class RobotHost(Node):
    """
    Creates the nodes of the robots that the process hosts, and holds the common parameters.

    :ivar parameters: of this node.
    :ivar robots: the nodes of the robots.
    """

    def __init__(self, arguments: list[str]) -> None:
        """
        Declare the parameters and create all nodes.

        :param arguments: of the process. Robots get the ROS arguments among them, too.
        :raises ParameterError: for a wrong parameter, of this node or of a robot's.
        """
        super().__init__('fleet')
        refuse_unknown(self, robot_list.RobotHostParameters, ElectionParameters, of_robot=True)
        self.parameters = Declared(self, robot_list.RobotHostParameters).values
        roster = self.parameters.roster
        listed = robot_list.parse_robot_list(
            roster, 'roster') if roster else robot_list.scene_robots(make_scene(self.parameters))
        known = {robot.id: robot for robot in listed}
        members = robot_list.parse_ids(self.parameters.members, tuple(known))
        self._roster = format_ids(known)
        shared = _shared_arguments(arguments)
        self.robots = [self._robot(known[robot], shared) for robot in members]

    def _robot(self, robot: robot_list.RobotSpec, shared: list[str]) -> ElectionNode:
        """
        Create a robot's node in a namespace of its own.

        All robots share one topic ``neighbourhood``. With radio relay they publish on it, and the
        world forwards messages to the topic ``heard`` of each robot within range.
        """
        space = self.get_namespace().rstrip('/')
        # Its own parameter of this name has ids. That of this process has names and poses.
        own = {'robot_id': robot.id, 'initial_pose': list(robot.pose), 'roster': self._roster}
        if self.parameters.radio == 'relay':
            own['send_topic'] = f'{space}/neighbourhood'
            remaps = ['-r', f'neighbourhood:={space}/{robot.name}/heard']
        else:
            remaps = ['-r', f'neighbourhood:={space}/neighbourhood']
        topics = {'odom': self.parameters.odom_topic,
                  'measurements': self.parameters.measurements_topic}
        for name, topic in topics.items():
            if topic != name:
                remaps += ['-r', f'{name}:={topic.replace("{id}", str(robot.id))}']
        node = ElectionNode(
            use_global_arguments=False, namespace=f'{space}/{robot.name}',
            cli_args=['--ros-args', *shared, *remaps], parameter_overrides=overrides(own),
            defaults={'strength': robot_list.strength(self.parameters.seed, robot.id)},
            others=(robot_list.RobotHostParameters,))
        # Those of many robots would bury what else the process says.
        node.get_logger().get_child(CHANGES).set_level(LoggingSeverity.WARN)
        return node


_NODE_REMAPS = ('__ns:=', '__node:=', '__name:=')


def _shared_arguments(arguments: list[str]) -> list[str]:
    """
    Return the ROS arguments that also apply to the robots: all except name and namespace.

    >>> _shared_arguments(['fleet', '--ros-args', '-r', '__ns:=/a', '-p', 'radius:=3.0', '--'])
    ['-p', 'radius:=3.0']
    """
    plain = remove_ros_args(arguments)
    ros = [a for a in arguments if a not in plain and a not in ('--ros-args', '--')]
    kept: list[str] = []
    words = iter(ros)
    for word in words:
        taken = [word, *islice(words, int(word in ('-r', '--remap')))]
        if not taken[-1].startswith(_NODE_REMAPS):
            kept += taken
    return kept


def main() -> int:
    """Run the nodes of many robots until a signal, and return the exit status."""
    def make() -> list[Node]:
        host = RobotHost(sys.argv)
        for line in announcements(robot.election for robot in host.robots):
            host.get_logger().info(line)
        return [host, *host.robots]

    return run(make)
