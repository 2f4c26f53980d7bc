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

"""Listens to the topic of a robot's strength source."""

from copy import copy

from leader_election.nodes.qos import overridable, SENSOR
from leader_election.robot.codec import MAIN
from leader_election.robot.instance import Instance
from leader_election.robot.message_type import message_type
from rclpy.node import Node


def subscribe(node: Node, instance: Instance) -> None:
    """Feed the strength in an instance from its source, where that is a topic."""
    source = instance.source
    if not source.topic or instance.below is not None:
        return
    topic = source.topic if instance.name == MAIN else f'{instance.name}/{source.topic}'

    node.create_subscription(
        message_type(source.message), topic, instance.take_strength, copy(SENSOR),
        qos_overriding_options=overridable())
