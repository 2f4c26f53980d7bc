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
Errors of odometry: noise, scale errors, and slip.

*Noise* is drawn for every motion. *Scale errors* are factors that last for minutes. A wheel
of another diameter, a track of another width or a slippery floor scale the distances and turns
that odometry reports. Wheels of two diameters turn it on straight ways. The neighbourhood filter
estimates them as states that walk slowly (A. Martinelli, N. Tomatis, R. Siegwart, Simultaneous
localization and odometry self calibration for mobile robot, Autonomous Robots 22, 2007; T. Larsen
et al., ACC 1998).

*Slip* means that wheels turn while the robot does not move as they say. Bumper and gyroscope show
it. Odometry is then wrong by up to the whole way that it reports, so the pose is not corrected but
becomes less certain.
"""

from collections import deque
import math
from operator import lt
from typing import NamedTuple

from leader_election.localisation.parameters import BUMPER, IMU, LocalisationParameters
from leader_election.localisation.poses import Array, PlanePose
import numpy as np

# Noise.

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


# Scale errors.


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
"""The speed and the turn rate below which factors do not change [m/s,
rad/s]."""
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


# Slip.

FRESH = 0.5
"""The age up to which the last message of a source counts [s]."""
LEAST_SPEED = 0.02
"""The forward speed below which wheels are taken to stand still [m/s]."""
WINDOW, TURNED = 1.0, 0.3
"""Wheels and gyroscope contradict each other if within this time [s] their turns differ by so
much [rad]. The bias of a gyroscope is less."""
END = 1.0
"""The time without a sign after which a slip is over [s]."""
PUSHED = 0.5
"""The turn by pushing that wheels do not report, for each metre that they do [rad/m]."""
SLIP_REASONS = {BUMPER: 'it touches something while they drive it forward',
                IMU: 'its gyroscope contradicts their turning'}


class SlipDetector:
    """
    Detector of slip, and of the error of odometry by slip.

    :ivar count: the number of slips.
    :ivar reason: of the present or last slip, a key of :data:`SLIP_REASONS`, empty before any.
    :ivar last: the time of the last sign of slip [s].
    """

    def __init__(self) -> None:
        """Start without a sign of slip."""
        self.count, self.reason, self.last = 0, '', -math.inf
        self._touched_at, self._rate = -math.inf, (0.0, -math.inf)
        self._differences = deque[tuple[float, float]]()
        self._way = self._turn = 0.0

    def touch(self, touched: bool, now: float) -> None:
        """Record the state of the bumper at a time [s]."""
        self._touched_at = now if touched else -math.inf

    def turn(self, rate: float, now: float) -> None:
        """Record the turn rate by a gyroscope [rad/s], left positive, and ignore infinite ones."""
        if math.isfinite(rate):
            self._rate = rate, now

    def slips(self, now: float) -> bool:
        """Return whether there is a slip at a time [s]."""
        return now - self.last <= END

    def variances(self, motion: PlanePose, duration: float, now: float) -> tuple[float, float]:
        """
        Return the variances that slip adds to position and heading [m², rad²], 0 without slip.

        Over one slip the deviation grows to the whole way and turn that wheels report, because the
        errors of one push have one direction.

        :param motion: by odometry since the last call, x, y, yaw [m, rad].
        :param duration: the duration of the motion [s].
        :param now: the present time [s].

        >>> detector = SlipDetector()
        >>> detector.touch(True, 1.0)
        >>> [detector.variances((0.1, 0.0, 0.0), 0.2, 1.0 + 0.2 * k)[0] for k in range(2)]
        [0.010000000000000002, 0.030000000000000006]
        """
        reason = self._sign(motion, duration, now)
        if not reason:
            if now - self.last > END:
                self._way = self._turn = 0.0
            return 0.0, 0.0
        if now - self.last > END:
            self.count += 1
            self._way = self._turn = 0.0
        way, turn = self._way, self._turn
        self.reason, self.last = reason, now
        self._way += math.hypot(motion[0], motion[1])
        self._turn += abs(motion[2]) + PUSHED * (self._way - way)
        if reason == IMU:
            self._turn = max(self._turn, abs(self._difference))
        return self._way ** 2 - way ** 2, self._turn ** 2 - turn ** 2

    def _sign(self, motion: PlanePose, duration: float, now: float) -> str:
        """Return the source that shows slip in a motion, empty if there is none."""
        rate, measured_at = self._rate
        if now - measured_at <= FRESH and 0.0 < duration <= WINDOW:
            self._differences.append((now, motion[2] - rate * duration))
        while self._differences and now - self._differences[0][0] >= WINDOW:
            self._differences.popleft()
        if now - self._touched_at <= FRESH and motion[0] > LEAST_SPEED * duration:
            return BUMPER
        return IMU if abs(self._difference) > TURNED else ''

    @property
    def _difference(self) -> float:
        """Return the difference of the turns by wheels and gyroscope within the window [rad]."""
        return sum(difference for _, difference in self._differences)
