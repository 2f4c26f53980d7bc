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

from collections.abc import Mapping
from typing import Any

from leader_election.election.robot.leadership import LEADERSHIP
from leader_election.parameters import ParameterError
from leader_election.ros.nodes.declare import Declarations, overrides
from leader_election.ros.nodes.election_node import ElectionNode
from leader_election.ros.nodes.shared_topics import NoPublisher, SharedTopics
from leader_election.ros.nodes.waiting import Missing
from leader_election.simulation.radio import STANDING_PERIOD
from rclpy.clock import Clock
from rclpy.node import Node
from rclpy.parameter import Parameter

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
        if expiry <= STANDING_PERIOD:
            raise ParameterError('odometry_expiry', problem=f': {expiry:g} is not allowed for '
                                 f'lean robots; it takes more than {STANDING_PERIOD:g} s, the '
                                 'time between two odometry messages of a robot at rest')

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
