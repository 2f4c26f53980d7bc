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
from typing import Any

from leader_election.parameters import id_ranges, parameter, ParameterError
from leader_election.parameters.registry import Registry

INFINITE = float('inf')
ODOMETRY, COOPERATIVE, TRANSFORM, POSE = 'odometry', 'cooperative', 'tf', 'pose'
OWN_POSE_SOURCES = (ODOMETRY, COOPERATIVE, TRANSFORM, POSE)
GIVEN = (TRANSFORM, POSE)
"""The pose sources by another localisation."""
POSE_SOURCES: Registry[Any] = Registry('pose source', 'leader_election.pose_sources')
"""The pose sources of users' packages: classes derived from ``PoseSource``, with a name."""
BUMPER, IMU = 'bumper', 'imu'
SLIP_SOURCES = (BUMPER, IMU)
"""The values of ``slip_sources``, and names of topics."""
NOISE_OF_WAY = 0.15
"""The noise of the heading by a metre driven, relative to that by a radian turned."""
SIGHTING_INTERVAL = 1.0
"""The least time between two sightings of the same neighbour that are used [s]."""
MEASUREMENTS, DETECTIONS, TAGS, RANGES = 'measurements', 'detections', 'tags', 'ranges'
SIGHTING_SOURCES = (MEASUREMENTS, DETECTIONS, TAGS, RANGES)
"""The values of ``sighting_sources``, and names of topics, except ``range/robot_<id>``."""
MOST_RANGES = 100
"""The most neighbours with a topic of ranges: a subscription each."""
GREATEST_ID = 2**53 - 1
NUMBER = '{id}'
"""The placeholder of the id in a name."""


