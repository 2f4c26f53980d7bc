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
Walls and obstacles of an arena as boxes, for simulators with contact physics.

They treat boxes exactly, but divide extruded polygons into triangles, at which a round robot
jitters. So an obstacle that is not a rectangle collides as one box along each edge, just inside
the polygon.
"""

from collections.abc import Iterator, Sequence
import math
from typing import NamedTuple

import shapely
from shapely.geometry.polygon import orient

WALL_HEIGHT = 0.5
"""The height of walls and obstacles [m]."""
WALL_THICKNESS = 0.1
"""The thickness of the outer walls, which are outside the arena [m]."""
EDGE_THICKNESS = 0.04
"""The thickness of the boxes along an obstacle's edges [m], far more than a robot's step."""


class Rectangle(NamedTuple):
    """A rectangle in the plane."""

    x: float
    """The x coordinate of its centre [m]."""
    y: float
    """The y coordinate of its centre [m]."""
    length: float
    """In the direction of its yaw [m]."""
    width: float
    """Perpendicular to that [m]."""
    yaw: float
    """[rad]."""


def outer_walls(outline: shapely.Polygon) -> tuple[Rectangle, ...]:
    """
    Return the walls round an arena, which overlap at the corners.

    :param outline: the inside of the walls [m].
    """
    return tuple(_edges(outline, -WALL_THICKNESS, beyond=WALL_THICKNESS))


def as_rectangle(polygon: shapely.Polygon) -> Rectangle | None:
    """
    Return a polygon as a rectangle, ``None`` if it is not one.

    :param polygon: [m].

    >>> as_rectangle(shapely.box(0.0, 0.0, 4.0, 2.0))
    Rectangle(x=2.0, y=1.0, length=4.0, width=2.0, yaw=0.0)
    """
    # Not shapely.orient_polygons, which needs 2.1: Ubuntu 24.04 has 2.0.3.
    corners = shapely.get_coordinates(orient(polygon.normalize()))
    box = shapely.minimum_rotated_rectangle(polygon)
    if len(corners) != 5 or box.area > polygon.area * (1 + 1e-6):
        return None
    (x0, y0), (x1, y1), (x2, y2) = corners[:3].tolist()
    return Rectangle((x0 + x2) / 2, (y0 + y2) / 2, math.hypot(x1 - x0, y1 - y0),
                     math.hypot(x2 - x1, y2 - y1), math.atan2(y1 - y0, x1 - x0))


def edge_rectangles(polygon: shapely.Polygon) -> tuple[Rectangle, ...]:
    """
    Return one thin rectangle along each edge of a polygon, inside it.

    :param polygon: [m].
    """
    return tuple(_edges(polygon, EDGE_THICKNESS, beyond=0.0))


def _edges(polygon: shapely.Polygon, thickness: float, beyond: float) -> Iterator[Rectangle]:
    """
    Yield one rectangle for each edge of a polygon.

    :param thickness: [m], to the left of the edge, which is inside; negative to the right.
    :param beyond: by how much it is longer than the edge, at each end [m].
    """
    # The first corner is repeated at the end of the coordinates.
    corners: Sequence[tuple[float, float]] = shapely.get_coordinates(orient(polygon)).tolist()
    for (x0, y0), (x1, y1) in zip(corners, corners[1:]):
        length, yaw = math.hypot(x1 - x0, y1 - y0), math.atan2(y1 - y0, x1 - x0)
        yield Rectangle((x0 + x1) / 2 - thickness / 2 * math.sin(yaw),
                        (y0 + y1) / 2 + thickness / 2 * math.cos(yaw),
                        length + 2 * beyond, abs(thickness), yaw)


def obstacle_rectangles(polygon: shapely.Polygon) -> tuple[Rectangle, ...]:
    """Return the rectangle that an obstacle is, or those along its edges."""
    whole = as_rectangle(polygon)
    return edge_rectangles(polygon) if whole is None else (whole,)
