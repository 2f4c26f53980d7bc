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
Their dimensions and masses are in ``simulation.robot_body``. Their frame ``base_link`` is on the
ground, midway between the wheels.

Walls and obstacles are the boxes of :mod:`leader_election.simulation.scene`.
"""

from collections.abc import Sequence
from pathlib import Path
import re
from typing import NamedTuple

from leader_election.parameters import ParameterError
from leader_election.ros.gazebo import sdf
from leader_election.ros.gazebo.sdf import Colour, Element, Equipment, tag
from leader_election.simulation import robot_body as body
from leader_election.simulation.scene import Arena, obstacle_rectangles, outer_walls, WALL_HEIGHT
from leader_election.swarm.fleet.robot_list import RobotSpec

SDF_VERSION = '1.7'
"""A version that all versions of Gazebo Sim read."""

_BLACK, _WHITE = (0.1, 0.1, 0.1), (0.95, 0.95, 0.95)
_GREY, _SAND, _GROUND = (0.55, 0.57, 0.6), (0.76, 0.68, 0.54), (0.83, 0.84, 0.82)


def robot_sdf(robot: RobotSpec, equipment: Equipment) -> str:
    """
    Return an SDF file with one robot.

    Its name is part of the names of its topics in Gazebo.

    >>> 'gz-sim-diff-drive-system' in robot_sdf(RobotSpec('robot_1', 1), Equipment())
    True
    """
    return sdf.document(tag('sdf', robot_model(robot, equipment), version=SDF_VERSION))


def robot_model(robot: RobotSpec, equipment: Equipment) -> Element:
    """Return one robot as an element of a world, in a colour of its own."""
    x, y, yaw = robot.pose
    half = body.WHEEL_SEPARATION / 2
    return tag(
        'model', _pose(x, y, equipment.z, yaw), _chassis(robot, equipment),
        _wheel('left', half), _wheel('right', -half), _joint('left'), _joint('right'),
        sdf.drive_plugin(), *([sdf.ground_truth_plugin()] if equipment.ground_truth else []),
        name=robot.name)


def _chassis(robot: RobotSpec, equipment: Equipment) -> Element:
    colour = sdf.robot_colour(robot.id)
    nose = _geometry('box', size=(0.07, 0.03, 0.01))
    return tag(
        'link', _inertial(body.CHASSIS),
        *_part('disc', _geometry('cylinder', radius=body.RADIUS, length=body.TOP - body.FLOOR),
               colour, _pose(0.0, 0.0, body.MIDDLE)),
        *_part('head', _geometry('cylinder', radius=body.HEAD_RADIUS, length=body.HEAD),
               colour, _pose(0.0, 0.0, body.SCANNER_Z)),
        # Shows the forward direction.
        tag('visual', _pose(0.07, 0.0, body.TOP + body.HEAD + 0.005), nose,
            sdf.material(_WHITE), name='nose'),
        # The caster does not turn, but slides without friction.
        *_part('caster', _geometry('sphere', radius=body.CASTER_RADIUS), _BLACK,
               _pose(body.CASTER_X, 0.0, body.CASTER_RADIUS), _surface(0.0)),
        *sdf.sensors(robot.name, equipment),
        name='base_link')


def _wheel(side: str, y: float) -> Element:
    return tag('link', _pose(0.0, y, body.WHEEL_RADIUS), _inertial(body.WHEEL), *_part(
        'wheel', _geometry('sphere', radius=body.WHEEL_RADIUS), _BLACK, _surface(body.FRICTION)),
        name=f'{side}_wheel')


def _joint(side: str) -> Element:
    """Return the joint of a wheel. Positive rotation, about +y, drives forward."""
    return tag(
        'joint', tag('parent', 'base_link'), tag('child', f'{side}_wheel'),
        tag('axis', tag('xyz', (0.0, 1.0, 0.0)),
            tag('limit', tag('lower', '-1e16'), tag('upper', '1e16'),
                tag('effort', body.WHEEL_TORQUE))),
        name=f'{side}_wheel_joint', type='revolute')


def _pose(x: float, y: float, z: float, yaw: float = 0.0) -> Element:
    return tag('pose', (x, y, z, 0.0, 0.0, yaw))


def _geometry(shape: str, **sizes: float | tuple[float, ...]) -> Element:
    return tag('geometry', tag(shape, *(tag(name, size) for name, size in sizes.items())))


def _part(name: str, geometry: Element, colour: Colour, *further: Element) -> list[Element]:
    """Return a shape that collides and is seen, with its pose and its surface."""
    return [tag('collision', *further, geometry, name=f'{name}_shape'),
            tag('visual', *(each for each in further if each.tag == 'pose'), geometry,
                sdf.material(colour), name=name)]


def _surface(friction: float) -> Element:
    return tag('surface', tag('friction', tag('ode', tag('mu', friction), tag('mu2', friction))))


def _inertial(part: body.RigidBody) -> Element:
    names = ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')
    return tag('inertial', _pose(*part.centre), tag('mass', part.mass), tag(
        'inertia', *map(tag, names, part.moments + part.products)))


def arena_model(arena: Arena) -> Element:
    """Return walls and obstacles as one static model."""
    obstacles = [each for obstacle in arena.obstacles for each in obstacle_rectangles(obstacle)]
    parts = [part for kind, rectangles, colour in (
        ('wall', outer_walls(arena.outline), _GREY), ('obstacle', obstacles, _SAND))
        for i, each in enumerate(rectangles, 1) for part in _part(
            f'{kind}_{i}', _geometry('box', size=(each.length, each.width, WALL_HEIGHT)), colour,
            _pose(each.x, each.y, WALL_HEIGHT / 2, each.yaw))]
    return tag('model', tag('static', True), tag('link', *parts, name='link'), name='arena')


WORLD_NAME = 'swarm'
_MARGIN = 10.0
"""The width of the ground beyond the arena, on each side [m]."""


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
    size = (right - left + 2 * _MARGIN, top - bottom + 2 * _MARGIN)
    physics = tag(
        'physics', tag('max_step_size', sdf.STEP), tag('real_time_factor', 1.0),
        tag('real_time_update_rate', 1.0 / sdf.STEP), name='step', type='ode')
    world = tag(
        'world', physics, *sdf.world_plugins(equipment), _scene(), _sun(), _ground(size),
        arena_model(arena), *(robot_model(robot, equipment) for robot in robots),
        name=WORLD_NAME)
    return sdf.document(tag('sdf', world, version=SDF_VERSION))


def _scene() -> Element:
    return tag(
        'scene', tag('ambient', (0.5, 0.5, 0.5, 1.0)), tag('background', (0.7, 0.75, 0.8, 1.0)),
        # A shadow for each robot is expensive to render and adds no information.
        tag('shadows', False))


def _sun() -> Element:
    return tag(
        'light', _pose(0.0, 0.0, 10.0), tag('cast_shadows', False),
        tag('diffuse', (0.9, 0.9, 0.9, 1.0)), tag('specular', (0.1, 0.1, 0.1, 1.0)),
        tag('direction', (-0.4, 0.2, -0.9)), name='sun', type='directional')


def _ground(size: tuple[float, float]) -> Element:
    plane = _geometry('plane', normal=(0.0, 0.0, 1.0), size=size)
    return tag('model', tag('static', True), tag(
        'link', *_part('plane', plane, _GROUND), name='link'), name='ground')


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
    added = [plugin for plugin in sdf.world_plugins(equipment)
             if _system(plugin.get('filename', '')) not in there]
    added += [robot_model(robot, equipment) for robot in robots]
    before, _, after = world.text.rpartition('</world>')
    inside = ''.join(f'  {sdf.indented(element, 2)}\n  ' for element in added)
    return f'{before}{inside}</world>{after}'


def _system(file: str) -> str:
    """
    Return the name of a system of Gazebo Sim, by any of its file names.

    >>> _system('libignition-gazebo-physics-system.so')
    'physics'
    """
    match = _SYSTEM.fullmatch(file)
    return match[1] if match else file
