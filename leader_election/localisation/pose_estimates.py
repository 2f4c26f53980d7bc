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
Estimates of the poses of robots and of the scale errors of their odometry, with their covariance.

This is the prediction of the neighbourhood filter: robots are added, moved by odometry and
dropped.

The state holds a block of seven numbers a robot: x, y [m] from the filter's origin and yaw [rad]
in the shared frame, then its factors (:class:`Factors`).

*Noise* of odometry is drawn for every motion. *Scale errors* are factors that last for minutes. A
wheel of another diameter, a track of another width or a slippery floor scale the distances and
turns that odometry reports. Wheels of two diameters turn it on straight ways. The factors walk
slowly (A. Martinelli, N. Tomatis, R. Siegwart, Simultaneous localization and odometry self
calibration for mobile robot, Autonomous Robots 22, 2007; T. Larsen et al., ACC 1998).

The covariance is that of *invariant* errors of poses (A. Barrau, S. Bonnabel, IEEE Trans.
Automatic Control 62, 2017): with errors (a, b, c) the true pose is the estimate, moved by (a, b)
and turned by c about the filter's origin. A motion by odometry does not change these errors. An
error that all robots have in common, a shift or turn of the frame, is the same vector wherever
they are, so sightings of each other do not observe it. With errors of x, y and yaw the filter
would become certain of that error without a reason (G. Huang, A. Mourikis, S. Roumeliotis,
Autonomous Robots 30, 2011).
"""

import math
from operator import lt
from typing import NamedTuple

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.poses import Array, between, compose, PlanePose
import numpy as np

REST = 1e-3
"""Standard deviation of position and heading after one second, also at rest [(m, rad)/sqrt(s)]."""
LOOSENED = (1.5, 1.5, 1.0)
"""The standard deviations added to the pose of a robot that was carried, or whose odometry
restarted [m, m, rad]."""
ACROSS = 0.25
"""The variance across the path, as a fraction of that along it."""


def odometry_covariance(motion: PlanePose, duration: float,
                        parameters: LocalisationParameters, factor: float = 1.0) -> Array:
    """
    Return the covariance of a motion by odometry in the frame of its start, shape (3, 3).

    :param motion: x, y, yaw [m, rad].
    :param duration: [s].
    :param factor: of the variance that grows with the distance.

    >>> table = LocalisationParameters()
    >>> [round(float(number), 6) for number in np.diag(
    ...     odometry_covariance((1.0, 0.0, 0.0), 0.0, table))]
    [0.0036, 0.001125, 0.0009]
    """
    way, turn = math.hypot(motion[0], motion[1]), abs(motion[2])
    rest = REST ** 2 * duration
    along = factor * parameters.odometry_noise_position ** 2 * way + rest
    heading = (parameters.odometry_noise_turn ** 2 * turn
               + parameters.odometry_noise_heading ** 2 * way + rest)
    # The noise of the heading shifts the end sideways, by half the length on average.
    mixed = heading * way / 2.0
    across = ACROSS * along + mixed * way / 2.0
    return np.array(((along, 0.0, 0.0), (0.0, across, mixed), (0.0, mixed, heading)))


class Factors(NamedTuple):
    """Correction factors for odometry, and for ranges by radio."""

    distance: float = 1.0
    """The true distance for each metre that odometry reports."""
    turn: float = 1.0
    """The true turn for each radian that odometry reports."""
    trim: float = 0.0
    """The further true turn for each metre that odometry reports [rad/m]."""
    offset: float = 0.0
    """By how much the radio lengthens each of its ranges [m]. Those of both robots add up."""


class StoredFactors(NamedTuple):
    """The factors of a robot that left the filter."""

    factors: Factors
    variances: Array
    """Shape (4,)."""
    time: float
    """The time of its last odometry [s]."""

    def aged(self, duration: float) -> Array:
        """Return the variances at a later time [s], at most those of an unknown robot."""
        return np.minimum(self.variances + WALK_VARIANCES * max(duration, 0.0), START_VARIANCES)


START = Factors(0.1, 0.2, 0.05, 0.15)
"""The standard deviations of the factors of an unknown robot, from 1, 1, 0 and 0."""
WALK = Factors(0.001, 0.003, 0.001, 0.0003)
"""The standard deviations of their changes in one second of driving. They grow with the square
root of the time."""
PARKED = (0.01, 0.01)
"""The speed and the turn rate below which factors do not change [m/s, rad/s]."""
LEAST, GREATEST = Factors(0.55, 0.5, -0.4, -2.0), Factors(1.6, 1.6, 0.4, 2.0)
"""The bounds of plausible factors. Odometry beyond them is wrong."""
START_VARIANCES, WALK_VARIANCES = np.square(START), np.square(WALK)


def plausible(factors: Factors) -> bool:
    """Return whether factors are within the plausible bounds."""
    return all(map(lt, LEAST, factors)) and all(map(lt, factors, GREATEST))


def parked(motion: PlanePose, duration: float) -> bool:
    """Return whether a robot stands still by its odometry, so that its factors do not change."""
    speed, rate = PARKED
    return math.hypot(*motion[:2]) <= speed * duration and abs(motion[2]) <= rate * duration


def corrected(motion: PlanePose, factors: Factors) -> PlanePose:
    """
    Return the true motion, x, y, yaw [m, rad].

    A turn that is corrected is assumed to be spread evenly over the motion.

    :param motion: by odometry.

    >>> corrected((2.0, 0.0, 0.0), Factors(distance=0.5))
    (1.0, 0.0, 0.0)
    >>> corrected((0.0, 0.0, 1.0), Factors(turn=0.75))
    (0.0, 0.0, 0.75)
    """
    forward, left, turn = motion
    more = (factors.turn - 1.0) * turn + factors.trim * _way(motion)
    cos, sin = math.cos(more / 2.0), math.sin(more / 2.0)
    return (factors.distance * (cos * forward - sin * left),
            factors.distance * (sin * forward + cos * left), turn + more)


def slopes(motion: PlanePose, factors: Factors) -> Array:
    """Return the derivatives of the corrected motion by the factors, shape (3, 4)."""
    forward, left, _ = corrected(motion, factors)
    turn, way, distance = motion[2], _way(motion), factors.distance
    return np.array((
        (forward / distance, -left * turn / 2.0, -left * way / 2.0, 0.0),
        (left / distance, forward * turn / 2.0, forward * way / 2.0, 0.0),
        (0.0, turn, way, 0.0)))


def _way(motion: PlanePose) -> float:
    """Return the length of a motion [m], negative backwards."""
    return math.copysign(math.hypot(motion[0], motion[1]), motion[0])


SIZE = 7
"""The numbers of a robot in the state."""
POSE = 3
"""The first numbers are the pose, the others the factors."""
OFFSET = 6
"""The last factor is the offset of the radio's ranges."""


