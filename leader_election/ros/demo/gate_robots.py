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
Robots as in the executable ``fleet``, each with a node of a user that commands the gate.

A command takes a moment from its robot to the gate, as over a slow link; those on their way when
the process is stopped arrive after it goes on.
"""

from collections.abc import Iterable, Mapping
import sys

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.ros.demo.gate import COMMAND, DEPTH
from leader_election.ros.nodes import clock
from leader_election.ros.nodes.process import run
from leader_election.ros.nodes.robot_host import RobotHost
from rclpy.clock import Clock
from rclpy.clock_type import ClockType
from rclpy.node import Node
from rclpy.time import Time
from std_msgs.msg import Int64MultiArray

PERIOD, DELAY, TICK = 0.5, 0.7, 0.1
"""The times between two commands, of a command on its way, and between two looks [s]."""
EXPIRY = 3.0
"""``message_expiry``: the age from which on what a robot has published counts no more [s]."""


def may_command(main: Mapping[str, str], stamp: float, now: float) -> bool:
    """
    Return whether a robot may command the gate, as in the chapter 'Use the leader'.

    :param main: the values of ``leadership``.
    :param stamp: the time of that message [s].

    >>> leads = {'is_leader': 'true'}
    >>> may_command(leads, 10.0, 12.0), may_command(leads, 10.0, 13.5)
    (True, False)
    >>> acts = {**leads, 'acting': 'true', 'acting_until': '11.5'}
    >>> may_command(acts, 10.0, 11.0), may_command(acts, 10.0, 12.0)
    (True, False)
    """
    leads = main.get('is_leader') == 'true' and now - stamp < EXPIRY
    if 'acting' in main:
        leads = leads and main['acting'] == 'true' and now < float(main['acting_until'])
    return leads


class Operator(Node):
    """Commands the gate while its robot may."""

    def __init__(self, robot: int) -> None:
        """
        Subscribe to the robot's leadership.

        :param robot: its id.
        """
        super().__init__('operator', namespace=f'robot_{robot}', use_global_arguments=False)
        self._robot = robot
        self._last: tuple[float, dict[str, str]] = 0.0, {}
        self._next = 0.0
        self._waiting: list[tuple[float, Int64MultiArray]] = []
        self._publisher = self.create_publisher(Int64MultiArray, COMMAND, DEPTH)
        self.create_subscription(DiagnosticArray, 'leadership', self._take, 1)
        self.create_timer(TICK, self._look, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _take(self, message: DiagnosticArray) -> None:
        self._last = (Time.from_msg(message.header.stamp).nanoseconds * 1e-9,
                      {pair.key: pair.value for pair in message.status[0].values})

    def _look(self) -> None:
        now, (stamp, main) = clock.seconds(self.get_clock()), self._last
        if now >= self._next and may_command(main, stamp, now):
            self._next = now + PERIOD
            self._waiting.append((now + DELAY, Int64MultiArray(
                data=[self._robot, int(main.get('term') or 0), round(now * 1e9)])))
        for _, command in [each for each in self._waiting if each[0] <= now]:
            self._publisher.publish(command)
        self._waiting = [each for each in self._waiting if each[0] > now]


def nodes(arguments: list[str]) -> Iterable[Node]:
    """Yield the nodes of the robots, and one that commands the gate for each."""
    host = RobotHost(arguments)
    yield host
    for robot in host.robots:
        yield robot
        yield Operator(robot.election.parameters.robot_id)


if __name__ == '__main__':
    raise SystemExit(run(lambda: list(nodes(sys.argv))))