@dataclass(frozen=True)
class LocalisationParameters:
    """
    The pose source of a robot, the noise of odometry and of sightings, and the sensors.

    The defaults of noise fit the five robots of MRCLAM 6 (K. Leung, Y. Halpern, T. Barfoot, H.
    Liu, IJRR 2011). Halving or doubling them changes the results there by about a point.
    """

    pose_source: str = parameter(
        ODOMETRY, 'How the pose in the shared frame is found: odometry from initial_pose on '
        '(odometry), corrected by what this robot and its neighbours measure of each other '
        '(cooperative), by the transform from the frame in its header, or without odometry '
        'from base_frame (tf; needs tf2_ros_py), or by poses in the shared frame on topic pose '
        '(pose).',
        choices=lambda: (*OWN_POSE_SOURCES, *POSE_SOURCES.names()))
    odometry_noise_position: float = parameter(
        0.06, 'Noise of odometry: standard deviation of the position after driving one metre. It '
        'grows with the square root of the distance. Lower it for robots whose wheels do not '
        'slip. The filter raises it by itself.', unit='m/sqrt(m)', lower=0.0, upper=10.0)
    odometry_noise_turn: float = parameter(
        0.20, 'Noise of odometry: standard deviation of the heading after turning by one radian. '
        'It grows with the square root of the angle. After driving one metre it is 0.15 of that. '
        'Lower it for a heading by a gyroscope.',
        unit='rad/sqrt(rad)', lower=0.0, upper=10.0)
    initial_deviation: tuple[float, ...] = parameter(
        (0.05, 0.03), 'The standard deviations of initial_pose: of the position, of the heading. '
        'Raise them where robots are placed by hand.', unit='(m, rad)', lengths=(2,))

    range_noise: float = parameter(
        0.1, 'Sightings: standard deviation of a range whose sensor states none.',
        unit='m', lower=1e-3, upper=100.0)
    range_noise_scale: float = parameter(
        0.05, 'Sightings: a further standard deviation of a range, as a part of the range. 0 for '
        'radios, whose errors do not grow with the distance.', lower=0.0, upper=1.0)
    bearing_noise: float = parameter(
        0.04, 'Sightings: standard deviation of a bearing whose sensor states none.',
        unit='rad', lower=1e-3, upper=3.2)
    landmarks: str = parameter(
        '', 'The file with the known places of landmarks in the shared frame: a CSV file with '
        'columns id, x, y, if known z [m]. Their ids are not those of robots. They stop the '
        'drift of the shared frame. Empty: none.')

    max_deviation: float = parameter(
        0.0, 'The standard deviation of distances to neighbours, or of the own position where '
        'there are none, beyond which a robot reports that they are too uncertain (diagnostics). '
        '0: half the radius with pose_source cooperative, where the probability of a wrong '
        'leader is not known, otherwise none. .inf: none.',
        unit='m', lower=0.0, upper=INFINITE, dynamic=True)

    slip_sources: str = parameter(
        '', 'What shows that wheels turn while the robot does not move, so that odometry is '
        'believed less, a list: bumper (std_msgs/Bool, true while it touches something), imu '
        '(sensor_msgs/Imu, whose z axis points upwards). Set what the robot has. Empty: nothing.')

    sighting_sources: str = parameter(
        'measurements', 'Where sightings of neighbours and landmarks come from, a list: '
        'measurements (ids with range and bearing), detections (vision_msgs/Detection3DArray), '
        'tags (tf2_msgs/TFMessage of a tag detector), ranges (sensor_msgs/Range, a topic for '
        'each neighbour). Topics have these names, except range/robot_<id>.')
    tag_names: str = parameter(
        'robot_{id}, tag36h11:{id}', 'Detections and tags: their names, a list of patterns in '
        'which {id} stands for the id. An id alone is always understood. Other names are '
        'ignored.')
    sensor_frame: str = parameter(
        '', 'Detections and tags: the frame of the sensor in headers. Others are ignored, '
        'for example those of other robots on /tf. Empty: any.', is_frame=True)
    sensor_pose: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 'Detections and tags: the pose of the frame in their '
        "headers in the robot's own frame, base_link: x, y, z, roll, pitch, yaw. The optical "
        'frame of a camera that looks ahead is turned by -1.5708, 0, -1.5708. z is also the '
        'height of a radio: ranges are distances in space.',
        unit='(m, rad)', lengths=(6,))
    range_ids: str = parameter(
        '', "Ranges: the neighbours with a topic range/robot_<id>, for example '1-5'.")
    range_offset: float = parameter(
        0.0, 'The offset added to each range of a sighting: the distance from the part that the '
        "sensor finds (a tag, an antenna) to the middle of the neighbour's body, less the "
        'constant error of the sensor.', unit='m', lower=-100.0, upper=100.0, dynamic=True)

    @property
    def odometry_noise_heading(self) -> float:
        """Return the standard deviation of the heading after driving one metre [rad/sqrt(m)]."""
        return NOISE_OF_WAY * self.odometry_noise_turn

    @property
    def slips_by(self) -> tuple[str, ...]:
        """Return the sources of slip, in the order in which they are listed, each once."""
        return _listed(self.slip_sources)

    @property
    def sources(self) -> tuple[str, ...]:
        """Return the sources of sightings, in the order in which they are listed, each once."""
        return _listed(self.sighting_sources)

    @property
    def name_patterns(self) -> tuple[str, ...]:
        """Return the patterns of names."""
        return _listed(self.tag_names)

    @property
    def ranged(self) -> tuple[int, ...]:
        """Return the neighbours with a topic of ranges."""
        return tuple(dict.fromkeys(
            robot for first, last in id_ranges(self.range_ids, 'range_ids')
            for robot in range(first, last + 1)))

    def __post_init__(self) -> None:
        """Refuse invalid deviations, unknown sources, names without an id, and wrong range_ids."""
        if not (0.005 <= self.initial_deviation[0] <= 1e3
                and 0.001 <= self.initial_deviation[1] <= 3.2):
            raise ParameterError(
                'initial_deviation', list(self.initial_deviation), '0.005 to 1000 m, then 0.001 '
                'to 3.2 rad')
        _refuse_unknown('slip_sources', self.slips_by, SLIP_SOURCES)
        _refuse_unknown('sighting_sources', self.sources, SIGHTING_SOURCES)
        for pattern in self.name_patterns:
            if pattern.count(NUMBER) != 1:
                raise ParameterError('tag_names', pattern, 'a list of names with {id} in each, '
                                     "for example 'robot_{id}'")
        ranges = id_ranges(self.range_ids, 'range_ids')
        if (sum(last - first + 1 for first, last in ranges) > MOST_RANGES
                or any(first < 0 or last > GREATEST_ID for first, last in ranges)):
            raise ParameterError('range_ids', self.range_ids, f'at most {MOST_RANGES} ids from 0 '
                                 f'to {GREATEST_ID}')
        if RANGES in self.sources and not ranges:
            raise ParameterError('range_ids', problem=": '' is not allowed; sighting_sources has "
                                 "ranges, so it takes ids, for example '1-5'")


def _listed(text: str) -> tuple[str, ...]:
    """Return the names in a list with commas, each once."""
    names = (name.strip() for name in text.split(','))
    return tuple(dict.fromkeys(name for name in names if name))


def _refuse_unknown(parameter_name: str, names: tuple[str, ...], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            raise ParameterError(parameter_name, name, f"a list of {', '.join(known)}")
