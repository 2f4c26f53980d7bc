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

from rclpy.qos import (
    QoSDurabilityPolicy,
    QoSHistoryPolicy,
    QoSPolicyKind,
    QoSProfile,
    QoSReliabilityPolicy,
)
from rclpy.qos_overriding_options import QoSOverridingOptions

NEIGHBOURHOOD = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1000,
    reliability=QoSReliabilityPolicy.BEST_EFFORT, durability=QoSDurabilityPolicy.VOLATILE)
"""The message of a round: a lost one is replaced by the next. The depth holds a swarm's round."""

SENSOR = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1,
    reliability=QoSReliabilityPolicy.BEST_EFFORT, durability=QoSDurabilityPolicy.VOLATILE)
"""Sensor readings: only the newest counts. Matches reliable and best-effort publishers."""

STATE = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1,
    reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
"""State, published on change and latched: a late subscriber receives the last message."""

EVENTS = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=10,
    reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.VOLATILE)
"""A stream of events for people and tools."""


def overridable() -> QoSOverridingOptions:
    """
    Return options by which the parameters ``qos_overrides.<topic>...`` change a profile.

    rclpy writes into the profile that it is given: give it a copy of a profile of this module.
    """
    return QoSOverridingOptions(policy_kinds=(
        QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY,
        QoSPolicyKind.DURABILITY))
