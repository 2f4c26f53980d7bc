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
Laser scanners: ranges to walls, obstacles and other robots.

:class:`Lidar` simulates the scanners of all robots. :class:`MapLidar` computes the scan of one
robot without a scanner from a known map and from the positions that other robots report.
"""

from collections.abc import Sequence
import math

from leader_election.simulation.motion import Array
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.scene import Arena
import numpy as np
import shapely

_WALL_OVERLAP = 1e-9
"""The share of its length by which a wall is extended at each end, to leave no gap at corners."""
SCAN_BEAMS, SCAN_RANGE = 36, 4.0
"""The beams of a simulated scanner, and its range [m]."""
MAP_LIDAR_BEAMS = 72
"""One beam every five degrees."""
MAP_LIDAR_RANGE = 4.0
"""The range of :class:`MapLidar` [m]."""
STALE_AFTER = 3.0
"""The age of a position from which on its robot is assumed to have stopped there [s]."""


class Lidar:
    """
    Laser scanners without noise, one in the centre of each robot, all of one kind.

    Other robots are discs. Spatial indices find the objects within range, so
    that the cost of a scan depends on the number of objects nearby, not on the size of the world.

    :ivar increment: the angle from a beam to the next one, counter-clockwise [rad].
    """

    def __init__(self, arena: shapely.Polygon, obstacles: Sequence[shapely.Polygon],
                 beams: int = SCAN_BEAMS, reach: float = SCAN_RANGE,
                 robot_radius: float = RADIUS) -> None:
        """
        Index the walls: the outlines of the arena and of the obstacles.

        :param arena: [m].
        :param obstacles: [m].
        :param beams: their number, evenly over the full circle.
        :param reach: the range [m].
        :param robot_radius: [m].
        """
        self.increment = 2 * math.pi / beams
        self._angles = self.increment * np.arange(beams)
        self._range = reach
        self._radius = robot_radius
        walls = np.concatenate([_polygon_sides(polygon) for polygon in (arena, *obstacles)])
        self._ends, self._sides = walls[:, 0], walls[:, 1] - walls[:, 0]
        self._walls = shapely.STRtree(shapely.linestrings(walls))

    def scan(self, poses: Array, scanning: Sequence[int]) -> Array:
        """
        Return the scans of some robots.

        :param poses: true x, y, yaw of all robots [m, rad], shape (n, 3).
        :param scanning: the rows of the m robots that scan.
        :return: ranges [m], shape (m, beams), each 0 to the range, or infinity for
            nothing within range; beam k points k increments counter-clockwise of straight ahead.
        """
        here = poses[list(scanning)]
        along = here[:, 2:] + self._angles
        beams = np.stack((np.cos(along), np.sin(along)), axis=-1)
        ranges = np.full(along.shape, math.inf)
        points = shapely.points(here[:, :2])

        # The queries give pairs of a scanning robot and an object; minimum.at reduces them.
        scanner, wall = self._walls.query(points, predicate='dwithin', distance=self._range)
        np.minimum.at(ranges, scanner, _ranges_to_walls(
            beams[scanner], self._ends[wall] - here[scanner, :2], self._sides[wall]))

        robots = shapely.STRtree(shapely.points(poses[:, :2]))
        scanner, robot = robots.query(
            points, predicate='dwithin', distance=self._range + self._radius)
        other = robot != np.asarray(scanning, dtype=np.intp)[scanner]
        scanner, robot = scanner[other], robot[other]
        np.minimum.at(ranges, scanner, _ranges_to_discs(
            beams[scanner], poses[robot, :2] - here[scanner, :2], self._radius))

        ranges[ranges > self._range] = math.inf
        return ranges


def _polygon_sides(polygon: shapely.Polygon) -> Array:
    """Return the sides of all rings of a polygon, shape (n, 2 ends, 2)."""
    rings = [shapely.get_coordinates(ring) for ring in (polygon.exterior, *polygon.interiors)]
    return np.concatenate([np.stack((ring[:-1], ring[1:]), axis=1) for ring in rings])


def _ranges_to_walls(beams: Array, ends: Array, sides: Array) -> Array:
    """
    Return the ranges of beams to walls, shape (pairs, beams), infinity where a beam misses.

    Cross products solve ``t beam = end + u side`` for t and u. A beam hits where t is not negative
    and u is between 0 and 1.

    :param beams: unit vectors, shape (pairs, beams, 2).
    :param ends: one end of each wall, relative to the scanner [m], shape (pairs, 2).
    :param sides: from there to the other end [m], shape (pairs, 2).
    """
    slant = beams[..., 0] * sides[:, None, 1] - beams[..., 1] * sides[:, None, 0]
    offset = ends[:, 0] * sides[:, 1] - ends[:, 1] * sides[:, 0]
    with np.errstate(divide='ignore', over='ignore', invalid='ignore'):
        t = offset[:, None] / slant
        u = (ends[:, None, 0] * beams[..., 1] - ends[:, None, 1] * beams[..., 0]) / slant
    # For a beam along a wall t and u are nan. It hits the walls at the ends of this one.
    hit = (t >= 0.0) & (u >= -_WALL_OVERLAP) & (u <= 1.0 + _WALL_OVERLAP)
    return np.where(hit, t, math.inf)


def _ranges_to_discs(beams: Array, centres: Array, radius: float) -> Array:
    """
    Return the ranges of beams to discs, shape (pairs, beams), infinity where a beam misses.

    From inside a disc the range is 0.

    :param beams: unit vectors, shape (pairs, beams, 2).
    :param centres: relative to the scanner [m], shape (pairs, 2).
    :param radius: of the discs [m].
    """
    ahead = np.einsum('pbi,pi->pb', beams, centres)
    square = np.sum(centres ** 2, axis=1)[:, None]
    # The square of half the chord, negative if the beam passes the disc.
    half = radius ** 2 - (square - ahead ** 2)
    near = ahead - np.sqrt(np.maximum(half, 0.0))
    hit = (half >= 0.0) & (ahead >= 0.0)
    return np.where(square <= radius ** 2, 0.0, np.where(hit, near, math.inf))


class MapLidar:
    """
    Computes scans from a known arena and from reported positions, in place of a laser scanner.

    :ivar increment: the angle from a beam to the next one, counter-clockwise [rad]; the first beam
        points straight ahead.
    """

    def __init__(self, arena: Arena, robot_radius: float, speed: float) -> None:
        """
        Index the walls of the arena.

        :param arena: the map.
        :param robot_radius: the other robots are discs of this radius [m].
        :param speed: the greatest speed of the other robots [m/s].
        """
        self._lidar = Lidar(arena.outline, arena.obstacles, MAP_LIDAR_BEAMS, MAP_LIDAR_RANGE,
                            robot_radius)
        self._contact_distance = 2 * robot_radius
        self._speed = speed
        self.increment = self._lidar.increment

    def scan(self, pose: tuple[float, float, float], others: Array) -> Array:
        """
        Return the scan at a pose.

        :param pose: true x, y, yaw [m, rad].
        :param others: x, y of the other robots [m] and the age of these positions [s], shape
            (n, 3).
        :return: ranges [m], shape (72,), infinity for nothing within range.

        >>> import shapely
        >>> lidar = MapLidar(Arena(shapely.box(-2, -2, 2, 2), ()), 0.25, 0.5)
        >>> ranges = lidar.scan((0.0, 0.0, 0.0), np.array([[0.0, 1.5, 0.0]]))
        >>> ranges[[0, MAP_LIDAR_BEAMS // 4]].tolist()
        [2.0, 1.25]
        """
        here = np.array([pose])
        near = nearest_possible(here[0, :2], others, self._speed, self._contact_distance)
        poses = np.vstack((here, np.column_stack((near, np.zeros(len(near))))))
        return self._lidar.scan(poses, [0])[0]


def nearest_possible(here: Array, others: Array, speed: float, contact_distance: float) -> Array:
    """
    Return the positions nearest to a point that other robots may have reached by now.

    Reported positions are old: since then a robot may have approached at full speed, until the two
    touch. A robot that has not reported for long (:data:`STALE_AFTER`) is where it was.

    :param here: x, y [m].
    :param others: x, y [m] and the age of these positions [s], shape (n, 3).
    :param speed: the greatest speed of the others [m/s].
    :param contact_distance: the distance between centres of two robots that touch [m].
    :return: x, y [m], shape (n, 2).

    >>> others = np.array([[2.0, 0.0, 1.0], [0.0, 0.6, 1.0], [0.0, 3.0, 60.0]])
    >>> nearest_possible(np.zeros(2), others, speed=0.5, contact_distance=0.4).tolist()
    [[1.5, 0.0], [0.0, 0.4], [0.0, 3.0]]
    """
    away = others[:, :2] - here
    distance = np.hypot(away[:, 0], away[:, 1])
    approach = np.where(others[:, 2] > STALE_AFTER, 0.0, speed * np.maximum(others[:, 2], 0.0))
    left = np.maximum(distance - approach, np.minimum(distance, contact_distance))
    share = np.divide(left, distance, out=np.ones_like(distance), where=distance > 0.0)
    return np.asarray(here + away * share[:, np.newaxis])
