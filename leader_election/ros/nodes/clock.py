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

"""The clock of a node's timers and ages."""

from collections.abc import Callable
import time

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.timer import Timer

SHORTEST_TIMER = 1e-3
"""The shortest period of a timer [s]; zero is not a valid one."""


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


def restart(timer: Timer, period: float) -> None:
    """
    Start a timer anew, with another period.

    :param period: [s]; a shorter one than :data:`SHORTEST_TIMER` is prolonged to that.
    """
    timer.timer_period_ns = int(max(period, SHORTEST_TIMER) * 1e9)
    timer.reset()
