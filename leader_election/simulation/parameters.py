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
from typing import ClassVar

from leader_election.parameters import as_in, id_ranges, IdRange, parameter, ParameterError


@dataclass(frozen=True)
class OdometryErrorParameters:
    """The errors of odometry, by default it is right."""

    linear_scale_error: float = parameter(
        0.0, 'Odometry: standard deviation over the robots of the constant relative error of the '
        'linear speed. Set it, as the other errors, to test a swarm whose odometry drifts.',
        lower=0.0, upper=1.0)
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


_error = partial(as_in, OdometryErrorParameters)


@dataclass(frozen=True)
class GazeboOdometryParameters(OdometryErrorParameters):
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
        False, 'Whether odometry has errors as on a real floor, those of the parameters of node '
        'gazebo_odometry. If not, that of the simulator is forwarded unchanged.')
    ground_truth: bool = parameter(
        False, "Whether to publish each robot's true pose on topic ground_truth.")
    bumper: bool = parameter(
        False, 'Whether robots notice what they touch, on topic bumper, by a contact sensor that '
        'needs no rendering (topic contacts).')
    scanner_height: float = parameter(
        0.0, 'Height of a laser scanner, which gazebo.launch.py sets. Its frame, '
        '<robot>/base_link/lidar, is then published beside odometry on topic tf. 0: no scanner.',
        unit='m', lower=0.0, upper=10.0)


@dataclass(frozen=True)
class SightingSensorParameters:
    """Ranging radios, cameras, and logged sightings; all publish to ``measurements``."""

    ranging_rate: float = parameter(
        0.0, 'Ranging radios (ultra-wideband): measurements of each neighbour per second of '
        'simulated time, at most one per step. 0: none. Set it for robots that localise '
        'themselves together.', unit='Hz', lower=0.0, upper=1000.0)
    ranging_range: float = parameter(
        5.0, 'Ranging radios: range, of the radio that you plan for. .inf: unlimited.',
        unit='m', lower=0.0, upper=math.inf)
    ranging_outliers: float = parameter(
        0.05, 'Ranging radios: share of outliers, of which 80 % are reflections, longer by 0.3 m '
        'and an exponential of mean 1.5 m, and the others uniform in 0.1 to 10 m. Set it, as '
        'ranging_bias, to test how the filter bears bad radios.',
        lower=0.0, upper=1.0, dynamic=True)
    ranging_bias: float = parameter(
        0.0, 'Ranging radios: constant error of all measurements except outliers.',
        unit='m', lower=-100.0, upper=100.0, dynamic=True)
    camera_rate: float = parameter(
        0.0, 'Cameras: pictures per second of simulated time, at most one per step, in which '
        'neighbours and landmarks up to 5 m away are identified. 0: none. Set it as ranging_rate.',
        unit='Hz', lower=0.0, upper=1000.0)
    landmarks: str = parameter(
        '', 'Landmarks that cameras see, in an arena that has some: the path of a CSV file with '
        'the columns subject (or id), x, y. Empty: those of the logs, if there are some.')
    logged_sightings: bool = parameter(
        False, "Replay: publish the sightings of the logs' folder, measurements/<name of the "
        'log>, with the columns t, subject, range, bearing. Set by demo --sightings.')


