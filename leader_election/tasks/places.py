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

"""Where the members of a region are: how that is collected."""

from collections.abc import Sequence

from leader_election.coordination.aggregate import top
from leader_election.coordination.task import Position

MOST_MEMBERS = 21
"""So many robots' places are collected at most: what an aggregate may hold of three numbers."""
PLACES = top(MOST_MEMBERS, extra=1)
"""Takes x, y [m]; of too many robots those farthest east."""


def reading_of(pose: Sequence[float] | None) -> Position | None:
    """Return what a robot there contributes to ``PLACES``, to a tenth of a metre."""
    return None if pose is None else (round(pose[0], 1), round(pose[1], 1))


def places_in(collected: Sequence[Sequence[float]]) -> dict[int, Position]:
    """
    Return x, y of each robot [m], by ids in ascending order.

    >>> places_in(PLACES.result(PLACES.contribution(7, (1.0, 2.0))))
    {7: (1.0, 2.0)}
    """
    return {int(robot): (x, y) for x, robot, y in sorted(collected, key=lambda row: row[1])}
