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
The odometry of simulated robots: dead reckoning with errors, and its covariance.

The covariance has the parameters of the errors: a constant scale and bias of each robot, and
white noise. They are propagated to first order along the path that odometry itself reports, as by
a driver with calibrated wheels. With errors of the heading above some 0.3 rad the true errors are
no longer Gaussian. The errors of logged odometry are not known. They are assumed to be the robots'
defaults (:class:`.LocalisationParameters`), those of wheels in contact physics
:data:`PHYSICAL_WHEELS`.
"""

from dataclasses import fields
import math
import zlib

from leader_election.localisation.parameters import LocalisationParameters
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


class OdometryCovariance:
    """
    The covariances of the odometry of many robots, each in the frame of its own odometry.

    :ivar exact: whether odometry has no errors: all covariances are 0.
    :ivar velocities: variances of the measured linear and angular velocity, shape (n, 2).
    """

    def __init__(self, robots: int, parameters: OdometryErrorParameters,
                 real: LocalisationParameters | None = None) -> None:
        """
        Begin without an error.

        :param robots: how many there are.
        :param parameters: of the errors.
        :param real: the noise of the wheels of real robots, for odometry of logs or physics.
        """
        p = parameters
        self._real = real
        self._constant = np.square((p.linear_scale_error, p.angular_scale_error, p.angular_bias))
        self._noise = np.square((p.linear_noise, p.angular_noise))
        self.exact = real is None and not (self._constant.any() or self._noise.any())
        # The derivatives of the pose by the constant errors, and the covariance by noise.
        self._sensitivity = np.zeros((robots, 3, 3))
        self._by_noise = np.zeros((robots, 3, 3))
        self.velocities: Array = np.zeros((robots, 2))

    @property
    def poses(self) -> Array:
        """Return the covariances of x, y, yaw [m, rad], shape (n, 3, 3)."""
        constant: Array = (self._sensitivity * self._constant) @ self._sensitivity.swapaxes(1, 2)
        found = constant + self._by_noise
        # Symmetric in spite of rounding.
        return 0.5 * (found + found.swapaxes(1, 2))

    def step(self, headings: Array, velocities: Array, dt: float) -> None:
        """
        Propagate the errors over one step of odometry.

        :param headings: by odometry, before the step [rad], shape (n,).
        :param velocities: linear and angular, as measured [m/s, rad/s], shape (n, 2), or (n, 3)
            with the sideways velocity [m/s].
        :param dt: the duration of the step [s].
        """
        if self.exact:
            return
        middle = headings + 0.5 * dt * velocities[:, 1]
        if velocities.shape[1] == 3:
            # A way in another direction, with the same errors along it.
            middle = middle + np.arctan2(velocities[:, 2], velocities[:, 0])
            velocities = np.column_stack((np.hypot(*velocities.T[[0, 2]]), velocities[:, 1]))
        ways, turns = velocities.T * dt
        cos, sin = np.cos(middle), np.sin(middle)
        motion = np.zeros_like(self._by_noise) + np.eye(3)
        motion[:, 0, 2], motion[:, 1, 2] = -ways * sin, ways * cos
        # Of an error of the way, and of the turn.
        inputs = np.zeros((len(headings), 3, 2))
        inputs[:, 0, 0], inputs[:, 1, 0], inputs[:, 2, 1] = cos, sin, 1.0
        inputs[:, 0, 1], inputs[:, 1, 1] = -0.5 * ways * sin, 0.5 * ways * cos
        drift = np.zeros((len(headings), 2, 3))
        drift[:, 0, 0], drift[:, 1, 1], drift[:, 1, 2] = ways, turns, dt
        self._sensitivity = motion @ self._sensitivity + inputs @ drift
        noise = self._noise * dt + self._of_wheels(np.abs(ways), np.abs(turns))
        self._by_noise = (motion @ self._by_noise @ motion.swapaxes(1, 2)
                          + (inputs * noise[:, np.newaxis]) @ inputs.swapaxes(1, 2))
        scale, bias = self._constant[:2], np.array((0.0, self._constant[2]))
        self.velocities = np.square(velocities) * scale + bias + noise / dt**2

    def _of_wheels(self, ways: Array, turns: Array) -> Array:
        """Return the variances of path length and turn by real wheels [m, rad], shape (n, 2)."""
        if self._real is None:
            return np.zeros((len(ways), 2))
        p = self._real
        return np.column_stack((
            p.odometry_noise_position**2 * ways,
            p.odometry_noise_turn**2 * turns + p.odometry_noise_heading**2 * ways))


class ErroneousOdometry(Odometry):
    """
    The odometry of one robot with scale errors, bias and noise, as of the embedded world.

    Its poses are in the frame of the odometry without errors.

    :ivar covariance: of pose and velocity, one row.
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
        self.covariance = OdometryCovariance(1, parameters)
        self._parameters = parameters
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
            self.covariance = OdometryCovariance(1, self._parameters)
        else:
            headings = self.poses[:, 2]
            self.step(velocities_between(self._last, row, dt), dt)
            self.covariance.step(headings, self.velocities, dt)
        self._last, self._time = row, time
        return True
