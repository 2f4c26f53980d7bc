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
An arena as SDF: its walls and obstacles as boxes.

Both simulators know what a box does, while of extruded polygons each makes triangles of its own,
and a round robot that touches triangles jitters. So an obstacle that is no rectangle is a box an
edge, just inside of it; what is seen is the whole polygon.
"""

from collections.abc import Iterator, Sequence
import math
from typing import NamedTuple

from leader_election.fleet.robot_list import Entry
from leader_election.gazebo.model import robot_model, SDF_VERSION
from leader_election.gazebo.sdf import Colour, document, Element, material, robot_colour, tag
from leader_election.gazebo.simulator import BARE, Extras, Simulator, world_plugins
from leader_election.world.arena import Arena
import shapely

HEIGHT = 0.5
"""Of walls and obstacles [m]."""
WALL = 0.1
"""How thick the outer walls are, outside of the arena [m]."""
EDGE = 0.04
"""How thick the boxes along an obstacle's edges are [m]; a robot moves by far less in a step."""

_GREY = (0.55, 0.57, 0.6)
_SAND = (0.76, 0.68, 0.54)


class Slab(NamedTuple):
    """A rectangle in the plane."""

    x: float
    """Its centre [m]."""
    y: float
    length: float
    """Along its yaw [m]."""
    width: float
    """Across [m]."""
    yaw: float
    """[rad]."""


def arena_model(arena: Arena) -> Element:
    """Return walls and obstacles as one model that does not move."""
    parts = [part for i, slab in enumerate(outer_walls(arena.outline), 1)
             for part in _box(f'wall_{i}', slab, _GREY)]
    for i, obstacle in enumerate(arena.obstacles, 1):
        parts += _obstacle(f'obstacle_{i}', obstacle)
    return tag('model', tag('static', True), tag('link', *parts, name='link'), name='arena')


def outer_walls(outline: shapely.Polygon) -> tuple[Slab, ...]:
    """Return the walls round an arena, with no gap at the corners."""
    # The last corner is the first again.
    return tuple(_edges(outline, -WALL, beyond=WALL))


def rectangle(polygon: shapely.Polygon) -> Slab | None:
    """
    Return a polygon as one slab, ``None`` for what is no rectangle.

    >>> rectangle(shapely.box(0.0, 0.0, 4.0, 2.0))
    Slab(x=2.0, y=1.0, length=4.0, width=2.0, yaw=0.0)
    """
    corners = shapely.get_coordinates(shapely.orient_polygons(polygon.normalize()))
    box = shapely.minimum_rotated_rectangle(polygon)
    if len(corners) != 5 or box.area > polygon.area * (1 + 1e-6):
        return None
    (x0, y0), (x1, y1), (x2, y2) = corners[:3].tolist()
    return Slab((x0 + x2) / 2, (y0 + y2) / 2, math.hypot(x1 - x0, y1 - y0),
                math.hypot(x2 - x1, y2 - y1), math.atan2(y1 - y0, x1 - x0))


def edge_slabs(polygon: shapely.Polygon) -> tuple[Slab, ...]:
    """Return a slab along each edge of a polygon, inside of it."""
    return tuple(_edges(polygon, EDGE, beyond=0.0))


def _edges(polygon: shapely.Polygon, thick: float, beyond: float) -> Iterator[Slab]:
    """Yield a slab an edge, as thick to the left of it as is said, and longer at both ends."""
    corners: Sequence[tuple[float, float]] = shapely.get_coordinates(
        shapely.orient_polygons(polygon)).tolist()
    for (x0, y0), (x1, y1) in zip(corners, corners[1:]):
        length, yaw = math.hypot(x1 - x0, y1 - y0), math.atan2(y1 - y0, x1 - x0)
        yield Slab((x0 + x1) / 2 - thick / 2 * math.sin(yaw),
                   (y0 + y1) / 2 + thick / 2 * math.cos(yaw),
                   length + 2 * beyond, abs(thick), yaw)


def _obstacle(name: str, polygon: shapely.Polygon) -> list[Element]:
    whole = rectangle(polygon)
    if whole is not None:
        return _box(name, whole, _SAND)
    collisions = [_box(f'{name}_{i}', slab, _SAND)[0]
                  for i, slab in enumerate(edge_slabs(polygon), 1)]
    corners = shapely.get_coordinates(polygon).tolist()[:-1]
    outline = tag('polyline', *(tag('point', (x, y)) for x, y in corners), tag('height', HEIGHT))
    return [*collisions, tag('visual', tag('geometry', outline), material(_SAND), name=name)]


def _box(name: str, slab: Slab, colour: Colour) -> list[Element]:
    """Return a collision and a visual."""
    pose = tag('pose', (slab.x, slab.y, HEIGHT / 2, 0.0, 0.0, slab.yaw))
    shape = tag('geometry', tag('box', tag('size', (slab.length, slab.width, HEIGHT))))
    return [tag('collision', pose, shape, name=f'{name}_shape'),
            tag('visual', pose, shape, material(colour), name=name)]



WORLD_NAME = 'swarm'
"""Of the worlds that are made here."""
_GROUND = (0.83, 0.84, 0.82)
_MARGIN = 10.0
"""The ground reaches so far beyond the arena [m]."""
STEP = 0.002
"""
Of physics [s].

A robot of Gazebo Classic drives 1 % faster than it was told with this one, 3 % with the double.
"""
_ITERATIONS = 20
"""Of Gazebo Classic's solver; 50, its own, give the same speeds within 1 % for 1.6 of the work."""


def world_sdf(arena: Arena, robots: Sequence[Entry], simulator: Simulator,
              extras: Extras = BARE, step: float = STEP, pace: float = 1.0) -> str:
    """
    Return a world file.

    :param extras: what robots have beside wheels.
    :param step: of physics [s].
    :param pace: how much of the world's time passes in a real second at most.

    >>> from leader_election.world.arena import load_arena
    >>> 'robot_7' in world_sdf(load_arena('blocks'), [Entry('robot_7', 7)], Simulator.GZ_SIM)
    True
    """
    left, bottom, right, top = arena.outline.bounds
    size = (right - left + 2 * _MARGIN, top - bottom + 2 * _MARGIN)
    world = tag(
        'world', _physics(step, pace), *world_plugins(simulator, extras), _scene(), _sun(),
        _ground(size), arena_model(arena), *robot_models(robots, simulator, extras),
        name=WORLD_NAME)
    return document(tag('sdf', world, version=SDF_VERSION))


def robot_models(robots: Sequence[Entry], simulator: Simulator, extras: Extras) -> list[Element]:
    """Return all robots, each in a colour of its own."""
    return [robot_model(robot.name, robot.pose, robot_colour(robot.id), simulator, extras)
            for robot in robots]


def _physics(step: float, pace: float) -> Element:
    return tag(
        'physics', tag('max_step_size', step), tag('real_time_factor', pace),
        tag('real_time_update_rate', pace / step),
        tag('ode', tag('solver', tag('type', 'quick'), tag('iters', _ITERATIONS))),
        name='step', type='ode')


def _scene() -> Element:
    return tag(
        'scene', tag('ambient', (0.5, 0.5, 0.5, 1.0)), tag('background', (0.7, 0.75, 0.8, 1.0)),
        # A shadow a robot is dear, and shows nothing.
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
