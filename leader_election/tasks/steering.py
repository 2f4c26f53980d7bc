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
Steering: how a unicycle drives to a place without hitting what its laser scan shows.

A vector field histogram (Borenstein and Koren, IEEE Transactions on Robotics and Automation 7(3),
1991): directions all round the robot are rated by what is in the way, and of those that are open
the one is taken that suits the goal best. As in VFH+ (Ulrich and Borenstein, ICRA 1998) obstacles
are widened by the robot's own size, and turning costs something, or a robot before a long wall
would go to and fro. Two things are added. Passing on the left costs something, too, so that two
that meet head-on both go to their right. And of the gap to what is nearest a robot uses up no more
than half before it looks again, so that two who do the same never meet: each stays on its own side
of the line midway between them (buffered Voronoi cells: Zhou, Wang, Bandyopadhyay and Schwager,
IEEE Robotics and Automation Letters 2(2), 2017).

What it is not: a planner. It knows what it sees now and nothing else, so a dead end, or a room
whose door is not on the way, holds it. Nor does it get out of the way of what drives into it.
"""

from collections.abc import Sequence
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array = NDArray[np.float64]

_DIRECTIONS: _Array = 2 * math.pi * np.arange(72) / 72
"""The directions that are rated, from that of the goal on [rad]."""
_HORIZON = 1.5
"""What is farther away than this does not make a robot go another way [m]."""
_LEFT = 0.6
"""What passing on the left costs, in radians of detour."""
_TURN = 0.5
"""What a radian off the own heading costs, in radians of detour; from 1 on no goal would pull."""
_TOUCHING = 1e-6
"""How far away something is that is too near to be measured [m]."""
_ASIDE = 1e-9
"""The cosine of what is a right angle but for rounding."""


class Scan(NamedTuple):
    """
    What a laser scanner in the robot's centre saw; all angles from ahead to the left [rad].

    A range that is not a number, not within 0 and ``range_max``, or infinite says that nothing is
    there; minus infinity says that something is nearer than can be measured (REP 117).
    """

    ranges: Sequence[float]
    """From the centre to what each beam met [m]; may be empty."""
    angle_min: float
    """Where the first beam looks."""
    increment: float
    """From each beam to the next."""
    range_max: float
    """How far a beam reaches [m]."""


class Limits(NamedTuple):
    """What a robot can do, and what it keeps to; all greater than 0."""

    speed: float = 0.5
    """The greatest forward speed [m/s]; none is backwards."""
    turn_rate: float = 1.5
    """The greatest turning speed, to either side [rad/s]."""
    radius: float = 0.15
    """Of the disc that the robot is [m]."""
    margin: float = 0.1
    """The room that it leaves round itself when it chooses its way; half when it brakes [m]."""
    reaction: float = 0.4
    """For how long it may drive on by one scan: age of the scan and time to the next one [s]."""
    tolerance: float = 0.1
    """So near to its goal it has arrived [m]."""


class _Seen(NamedTuple):
    """What a scan shows, one entry a beam that met something."""

    angles: _Array
    ranges: _Array
    nearest: NDArray[np.bool_]
    """Which are nearer than their neighbours: the nearest points of the bodies there."""


def steer(pose: tuple[float, float, float], goal: tuple[float, float], scan: Scan,
          limits: Limits) -> tuple[float, float]:
    """
    Return forward speed [m/s] and turning speed [rad/s, to the left] for now.

    What stands on the goal itself is driven up to. Goals of several robots should be two radii and
    two margins apart, or who is there first keeps the others away.

    :param pose: the robot's x, y, yaw in the shared frame [m, rad].
    :param goal: x, y in the same frame [m].

    >>> nothing = Scan([], 0.0, 0.0, 4.0)
    >>> steer((0.0, 0.0, 0.0), (3.0, 0.0), nothing, Limits(speed=0.5))
    (0.5, 0.0)
    >>> steer((0.0, 0.0, 0.0), (0.0, 0.1), nothing, Limits(tolerance=0.1))
    (0.0, 0.0)
    """
    east, north = goal[0] - pose[0], goal[1] - pose[1]
    distance = math.hypot(east, north)
    if distance <= limits.tolerance:
        return 0.0, 0.0
    seen = _seen(scan)
    bearing = float(_wrapped(math.atan2(north, east) - pose[2]))
    heading = _choose(bearing, distance, seen, limits.radius + limits.margin)
    turning = min(max(heading / limits.reaction, -limits.turn_rate), limits.turn_rate)
    forward = min(limits.speed * max(0.0, math.cos(heading)), distance / limits.reaction,
                  _safe_speed(turning, seen, limits))
    return forward, turning


def free_way(directions: _Array, angles: _Array, ranges: _Array, keep: float) -> _Array:
    """
    Return how far a disc can go in each direction before it touches a point [m].

    Away from a point it may go even if it touches it now. Infinity: nothing is in the way.

    :param directions: shape (n,) [rad].
    :param angles: where the points are, shape (m,) [rad].
    :param ranges: how far away they are, shape (m,) [m].
    :param keep: the radius of the disc [m].

    >>> ahead_and_left = np.array([0.0, math.pi / 2])
    >>> free_way(ahead_and_left, np.array([0.0]), np.array([2.0]), 0.5).tolist()
    [1.5, inf]
    """
    aside = angles - directions[:, np.newaxis]
    ahead = np.cos(aside)
    # Half of the chord that the way cuts out of a disc round the point, squared.
    half = keep ** 2 - (ranges * np.sin(aside)) ** 2
    way = np.maximum(ranges * ahead - np.sqrt(np.maximum(half, 0.0)), 0.0)
    hit = (half > 0.0) & (ahead > _ASIDE)
    return np.asarray(np.where(hit, way, math.inf).min(axis=1, initial=math.inf))


def _seen(scan: Scan) -> _Seen:
    ranges = np.asarray(scan.ranges, dtype=np.float64)
    ranges = np.where(np.isneginf(ranges), _TOUCHING, ranges)
    there = (ranges > 0.0) & (ranges <= scan.range_max)
    padded = np.pad(np.where(there, ranges, math.inf), 1, constant_values=math.inf)
    nearest = (padded[1:-1] <= padded[:-2]) & (padded[1:-1] <= padded[2:])
    angles = _wrapped(scan.angle_min + scan.increment * np.arange(len(ranges)))
    return _Seen(angles[there], ranges[there], nearest[there])


def _choose(bearing: float, distance: float, seen: _Seen, keep: float) -> float:
    """Return the direction to take [rad]: the goal's if it is open, else the one of least cost."""
    directions = bearing + _DIRECTIONS
    ways = free_way(directions, seen.angles, seen.ranges, keep)
    # In the last bit nothing is driven round: it may be what stands on the goal.
    is_open = ways >= min(max(distance - 2 * keep, 0.0), _HORIZON)
    if is_open[0]:
        return bearing
    if not is_open.any():
        is_open = ways == ways.max()
    detour = _wrapped(_DIRECTIONS)
    cost = np.abs(detour) + _LEFT * (detour > 0.0) + _TURN * np.abs(_wrapped(directions))
    return float(_wrapped(directions[np.argmin(np.where(is_open, cost, math.inf))]))


def _safe_speed(turning: float, seen: _Seen, limits: Limits) -> float:
    """Return how fast a robot that turns so may drive until it has looked again [m/s]."""
    keep = limits.radius + limits.margin / 2
    turn = turning * limits.reaction
    # What stands still is not touched in any direction that the robot will have.
    ways = free_way(np.linspace(0.0, turn, 3), seen.angles, seen.ranges, keep)
    # What moves may use up the other half of the gap, in the direction from the one to the other.
    angles, ranges = seen.angles[seen.nearest], seen.ranges[seen.nearest]
    aside = np.maximum(np.maximum(min(turn, 0.0) - angles, angles - max(turn, 0.0)), 0.0)
    approach = np.cos(aside)
    facing = approach > _ASIDE
    gaps = np.maximum(ranges[facing] - keep, 0.0) / (2 * approach[facing])
    return min(float(ways.min()), float(gaps.min(initial=math.inf))) / limits.reaction


def _wrapped(angles: ArrayLike) -> _Array:
    """Return angles within -pi (inclusive) and pi [rad]."""
    return np.mod(np.asarray(angles, dtype=np.float64) + math.pi, 2 * math.pi) - math.pi
