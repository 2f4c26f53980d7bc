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
The parameters of sensors that identify neighbours and landmarks, and measure their positions.

:class:`SightingSensorParameters` is a part of the world's parameters.
"""

from dataclasses import dataclass
import math

from leader_election.parameters import parameter


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
