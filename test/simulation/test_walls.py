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
from leader_election.simulation.arena import load_arena
from leader_election.simulation.walls import (
    as_rectangle,
    edge_rectangles,
    EDGE_THICKNESS,
    outer_walls,
    Rectangle,
)
import pytest
import shapely
from shapely.affinity import rotate, translate


def area(rectangle: Rectangle) -> shapely.Polygon:
    """Return the polygon of a rectangle."""
    x, y, length, width, yaw = rectangle
    box = shapely.box(-length / 2, -width / 2, length / 2, width / 2)
    return translate(rotate(box, yaw, origin=(0, 0), use_radians=True), x, y)


@given(st.floats(0.1, 20.0), st.floats(0.1, 20.0), st.floats(-4.0, 4.0),
       st.floats(-10.0, 10.0), st.floats(-10.0, 10.0))
def test_a_rotated_rectangle_is_one_box(
        length: float, width: float, yaw: float, x: float, y: float) -> None:
    polygon = area(Rectangle(x, y, length, width, yaw))
    rectangle = as_rectangle(polygon)
    assert rectangle is not None
    assert area(rectangle).symmetric_difference(polygon).area < 1e-5 * polygon.area


@pytest.mark.parametrize('corners', [
    [(0, 0), (1, 0), (0, 1)], [(0, 0), (2, 0), (2.2, 1), (0, 1)],
    [(0, 0), (2, 0), (2, 2), (1, 2), (1, 1), (0, 1)]])
def test_other_polygons_are_not_rectangles(corners: list[tuple[float, float]]) -> None:
    assert as_rectangle(shapely.Polygon(corners)) is None


@pytest.mark.parametrize('clockwise', [False, True])
def test_edges_of_obstacles_are_closed_and_inside(clockwise: bool) -> None:
    for obstacle in load_arena('blocks').obstacles:
        polygon = obstacle.reverse() if clockwise else obstacle
        slabs = shapely.union_all([area(rectangle) for rectangle in edge_rectangles(polygon)])
        assert slabs.buffer(1e-6).covers(obstacle.exterior)
        assert obstacle.buffer(EDGE_THICKNESS).covers(slabs)
        # Along an edge nothing stands out; beyond a pointed corner a little of it does.
        assert slabs.difference(obstacle.buffer(1e-6)).area < 0.01 * slabs.area


@pytest.mark.parametrize('world', ['barriers', 'blocks', 'rooms', 'empty'])
def test_outer_walls_are_closed_and_outside_of_the_arena(world: str) -> None:
    outline = load_arena(world).outline
    slabs = [area(rectangle) for rectangle in outer_walls(outline)]
    walls = shapely.union_all(slabs)
    assert len(slabs) == 4
    assert walls.intersection(outline).area == pytest.approx(0.0, abs=1e-9)
    assert walls.buffer(1e-9).covers(outline.exterior)
    assert math.isclose(walls.envelope.area, walls.area + outline.area)