@dataclass(frozen=True)
class SceneParameters:
    """Parameters that the world's process and the robots' processes must agree on."""

    robots: int = parameter(
        40, 'Number of robots. One machine holds about 300. Ignored with logs: there is one '
        'robot for each log.',
        lower=1, upper=10000)
    seed: int = parameter(
        0, 'Seed of all random numbers in the world: the same seed gives the same run.',
        lower=0, upper=2**62)
    world: str = parameter(
        'blocks', 'The arena: blocks, rooms, barriers or empty, with :<width>x<height> stretched '
        'to that size [m]; or the path of a YAML file. Ignored with logs: the arena is the box '
        'round the logged paths.')
    layout: str = parameter(
        'random', 'Initial poses: random in free space, on a square grid round the centre, or on '
        'a circle round it, facing outwards.',
        choices=lambda: ('random', 'grid', 'circle'))
    spacing: float = parameter(
        1.0, 'Layout grid: distance between adjacent robots. Layout circle: the least distance '
        'between them. The circle grows until it avoids the obstacles.',
        unit='m', lower=0.01, upper=1e4)
    logs: str = parameter(
        '', 'Logs to replay instead of simulating motion: a folder of CSV files, one for each '
        'robot, or physics5, two minutes of five robots with contact physics. Empty: none.')
    radio: str = parameter(
        'shared', 'Transport of messages: all robots use one shared topic (shared), or the world '
        'relays each message from topic neighbourhood to topic heard of the robots within radio '
        'range (relay).',
        choices=lambda: ('shared', 'relay'))


