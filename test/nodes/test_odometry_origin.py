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

"""Where a robot's odometry starts, asked of its node."""

from leader_election.nodes.clock import steady_clock
from leader_election.nodes.odometry_origin import MOST, Origin, PATIENCE
from leader_election.robot.pose import position
from rcl_interfaces.srv import GetParameters
import rclpy
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.time import Time
from support import spin_until

SAID = (('robot_id', 7), ('frame', 'hall'), ('initial_pose', [1.0, 2.0, 0.0]))


class Forgetful(Node):
    """
    Answers as a robot's node does, but the first times what nobody asked for.

    :ivar asked: how often it was.
    """

    def __init__(self, silent: int) -> None:
        super().__init__('election_node', namespace='r7', start_parameter_services=False)
        self.asked, self._silent = 0, silent
        self.create_service(GetParameters, '/r7/election_node/get_parameters', self._answer)

    def _answer(self, request: GetParameters.Request, response: GetParameters.Response,
                ) -> GetParameters.Response:
        self.asked += 1
        if self.asked > self._silent:
            response.values = [
                Parameter(name, value=value).get_parameter_value() for name, value in SAID]
        return response


def test_it_asks_until_it_is_told(ros: None) -> None:
    node, robot = rclpy.create_node('asker'), Forgetful(2)
    origin = Origin(node, steady_clock(node), 'r7/')
    node.create_timer(0.05, origin.ask)
    spin_until([node, robot], lambda: origin.id is not None)
    assert (origin.id, origin.frame) == (7, 'hall') and robot.asked >= 3
    assert origin.pose is not None and position(origin.pose) == (1.0, 2.0)
    for each in (node, robot):
        each.destroy_node()


def test_a_request_that_is_never_answered_is_made_again(ros: None) -> None:
    """Its robot is there, and gone before it has answered; another one comes in its place."""
    node, robot = rclpy.create_node('asker'), Forgetful(0)
    origin = Origin(node, steady_clock(node), 'r7/')
    spin_until([node], lambda: origin.ask() or bool(origin._asked))
    robot.destroy_node()
    robot = Forgetful(0)
    node.create_timer(0.05, origin.ask)
    spin_until([node, robot], lambda: origin.id == 7)
    for each in (node, robot):
        each.destroy_node()


class Hasty(Clock):
    """Goes on by more than patience at each look, as fast simulated time does."""

    _seconds = 0.0

    def now(self) -> Time:
        self._seconds += 2.0 * PATIENCE
        return Time(seconds=self._seconds)


def test_an_answer_counts_however_fast_time_goes(ros: None) -> None:
    node, robot = rclpy.create_node('asker'), Forgetful(0)
    origin = Origin(node, Hasty(), 'r7/')
    # The robot is busy meanwhile.
    spin_until([node], lambda: origin.ask() or len(origin._asked) > 2)
    spin_until([node, robot], lambda: origin.ask() or origin.id == 7)
    assert origin._asked == []
    for each in (node, robot):
        each.destroy_node()


def test_not_all_requests_are_kept(ros: None) -> None:
    node, robot = rclpy.create_node('asker'), Forgetful(0)
    origin = Origin(node, Hasty(), 'r7/')
    spin_until([node], lambda: origin.ask() or bool(origin._asked))
    first = origin._asked[0]
    for _ in range(MOST + 5):
        origin.ask()
    assert len(origin._asked) == MOST and first not in origin._asked
    for each in (node, robot):
        each.destroy_node()
