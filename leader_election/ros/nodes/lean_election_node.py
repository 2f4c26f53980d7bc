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
The node of one robot among hundreds in a process, with as few topics of its own as possible.

Each publisher, subscription and service of a machine is compared with all others, so that
discovery grows with the square of their number. An ordinary robot has 26; a lean one has the six
of its outputs.
"""

from collections.abc import Callable, Mapping
import math
from typing import Any

from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.robot.leadership import LEADERSHIP
from leader_election.parameters import ParameterError
from leader_election.ros.nodes import qos
from leader_election.ros.nodes.clock import steady_clock
from leader_election.ros.nodes.declare import Declarations, overrides
from leader_election.ros.nodes.election_node import ElectionNode
from leader_election.ros.nodes.waiting import Missing
from leader_election.simulation import radio
from nav_msgs.msg import Odometry
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.subscription import Subscription
from std_msgs.msg import Float64MultiArray, String


class SharedTopics:
    """
    Publishes and subscribes for many robots on the topics of one node.

    :ivar leadership: the publisher in place of topic ``leadership`` of each robot.
    :ivar publishers: the common publishers, by the full names of their topics.
    :ivar inputs: the full names of the common topics, by the names that they replace.
    """

    def __init__(self, node: Node, relay: bool) -> None:
        """
        Create the topics.

        :param node: the owner of the topics; the bundles are in its namespace.
        :param relay: whether the world's radio delivers messages; else all robots receive all.
        """
        self._node = node
        self._odometry: dict[float, Callable[[Odometry], None]] = {}
        self._hearing: dict[int, Callable[[String], None]] = {}
        self._message = Odometry()
        self._message.header.frame_id = 'odom'
        out = qos.advertise(node, String, 'neighbourhood', qos.NEIGHBOURHOOD)
        if relay:
            out = BundlePublisher(node, out)
        diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', qos.EVENTS)
        leadership = qos.repeated(qos.LEASE)
        # The last message of each robot of a large process.
        leadership.depth = qos.NEIGHBOURHOOD.depth
        self.leadership: Publisher = qos.advertise(
            node, DiagnosticArray, LEADERSHIP, leadership, qos.PROMISES)
        self.publishers: dict[str, Publisher | BundlePublisher] = {
            publisher.topic_name: publisher for publisher in (out, diagnostics)}
        # Each bundle is about other robots, so none may be skipped, even in a busy process.
        self._odometry_input = node.create_subscription(
            Float64MultiArray, radio.ODOMETRY_TOPIC, self._take_odometry, qos.SIGHTINGS)
        heard, take = ((radio.HEARD_TOPIC, self._take_deliveries) if relay
                       else ('neighbourhood', self._take_broadcast))
        self._heard_input = qos.subscribe(
            node, String, heard, take, qos.BUNDLES if relay else qos.NEIGHBOURHOOD)
        self.inputs = {'odom': self._odometry_input.topic_name,
                       'neighbourhood': self._heard_input.topic_name}

    def on_odometry(self, robot: int, callback: Callable[[Odometry], None]) -> Subscription:
        """
        Forward the odometry of a robot.

        :param robot: its id.
        :param callback: takes the message, which is reused for the next robot.
        :return: the common subscription.
        """
        _add(self._odometry, robot, callback)
        return self._odometry_input

    def on_message(self, robot: int, callback: Callable[[String], None]) -> Subscription:
        """
        Forward the messages that a robot receives.

        :param robot: its id.
        :param callback: takes the message, which other robots receive, too.
        :return: the common subscription.
        """
        _add(self._hearing, robot, callback)
        return self._heard_input

    def _take_odometry(self, bundle: Float64MultiArray) -> None:
        message = self._message
        message.header.stamp = self._node.get_clock().now().to_msg()
        pose, twist = message.pose.pose, message.twist.twist
        for robot, x, y, yaw, linear, angular in radio.rows_of(bundle.data):
            # An id that is not finite is in no dictionary.
            callback = self._odometry.get(robot)
            if callback is not None:
                if not math.isfinite(yaw):
                    # The robot rejects and counts a position that is not finite.
                    x = yaw = math.nan
                half = yaw / 2
                pose.position.x, pose.position.y = x, y
                pose.orientation.z, pose.orientation.w = math.sin(half), math.cos(half)
                twist.linear.x, twist.angular.z = linear, angular
                callback(message)

    def _take_deliveries(self, bundle: String) -> None:
        for text in radio.unpack(bundle.data):
            try:
                receivers, payload = radio.parse_delivery(text)
            except ValueError:
                continue
            callbacks = [self._hearing[robot] for robot in receivers if robot in self._hearing]
            if callbacks:
                message = String(data=payload)
                for callback in callbacks:
                    callback(message)

    def _take_broadcast(self, message: String) -> None:
        for callback in self._hearing.values():
            callback(message)


def _add(callbacks: dict[Any, Callable[[Any], None]], robot: int,
         callback: Callable[[Any], None]) -> None:
    """Add a callback after those of a robot, joined to one, which is faster than a list of one."""
    before = callbacks.get(robot)
    if before is None:
        callbacks[robot] = callback
        return

    def both(message: Any) -> None:
        before(message)
        callback(message)

    callbacks[robot] = both


class BundlePublisher:
    """
    Publishes the messages of many robots for the world's radio, several in one message.

    Each is published on the robots' own topic, too, where that has subscribers: monitors, records.
    """

    def __init__(self, node: Node, out: Publisher) -> None:
        """
        Create the topic of bundles.

        :param node: that has it.
        :param out: the publisher of the robots' own topic.
        """
        self._out = out
        self._collected: list[str] = []
        self._bundles = qos.advertise(node, String, radio.SENT_TOPIC, qos.NEIGHBOURHOOD)
        self._timer = node.create_timer(radio.BUNDLE_PERIOD, self._flush, clock=steady_clock(node))
        self._timer.cancel()

    @property
    def topic_name(self) -> str:
        """Return the full name of the robots' own topic."""
        return str(self._out.topic_name)

    def publish(self, message: String) -> None:
        """Publish a message of a robot within ``BUNDLE_PERIOD``."""
        if not self._collected:
            self._timer.reset()
        self._collected.append(message.data)

    def _flush(self) -> None:
        self._timer.cancel()
        collected, self._collected = self._collected, []
        for text in radio.pack(collected):
            self._bundles.publish(String(data=text))
        if self._out.get_subscription_count():
            for payload in collected:
                self._out.publish(String(data=payload))


