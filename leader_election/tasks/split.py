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

"""Splitting an area into parts of equal size, and giving them to robots nearby."""

from collections.abc import Mapping
from typing import Any

from leader_election.coordination.task import Position
import shapely

_HALVINGS = 40
"""Each halves the error of where a cut is."""
_OBLONG = 1.01
"""An area that is not higher than this times its width is cut from north to south."""


def split(area: Any, parts: int) -> list[Any]:
    """
    Return so many parts of equal area, disjoint, that make up an area.

    It is cut in two across its longer side, again and again, so that parts are compact. The cuts
    go along the axes: who has the same outline comes to the same parts.

    :param area: a shapely polygon or several, also concave [m].
    :param parts: at least 1.

    >>> [round(part.centroid.x, 6) for part in split(shapely.box(0, 0, 6, 2), 3)]
    [1.0, 3.0, 5.0]
    """
    if parts == 1:
        return [area]
    first = parts // 2
    _, low, high = _cut(area, first / parts)
    return split(low, first) + split(high, parts - first)


def assign(area: Any, members: Mapping[int, Position]) -> list[int]:
    """
    Return the members' ids in the order of the parts that they get, for short ways.

    At each cut of :func:`split` those who are on one side, in their order, get that side.

    :param members: where they are [m].

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


def is_upright(area: Any) -> bool:
    """
    Return whether an area is higher than wide.

    >>> is_upright(shapely.box(0, 0, 1, 2)), is_upright(shapely.box(0, 0, 1, 1))
    (True, False)
    """
    left, bottom, right, top = area.bounds
    return bool(top - bottom > _OBLONG * (right - left))


def _cut(area: Any, part: float) -> tuple[int, Any, Any]:
    """Return the axis across which an area is cut, and the two sides; the first is a part."""
    axis = int(is_upright(area))
    low, high = area.bounds[axis], area.bounds[axis + 2]
    for _ in range(_HALVINGS):
        at = (low + high) / 2
        if _side(area, axis, at, below=True).area < part * area.area:
            low = at
        else:
            high = at
    return axis, _side(area, axis, high, below=True), _side(area, axis, high, below=False)


def _side(area: Any, axis: int, at: float, *, below: bool) -> Any:
    """Return what of an area is below, or above, a coordinate; polygons only."""
    box = list(area.bounds)
    box[axis + 2 if below else axis] = at
    side = area.intersection(shapely.box(*box))
    # Where the cut runs along an edge there may be a line left.
    return shapely.union_all([part for part in shapely.get_parts(side)
                              if part.geom_type == 'Polygon'])
