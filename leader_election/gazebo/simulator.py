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
The two simulators, and all that differs between them in a robot and in a world.

Gazebo Sim is the current one (``gz sim``: Harmonic, Ionic, Jetty); Gazebo Classic 11 is the one
before. Both read SDF 1.7; the plugins have other names and other elements.
"""

from enum import Enum
import math
from typing import NamedTuple

from leader_election.gazebo.sdf import Element, tag

ODOMETRY_RATE = 10.0
"""How often wheel odometry is published [Hz]."""
MAX_SPEED = 1.0
"""The most that cmd_vel gets of a robot [m/s]."""
MAX_ACCELERATION = 1.0
"""Far from what would tip the robot over, or have a wheel slide [m/s²]."""
MAX_TURN_RATE = 3.0
"""[rad/s]. Gazebo Classic takes a command as a quaternion: nothing beyond pi is understood."""
MAX_TURN_ACCELERATION = 6.0
"""[rad/s²]."""
WHEEL_TORQUE = 0.5
"""Gazebo Classic: the most that a wheel's motor gives [N m]."""


class Simulator(Enum):
    """Which of them."""

    GZ_SIM = 'gz-sim'
    GZ_CLASSIC = 'gazebo-classic'


FEWEST_BEAMS = 8
"""With fewer a robot would fit between two of them unseen before it is near."""


class Lidar(NamedTuple):
    """A laser scanner that looks all round."""

    beams: int = 36
    """Evenly over the full circle, the first one straight behind."""
    reach: float = 4.0
    """How far a beam reaches [m]."""
    rate: float = 5.0
    """Scans a second [Hz]."""


class Extras(NamedTuple):
    """What robots have beside wheels."""

    lidar: Lidar | None = None
    ground_truth: bool = False
    """
    Whether Gazebo Sim publishes each robot's true pose, in the shared frame.

    Gazebo Classic publishes the poses of all models anyway.
    """


BARE = Extras()
"""Nothing."""


def drive(simulator: Simulator, separation: float, radius: float) -> Element:
    """
    Return the plugin that turns wheel joints ``left_wheel_joint`` and ``right_wheel_joint``.

    Topics are left at their defaults, which hold the model's name: in Gazebo Sim
    ``/model/NAME/cmd_vel``, ``/model/NAME/odometry`` and ``/model/NAME/tf``; in Gazebo Classic
    ``~/NAME/vel_cmd``, whose turning speed counts the other way round, and no odometry.

    :param separation: between the wheels [m]; Gazebo Classic measures it itself.
    :param radius: of a wheel [m]; likewise.
    """
    joints = [tag('left_joint', 'left_wheel_joint'), tag('right_joint', 'right_wheel_joint')]
    if simulator is Simulator.GZ_CLASSIC:
        return tag('plugin', *joints, tag('torque', WHEEL_TORQUE),
                   name='drive', filename='libDiffDrivePlugin.so')
    return tag(
        'plugin', *joints, tag('wheel_separation', separation), tag('wheel_radius', radius),
        tag('odom_publish_frequency', ODOMETRY_RATE),
        tag('frame_id', 'odom'), tag('child_frame_id', 'base_link'),
        *limits('linear', MAX_SPEED, MAX_ACCELERATION),
        *limits('angular', MAX_TURN_RATE, MAX_TURN_ACCELERATION),
        name='gz::sim::systems::DiffDrive', filename='gz-sim-diff-drive-system')


def limits(kind: str, speed: float, acceleration: float) -> list[Element]:
    """Return the elements that limit a speed and what changes it, forwards and backwards."""
    return [
        tag(f'{end}_{kind}_{of}', sign * most)
        for of, most in (('velocity', speed), ('acceleration', acceleration))
        for end, sign in (('max', 1.0), ('min', -1.0))]


def truth(name: str) -> Element:
    """
    Return the plugin of Gazebo Sim that publishes a model's true pose as odometry.

    Its topic would be that of the wheels, so it gets a name.
    """
    return tag(
        'plugin', tag('odom_frame', 'map'), tag('robot_base_frame', 'base_link'),
        tag('odom_publish_frequency', ODOMETRY_RATE), tag('dimensions', 2),
        tag('odom_topic', truth_topic(name)), tag('tf_topic', f'{truth_topic(name)}_tf'),
        name='gz::sim::systems::OdometryPublisher', filename='gz-sim-odometry-publisher-system')


def truth_topic(name: str) -> str:
    """Return the topic of a robot's true pose in Gazebo Sim."""
    return f'/model/{name}/ground_truth'


_SYSTEMS = {'physics': 'Physics', 'user-commands': 'UserCommands',
            'scene-broadcaster': 'SceneBroadcaster'}
"""What a world of Gazebo Sim needs: nothing moves, can be added, is seen without."""


def world_plugins(simulator: Simulator, extras: Extras) -> list[Element]:
    """Return what the world itself needs; Gazebo Classic has all of it built in."""
    if simulator is Simulator.GZ_CLASSIC:
        return []
    plugins = [tag('plugin', name=f'gz::sim::systems::{name}', filename=f'gz-sim-{file}-system')
               for file, name in _SYSTEMS.items()]
    if extras.lidar:
        plugins.append(tag('plugin', tag('render_engine', 'ogre2'),
                           name='gz::sim::systems::Sensors', filename='gz-sim-sensors-system'))
    return plugins


def scanner(simulator: Simulator, lidar: Lidar, height: float, clear: float) -> Element:
    """
    Return the sensor; its topic is left at its default, which holds the model's name.

    :param height: above the ground [m]: one at which there is something of the other robots.
    :param clear: where beams begin [m], outside of the robot itself.
    """
    step = 2 * math.pi / lidar.beams
    rays = tag(
        'scan', tag(
            'horizontal', tag('samples', lidar.beams), tag('resolution', 1),
            # A full circle, the last beam one step before the first.
            tag('min_angle', -math.pi), tag('max_angle', math.pi - step)))
    reach = tag('range', tag('min', clear), tag('max', lidar.reach), tag('resolution', 0.01))
    classic = simulator is Simulator.GZ_CLASSIC
    return tag(
        'sensor', tag('pose', (0.0, 0.0, height, 0.0, 0.0, 0.0)),
        tag('update_rate', lidar.rate), tag('always_on', True),
        # Its frame is base_link's but for the height, which no robot in the plane asks for.
        *([] if classic else [tag('gz_frame_id', 'base_link')]),
        tag('ray' if classic else 'lidar', rays, reach),
        name='lidar', type='ray' if classic else 'gpu_lidar')
