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

"""SDF elements: XML with numbers, materials, and the plugins and sensors of Gazebo Sim."""

import colorsys
from dataclasses import dataclass
import math
from xml.etree import ElementTree

from leader_election.parameters import as_in, parameter, ParameterError
from leader_election.simulation import robot_body as body
from leader_election.simulation.parameters import GazeboOdometryParameters

Element = ElementTree.Element
Content = Element | str | bool | int | float | tuple[float, ...]
"""The content of an element: child elements, or one text, number or list of numbers."""
Colour = tuple[float, float, float]
"""Red, green and blue, each in [0, 1]."""


def tag(name: str, /, *content: Content, **attributes: str) -> Element:
    """
    Return an element.

    :param name: of the tag.
    :param content: child elements, or one text, number or list of numbers.
    :param attributes: by name.

    >>> text(tag('link', tag('pose', (0.0, 0.11, 0.035)), tag('gravity', True), name='wheel'))
    '<link name="wheel"><pose>0 0.11 0.035</pose><gravity>true</gravity></link>'
    """
    element = Element(name, attributes)
    for part in content:
        if isinstance(part, Element):
            element.append(part)
        else:
            element.text = _text_of(part)
    return element


def _text_of(value: str | bool | int | float | tuple[float, ...]) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return 'true' if value else 'false'
    numbers = value if isinstance(value, tuple) else (value,)
    # Nine digits resolve a micrometre in a kilometre; + 0.0 turns -0 into 0.
    return ' '.join(f'{number + 0.0:.9g}' for number in numbers)


def text(element: Element) -> str:
    """Return an element as one line of XML."""
    return ElementTree.tostring(element, encoding='unicode')


def indented(element: Element, level: int) -> str:
    """
    Return an element as lines of XML, indented for a place inside a file.

    :param level: the depth of the element. All lines but the first are indented.

    >>> print(indented(tag('world', tag('model', name='robot_1')), 1))
    <world>
        <model name="robot_1" />
      </world>
    """
    ElementTree.indent(element, level=level)
    return text(element).rstrip()


def document(element: Element) -> str:
    """
    Return an element as a complete, indented XML file.

    >>> print(document(tag('sdf', tag('model', name='robot_1'))), end='')
    <?xml version="1.0"?>
    <sdf>
      <model name="robot_1" />
    </sdf>
    """
    ElementTree.indent(element)
    return f'<?xml version="1.0"?>\n{text(element)}\n'


def material(colour: Colour) -> Element:
    """Return the material of a visual in one colour."""
    return tag('material', *(tag(kind, (*colour, 1.0)) for kind in ('ambient', 'diffuse')))


def robot_colour(robot_id: int) -> Colour:
    """
    Return the colour of a robot, which depends on its id alone. Nearby ids differ clearly.

    >>> robot_colour(1) != robot_colour(2)
    True
    """
    # Multiples of the golden ratio, modulo 1, are spread evenly.
    hue, lightness = robot_id * 0.618033988749895 % 1.0, 0.45 + 0.15 * (robot_id % 2)
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, 0.75)
    return round(red, 3), round(green, 3), round(blue, 3)


ODOMETRY_RATE = 10.0
"""The rate at which wheel odometry is published [Hz]."""
STEP = 0.005
"""The default time step of physics [s]. It is as exact as 2 ms, at half the processor time."""

MIN_BEAMS = 8
"""The least number of beams. Between fewer beams a robot could be undetected until it is near."""


LIDAR_RANGE, LIDAR_RATE = 4.0, 5.0
"""[m, Hz]."""
# Gazebo Sim renders a cube map round the scanner. Towards the edges of the cube its near clipping
# plane is farther away, by up to the square root of three. Objects nearer than the least range are
# reported as too near, and hide everything behind them.
MIN_RANGE = body.HEAD_RADIUS * math.sqrt(3) + 0.001
"""The least range of a scanner [m]."""


@dataclass(frozen=True)
class Equipment:
    """Parameters of each robot in Gazebo: its equipment in addition to its drive, its height."""

    lidar: int = parameter(
        0, f'Number of beams of a laser scanner on each robot, at least {MIN_BEAMS}; 0: none. '
        'Gazebo Sim renders the scans, which is expensive.', lower=0, upper=3600)
    ground_truth: bool = as_in(GazeboOdometryParameters, 'ground_truth')
    odometry_drift: bool = as_in(GazeboOdometryParameters, 'odometry_drift')
    bumper: bool = as_in(GazeboOdometryParameters, 'bumper', default=True)
    imu: bool = parameter(
        False, 'Whether robots have an IMU, on topic imu. It needs no rendering.')
    z: float = parameter(
        0.0, 'Height at which robots are put: that of the floor.', unit='m', lower=-1000.0,
        upper=1000.0)

    def __post_init__(self) -> None:
        """Check that robots do not fit between the beams of a scanner."""
        if 0 < self.lidar < MIN_BEAMS:
            raise ParameterError('lidar', self.lidar, f'0, or at least {MIN_BEAMS} beams')

    @property
    def needs_odometry_node(self) -> bool:
        """Return whether node ``gazebo_odometry`` is between the simulator and the robots."""
        return (self.odometry_drift or self.ground_truth or self.bumper or self.lidar > 0)