class NoPublisher:
    """Stands in for the publisher of a topic that a lean robot does not have."""

    def publish(self, message: Any) -> None:
        """Drop a message."""

    def get_subscription_count(self) -> int:
        """Return 0: there are no subscribers."""
        return 0


LEFT_OUT = ('topics odom and heard of their own (they share odom_bundle and heard_bundle), the '
            'services and events of parameters (so wander cannot drive them), type descriptions, '
            'and messages on /rosout')
"""The entities that lean robots do not have, as text."""


class LeanElectionNode(ElectionNode):
    """
    The node of one robot that shares common topics with all robots of its host.

    It has its own name, timers, parameters, tasks and outputs. Its parameters are read once;
    other nodes can neither read nor change them.
    """

    def __init__(self, host: Node, topics: SharedTopics, robot: int, *,
                 parameter_overrides: list[Parameter], **options: Any) -> None:
        """
        Create the node.

        :param host: the node whose clock the robot uses.
        :param topics: of the host.
        :param robot: the robot's id.
        :param parameter_overrides: the robot's own parameters.
        :param options: for :class:`.ElectionNode`.
        """
        # rclpy creates the first publisher in its constructor.
        self._host, self._topics, self._robot = host, topics, robot
        super().__init__(
            use_global_arguments=False,
            # One subscription of /clock, that of the host, is enough.
            parameter_overrides=[*parameter_overrides, *overrides(
                {'use_sim_time': False, 'start_type_description_service': False})],
            enable_rosout=False, start_parameter_services=False, allow_undeclared_parameters=True,
            automatically_declare_parameters_from_overrides=True, **options)
        expiry = self.election.parameters.odometry_expiry
        if expiry <= radio.STANDING_PERIOD:
            raise ParameterError('odometry_expiry', problem=f': {expiry:g} is not allowed for '
                                 f'lean robots; it takes more than {radio.STANDING_PERIOD:g} s, '
                                 'the time between two odometry messages of a robot at rest')

    def _declarations(self, defaults: Mapping[str, Any]) -> Declarations:
        return Declarations(self, defaults=defaults, served=False)

    def get_clock(self) -> Clock:
        """Return the clock of the host."""
        return self._host.get_clock()

    def missing(self) -> list[Missing]:
        """Return the missing inputs; odometry comes from a lean world alone."""
        return [each._replace(remedy='start the world with lean, in the namespace of fleet or '
                              'with it in radio_namespaces')
                if each.topic == self._topics.inputs['odom'] else each
                for each in super().missing()]

    def resolve_topic_name(self, topic: str, *, only_expand: bool = False) -> str:
        """Return the full name of a topic, or of the host's topic in its place."""
        return (self._topics.inputs.get(topic)
                or super().resolve_topic_name(topic, only_expand=only_expand))

    def create_publisher(self, msg_type: Any, topic: str, *rest: Any, **options: Any) -> Any:
        """Return the publisher of the host, where all robots publish on the topic."""
        if topic == '/parameter_events':
            return NoPublisher()
        if topic.rpartition('/')[2] == LEADERSHIP:
            return self._topics.leadership
        shared = self._topics.publishers.get(self.resolve_topic_name(topic))
        if shared is not None:
            return shared
        # Parameters that nobody can change would only lengthen the start.
        options.pop('qos_overriding_options', None)
        return super().create_publisher(msg_type, topic, *rest, **options)

    def create_subscription(self, msg_type: Any, topic: str, callback: Any, *rest: Any,
                            **options: Any) -> Any:
        """Receive odometry and messages through the host; subscribe to all other topics."""
        if topic == 'odom':
            return self._topics.on_odometry(self._robot, callback)
        if topic == 'neighbourhood':
            return self._topics.on_message(self._robot, callback)
        return super().create_subscription(msg_type, topic, callback, *rest, **options)
