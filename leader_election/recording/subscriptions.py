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

"""What the recorder subscribes to: topics, rate and quality of service."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from leader_election.recording.options import RecorderParameters
import yaml

ODOMETRY = 'nav_msgs/msg/Odometry'


def wanted(topic: str, kind: str, parameters: RecorderParameters) -> bool:
    """
    Return whether a topic is recorded.

    :param topic: the whole name.
    :param kind: the type of its messages, for example ``std_msgs/msg/Int64``.

    >>> by_default = RecorderParameters()
    >>> [wanted(topic, '', by_default) for topic in ('/robot_3/leader', '/robot_3/cmd_vel')]
    [True, False]
    >>> but_one = RecorderParameters(all=True, exclude=('/robot_3/*',))
    >>> [wanted(topic, '', but_one) for topic in ('/robot_3/leader', '/robot_4/cmd_vel')]
    [False, True]
    """
    if kind == ODOMETRY and parameters.odom_rate == 0.0:
        return False
    return ((parameters.all or names(topic, parameters.topics))
            and not names(topic, parameters.exclude))


def names(topic: str, patterns: Sequence[str]) -> bool:
    """
    Return whether one of the patterns names a topic: a whole name, its last part, or with ``*``.

    >>> names('/robot_3/leader', ['leader']), names('/robot_3/is_leader', ['leader'])
    (True, False)
    >>> names('/robot_3/leader', ['/robot_?/*']), names('/robot_3/rescue/leader', ['/leader'])
    (True, False)
    """
    return any(fnmatchcase(topic, pattern if pattern.startswith('/') else f'*/{pattern}')
               for pattern in patterns)


class Thinning:
    """
    Lets so many messages a second through, spread evenly.

    >>> twice = Thinning(2.0)
    >>> [second / 10 for second in range(11) if twice.passes(second / 10)]
    [0.0, 0.5, 1.0]
    """

    def __init__(self, rate: float) -> None:
        self._pause = 1.0 / rate
        self._last = float('-inf')

    def passes(self, now: float) -> bool:
        """Return whether a message that arrives now [s] is let through."""
        # One that is a little early is near enough; and a clock may go backwards.
        if 0.0 <= now - self._last < 0.95 * self._pause:
            return False
        self._last = now
        return True


BEST_EFFORT, RELIABLE = 'best_effort', 'reliable'
VOLATILE, TRANSIENT_LOCAL = 'volatile', 'transient_local'
_FOR_EVER = {'sec': 9223372036, 'nsec': 854775807}


class Offer(NamedTuple):
    """What one publisher offers, by the names that ROS has for it."""

    reliability: str
    durability: str
    history: str = 'unknown'
    """DDS does not tell others."""
    depth: int = 0


def suiting(offers: Sequence[Offer]) -> Offer:
    """
    Return the most that a subscriber can ask for and still hear all publishers.

    >>> latched, stream = Offer(RELIABLE, TRANSIENT_LOCAL), Offer(RELIABLE, VOLATILE)
    >>> suiting([latched, latched])[:2], suiting([latched, stream])[:2]
    (('reliable', 'transient_local'), ('reliable', 'volatile'))
    """
    def all_of(field: int, most: str, least: str) -> str:
        return most if offers and all(offer[field] == most for offer in offers) else least
    return Offer(all_of(0, RELIABLE, BEST_EFFORT), all_of(1, TRANSIENT_LOCAL, VOLATILE))


def written_down(offers: Sequence[Offer]) -> str:
    """
    Return profiles as YAML, as rosbag2 of Jazzy and later writes and reads them.

    >>> print(written_down([Offer(RELIABLE, TRANSIENT_LOCAL)]))  # doctest: +ELLIPSIS
    - history: unknown
      depth: 0
      reliability: reliable
      durability: transient_local
      deadline:
        sec: 9223372036
    ...
    """
    # A profile that many publishers share is told once: it says as much.
    return str(yaml.safe_dump([_profile(offer) for offer in dict.fromkeys(offers)],
                              sort_keys=False))


def _profile(offer: Offer) -> dict[str, Any]:
    return {
        'history': offer.history, 'depth': offer.depth, 'reliability': offer.reliability,
        'durability': offer.durability, 'deadline': dict(_FOR_EVER), 'lifespan': dict(_FOR_EVER),
        'liveliness': 'automatic', 'liveliness_lease_duration': dict(_FOR_EVER),
        'avoid_ros_namespace_conventions': False}
