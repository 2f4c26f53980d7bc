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
Errors of recorded odometry and sightings against a reference, and their sources.

Odometry is compared over *windows*: the motion from their start to their end by odometry
against that by the reference. The covariance that the neighbourhood filter would assign to it is a
sum of sources, each times the square of a parameter (:mod:`leader_election.localisation.noise`).
"""

from collections.abc import Mapping
from typing import NamedTuple

from leader_election.localisation.noise import ACROSS
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEP = 1.0
"""The interval of odometry, that of a filter that receives a message a second [s]."""
LONGEST_GAP = 2.5
"""The longest gap in odometry or reference that is interpolated [s]."""
BLOCK = 30.0
"""The length of a block of errors of one robot in the bootstrap [s]."""


class Recorded(NamedTuple):
    """The recording of one robot; times on a common clock [s], in increasing order."""

    odometry: Array
    """t, x, y, yaw [s, m, rad], in a frame of its own, shape (n, 4); yaw is continuous."""
    reference: Array
    """True t, x, y, yaw in a frame that all robots share, shape (m, 4); yaw is continuous."""
    sightings: Array = np.zeros((0, 4))
    """t, id, range, bearing [s, m, rad], NaN where not measured, shape (k, 4)."""


Robots = Mapping[int, Recorded]
Places = Mapping[int, tuple[float, float]]


class Errors(NamedTuple):
    """Errors, and the covariance of each for a unit of each source of noise."""

    errors: Array
    """Shape (n, k)."""
    sources: Array
    """Shape (n, p, k, k)."""
    blocks: NDArray[np.int64]
    """The number of the block of each error, shape (n,)."""

    def thinned(self, most: int) -> 'Errors':
        """Return every second, third, ... of them, so that no more than ``most`` remain."""
        step = max(-(-len(self.errors) // most), 1)
        return Errors(self.errors[::step], self.sources[::step],
                      np.unique(self.blocks[::step], return_inverse=True)[1])


class Sightings(NamedTuple):
    """Sightings and their errors, shape (n,) each."""

    observer: NDArray[np.int64]
    seen: NDArray[np.int64]
    time: Array
    distance: Array
    """The true distance [m]."""
    range_error: Array
    """Measured less true [m]; NaN: not measured."""
    bearing_error: Array
    """Measured less true, in [-pi, pi) [rad]; NaN: not measured."""


def motions(poses: Array) -> Array:
    """
    Return the motion from each pose to the next, in the frame of the former.

    :param poses: x, y, yaw, shape (..., n, 3); yaw is continuous.
    :return: shape (..., n - 1, 3).
    """
    return relative(poses[..., :-1, :], poses[..., 1:, :])


def relative(poses: Array, others: Array) -> Array:
    """Return poses relative to others, shape (..., 3) each."""
    x, y, turn = np.moveaxis(others - poses, -1, 0)
    cos, sin = np.cos(poses[..., 2]), np.sin(poses[..., 2])
    return np.stack((cos * x + sin * y, cos * y - sin * x, turn), axis=-1)


def sampled(rows: Array, times: Array) -> Array:
    """
    Return the values of rows at some times, interpolated, NaN where the rows have a gap.

    :param rows: t, and k values, shape (n, k + 1).
    :return: shape (len(times), k).
    """
    after = np.searchsorted(rows[:, 0], times).clip(1, len(rows) - 1)
    gap = rows[after, 0] - rows[after - 1, 0]
    inside = (gap <= LONGEST_GAP) & (rows[0, 0] <= times) & (times <= rows[-1, 0])
    found = np.stack([np.interp(times, rows[:, 0], values) for values in rows[:, 1:].T], axis=-1)
    found[~inside] = np.nan
    return found


def step_sources(steps: Array, duration: float) -> Array:
    """
    Return the covariances of motions for a unit of each parameter of odometry's noise.

    :param steps: shape (..., 3).
    :return: of position, turn, heading, rest, in the frame of each begin, shape (..., 4, 3, 3).
    """
    way, turn = np.hypot(steps[..., 0], steps[..., 1]), np.abs(steps[..., 2])
    time = np.full_like(way, duration)
    none = np.zeros_like(way)
    along = np.stack((way, none, none, time), axis=-1)
    heading = np.stack((none, turn, way, time), axis=-1)
    way = way[..., np.newaxis]
    found = np.zeros((*along.shape, 3, 3))
    found[..., 0, 0] = along
    found[..., 1, 1] = ACROSS * along + heading * way ** 2 / 4.0
    found[..., 1, 2] = found[..., 2, 1] = heading * way / 2.0
    found[..., 2, 2] = heading
    return found


def odometry_windows(robots: Robots, window: float,
                     scales: tuple[float, float] = (1.0, 1.0)) -> Errors:
    """
    Return the errors of odometry over windows one after the other.

    :param window: their length [s], a multiple of :data:`STEP`.
    :param scales: factors by which odometry is first corrected: of its length, of its turn.
    :return: errors along, across [m] and of the heading [rad], in the frame of each begin.
    """
    count = round(window / STEP)
    parts: list[Errors] = []
    blocks = 0
    for robot in robots.values():
        begin = max(robot.odometry[0, 0], robot.reference[0, 0])
        end = min(robot.odometry[-1, 0], robot.reference[-1, 0])
        n = int((end - begin + 1e-6) / window)
        if n < 1:
            continue
        times = begin + STEP * np.arange(n * count + 1)
        steps = motions(sampled(robot.odometry, times)).reshape(n, count, 3)
        steps = steps * (scales[0], scales[0], scales[1])
        truth = motions(sampled(robot.reference, times[::count]))
        composed, sources = _compose(steps)
        errors = truth - composed
        good = ~np.isnan(errors).any(axis=1)
        block = np.arange(n) // max(round(BLOCK / window), 1)
        parts.append(Errors(errors[good], sources[good], (block + blocks)[good]))
        blocks += int(block[-1]) + 1
    return _together(parts)


def _compose(steps: Array) -> tuple[Array, Array]:
    """Return the motion over each window (n, 3), and its sources of error (n, 4, 3, 3)."""
    n = len(steps)
    pose, sources = np.zeros((n, 3)), np.zeros((n, 4, 3, 3))
    each = step_sources(steps, STEP)
    forward, turned = np.zeros((2, n, 1, 3, 3))
    forward[:] = turned[:] = np.eye(3)
    for k in range(steps.shape[1]):
        cos, sin = np.cos(pose[:, 2]), np.sin(pose[:, 2])
        x = cos * steps[:, k, 0] - sin * steps[:, k, 1]
        y = sin * steps[:, k, 0] + cos * steps[:, k, 1]
        forward[:, 0, 0, 2], forward[:, 0, 1, 2] = -y, x
        turned[:, 0, 0, 0] = turned[:, 0, 1, 1] = cos
        turned[:, 0, 1, 0], turned[:, 0, 0, 1] = sin, -sin
        sources = (forward @ sources @ np.swapaxes(forward, 2, 3)
                   + turned @ each[:, k] @ np.swapaxes(turned, 2, 3))
        pose = pose + np.stack((x, y, steps[:, k, 2]), axis=-1)
    return pose, sources


def _together(parts: list[Errors]) -> Errors:
    if not parts:
        return Errors(np.zeros((0, 3)), np.zeros((0, 4, 3, 3)), np.zeros(0, dtype=np.int64))
    errors, sources, blocks = (np.concatenate(columns) for columns in zip(*parts))
    return Errors(errors, sources, np.unique(blocks, return_inverse=True)[1])


def compared_sightings(robots: Robots, places: Places, interval: float) -> Sightings:
    """
    Return the sightings whose true values are known.

    :param places: of landmarks, by id [m].
    :param interval: only the first sighting of a pair in this time is used [s].
    """
    rows: list[Array] = []
    for observer, robot in robots.items():
        table = robot.sightings
        for seen in np.unique(table[:, 1]):
            own = table[table[:, 1] == seen]
            own = own[np.unique(np.floor(own[:, 0] / interval), return_index=True)[1]]
            there = _places_at(robots, places, int(seen), own[:, 0])
            if there is None or int(seen) == observer:
                continue
            here = sampled(robot.reference, own[:, 0])
            x, y = (there - here[:, :2]).T
            distance = np.hypot(x, y)
            bearing = own[:, 3] - np.arctan2(y, x) + here[:, 2]
            rows.append(np.stack((
                np.full(len(own), float(observer)), own[:, 1], own[:, 0], distance,
                own[:, 2] - distance, (bearing + np.pi) % (2.0 * np.pi) - np.pi)))
    found = np.concatenate(rows, axis=1) if rows else np.zeros((6, 0))
    found = found[:, ~np.isnan(found[3])]
    return Sightings(found[0].astype(np.int64), found[1].astype(np.int64), *found[2:])


def _places_at(robots: Robots, places: Places, seen: int, times: Array) -> Array | None:
    if seen in robots:
        return sampled(robots[seen].reference, times)[:, :2]
    return np.tile(places[seen], (len(times), 1)) if seen in places else None


def sighting_blocks(sightings: Sightings, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the blocks of the chosen sightings: of one pair, and one stretch of time."""
    stretch = np.floor(sightings.time[chosen] / BLOCK)
    columns = np.stack((sightings.observer[chosen], sightings.seen[chosen], stretch), axis=-1)
    blocks: NDArray[np.int64] = np.unique(columns, axis=0, return_inverse=True)[1].ravel()
    return blocks


