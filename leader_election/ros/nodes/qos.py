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

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSLivelinessPolicy,
    QoSPolicyKind,
    QoSProfile,
    QoSReliabilityPolicy,
)
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription

# By default a profile keeps the last messages, reliably, for present subscribers.
BEST_EFFORT = QoSReliabilityPolicy.BEST_EFFORT
LATCHED = QoSDurabilityPolicy.TRANSIENT_LOCAL

NEIGHBOURHOOD = QoSProfile(depth=1000, reliability=BEST_EFFORT)
"""The message of a round: a lost one is replaced by the next. The depth holds a swarm's round."""
SENSOR = QoSProfile(depth=1, reliability=BEST_EFFORT)
"""Sensor readings: only the newest counts. Matches reliable and best-effort publishers."""
SIGHTINGS = QoSProfile(depth=100, reliability=BEST_EFFORT)
"""Measurements of neighbours: each message is about other neighbours, so all count."""
ORDERS = QoSProfile(depth=100)
"""What a robot is told to do: each message counts."""
STREAM = QoSProfile(depth=1000, reliability=BEST_EFFORT)
"""Everything that many nodes publish on one topic, for an observer that nobody waits for."""
EVENTS = QoSProfile(depth=10)
"""A stream of events for people and tools."""
STATE = QoSProfile(depth=1, durability=LATCHED)
"""State, published on change and latched: a late subscriber receives the last message."""

LEASE = 3.0
"""
The time after which subscribers learn that a process that published outputs has died [s].

They have to request a lease that is not shorter. The middleware asserts the liveliness of a whole
process, which costs next to nothing. Asserted by topic it would cost 40 us a publisher and period.
"""
OUTPUT = QoSProfile(depth=1, durability=LATCHED, liveliness=QoSLivelinessPolicy.AUTOMATIC,
                    liveliness_lease_duration=Duration(seconds=LEASE))
"""The state of a robot: as ``STATE``, with a lease."""


def repeated(deadline: float) -> QoSProfile:
    """Return ``OUTPUT`` for a topic that is published at least once in a time [s]."""
    profile = copy(OUTPUT)
    profile.deadline = Duration(seconds=deadline)
    return profile


POLICIES = (QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY,
            QoSPolicyKind.DURABILITY)
PROMISES = (QoSPolicyKind.LIVELINESS_LEASE_DURATION, QoSPolicyKind.DEADLINE)
"""The policies that may be overridden: in general, and of a robot's outputs [ns]."""


def advertise(node: Node, kind: Any, topic: str, profile: QoSProfile,
              policies: Sequence[QoSPolicyKind] = POLICIES) -> Any:
    """
    Return a publisher whose profile the parameters ``qos_overrides.<topic>...`` change.

    :param policies: those that may be overridden.
    """
    # rclpy changes the profile in place.
    return node.create_publisher(kind, topic, copy(profile),
                                 qos_overriding_options=QoSOverridingOptions(policies))


def subscribe(node: Node, kind: Any, topic: str, callback: Callable[[Any], None],
              profile: QoSProfile, **options: Any) -> Subscription:
    """
    Return a subscription whose profile the parameters ``qos_overrides.<topic>...`` change.

    :param options: for ``Node.create_subscription``.
    """
    return node.create_subscription(
        kind, topic, callback, copy(profile),
        qos_overriding_options=QoSOverridingOptions(POLICIES), **options)
