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
Simulated sensors: a scalar field, ranging radios, cameras, and laser scanners.

Cameras see neighbours and landmarks.

A sighting is a row: the row of the observer, the id of the target, the range [m], the bearing
[rad], counter-clockwise of straight ahead, in [-pi, pi). A value that was not measured is NaN.
Logged sightings may have four more columns: the places of both antennas.

:class:`Lidar` simulates the laser scanners of all robots. :class:`MapLidar` computes the scan of
one robot without a scanner from a known map and from the positions that other robots report.
"""

from collections.abc import Mapping, Sequence
import math
from typing import Protocol

from leader_election.simulation.motion import Array
from leader_election.simulation.parameters import SightingSensorParameters
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.scene import Arena, LineOfSight
import numpy as np
from numpy.typing import NDArray
import shapely

_TOLERANCE = 1e-6
"""The share of a period by which rounding may let a step appear early."""


class RateLimiter:
    """
    A rate in simulated time, for a world that advances in steps: due at most once a step.

    >>> five = RateLimiter(5.0)
    >>> [now for now in (0.1, 0.2, 0.3, 0.4, 0.8, 0.9) if five.due(now)]
    [0.1, 0.2, 0.4, 0.8]
    """

    def __init__(self, rate: float) -> None:
        """
        Start with the first period.

        :param rate: [Hz], not negative, 0 for never.
        """
        self._rate = rate
        self._next = 0

    def due(self, now: float) -> bool:
        """
        Return whether a new period has begun: once a period. Missed periods are skipped.

        :param now: the simulated time [s], not decreasing.
        """
        # Periods are counted from time 0, so that the mean rate is exact at any step rate.
        period = math.floor(now * self._rate + _TOLERANCE)
        if self._rate == 0.0 or period < self._next:
            return False
        self._next = period + 1
        return True


def contours(peaks: Sequence[float]) -> list[list[tuple[float, float]]]:
    """
    Return circles round the peaks of the field, where a peak has a half, and 9/10, of its height.

    >>> [round(circle[0][0] - 1.0, 2) for circle in contours((1.0, 2.0, 1.0, 3.0))]
    [3.53, 1.38]
    """
    angles = np.linspace(0.0, 2.0 * np.pi, 49)
    return [[(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]
            for x, y, _, width in np.reshape(peaks, (-1, 4)).tolist()
            for radius in (width * math.sqrt(2.0 * math.log(1.0 / share)) for share in (0.5, 0.9))]


def field_values(peaks: Sequence[float], positions: Array) -> Array:
    """
    Return the values of a scalar quantity over the plane, such as temperature.

    Each peak adds ``height * exp(-distance² / (2 width²))``.

    :param peaks: parameter ``reading_peaks``.
    :param positions: x, y (further columns are ignored) [m], shape (n, 2 or more).
    :return: shape (n,).
    """
    x, y, height, width = np.reshape(peaks, (-1, 4)).T
    square = (positions[:, :1] - x) ** 2 + (positions[:, 1:2] - y) ** 2
    return np.asarray(np.exp(-square / (2 * width ** 2)) @ height)


OBSERVER = 0
"""The column of the observer in sightings."""
NO_SIGHTINGS: Array = np.empty((0, 4))
REFLECTED = 0.8
"""The share of a ranging radio's outliers that are reflections."""
DETOUR = 0.3
"""The least error of a reflection [m]."""
MEAN_DETOUR = 1.5
"""The mean of the further error of a reflection, exponentially distributed [m]."""
ANYWHERE = 0.1, 10.0
"""The limits of other outliers [m]."""
SHORTEST = 0.01
"""The shortest range that is measured [m]."""
RANGING_NOISE, RANGING_LOSS = 0.1, 0.1
"""Ranging radios: standard deviation [m], and the probability that a measurement fails."""
CAMERA_RANGE, FIELD_OF_VIEW = 5.0, 1.18
"""Cameras: range [m], and angle of view [rad]."""
CAMERA_NOISE, CAMERA_NOISE_SCALE, BEARING_NOISE = 0.05, 0.05, 0.02
"""Cameras: standard deviations of ranges [m], as a share of the range, and of bearings [rad]."""
CAMERA_LOSS, CAMERA_OUTLIERS = 0.5, 0.02
"""Cameras: the probability that an object in view is not identified, and the share of outliers."""


class SightingSensor(Protocol):
    """A kind of sensor, one on each robot."""

    def observe(self, now: float, poses: Array, observers: Sequence[int]) -> Array:
        """
        Return the sightings that are new at a time.

        :param now: the simulated time [s], not decreasing.
        :param poses: true x, y, yaw of all robots [m, rad], shape (n, 3).
        :param observers: the rows of the robots whose sightings are wanted.
        :return: shape (m, 4 or 8), in the order of the observers' rows.
        """


