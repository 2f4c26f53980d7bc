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

"""The parameters of odometry's errors, and of sensors that identify neighbours and landmarks."""

from dataclasses import dataclass
from functools import partial
import math

from leader_election.parameters import as_in, parameter, ParameterError, ProcessParameters

LEAST_FACTOR = 0.1
"""The least factor of true to reported motion."""


@dataclass(frozen=True)
class OdometryErrorParameters:
    """
    The errors of odometry; by default it is right.

    Of the factors, true motion is the reported one times the factor: on five robots of MRCLAM 9
    (fast, among barriers) the factor of turns was 0.80 to 0.88 at small turn rates, 0.66 to 0.73
    at large ones, and 0.02 to 0.09 greater to the left than to the right.
    """

    linear_scale_error: float = parameter(
        0.0, 'Odometry: standard deviation over the robots of the constant relative error of the '
        'linear speed.', lower=0.0, upper=1.0)
    angular_scale_error: float = parameter(
        0.0, 'Odometry: standard deviation over the robots of the constant relative error of the '
        'angular speed.', lower=0.0, upper=1.0)
    angular_bias: float = parameter(
        0.0, 'Odometry: standard deviation over the robots of a constant bias of the angular '
        'speed.', unit='rad/s', lower=0.0, upper=10.0)
    linear_noise: float = parameter(
        0.0, 'Odometry: white noise on the linear speed, as the standard deviation that it adds '
        'to the distance driven in one second.', unit='m/sqrt(s)', lower=0.0, upper=10.0)
    angular_noise: float = parameter(
        0.0, 'Odometry: white noise on the angular speed, as the standard deviation that it adds '
        'to the angle turned in one second.', unit='rad/sqrt(s)', lower=0.0, upper=10.0)
    distance_factor: tuple[float, ...] = parameter(
        (1.0, 1.0), 'Odometry: the true distance per reported one: the range from which the '
        'factor of each robot is drawn evenly.', lengths=(2,))
    turn_factor: tuple[float, ...] = parameter(
        (1.0, 1.0), 'Odometry: the true turn per reported one at small turn rates: the range from '
        'which the factor of each robot is drawn evenly.', lengths=(2,))
    turn_factor_fall: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Odometry: the decrease of the factor of turns with the true turn rate, drawn '
        'likewise.', unit='s/rad', lengths=(2,))
    turn_factor_left: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Odometry: by how much the factor of turns to the left is above that to the '
        'right, drawn likewise.', lengths=(2,))

    def __post_init__(self) -> None:
        """
        Check the ranges of the factors.

        :raises ParameterError: for a range without order, or factors that are not allowed.
        """
        for name, lower, upper in (
                ('distance_factor', LEAST_FACTOR, 10.0), ('turn_factor', LEAST_FACTOR, 10.0),
                ('turn_factor_fall', 0.0, 10.0), ('turn_factor_left', -1.0, 1.0)):
            low, high = value = getattr(self, name)
            if not lower <= low <= high <= upper:
                raise ParameterError(name, list(value), 'a least and a greatest value from '
                                     f'{lower:g} to {upper:g}')


_error = partial(as_in, OdometryErrorParameters)


@dataclass(frozen=True)
class GazeboOdometryParameters(OdometryErrorParameters, ProcessParameters):
    """Parameters of the node that gives robots in Gazebo their odometry."""

    linear_scale_error: float = _error('linear_scale_error', default=0.03)
    angular_scale_error: float = _error('angular_scale_error', default=0.03)
    angular_bias: float = _error('angular_bias', default=0.003)
    linear_noise: float = _error('linear_noise', default=0.02)
    angular_noise: float = _error('angular_noise', default=0.02)
    robots: str = parameter(
        '', 'The namespaces of the robots, separated by commas. Empty: one robot, in the '
        'namespace of the node.')
    seed: int = parameter(
        0, 'Seed of the errors, together with the name of each robot.', lower=0, upper=2**62)
    odometry_drift: bool = parameter(
        False, 'Whether odometry has errors. If not, that of the simulator is forwarded '
        'unchanged.')
    ground_truth: bool = parameter(
        False, "Whether to publish each robot's true pose on topic ground_truth.")
    bumper: bool = parameter(
        False, 'Whether to publish on topic bumper whether a robot touches something: whether '
        'anything comes on topic contacts.')
    scanner_height: float = parameter(
        0.0, 'Height of a laser scanner, whose frame, <robot>/base_link/lidar, is then published '
        'beside odometry on topic tf. 0: no scanner.', unit='m', lower=0.0, upper=10.0)
    contacts_type: str = parameter(
        'ros_gz_interfaces/msg/Contacts', 'The type of messages on topic contacts; that of '
        'ros_gz unless another bridge has another one.', empty=False)


