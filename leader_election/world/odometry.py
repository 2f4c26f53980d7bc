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

"""What robots believe of their own motion: dead reckoning with drift and noise."""

import math

from leader_election.world.parameters import WorldParameters
from leader_election.world.unicycles import advance, Array
import numpy as np


class Odometry:
    """
    The odometry of all robots, each from an origin of its own.

    :ivar poses: x, y, yaw from where the robot started [m, rad], shape (n, 3).
    :ivar velocities: as measured in the last step [m/s, rad/s], shape (n, 2).
    """

    def __init__(self, robots: int, parameters: WorldParameters, rng: np.random.Generator) -> None:
        p = parameters
        self._rng = rng
        self._scale = 1 + rng.standard_normal((robots, 2)) * (
            p.linear_scale_error, p.angular_scale_error)
        self._bias = rng.standard_normal((robots, 2)) * (0.0, p.angular_bias)
        self._noise = np.array((p.linear_noise, p.angular_noise))
        self.poses: Array = np.zeros((robots, 3))
        self.velocities: Array = np.zeros((robots, 2))

    def step(self, velocities: Array, dt: float) -> None:
        """Integrate what was measured of true velocities [m/s, rad/s] over a time [s]."""
        # White noise: its effect on the path grows with the square root of time at any step rate.
        noise = self._rng.standard_normal(velocities.shape) * self._noise / math.sqrt(dt)
        self.velocities = velocities * self._scale + self._bias + noise
        self.poses = advance(self.poses, self.velocities, dt)
