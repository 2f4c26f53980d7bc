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
Coverage of an area by several robots: equal parts, their assignment, and lanes in a part.

Areas are shapely polygons, or several as one geometry, also concave. All lengths are in metres.
"""

import base64
from collections.abc import Collection, Iterable, Mapping, Sequence
import math
from typing import Any

from leader_election.election.messages.codec import MAX_COORDINATE
from leader_election.election.regions.task import Position
import numpy as np
import shapely

MOST_PLACES = 10_000
"""The greatest number of places of a route. A larger area is too large for one robot."""
_BISECTIONS = 40
_UPRIGHT_RATIO = 1.01
"""The ratio of height to width from which on an area is upright. Robots whose areas differ by
rounding have to agree."""


def split(area: Any, parts: int) -> list[Any]:
    """
    Return a partition of an area into parts of equal size.

    The area is cut in two across its longer side, again and again, so that parts are compact. The
    cuts are parallel to the axes, so robots with the same outline get the same parts.

    :param area: what to split.
    :param parts: how many, at least 1.

    >>> [round(part.centroid.x, 6) for part in split(shapely.box(0, 0, 6, 2), 3)]
    [1.0, 3.0, 5.0]
    """
    return [part_of(area, parts, index) for index in range(parts)]


def part_of(area: Any, parts: int, index: int) -> Any:
    """
    Return one of the parts of :func:`split`, by about log2 of their number of cuts.

    :param area: what to split.
    :param parts: how many, at least 1.
    :param index: which one, from 0.

    >>> [round(x, 6) for x in part_of(shapely.box(0, 0, 6, 2), 3, 1).bounds]
    [2.0, 0.0, 4.0, 2.0]
    """
    while parts > 1:
        first = parts // 2
        _, low, high = _cut(area, first / parts)
        if index < first:
            area, parts = low, first
        else:
            area, parts, index = high, parts - first, index - first
    return area


def assign(area: Any, members: Mapping[int, Position]) -> list[int]:
    """
    Return the members' ids in the order of their parts, so that distances to the parts are short.

    At each cut of :func:`split` the members are divided in the order of their positions across it.

    :param area: what will be split into as many parts as there are members.
    :param members: the position of each, by id [m].

    >>> assign(shapely.box(0, 0, 6, 2), {7: (9.0, 1.0), 8: (1.0, 1.0), 9: (1.5, 0.0)})
    [8, 9, 7]
    """
    if len(members) < 2:
        return list(members)
    first = len(members) // 2
    axis, low, high = _cut(area, first / len(members))
    order = sorted(members, key=lambda robot: (members[robot][axis], robot))
    return (assign(low, {robot: members[robot] for robot in order[:first]})
            + assign(high, {robot: members[robot] for robot in order[first:]}))


def lanes(area: Any, lane: float, clearance: float = 0.0) -> list[Position]:
    """
    Return the places to visit in order, to and fro along the longer side [m].

    This is a boustrophedon path. The width is divided evenly, so a point is at most half a lane
    off the line of a lane. A lane has places at its ends; of an area that is not convex, at those
    of each piece of it.

    :param area: what to cover.
    :param lane: the greatest distance from one lane to the next [m].
    :param clearance: the distance to keep from the edge of the area [m]. An area too narrow for it
        is visited in one place.
    :raises ValueError: if that makes more than ``MOST_PLACES``.

    Four metres by two, in lanes of one metre:

    >>> lanes(shapely.box(0, 0, 4, 2), 1.0)
    [(0.0, 0.5), (4.0, 0.5), (4.0, 1.5), (0.0, 1.5)]
    """
    inside = area.buffer(-clearance, join_style='mitre') if clearance > 0.0 else area
    places: list[Position] = []
    if not inside.is_empty:
        across, number = int(not is_upright(inside)), number_of_lanes(inside, lane)
        low, high = inside.bounds[across], inside.bounds[across + 2]
        wide = (high - low) / number
        ends = np.empty((number, 2, 2))
        ends[..., across] = low + (np.arange(number)[:, None] + 0.5) * wide
        ends[..., 1 - across] = inside.bounds[1 - across::2]
        # One intersection with all is ten times as fast as one with each.
        points = shapely.get_coordinates(
            shapely.intersection(inside, shapely.multilinestrings(shapely.linestrings(ends))))
        if len(points) > MOST_PLACES:
            raise ValueError(f'more than {MOST_PLACES} places to visit')
        # Every second lane is driven back.
        line = ((points[:, across] - low) / wide).astype(int)
        along = points[:, 1 - across] * np.where(line % 2, -1.0, 1.0)
        places += [(x, y) for x, y in points[np.lexsort((along, line))].tolist()]
    if not places and not area.is_empty:
        middle = (area if inside.is_empty else inside).representative_point()
        places.append((middle.x, middle.y))
    return places


def number_of_lanes(area: Any, lane: float) -> int:
    """
    Return the number of lanes, side by side, that cover an area.

    :param lane: the greatest distance from one lane to the next [m].
    :raises ValueError: if their ends would be more than ``MOST_PLACES``.

    >>> number_of_lanes(shapely.box(0, 0, 4, 2), 0.8)
    3
    """
    left, bottom, right, top = area.bounds
    lanes_wide = float(right - left if is_upright(area) else top - bottom) / lane
    if 2 * lanes_wide > MOST_PLACES:
        raise ValueError(f'{lanes_wide:.0f} lanes of {lane:g} m are too many; up to '
                         f'{MOST_PLACES // 2} are allowed')
    # An area wider by a rounding error needs no further lane.
    return max(math.ceil(lanes_wide - 1e-9), 1)


def is_upright(area: Any) -> bool:
    """
    Return whether an area is higher than wide.

    >>> is_upright(shapely.box(0, 0, 1, 2)), is_upright(shapely.box(0, 0, 1, 1))
    (True, False)
    """
    left, bottom, right, top = area.bounds
    return bool(top - bottom > _UPRIGHT_RATIO * (right - left))


def _cut(area: Any, fraction: float) -> tuple[int, Any, Any]:
    """Return the axis across which an area is cut, and the two sides. The first is a fraction."""
    axis = int(is_upright(area))
    low, high = area.bounds[axis], area.bounds[axis + 2]
    wanted = fraction * area.area
    for _ in range(_BISECTIONS):
        at = (low + high) / 2
        if _side(area, axis, at, below=True).area < wanted:
            low = at
        else:
            high = at
    return axis, _side(area, axis, high, below=True), _side(area, axis, high, below=False)


def _side(area: Any, axis: int, at: float, *, below: bool) -> Any:
    """Return the polygons of an area below, or above, a coordinate."""
    box = list(area.bounds)
    box[axis + 2 if below else axis] = at
    # If the cut runs along an edge, the intersection may contain a line.
    return shapely.union_all([
        part for part in shapely.get_parts(area.intersection(shapely.box(*box)))
        if part.geom_type == 'Polygon'])


Cell = tuple[int, int]
"""The column and row of a square of a grid over the frame, from its origin."""
MOST_CELLS = 800
"""The most cells of an area; of a larger one they are larger."""


def cell_size(area: Any, lane: float) -> float:
    """
    Return the side of the cells in which visits of an area are noted: a lane, or more [m].

    >>> cell_size(shapely.box(0, 0, 40, 20), 1.0), cell_size(shapely.box(0, 0, 80, 40), 1.0)
    (1.0, 2.0)
    """
    left, bottom, right, top = area.bounds
    return max(lane, math.ceil(100 * math.sqrt(
        (right - left) * (top - bottom) / MOST_CELLS)) / 100)


def cells_near(place: Position, side: float) -> set[Cell]:
    """
    Return the cells whose middle is within three quarters of a side of a place.

    >>> sorted(cells_near((0.5, 0.5), 1.0)), sorted(cells_near((1.0, 0.5), 1.0))
    ([(0, 0)], [(0, 0), (1, 0)])
    """
    i, j = (math.floor(x / side) for x in place)
    return {(k, m) for k in (i - 1, i, i + 1) for m in (j - 1, j, j + 1)
            if math.dist(place, ((k + 0.5) * side, (m + 0.5) * side)) <= 0.75 * side}


def cells_of(area: Any, side: float) -> set[Cell]:
    """
    Return the cells whose middle is in an area.

    >>> sorted(cells_of(shapely.box(0, 0, 2, 1), 1.0))
    [(0, 0), (1, 0)]
    """
    if area.is_empty:
        return set()
    left, bottom, right, top = (math.floor(x / side) for x in area.bounds)
    i, j = (each.ravel() for each in np.meshgrid(
        np.arange(left, right + 1), np.arange(bottom, top + 1)))
    inside = shapely.contains_xy(area, (i + 0.5) * side, (j + 0.5) * side)
    return set(zip(i[inside].tolist(), j[inside].tolist()))


def without_cells(area: Any, cells: Iterable[Cell], side: float) -> Any:
    """
    Return an area without some cells.

    >>> without_cells(shapely.box(0, 0, 3, 1), [(0, 0)], 1.0).bounds
    (1.0, 0.0, 3.0, 1.0)
    """
    at = np.array(sorted(cells)).reshape(-1, 2) * side
    return area.difference(shapely.union_all(
        shapely.box(at[:, 0], at[:, 1], at[:, 0] + side, at[:, 1] + side)))


def packed_cells(cells: set[Cell], side: float) -> tuple[list[float], str]:
    """
    Return cells for a message: side [m], least column and row, number of columns, and bits.

    >>> packed_cells({(2, 3), (4, 3)}, 1.0), sorted(unpacked_cells([1.0, 2, 3, 3], 'oA=='))
    (([1.0, 2, 3, 3], 'oA=='), [(2, 3), (4, 3)])
    """
    if not cells:
        return [side, 0, 0, 1], ''
    at = np.array(sorted(cells))
    (left, bottom), (right, top) = at.min(axis=0), at.max(axis=0)
    bits = np.zeros((int(top - bottom) + 1, int(right - left) + 1), bool)
    bits[at[:, 1] - bottom, at[:, 0] - left] = True
    return ([side, int(left), int(bottom), bits.shape[1]],
            base64.b64encode(np.packbits(bits).tobytes()).decode())


def unpacked_cells(grid: Sequence[float], text: str) -> set[Cell]:
    """
    Return the cells in a message, as :func:`packed_cells` returns them.

    :raises ValueError: for anything else.
    """
    _, left, bottom, columns = grid
    if not all(type(each) is int and abs(each) <= MAX_COORDINATE
               for each in (left, bottom, columns)) or columns < 1:
        raise ValueError(f'{grid} is no grid')
    found = np.flatnonzero(np.unpackbits(
        np.frombuffer(base64.b64decode(text, validate=True), np.uint8)))
    return set(zip((left + found % columns).tolist(), (bottom + found // columns).tolist()))


_TORUS, SWEEPS = 2**12, 2**8
"""Numbers of cells repeat after so many columns or rows, and sweeps."""


def numbers_of(cells: Iterable[Cell], sweep: int) -> set[int]:
    """
    Return cells of a sweep as whole numbers, for :func:`.union`.

    >>> cells_in(numbers_of({(2, -1)}, 5), {(1, -1), (2, -1)})
    {5: {(2, -1)}}
    """
    return {((sweep % SWEEPS) * _TORUS + i % _TORUS) * _TORUS + j % _TORUS for i, j in cells}


def cells_in(numbers: Iterable[int], known: Collection[Cell]) -> dict[int, set[Cell]]:
    """
    Return the cells in numbers, by their sweeps.

    :param known: the possible cells. Others are left out.
    """
    by_place = {(i % _TORUS, j % _TORUS): (i, j) for i, j in known}
    found: dict[int, set[Cell]] = {}
    for number in numbers:
        head, row = divmod(number, _TORUS)
        sweep, column = divmod(head, _TORUS)
        if (column, row) in by_place:
            found.setdefault(sweep, set()).add(by_place[column, row])
    return found


GRID = 0.1
"""The resolution of an outline's corners [m]."""
FINE = 1e-6
"""The grid on which polygons are united: corners nearer than this are one [m]."""
MOST_CORNERS = 24
"""The greatest number of corners. Outlines with more are simplified."""
MOST_PIECES = 4
"""The greatest number of pieces; of more, the largest are kept."""


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
    cells = shapely.voronoi_polygons(shapely.MultiPoint([own, *others]), extend_to=area)
    return next((area.intersection(cell) for cell in cells.geoms
                 if cell.covers(shapely.Point(own))), area)


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
