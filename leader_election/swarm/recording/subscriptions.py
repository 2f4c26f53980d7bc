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
The recorder's subscriptions: topics, rate and quality of service.

rosbag2 plays a topic back with the profiles that it finds in the metadata of the channel, under
``offered_qos_profiles``: a topic that was latched is latched again.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from leader_election.swarm.recording.options import RecorderParameters
import yaml

ODOMETRY = 'nav_msgs/msg/Odometry'
"""The type of messages that are thinned out."""
BEST_EFFORT, RELIABLE = 'best_effort', 'reliable'
VOLATILE, TRANSIENT_LOCAL = 'volatile', 'transient_local'
_INFINITE = {'sec': 9223372036, 'nsec': 854775807}


def is_recorded(topic: str, kind: str, parameters: RecorderParameters) -> bool:
    """
    Return whether a topic is recorded.

    :param topic: its full name.
    :param kind: the type of its messages, for example ``std_msgs/msg/Int64``.

    >>> by_default = RecorderParameters()
    >>> [is_recorded(topic, '', by_default) for topic in ('/robot_3/leader', '/robot_3/cmd_vel')]
    [True, False]
    >>> but_one = RecorderParameters(all=True, exclude=('/robot_3/*',))
    >>> [is_recorded(topic, '', but_one) for topic in ('/robot_3/leader', '/robot_4/cmd_vel')]
    [False, True]
    """
    if kind == ODOMETRY and parameters.odom_rate == 0.0:
        return False
    return ((parameters.all or matches(topic, parameters.topics))
            and not matches(topic, parameters.exclude))


def matches(topic: str, patterns: Sequence[str]) -> bool:
    """
    Return whether a topic matches a pattern: a full name, its last part, or one with wildcards.

    >>> matches('/robot_3/leader', ['leader']), matches('/robot_3/is_leader', ['leader'])
    (True, False)
    >>> matches('/robot_3/leader', ['/robot_?/*']), matches('/robot_3/rescue/leader', ['/leader'])
    (True, False)
    """
    return any(fnmatchcase(topic, pattern if pattern.startswith('/') else f'*/{pattern}')
               for pattern in patterns)


class RateLimit:
    """
    Limits the rate of messages, evenly in time.

    :param rate: the most messages a second [Hz], positive.

    >>> twice = RateLimit(2.0)
    >>> [second / 10 for second in range(11) if twice.passes(second / 10)]
    [0.0, 0.5, 1.0]
    """

    def __init__(self, rate: float) -> None:
        self._period = 1.0 / rate
        self._last = float('-inf')

    def passes(self, now: float) -> bool:
        """Return whether a message that is received now [s] is recorded."""
        # 5 % of tolerance, or jitter would drop every other message of a publisher at exactly
        # this rate. A time before the last one means that a clock was set: it passes.
        if 0.0 <= now - self._last < 0.95 * self._period:
            return False
        self._last = now
        return True


class OfferedQos(NamedTuple):
    """The quality of service that one publisher offers, in the names of ROS."""

    reliability: str
    durability: str
    history: str = 'unknown'
    """DDS does not transmit it."""
    depth: int = 0


def compatible_qos(offers: Sequence[OfferedQos]) -> OfferedQos:
    """
    Return the strictest profile for a subscription that is compatible with all publishers.

    >>> latched = OfferedQos(RELIABLE, TRANSIENT_LOCAL)
    >>> stream = OfferedQos(RELIABLE, VOLATILE)
    >>> compatible_qos([latched, latched])[:2], compatible_qos([latched, stream])[:2]
    (('reliable', 'transient_local'), ('reliable', 'volatile'))
    """
    def common(field: int, strict: str, weak: str) -> str:
        return strict if offers and all(offer[field] == strict for offer in offers) else weak
    return OfferedQos(common(0, RELIABLE, BEST_EFFORT), common(1, TRANSIENT_LOCAL, VOLATILE))


def rosbag2_qos(offers: Sequence[OfferedQos]) -> str:
    """
    Return profiles as YAML, in the form of rosbag2 of Jazzy and later.

    >>> print(rosbag2_qos([OfferedQos(RELIABLE, TRANSIENT_LOCAL)]))  # doctest: +ELLIPSIS
    - history: unknown
      depth: 0
      reliability: reliable
      durability: transient_local
      deadline:
        sec: 9223372036
    ...
    """
    # Equal profiles are written once; rosbag2 needs no more.
    return str(yaml.safe_dump([_profile(offer) for offer in dict.fromkeys(offers)],
                              sort_keys=False))


def _profile(offer: OfferedQos) -> dict[str, Any]:
    return {
        'history': offer.history, 'depth': offer.depth, 'reliability': offer.reliability,
        'durability': offer.durability, 'deadline': dict(_INFINITE), 'lifespan': dict(_INFINITE),
        'liveliness': 'automatic', 'liveliness_lease_duration': dict(_INFINITE),
        'avoid_ros_namespace_conventions': False}
