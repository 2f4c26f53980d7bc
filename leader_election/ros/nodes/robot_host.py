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
called ``fleet``; the room ``leader_election.swarm.fleet`` holds lists of robots and the fleet file
of physical robots, each of which runs in a process of its own.
"""

from itertools import islice
import sys
from typing import Any

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import ROUNDS
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.declare import Declared, overrides, refuse_unknown
from leader_election.ros.nodes.election_node import announcements, ElectionNode
from leader_election.ros.nodes.lean_election_node import LeanElectionNode, LEFT_OUT, SharedTopics
from leader_election.ros.nodes.process import run
from leader_election.swarm.fleet import hosting
from leader_election.swarm.fleet.robot_list import format_ids, parse_ids, RobotSpec
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.utilities import remove_ros_args

LOOK_PERIOD = 0.5
"""The time between two counts of electing robots at the start [s]."""
MOST_REACTIVE = 500
"""The most lean robots of a swarm whose schedule is reactive by default."""


class RobotHost(Node):
    """
    Creates the nodes of the robots that the process hosts, and holds the common parameters.

    :ivar parameters: of this node.
    :ivar robots: the nodes of the robots.
    """

    def __init__(self, arguments: list[str]) -> None:
        """
        Declare the parameters and create all nodes.

        :param arguments: of the process; robots get the ROS arguments among them, too.
        :raises ParameterError: for a wrong parameter, of this node or of a robot's.
        """
        super().__init__('fleet')
        refuse_unknown(self, hosting.RobotHostParameters, ElectionParameters, of_robot=True)
        self.parameters = Declared(self, hosting.RobotHostParameters).values
        self.executor_kind = self.parameters.executor
        known = {robot.id: robot for robot in hosting.swarm_robots(self.parameters)}
        if self.parameters.lean and self.parameters.odom_topic != 'odom':
            raise ParameterError('odom_topic', problem=f': {self.parameters.odom_topic!r} is not '
                                 'allowed with lean: the world sends the odometry of lean robots '
                                 'in bundles')
        members = parse_ids(self.parameters.members, tuple(known))
        self._roster = format_ids(tuple(known))
        shared = _shared_arguments(arguments)
        self._own_strengths: list[int] = []
        self._is_crowded = self.parameters.lean and len(known) > MOST_REACTIVE
        self._topics = (
            SharedTopics(self, self.parameters.radio == 'relay') if self.parameters.lean else None)
        self.robots: list[ElectionNode] = []
        for robot in members:
            self.robots.append(self._robot(known[robot], shared))
            self._tell(len(self.robots), len(members), hosting.CREATED)
        if self._topics is not None:
            self.get_logger().info(f'lean robots: they do without {LEFT_OUT}')
        if self._is_crowded:
            self.get_logger().info(
                f'more than {MOST_REACTIVE} lean robots: schedule is periodic unless it is set, '
                'since their reactions would take more than two processors')
        if len(members) >= hosting.LEAST:
            self._electing = 0
            self._look = self.create_timer(
                LOOK_PERIOD, self._count, clock=Clock(clock_type=ClockType.STEADY_TIME))
        if self._own_strengths:
            self.get_logger().info(
                f'strengths: {self.parameters.strengths} does not apply to robots '
                f'{format_ids(tuple(self._own_strengths))}, whose parameter strength is set')

    def _tell(self, done: int, total: int, phase: str) -> None:
        """Log the progress of the start of many robots."""
        if total >= hosting.LEAST and hosting.is_due(done, total):
            self.get_logger().info(hosting.progress_line(done, total, phase))

    def _count(self) -> None:
        """Count the robots that elect, until all do."""
        before, total = self._electing, len(self.robots)
        self._electing = sum(node.robot.counts[ROUNDS] > 0 and (
            node.robot.position is not None or not node.robot.sensing.positions_matter)
            for node in self.robots)
        if self._electing * 10 // total > before * 10 // total:
            self.get_logger().info(hosting.progress_line(self._electing, total, hosting.ELECTING))
        if self._electing == total:
            self.destroy_timer(self._look)

    def _robot(self, robot: RobotSpec, shared: list[str]) -> ElectionNode:
        """
        Create a robot's node in a namespace of its own.

        All robots share one topic ``neighbourhood``. With radio relay they publish on it, and the
        world forwards messages to the topic ``heard`` of each robot within range.
        """
        space = self.get_namespace().rstrip('/')
        # Its own parameter of this name has ids; that of this process has names and poses.
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
        chosen = hosting.strength(self.parameters, robot.id)
        defaults: dict[str, Any] = {} if chosen is None else {'strength': chosen}
        if self._is_crowded:
            defaults['schedule'] = 'periodic'
        given: dict[str, Any] = {
            'namespace': f'{space}/{robot.name}', 'cli_args': ['--ros-args', *shared, *remaps],
            'parameter_overrides': overrides(own),
            'defaults': defaults, 'others': (hosting.RobotHostParameters,)}
        node = (ElectionNode(use_global_arguments=False, **given) if self._topics is None
                else LeanElectionNode(self, self._topics, robot.id, **given))
        if chosen not in (None, node.election.parameters.strength):
            self._own_strengths.append(robot.id)
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
    """Run the nodes of many robots until a signal; return the exit status."""
    def make() -> list[Node]:
        host = RobotHost(sys.argv)
        for line in announcements(robot.election for robot in host.robots):
            host.get_logger().info(line)
        return [host, *host.robots]

    return run(make)
