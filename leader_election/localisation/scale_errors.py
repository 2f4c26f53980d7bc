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
Scale errors of odometry: factors that are the same for minutes, unlike noise.

A wheel of another diameter, a track of another width or a slippery floor scale the distances and
turns that odometry reports; wheels of two diameters turn it on straight ways. The neighbourhood
filter estimates them as states that walk slowly (A. Martinelli, N. Tomatis, R. Siegwart,
Simultaneous localization and odometry self calibration for mobile robot, Autonomous Robots 22,
2007; T. Larsen et al., ACC 1998).
"""

import math
from operator import lt
from typing import NamedTuple

from leader_election.localisation.noise import Array
from leader_election.localisation.plane import PlanePose
import numpy as np


class Factors(NamedTuple):
    """What makes the true motion of what odometry reports."""

    distance: float = 1.0
    """The true distance for each metre that odometry reports."""
    turn: float = 1.0
    """The true turn for each radian that odometry reports."""
    trim: float = 0.0
    """The further true turn for each metre that odometry reports [rad/m]."""


class Kept(NamedTuple):
    """The factors of a robot that was not in the filter for a time."""

    factors: Factors
    variances: Array
    """Shape (3,)."""
    time: float
    """Of its last odometry [s]."""

    def aged(self, duration: float) -> Array:
        """Return the variances after a further time [s], at most those of a robot never met."""
        return np.minimum(self.variances + WALK_VARIANCES * max(duration, 0.0), START_VARIANCES)


START = Factors(0.1, 0.2, 0.05)
"""The standard deviations of the factors of a robot never met, from 1, 1 and 0."""
WALK = Factors(0.001, 0.003, 0.001)
"""The standard deviations of their changes in one second of driving; they grow with the square
root of it."""
PARKED = (0.01, 0.01)
"""The speed, and the turn rate, below which wheels do not wear, and floors do not change [m/s,
rad/s]."""
LEAST, GREATEST = Factors(0.55, 0.5, -0.4), Factors(1.6, 1.6, 0.4)
"""The bounds of plausible factors: odometry beyond them is not scaled but wrong."""
START_VARIANCES, WALK_VARIANCES = np.square(START), np.square(WALK)


def plausible(factors: Factors) -> bool:
    """Return whether factors are those of odometry that works."""
    return all(map(lt, LEAST, factors)) and all(map(lt, factors, GREATEST))


def parked(motion: PlanePose, duration: float) -> bool:
    """Return whether a robot stands by its odometry: its factors stay as they are."""
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
    """Return the derivatives of the corrected motion by the factors, shape (3, 3)."""
    forward, left, _ = corrected(motion, factors)
    turn, way, distance = motion[2], _way(motion), factors.distance
    return np.array((
        (forward / distance, -left * turn / 2.0, -left * way / 2.0),
        (left / distance, forward * turn / 2.0, forward * way / 2.0),
        (0.0, turn, way)))


def _way(motion: PlanePose) -> float:
    """Return the length of a motion [m], negative backwards."""
    return math.copysign(math.hypot(motion[0], motion[1]), motion[0])
