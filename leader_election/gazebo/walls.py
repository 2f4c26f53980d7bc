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

from leader_election.gazebo.colours import Colour
from leader_election.gazebo.xml import Element, tag
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


def material(colour: Colour) -> Element:
    """Return what makes a visual look so."""
    return tag('material', *(tag(kind, (*colour, 1.0)) for kind in ('ambient', 'diffuse')))