@dataclass(frozen=True)
class WorldParameters(OdometryErrorParameters, SceneParameters, SightingSensorParameters):
    """Parameters of the world alone: motion, odometry, clock, radio and sensors."""

    GROUPS: ClassVar[Mapping[str, str]] = {
        'What is set first': 'robots seed world motion speed radio',
        'Robots and their places': 'layout spacing logs',
        'Motion': 'physics',
        'Odometry': 'odom_source linear_scale_error angular_scale_error angular_bias linear_noise '
                    'angular_noise',
        'Faults of odometry': 'odom_silent odom_shifted odom_shift carried_robots carried_at '
                              'carried_by',
        'Clock': 'publish_clock real_time_factor clock_listeners',
        'Radio': 'radio_range radio_loss radio_delay radio_jitter radio_duplication radio_groups',
        'Laser scanner, reading': 'scan_rate reading_rate reading_peaks',
        'Sightings': 'ranging_rate ranging_range ranging_outliers ranging_bias camera_rate '
                     'landmarks logged_sightings',
    }

    motion: str = parameter(
        'static', 'Motion of the robots: none, Levy walks, or the velocity commands on topics '
        'cmd_vel (of wander, or of tasks that drive). Ignored with logs, which are replayed.',
        choices=lambda: ('static', 'levy', 'cmd_vel'))
    physics: str = parameter(
        'kinematic', 'How robots move: as commanded, and walls stop them (kinematic), or by '
        'contact physics, in which wheels slip and robots push each other (mujoco, the extra '
        'physics). Robots then publish bumper and imu.',
        choices=lambda: ('kinematic', 'mujoco'))
    speed: float = parameter(
        0.5, 'Linear speed of Levy walks, and the limit for cmd_vel: that of your robots.',
        unit='m/s', lower=0.0, upper=20.0, dynamic=True)
    odom_source: str = parameter(
        'odometry', 'The content of topic odom: the velocities of wheels, or of the logs, '
        'integrated from the true start (odometry), or the true pose (truth), as a control.',
        choices=lambda: ('odometry', 'truth'))
    odom_silent: str = parameter(
        '', 'Faults of odometry, which the playground and chaos make: the ids of the robots '
        "whose odom is not published, for example '3,7-9'. Empty: none.", dynamic=True)
    odom_shifted: str = parameter(
        '', 'Faults of odometry: the ids of the robots whose odom is off by odom_shift. Set by '
        'chaos. Empty: none.', dynamic=True)
    odom_shift: float = parameter(
        5.0, 'Faults of odometry: the error of x of these robots, in the frame of their '
        'odometry.', unit='m', lower=-1e6, upper=1e6, dynamic=True)
    carried_robots: str = parameter(
        '', 'Faults: the ids of the robots that are carried elsewhere, without a trace in their '
        'odometry. Set by the playground. The rest of a replayed path is '
        'moved rigidly. Robots that are named later are carried then, or at carried_at. Empty: '
        'none.', dynamic=True)
    carried_at: float = parameter(
        300.0, 'Faults: the time at which they are carried.',
        unit='s', lower=0.0, upper=1e9)
    carried_by: tuple[float, ...] = parameter(
        (2.0, 0.0, 0.0), 'Faults: the displacement of these robots: x [m], y [m] in the shared '
        'frame, and the turn [rad]. Nothing checks that the new place is free.',
        lengths=(3,), dynamic=True)
    publish_clock: bool = parameter(
        False, 'Publish /clock, from 0 on, for all nodes with use_sim_time. If false, the world '
        'uses the clock of its node. Set by use_sim_time of swarm.launch.py.')
    real_time_factor: float = parameter(
        1.0, 'With publish_clock: seconds of simulated time per second of real time.',
        lower=0.001, upper=1000.0)
    clock_listeners: int = parameter(
        0, 'With publish_clock: the number of subscribers of /clock that the world waits for '
        'before it starts, so that none misses the beginning of a replay.',
        lower=0, upper=100000)
    radio_range: float = parameter(
        5.0, 'Radio relay: range of messages. The launch file swarm.launch.py sets it to '
        'communication_range. .inf: unlimited.', unit='m', lower=0.0, upper=float('inf'))
    radio_loss: float = parameter(
        0.0, 'Radio relay: the probability that a robot within range does not receive a message. '
        'Set this, and the next ones, to that of your network.',
        lower=0.0, upper=1.0, dynamic=True)
    radio_delay: float = parameter(
        0.0, 'Radio relay: the least delay of a message.',
        unit='s', lower=0.0, upper=60.0, dynamic=True)
    radio_jitter: float = parameter(
        0.0, 'Radio relay: the greatest further delay, drawn evenly for each message and '
        'receiver. Messages overtake each other if it exceeds the time between them.',
        unit='s', lower=0.0, upper=60.0, dynamic=True)
    radio_duplication: float = parameter(
        0.0, 'Radio relay: the probability that a robot receives a message twice, each with a '
        'delay of its own.', lower=0.0, upper=1.0, dynamic=True)
    radio_groups: str = parameter(
        '', 'Radio relay: groups of robots that do not hear each other, for example '
        "'1-10,15; 11-14', to cut a swarm in two. The robots that it does not name are a group, "
        'too. Empty: no groups.', dynamic=True)
    scan_rate: float = parameter(
        0.0, 'Laser scanners of 36 beams and a range of 4 m: scans per second of simulated time, '
        'at most one per step. 0: none. Tasks that drive, and wander, need them.',
        unit='Hz', lower=0.0, upper=1000.0)
    reading_rate: float = parameter(
        0.0, 'Scalar sensors: readings per second of simulated time, at most one per step. '
        '0: none. Task field needs them.', unit='Hz', lower=0.0, upper=1000.0)
    reading_peaks: tuple[float, ...] = parameter(
        (0.0, 0.0, 1.0, 3.0), 'Scalar sensors: Gaussian peaks of the field, each as x [m], y [m], '
        'height, width [m], one after the other: what task field looks for.')

    def __post_init__(self) -> None:
        """
        Check the combination of values.

        :raises ParameterError: for values that contradict each other.
        """
        groups(self.radio_groups)
        for name in ('odom_silent', 'odom_shifted', 'carried_robots'):
            id_ranges(getattr(self, name), name)
        if self.logged_sightings and not self.logs:
            raise ParameterError('logs', problem=' is missing; logged_sightings needs it')
        if self.physics == 'mujoco' and self.logs:
            raise ParameterError('physics', problem=': mujoco is not allowed with logs, which '
                                 'replay motion')
        if self.logged_sightings and self.carried_robots:
            raise ParameterError('carried_robots', problem=f': {self.carried_robots} is not '
                                 'allowed with logged_sightings, which would no longer be true; '
                                 'it takes simulated ones: ranging_rate or camera_rate')
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
