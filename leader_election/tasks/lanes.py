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

MOST_PLACES = 10_000
"""What would take more places than this is no area for a robot."""


def lanes(area: Any, lane: float, clear: float = 0.0) -> list[Position]:
    """
    Return the places to visit, one after the other, to and fro along the longer side [m].

    The width is divided evenly, so a point is at most half a lane off the line of a lane. A lane
    has places at its ends; of an area that is not convex, at those of each piece of it.

    :param area: a shapely polygon or several, also concave [m].
    :param lane: from one lane to the next, at most [m].
    :param clear: to keep off the edge of the area [m]; a narrow one is visited in one place.
    :raises ValueError: where that makes more than ``MOST_PLACES``.

    Four metres by two, in lanes of one metre:

    >>> lanes(shapely.box(0, 0, 4, 2), 1.0, clear=0.0)
    [(0.0, 0.5), (4.0, 0.5), (4.0, 1.5), (0.0, 1.5)]
    """
    inside = area.buffer(-clear, join_style='mitre') if clear > 0.0 else area
    places: list[Position] = []
    for k, line in enumerate(_lines(inside, lane)):
        shown = line.intersection(inside)
        # One coordinate is the same all along.
        along = sorted(((x, y) for x, y in shapely.get_coordinates(shown).tolist()),
                       key=lambda place: place[0] + place[1])
        places += along[::-1] if k % 2 else along
        if len(places) > MOST_PLACES:
            raise ValueError(f'more than {MOST_PLACES} places to visit')
    if not places and not area.is_empty:
        middle = (area if inside.is_empty else inside).representative_point()
        places.append((middle.x, middle.y))
    return places


def number_of_lanes(area: Any, lane: float) -> int:
    """
    Return how many lanes it takes, side by side.

    :raises ValueError: where their ends would be more than ``MOST_PLACES``.

    >>> number_of_lanes(shapely.box(0, 0, 4, 2), 0.8)
    3
    """
    left, bottom, right, top = area.bounds
    lanes_wide = float(right - left if is_upright(area) else top - bottom) / lane
    if 2 * lanes_wide > MOST_PLACES:
        raise ValueError(f'{lanes_wide:.0f} lanes of {lane:g} m are too many; up to '
                         f'{MOST_PLACES // 2} are allowed')
    # What is wider by a rounding error needs no lane more.
    return max(math.ceil(lanes_wide - 1e-9), 1)


def _lines(area: Any, lane: float) -> Iterator[Any]:
    """Yield the lines of an area's lanes, from one side of its bounds to the other."""
    if area.is_empty:
        return
    upright = is_upright(area)
    left, bottom, right, top = area.bounds
    low, high = (left, right) if upright else (bottom, top)
    number = number_of_lanes(area, lane)
    for k in range(number):
        at = low + (k + 0.5) * (high - low) / number
        yield shapely.LineString([(at, bottom), (at, top)] if upright
                                 else [(left, at), (right, at)])
