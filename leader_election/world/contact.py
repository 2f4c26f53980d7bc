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

"""How near robots came to each other: who watches a swarm can say that nobody was hit."""

import math

from leader_election.world.unicycles import Array
import numpy as np
import shapely


def least_distance(positions: Array) -> float:
    """
    Return the least distance between the centres of two robots [m]; infinity with less than two.

    :param positions: x, y (and more) [m], shape (n, 2 or more).

    >>> least_distance(np.array([[0.0, 0.0], [9.0, 0.0], [3.0, 4.0]]))
    5.0
    """
    return min((float(np.hypot(*(positions[i + 1:, :2] - here).T).min())
                for i, here in enumerate(positions[:-1, :2])), default=math.inf)


def overlaps(positions: Array, robot_radius: float) -> list[tuple[int, int]]:
    """
    Return the pairs of robots that overlap, as places in their order, the lower first, ascending.

    Robots are discs; who only touch do not overlap.

    >>> overlaps(np.array([[0.0, 0.0], [9.0, 0.0], [0.5, 0.0], [8.8, 0.0]]), 0.25)
    [(1, 3)]
    """
    points = shapely.points(positions[:, :2])
    first, second = shapely.STRtree(points).query(
        points, predicate='dwithin', distance=2 * robot_radius)
    apart = np.hypot(*(positions[first, :2] - positions[second, :2]).T)
    hit = (first < second) & (apart < 2 * robot_radius)
    return sorted(zip(first[hit].tolist(), second[hit].tolist()))
