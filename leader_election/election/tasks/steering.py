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
Local obstacle avoidance: drives a unicycle to a goal past the obstacles in its laser scan.

A vector field histogram (Borenstein and Koren, IEEE Transactions on Robotics and Automation 7(3),
1991) rates the directions round the robot by the obstacles in them, and takes the open one of
least cost. As in VFH+ (Ulrich and Borenstein, ICRA 1998) obstacles are widened by the robot's own
size. Turning has a cost, since otherwise a robot in front of a long wall would oscillate.

Two things are added. Passing an obstacle on the left has a cost, too, so two robots that meet
head-on both move to their right. Before the next decision a robot uses at most half of the gap to
the nearest obstacle. So two robots with this rule never collide, because each stays on its own
side of the line midway between them (buffered Voronoi cells: Zhou, Wang, Bandyopadhyay and
Schwager, IEEE Robotics and Automation Letters 2(2), 2017).

This is not a planner. It uses only the present scan, so the robot stays in a dead end, or in a
room whose door is not on its way. It does not evade objects that drive into the robot.

What a scanner does not see, a robot finds by touching it or by being stuck (:class:`Progress`). As
vacuum robots do, it then backs off, turns away at random, and drives on a little before it heads
for its goal again (:class:`Escape`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from random import Random
from typing import NamedTuple

from leader_election.parameters import parameter
import numpy as np
from numpy.typing import ArrayLike, NDArray

_Array = NDArray[np.float64]
Pose = tuple[float, float, float]
"""x, y, yaw [m, rad]."""

_DIRECTIONS: _Array = 2 * math.pi * np.arange(72) / 72
"""The directions that are rated, relative to that of the goal [rad]."""
_HORIZON = 1.5
"""An obstacle farther away than this does not change the heading [m]."""
_LEFT_COST, _TURN_COST = 0.6, 0.5
"""The costs of passing on the left, and of a radian off the heading, in radians of detour."""
_TOO_NEAR = 1e-6
"""The assumed range of an obstacle that is too near to be measured [m]."""
_EPSILON = 1e-9
"""The cosine of a right angle, up to rounding."""


class Scan(NamedTuple):
    """
    A laser scan from the robot's centre; all angles from the robot's heading to the left [rad].

    A range that is nan, outside of 0 to ``range_max``, or infinite means no obstacle. Minus
    infinity means an obstacle too near to be measured (REP 117).
    """

    ranges: Sequence[float]
    """The distance to the obstacle on each beam [m]. It may be empty."""
    angle_min: float
    increment: float
    range_max: float
    """The greatest range that the scanner measures [m]."""


def scan_fault(scan: Scan) -> str:
    """
    Return the reason why a scan cannot be right, empty if it can.

    Beams without a value count as free space, so a scan without any value would let a robot drive
    anywhere.

    >>> scan_fault(Scan([2.0, math.inf], 0.0, 0.1, 4.0))
    ''
    >>> scan_fault(Scan([300.0], 0.0, 0.1, 4.0))
    'no range is a distance up to range_max, 4 m'
    >>> scan_fault(Scan([2.0, 2.0], 3.0, 0.1, 4.0))
    'no beam points ahead; the nearest one is at 3.00 rad (scan_yaw?)'
    """
    ranges = np.asarray(scan.ranges, dtype=np.float64)
    if not len(ranges):
        return 'it has no ranges'
    if not 0.0 < scan.range_max <= 1000.0:
        return f'range_max is {scan.range_max:g}; it takes metres, 0 to 1000'
    turn = (len(ranges) - 1) * abs(scan.increment)
    # The beams of a whole turn may overlap a little.
    if not math.isfinite(scan.angle_min) or len(ranges) > 1 and not (
            abs(scan.increment) >= 1e-6 and turn <= 1.05 * 2.0 * math.pi):
        return (f'angle_min is {scan.angle_min:g} and angle_increment {scan.increment:g} with '
                f'{len(ranges)} ranges; they take radians, and one turn in all')
    angles = _wrapped(scan.angle_min + scan.increment * np.arange(len(ranges)))
    if np.abs(angles).min() > max(0.35, abs(scan.increment)):
        return (f'no beam points ahead; the nearest one is at {np.abs(angles).min():.2f} rad '
                '(scan_yaw?)')
    # 0 is no range: scanners send it on all beams when they are covered or broken. REP 117 has
    # infinity for a beam that meets nothing, and values beyond range_max are to be discarded.
    if not (np.isinf(ranges) | (ranges > 0.0) & (ranges <= scan.range_max)).any():
        return f'no range is a distance up to range_max, {scan.range_max:g} m'
    return ''


@dataclass(frozen=True)
class DrivingParameters:
    """The parameters of a robot that is driven: its body, its scanner and its wheels."""

    speed: float = parameter(
        0.5, 'The greatest forward speed.', unit='m/s', lower=0.01, upper=20.0)
    turn_rate: float = parameter(
        1.5, 'The greatest turning speed.', unit='rad/s', lower=0.01, upper=20.0)
    robot_radius: float = parameter(
        0.15, 'The robot is a disc of this radius round its laser scanner.',
        unit='m', lower=0.01, upper=100.0)
    margin: float = parameter(
        0.1, 'The clearance that the robot keeps round itself.', unit='m', lower=0.01, upper=100.0)
    reaction: float = parameter(
        0.4, 'The time for which the robot may drive with one scan: the age of the scan plus the '
        'time to the next one. It stops without a newer scan.', unit='s', lower=0.01, upper=100.0)
    scan_yaw: float = parameter(
        0.0, 'The rotation of the laser scanner relative to the robot, to the left: the '
        'direction of its beam of angle 0. 1.5708 on a TurtleBot 4.',
        unit='rad', lower=-3.1416, upper=3.1416)
    stamped: bool = parameter(
        False, 'Publish cmd_vel as TwistStamped, which newer drivers expect, instead of Twist.')
    tolerance: float = parameter(
        0.1, 'The distance at which a goal is reached.', unit='m', lower=0.001, upper=100.0)
    patience: float = parameter(
        6.0, 'The time without progress after which a goal is given up for the next one.',
        unit='s', lower=0.1, upper=1e6)


def minimum_spacing(parameters: DrivingParameters) -> float:
    """
    Return the distance that the goals of two robots need, for both to be reached [m].

    >>> minimum_spacing(DrivingParameters(robot_radius=0.15, margin=0.1))
    0.5
    """
    return 2 * (parameters.robot_radius + parameters.margin)


class _Obstacles(NamedTuple):
    """The obstacles in a scan, one entry for each beam with an obstacle."""

    angles: _Array
    ranges: _Array
    nearest: NDArray[np.bool_]
    """Which are nearer than both neighbours: the nearest points of bodies."""


def steer(pose: Pose, goal: tuple[float, float], scan: Scan,
          limits: DrivingParameters) -> tuple[float, float]:
    """
    Return the forward speed [m/s] and the turning speed [rad/s, to the left] to command now.

    An obstacle on the goal itself is driven up to. The goals of several robots should be
    :func:`minimum_spacing` apart, or the robot that arrives first keeps the others away.

    :param pose: the robot's x, y, yaw in the frame of the goal [m, rad].
    :param goal: x, y [m].
    :param scan: the present scan.
    :param limits: the limits of the robot's motion.

    >>> nothing = Scan([], 0.0, 0.0, 4.0)
    >>> steer((0.0, 0.0, 0.0), (3.0, 0.0), nothing, DrivingParameters(speed=0.5))
    (0.5, 0.0)
    >>> steer((0.0, 0.0, 0.0), (0.0, 0.1), nothing, DrivingParameters(tolerance=0.1))
    (0.0, 0.0)
    """
    east, north = goal[0] - pose[0], goal[1] - pose[1]
    distance = math.hypot(east, north)
    if distance <= limits.tolerance:
        return 0.0, 0.0
    obstacles = _obstacles_in(scan)
    bearing = float(_wrapped(math.atan2(north, east) - pose[2]))
    heading = _choose_heading(bearing, distance, obstacles, limits.robot_radius + limits.margin)
    turning = min(max(heading / limits.reaction, -limits.turn_rate), limits.turn_rate)
    forward = min(limits.speed * max(0.0, math.cos(heading)), distance / limits.reaction,
                  _safe_speed(turning, obstacles, limits))
    return forward, turning


def safe_reverse(scan: Scan, limits: DrivingParameters) -> float:
    """
    Return the speed at which the robot may drive straight backwards until the next scan [m/s].

    >>> behind = Scan([0.6], math.pi, 0.1, 4.0)
    >>> limits = DrivingParameters(robot_radius=0.15, margin=0.1, reaction=0.4)
    >>> round(safe_reverse(behind, limits), 3)
    0.5
    """
    turned = scan._replace(angle_min=scan.angle_min + math.pi)
    return _safe_speed(0.0, _obstacles_in(turned), limits)


def free_distance(directions: _Array, angles: _Array, ranges: _Array, radius: float) -> _Array:
    """
    Return the distance that a disc can move in each direction before it touches a point [m].

    It may move away from a point that it touches already. Infinity: no point in the way.

    :param directions: the directions of motion, shape (n,) [rad].
    :param angles: the bearings of the points, shape (m,) [rad].
    :param ranges: the distances of the points, shape (m,) [m].
    :param radius: of the disc [m].

    >>> ahead_and_left = np.array([0.0, math.pi / 2])
    >>> free_distance(ahead_and_left, np.array([0.0]), np.array([2.0]), 0.5).tolist()
    [1.5, inf]
    """
    aside = angles - directions[:, np.newaxis]
    ahead = np.cos(aside)
    # The square of half the chord of the path in a disc round the point.
    half = radius ** 2 - (ranges * np.sin(aside)) ** 2
    free = np.maximum(ranges * ahead - np.sqrt(np.maximum(half, 0.0)), 0.0)
    hit = (half > 0.0) & (ahead > _EPSILON)
    return np.asarray(np.where(hit, free, math.inf).min(axis=1, initial=math.inf))


def _obstacles_in(scan: Scan) -> _Obstacles:
    ranges = np.asarray(scan.ranges, dtype=np.float64)
    ranges = np.where(np.isneginf(ranges), _TOO_NEAR, ranges)
    there = (ranges > 0.0) & (ranges <= scan.range_max)
    padded = np.pad(np.where(there, ranges, math.inf), 1, constant_values=math.inf)
    nearest = (padded[1:-1] <= padded[:-2]) & (padded[1:-1] <= padded[2:])
    angles = _wrapped(scan.angle_min + scan.increment * np.arange(len(ranges)))
    return _Obstacles(angles[there], ranges[there], nearest[there])


def _choose_heading(bearing: float, distance: float, obstacles: _Obstacles,
                    clearance: float) -> float:
    """Return the heading to take [rad]: the goal's if it is free, else that of least cost."""
    directions = bearing + _DIRECTIONS
    free = free_distance(directions, obstacles.angles, obstacles.ranges, clearance)
    # An obstacle within the last two clearances may be on the goal: the robot does not avoid it.
    is_open = free >= min(max(distance - 2 * clearance, 0.0), _HORIZON)
    if is_open[0]:
        return bearing
    if not is_open.any():
        is_open = free == free.max()
    detour = _wrapped(_DIRECTIONS)
    cost = (np.abs(detour) + _LEFT_COST * (detour > 0.0)
            + _TURN_COST * np.abs(_wrapped(directions)))
    return float(_wrapped(directions[np.argmin(np.where(is_open, cost, math.inf))]))


def _safe_speed(turning: float, obstacles: _Obstacles, limits: DrivingParameters) -> float:
    """Return the safe forward speed with a turning speed, until the next scan [m/s]."""
    clearance = limits.robot_radius + limits.margin / 2
    turn = turning * limits.reaction
    # A static obstacle is not touched in any direction that the robot will head in.
    free = free_distance(np.linspace(0.0, turn, 3), obstacles.angles, obstacles.ranges, clearance)
    # A moving obstacle may use the other half of the gap, in the direction between the two.
    angles, ranges = obstacles.angles[obstacles.nearest], obstacles.ranges[obstacles.nearest]
    aside = np.maximum(np.maximum(min(turn, 0.0) - angles, angles - max(turn, 0.0)), 0.0)
    approach = np.cos(aside)
    facing = approach > _EPSILON
    gaps = np.maximum(ranges[facing] - clearance, 0.0) / (2 * approach[facing])
    return min(float(free.min()), float(gaps.min(initial=math.inf))) / limits.reaction


def _wrapped(angles: ArrayLike) -> _Array:
    """Return angles within -pi (inclusive) and pi [rad]."""
    return np.mod(np.asarray(angles, dtype=np.float64) + math.pi, 2 * math.pi) - math.pi


BACK, BACK_SPEED = 0.3, 0.2
"""How far it backs off, and how fast [m, m/s]."""
LEAST_TURN = math.pi / 2
"""The least angle by which it turns away. The greatest is half a turn [rad]."""
AHEAD, AHEAD_TIME = 0.5, 3.0
"""How far it drives on, and the time after which it gives this up [m, s]."""
STUCK_WAY, STUCK_SHARE = 0.5, 0.2
"""It is stuck if on this commanded way [m] it has moved by less than this share of it."""
GAP = 1.0
"""A longer time without commands is not judged [s]."""


class Progress:
    """
    Detects that a robot does not move though it is commanded forward: its wheels stall.

    >>> progress = Progress()
    >>> [progress.stuck(0.5, (0.0, 0.0, 0.0), t) for t in (0.0, 0.5, 1.0)]
    [False, False, True]
    """

    def __init__(self) -> None:
        self._last: tuple[Pose, float, float] | None = None
        self._commanded = self._moved = 0.0

    def stuck(self, forward: float, pose: Pose, now: float) -> bool:
        """
        Return whether the robot is stuck.

        The detection starts again after each finding, and when the robot is not driven forward.

        :param forward: the command from now on [m/s].
        :param pose: by odometry.
        :param now: the present time [s].
        """
        last, self._last = self._last, (pose, forward, now)
        if forward <= 0.0 or last is None or not 0.0 <= now - last[2] <= GAP:
            self._commanded = self._moved = 0.0
            return False
        (x, y, yaw), speed, before = last
        self._commanded += speed * (now - before)
        # Along the heading, with its sign: white noise of odometry is not progress.
        self._moved += (pose[0] - x) * math.cos(yaw) + (pose[1] - y) * math.sin(yaw)
        if self._commanded < STUCK_WAY:
            return False
        found = abs(self._moved) < STUCK_SHARE * self._commanded
        self._commanded = self._moved = 0.0
        return found


class Escape:
    """
    The manoeuvre of a robot that touches something, which follows from seed and times alone.

    It uses the time, not odometry, because wheels may slip.

    :param seed: of the random angles.
    """

    def __init__(self, seed: int | str) -> None:
        self._random = Random(f'escape {seed}')
        self._begun, self._turn, self._released = math.inf, 0.0, False
        self._detour: tuple[tuple[float, float], float] | None = None

    def begin(self, now: float) -> None:
        """Begin to back off at a time [s]."""
        self._begun, self._released = now, False
        self._turn = self._random.choice((-1.0, 1.0)) * self._random.uniform(LEAST_TURN, math.pi)

    def end(self) -> None:
        """Give the manoeuvre up."""
        self._begun, self._detour = math.inf, None

    def command(self, touches: bool, pose: Pose, turn_rate: float,
                now: float) -> tuple[float, float] | None:
        """
        Return the forward and turning speed [m/s, rad/s], ``None`` if there is nothing to escape.

        :param touches: whether the robot touches something. If it does again while it backs off,
            something is behind it, and it turns at once.
        :param pose: by odometry.
        :param turn_rate: the robot's greatest [rad/s].
        :param now: the present time [s].

        >>> escape = Escape(1)
        >>> escape.begin(10.0)
        >>> escape.command(True, (0.0, 0.0, 0.0), 1.5, 11.0)
        (-0.2, 0.0)
        """
        if not self._begun <= now:
            # Also after the clock was set back.
            self._begun = math.inf
            return None
        turns_from = self._begun + BACK / BACK_SPEED
        if now < turns_from:
            if not (touches and self._released):
                self._released |= not touches
                return -BACK_SPEED, 0.0
            self._begun -= turns_from - now
            turns_from = now
        if now < turns_from + abs(self._turn) / turn_rate:
            return 0.0, math.copysign(turn_rate, self._turn)
        x, y, yaw = pose
        self._begun = math.inf
        self._detour = ((x + AHEAD * math.cos(yaw), y + AHEAD * math.sin(yaw)), now + AHEAD_TIME)
        return None

    def detour(self, pose: Pose, near: float, now: float) -> tuple[float, float] | None:
        """
        Return the goal x, y [m] after the manoeuvre, ``None`` for the robot's own goal.

        :param pose: by odometry.
        :param near: the distance at which it is reached [m].
        :param now: the present time [s].
        """
        if self._detour is not None and (
                math.dist(pose[:2], self._detour[0]) <= near
                or not now <= self._detour[1] <= now + AHEAD_TIME):
            self._detour = None
        return None if self._detour is None else self._detour[0]
