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
The parameters of the embedded world: scene, motion, radio, sensors, and errors of odometry.

:class:`SceneParameters` are shared with the processes of the robots, which compute the same
initial poses and radio topics from the same values.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
import math
import re
from typing import ClassVar

from leader_election.parameters import as_in, parameter, ParameterError, ProcessParameters
from leader_election.parameters.values import id_ranges, IdRange

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


NAMESPACE = r'/?[A-Za-z_]\w*(/[A-Za-z_]\w*)*'


@dataclass(frozen=True)
class SceneParameters:
    """Parameters that the world's process and the robots' processes must agree on."""

    robots: int = parameter(
        40, 'Number of robots. Ignored with logs: there is one robot for each log.',
        lower=1, upper=10000)
    first_id: int = parameter(
        1, 'The id of the first robot; the other ids follow it.', lower=0, upper=2**52)
    seed: int = parameter(
        0, 'Seed of all random numbers in the world: the same seed gives the same run.',
        lower=0, upper=2**62)
    world: str = parameter(
        'blocks', 'The arena: blocks, rooms, barriers, empty, empty:<width>x<height> [m], or the '
        'path of a YAML file. Ignored with logs: the arena is the box round the logged paths.')
    layout: str = parameter(
        'random', 'Initial poses: random in free space, on a square grid round the centre, or on '
        'a circle round it, facing outwards.',
        choices=lambda: ('random', 'grid', 'circle'))
    spacing: float = parameter(
        1.0, 'Layout grid: distance between adjacent robots. Layout circle: the least distance '
        'between them; the circle grows until it avoids the obstacles.',
        unit='m', lower=0.01, upper=1e4)
    robot_radius: float = parameter(
        0.15, 'Radius of a robot: the least distance from its centre to walls and obstacles.',
        unit='m', lower=0.0, upper=100.0)
    logs: str = parameter(
        '', 'Logs to replay instead of simulating motion: a folder of CSV files, one for each '
        'robot, or physics5, two minutes of five robots with contact physics. Empty: none.')
    radio: str = parameter(
        'shared', 'Transport of messages: all robots use one shared topic (shared), or the world '
        'relays each message from topic neighbourhood to topic heard of the robots within radio '
        'range (relay).',
        choices=lambda: ('shared', 'relay'))


