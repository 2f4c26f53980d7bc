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
The clock of a node's timers and ages. The executable ``await_clock``: waits for simulated time.

Launch files run it before processes that need a running simulator: a bridge that is started
while Gazebo Sim still loads a world with many topics misses some of them.
"""

from collections.abc import Callable
import sys
import time
from typing import Any

from leader_election.parameters import command_line
from leader_election.ros.nodes.process import BUFFERS, MissingInput, run
import rclpy
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import QoSProfile, QoSReliabilityPolicy
from rclpy.timer import Timer
from rclpy.utilities import remove_ros_args
from rosgraph_msgs.msg import Clock as ClockMessage

PASSING = 0.5
"""The simulated time after which its clock is not that of a paused simulator [s]."""
SHORT = 0.01
"""The shortest time of a :class:`LeaseClock` that it compares on both clocks [s]."""
SHORTEST_TIMER = 1e-3
"""The shortest period of a timer [s]. Zero is not a valid one."""


def steady_clock(node: Node) -> Clock:
    """
    Return the clock of a node's timers and ages.

    With ``use_sim_time`` it is the node's own. Without, it is a steady clock: an adjustment of
    the system's clock must neither silence a robot nor make it forget its neighbours.
    """
    # The type of the clock, since a node may use another node's clock.
    if getattr(node.get_clock(), 'ros_time_is_active', False):
        return node.get_clock()
    # One for each node: the events executor goes through all timers of a clock when one is set.
    return Clock(clock_type=ClockType.STEADY_TIME)


def seconds(clock: Clock) -> float:
    """Return the time on a clock [s], the unit of the rooms without ROS."""
    return reader(clock)()


def of_stamp(stamp: Any) -> float:
    """Return the time of a message's stamp [s]."""
    return float(stamp.sec) + float(stamp.nanosec) * 1e-9


def reader(clock: Clock) -> Callable[[], float]:
    """
    Return a function that reads a clock [s].

    A robot reads its clock for each message. For a steady clock this is ``time.monotonic``, which
    takes a tenth of the time.

    :param clock: of any kind.
    """
    if clock.clock_type == ClockType.STEADY_TIME:
        return time.monotonic
    return lambda: float(clock.now().nanoseconds) * 1e-9


class LeaseClock:
    """
    A clock for leases: it runs as fast as the faster of two clocks of the computer.

    CLOCK_BOOTTIME goes on while the computer sleeps, and NTP slews it, chrony by up to 8 %.
    CLOCK_MONOTONIC_RAW is slewed by nobody, and stops during sleep. A promise counts the slower.
    """

    def __init__(self) -> None:
        self._last = steady_clocks()
        self._fast = self._slow = 0.0

    def seconds(self) -> float:
        """Return the time since the clock was made [s]."""
        now = steady_clocks()
        passed = [after - before for after, before in zip(now, self._last)]
        if max(passed) < SHORT:
            # The two readings are not simultaneous, which would add up.
            return self._fast + max(0.0, *passed)
        self._fast += max(0.0, *passed)
        self._slow += max(0.0, min(passed))
        self._last = now
        return self._fast

    def lag(self) -> float:
        """Return the lag of the slower clock at the last reading [s]."""
        return self._fast - self._slow


def steady_clocks() -> tuple[float, float]:
    """Return the readings of the computer's two clocks [s]."""
    return (time.clock_gettime(time.CLOCK_BOOTTIME), time.clock_gettime(time.CLOCK_MONOTONIC_RAW))


def create_timer(node: Node, period: float, callback: Callable[[], None], clock: Clock) -> Timer:
    """
    Create a timer that calls back once a period.

    The events executor of rclpy 7.1 calls a due timer once for each time on ``/clock`` that
    arrives before the callback runs. Each call moves the next one by a period, so that a robot
    whose process was busy for a moment was silent for seconds. The calls that come early are
    taken back here.

    :param period: [s]. A shorter one than :data:`SHORTEST_TIMER` is prolonged to that.
    :param clock: of the timer.
    """
    def call() -> None:
        if timer.time_until_next_call() > timer.timer_period_ns:
            timer.reset()
        else:
            callback()

    timer = node.create_timer(max(period, SHORTEST_TIMER), call, clock=clock)
    return timer


def restart(timer: Timer, period: float) -> None:
    """
    Start a timer anew, with another period.

    :param period: [s]. A shorter one than :data:`SHORTEST_TIMER` is prolonged to that.
    """
    timer.timer_period_ns = int(max(period, SHORTEST_TIMER) * 1e9)
    timer.reset()


class ClockWatch(Node):
    """
    Waits until simulated time has advanced.

    :ivar over: whether it has.
    """

    def __init__(self) -> None:
        """Subscribe."""
        # By a steady clock: with simulated time, its standstill would be reported twice.
        super().__init__('await_clock', parameter_overrides=[
            rclpy.parameter.Parameter('use_sim_time', value=False)])
        self.over = False
        self._first: float | None = None
        self._topic = self.create_subscription(
            ClockMessage, '/clock', self._take,
            QoSProfile(depth=1, reliability=QoSReliabilityPolicy.BEST_EFFORT))

    def _take(self, message: ClockMessage) -> None:
        now = of_stamp(message.clock)
        self._first = now if self._first is None else min(self._first, now)
        self.over = now - self._first >= PASSING

    def missing(self) -> list[MissingInput]:
        """Return the missing clock."""
        why = ('time stands still; let the simulator run' if self._first is not None else
               'the simulator may still load its world; if not, see whether its process and the '
               f'bridge of the clock run; {BUFFERS}')
        return [MissingInput('simulated time', '/clock', why)]


def main() -> int:
    """Wait for simulated time, and return the exit status: 130 if stopped before."""
    parser = command_line.CommandLineParser(
        prog=command_line.how_to_run('await_clock'),
        description='End with status 0 when simulated time passes, and warn while it does not.')
    parser.parse_args(remove_ros_args(sys.argv)[1:])
    return run(lambda: [ClockWatch()], stopped=command_line.ExitStatus.INTERRUPTED)
