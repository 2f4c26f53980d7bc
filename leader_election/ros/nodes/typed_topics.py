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
The typed outputs of a robot, where the package leader_election_msgs is installed.

They say what ``leadership`` and ``region`` say, with numbers and times in place of texts. Between
robots nothing has these types: with some middlewares another definition of a type is a message
that is dropped without a word.
"""

from collections.abc import Callable, Mapping, Sequence
import math
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import PolygonStamped
from leader_election.election.mandates.part import lease_in, MANDATE_OF, MANDATE_TERM
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.ros.nodes.qos import advertise, PROMISES
from rclpy.node import Node
from rclpy.qos import QoSProfile
from std_msgs.msg import Header

try:
    from leader_election_msgs.msg import Leadership, Mandate, Region
except ImportError:
    Leadership = Region = None

TYPED_LEADERSHIP, TYPED_REGION = 'leadership/typed', 'region/typed'
_TYPES = {'leadership': Leadership, 'region': Region}


class TypedPublisher:
    """Publishes a typed output, nothing without the package of its type."""

    def __init__(self, node: Node, topic: str, profile: QoSProfile) -> None:
        """
        Create the publisher.

        :param topic: its last two names are ``TYPED_LEADERSHIP`` or ``TYPED_REGION``.
        """
        kind = _TYPES[topic.split('/')[-2]]
        self._publisher = None if kind is None else advertise(node, kind, topic, profile, PROMISES)

    @property
    def watched(self) -> bool:
        """Return whether the topic has subscribers."""
        return self._publisher is not None and self._publisher.get_subscription_count() > 0

    def publish(self, make: Callable[[], Any]) -> None:
        """Publish what a function makes."""
        if self._publisher is not None:
            self._publisher.publish(make())


def region(outline: PolygonStamped, leader: int, instance: str, members: Sequence[int]) -> Any:
    """Return the region of a leader as a typed message, of no leader without members."""
    return Region(header=outline.header, leader=leader, instance=instance,
                  members=sorted(members), outline=outline.polygon)


def leadership(header: Header, values: Mapping[str, str]) -> Any:
    """Return the values of an election on the topic ``leadership`` as a typed message."""
    lease = lease_in(values, 0.0)
    mandates = [] if lease is None else [Mandate(
        acting=lease.term is not None, acting_until=_time(lease.until), term=lease.term or 0,
        over=list(lease.over), over_until=[_time(until) for until in lease.over.values()],
        leader=int(values[MANDATE_OF]), leader_term=int(values[MANDATE_TERM] or 0))]
    since, _, fraction = values[vocabulary.SINCE].partition('.')
    return Leadership(
        header=header, id=int(values[vocabulary.ID]), name=values[vocabulary.NAMESPACE],
        instance=values[vocabulary.INSTANCE], leader=int(values[vocabulary.LEADER]),
        leader_namespace=values[vocabulary.LEADER_NAMESPACE],
        is_leader=values[vocabulary.IS_LEADER] == 'true', role=values[vocabulary.ROLE],
        distance=float(values[vocabulary.DISTANCE]), hops=int(values[vocabulary.HOPS] or -1),
        tasks=[task for task in values[vocabulary.TASKS].split(',') if task],
        since=Time(sec=int(since), nanosec=int(fraction or 0)),
        reason=values[vocabulary.REASON], because=values[vocabulary.BECAUSE], mandate=mandates)


def _time(seconds: float) -> Time:
    whole = math.floor(seconds)
    return Time(sec=whole, nanosec=min(int((seconds - whole) * 1e9), 10**9 - 1))
