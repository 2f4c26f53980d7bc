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
A world file as SDF: an arena, the ground, light, and all robots; or a user's world with robots.

The file contains the robots: if many are spawned into a running world at once, some never appear.
A robot is ``robot.sdf``, with the dimensions and masses of ``simulation.robot_body``. Its frame
``base_link`` is on the ground, midway between the wheels. The rest is ``world.sdf``.

Walls and obstacles are the boxes of :mod:`leader_election.simulation.scene`.
"""

from collections.abc import Sequence
import colorsys
from copy import deepcopy
from dataclasses import dataclass
import math
from pathlib import Path
import re
from string import Formatter
from typing import Any, NamedTuple
from xml.etree import ElementTree

from leader_election.parameters import as_in, parameter, ParameterError
from leader_election.simulation import robot_body as body
from leader_election.simulation.parameters import GazeboOdometryParameters
from leader_election.simulation.scene import (
    Arena,
    obstacle_rectangles,
    outer_walls,
    Rectangle,
    WALL_HEIGHT,
)
from leader_election.swarm.fleet.robot_list import RobotSpec

Element = ElementTree.Element

ODOMETRY_RATE = 10.0
"""The rate at which wheel odometry is published [Hz]."""
STEP = 0.005
"""The default time step of physics [s]. It is as exact as 2 ms, at half the processor time."""

MIN_BEAMS = 8
"""The least number of beams. Between fewer beams a robot could be undetected until it is near."""
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


class _Numbers(Formatter):
    """Fills in numbers, and several of them between spaces, as SDF has them."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        if isinstance(value, tuple):
            return ' '.join(self.format_field(each, format_spec) for each in value)
        # Nine digits resolve a micrometre in a kilometre; + 0.0 turns -0 into 0.
        return f'{value + 0.0:.9g}' if isinstance(value, float) else str(value)


def _filled(file: str, **values: Any) -> Element:
    """Return the root of a file of this folder, with values in the places of their names."""
    text = Path(__file__).with_name(file).read_text(encoding='utf-8')
    return ElementTree.fromstring(_Numbers().format(text, **values))


def _remove(parent: Element, names: Sequence[str]) -> None:
    """Remove the elements of these names, which are the ends of their ``name``."""
    for part in [part for part in parent if part.get('name', '').endswith(tuple(names))]:
        parent.remove(part)


def _document(root: Element) -> str:
    ElementTree.indent(root)
    return f'<?xml version="1.0"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def robot_sdf(robot: RobotSpec, equipment: Equipment) -> str:
    """
    Return an SDF file with one robot.

    Its name is part of the names of its topics in Gazebo.

    >>> 'gz-sim-diff-drive-system' in robot_sdf(RobotSpec('robot_1', 1), Equipment())
    True
    """
    return _document(_robot(robot, equipment))


def _robot(robot: RobotSpec, equipment: Equipment) -> Element:
    """Return the root of a file with one robot, in a colour of its own."""
    x, y, yaw = robot.pose
    step = 2.0 * math.pi / max(equipment.lidar, 1)
    root = _filled(
        'robot.sdf', body=body, chassis=body.CHASSIS, wheel=body.WHEEL, name=robot.name,
        x=x, y=y, z=equipment.z, yaw=yaw, colour=robot_colour(robot.id),
        tall=body.TOP - body.FLOOR, half=body.WHEEL_SEPARATION / 2, odometry_rate=ODOMETRY_RATE,
        beams=equipment.lidar, first_beam=-math.pi, last_beam=math.pi - step,
        least_range=MIN_RANGE)
    has = {'lidar': equipment.lidar > 0, 'bumper': equipment.bumper, 'imu': equipment.imu,
           'PosePublisher': equipment.ground_truth}
    # Below the model, whose own name may end like that of a sensor.
    for parent in [*root[0].iter()]:
        _remove(parent, [name for name, is_there in has.items() if not is_there])
    return root


def robot_colour(robot_id: int) -> tuple[float, float, float]:
    """
    Return the colour of a robot, which depends on its id alone. Nearby ids differ clearly.

    >>> robot_colour(1) != robot_colour(2)
    True
    """
    # Multiples of the golden ratio, modulo 1, are spread evenly.
    hue, lightness = robot_id * 0.618033988749895 % 1.0, 0.45 + 0.15 * (robot_id % 2)
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, 0.75)
    return round(red, 3), round(green, 3), round(blue, 3)


WORLD_NAME = 'swarm'
_MARGIN = 10.0
"""The width of the ground beyond the arena, on each side [m]."""


def _world(equipment: Equipment, ground: tuple[float, float] = (0.0, 0.0)) -> Element:
    """Return the root of a file with a world, with the systems that robots need."""
    root = _filled('world.sdf', step=STEP, steps_a_second=1.0 / STEP, ground=ground)
    has = {'Contact': equipment.bumper, 'Imu': equipment.imu, 'Sensors': equipment.lidar > 0}
    _remove(root[0], [f'::{name}' for name, is_there in has.items() if not is_there])
    return root