UNEXPLAINED_SPEED = 0.1
"""The error of outdated odometry, by its age [m/s]."""
MOST_KEPT = 1000
"""The number of dropped robots, last ones first, whose factors are kept."""

_FACTORS = np.arange(POSE, SIZE)


def pose_rows(first: int) -> slice:
    """Return the rows of a pose, by the first one of its robot."""
    return slice(first, first + POSE)


def factor_rows(first: int) -> slice:
    """Return the rows of the factors, by the first one of their robot."""
    return slice(first + POSE, first + SIZE)


def places(state: Array) -> Array:
    """Return x, y of all robots, shape (n, 2), a view."""
    return state.reshape(-1, SIZE)[:, :2]


def from_invariant(x: float, y: float) -> Array:
    """Return the derivatives of the errors of x, y and yaw by invariant ones, shape (3, 3)."""
    return np.array(((1.0, 0.0, -y), (0.0, 1.0, x), (0.0, 0.0, 1.0)))


def to_invariant(x: float, y: float) -> Array:
    """Return the inverse of :func:`from_invariant`, shape (3, 3)."""
    return np.array(((1.0, 0.0, y), (0.0, 1.0, -x), (0.0, 0.0, 1.0)))


def correct(state: Array, errors: Array) -> None:
    """
    Add errors to a state, in place.

    :param errors: invariant ones, of the shape of the state.
    """
    turns = errors[2::SIZE]
    x, y = state[0::SIZE], state[1::SIZE]
    aside = turns * x
    x -= turns * y
    y += aside
    state += errors


