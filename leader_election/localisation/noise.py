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

"""The covariances of odometry and the variances of sightings, by the parameters."""

import math

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import PlanePose
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
PUSHED = 0.5
"""The turn by pushing that wheels do not report, for each metre that they do [rad/m]."""
ACROSS = 0.25
"""The variance across the path, as a fraction of that along it."""


def odometry_covariance(motion: PlanePose, duration: float,
                        parameters: LocalisationParameters, factor: float = 1.0) -> Array:
    """
    Return the covariance of a motion by odometry, in the frame of its begin, shape (3, 3).

    :param motion: x, y, yaw [m, rad].
    :param duration: [s].
    :param factor: of the variance that grows with the distance.

    >>> table = LocalisationParameters()
    >>> [round(float(number), 6) for number in np.diag(
    ...     odometry_covariance((1.0, 0.0, 0.0), 0.0, table))]
    [0.0036, 0.001125, 0.0009]
    """
    along, across, heading, mixed = odometry_variances(motion, duration, parameters, factor)
    return np.array(((along, 0.0, 0.0), (0.0, across, mixed), (0.0, mixed, heading)))


def odometry_variances(motion: PlanePose, duration: float, parameters: LocalisationParameters,
                       factor: float = 1.0) -> tuple[float, float, float, float]:
    """
    Return the variances along the path, across it and of the heading, and their covariance.

    The noise of the heading inside the motion shifts its end sideways by half its length on
    average. All other covariances are zero.

    :param motion: x, y, yaw [m, rad].
    :param duration: [s].
    :param factor: as of :func:`odometry_covariance`.
    """
    way, turn = math.hypot(motion[0], motion[1]), abs(motion[2])
    rest = parameters.odometry_noise_rest ** 2 * duration
    along = factor * parameters.odometry_noise_position ** 2 * way + rest
    heading = (parameters.odometry_noise_turn ** 2 * turn
               + parameters.odometry_noise_heading ** 2 * way + rest)
    mixed = heading * way / 2.0
    return along, ACROSS * along + mixed * way / 2.0, heading, mixed


def range_variance(distance: float, parameters: LocalisationParameters) -> float:
    """Return the variance of a measured range [m2], for the expected one [m]."""
    return parameters.range_noise ** 2 + (parameters.range_noise_scale * distance) ** 2
