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

"""The plugins and sensors of Gazebo Sim (``gz sim``: Harmonic, Ionic, Jetty)."""

import math
from typing import NamedTuple

from leader_election.ros.gazebo.sdf import Element, tag
from leader_election.simulation.robot_body import (
    MAX_ACCELERATION,
    MAX_SPEED,
    MAX_TURN_ACCELERATION,
    MAX_TURN_RATE,
)

ODOMETRY_RATE = 10.0
"""The rate at which wheel odometry is published [Hz]."""
STEP = 0.005
"""The default time step of physics [s]: as exact as 2 ms, at half the processor time."""

MIN_BEAMS = 8
"""The least number of beams; between fewer beams a robot could be undetected until it is near."""


class Lidar(NamedTuple):
    """A laser scanner with a horizontal field of view of 360 degrees."""

    beams: int = 36
    """Evenly over the full circle; the first one points backwards."""
    reach: float = 4.0
    """The range [m]."""
    rate: float = 5.0
    """Scans per second [Hz]."""


class Equipment(NamedTuple):
    """What robots have in addition to their drive."""

    lidar: Lidar | None = None
    ground_truth: bool = False
    """Whether Gazebo publishes each robot's true pose in the shared frame."""
    odometry_drift: bool = False
    """Whether node ``gazebo_odometry`` adds errors to the simulator's odometry."""
    bumper: bool = False
    """Whether a contact sensor detects what the disc touches."""
    imu: bool = False
    """Whether an IMU measures turning and acceleration."""

    @property
    def needs_odometry_node(self) -> bool:
        """Whether node ``gazebo_odometry`` is between the simulator and the robots."""
        return (self.odometry_drift or self.ground_truth or self.bumper
                or self.lidar is not None)


NO_EQUIPMENT = Equipment()
"""The drive alone."""


def drive_plugin(separation: float, radius: float) -> Element:
    """
    Return the plugin that drives the joints ``left_wheel_joint`` and ``right_wheel_joint``.

    Topics have their default names, which contain the model's name: ``/model/NAME/cmd_vel``,
    ``/model/NAME/odometry`` and ``/model/NAME/tf``.

    :param separation: between the wheels [m].
    :param radius: of a wheel [m].
    """
    joints = [tag('left_joint', 'left_wheel_joint'), tag('right_joint', 'right_wheel_joint')]
    return tag(
        'plugin', *joints, tag('wheel_separation', separation), tag('wheel_radius', radius),
        tag('odom_publish_frequency', ODOMETRY_RATE),
        tag('frame_id', 'odom'), tag('child_frame_id', 'base_link'),
        *limits('linear', MAX_SPEED, MAX_ACCELERATION),
        *limits('angular', MAX_TURN_RATE, MAX_TURN_ACCELERATION),
        name='gz::sim::systems::DiffDrive', filename='gz-sim-diff-drive-system')


def limits(kind: str, speed: float, acceleration: float) -> list[Element]:
    """
    Return the elements that limit a speed and its rate of change, symmetrically about 0.

    :param kind: ``linear`` or ``angular``.
    :param speed: [m/s or rad/s].
    :param acceleration: [m/s² or rad/s²].
    """
    return [
        tag(f'{end}_{kind}_{of}', sign * most)
        for of, most in (('velocity', speed), ('acceleration', acceleration))
        for end, sign in (('max', 1.0), ('min', -1.0))]


def ground_truth_plugin() -> Element:
    """
    Return the plugin of Gazebo Sim that publishes a model's true pose.

    The plugin for odometry would advertise three topics per robot instead of one. All topics are
    announced at once, every second.
    """
    return tag(
        'plugin', tag('publish_link_pose', False), tag('publish_visual_pose', False),
        tag('publish_collision_pose', False), tag('publish_sensor_pose', False),
        # Versions before 8.10 publish no model's pose without this element.
        tag('publish_nested_model_pose', True), tag('publish_model_pose', True),
        tag('use_pose_vector_msg', False), tag('static_publisher', False),
        tag('update_frequency', ODOMETRY_RATE),
        name='gz::sim::systems::PosePublisher', filename='gz-sim-pose-publisher-system')


def contact_sensor(collision: str, topic: str) -> Element:
    """
    Return the sensor of Gazebo Sim that publishes the contacts of a part, in each step with any.

    It needs no rendering. Gazebo's plugin for touches would report the first one only.

    :param collision: the name of the part.
    :param topic: in Gazebo.
    """
    return tag('sensor', tag('contact', tag('collision', collision), tag('topic', topic)),
               name='bumper', type='contact')


def contact_topic(name: str) -> str:
    """Return the topic of a robot's contacts in Gazebo Sim."""
    return f'/model/{name}/contacts'


def imu_sensor(topic: str) -> Element:
    """
    Return the sensor of an IMU, as often as odometry; it needs no rendering.

    :param topic: in Gazebo.
    """
    return tag('sensor', tag('topic', topic), tag('update_rate', ODOMETRY_RATE),
               tag('always_on', True), name='imu', type='imu')


def imu_topic(name: str) -> str:
    """Return the topic of a robot's IMU in Gazebo Sim."""
    return f'/model/{name}/imu'


def ground_truth_topic(name: str) -> str:
    """Return the topic of a robot's true pose in Gazebo Sim, the default of its plugin."""
    return f'/model/{name}/pose'


_SYSTEMS = {'physics': 'Physics', 'user-commands': 'UserCommands',
            'scene-broadcaster': 'SceneBroadcaster'}
"""Systems of Gazebo Sim needed for motion, for adding models, and for the display."""


def world_plugins(equipment: Equipment) -> list[Element]:
    """Return the plugins that a world needs."""
    plugins = [tag('plugin', name=f'gz::sim::systems::{name}', filename=f'gz-sim-{file}-system')
               for file, name in _SYSTEMS.items()]
    if equipment.bumper:
        plugins.append(tag('plugin', name='gz::sim::systems::Contact',
                           filename='gz-sim-contact-system'))
    if equipment.imu:
        plugins.append(tag('plugin', name='gz::sim::systems::Imu',
                           filename='gz-sim-imu-system'))
    if equipment.lidar:
        plugins.append(tag('plugin', tag('render_engine', 'ogre2'),
                           name='gz::sim::systems::Sensors', filename='gz-sim-sensors-system'))
    return plugins


def lidar_sensor(lidar: Lidar, height: float, min_range: float) -> Element:
    """
    Return the sensor of a laser scanner; topic and frame have names after that of the model.

    :param height: above the ground [m], at which other robots can be detected.
    :param min_range: the least range [m], beyond the robot's own body.
    """
    step = 2 * math.pi / lidar.beams
    rays = tag(
        'scan', tag(
            'horizontal', tag('samples', lidar.beams), tag('resolution', 1),
            # A full circle: the last beam is one step before the first.
            tag('min_angle', -math.pi), tag('max_angle', math.pi - step)))
    reach = tag('range', tag('min', min_range), tag('max', lidar.reach), tag('resolution', 0.01))
    return tag(
        'sensor', tag('pose', (0.0, 0.0, height, 0.0, 0.0, 0.0)),
        tag('update_rate', lidar.rate), tag('always_on', True),
        tag('lidar', rays, reach),
        name='lidar', type='gpu_lidar')
