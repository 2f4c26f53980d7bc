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

"""A quantity that differs from place to place, and what robots read of it."""

from leader_election.world.parameters import WorldParameters
from leader_election.world.unicycles import Array
import numpy as np


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
