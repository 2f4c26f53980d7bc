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

"""Regions as polygons (shapely)."""

from collections.abc import Sequence

from leader_election.robot.codec import Position
from shapely import MultiPoint, Polygon


def outline(positions: Sequence[Position], margin: float = 0.0) -> Polygon:
    """
    Return the convex outline of a region's members, widened by a margin.

    :param positions: of the members, leader included [m]; at least one.
    :param margin: by how much the outline stays away from them [m], >= 0. With a margin of zero
        one or two members have no area: the polygon is empty.

    >>> outline([(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0), (1.0, 1.0)]).area
    4.0
    >>> outline([(0.0, 0.0)]).is_empty
    True
    """
    hull = MultiPoint(positions).convex_hull
    if margin > 0.0:
        hull = hull.buffer(margin, quad_segs=4)
    return hull if isinstance(hull, Polygon) else Polygon()
