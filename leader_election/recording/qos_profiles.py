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
What publishers offer of quality of service: as rosbag2 writes it down, and what suits all of them.

rosbag2 plays a topic back with the profiles that it finds in the metadata of the channel, under
``offered_qos_profiles``: so that what was latched is latched again.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import yaml

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