class PoseEstimates:
    """
    The poses of robots and the scale errors of their odometry, and their covariance.

    :ivar ids: the robots, in the order of their blocks in state and covariance.
    :ivar state: their blocks, shape (7 n,).
    :ivar covariance: shape (7 n, 7 n).
    """

    def __init__(self, parameters: LocalisationParameters) -> None:
        """Start without robots."""
        self.parameters = parameters
        self.ids: list[int] = []
        self.state: Array = np.zeros(0)
        self.covariance: Array = np.zeros((0, 0))
        self._origin = 0.0, 0.0
        self._factors: dict[int, StoredFactors] = {}
        self._row: dict[int, int] = {}
        self._odometry: dict[int, PlanePose] = {}
        self._times: dict[int, float] = {}

    def __contains__(self, robot: int) -> bool:
        """Return whether the robot is among those of the filter."""
        return robot in self._row

    # Robots: added, moved, dropped.

    def add(self, robot: int, pose: PlanePose, deviation: tuple[float, float],
            odometry: PlanePose, now: float) -> None:
        """
        Add a robot.

        :param pose: its own estimate.
        :param deviation: the standard deviations of its position and heading [m, rad].
        :param odometry: its pose by odometry alone.
        :param now: the time [s].
        """
        if not self.ids:
            self._origin = pose[:2]
        before = len(self.state)
        self._row[robot] = before
        self.ids.append(robot)
        factors, variances = self._remembered(robot, now)
        place = pose[0] - self._origin[0], pose[1] - self._origin[1]
        self.state = np.concatenate((self.state, (*place, pose[2]), factors))
        covariance = np.zeros((before + SIZE, before + SIZE))
        covariance[:before, :before] = self.covariance
        covariance[factor_rows(before), factor_rows(before)] = np.diag(variances)
        self.covariance = covariance
        self.add_errors(robot, np.square((deviation[0], *deviation)))
        self._odometry[robot], self._times[robot] = odometry, now

    def drop(self, robot: int) -> None:
        """Remove a robot, and keep the factors of its odometry."""
        first = self._row[robot]
        keep = np.r_[:first, first + SIZE:len(self.state)]
        self._factors.pop(robot, None)
        self._factors[robot] = StoredFactors(
            self.factors(robot), self.factor_variances(robot), self._times[robot])
        if len(self._factors) > MOST_KEPT:
            del self._factors[next(iter(self._factors))]
        self.state, self.covariance = self.state[keep], self.covariance[np.ix_(keep, keep)]
        self.ids.remove(robot)
        self._row = {each: SIZE * k for k, each in enumerate(self.ids)}
        del self._odometry[robot], self._times[robot]

    def _remembered(self, robot: int, now: float) -> tuple[Factors, Array]:
        """Return the factors of a robot to be added, and their variances."""
        kept = self._factors.pop(robot, None)
        if kept is None:
            return Factors(), START_VARIANCES
        return kept.factors, kept.aged(now - kept.time)

    def predict(self, robot: int, odometry: PlanePose, now: float, turns: float = 0.0,
                noise: float = 1.0) -> None:
        """
        Move a robot by its odometry, which is cumulative, so lost messages do no harm.

        :param odometry: its pose by odometry alone.
        :param now: the time [s].
        :param turns: the turn per metre that odometry does not report [rad/m].
        :param noise: the factor of the variances of its odometry.
        """
        first, factors = self._row[robot], self.factors(robot)
        reported = between(self._odometry[robot], odometry)
        duration = max(now - self._times[robot], 0.0)
        pose, scales = pose_rows(first), factor_rows(first)
        state, covariance = self.state, self.covariance
        motion = corrected(reported, factors)
        yaw = float(state[first + 2])
        state[pose] = x, y, _ = compose(tuple(state[pose].tolist()), motion)
        cos, sin = math.cos(yaw), math.sin(yaw)
        # From errors of the motion, in the frame of its start, to those of the pose.
        turned = np.array(((cos, -sin, y), (sin, cos, -x), (0.0, 0.0, 1.0)))
        if any(reported):
            by_factors = turned @ slopes(reported, factors)
            covariance[pose] += by_factors @ covariance[scales]
            own = covariance[pose, pose] + covariance[pose, scales] @ by_factors.T
            covariance[:, pose] = covariance[pose].T
        else:
            own = covariance[pose, pose]
        errors = odometry_covariance(
            (*motion[:2], abs(motion[2]) + turns * math.hypot(*motion[:2])), duration,
            self.parameters, noise)
        own = own + turned @ errors @ turned.T
        covariance[pose, pose] = (own + own.T) / 2.0
        if not parked(reported, duration):
            known = covariance[_FACTORS + first, _FACTORS + first]
            covariance[_FACTORS + first, _FACTORS + first] = np.maximum(
                known, np.minimum(known + WALK_VARIANCES * duration, START_VARIANCES))
        self._odometry[robot], self._times[robot] = odometry, now

    def reset_factors(self, robot: int) -> None:
        """Forget the factors of a robot's odometry."""
        rows = factor_rows(self._row[robot])
        self.state[rows] = Factors()
        self.covariance[rows] = 0.0
        self.covariance[:, rows] = 0.0
        self.covariance[rows, rows] = np.diag(START_VARIANCES)

    def put(self, robot: int, pose: PlanePose, covariance: Array, beside: int) -> None:
        """
        Set the pose of a robot.

        :param covariance: the covariance of the pose for an exact pose of ``beside``, shape (3,
            3).
        :param beside: the robot to which the pose is relative. Both share the errors of its pose.
        """
        rows, others = pose_rows(self._row[robot]), pose_rows(self._row[beside])
        x, y = pose[0] - self._origin[0], pose[1] - self._origin[1]
        self.state[rows] = x, y, pose[2]
        common = self.covariance[others].copy()
        turned = to_invariant(x, y)
        common[:, rows] = self.covariance[others, others] + turned @ covariance @ turned.T
        self.covariance[rows] = common
        self.covariance[:, rows] = common.T

    def add_errors(self, robot: int, variances: Array) -> None:
        """Add independent errors of x, y and yaw to those of a robot [m², m², rad²]."""
        rows = pose_rows(self._row[robot])
        turned = to_invariant(*self.state[rows.start:rows.start + 2].tolist())
        self.covariance[rows, rows] += (turned * variances) @ turned.T

    # Results.

    def pose(self, robot: int) -> PlanePose:
        """Return the pose of a robot as of its last odometry."""
        x, y, yaw = self.state[pose_rows(self._row[robot])].tolist()
        return x + self._origin[0], y + self._origin[1], yaw

    def factors(self, robot: int) -> Factors:
        """Return the factors of a robot's odometry."""
        return Factors(*self.state[factor_rows(self._row[robot])].tolist())

    def factor_variances(self, robot: int) -> Array:
        """Return the variances of the factors of a robot, shape (4,)."""
        rows = factor_rows(self._row[robot])
        return np.array(self.covariance.diagonal()[rows])

    def corrected(self, robot: int, motion: PlanePose) -> PlanePose:
        """Return the motion of a robot, corrected from that by its odometry."""
        return corrected(motion, self.factors(robot))

    def odometry(self, robot: int) -> PlanePose:
        """Return the last pose of a robot by odometry alone."""
        return self._odometry[robot]

    def age(self, robot: int, now: float) -> float:
        """Return the age of a robot's last odometry [s]."""
        return now - self._times[robot]

    def covariance_of(self, robot: int) -> Array:
        """Return the covariance of a robot's pose, shape (3, 3)."""
        rows = pose_rows(self._row[robot])
        turned = from_invariant(*self.state[rows.start:rows.start + 2].tolist())
        found = turned @ self.covariance[rows, rows] @ turned.T
        return np.array((found + found.T) / 2.0)

    def heading_variance(self, robot: int) -> float:
        """Return the variance of a robot's heading [rad²]."""
        return self.covariance.item(self._row[robot] + 2, self._row[robot] + 2)

    def apart(self, place: tuple[float, float]) -> Array:
        """Return the distances of all robots from a place [m], shape (n,)."""
        x, y = (places(self.state) + self._origin - place).T
        found: Array = np.hypot(x, y)
        return found

    def distance(self, one: int, other: int, now: float) -> tuple[float, float]:
        """Return the distance between two robots, and its standard deviation [m]."""
        place, covariance = self.relative(one, other, now)
        length = max(float(np.hypot(*place)), 1e-6)
        along = place / length
        return length, math.sqrt(max(float(along @ covariance @ along), 0.0))

    def relative(self, one: int, other: int, now: float) -> tuple[Array, Array]:
        """
        Return the position of a robot in the frame of another one, and its covariance.

        :param one: the robot that defines the frame.
        :param now: the time [s]. Old odometry increases the covariance.
        :return: [m], shape (2,), and [m²], shape (2, 2).
        """
        first, second = pose_rows(self._row[one]), pose_rows(self._row[other])
        x, y, yaw = self.state[first].tolist()
        there = self.state[second][:2]
        at = np.r_[first, second]
        # A common turn of both about the origin changes nothing.
        aside = there[1], -there[0]
        change = np.column_stack((-np.eye(2), aside, np.eye(2), np.negative(aside)))
        cos, sin = math.cos(yaw), math.sin(yaw)
        turned = np.array(((cos, sin), (-sin, cos)))
        change = turned @ change
        covariance = change @ self.covariance[np.ix_(at, at)] @ change.T
        stale = UNEXPLAINED_SPEED ** 2 * (self.age(one, now) ** 2 + self.age(other, now) ** 2)
        return turned @ (there - (x, y)), covariance + stale * np.eye(2)
