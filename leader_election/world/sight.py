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

"""Sight without eyes: what a laser scanner would see of walls and robots that are known."""

from leader_election.world.arena import Arena
from leader_election.world.lidar import Lidar
from leader_election.world.parameters import WorldParameters
from leader_election.world.unicycles import Array
import numpy as np

BEAMS = 72
"""One every five degrees."""
REACH = 4.0
"""How far it sees [m]."""
SILENCE = 3.0
"""Whose place was told longer ago than this is not on its way, but stands there broken [s]."""


class Sight:
    """
    Looks round in an arena that is known.

    :ivar increment: from each beam to the next one on its left [rad]; the first one is ahead.
    """

    def __init__(self, arena: Arena, robot_radius: float, speed: float) -> None:
        """
        Know the walls.

        :param robot_radius: the other robots are discs of this radius [m].
        :param speed: the most that they drive [m/s].
        """
        self._lidar = Lidar(arena.outline, arena.obstacles, WorldParameters(
            scan_beams=BEAMS, scan_range=REACH, robot_radius=robot_radius))
        self._touch = 2 * robot_radius
        self._speed = speed
        self.increment = self._lidar.increment

    def look(self, pose: tuple[float, float, float], others: Array) -> Array:
        """
        Return how far each beam goes before it meets something [m]; infinity up to the reach.

        :param pose: true x, y, yaw [m, rad].
        :param others: x, y of the other robots [m], and how long ago they were there [s], shape
            (n, 3).

        >>> import shapely
        >>> sight = Sight(Arena(shapely.box(-2, -2, 2, 2), ()), 0.25, 0.5)
        >>> sight.look((0.0, 0.0, 0.0), np.array([[0.0, 1.5, 0.0]]))[[0, BEAMS // 4]].tolist()
        [2.0, 1.25]
        """
        here = np.array([pose])
        near = by_now(here[0, :2], others, self._speed, self._touch)
        everybody = np.vstack((here, np.column_stack((near, np.zeros(len(near))))))
        ranges: Array = self._lidar.scan(everybody, [0])[0]
        return ranges


def by_now(here: Array, others: Array, speed: float, touch: float) -> Array:
    """
    Return as near as others can have come by now [m], shape (n, 2).

    News of them is old, and each may have driven on towards who looks, until the two touch. Who
    has said nothing for long stands where it was.

    :param here: x, y [m].
    :param others: x, y [m], and how long ago that was [s], shape (n, 3).
    :param touch: the distance of two that touch [m].

    >>> others = np.array([[2.0, 0.0, 1.0], [0.0, 0.6, 1.0], [0.0, 3.0, 60.0]])
    >>> by_now(np.zeros(2), others, speed=0.5, touch=0.4).tolist()
    [[1.5, 0.0], [0.0, 0.4], [0.0, 3.0]]
    """
    away = others[:, :2] - here
    distance = np.hypot(away[:, 0], away[:, 1])
    slack = np.where(others[:, 2] > SILENCE, 0.0, speed * np.maximum(others[:, 2], 0.0))
    left = np.maximum(distance - slack, np.minimum(distance, touch))
    share = np.divide(left, distance, out=np.ones_like(distance), where=distance > 0.0)
    return np.asarray(here + away * share[:, np.newaxis])
