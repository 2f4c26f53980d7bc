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

"""Robots in a simulator: odometry with errors, true poses, and commands that nobody hears."""

import math
from typing import Any

from geometry_msgs.msg import PoseStamped
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.gazebo_odometry import GazeboOdometry
from nav_msgs.msg import Odometry
import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import Bool, Empty
from support import install_contacts, spin_until


def made(**parameters: Any) -> GazeboOdometry:
    return GazeboOdometry(parameter_overrides=[
        Parameter(name, value=value) for name, value in parameters.items()])


class Simulator(Node):
    """A robot ``r1`` in a simulator: its wheels, its pose, and what is published of it."""

    def __init__(self) -> None:
        super().__init__('simulator')
        self.time = 0.0
        self.pose = (0.0, 0.0, 0.0)
        self.odom: list[Odometry] = []
        self.truth: list[Odometry] = []
        self._wheels = self.create_publisher(Odometry, 'r1/wheel_odometry', 10)
        self._place = self.create_publisher(PoseStamped, 'r1/true_pose', 10)
        self.create_subscription(Odometry, 'r1/odom', self.odom.append, 10)
        self.create_subscription(Odometry, 'r1/ground_truth', self.truth.append, 10)

    def step(self) -> None:
        x, y, yaw = self.pose
        self.time += 0.1
        self.pose = x + 0.05 * math.cos(yaw), y + 0.05 * math.sin(yaw), yaw
        wheels, place = Odometry(child_frame_id='base_link'), PoseStamped()
        wheels.header.frame_id = 'odom'
        for header, pose in ((wheels.header, wheels.pose.pose), (place.header, place.pose)):
            header.stamp.sec = int(self.time)
            header.stamp.nanosec = round((self.time - int(self.time)) * 1e9)
            pose.position.x, pose.position.y = self.pose[:2]
            pose.orientation.z, pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
        self._wheels.publish(wheels)
        self._place.publish(place)


@pytest.mark.parametrize('drift', [True, False])
def test_gazebo_odometry_drifts_from_the_true_pose(ros: None, drift: bool) -> None:
    node, simulator = made(robots='r1', ground_truth=True, odometry_drift=drift), Simulator()
    topics = simulator._wheels, simulator._place
    spin_until([node, simulator], lambda: (
        all(topic.get_subscription_count() == 1 for topic in topics)
        and node.count_subscribers('r1/odom') == 1 == node.count_subscribers('r1/ground_truth')))
    for k in range(60):
        simulator.step()
        spin_until([node, simulator], lambda k=k: (
            len(simulator.odom) > k and len(simulator.truth) > k))
    last, truth = simulator.odom[-1], simulator.truth[-1]
    assert (last.header.frame_id, last.child_frame_id) == ('odom', 'base_link')
    assert (truth.header.frame_id, truth.header.stamp) == ('map', last.header.stamp)
    assert truth.pose.pose.position.x == pytest.approx(3.0)
    assert truth.twist.twist.linear.x == pytest.approx(0.5)
    off = math.hypot(last.pose.pose.position.x - 3.0, last.pose.pose.position.y)
    assert (1e-3 < off < 1.0) if drift else off == pytest.approx(0.0, abs=1e-9)
    deviation = math.sqrt(last.pose.covariance[0])
    assert (0.01 < deviation < 1.0 and last.twist.covariance[0] > 0.0) if drift else not deviation
    turn = last.pose.pose.orientation
    assert turn.z**2 + turn.w**2 == pytest.approx(1.0)


def test_contacts_are_published_as_a_bumper(ros: None, monkeypatch: Any) -> None:
    install_contacts(monkeypatch)
    node = made(robots='r1', bumper=True)
    world, bumps = Node('world'), list[bool]()
    contacts = world.create_publisher(Empty, 'r1/contacts', 10)
    world.create_subscription(Bool, 'r1/bumper', lambda message: bumps.append(message.data), 10)
    spin_until([node, world], lambda: contacts.get_subscription_count() == 1
               and node.count_subscribers('r1/bumper') == 1)

    def pushed() -> bool:
        contacts.publish(Empty())
        return bumps.count(True) > 5
    spin_until([node, world], pushed)
    assert all(bumps)
    spin_until([node, world], lambda: not bumps[-1])
    assert bumps.count(False) == 1, 'what nothing touches is silent'


def test_bumper_names_the_package_when_contacts_are_not_installed(ros: None) -> None:
    with pytest.raises(ParameterError, match='bumper: true needs the package ros_gz'):
        made(robots='r1', bumper=True)


def test_missing_odometry_is_reported(ros: None) -> None:
    node, simulator = made(robots='r1, r2'), Simulator()

    def missing() -> list[str]:
        return [each.topic for each in node.missing()]

    assert missing() == ['/r1/wheel_odometry', '/r2/wheel_odometry']
    spin_until([node, simulator], lambda: simulator._wheels.get_subscription_count() == 1
               and node.count_subscribers('r1/odom') == 1)
    simulator.step()
    spin_until([node, simulator], lambda: bool(simulator.odom))
    assert missing() == ['/r2/wheel_odometry']
