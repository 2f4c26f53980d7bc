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
"""The topics that the lean robots of a process have in common: one entity for all of them."""

from collections.abc import Callable
from copy import copy
import math
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.nodes.qos import EVENTS, NEIGHBOURHOOD, overridable, SIGHTINGS
from leader_election.world.bundles import (
    HEARD_TOPIC,
    ODOMETRY_TOPIC,
    rows_of,
    unpack_delivery,
)
from nav_msgs.msg import Odometry
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.subscription import Subscription
from std_msgs.msg import Float64MultiArray, String


class SharedTopics:
    """
    Publishes and subscribes for many robots on the topics of one node.

    :ivar publishers: the common publishers, by the full names of their topics.
    :ivar inputs: the full names of the common topics, by those that they stand for.
    """

    def __init__(self, node: Node, relay: bool) -> None:
        """
        Create the topics.

        :param node: that has them, and in whose namespace the bundles are.
        :param relay: whether the world's radio delivers messages; else all robots receive all.
        """
        self._node = node
        self._odometry: dict[int, Callable[[Odometry], None]] = {}
        self._hearing: dict[int, Callable[[String], None]] = {}
        self._message = Odometry()
        self._message.header.frame_id = 'odom'
        out = node.create_publisher(
            String, 'neighbourhood', copy(NEIGHBOURHOOD), qos_overriding_options=overridable())
        diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', EVENTS)
        self.publishers: dict[str, Publisher] = {
            publisher.topic_name: publisher for publisher in (out, diagnostics)}
        # Each bundle is about other robots, so none may be skipped, however busy the process is.
        self._odometry_input = node.create_subscription(
            Float64MultiArray, ODOMETRY_TOPIC, self._take_odometry, SIGHTINGS)
        heard, take = ((HEARD_TOPIC, self._take_delivery) if relay
                       else ('neighbourhood', self._take_broadcast))
        self._heard_input = node.create_subscription(
            String, heard, take, copy(NEIGHBOURHOOD), qos_overriding_options=overridable())
        self.inputs = {'odom': self._odometry_input.topic_name,
                       'neighbourhood': self._heard_input.topic_name}

    def on_odometry(self, robot: int, callback: Callable[[Odometry], None]) -> Subscription:
        """
        Have the odometry of a robot handed on.

        :param robot: its id.
        :param callback: takes the message, which is reused for the next robot.
        :return: the common subscription.
        """
        self._odometry[robot] = callback
        return self._odometry_input

    def on_message(self, robot: int, callback: Callable[[String], None]) -> Subscription:
        """
        Have the messages handed on that a robot receives.

        :param robot: its id.
        :param callback: takes the message, which other robots receive, too.
        :return: the common subscription.
        """
        self._hearing[robot] = callback
        return self._heard_input

    def _take_odometry(self, bundle: Float64MultiArray) -> None:
        message = self._message
        pose, twist = message.pose.pose, message.twist.twist
        for robot, x, y, yaw, linear, angular in rows_of(bundle.data):
            callback = self._odometry.get(int(robot))
            if callback is not None:
                pose.position.x, pose.position.y = x, y
                pose.orientation.z, pose.orientation.w = math.sin(yaw / 2), math.cos(yaw / 2)
                twist.linear.x, twist.angular.z = linear, angular
                callback(message)

    def _take_delivery(self, delivery: String) -> None:
        try:
            receivers, payload = unpack_delivery(delivery.data)
        except ValueError:
            return
        message = String(data=payload)
        for robot in receivers:
            callback = self._hearing.get(robot)
            if callback is not None:
                callback(message)

    def _take_broadcast(self, message: String) -> None:
        for callback in self._hearing.values():
            callback(message)


class NoPublisher:
    """Stands in for the publisher of a topic that a lean robot does not have."""

    def publish(self, message: Any) -> None:
        """Drop a message."""

    def get_subscription_count(self) -> int:
        """Return 0: nobody can subscribe."""
        return 0