def drive_plugin() -> Element:
    """
    Return the plugin that drives the joints ``left_wheel_joint`` and ``right_wheel_joint``.

    Topics have their default names, which contain the model's name: ``/model/NAME/cmd_vel``,
    ``/model/NAME/odometry`` and ``/model/NAME/tf``.
    """
    return _system(
        'DiffDrive', 'diff-drive',
        tag('left_joint', 'left_wheel_joint'), tag('right_joint', 'right_wheel_joint'),
        tag('wheel_separation', body.WHEEL_SEPARATION), tag('wheel_radius', body.WHEEL_RADIUS),
        tag('odom_publish_frequency', ODOMETRY_RATE),
        tag('frame_id', 'odom'), tag('child_frame_id', 'base_link'),
        *_limits('linear', body.MAX_SPEED, body.MAX_ACCELERATION),
        *_limits('angular', body.MAX_TURN_RATE, body.MAX_TURN_ACCELERATION))


def _limits(kind: str, speed: float, acceleration: float) -> list[Element]:
    """Return the elements that limit a speed and its rate of change, symmetrically about 0."""
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
    return _system(
        'PosePublisher', 'pose-publisher',
        *(tag(f'publish_{of}_pose', False) for of in ('link', 'visual', 'collision', 'sensor')),
        # Versions before 8.10 publish no model's pose without this element.
        tag('publish_nested_model_pose', True), tag('publish_model_pose', True),
        tag('use_pose_vector_msg', False), tag('static_publisher', False),
        tag('update_frequency', ODOMETRY_RATE))


def sensors(name: str, equipment: Equipment) -> list[Element]:
    """
    Return the sensors of a robot. Contacts and IMU need no rendering.

    :param name: of the robot.
    """
    # In each step with contacts. Gazebo's plugin for touches would report the first one only.
    bumper = tag('sensor', tag('contact', tag('collision', 'disc_shape'), tag(
        'topic', model_topic(name, 'contacts'))), name='bumper', type='contact')
    imu = tag('sensor', tag('topic', model_topic(name, 'imu')), tag('update_rate', ODOMETRY_RATE),
              tag('always_on', True), name='imu', type='imu')
    return [*([_lidar(name, equipment.lidar)] if equipment.lidar else []),
            *([bumper] if equipment.bumper else []), *([imu] if equipment.imu else [])]


def model_topic(name: str, what: str) -> str:
    """
    Return a topic of a robot in Gazebo Sim, in the form of the defaults of its plugins.

    :param what: ``cmd_vel``, ``odometry``, ``tf``, ``pose`` (the true one), ``scan`` and so on.
    """
    return f'/model/{name}/{what}'


def _system(name: str, file: str, *content: Content) -> Element:
    """Return the plugin that loads a system of Gazebo Sim, by its class and its file."""
    return tag('plugin', *content, name=f'gz::sim::systems::{name}',
               filename=f'gz-sim-{file}-system')


def world_plugins(equipment: Equipment) -> list[Element]:
    """Return the plugins that a world needs: for motion, for adding models, for the display."""
    plugins = [_system('Physics', 'physics'), _system('UserCommands', 'user-commands'),
               _system('SceneBroadcaster', 'scene-broadcaster')]
    if equipment.bumper:
        plugins.append(_system('Contact', 'contact'))
    if equipment.imu:
        plugins.append(_system('Imu', 'imu'))
    if equipment.lidar:
        plugins.append(_system('Sensors', 'sensors', tag('render_engine', 'ogre2')))
    return plugins


def _lidar(name: str, beams: int) -> Element:
    """Return a laser scanner. Its frame has a name after that of the model."""
    rays = tag(
        'scan', tag(
            'horizontal', tag('samples', beams), tag('resolution', 1),
            # A full circle: the last beam is one step before the first.
            tag('min_angle', -math.pi), tag('max_angle', math.pi - 2 * math.pi / beams)))
    reach = tag('range', tag('min', MIN_RANGE), tag('max', LIDAR_RANGE), tag('resolution', 0.01))
    return tag(
        'sensor', tag('pose', (0.0, 0.0, body.SCANNER_Z, 0.0, 0.0, 0.0)),
        tag('topic', model_topic(name, 'scan')),
        tag('update_rate', LIDAR_RATE), tag('always_on', True),
        tag('lidar', rays, reach), name='lidar', type='gpu_lidar')
