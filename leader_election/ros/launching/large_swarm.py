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
"""The automatic settings of a launch of hundreds of robots, so that they fit on one machine."""

import math
from typing import Any

from leader_election.ros.launching.arguments import ROBOTS_PER_PROCESS

LARGE = 200
"""The number of robots from which on a swarm is large."""
PROCESSES = 4
"""The processes that share the robots of a large swarm."""
NEIGHBOURS = 8
"""The mean number of robots within range of each other in the arena of a large swarm."""
RADIO_RANGE = 5.0
"""The range that the arena is made for if none is known [m]."""
SHARE = (f'{ROBOTS_PER_PROCESS.description} Empty: {ROBOTS_PER_PROCESS.default}; from {LARGE} '
         f'robots on a {PROCESSES}th of all.')
"""The description of the argument with the number of robots per process."""


def robots_per_process(robots: int) -> int:
    """
    Return the number of robots per process.

    >>> robots_per_process(40), robots_per_process(1000)
    (20, 250)
    """
    few: int = ROBOTS_PER_PROCESS.default
    return few if robots < LARGE else math.ceil(robots / PROCESSES)


def large_swarm_scene(
        robots: int, radio_range: float | None, room: float = 0.0) -> dict[str, Any]:
    """
    Return the parameters of the scene of a large swarm that are not set otherwise.

    :param robots: their number.
    :param radio_range: [m]; ``None``: not known.
    :param room: the side of the square that each robot needs at least [m].
    :return: empty for a small swarm.

    >>> large_swarm_scene(1000, None)
    {'lean': True, 'radio': 'relay', 'world': 'empty:100x100'}
    >>> large_swarm_scene(200, 0.5, 0.6)['world']
    'empty:10x10'
    """
    if robots < LARGE:
        return {}
    reach = radio_range if radio_range and math.isfinite(radio_range) else RADIO_RANGE
    side = math.ceil(max(math.sqrt(robots * math.pi / NEIGHBOURS) * reach,
                         (math.sqrt(robots) + 1.0) * room))
    return {'lean': True, 'radio': 'relay', 'world': f'empty:{side}x{side}'}


def explanation(robots: int, chosen: dict[str, Any]) -> str:
    """Return one line on the settings made for a large swarm; empty: none."""
    if not chosen:
        return ''
    return (f'{robots} robots: ' + ', '.join(
        f'{name}:={str(value).lower()}' for name, value in chosen.items())
        + '; give these arguments to have it otherwise')
