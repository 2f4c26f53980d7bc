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

"""The pose of a robot's odometry frame, requested from its node."""

from itertools import count
import os
from pathlib import Path
import subprocess
import sys

from leader_election.election.robot.reception import ROUNDS
from leader_election.localisation.poses import position
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.clock import steady_clock
from leader_election.ros.nodes.localisation_topics import (
    MOST_PENDING,
    ParameterOrigin,
    RETRY_AFTER,
)
from leader_election.ros.nodes.qos import SENSOR
from nav_msgs.msg import Odometry
import pytest
from rcl_interfaces.srv import GetParameters
import rclpy
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time
from ros.nodes.bench import Bench, robot
from rosgraph_msgs.msg import Clock as ClockMessage
from support import spin_until

pytestmark = pytest.mark.usefixtures('ros')

VALUES = (('robot_id', 7), ('frame', 'hall'), ('initial_pose', [1.0, 2.0, 0.0]))


class Silent(Node):
    """
    Answers as a robot's node does, but the first times without values.

    :ivar requests: how many it has received.
    """

    def __init__(self, silent: int) -> None:
        super().__init__('election_node', namespace='r7', start_parameter_services=False)
        self.requests, self._silent = 0, silent
        self.create_service(GetParameters, '/r7/election_node/get_parameters', self._answer)

    def _answer(self, request: GetParameters.Request, response: GetParameters.Response,
                ) -> GetParameters.Response:
        self.requests += 1
        if self.requests > self._silent:
            response.values = [
                Parameter(name, value=value).get_parameter_value() for name, value in VALUES]
        return response


def test_request_is_repeated_until_answered() -> None:
    node, robot = rclpy.create_node('asker'), Silent(2)
    origin = ParameterOrigin(node, steady_clock(node), 'r7/')
    node.create_timer(0.05, origin.ask)
    spin_until([node, robot], lambda: origin.id is not None)
    assert (origin.id, origin.frame) == (7, 'hall') and robot.requests >= 3
    assert origin.pose is not None and position(origin.pose) == (1.0, 2.0)
    for each in (node, robot):
        each.destroy_node()


class FastClock(Clock):
    """Advances by more than the time of a retry at each call, as fast simulated time does."""

    _seconds = 0.0

    def now(self) -> Time:
        self._seconds += 2.0 * RETRY_AFTER
        return Time(seconds=self._seconds)


def test_late_answer_counts_in_fast_simulated_time() -> None:
    node, robot = rclpy.create_node('asker'), Silent(0)
    origin = ParameterOrigin(node, FastClock(), 'r7/')
    # The robot is busy meanwhile.
    spin_until([node], lambda: origin.ask() or len(origin._pending) > 2)
    spin_until([node, robot], lambda: origin.ask() or origin.id == 7)
    assert origin._pending == []
    for each in (node, robot):
        each.destroy_node()


def test_pending_requests_are_limited() -> None:
    node, robot = rclpy.create_node('asker'), Silent(0)
    origin = ParameterOrigin(node, FastClock(), 'r7/')
    spin_until([node], lambda: origin.ask() or bool(origin._pending))
    first = origin._pending[0]
    for _ in range(MOST_PENDING + 5):
        origin.ask()
    assert len(origin._pending) == MOST_PENDING and first not in origin._pending
    for each in (node, robot):
        each.destroy_node()


# A robot whose odometry stays away from the start.

TIMEOUT = 0.5
REASON = ('parameter odometry_timeout: no odometry on /alice/wheels within 0.5 s; start the '
          'driver, or remap odom to its topic (ros2 topic info -v /alice/wheels, ros2 topic list '
          '-t)')


def test_missing_odometry_ends_with_one_line_and_status_2(tmp_path: Path) -> None:
    """The log file also has the reason."""
    ran = subprocess.run(
        [sys.executable, '-m', 'leader_election', 'election_node', '--ros-args', '-r',
         '__ns:=/alice', '-r', 'odom:=wheels', '-p', 'robot_id:=1', '-p',
         f'odometry_timeout:={TIMEOUT}'], capture_output=True, text=True, timeout=60.0,
        env=os.environ | {'ROS_LOG_DIR': str(tmp_path)})
    lines = ran.stderr.splitlines()
    assert (ran.returncode, ran.stdout, lines[-1]) == (2, '', f'error: {REASON}')
    assert not any(line.startswith('error') for line in lines[:-1])
    (log,) = tmp_path.iterdir()
    assert f'[alice.election_node]: {REASON}' in log.read_text()


def lives(**parameters: object) -> None:
    """Hold that a robot goes on past its timeout."""
    one = robot(1, odometry_timeout=0.2, **parameters)
    # Rounds come ten a second.
    spin_until([*([Bench({1: (0.0, 0.0)})] if not parameters else []), one],
               lambda: one.robot.counts[ROUNDS] > 6 or one.failure is not None)
    if one.failure is not None:
        raise one.failure


def test_node_continues_after_the_timeout_with_odometry() -> None:
    lives()


def test_timeout_begins_with_simulated_time() -> None:
    """Time begins at 500 s, and odometry comes shortly before the timeout."""
    one = robot(1, odometry_timeout=1.0, use_sim_time=True)
    feeder = Bench({}, name='feeder')
    clock = feeder.create_publisher(ClockMessage, '/clock', SENSOR)
    odometry = feeder.create_publisher(Odometry, '/r1/odom', SENSOR)
    times = count()

    def tick() -> None:
        tenths = next(times)
        message = ClockMessage()
        message.clock.sec, message.clock.nanosec = 500 + tenths // 10, tenths % 10 * 10**8
        clock.publish(message)
        if tenths > 7:
            odometry.publish(Odometry())

    spin_until([feeder, one], lambda: feeder.count_subscribers('/clock') > 0)
    feeder.create_timer(0.05, tick)
    spin_until([feeder, one], lambda: one.failure is not None or (
        one.robot.counts[ROUNDS] > 0 and one.robot.sensing.odometry_age(0.0) is not None))
    assert one.failure is None


def test_node_continues_after_the_timeout_when_it_needs_no_position() -> None:
    lives(metric='hops', communication_range=float('inf'))


def test_node_ends_after_the_timeout_without_odometry() -> None:
    with pytest.raises(ParameterError, match='no odometry on /r1/odom within 0.2 s'):
        lives(metric='hops')
