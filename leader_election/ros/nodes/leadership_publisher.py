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

"""The topic ``leadership`` of a robot: all that others act on, in one message with a stamp."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.election.robot.instance import Instance, NO_LEADER
from leader_election.election.robot.leadership import (
    INACTIVE,
    LEADERSHIP,
    mandate_values,
    text,
    values,
)
from leader_election.election.robot.robot import Robot
from leader_election.election.robot.wire import usual_namespace
from leader_election.ros.nodes.qos import overridable, PROMISES, repeated
from rclpy.node import Node


class LeadershipPublisher:
    """
    Publishes a status for each instance of a robot, in each of its rounds.

    Without a subscriber it publishes only changes of a leader or a role, for those who come later:
    the rest would cost a thousand robots 5 % of a processor.

    ``diagnostic_msgs/DiagnosticArray`` is the one type of the common packages that has a header
    and named values, so that values can be added and all tools read them. Its level is ``STALE``
    in the last message of a robot that stops.
    """

    def __init__(self, node: Node, robot: Robot, name: str, sends_on: str) -> None:
        """
        Create the publisher.

        :param name: the robot's name in diagnostics.
        :param sends_on: the full name of the topic on which robots send.
        """
        self._node, self._robot, self._sends_on = node, robot, sends_on
        self._namespace = node.get_namespace()
        parameters = robot.parameters
        if self._namespace != usual_namespace(sends_on, parameters.robot_id):
            robot.name = self._namespace
        self._publisher = node.create_publisher(
            DiagnosticArray, parameters.output_prefix + LEADERSHIP,
            repeated(parameters.message_expiry), qos_overriding_options=overridable(PROMISES))
        self._message = DiagnosticArray()
        self._message.status = [DiagnosticStatus(
            name=vocabulary.status_name(name, instance),
            hardware_id=vocabulary.hardware_id(parameters.robot_id))
            for instance in robot.instances]
        self._values: list[dict[str, str]] = [{} for _ in self._message.status]
        self._last: list[tuple[int, str]] = []
        """Leader and role of each instance in the last message; empty where it takes no part."""

    def publish(self, active: bool = True) -> None:
        """
        Publish the present state.

        :param active: whether the robot takes part; otherwise the message is its last one, and
            none is sent where none was before.
        """
        instances = self._robot.instances.values()
        last = [(instance.leader, instance.role) for instance in instances] if active else []
        if last == self._last and not (active and self._publisher.get_subscription_count()):
            return
        self._last = last
        message = self._message
        message.header.stamp = self._node.get_clock().now().to_msg()
        message.header.frame_id = self._robot.parameters.frame
        for i, instance in enumerate(instances):
            self._update(i, instance, active)
        self._publisher.publish(message)

    def _update(self, i: int, instance: Instance, active: bool) -> None:
        """Update the status of an instance; most values are those of the last round."""
        status, before = self._message.status[i], self._values[i]
        stamp = self._message.header.stamp
        now = values(self._robot, instance, self._namespace, self._sends_on, active)
        leader = now[vocabulary.LEADER]
        now[vocabulary.SINCE] = (
            before[vocabulary.SINCE] if before.get(vocabulary.LEADER) == leader
            else f'{stamp.sec}.{stamp.nanosec:09d}')
        now |= mandate_values(instance, stamp.sec + stamp.nanosec * 1e-9, active)
        if now == before:
            return
        self._values[i] = now
        status.values = [KeyValue(key=key, value=value) for key, value in now.items()]
        status.message = text(instance) if active else INACTIVE
        status.level = DiagnosticStatus.STALE if not active else (
            DiagnosticStatus.WARN if leader == str(NO_LEADER) else DiagnosticStatus.OK)
