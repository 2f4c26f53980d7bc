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

"""The line of sight between places, which obstacles block."""

from collections.abc import Sequence

from leader_election.simulation.kinematics import Array
import numpy as np
from numpy.typing import NDArray
import shapely


class LineOfSight:
    """Obstacles, prepared for many queries."""

    def __init__(self, obstacles: Sequence[shapely.Polygon]) -> None:
        """
        Prepare the obstacles.

        :param obstacles: [m]; a line that touches one is blocked.
        """
        self._obstacles = shapely.union_all(list(obstacles))
        shapely.prepare(self._obstacles)

    def clear(self, here: Array, there: Array) -> NDArray[np.bool_]:
        """
        Return which pairs of places see each other.

        :param here, there: x, y [m], shapes (m, 2), or (2,) for the same place in all pairs.
        :return: shape (m,).

        >>> wall = LineOfSight([shapely.box(1.0, -1.0, 2.0, 1.0)])
        >>> wall.clear(np.zeros(2), np.array([[3.0, 0.0], [0.0, 3.0]])).tolist()
        [False, True]
        """
        rays = np.stack(np.broadcast_arrays(here, there), axis=-2)
        return np.asarray(~shapely.intersects(self._obstacles, shapely.linestrings(rays)))