def sighting_age(robots: Robots, sightings: Sightings) -> float | None:
    """
    Return the median time for which distances depend on odometry alone: the age of sightings [s].

    The age, at any time, of the latest sighting of a pair of robots by either of them, while
    they are as close as in nine of ten sightings. ``None`` without sightings of robots.
    """
    of_robots = np.isin(sightings.seen, list(robots))
    if not of_robots.any():
        return None
    reach = float(np.quantile(sightings.distance[of_robots], 0.9))
    pairs = np.sort(np.stack((sightings.observer, sightings.seen)), axis=0)
    ages: list[Array] = []
    for one, other in np.unique(pairs[:, of_robots], axis=1).T:
        times = np.sort(sightings.time[(pairs[0] == one) & (pairs[1] == other)])
        grid = np.arange(times[0], _end(robots[int(one)], robots[int(other)]), STEP)
        apart = (sampled(robots[int(one)].reference, grid)
                 - sampled(robots[int(other)].reference, grid))
        near = np.hypot(apart[:, 0], apart[:, 1]) <= reach
        ages.append((grid - times[np.searchsorted(times, grid, side='right') - 1])[near])
    every = np.concatenate(ages)
    return float(np.median(every)) if len(every) else None


def _end(one: Recorded, other: Recorded) -> float:
    return min(float(one.reference[-1, 0]), float(other.reference[-1, 0]))
