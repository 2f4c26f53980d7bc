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

"""The quality of service (QoS) of each kind of topic, and the policies that users may override."""

from copy import copy
from typing import Any

from rclpy.duration import Duration
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.node import Node
from rclpy.qos import (
    qos_check_compatible,
    qos_policy_name_from_kind,
    QoSCompatibility,
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSLivelinessPolicy,
    QoSPolicyKind,
    QoSProfile,
    QoSReliabilityPolicy,
)
from rclpy.qos_overriding_options import QoSOverridingOptions

NEIGHBOURHOOD = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1000,
    reliability=QoSReliabilityPolicy.BEST_EFFORT, durability=QoSDurabilityPolicy.VOLATILE)
"""The message of a round: a lost one is replaced by the next. The depth holds a swarm's round."""

BUNDLES = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=50,
    reliability=QoSReliabilityPolicy.BEST_EFFORT, durability=QoSDurabilityPolicy.VOLATILE)
"""Bundles of such messages, at most 50 a second: a process that is late drops the oldest."""

SENSOR = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1,
    reliability=QoSReliabilityPolicy.BEST_EFFORT, durability=QoSDurabilityPolicy.VOLATILE)
"""Sensor readings: only the newest counts. Matches reliable and best-effort publishers."""

STATE = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1,
    reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
"""State, published on change and latched: a late subscriber receives the last message."""

LEASE = 3.0
"""
The time after which subscribers learn that a process that published outputs has died [s].

They have to request a lease that is not shorter. The middleware asserts the liveliness of a whole
process, which costs next to nothing; asserted by topic it would cost 40 us a publisher and period.
"""
OUTPUT = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1,
    reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL,
    liveliness=QoSLivelinessPolicy.AUTOMATIC, liveliness_lease_duration=Duration(seconds=LEASE))
"""What a robot publishes of its state: as ``STATE``, with a lease."""


def repeated(deadline: float) -> QoSProfile:
    """Return ``OUTPUT`` for a topic that is published at least once in a time [s]."""
    profile = copy(OUTPUT)
    profile.deadline = Duration(seconds=deadline)
    return profile


SIGHTINGS = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=100,
    reliability=QoSReliabilityPolicy.BEST_EFFORT, durability=QoSDurabilityPolicy.VOLATILE)
"""Measurements of neighbours: each message is about other neighbours, so all count."""

EVENTS = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=10,
    reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.VOLATILE)
"""A stream of events for people and tools."""


class IncompatiblePublishers:
    """
    Finds publishers with a profile (QoS) incompatible with a subscription's.

    The graph is only searched while there are some, since that is slow in a large swarm.
    """

    def __init__(self, node: Node, topic: str) -> None:
        """
        Watch a topic.

        :param topic: the topic of a subscription that reports to :attr:`events`.
        """
        self._node = node
        self._topic = node.resolve_topic_name(topic)
        self._reported = False
        self.events = SubscriptionEventCallbacks(incompatible_qos=self._report)
        """The callbacks to create the subscription with."""

    def _report(self, event: Any) -> None:
        if not self._reported:
            self._reported = True
            policy = qos_policy_name_from_kind(event.last_policy_kind)
            self._node.get_logger().warning(
                f'a publisher on {self._topic} offers less than is requested ({policy}): nothing '
                f'is received from it; see qos_overrides.{self._topic}.subscription')

    def find(self, profile: QoSProfile) -> list[str]:
        """
        Return the other nodes from which nothing is received.

        :param profile: of the subscription.
        """
        if not self._reported:
            return []
        nodes = sorted({
            f'{found.node_namespace.rstrip("/")}/{found.node_name}'
            for found in self._node.get_publishers_info_by_topic(self._topic)
            if qos_check_compatible(found.qos_profile, profile)[0] == QoSCompatibility.ERROR}
            - {self._node.get_fully_qualified_name()})
        self._reported = bool(nodes)
        return nodes


POLICIES = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY,
            QoSPolicyKind.DURABILITY)
PROMISES = (QoSPolicyKind.LIVELINESS_LEASE_DURATION, QoSPolicyKind.DEADLINE)
"""The policies that may be overridden: in general, and of a robot's outputs [ns]."""


def overridable(policies: tuple[QoSPolicyKind, ...] = POLICIES) -> QoSOverridingOptions:
    """
    Return options by which the parameters ``qos_overrides.<topic>...`` change a profile.

    rclpy changes the profile in place: pass a copy of a profile of this module.
    """
    return QoSOverridingOptions(policy_kinds=policies)
