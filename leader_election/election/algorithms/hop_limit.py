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
The hop limit: bounds the reach of a candidacy, and so the survival of a dead leader's candidacy.

A candidacy counts the relays on its way: 0 on the leader, one more on each device that adopts
it. A device adopts none with more hops than the limit. The count needs no memory: a wrong count
also grows by one each time the candidacy is relayed. So after the last message of a dead leader
has expired, its candidacy survives at most ``hop_limit - 1`` rounds in lockstep, for any radius,
distances and lost messages.
"""

import math

NO_HOP_LIMIT = 2**53 - 1
"""The setting of the papers: the greatest number that a float counts exactly."""
NONE = -1
"""The value of the parameter ``hop_limit`` that stands for :data:`NO_HOP_LIMIT`."""
AUTOMATIC = 0
"""The value of the parameter ``hop_limit`` that stands for :func:`automatic_hop_limit`."""
DEFAULT_HOP_LIMIT = 100
"""The automatic limit where radius and range do not bound the number of hops."""


def automatic_hop_limit(radius: float, link_range: float) -> int:
    """
    Return about twice the largest number of hops to a leader in a swarm at rest.

    If robots hear each other within the range in a straight line, two successive links of a
    shortest path are together longer than the range: otherwise their ends would hear each other.
    So a path within the radius has at most ``floor(2 * radius / link_range) + 1`` hops. While
    robots move, the news of a shorter path is late, and paths are longer for a while: hence the
    factor of two.

    :param radius: the largest distance to a leader [m], >= 0; infinite: no radius.
    :param link_range: the greatest distance of a neighbour [m], > 0; infinite: not known.

    >>> automatic_hop_limit(10.0, 5.0), automatic_hop_limit(10.0, math.inf)
    (10, 100)
    """
    if not (math.isfinite(radius) and math.isfinite(link_range) and link_range > 0.0):
        return DEFAULT_HOP_LIMIT
    return int(min(2 * (math.floor(2.0 * radius / link_range) + 1), NO_HOP_LIMIT))


def hop_limit(setting: int, radius: float, link_range: float) -> int:
    """
    Return the limit for a value of the parameter ``hop_limit``.

    :param setting: :data:`AUTOMATIC`, :data:`NONE`, or a number of hops.
    :param radius: the largest distance to a leader [m]; infinite: no radius.
    :param link_range: the greatest distance of a neighbour [m]; infinite: not known.

    >>> hop_limit(7, 10.0, 5.0), hop_limit(AUTOMATIC, 10.0, 5.0), hop_limit(NONE, 10.0, 5.0)
    (7, 10, 9007199254740991)
    """
    if setting == NONE:
        return NO_HOP_LIMIT
    return automatic_hop_limit(radius, link_range) if setting == AUTOMATIC else setting
