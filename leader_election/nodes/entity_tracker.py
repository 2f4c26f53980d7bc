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

"""What a node has got since a moment, to be taken away from it again."""

from collections.abc import Iterable
import time
from typing import Any

from rclpy.duration import Duration
from rclpy.node import Node

PATIENCE = 0.5
"""For so long a last word may be on its way to who has to hear it [s]."""


class EntityTracker:
    """
    Knows which publishers, subscriptions, timers, clients and services a node has.

    Whoever made those that come later, a task of a user's among them, they can be dropped.
    """

    def __init__(self, node: Node) -> None:
        self._node = node
        self._before = {id(entity): entity for entity, _ in self._all()}

    def drop(self) -> None:
        """Destroy all that came since; publishers last, once what they said has arrived."""
        end = time.monotonic() + PATIENCE
        for entity, destroy in list(self._all()):
            if id(entity) in self._before:
                continue
            if destroy == self._node.destroy_publisher:
                # Of a stop to the wheels, say: a publisher that is gone repeats nothing.
                left = max(end - time.monotonic(), 0.0)
                entity.wait_for_all_acked(Duration(seconds=left))
            destroy(entity)

    def _all(self) -> Iterable[tuple[Any, Any]]:
        node = self._node
        for entities, destroy in (
                (node.timers, node.destroy_timer),
                (node.subscriptions, node.destroy_subscription),
                (node.clients, node.destroy_client),
                (node.services, node.destroy_service),
                (node.publishers, node.destroy_publisher)):
            for entity in entities:
                yield entity, destroy
