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

"""Arenas as boxes."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.gazebo.walls import EDGE, edge_slabs, outer_walls, rectangle, Slab
from leader_election.world.arena import load_arena
import pytest
import shapely
from shapely.affinity import rotate, translate


def area(slab: Slab) -> shapely.Polygon:
    """Return what a slab covers."""
    box = shapely.box(-slab.length / 2, -slab.width / 2, slab.length / 2, slab.width / 2)
    return translate(rotate(box, slab.yaw, origin=(0, 0), use_radians=True), slab.x, slab.y)


@given(st.floats(0.1, 20.0), st.floats(0.1, 20.0), st.floats(-4.0, 4.0),
       st.floats(-10.0, 10.0), st.floats(-10.0, 10.0))
def test_a_turned_rectangle_is_one_slab(
        length: float, width: float, yaw: float, x: float, y: float) -> None:
    polygon = area(Slab(x, y, length, width, yaw))
    slab = rectangle(polygon)
    assert slab is not None
    assert area(slab).symmetric_difference(polygon).area < 1e-5 * polygon.area


@pytest.mark.parametrize('corners', [
    [(0, 0), (1, 0), (0, 1)], [(0, 0), (2, 0), (2.2, 1), (0, 1)],
    [(0, 0), (2, 0), (2, 2), (1, 2), (1, 1), (0, 1)]])
def test_other_polygons_are_none(corners: list[tuple[float, float]]) -> None:
    assert rectangle(shapely.Polygon(corners)) is None


@pytest.mark.parametrize('clockwise', [False, True])
def test_edges_are_closed_and_stay_inside(clockwise: bool) -> None:
    for obstacle in load_arena('blocks').obstacles:
        polygon = obstacle.reverse() if clockwise else obstacle
        slabs = shapely.union_all([area(slab) for slab in edge_slabs(polygon)])
        assert slabs.buffer(1e-6).covers(obstacle.exterior)
        assert obstacle.buffer(EDGE).covers(slabs)
        # Along an edge nothing stands out; beyond a pointed corner a little of it does.
        assert slabs.difference(obstacle.buffer(1e-6)).area < 0.01 * slabs.area


@pytest.mark.parametrize('world', ['blocks', 'rooms', 'empty'])
def test_outer_walls_are_closed_and_outside(world: str) -> None:
    outline = load_arena(world).outline
    slabs = [area(slab) for slab in outer_walls(outline)]
    walls = shapely.union_all(slabs)
    assert len(slabs) == 4
    assert walls.intersection(outline).area == pytest.approx(0.0, abs=1e-9)
    assert walls.buffer(1e-9).covers(outline.exterior)
    assert math.isclose(walls.envelope.area, walls.area + outline.area)
