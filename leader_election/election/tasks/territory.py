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
A region's territory: a disc or a polygon, up to the borders of adjacent regions.

Areas are shapely polygons, or several as one geometry; an outline is their corners in a message.
"""

from collections.abc import Iterable, Sequence
import math
from typing import Any

from leader_election.election.coordination.task import Position
from leader_election.election.robot.codec import MAX_COORDINATE
import shapely

GRID = 0.1
"""The resolution of an outline's corners [m]."""
FINE = 1e-6
"""The grid on which polygons are united: corners nearer than this are one [m]."""
MOST_CORNERS = 24
"""The greatest number of corners; outlines with more are simplified."""
MOST_PIECES = 4
"""The greatest number of pieces; of more, the largest are kept."""


def disc(centre: Position, radius: float) -> Any:
    """
    Return a regular polygon of 20 corners in place of a disc.

    :param centre: x, y [m].
    :param radius: of the disc, to the corners [m].

    >>> disc((1.0, 2.0), 3.0).bounds
    (-2.0, -1.0, 4.0, 5.0)
    """
    return shapely.Point(centre).buffer(radius, quad_segs=5)


def polygon(numbers: Sequence[float]) -> Any:
    """
    Return the polygon of some corners.

    :param numbers: x, y, x, y, ... [m].
    :raises ValueError: if it is not a simple polygon.

    >>> polygon([0, 0, 4, 0, 0, 2]).area
    4.0
    """
    if len(numbers) % 2 or len(numbers) < 6:
        raise ValueError(f'{len(numbers)} numbers are not x, y of three or more corners')
    made = shapely.Polygon(list(zip(numbers[::2], numbers[1::2])))
    if not made.is_valid or made.area == 0.0:
        raise ValueError(f'not a simple polygon: {shapely.is_valid_reason(made)}')
    return made


def own_side(area: Any, own: Position, others: Iterable[Position]) -> Any:
    """
    Return the part of an area that is nearer to one leader than to others: its Voronoi cell.

    :param area: the area shared by the leaders.
    :param own: the leader's position [m].
    :param others: the positions of other regions' leaders [m].

    >>> own_side(shapely.box(-4, -1, 4, 1), (0.0, 0.0), [(2.0, 0.0)]).bounds
    (-4.0, -1.0, 1.0, 1.0)
    """
    for other in others:
        distance = math.dist(own, other)
        if distance == 0.0 or area.is_empty:
            continue
        x, y = (own[0] + other[0]) / 2, (own[1] + other[1]) / 2
        back, aside = (own[0] - other[0]) / distance, (own[1] - other[1]) / distance
        # A square on the own side of the border, large enough for the whole area.
        left, bottom, right, top = area.union(shapely.Point(x, y)).bounds
        far = 2 * math.hypot(right - left, top - bottom)
        ends = ((x - far * aside, y + far * back), (x + far * aside, y - far * back))
        deep = [(u + far * back, v + far * aside) for u, v in reversed(ends)]
        area = area.intersection(shapely.Polygon([*ends, *deep]))
    return area


def outline_of(area: Any) -> list[list[float]]:
    """
    Return the corners of each polygon of an area, as x, y, x, y, ... to ``GRID``, for a message.

    Holes are left out, too many corners are simplified, and surplus pieces dropped.

    >>> outline_of(shapely.box(0, 0, 1.04, 2))
    [[0.0, 0.0, 0.0, 2.0, 1.0, 2.0, 1.0, 0.0]]
    """
    pieces = _pieces(area)
    slack = GRID
    while sum(len(piece.exterior.coords) - 1 for piece in pieces) > MOST_CORNERS:
        pieces = _pieces(area.simplify(slack))
        slack *= 2
    return [[round(number, 1) for corner in piece.exterior.coords[:-1] for number in corner]
            for piece in pieces]


def area_of(outline: Sequence[Sequence[float]]) -> Any:
    """
    Return the area of a received outline.

    :param outline: as :func:`outline_of` returns it.
    :raises ValueError: if it has too many corners, or is invalid.

    >>> area_of(outline_of(shapely.box(0, 0, 1, 2))).area
    2.0
    """
    corners = sum(len(piece) // 2 for piece in outline)
    if len(outline) > MOST_PIECES or corners > MOST_CORNERS:
        raise ValueError(f'an outline of {len(outline)} pieces and {corners} corners is not '
                         f'allowed; it may have {MOST_PIECES} and {MOST_CORNERS}')
    if not all(abs(number) <= MAX_COORDINATE for piece in outline for number in piece):
        raise ValueError(f'an outline beyond {MAX_COORDINATE:g} m is not allowed')
    # On a grid: without one a piece that touches another may get lost (GEOS 3.13).
    return shapely.union_all([polygon(corners) for corners in outline], grid_size=FINE)


def _pieces(area: Any) -> list[Any]:
    """Return the largest polygons of an area without holes, with corners on the grid."""
    snapped = shapely.get_parts(shapely.set_precision(area, GRID))
    solid = shapely.union_all([shapely.Polygon(part.exterior) for part in snapped
                               if part.geom_type == 'Polygon'], grid_size=FINE)
    return sorted((part for part in shapely.get_parts(solid) if part.area > 0.0),
                  key=lambda part: -part.area)[:MOST_PIECES]
