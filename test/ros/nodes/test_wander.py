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

"""Robots that wander: by scans, by computed scans, and not at all."""

from collections.abc import Callable, Iterator
import math
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from leader_election.localisation.poses import position
from leader_election.ros.nodes.election import ElectionNode
from leader_election.ros.nodes.qos import SENSOR
from leader_election.ros.nodes.swarm_world import SwarmWorld
from leader_election.ros.nodes.wander import ParameterOrigin, WanderNode
from leader_election.simulation.motion import least_distance
from nav_msgs.msg import Odometry
import pytest
from rcl_interfaces.srv import GetParameters
import rclpy
from rclpy.node import Node
from rclpy.parameter import Parameter
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Bool
from support import spin_until


@pytest.fixture
def made(ros: None) -> Iterator[list[Node]]:
    """Return a list of nodes, which are taken down after the test."""
    nodes: list[Node] = []
    yield nodes
    for node in nodes:
        node.destroy_node()


class Body(Node):
    """
    A robot in namespace ``r1`` that stands in the open, whatever it is commanded.

    :ivar commands: those that it has received.
    :ivar sensors: the topics that it publishes, twenty times a second: ``odom``, ``scan``.
    """

    def __init__(self, kind: Any = Twist) -> None:
        super().__init__('body', namespace='r1')
        self.commands: list[Any] = []
        self.sensors = {'odom', 'scan'}
        self.create_subscription(kind, 'cmd_vel', self.commands.append, 10)
        self._odom = self.create_publisher(Odometry, 'odom', SENSOR)
        self._scan = self.create_publisher(LaserScan, 'scan', SENSOR)
        self.create_timer(0.05, self._sense)

    def _sense(self) -> None:
        odometry = Odometry()
        odometry.pose.pose.orientation.w = 1.0
        odometry.header.frame_id = 'odom'
        if 'odom' in self.sensors:
            self._odom.publish(odometry)
        if 'scan' in self.sensors:
            self._scan.publish(LaserScan(
                angle_increment=math.pi / 4, range_max=4.0, ranges=[math.inf] * 8))

    def moves(self) -> bool:
        """Return whether its last command is to move."""
        if not self.commands:
            return False
        twist = getattr(self.commands[-1], 'twist', self.commands[-1])
        return twist.linear.x != 0.0 or twist.angular.z != 0.0


def wanderer(**parameters: Any) -> WanderNode:
    return WanderNode(parameter_overrides=[
        Parameter(name, value=value) for name, value in parameters.items()])


@pytest.fixture
def world(made: list[Node]) -> Callable[..., SwarmWorld]:
    """Make an embedded world in which robots follow their commands."""
    def make(**parameters: Any) -> SwarmWorld:
        values = {'motion': 'cmd_vel', 'world': 'empty', **parameters}
        made.append(SwarmWorld(parameter_overrides=[
            Parameter(name, value=value) for name, value in values.items()]))
        return made[-1]
    return make


def gone(node: SwarmWorld) -> list[float]:
    """Return the distance of each robot from its start [m]."""
    return [math.dist(pose[:2], start[:2])
            for pose, start in zip(node.world.poses.tolist(), node.world.scene.starts)]


def test_wander_drives_robots_by_their_scans(made, world):
    swarm = world(robots=3, scan_rate=10.0)
    made.append(wanderer(robots='robot_1,robot_2,robot_3', seed=5))
    spin_until(made, lambda: min(gone(swarm)) > 0.5)
    assert least_distance(swarm.world.poses) >= 0.3


def test_wander_uses_arena_and_positions_without_scanners(made, world):
    """It drives two robots between two resting ones, which it knows only by messages."""
    swarm = world(robots=4, layout='grid', spacing=0.9)
    wander = wanderer(robots='robot_1,robot_2', world='empty', seed=5)
    made.append(wander)
    spin_until(made, lambda: all('no robot_' in robot.problem for robot in wander.robots))
    for number in swarm.world.scene.ids:
        made.append(ElectionNode(
            namespace=f'/robot_{number}', use_global_arguments=False,
            cli_args=['--ros-args', '-r', 'neighbourhood:=/neighbourhood'],
            parameter_overrides=[
                Parameter('robot_id', value=number),
                Parameter('initial_pose', value=list(swarm.world.scene.starts[number - 1]))]))
    spin_until(made, lambda: min(gone(swarm)[:2]) > 1.0)
    assert least_distance(swarm.world.poses) >= 0.3
    assert gone(swarm)[2:] == [0.0, 0.0]
    for robot, pose in zip(wander.robots, swarm.world.poses.tolist()):
        assert robot.place()[:2] == pytest.approx(pose[:2], abs=0.3)
    assert {1, 2} == {robot.origin.id for robot in wander.robots}


@pytest.mark.parametrize('kind', [Twist, TwistStamped])
def test_wander_stops_without_scans_or_odometry(made, kind):
    body = Body(kind)
    made += [body, wanderer(robots='r1', stamped=kind is TwistStamped)]
    wander = made[-1]
    for topic in ('scan', 'odom'):
        spin_until(made, body.moves)
        body.sensors.remove(topic)
        spin_until(made, lambda: not body.moves())
        assert 'away' in wander.robots[0].problem
        body.sensors.add(topic)
    spin_until(made, body.moves)


def test_wander_needs_a_scan_or_an_arena_unless_robots_are_blind(made):
    body = Body()
    body.sensors.remove('scan')
    made += [body, wanderer(robots='r1')]
    robot = made[-1].robots[0]
    spin_until(made, lambda: 'parameter world' in robot.problem)
    assert not body.commands
    made.append(WanderNode(cli_args=['--ros-args', '-r', '__node:=blind'], parameter_overrides=[
        Parameter('robots', value='r1'), Parameter('blind', value=True)]))
    spin_until(made, body.moves)


def test_robot_backs_off_after_a_touch(made):
    body = Body()
    bumper = body.create_publisher(Bool, 'bumper', SENSOR)
    made += [body, wanderer(robots='r1', seed=5)]
    spin_until(made, lambda: bool(body.commands) and body.commands[-1].linear.x > 0.1)

    def backs_off() -> bool:
        bumper.publish(Bool(data=True))
        return body.commands[-1].linear.x < 0.0
    spin_until(made, backs_off)
    spin_until(made, lambda: body.commands[-1].linear.x == 0.0 != body.commands[-1].angular.z)


# The request for the pose of odometry.

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


def test_request_is_repeated_until_answered(ros: None) -> None:
    node, robot = rclpy.create_node('asker'), Silent(2)
    origin = ParameterOrigin(node, 'r7/')
    node.create_timer(0.05, origin.ask)
    spin_until([node, robot], lambda: origin.id is not None)
    assert (origin.id, origin.frame) == (7, 'hall') and robot.requests == 3
    assert origin.pose is not None and position(origin.pose) == (1.0, 2.0)
    for each in (node, robot):
        each.destroy_node()