@dataclass(frozen=True)
class WorldParameters(OdometryErrorParameters, SceneParameters, SightingSensorParameters,
                      ProcessParameters):
    """Parameters of the world alone: motion, odometry, clock, radio and sensors."""

    GROUPS: ClassVar[Mapping[str, str]] = {
        'What is set first': 'robots seed world motion speed radio',
        'Robots and their places': 'first_id layout spacing robot_radius logs',
        'Motion': 'physics turn_rate levy_scale levy_shape levy_slowest levy_push command_timeout '
                  'step_rate',
        'Odometry': 'odom_source send_transforms linear_scale_error angular_scale_error '
                    'angular_bias linear_noise angular_noise distance_factor turn_factor '
                    'turn_factor_fall turn_factor_left contact_slip',
        'Faults of odometry': 'odom_silent odom_shifted odom_shift carried_robots carried_at '
                              'carried_by',
        'Clock': 'publish_clock real_time_factor clock_listeners',
        'Radio': 'radio_range radio_namespaces line_of_sight radio_loss radio_delay radio_jitter '
                 'radio_duplication radio_reordering radio_groups',
        'Laser scanner, reading': 'scan_rate scan_beams scan_range reading_rate reading_base '
                                  'reading_peaks reading_noise',
        'Sightings': 'ranging_rate ranging_range ranging_noise ranging_outliers ranging_loss '
                     'ranging_bias ranging_line_of_sight camera_rate camera_range '
                     'camera_field_of_view camera_noise camera_noise_scale camera_bearing_noise '
                     'camera_outliers camera_loss landmarks logged_sightings',
        'Process': 'executor',
    }
    """The names of all parameters by group, for documents."""

    motion: str = parameter(
        'static', 'Motion of the robots: none, Levy walks, the velocity commands on topics '
        'cmd_vel, or the replay of logs. With logs it is always replay.',
        choices=lambda: ('static', 'levy', 'cmd_vel', 'replay'))
    physics: str = parameter(
        'kinematic', 'How robots move: as commanded, and walls stop them (kinematic), or by '
        'contact physics, in which wheels slip and robots push each other (mujoco, the extra '
        'physics); robots then publish bumper and imu.',
        choices=lambda: ('kinematic', 'mujoco'))
    speed: float = parameter(
        0.5, 'Linear speed of Levy walks, and the limit for cmd_vel.',
        unit='m/s', lower=0.0, upper=20.0, dynamic=True)
    turn_rate: float = parameter(
        1.5, 'Angular speed of Levy walks, and the limit for cmd_vel.',
        unit='rad/s', lower=0.01, upper=20.0)
    levy_scale: float = parameter(
        1.0, 'Levy walks: the length of the shortest leg.', unit='m', lower=0.001, upper=1e4)
    levy_shape: float = parameter(
        1.5, 'Levy walks: exponent of the Pareto distribution of the legs; smaller values give '
        'more long legs.', lower=0.1, upper=10.0)
    levy_slowest: float = parameter(
        1.0, 'Levy walks: each leg has a share of speed and turn_rate of its own, drawn evenly '
        'from this to 1.', lower=0.01, upper=1.0)
    levy_push: float = parameter(
        0.0, 'Levy walks: the time for which a robot drives on against a wall before it turns '
        'away.', unit='s', lower=0.0, upper=1e4)
    command_timeout: float = parameter(
        0.5, 'The time for which a command on cmd_vel is valid; then the robot stops.',
        unit='s', lower=0.01, upper=1e6)
    step_rate: float = parameter(
        10.0, 'Steps of the world per second of simulated time; each publishes all poses once.',
        unit='Hz', lower=0.1, upper=1000.0)

    odom_source: str = parameter(
        'odometry', 'The content of topic odom: the velocities of wheels, or of the logs, '
        'integrated from the true start (odometry), or the true pose (truth).',
        choices=lambda: ('odometry', 'truth'))
    contact_slip: float = parameter(
        0.0, 'Odometry: the share of the commanded speed that wheels report of a robot that a '
        'wall stops: 1, they slip; 0, they stall. Physics kinematic.', lower=0.0, upper=1.0)
    send_transforms: bool = parameter(
        True, 'Whether to send the transform from odom to base_link of each robot, on topic tf in '
        'its namespace, if tf2_msgs is installed.')

    odom_silent: str = parameter(
        '', 'Faults of odometry: the ids of the robots whose odom is not published, for example '
        "'3,7-9'. Empty: none.", dynamic=True)
    odom_shifted: str = parameter(
        '', 'Faults of odometry: the ids of the robots whose odom is off by odom_shift. Empty: '
        'none.', dynamic=True)
    odom_shift: float = parameter(
        5.0, 'Faults of odometry: the error of x of these robots, in the frame of their '
        'odometry.', unit='m', lower=-1e6, upper=1e6, dynamic=True)

    carried_robots: str = parameter(
        '', 'Faults: the ids of the robots that are carried elsewhere, without a trace in their '
        'odometry. The rest of a replayed path is moved rigidly. Robots that are named later are '
        'carried then, or at carried_at. Empty: none.', dynamic=True)
    carried_at: float = parameter(
        300.0, 'Faults: the time at which they are carried.',
        unit='s', lower=0.0, upper=1e9)
    carried_by: tuple[float, ...] = parameter(
        (2.0, 0.0, 0.0), 'Faults: the displacement of these robots: x [m], y [m] in the shared '
        'frame, and the turn [rad]. Nothing checks that the new place is free.',
        lengths=(3,), dynamic=True)

    publish_clock: bool = parameter(
        False, 'Publish /clock, from 0 on, for all nodes with use_sim_time. If false, the world '
        'uses the clock of its node.')
    real_time_factor: float = parameter(
        1.0, 'With publish_clock: seconds of simulated time per second of real time.',
        lower=0.001, upper=1000.0)

    clock_listeners: int = parameter(
        0, 'With publish_clock: the number of subscribers of /clock that the world waits for '
        'before it starts.',
        lower=0, upper=100000)

    radio_namespaces: tuple[str, ...] = parameter(
        (), 'Radio relay: the namespaces of several swarms of the same robots, each of which has '
        'a radio of its own. Empty: one swarm, in the namespace of the world.')
    radio_range: float = parameter(
        5.0, 'Radio relay: range of messages. .inf: unlimited.',
        unit='m', lower=0.0, upper=float('inf'))
    line_of_sight: bool = parameter(
        False, 'Radio relay: whether obstacles block messages.')
    radio_loss: float = parameter(
        0.0, 'Radio relay: the probability that a robot within range does not receive a message.',
        lower=0.0, upper=1.0, dynamic=True)
    radio_delay: float = parameter(
        0.0, 'Radio relay: the least delay of a message.',
        unit='s', lower=0.0, upper=60.0, dynamic=True)
    radio_jitter: float = parameter(
        0.0, 'Radio relay: the greatest further delay, drawn evenly for each message and '
        'receiver; messages overtake each other if it exceeds the time between them.',
        unit='s', lower=0.0, upper=60.0, dynamic=True)
    radio_duplication: float = parameter(
        0.0, 'Radio relay: the probability that a robot receives a message twice, each with a '
        'delay of its own.', lower=0.0, upper=1.0, dynamic=True)
    radio_reordering: float = parameter(
        0.0, 'Radio relay: the probability that a message is not delayed, and so overtakes those '
        'that are.', lower=0.0, upper=1.0, dynamic=True)
    radio_groups: str = parameter(
        '', 'Radio relay: groups of robots that do not hear each other, for example '
        "'1-10,15; 11-14'; the robots that it does not name are a group, too. Empty: no groups.",
        dynamic=True)

    scan_rate: float = parameter(
        0.0, 'Laser scanners: scans per second of simulated time, at most one per step; 0: none.',
        unit='Hz', lower=0.0, upper=1000.0)
    scan_beams: int = parameter(
        36, 'Laser scanners: number of beams, evenly over the full circle; the first one points '
        'straight ahead.',
        lower=1, upper=3600)
    scan_range: float = parameter(
        4.0, 'Laser scanners: range.', unit='m', lower=0.01, upper=1000.0)

    reading_rate: float = parameter(
        0.0, 'Scalar sensors: readings per second of simulated time, at most one per step; '
        '0: none.',
        unit='Hz', lower=0.0, upper=1000.0)
    reading_base: float = parameter(
        0.0, 'Scalar sensors: the value far from all peaks.', lower=-1e9, upper=1e9)
    reading_peaks: tuple[float, ...] = parameter(
        (0.0, 0.0, 1.0, 3.0), 'Scalar sensors: Gaussian peaks of the field, each as x [m], y [m], '
        'height, width [m], one after the other.')
    reading_noise: float = parameter(
        0.0, 'Scalar sensors: standard deviation of the noise on a reading.',
        lower=0.0, upper=1e9)

    def __post_init__(self) -> None:
        """
        Check the combination of values.

        :raises ParameterError: for values that contradict each other.
        """
        super().__post_init__()
        groups(self.radio_groups)
        id_ranges(self.odom_silent, 'odom_silent')
        id_ranges(self.odom_shifted, 'odom_shifted')
        id_ranges(self.carried_robots, 'carried_robots')
        if not self.logs and (self.motion == 'replay' or self.logged_sightings):
            needs = 'logged_sightings' if self.logged_sightings else 'motion replay'
            raise ParameterError('logs', problem=f' is missing; {needs} needs it')
        if self.physics == 'mujoco' and (self.logs or self.robot_radius == 0.0):
            wrong = 'with logs, which replay motion' if self.logs else 'with robot_radius 0'
            raise ParameterError('physics', problem=f': mujoco is not allowed {wrong}')
        if self.logged_sightings and self.carried_robots:
            raise ParameterError('carried_robots', problem=f': {self.carried_robots} is not '
                                 'allowed with logged_sightings, which would no longer be true; '
                                 'it takes simulated ones: ranging_rate or camera_rate')
        for namespace in self.radio_namespaces:
            if not re.fullmatch(NAMESPACE, namespace, re.ASCII):
                raise ParameterError('radio_namespaces', namespace, 'namespaces, for example '
                                     "'red' and '/blue'")
        if self.real_time_factor != 1.0 and not self.publish_clock:
            raise ParameterError('real_time_factor', problem=f': {self.real_time_factor} needs '
                                 'publish_clock: true')
        if len(self.reading_peaks) % 4 or any(width <= 0.0 for width in self.reading_peaks[3::4]):
            raise ParameterError('reading_peaks', problem=f': {self.reading_peaks} is not x, y, '
                                 'height and a width greater than 0, again and again')


def groups(text: str) -> tuple[tuple[IdRange, ...], ...]:
    """
    Return the groups of robots that a value of ``radio_groups`` names.

    :raises ParameterError: for a text of another form.

    >>> groups('1-3,7; 4-6')
    (((1, 3), (7, 7)), ((4, 6),))
    """
    return tuple(id_ranges(part, 'radio_groups') for part in text.split(';') if part.strip())
