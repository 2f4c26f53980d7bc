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
The executable ``await_clock``: ends when simulated time advances.

Launch files run it before processes that need a running simulator: a bridge that is started
while Gazebo Sim still loads a world with many topics misses some of them.
"""

import math
import sys

from leader_election.parameters.command_line import CommandLineParser, ExitStatus, number
from leader_election.ros.nodes.process import run
from leader_election.ros.nodes.waiting import BUFFERS, Missing
import rclpy
from rclpy.node import Node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rclpy.utilities import remove_ros_args
from rosgraph_msgs.msg import Clock


class ClockWatch(Node):
    """
    Waits until simulated time has advanced.

    :ivar over: whether it has.
    """

    def __init__(self, seconds: float) -> None:
        """
        Subscribe.

        :param seconds: the simulated time to wait for [s].
        """
        # By a steady clock: with simulated time, its standstill would be reported twice.
        super().__init__('await_clock', parameter_overrides=[
            rclpy.parameter.Parameter('use_sim_time', value=False)])
        self.over = False
        self._seconds = seconds
        self._first: float | None = None
        self._topic = self.create_subscription(
            Clock, '/clock', self._take,
            QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT))

    def _take(self, message: Clock) -> None:
        now = message.clock.sec + message.clock.nanosec * 1e-9
        self._first = now if self._first is None else min(self._first, now)
        self.over = now - self._first >= self._seconds

    def missing(self) -> list[Missing]:
        """Return what it waits for."""
        why = ('time stands still; let the simulator run' if self._first is not None else
               'the simulator may still load its world; if not, see whether its process and the '
               f'bridge of the clock run; {BUFFERS}')
        return [Missing('simulated time', '/clock', why)]


def main() -> int:
    """Wait for simulated time; return the exit status: 130 if stopped before."""
    parser = CommandLineParser(
        prog='leader_election await_clock',
        description='End with status 0 when simulated time passes, and warn while it does not.')
    parser.add_argument('--seconds', default=0.5, metavar='S',
                        type=number(lambda value: 0.0 <= value < math.inf, '0 or more seconds'),
                        help='how much simulated time has to pass (default: 0.5)')
    options = parser.parse_args(remove_ros_args(sys.argv)[1:])
    return run(lambda: [ClockWatch(options.seconds)], stopped=ExitStatus.INTERRUPTED)
