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

"""Odometry with the errors of the embedded world, from odometry without errors."""

import math
import zlib

from leader_election.simulation.kinematics import Array, Odometry, velocities_between
from leader_election.simulation.odometry_covariance import OdometryCovariance
from leader_election.simulation.odometry_parameters import OdometryErrorParameters
import numpy as np

Pose = tuple[float, float, float]
"""x, y, yaw [m, rad]."""


class ErroneousOdometry:
    """
    The odometry of one robot with scale errors, bias and noise, as of the embedded world.

    :ivar pose: with errors, in the frame of the input odometry [m, rad].
    :ivar velocity: linear and angular, with errors [m/s, rad/s].
    :ivar covariance: of both; one row.
    """

    def __init__(self, parameters: OdometryErrorParameters, seed: int, robot: str) -> None:
        """
        Draw the constant errors of the robot.

        :param parameters: the standard deviations of the errors.
        :param seed: of all errors in the swarm.
        :param robot: its name; each robot has errors of its own.
        """
        self.pose: Pose = (0.0, 0.0, 0.0)
        self.velocity = (0.0, 0.0)
        self.covariance = OdometryCovariance(1, parameters)
        self._parameters = parameters
        self._odometry = Odometry(
            1, parameters, np.random.default_rng([seed, 2, zlib.crc32(robot.encode())]))
        self._last: Array | None = None
        self._time = -math.inf

    def take(self, time: float, pose: Pose) -> bool:
        """
        Take the next pose of odometry without errors.

        The first pose is used unchanged, as is the first one after time went back: the simulation
        was restarted.

        :param time: of the simulation [s].
        :param pose: x, y, yaw [m, rad].
        :return: whether it is new; a second one of the same time is not.
        """
        row = np.array([pose])
        if self._last is None or time < self._time:
            self._odometry.poses, self._odometry.velocities = row, np.zeros((1, 2))
            self.covariance = OdometryCovariance(1, self._parameters)
        elif time == self._time:
            return False
        else:
            dt = time - self._time
            headings = self._odometry.poses[:, 2]
            self._odometry.step(velocities_between(self._last, row, dt), dt)
            self.covariance.step(headings, self._odometry.velocities, dt)
        self._last, self._time = row, time
        x, y, yaw = self._odometry.poses[0].tolist()
        self.pose = (x, y, yaw)
        speed, turn = self._odometry.velocities[0].tolist()
        self.velocity = (speed, turn)
        return True
