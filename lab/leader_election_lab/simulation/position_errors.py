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
Errors of the positions from which devices compute their distances.

Dead reckoning: odometry has the noise that the robots' filter assumes
(:func:`leader_election.localisation.pose_estimates.odometry_covariance`). Along the way the
position errs by 0.06 m after 1 m, and across it by half of that. The heading errs by 0.20 rad
after a turn of 1 rad, and by 0.03 rad after 1 m. These are standard deviations, whose variances
add up. An error of the heading rotates the path from then on.

With wrong factors: reported distances and turns are moreover the true ones divided by a factor of
each device. By default turns are as of the robots of MRCLAM 9.

Cooperative localisation: a model of the filter's effect. In a frame that all devices share, the
error of each coordinate is a stationary Ornstein-Uhlenbeck process, independent of those of other
devices. The frame itself drifts, for all devices alike (G. Uhlenbeck, L. Ornstein, "On the Theory
of the Brownian Motion", Physical Review 36, 1930).
"""

import math

from leader_election.localisation.pose_estimates import ACROSS
from leader_election_lab.experiment.schema import COOPERATIVE, EXACT, Localisation, SCALED
import numpy as np
from numpy.typing import NDArray

MOVED = 0.01
"""The least displacement between two changes of the errors that defines a direction [m]."""

Floats = NDArray[np.float64]


class PositionErrors:
    """
    The errors of all devices' positions, changed in place over time.

    :param parameters: of a model that is not exact.
    :param position: positions at time 0 [m], shape (n, 2).
    :param error: the array of the errors to write [m], shape (n, 2).
    :param order: the rank of each device by id, in which random numbers are drawn.
    """

    def __init__(self, parameters: Localisation, position: Floats, error: Floats,
                 order: NDArray[np.int64], random: np.random.Generator) -> None:
        assert parameters.model != EXACT
        self.error = error
        self.frame = np.zeros(2)
        """Drift of the common frame [m], which is not part of the errors."""
        self._parameters, self._order, self._random = parameters, order, random
        self._position = position.copy()
        self._direction = np.full(len(position), np.nan)
        place, heading = parameters.initial_deviation
        drawn = self._normal(3)
        self._heading = heading * drawn[:, 2]
        if parameters.model == COOPERATIVE:
            error[:] = self._coordinate_deviation() * drawn[:, :2]
        else:
            error[:] = place * drawn[:, :2]
        self._distance_factor = self._turn_factor = np.ones(len(position))
        if parameters.model == SCALED:
            self._distance_factor, self._turn_factor = (
                random.uniform(low, high, len(position))[order]
                for low, high in (parameters.distance_factor, parameters.turn_factor))

    def advance(self, position: Floats, seconds: float) -> None:
        """
        Change the errors.

        :param position: present positions [m], shape (n, 2).
        :param seconds: time since the last change [s].
        """
        if self._parameters.model == COOPERATIVE:
            self._relax(seconds)
        else:
            self._drift(position, seconds)

    def reported(self, position: Floats) -> Floats:
        """Return the positions that devices would report [m], shape (n, 2)."""
        return position + self.error + self.frame

    def _relax(self, seconds: float) -> None:
        """Advance stationary errors by the exact solution of the process over this time."""
        parameters = self._parameters
        kept = (math.exp(-seconds / parameters.correlation_time)
                if parameters.correlation_time > 0.0 else 0.0)
        fresh = self._coordinate_deviation() * math.sqrt(1.0 - kept * kept)
        self.error *= kept
        self.error += fresh * self._normal(2)
        self.frame += (parameters.frame_drift * math.sqrt(seconds)
                       * self._random.standard_normal(2))

    def _coordinate_deviation(self) -> float:
        # The distance between two devices errs along one direction, by the errors of both.
        return self._parameters.deviation / math.sqrt(2.0)

    def _drift(self, position: Floats, seconds: float) -> None:
        """Add the errors of odometry over the straight displacement since the last change."""
        parameters = self._parameters
        way = position - self._position
        length = np.hypot(way[:, 0], way[:, 1])
        turn = self._turn(way, length)
        drawn = self._normal(3)
        rest = parameters.odometry_noise_rest ** 2 * seconds
        place = np.sqrt(parameters.odometry_noise_position ** 2 * length + rest)
        self._heading += turn * (1.0 / self._turn_factor - 1.0)
        turning = np.sqrt(parameters.odometry_noise_turn ** 2 * np.abs(turn)
                          + parameters.odometry_noise_heading ** 2 * length + rest) * drawn[:, 2]
        # At rest there is no direction of motion: any axis will do.
        ahead = np.divide(way, length[:, None], out=np.tile([1.0, 0.0], (len(way), 1)),
                          where=length[:, None] > 0.0)
        left = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
        measured = (way / self._distance_factor[:, None] + (place * drawn[:, 0])[:, None] * ahead
                    + (math.sqrt(ACROSS) * place * drawn[:, 1])[:, None] * left)
        # The noise of the heading grows along the way: half of it rotates the displacement.
        self.error += _turned(measured, self._heading + turning / 2.0) - way
        self._heading += turning
        self._position[:] = position

    def _turn(self, way: Floats, length: Floats) -> Floats:
        """Return the angles by which the directions of motion have turned to the left [rad]."""
        direction = np.arctan2(way[:, 1], way[:, 0])
        moved = length >= MOVED
        turn = (direction - self._direction + math.pi) % (2.0 * math.pi) - math.pi
        self._direction[moved] = direction[moved]
        return np.where(moved & np.isfinite(turn), turn, 0.0)

    def _normal(self, columns: int) -> Floats:
        """Return standard normal numbers, a row for each device, for any order of storage."""
        return self._random.standard_normal((len(self._order), columns))[self._order]


def _turned(vectors: Floats, angle: Floats) -> Floats:
    """
    Return vectors turned to the left.

    :param vectors: shape (n, 2).
    :param angle: [rad], shape (n,).

    >>> _turned(np.array([[2.0, 0.0]]), np.array([math.pi / 2.0])).round(9).tolist()
    [[0.0, 2.0]]
    """
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.stack([cosine * vectors[:, 0] - sine * vectors[:, 1],
                     sine * vectors[:, 0] + cosine * vectors[:, 1]], axis=1)
