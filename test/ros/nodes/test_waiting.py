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

"""Warnings of what a process waits for in vain: after some looks, less and less often."""

import subprocess
import sys

from leader_election.ros.nodes.waiting import InputWatch, LONGEST, LOOKS, MissingInput, PERIOD
from rclpy.node import Node
from rclpy.parameter import Parameter
from rosgraph_msgs.msg import Clock
from support import spin_until


class Logger:
    def __init__(self) -> None:
        self.lines: list[str] = []

    def warning(self, line: str) -> None:
        self.lines.append(f'warning: {line}')

    def info(self, line: str) -> None:
        self.lines.append(f'info: {line}')


class Waiter(Node):
    """
    A node that waits for what it is told.

    :ivar lacks: what it waits for.
    """

    def __init__(self, name: str, sim_time: bool = False) -> None:
        super().__init__(name, parameter_overrides=[Parameter('use_sim_time', value=sim_time)])
        self.log = Logger()
        self.lacks: list[str] = []

    def get_logger(self) -> Logger:  # type: ignore[override]
        return self.log

    def missing(self) -> list[MissingInput]:
        return [MissingInput('odometry', topic, 'start the driver') for topic in self.lacks]


def looked(waiting: InputWatch, looks: int, begin: int = 0) -> None:
    for k in range(begin, begin + looks):
        waiting.look((k + 1) * PERIOD)


def test_missing_input_is_logged_at_growing_intervals(ros):
    first, second = Waiter('first'), Waiter('second')
    waiting = InputWatch([first, second], 0.0)
    first.lacks = ['/a/odom']
    looked(waiting, LOOKS - 1)
    first.lacks = []
    looked(waiting, 1, LOOKS - 1)
    first.lacks, second.lacks = ['/a/odom', '/b/odom', '/c/odom'], ['/d/odom']
    looked(waiting, LOOKS - 1, LOOKS)
    assert first.log.lines == [], 'it came in time'
    looked(waiting, 1, 2 * LOOKS - 1)
    assert first.log.lines == [
        'warning: waiting for odometry for 8 s: nothing comes on /a/odom, /b/odom, /c/odom and '
        '1 more topics; start the driver']
    assert LOOKS * PERIOD <= 10.0
    looked(waiting, 200, 2 * LOOKS)
    lines = 200 * PERIOD / LONGEST
    assert lines < len(first.log.lines) < lines + 6 and second.log.lines == []
    first.lacks = second.lacks = []
    looked(waiting, 2, 206)
    assert first.log.lines[-1] == 'info: no longer waiting for odometry'


def test_stopped_simulated_time_is_logged_before_missing_inputs(ros):
    node, clock = Waiter('node', sim_time=True), Node('simulator')
    topic = clock.create_publisher(Clock, '/clock', 10)
    waiting = InputWatch([node], 0.0)
    node.lacks = ['/odom']
    looked(waiting, LOOKS)
    (line,) = node.log.lines
    assert line.startswith('warning: waiting for time for 8 s: simulated time stands still at 0.0')
    assert 'use_sim_time' in line and 'net.core.rmem_default=4194304' in line

    def tick(seconds: int) -> None:
        message = Clock()
        message.clock.sec = seconds

        def ticked() -> bool:
            topic.publish(message)
            return node.get_clock().now().nanoseconds == seconds * 10**9
        spin_until([node, clock], ticked)

    tick(1)
    looked(waiting, 1, LOOKS)
    assert node.log.lines[1:] == ['info: no longer waiting for time']
    for k in range(2 * LOOKS):
        tick(2 + k)
        looked(waiting, 1, LOOKS + 1 + k)
    assert 'waiting for odometry' in node.log.lines[2]
    # A paused simulator is noticed, too.
    looked(waiting, LOOKS, 20)
    assert 'stands still at 7.0 s' in node.log.lines[-1]
    assert 'info: no longer waiting for odometry' not in node.log.lines, 'nothing is known of it'


# The executable ``await_clock``, as a process: it ends when simulated time passes.

def test_await_clock_ends_when_time_passes(ros):
    """A clock that stands still, as of a paused simulator, is not sufficient."""
    node = Node('simulator')
    topic = node.create_publisher(Clock, '/clock', 10)
    with subprocess.Popen([sys.executable, '-m', 'leader_election', 'await_clock',
                           '--seconds', '2', '--ros-args', '-r', '__node:=watch']) as process:
        ticks = passed = 0

        def tick() -> None:
            nonlocal ticks, passed
            ticks += topic.get_subscription_count()
            passed += ticks > 40
            message = Clock()
            message.clock.sec = 100 + passed
            topic.publish(message)

        try:
            node.create_timer(0.05, tick)
            spin_until([node], lambda: ticks > 40, 60.0)
            assert process.poll() is None
            spin_until([node], lambda: process.poll() is not None, 60.0)
            assert process.poll() == 0
        finally:
            process.kill()
