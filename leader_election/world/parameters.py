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
The parameters of the embedded world.

What the robots' own processes have to know of it, to tell each robot where it starts and how it is
heard, is :class:`SceneParameters`: given the same values they make the same scene.
"""

from dataclasses import dataclass

from leader_election.parameters import parameter, ParameterError, ProcessParameters


@dataclass(frozen=True)
class SceneParameters:
    """What the world's process and the robots' processes have to agree on."""

    robots: int = parameter(
        40, 'How many robots there are. With logs: not used, there is one robot a log.',
        lower=1, upper=10000)
    first_id: int = parameter(
        1, 'The id of the first robot; the others count on from it.', lower=0, upper=2**52)
    seed: int = parameter(
        0, 'What all chance in the world comes from: the same seed, the same run.',
        lower=0, upper=2**62)
    world: str = parameter(
        'blocks', 'The arena: blocks, rooms, empty, or the path of a YAML file. With logs: '
        'not used, the arena is the box round the logged paths.')
    layout: str = parameter(
        'random', 'Where robots start: anywhere in free space, on a square lattice round the '
        'centre, or on a circle round it, looking outwards.',
        choices=lambda: ('random', 'grid', 'circle'))
    spacing: float = parameter(
        1.0, 'Layout grid: distance between two neighbours. Layout circle: the least distance, '
        'the circle is as much larger as obstacles want it.', unit='m', lower=0.01, upper=1e4)
    robot_radius: float = parameter(
        0.15, 'Walls and obstacles keep the centre of a robot so far away.',
        unit='m', lower=0.0, upper=100.0)
    logs: str = parameter(
        '', 'Logs to replay instead of simulating: a folder of CSV files, one a robot, or '
        'mrclam6, two minutes of five real robots. Empty: none.')
    radio: str = parameter(
        'shared', 'How messages travel: robots talk on one shared topic (shared), or the world '
        'carries each from topic neighbourhood to topic heard of the robots in reach (relay).',
        choices=lambda: ('shared', 'relay'))


@dataclass(frozen=True)
class WorldParameters(SceneParameters, ProcessParameters):
    """How the world goes on from there."""

    motion: str = parameter(
        'static', 'How the robots move: not at all, in a Levy walk, as topics cmd_vel say, or as '
        'logged. With logs it is replay, whatever this says.',
        choices=lambda: ('static', 'levy', 'cmd_vel', 'replay'))
    speed: float = parameter(
        0.5, 'Forward speed of a Levy walk, and the most that cmd_vel gets.',
        unit='m/s', lower=0.0, upper=20.0)
    turn_rate: float = parameter(
        1.5, 'Turning speed of a Levy walk, and the most that cmd_vel gets.',
        unit='rad/s', lower=0.01, upper=20.0)
    levy_scale: float = parameter(
        1.0, 'Levy walk: the shortest leg.', unit='m', lower=0.001, upper=1e4)
    levy_shape: float = parameter(
        1.5, 'Levy walk: exponent of the Pareto distribution of the legs; the smaller, the more '
        'long ones.', lower=0.1, upper=10.0)
    command_timeout: float = parameter(
        0.5, 'A cmd_vel counts for so long, then the robot stops.',
        unit='s', lower=0.01, upper=1e6)
    step_rate: float = parameter(
        10.0, 'Steps of the world a second of its time; each publishes all poses once.',
        unit='Hz', lower=0.1, upper=1000.0)

    linear_scale_error: float = parameter(
        0.0, 'Odometry: standard deviation over the robots of the constant relative error of the '
        'forward speed.', lower=0.0, upper=1.0)
    angular_scale_error: float = parameter(
        0.0, 'Odometry: the same of the turning speed.', lower=0.0, upper=1.0)
    angular_bias: float = parameter(
        0.0, 'Odometry: standard deviation over the robots of a constant added to the turning '
        'speed.', unit='rad/s', lower=0.0, upper=10.0)
    linear_noise: float = parameter(
        0.0, 'Odometry: white noise on the forward speed, as the standard deviation that it '
        'adds to the path in one second.', unit='m/sqrt(s)', lower=0.0, upper=10.0)
    angular_noise: float = parameter(
        0.0, 'Odometry: the same on the turning speed.', unit='rad/sqrt(s)', lower=0.0, upper=10.0)
    odom_source: str = parameter(
        'odometry', 'Replay: what is published as odom, the logged speeds integrated from the '
        'true start (odometry), or the true pose (truth).', choices=lambda: ('odometry', 'truth'))

    publish_clock: bool = parameter(
        False, 'Publish /clock from 0 on, as the time of all nodes with use_sim_time. Else the '
        'world goes by the clock of its node.')
    real_time_factor: float = parameter(
        1.0, 'With publish_clock: seconds of the world in one real second.',
        lower=0.001, upper=1000.0)

    clock_listeners: int = parameter(
        0, 'With publish_clock: the world stands still until so many nodes listen to /clock.',
        lower=0, upper=100000)

    radio_range: float = parameter(
        5.0, 'Radio relay: how far a message is heard. .inf: everywhere.',
        unit='m', lower=0.0, upper=float('inf'))
    line_of_sight: bool = parameter(
        False, 'Radio relay: whether obstacles stop messages.')
    radio_loss: float = parameter(
        0.0, 'Radio relay: the probability that a robot in reach misses a message.',
        lower=0.0, upper=1.0)

    scan_rate: float = parameter(
        0.0, 'Laser scanners: scans a second of simulated time, at most one a step; 0 for none.',
        unit='Hz', lower=0.0, upper=1000.0)
    scan_beams: int = parameter(
        36, 'Laser scanners: beams, evenly over the full circle, the first one ahead.',
        lower=1, upper=3600)
    scan_range: float = parameter(
        4.0, 'Laser scanners: how far a beam reaches.', unit='m', lower=0.01, upper=1000.0)

    reading_rate: float = parameter(
        0.0, 'Sensors: readings a second of simulated time, at most one a step; 0 for none.',
        unit='Hz', lower=0.0, upper=1000.0)
    reading_base: float = parameter(
        0.0, 'Sensors: the value far from all peaks.', lower=-1e9, upper=1e9)
    reading_peaks: tuple[float, ...] = parameter(
        (0.0, 0.0, 1.0, 3.0), 'Sensors: Gaussian bumps in the field that is read, each as '
        'x [m], y [m], height, width [m], one after the other.')
    reading_noise: float = parameter(
        0.0, 'Sensors: standard deviation of the noise on a reading.',
        lower=0.0, upper=1e9)

    def __post_init__(self) -> None:
        """Refuse what makes no sense together."""
        if self.motion == 'replay' and not self.logs:
            raise ParameterError('parameter logs is missing; motion replay needs it')
        if self.real_time_factor != 1.0 and not self.publish_clock:
            raise ParameterError(f'parameter real_time_factor: {self.real_time_factor} needs '
                                 'publish_clock: true')
        if len(self.reading_peaks) % 4 or any(width <= 0.0 for width in self.reading_peaks[3::4]):
            raise ParameterError(
                f'parameter reading_peaks: {self.reading_peaks} is not x, y, height and a width '
                'greater than 0, again and again')
