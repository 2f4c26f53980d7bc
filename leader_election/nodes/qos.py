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

"""The quality of service of each kind of topic, and what of it a user may override."""

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
"""News of one round: what is lost is said again in the next; depth for a whole swarm's round."""

SENSOR = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1,
    reliability=QoSReliabilityPolicy.BEST_EFFORT, durability=QoSDurabilityPolicy.VOLATILE)
"""Only the newest reading counts; matches reliable publishers and others."""

STATE = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=1,
    reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
"""Published on change, latched: who comes late hears the last one."""

EVENTS = QoSProfile(
    history=QoSHistoryPolicy.KEEP_LAST, depth=10,
    reliability=QoSReliabilityPolicy.RELIABLE, durability=QoSDurabilityPolicy.VOLATILE)
"""A stream that people and tools watch."""


def overridable() -> QoSOverridingOptions:
    """
    Return options that let the parameters ``qos_overrides.<topic>...`` change a profile.

    rclpy writes into the profile that it is given, so that has to be a copy of one from here.
    """
    return QoSOverridingOptions(policy_kinds=(
        QoSPolicyKind.HISTORY, QoSPolicyKind.DEPTH, QoSPolicyKind.RELIABILITY,
        QoSPolicyKind.DURABILITY))