def world_sdf(arena: Arena, robots: Sequence[RobotSpec], equipment: Equipment) -> str:
    """
    Return a world file with an arena and robots.

    :param arena: the walls and obstacles.
    :param robots: with their initial poses.
    :param equipment: of each robot.

    >>> from leader_election.simulation.scene import load_arena
    >>> 'robot_7' in world_sdf(load_arena('blocks'), [RobotSpec('robot_7', 7)], Equipment())
    True
    """
    left, bottom, right, top = arena.outline.bounds
    root = _world(equipment, (right - left + 2 * _MARGIN, top - bottom + 2 * _MARGIN))
    for link in root.iterfind("world/model[@name='arena']/link"):
        _add_boxes(link, 'wall', outer_walls(arena.outline))
        _add_boxes(link, 'obstacle', [
            each for obstacle in arena.obstacles for each in obstacle_rectangles(obstacle)])
    root[0].extend(_robot(robot, equipment)[0] for robot in robots)
    return _document(root)


def _add_boxes(link: Element, kind: str, boxes: Sequence[Rectangle]) -> None:
    """Put boxes in the place of the parts of a link that have this name."""
    patterns = link.findall(f"*[@name='{kind}']")
    _remove(link, [kind])
    for number, box in enumerate(boxes, 1):
        for part in deepcopy(patterns):
            part.set('name', f'{kind}_{number}' + '_shape' * (part.tag == 'collision'))
            for place, values in (
                    ('pose', (box.x, box.y, WALL_HEIGHT / 2, 0.0, 0.0, box.yaw)),
                    ('geometry/box/size', (box.length, box.width, WALL_HEIGHT))):
                for element in part.iterfind(place):
                    element.text = _Numbers().format('{}', values)
            link.append(part)


SUFFIXES = ('.sdf', '.world')
"""The suffixes of world files. An arena's is .yaml."""
_WORLD = re.compile(r'<world\s[^>]*?\bname\s*=\s*["\'](.*?)["\']')
_REFERENCE = re.compile(r'<(uri|\w+_map)>\s*([^<:]+?)\s*</\1>')
"""An element that names a file. A URI with a scheme is left out."""
_SYSTEM = re.compile(r'(?:lib)?(?:gz-sim|ignition-gazebo)\d*-(.+)-system(?:\.so)?')


class UserWorld(NamedTuple):
    """A world file of a user: the name of the world, and the text."""

    name: str
    text: str


def is_user_world(world: str) -> bool:
    """
    Return whether the value of parameter ``world`` names a world file, not an arena.

    >>> is_user_world('/home/me/depot.sdf'), is_user_world('blocks'), is_user_world('mine.yaml')
    (True, False, False)
    """
    return Path(world).suffix.lower() in SUFFIXES


def read_world(path: str) -> UserWorld:
    """
    Read a world file. Make relative paths of files beside it absolute.

    :raises ParameterError: for an unreadable file, and for one that is not a world with a name.
    """
    try:
        text = Path(path).read_bytes().decode()
        folder = Path(path).resolve().parent
    except (OSError, ValueError) as error:
        raise ParameterError('world', problem=f': {path!r} cannot be read: {error}') from None
    name = _WORLD.search(text)
    if name is None or '</world>' not in text:
        raise ParameterError('world', problem=f': file {path} is not a world: it takes '
                             '<sdf><world name="...">...</world></sdf>')

    def absolute(found: re.Match[str]) -> str:
        file = folder / found[2]
        return found[0].replace(found[2], str(file)) if file.exists() else found[0]

    return UserWorld(name[1], _REFERENCE.sub(absolute, text))


def add_robots(world: UserWorld, robots: Sequence[RobotSpec], equipment: Equipment) -> str:
    """
    Return the text of a world with robots, and with the systems that they need.

    Gazebo Sim loads its default systems only into a world without any, so all needed systems
    that the world lacks are added.

    :param equipment: of each robot.
    :raises ParameterError: for a model with the name of a robot.
    """
    for robot in robots:
        if re.search(rf'<model\s[^>]*["\']{robot.name}["\']|<name>\s*{robot.name}\s*</name>',
                     world.text):
            raise ParameterError('world', problem=f': there is a model {robot.name} already, as '
                                 'one of the robots is called; rename it there')
    there = {_system(name) for name in re.findall(r'filename\s*=\s*["\'](.*?)["\']', world.text)}
    added = [plugin for plugin in _world(equipment).iterfind('world/plugin')
             if _system(plugin.get('filename', '')) not in there]
    added += [_robot(robot, equipment)[0] for robot in robots]
    before, _, after = world.text.rpartition('</world>')
    inside = ''
    for element in added:
        ElementTree.indent(element, level=2)
        inside += f'  {ElementTree.tostring(element, encoding="unicode").rstrip()}\n  '
    return f'{before}{inside}</world>{after}'


def _system(file: str) -> str:
    """
    Return the name of a system of Gazebo Sim, by any of its file names.

    >>> _system('libignition-gazebo-physics-system.so')
    'physics'
    """
    match = _SYSTEM.fullmatch(file)
    return match[1] if match else file