@dataclass(frozen=True)
class SightingSensorParameters:
    """Ranging radios, cameras, and logged sightings; all publish to ``measurements``."""

    ranging_rate: float = parameter(
        0.0, 'Ranging radios (ultra-wideband): measurements of each neighbour per second of '
        'simulated time, at most one per step; 0: none.', unit='Hz', lower=0.0, upper=1000.0)
    ranging_range: float = parameter(
        5.0, 'Ranging radios: range. .inf: unlimited.',
        unit='m', lower=0.0, upper=math.inf)
    ranging_noise: float = parameter(
        0.1, 'Ranging radios: standard deviation of the noise.',
        unit='m', lower=0.0, upper=100.0, dynamic=True)
    ranging_outliers: float = parameter(
        0.05, 'Ranging radios: share of outliers, of which 80 % are reflections, longer by 0.3 m '
        'and an exponential of mean 1.5 m, and the others uniform in 0.1 to 10 m.',
        lower=0.0, upper=1.0, dynamic=True)
    ranging_loss: float = parameter(
        0.1, 'Ranging radios: the probability that a measurement fails.',
        lower=0.0, upper=1.0, dynamic=True)
    ranging_bias: float = parameter(
        0.0, 'Ranging radios: constant error of all measurements except outliers.',
        unit='m', lower=-100.0, upper=100.0, dynamic=True)
    ranging_line_of_sight: bool = parameter(
        False, 'Ranging radios: whether obstacles block measurements.')

    camera_rate: float = parameter(
        0.0, 'Cameras: pictures per second of simulated time, at most one per step, in which '
        'neighbours and landmarks are identified; 0: none.', unit='Hz', lower=0.0, upper=1000.0)
    camera_range: float = parameter(
        5.0, 'Cameras: range. Obstacles block the sight, robots do not.',
        unit='m', lower=0.0, upper=1000.0)
    camera_field_of_view: float = parameter(
        1.18, 'Cameras: angle of view, half of it to each side of straight ahead.',
        unit='rad', lower=0.0, upper=2 * math.pi)
    camera_noise: float = parameter(
        0.05, 'Cameras: standard deviation of the noise on the range, the part that is the same '
        'at any range.', unit='m', lower=0.0, upper=100.0, dynamic=True)
    camera_noise_scale: float = parameter(
        0.05, 'Cameras: standard deviation of the noise on the range that grows with it, as a '
        'share of the range.', lower=0.0, upper=1.0, dynamic=True)
    camera_bearing_noise: float = parameter(
        0.02, 'Cameras: standard deviation of the noise on the bearing.',
        unit='rad', lower=0.0, upper=math.pi, dynamic=True)
    camera_outliers: float = parameter(
        0.02, 'Cameras: share of outliers, uniform over the field of view and up to the range.',
        lower=0.0, upper=1.0, dynamic=True)
    camera_loss: float = parameter(
        0.5, 'Cameras: the probability that an object in view is not identified.',
        lower=0.0, upper=1.0, dynamic=True)

    landmarks: str = parameter(
        '', 'Landmarks that cameras see: the path of a CSV file with the columns subject (or id), '
        'x, y. Empty: those of the logs, if there are some.')
    logged_sightings: bool = parameter(
        False, "Replay: publish the sightings of the logs' folder, measurements/<name of the "
        'log>, with the columns t, subject, range, bearing.')
