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
from leader_election.ros.gazebo.sdf import (
    Colour,
    document,
    drive_plugin,
    Element,
    Equipment,
    ground_truth_plugin,
    indented,
    material,
    robot_colour,
    sensors,
    STEP,
    tag,
    world_plugins,
)
from leader_election.simulation import robot_body as body
from leader_election.simulation.scene import (
    Arena,
    obstacle_rectangles,
    outer_walls,
    Rectangle,
    WALL_HEIGHT,
)
from leader_election.swarm.fleet.robot_list import RobotSpec

SDF_VERSION = '1.7'
"""A version that all versions of Gazebo Sim read."""

_BLACK = (0.1, 0.1, 0.1)
_WHITE = (0.95, 0.95, 0.95)


def robot_sdf(robot: RobotSpec, equipment: Equipment) -> str:
    """
    Return an SDF file with one robot.

    Its name is part of the names of its topics in Gazebo.

    >>> 'gz-sim-diff-drive-system' in robot_sdf(RobotSpec('robot_1', 1), Equipment())
    True
    """
    return document(tag('sdf', robot_model(robot, equipment), version=SDF_VERSION))


def robot_model(robot: RobotSpec, equipment: Equipment) -> Element:
    """Return one robot as an element of a world, in a colour of its own."""
    x, y, yaw = robot.pose
    half = body.WHEEL_SEPARATION / 2
    return tag(
        'model', tag('pose', (x, y, equipment.z, 0.0, 0.0, yaw)),
        _chassis(robot, equipment),
        _wheel('left', half), _wheel('right', -half), _joint('left'), _joint('right'),
        drive_plugin(), *([ground_truth_plugin()] if equipment.ground_truth else []),
        name=robot.name)


def _chassis(robot: RobotSpec, equipment: Equipment) -> Element:
    colour = robot_colour(robot.id)
    disc = _cylinder_geometry(body.RADIUS, body.TOP - body.FLOOR)
    head = _cylinder_geometry(body.HEAD_RADIUS, body.HEAD)
    nose = tag('geometry', tag('box', tag('size', (0.07, 0.03, 0.01))))
    caster = _sphere_geometry(body.CASTER_RADIUS)
    at_caster = _pose(body.CASTER_X, 0.0, body.CASTER_RADIUS)
    return tag(
        'link', _inertial(body.CHASSIS),
        tag('collision', _pose(0.0, 0.0, body.MIDDLE), disc, name='disc_shape'),
        tag('visual', _pose(0.0, 0.0, body.MIDDLE), disc, material(colour), name='disc'),
        tag('collision', _pose(0.0, 0.0, body.SCANNER_Z), head, name='head_shape'),
        tag('visual', _pose(0.0, 0.0, body.SCANNER_Z), head, material(colour), name='head'),
        # Shows the forward direction.
        tag('visual', _pose(0.07, 0.0, body.TOP + body.HEAD + 0.005), nose, material(_WHITE),
            name='nose'),
        # The caster does not turn, but slides without friction.
        tag('collision', at_caster, caster, _surface(0.0), name='caster_shape'),
        tag('visual', at_caster, caster, material(_BLACK), name='caster'),
        *sensors(robot.name, equipment),
        name='base_link')


def _wheel(side: str, y: float) -> Element:
    ball = _sphere_geometry(body.WHEEL_RADIUS)
    return tag(
        'link', _pose(0.0, y, body.WHEEL_RADIUS), _inertial(body.WHEEL),
        tag('collision', ball, _surface(body.FRICTION), name='collision'),
        tag('visual', ball, material(_BLACK), name='visual'), name=f'{side}_wheel')


def _joint(side: str) -> Element:
    """Return the joint of a wheel. Positive rotation, about +y, drives forward."""
    return tag(
        'joint', tag('parent', 'base_link'), tag('child', f'{side}_wheel'),
        tag('axis', tag('xyz', (0.0, 1.0, 0.0)),
            tag('limit', tag('lower', '-1e16'), tag('upper', '1e16'),
                tag('effort', body.WHEEL_TORQUE))),
        name=f'{side}_wheel_joint', type='revolute')


def _pose(x: float, y: float, z: float) -> Element:
    return tag('pose', (x, y, z, 0.0, 0.0, 0.0))


def _cylinder_geometry(radius: float, length: float) -> Element:
    return tag('geometry', tag('cylinder', tag('radius', radius), tag('length', length)))


def _sphere_geometry(radius: float) -> Element:
    return tag('geometry', tag('sphere', tag('radius', radius)))


