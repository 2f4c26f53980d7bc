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
The constant errors of sensors, estimated beside the neighbourhood filter.

The separate-bias estimate of B. Friedland (Treatment of bias in recursive filtering, IEEE Trans.
Automatic Control 14, 1969): the filter assumes unbiased sightings. Its gains give the effect of a
constant error on its state; so each innovation, which would be white without such an error,
measures it. The means of innovations hardly show a common error of all ranges, which the filter
absorbs in its geometry; this estimate does.
"""

from typing import NamedTuple

from leader_election.localisation.block import factor_rows, pose_rows, SIZE
from leader_election.localisation.noise import Array
import numpy as np

HALF_LIFE = 120.0
"""The half-life of the weight of a sighting: errors may change [s]."""
INTERVAL = 5.0
"""The least time between two updates by a sensor that count: errors of cameras persist [s]."""
PRIOR = (1.0, 1.0, 1.0, 1.0)
"""The standard deviations of constant errors before the first sighting [m, m, rad, rad]."""
SIGNIFICANT = 3.0
"""The number of standard deviations beyond which an error is significant."""
KINDS, BY_RANGE, BY_BEARING = 4, 0, 2
"""The number of errors, and the first of ranges and bearings: of the own sensor, of others."""


class SensorBias(NamedTuple):
    """The constant error of one kind of measurement."""

    bearing: bool
    """Whether it is the bearing; else the range."""
    own: bool
    """Whether it is the own sensor's; else the mean of the neighbours' sensors."""
    error: float
    """Measured less true [m or rad]."""
    deviation: float
    """The standard deviation of the estimate."""

    @property
    def significant(self) -> bool:
        """Whether it is too great to be chance."""
        return abs(self.error) > SIGNIFICANT * self.deviation


class BiasEstimate:
    """
    Estimates four errors: of the own ranges, the neighbours' ranges, and likewise of bearings.

    :ivar sensitivity: the error of the filter's state for each unit of an error, in the
        coordinates of its covariance (:mod:`leader_election.localisation.block`), shape (6 n, 4).
    """

    def __init__(self) -> None:
        """Start without robots."""
        self.sensitivity: Array = np.zeros((0, KINDS))
        self._information: Array = np.zeros((KINDS, KINDS))
        self._weighted: Array = np.zeros(KINDS)
        self._time = 0.0
        self._counted: dict[int, float] = {}
        self._counts = False

    def add(self) -> None:
        """Add a robot, after the others: its own estimate is assumed to be right."""
        self.sensitivity = np.vstack((self.sensitivity, np.zeros((SIZE, KINDS))))

    def drop(self, robot: int, keep: Array) -> None:
        """
        Remove a robot.

        :param keep: the rows of the state that remain.
        """
        self.sensitivity = self.sensitivity[keep]
        self._counted.pop(robot, None)

    def move(self, first: int, slopes: Array) -> None:
        """
        Move a robot.

        :param first: the first of its rows.
        :param slopes: the derivatives of the errors of its pose by those of its factors.
        """
        self.sensitivity[pose_rows(first)] += slopes @ self.sensitivity[factor_rows(first)]

    def begin(self, observer: int, now: float) -> None:
        """
        Begin the sightings of a message: all of them count, or none.

        :param observer: the id of their observer.
        :param now: the time [s].
        """
        self._counts = now - self._counted.get(observer, -INTERVAL) >= INTERVAL
        if self._counts:
            self._counted[observer] = now
            fading = 0.5 ** (max(now - self._time, 0.0) / HALF_LIFE)
            self._time = now
            self._information *= fading
            self._weighted *= fading

    def take(self, slopes: Array, errors: Array, changes: Array) -> None:
        """
        Process k measurements of an update of the filter, whitened: of unit covariance.

        :param slopes: the derivatives of innovations by the constant errors, shape (k, 4).
        :param errors: the innovations, shape (k,).
        :param changes: of the state for each unit of an innovation, shape (k, 6 n).
        """
        if self._counts:
            self._information += slopes.T @ slopes
            self._weighted += errors @ slopes
        self.sensitivity -= changes.T @ slopes

    def estimates(self) -> list[SensorBias]:
        """Return the four errors: ranges of the own sensor, of others; bearings likewise."""
        covariance = np.linalg.inv(self._information + np.diag(1.0 / np.square(PRIOR)))
        found = covariance @ self._weighted
        deviations = np.sqrt(np.diagonal(covariance))
        return [SensorBias(kind >= 2, kind % 2 == 0, float(found[kind]), float(deviations[kind]))
                for kind in range(KINDS)]
