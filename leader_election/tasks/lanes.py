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

"""Lanes: the way of a robot that covers an area."""

from collections.abc import Iterator
import math
from typing import Any

from leader_election.coordination.task import Position
from leader_election.tasks.split import is_upright
import shapely


def lanes(area: Any, lane: float, clear: float = 0.0) -> list[Position]:
    """
    Return the places to visit, one after the other, to and fro along the longer side [m].

    The width is divided evenly, so a point is at most half a lane off the line of a lane. Places
    are at most a lane apart along it, but for what lies between the pieces of an area that is not
    convex.

    :param area: a shapely polygon or several, also concave [m].
    :param lane: from one lane to the next, at most [m].
    :param clear: to keep off the edge of the area [m]; a narrow one is visited in one place.

    Four metres by two, in lanes of one metre:

    >>> lanes(shapely.box(0, 0, 4, 2), 1.0, clear=0.0)[:6]
    [(0.0, 0.5), (1.0, 0.5), (2.0, 0.5), (3.0, 0.5), (4.0, 0.5), (4.0, 1.5)]
    """
    inside = area.buffer(-clear, join_style='mitre') if clear > 0.0 else area
    places: list[Position] = []
    for k, line in enumerate(_lines(inside, lane)):
        shown = shapely.segmentize(line.intersection(inside), lane)
        # One coordinate is the same all along.
        along = sorted(((x, y) for x, y in shapely.get_coordinates(shown).tolist()),
                       key=lambda place: place[0] + place[1])
        places += along[::-1] if k % 2 else along
    if not places and not area.is_empty:
        middle = area.representative_point()
        places.append((middle.x, middle.y))
    return places


def _lines(area: Any, lane: float) -> Iterator[Any]:
    """Yield the lines of an area's lanes, from one side of its bounds to the other."""
    if area.is_empty:
        return
    upright = is_upright(area)
    left, bottom, right, top = area.bounds
    low, high = (left, right) if upright else (bottom, top)
    # What is wider by a rounding error needs no lane more.
    number = max(math.ceil((high - low) / lane - 1e-9), 1)
    for k in range(number):
        at = low + (k + 0.5) * (high - low) / number
        yield shapely.LineString([(at, bottom), (at, top)] if upright
                                 else [(left, at), (right, at)])
