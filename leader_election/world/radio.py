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

"""The radio of the embedded world: who hears whom."""

from collections.abc import Sequence

from leader_election.world.parameters import WorldParameters
from leader_election.world.unicycles import Array
import numpy as np
from numpy.typing import NDArray
import shapely


class Radio:
    """Carries a message to all robots within range, in sight where that counts, not lost."""

    def __init__(self, obstacles: Sequence[shapely.Polygon], parameters: WorldParameters,
                 rng: np.random.Generator) -> None:
        self._parameters = parameters
        self._rng = rng
        self._obstacles = shapely.union_all(list(obstacles))
        shapely.prepare(self._obstacles)

    def hearers(self, sender: int, positions: Array) -> NDArray[np.intp]:
        """
        Return who hears one message of a robot, as places in the order of the robots, ascending.

        :param positions: all robots' true x, y (and more) [m], shape (n, 2 or more).
        """
        p = self._parameters
        here, there = positions[sender, :2], positions[:, :2]
        hears = np.hypot(*(there - here).T) <= p.radio_range
        hears[sender] = False
        found = np.flatnonzero(hears)
        if p.line_of_sight and len(found):
            rays = np.stack((np.broadcast_to(here, (len(found), 2)), there[found]), axis=1)
            found = found[~shapely.intersects(self._obstacles, shapely.linestrings(rays))]
        if p.radio_loss > 0.0:
            found = found[self._rng.random(len(found)) >= p.radio_loss]
        return found