class Ranging:
    """Ranging radios: each robot measures the range of every other one independently."""

    def __init__(self, ids: Sequence[int], parameters: SightingSensorParameters,
                 rng: np.random.Generator) -> None:
        """
        Start with the first period.

        :param ids: of the robots, in the order of their rows.
        :param parameters: all whose names begin with ``ranging_``.
        :param rng: the source of all chance.
        """
        self._ids = np.array(ids, dtype=float)
        self._rate = RateLimiter(parameters.ranging_rate)
        self._rng = rng
        self.configure(parameters)

    def configure(self, parameters: SightingSensorParameters) -> None:
        """Apply changed parameters, those that are dynamic."""
        self._parameters = parameters

    def observe(self, now: float, poses: Array, observers: Sequence[int]) -> Array:
        """Measure the ranges if they are due (:class:`SightingSensor`)."""
        if not self._rate.due(now) or not len(observers):
            return NO_SIGHTINGS
        observer, other, distance = _pairs(
            poses[:, :2], poses[:, :2], observers, self._parameters.ranging_range)
        kept = self._rng.random(len(distance)) >= RANGING_LOSS
        observer, other, distance = observer[kept], other[kept], distance[kept]
        return np.column_stack((observer, self._ids[other], self._measured(distance),
                                np.full(len(distance), math.nan)))

    def _measured(self, distance: Array) -> Array:
        p, rng, count = self._parameters, self._rng, len(distance)
        measured = distance + p.ranging_bias + RANGING_NOISE * rng.standard_normal(count)
        kind = rng.random(count)
        outlier = kind < p.ranging_outliers
        if outlier.any():
            reflected = distance + DETOUR + rng.exponential(MEAN_DETOUR, count)
            wrong = np.where(kind < REFLECTED * p.ranging_outliers, reflected,
                             rng.uniform(*ANYWHERE, count))
            measured = np.where(outlier, wrong, measured)
        return np.maximum(measured, SHORTEST)


class Camera:
    """Cameras that look ahead and identify the robots and landmarks in view, by their tags."""

    def __init__(self, ids: Sequence[int], landmarks: Mapping[int, tuple[float, float]],
                 line_of_sight: LineOfSight, parameters: SightingSensorParameters,
                 rng: np.random.Generator) -> None:
        """
        Start with the first period.

        :param ids: of the robots, in the order of their rows.
        :param landmarks: x, y of each landmark, by its id [m].
        :param line_of_sight: through the obstacles.
        :param parameters: ``camera_rate``.
        :param rng: the source of all chance.
        """
        self._ids = np.array([*ids, *landmarks], dtype=float)
        self._landmarks = np.reshape(list(landmarks.values()), (-1, 2))
        self._sight = line_of_sight
        self._rate = RateLimiter(parameters.camera_rate)
        self._rng = rng

    def observe(self, now: float, poses: Array, observers: Sequence[int]) -> Array:
        """Take the pictures if they are due (:class:`SightingSensor`)."""
        if not self._rate.due(now) or not len(observers):
            return NO_SIGHTINGS
        rng = self._rng
        places = np.concatenate((poses[:, :2], self._landmarks))
        observer, other, distance = _pairs(
            places, poses[:, :2], observers, CAMERA_RANGE)
        there = places[other] - poses[observer, :2]
        bearing = _wrapped(np.arctan2(there[:, 1], there[:, 0]) - poses[observer, 2])
        half = FIELD_OF_VIEW / 2
        # The cheapest tests are first: the line of sight is only tested within the field of view.
        kept = np.flatnonzero(np.abs(bearing) <= half)
        kept = kept[self._sight.clear(poses[observer[kept], :2], places[other[kept]])]
        kept = kept[rng.random(len(kept)) >= CAMERA_LOSS]
        count = len(kept)
        observer, other, distance, bearing = (
            observer[kept], other[kept], distance[kept], bearing[kept])
        deviation = np.hypot(CAMERA_NOISE, CAMERA_NOISE_SCALE * distance)
        measured = distance + deviation * rng.standard_normal(count)
        bearing = bearing + BEARING_NOISE * rng.standard_normal(count)
        outlier = rng.random(count) < CAMERA_OUTLIERS
        if outlier.any():
            measured = np.where(outlier, rng.uniform(0.0, CAMERA_RANGE, count), measured)
            bearing = np.where(outlier, rng.uniform(-half, half, count), bearing)
        return np.column_stack((observer, self._ids[other], np.maximum(measured, SHORTEST),
                                _wrapped(bearing)))


def _pairs(places: Array, robots: Array, observers: Sequence[int], reach: float,
           ) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """
    Return the pairs of an observer and a place within its reach, other than its own.

    :param places: those of the robots, and any further ones [m], shape (n or more, 2).
    :param robots: the places of the robots [m], shape (n, 2).
    :param observers: rows.
    :param reach: [m], inclusive.
    :return: rows of observers, rows of places, distances [m], ascending.
    """
    rows = np.asarray(observers, dtype=np.intp)
    number, other = shapely.STRtree(shapely.points(places)).query(
        shapely.points(robots[rows]), predicate='dwithin', distance=reach)
    observer = rows[number]
    order = np.lexsort((other, observer))
    order = order[(other != observer)[order]]
    observer, other = observer[order], other[order]
    return observer, other, np.hypot(*(places[other] - robots[observer]).T)


def _wrapped(angles: Array) -> Array:
    """Return angles in [-pi, pi)."""
    return np.asarray(np.remainder(angles + math.pi, 2 * math.pi) - math.pi)


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
