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

"""Laser scanners: ranges to walls, obstacles and other robots."""

from collections.abc import Sequence
import math

from leader_election.world.arena import Arena
from leader_election.world.kinematics import Array
from leader_election.world.parameters import WorldParameters
import numpy as np
import shapely

_END = 1e-9
"""By how much of its length a wall is longer at each end, so that no beam slips past a corner."""


class Lidar:
    """
    One scanner in the centre of each robot, with no noise, all alike.

    Other robots are discs of ``robot_radius``. What is within reach of whom is looked up in trees,
    so that a scan costs what there is nearby, not what there is in the world.

    :ivar increment: the angle from a beam to the next one on its left [rad].
    """

    def __init__(self, arena: shapely.Polygon, obstacles: Sequence[shapely.Polygon],
                 parameters: WorldParameters) -> None:
        """Put up walls: the outlines of the arena and of the obstacles [m]."""
        self.increment = 2 * math.pi / parameters.scan_beams
        self._angles = self.increment * np.arange(parameters.scan_beams)
        self._range = parameters.scan_range
        self._radius = parameters.robot_radius
        walls = np.concatenate([_sides(polygon) for polygon in (arena, *obstacles)])
        self._ends, self._sides = walls[:, 0], walls[:, 1] - walls[:, 0]
        self._walls = shapely.STRtree(shapely.linestrings(walls))

    def scan(self, poses: Array, who: Sequence[int]) -> Array:
        """
        Return how far each beam of some robots goes before it meets something [m].

        :param poses: true x, y, yaw of all robots [m, rad], shape (n, 3).
        :param who: which robots scan, as places in the order of the robots; m of them.
        :return: shape (m, ``scan_beams``); beam k looks k times the increment to the left of
            ahead; 0 to ``scan_range``, or infinity where there is nothing up to there.
        """
        here = poses[list(who)]
        along = here[:, 2:] + self._angles
        beams = np.stack((np.cos(along), np.sin(along)), axis=-1)
        ranges = np.full(along.shape, math.inf)
        points = shapely.points(here[:, :2])

        looks, wall = self._walls.query(points, predicate='dwithin', distance=self._range)
        np.minimum.at(ranges, looks, _to_walls(
            beams[looks], self._ends[wall] - here[looks, :2], self._sides[wall]))

        robots = shapely.STRtree(shapely.points(poses[:, :2]))
        looks, robot = robots.query(
            points, predicate='dwithin', distance=self._range + self._radius)
        other = robot != np.asarray(who, dtype=np.intp)[looks]
        looks, robot = looks[other], robot[other]
        np.minimum.at(ranges, looks, _to_discs(
            beams[looks], poses[robot, :2] - here[looks, :2], self._radius))

        ranges[ranges > self._range] = math.inf
        return ranges


def _sides(polygon: shapely.Polygon) -> Array:
    """Return the sides of all rings of a polygon, shape (n, 2 ends, 2)."""
    rings = [shapely.get_coordinates(ring) for ring in (polygon.exterior, *polygon.interiors)]
    return np.concatenate([np.stack((ring[:-1], ring[1:]), axis=1) for ring in rings])


def _to_walls(beams: Array, ends: Array, sides: Array) -> Array:
    """
    Return how far beams go to walls, shape (pairs, beams); infinity where they miss.

    ``t beam = end + u side`` is solved for both by cross products; it is a hit where t is not
    negative and u is within 0 and 1.

    :param beams: unit vectors, shape (pairs, beams, 2).
    :param ends: of the walls, as seen from who looks [m], shape (pairs, 2).
    :param sides: from there to the other ends [m], shape (pairs, 2).
    """
    slant = beams[..., 0] * sides[:, None, 1] - beams[..., 1] * sides[:, None, 0]
    offset = ends[:, 0] * sides[:, 1] - ends[:, 1] * sides[:, 0]
    with np.errstate(divide='ignore', over='ignore', invalid='ignore'):
        t = offset[:, None] / slant
        u = (ends[:, None, 0] * beams[..., 1] - ends[:, None, 1] * beams[..., 0]) / slant
    # A beam along a wall, where both are not numbers, meets the walls at its ends.
    hit = (t >= 0.0) & (u >= -_END) & (u <= 1.0 + _END)
    return np.where(hit, t, math.inf)


def _to_discs(beams: Array, centres: Array, radius: float) -> Array:
    """
    Return how far beams go to discs, shape (pairs, beams); infinity where they miss.

    Who looks out of a disc is at it: 0.

    :param beams: unit vectors, shape (pairs, beams, 2).
    :param centres: as seen from who looks [m], shape (pairs, 2).
    """
    ahead = np.einsum('pbi,pi->pb', beams, centres)
    square = np.sum(centres ** 2, axis=1)[:, None]
    # Half a chord, squared: negative where the beam passes by.
    half = radius ** 2 - (square - ahead ** 2)
    near = ahead - np.sqrt(np.maximum(half, 0.0))
    hit = (half >= 0.0) & (ahead >= 0.0)
    return np.where(square <= radius ** 2, 0.0, np.where(hit, near, math.inf))


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
