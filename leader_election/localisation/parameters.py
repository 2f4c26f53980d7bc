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

"""The parameters of a robot's localisation."""

from dataclasses import dataclass

from leader_election.parameters import parameter, ParameterError

INFINITE = float('inf')


@dataclass(frozen=True)
class LocalisationParameters:
    """
    The noise of odometry and of sightings, and the limits of the neighbourhood filter.

    The defaults fit the five robots of MRCLAM 6 (K. Leung, Y. Halpern, T. Barfoot, H. Liu, IJRR
    2011); halving or doubling them changes the results there by about a point.
    """

    odometry_noise_position: float = parameter(
        0.06, 'Noise of odometry: standard deviation of the position after driving one metre; it '
        'grows with the square root of the distance.', unit='m/sqrt(m)', lower=0.0, upper=10.0)
    odometry_noise_turn: float = parameter(
        0.20, 'Noise of odometry: standard deviation of the heading after turning by one radian; '
        'it grows with the square root of the angle.',
        unit='rad/sqrt(rad)', lower=0.0, upper=10.0)
    odometry_noise_heading: float = parameter(
        0.03, 'Noise of odometry: standard deviation of the heading after driving one metre; it '
        'grows with the square root of the distance.', unit='rad/sqrt(m)', lower=0.0, upper=10.0)
    odometry_noise_rest: float = parameter(
        1e-3, 'Noise of odometry: standard deviation of position and heading after one second, '
        'also at rest; it grows with the square root of time.',
        unit='(m, rad)/sqrt(s)', lower=1e-6, upper=1.0)
    initial_deviation: tuple[float, ...] = parameter(
        (0.05, 0.03), 'The standard deviation of initial_pose: of the position, of the heading.',
        unit='(m, rad)', lengths=(2,))

    range_noise: float = parameter(
        0.1, 'Sightings: standard deviation of a measured range.',
        unit='m', lower=1e-3, upper=100.0)
    range_noise_scale: float = parameter(
        0.05, 'Sightings: a further standard deviation of a range, as a part of the range.',
        lower=0.0, upper=1.0)
    bearing_noise: float = parameter(
        0.04, 'Sightings: standard deviation of a bearing.', unit='rad', lower=1e-3, upper=3.2)
    sighting_interval: float = parameter(
        1.0, 'The least time between two sightings of the same neighbour that are used: errors '
        'of a fast sensor are not independent of each other.', unit='s', lower=0.01, upper=1e6)
    most_sightings: int = parameter(
        12, 'The greatest number of sightings in a message; more take turns.', lower=0, upper=32)
    localised_neighbours: int = parameter(
        12, 'The greatest number of neighbours in the neighbourhood filter, the nearest; its '
        'computing time grows with it.', lower=1, upper=100)
    landmarks: str = parameter(
        '', 'The file with the known places of landmarks in the shared frame: a CSV file with '
        'columns id, x, y [m]. Their ids are not those of robots. Empty: none.')
    odometry_factors_file: str = parameter(
        '', 'The file in which the scale errors of odometry that sightings tell are kept over a '
        "restart; {id} and {name} stand for the robot's id and namespace, ~ for the home "
        'directory. Needs pose_source cooperative. Empty: none.')

    max_deviation: float = parameter(
        0.0, 'The standard deviation of distances to neighbours, or of the own position where '
        'there are none, beyond which a robot reports that they are too uncertain (diagnostics). '
        '0 or .inf: none; with pose_source cooperative it warns of a leader that may be wrong.',
        unit='m', lower=0.0, upper=INFINITE, dynamic=True)
    hops_beyond_deviation: bool = parameter(
        False, 'Whether a link counts as communication_range, its greatest possible length, when '
        'the deviation of its distance is beyond max_deviation, and its sender as in range: the '
        'election then goes by hops.', dynamic=True)

    def __post_init__(self) -> None:
        """Refuse invalid deviations, and ``hops_beyond_deviation`` without ``max_deviation``."""
        if not (0.005 <= self.initial_deviation[0] <= 1e3
                and 0.001 <= self.initial_deviation[1] <= 3.2):
            raise ParameterError(
                'initial_deviation', list(self.initial_deviation), '0.005 to 1000 m, then 0.001 '
                'to 3.2 rad')
        if self.hops_beyond_deviation and self.max_deviation in (0.0, INFINITE):
            raise ParameterError('hops_beyond_deviation', problem=': true needs max_deviation, '
                                 'beyond which hops count')