def _surface(friction: float) -> Element:
    return tag('surface', tag('friction', tag('ode', tag('mu', friction), tag('mu2', friction))))


def _inertial(part: body.RigidBody) -> Element:
    names = ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')
    return tag(
        'inertial', _pose(*part.centre), tag('mass', part.mass),
        tag('inertia', *(tag(name, value)
                         for name, value in zip(names, part.moments + part.products))))


_GREY = (0.55, 0.57, 0.6)
_SAND = (0.76, 0.68, 0.54)


def arena_model(arena: Arena) -> Element:
    """Return walls and obstacles as one static model."""
    obstacles = [each for obstacle in arena.obstacles for each in obstacle_rectangles(obstacle)]
    parts = [part for kind, rectangles, colour in (
        ('wall', outer_walls(arena.outline), _GREY), ('obstacle', obstacles, _SAND))
        for i, rectangle in enumerate(rectangles, 1)
        for part in _box(f'{kind}_{i}', rectangle, colour)]
    return tag('model', tag('static', True), tag('link', *parts, name='link'), name='arena')


def _box(name: str, rectangle: Rectangle, colour: Colour) -> list[Element]:
    """Return the collision and the visual of a box."""
    pose = tag('pose', (rectangle.x, rectangle.y, WALL_HEIGHT / 2, 0.0, 0.0, rectangle.yaw))
    size = (rectangle.length, rectangle.width, WALL_HEIGHT)
    shape = tag('geometry', tag('box', tag('size', size)))
    return [tag('collision', pose, shape, name=f'{name}_shape'),
            tag('visual', pose, shape, material(colour), name=name)]


WORLD_NAME = 'swarm'
_GROUND = (0.83, 0.84, 0.82)
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
        'physics', tag('max_step_size', STEP), tag('real_time_factor', 1.0),
        tag('real_time_update_rate', 1.0 / STEP), name='step', type='ode')
    world = tag(
        'world', physics, *world_plugins(equipment), _scene(), _sun(), _ground(size),
        arena_model(arena), *(robot_model(robot, equipment) for robot in robots),
        name=WORLD_NAME)
    return document(tag('sdf', world, version=SDF_VERSION))


def _scene() -> Element:
    return tag(
        'scene', tag('ambient', (0.5, 0.5, 0.5, 1.0)), tag('background', (0.7, 0.75, 0.8, 1.0)),
        # A shadow for each robot is expensive to render and adds no information.
        tag('shadows', False))


def _sun() -> Element:
    return tag(
        'light', tag('pose', (0.0, 0.0, 10.0, 0.0, 0.0, 0.0)), tag('cast_shadows', False),
        tag('diffuse', (0.9, 0.9, 0.9, 1.0)), tag('specular', (0.1, 0.1, 0.1, 1.0)),
        tag('direction', (-0.4, 0.2, -0.9)), name='sun', type='directional')


def _ground(size: tuple[float, float]) -> Element:
    plane = tag('geometry', tag('plane', tag('normal', (0.0, 0.0, 1.0)), tag('size', size)))
    return tag(
        'model', tag('static', True), tag(
            'link', tag('collision', plane, name='plane_shape'),
            tag('visual', plane, material(_GROUND), name='plane'), name='link'),
        name='ground')


SUFFIXES = ('.sdf', '.world')
"""The suffixes of world files. An arena's is .yaml."""
_WORLD = re.compile(r'<world\s[^>]*?\bname\s*=\s*["\'](.*?)["\']')
_REFERENCE = re.compile(r'<(uri|\w+_map)>\s*([^<:]+?)\s*</\1>')
"""An element that names a file. A URI with a scheme is left out."""
_SYSTEM = re.compile(r'(?:lib)?(?:gz-sim|ignition-gazebo)\d*-(.+)-system(?:\.so)?')


class UserWorld(NamedTuple):
    """A world file of a user."""

    name: str
    """The name of the world."""
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
    added = [plugin for plugin in world_plugins(equipment)
             if _system(plugin.get('filename', '')) not in there]
    added += [robot_model(robot, equipment) for robot in robots]
    before, _, after = world.text.rpartition('</world>')
    inside = ''.join(f'  {indented(element, 2)}\n  ' for element in added)
    return f'{before}{inside}</world>{after}'


def _system(file: str) -> str:
    """
    Return the name of a system of Gazebo Sim, by any of its file names.

    >>> _system('libignition-gazebo-physics-system.so')
    'physics'
    """
    match = _SYSTEM.fullmatch(file)
    return match[1] if match else file
