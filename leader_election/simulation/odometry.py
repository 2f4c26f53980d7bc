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
The odometry of simulated robots: dead reckoning with errors, and the noise that robots assume.

The errors are a constant scale and bias of each robot, and white noise.
"""

from dataclasses import fields
import math
import zlib

from leader_election.localisation.poses import PlanePose
from leader_election.simulation.motion import advance, Array, velocities_between
from leader_election.simulation.parameters import OdometryErrorParameters, WorldParameters
import numpy as np

PHYSICAL_WHEELS = {'odometry_noise_position': 0.01, 'odometry_noise_turn': 0.02}
"""Noise of odometry with contact physics, some times that of simulated wheels without bumps."""
EXACT_ODOMETRY = {'odometry_noise_position': 0.0, 'odometry_noise_turn': 0.0}
"""Noise of odometry that has no errors: the deviation of a robot does not grow."""
KINDS = [0, 1, 0]
"""The column of the errors of each velocity: linear, angular, and sideways as linear."""


def noise_in_world(parameters: WorldParameters) -> dict[str, float]:
    """
    Return the noise of odometry that robots should assume which have no other sensor.

    :param parameters: of the world.
    :return: parameters of robots. None where their defaults, those of real robots, are right.

    >>> noise_in_world(WorldParameters(linear_noise=0.1))
    {}
    """
    errors = any(getattr(parameters, field.name) != field.default
                 for field in fields(OdometryErrorParameters))
    if parameters.logs or errors:
        return {}
    return PHYSICAL_WHEELS if parameters.physics == 'mujoco' else EXACT_ODOMETRY


class Odometry:
    """
    Dead reckoning of all robots, with scale errors, bias and noise. Each starts at its own origin.

    :ivar poses: x, y, yaw relative to the robot's start [m, rad], shape (n, 3).
    :ivar velocities: as measured in the last step, with the columns of the true ones. Errors of
        sideways motion are drawn as those of the linear one.
    """

    def __init__(self, robots: int, parameters: OdometryErrorParameters,
                 rng: np.random.Generator) -> None:
        """
        Draw the constant errors of each robot.

        :param robots: their number.
        :param parameters: of errors and noise.
        :param rng: the random generator of odometry.
        """
        p = parameters
        self._rng = rng
        self._scale = 1 + rng.standard_normal((robots, 2)) * (
            p.linear_scale_error, p.angular_scale_error)
        self._bias = rng.standard_normal((robots, 2)) * (0.0, p.angular_bias)
        self._noise = np.array((p.linear_noise, p.angular_noise))
        self.poses: Array = np.zeros((robots, 3))
        self.velocities: Array = np.zeros((robots, 2))

    def step(self, velocities: Array, dt: float) -> None:
        """
        Measure the true velocities and integrate them over one step.

        :param velocities: true linear and angular velocity [m/s, rad/s], shape (n, 2), or (n, 3)
            with the sideways velocity [m/s].
        :param dt: duration of the step [s].
        """
        kind = KINDS[:velocities.shape[1]]
        # White noise, scaled by 1 / sqrt(dt): its effect on the path then grows with the square
        # root of time at any step rate.
        noise = self._rng.standard_normal(velocities.shape) * self._noise[kind] / math.sqrt(dt)
        self.velocities = velocities * self._scale[:, kind] + self._bias[:, kind] + noise
        self.poses = advance(self.poses, self.velocities, dt)


class ErroneousOdometry(Odometry):
    """
    The odometry of one robot with scale errors, bias and noise, as of the embedded world.

    Its poses are in the frame of the odometry without errors.
    """

    def __init__(self, parameters: OdometryErrorParameters, seed: int, robot: str) -> None:
        """
        Draw the constant errors of the robot.

        :param parameters: the standard deviations of the errors.
        :param seed: of all errors in the swarm.
        :param robot: its name. Each robot has errors of its own.
        """
        super().__init__(
            1, parameters, np.random.default_rng([seed, 2, zlib.crc32(robot.encode())]))
        self._last = self.poses
        self._time = math.inf

    def take(self, time: float, pose: PlanePose) -> bool:
        """
        Take the next pose of odometry without errors.

        The first pose is used unchanged, as is the first one after time went back: the simulation
        was restarted.

        :param time: of the simulation [s].
        :param pose: x, y, yaw [m, rad].
        :return: whether it is new. A second one of the same time is not.
        """
        row, dt = np.array([pose]), time - self._time
        if dt == 0.0:
            return False
        if dt < 0.0:
            self.poses, self.velocities = row, np.zeros((1, 2))
        else:
            self.step(velocities_between(self._last, row, dt), dt)
        self._last, self._time = row, time
        return True
