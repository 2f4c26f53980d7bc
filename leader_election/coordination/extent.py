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
The extent of a region: how far its robots are in each of eight directions.

The octagon that follows from it holds all of them (a discrete oriented polytope, J. Klosowski and
others, IEEE TVCG 1998). Unlike a convex hull it takes the same few numbers for any swarm.
"""

from collections.abc import Sequence
import math
from typing import Any

from leader_election.coordination import summary_layout
from leader_election.coordination.aggregate import Aggregate

DIRECTIONS = 8


def extent() -> Aggregate:
    """
    Keep the outermost of places x, y in each direction; the result is a ring of places.

    >>> corner = extent()
    >>> corner.result(corner.contribution(1, (2.0, 3.0)))[:2]
    [[2.0, 3.0], [2.0, 3.0]]
    >>> corner.result(corner.identity) is None
    True
    """
    def contribution(_: int, place: Any) -> tuple[float, ...]:
        x, y = place
        return tuple(round(-(x * cos + y * sin), 4) for cos, sin in _directions())

    return Aggregate('extent', summary_layout.LEAST, (math.inf,) * DIRECTIONS, contribution, ring)


def ring(row: Sequence[float]) -> list[list[float]] | None:
    """
    Return the corners of the octagon, to the millimetre, anticlockwise; ``None`` for nobody.

    :param row: for each direction, from x anticlockwise, how far the farthest is, negated [m].
    """
    if not all(map(math.isfinite, row)):
        return None
    corners = []
    for k, (cos, sin) in enumerate(_directions()):
        far, farther = -row[k], -row[(k + 1) % DIRECTIONS]
        # Where the line across this direction meets that across the next one, 45 degrees on.
        along = (farther - far * math.cos(math.pi / 4)) / math.sin(math.pi / 4)
        corners.append([round(far * cos - along * sin, 3), round(far * sin + along * cos, 3)])
    return corners


def _directions() -> list[tuple[float, float]]:
    return [(math.cos(2 * math.pi * k / DIRECTIONS), math.sin(2 * math.pi * k / DIRECTIONS))
            for k in range(DIRECTIONS)]
