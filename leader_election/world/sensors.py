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

"""Radio reception and scalar sensors of the simulated robots, and the rates of sensors."""

from collections.abc import Sequence
import math

from leader_election.world.kinematics import Array
from leader_election.world.parameters import WorldParameters
import numpy as np
from numpy.typing import NDArray
import shapely

_ROUNDING = 1e-6
"""By how much of a period a step may seem to be too early."""


class Rate:
    """
    So many times a second of the world's time, at most once a step; 0: never.

    >>> five = Rate(5.0)
    >>> [now for now in (0.1, 0.2, 0.3, 0.4, 0.8, 0.9) if five.due(now)]
    [0.1, 0.2, 0.4, 0.8]
    """

    def __init__(self, rate: float) -> None:
        """Take a rate [Hz], not negative."""
        self._rate = rate
        self._next = 0

    def due(self, now: float) -> bool:
        """Return whether it is time again [s]; true once a period, what was missed is left out."""
        period = math.floor(now * self._rate + _ROUNDING)
        if self._rate == 0.0 or period < self._next:
            return False
        self._next = period + 1
        return True


class Radio:
    """Carries a message to all robots within range, in sight where that counts, not lost."""

    def __init__(self, obstacles: Sequence[shapely.Polygon], parameters: WorldParameters,
                 rng: np.random.Generator) -> None:
        self._parameters = parameters
        self._rng = rng
        self._obstacles = shapely.union_all(list(obstacles))
        shapely.prepare(self._obstacles)

    def hearers(self, sender: int, positions: Array) -> NDArray[np.intp]:
        """
        Return who hears one message of a robot, as places in the order of the robots, ascending.

        :param positions: all robots' true x, y (and more) [m], shape (n, 2 or more).
        """
        p = self._parameters
        here, there = positions[sender, :2], positions[:, :2]
        hears = np.hypot(*(there - here).T) <= p.radio_range
        hears[sender] = False
        found = np.flatnonzero(hears)
        if p.line_of_sight and len(found):
            rays = np.stack((np.broadcast_to(here, (len(found), 2)), there[found]), axis=1)
            found = found[~shapely.intersects(self._obstacles, shapely.linestrings(rays))]
        if p.radio_loss > 0.0:
            found = found[self._rng.random(len(found)) >= p.radio_loss]
        return found


class Field:
    """Gaussian bumps over a constant, read with noise: a temperature, a signal, a pollution."""

    def __init__(self, parameters: WorldParameters, rng: np.random.Generator) -> None:
        """Put up the bumps ``reading_peaks`` over ``reading_base``."""
        self._base = parameters.reading_base
        self._peaks = np.reshape(parameters.reading_peaks, (-1, 4))
        self._noise = parameters.reading_noise
        self._rng = rng

    def value(self, positions: Array) -> Array:
        """
        Return the true value at places: a bump is ``height * exp(-distance² / (2 width²))``.

        :param positions: x, y (and more) [m], shape (n, 2 or more).
        :return: shape (n,), in the unit of ``reading_base``.
        """
        x, y, height, width = self._peaks.T
        square = (positions[:, :1] - x) ** 2 + (positions[:, 1:2] - y) ** 2
        return np.asarray(self._base + np.exp(-square / (2 * width ** 2)) @ height)

    def read(self, positions: Array) -> Array:
        """Return what sensors say there (:meth:`value`), each with noise of its own."""
        noise = self._noise * self._rng.standard_normal(len(positions))
        return self.value(positions) + noise
