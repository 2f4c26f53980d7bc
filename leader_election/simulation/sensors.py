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

"""Scalar sensors of the simulated robots, and the rates of sensors."""

import math

from leader_election.simulation.kinematics import Array
from leader_election.simulation.parameters import WorldParameters
import numpy as np

_TOLERANCE = 1e-6
"""By which share of a period a step may appear to be early because of rounding."""


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

        :param rate: [Hz], not negative; 0 for never.
        """
        self._rate = rate
        self._next = 0

    def due(self, now: float) -> bool:
        """
        Return whether a new period has begun; true once a period, missed periods are skipped.

        :param now: the simulated time [s], not decreasing.
        """
        # Periods are counted from time 0, so that the mean rate is exact at any step rate.
        period = math.floor(now * self._rate + _TOLERANCE)
        if self._rate == 0.0 or period < self._next:
            return False
        self._next = period + 1
        return True


def contours(parameters: WorldParameters) -> list[list[tuple[float, float]]]:
    """
    Return circles round the peaks of the field, where a peak has a half, and 9/10, of its height.

    >>> parameters = WorldParameters(reading_peaks=(1.0, 2.0, 1.0, 3.0))
    >>> [round(circle[0][0] - 1.0, 2) for circle in contours(parameters)]
    [3.53, 1.38]
    """
    angles = np.linspace(0.0, 2.0 * np.pi, 49)
    return [[(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]
            for x, y, _, width in np.reshape(parameters.reading_peaks, (-1, 4)).tolist()
            for radius in (width * math.sqrt(2.0 * math.log(1.0 / share)) for share in (0.5, 0.9))]


class ScalarField:
    """
    A scalar quantity over the plane, such as temperature, and noisy readings of it.

    It is a sum of Gaussian peaks over a constant base.
    """

    def __init__(self, parameters: WorldParameters, rng: np.random.Generator) -> None:
        """
        Build the field.

        :param parameters: ``reading_base``, ``reading_peaks`` and ``reading_noise``.
        :param rng: the source of noise.
        """
        self._base = parameters.reading_base
        self._peaks = np.reshape(parameters.reading_peaks, (-1, 4))
        self._noise = parameters.reading_noise
        self._rng = rng

    def value(self, positions: Array) -> Array:
        """
        Return the true values: each peak adds ``height * exp(-distance² / (2 width²))``.

        :param positions: x, y (further columns are ignored) [m], shape (n, 2 or more).
        :return: shape (n,), in the unit of ``reading_base``.
        """
        x, y, height, width = self._peaks.T
        square = (positions[:, :1] - x) ** 2 + (positions[:, 1:2] - y) ** 2
        return np.asarray(self._base + np.exp(-square / (2 * width ** 2)) @ height)

    def read(self, positions: Array) -> Array:
        """
        Return sensor readings: the true values (:meth:`value`) with independent Gaussian noise.

        :param positions: x, y (further columns are ignored) [m], shape (n, 2 or more).
        :return: shape (n,), in the unit of ``reading_base``.
        """
        noise = self._noise * self._rng.standard_normal(len(positions))
        return self.value(positions) + noise
