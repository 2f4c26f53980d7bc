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

"""Many robots' nodes in one process, on one executor: a simulated swarm that fits a machine."""

import sys

from leader_election.fleet.hosting import RobotHostParameters, roster_of, strength
from leader_election.fleet.robot_list import Entry, parse_ids
from leader_election.nodes.declare import Declared, overrides
from leader_election.nodes.election_node import ElectionNode
from leader_election.nodes.process import run
from rclpy.node import Node
from rclpy.utilities import remove_ros_args


class RobotHost(Node):
    """Makes the robots' nodes; after that it is only their parameters' holder."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__('fleet')
        self.parameters = Declared(self, RobotHostParameters).values
        self.executor_kind = self.parameters.executor
        known = {robot.id: robot for robot in roster_of(self.parameters)}
        members = parse_ids(self.parameters.members, tuple(known))
        shared = _for_members(arguments)
        self.robots = [self._robot(known[robot], shared) for robot in members]

    def _robot(self, robot: Entry, shared: list[str]) -> ElectionNode:
        """Make a robot's node in a namespace of its own, on the one neighbourhood topic."""
        space = self.get_namespace().rstrip('/')
        own = {'robot_id': robot.id, 'initial_pose': list(robot.pose),
               'strength': strength(self.parameters, robot.id)}
        odom = self.parameters.odom_topic.replace('{id}', str(robot.id))
        if self.parameters.radio == 'relay':
            own['send_topic'] = f'{space}/neighbourhood'
            remaps = ['-r', f'neighbourhood:={space}/{robot.name}/heard']
        else:
            remaps = ['-r', f'neighbourhood:={space}/neighbourhood']
        if odom != 'odom':
            remaps += ['-r', f'odom:={odom}']
        return ElectionNode(
            namespace=f'{space}/{robot.name}', use_global_arguments=False,
            cli_args=['--ros-args', *shared, *remaps],
            parameter_overrides=overrides(
                {name: value for name, value in own.items() if value is not None}))


_OF_ONE_NODE = ('__ns:=', '__node:=', '__name:=')


def _for_members(arguments: list[str]) -> list[str]:
    """
    Return the ROS arguments that the members share with the fleet: all but name and namespace.

    >>> _for_members(['fleet', '--ros-args', '-r', '__ns:=/a', '-p', 'radius:=3.0', '--', 'x'])
    ['-p', 'radius:=3.0']
    """
    plain = remove_ros_args(arguments)
    ros = [a for a in arguments if a not in plain and a not in ('--ros-args', '--')]
    kept: list[str] = []
    skip = False
    for i, argument in enumerate(ros):
        follows = ros[i + 1] if i + 1 < len(ros) else ''
        if skip:
            skip = False
        elif argument in ('-r', '--remap') and follows.startswith(_OF_ONE_NODE):
            skip = True
        else:
            kept.append(argument)
    return kept


def main() -> int:
    """Run many robots' nodes until they are stopped; return the exit status."""
    def make() -> list[Node]:
        fleet = RobotHost(sys.argv)
        return [fleet, *fleet.robots]

    return run(make)
