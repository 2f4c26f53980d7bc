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

"""Lanes worked by hand, and what holds for any area."""

from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.tasks.lanes import lanes
import pytest
import shapely
from tasks.areas import areas


def test_lanes_go_to_and_fro_along_the_longer_side() -> None:
    # 4 m by 2 m, half a metre off the edge: 3 m by 1 m is left, one lane in its middle; with
    # lanes of half a metre two, at a quarter and at three.
    assert lanes(shapely.box(0, 0, 4, 2), 1.0, 0.5) == [(0.5, 1), (3.5, 1)]
    two = lanes(shapely.box(0, 0, 4, 2), 0.5, 0.5)
    assert two == [(0.5, 0.75), (3.5, 0.75), (3.5, 1.25), (0.5, 1.25)]


def test_an_upright_area_is_swept_upright() -> None:
    assert lanes(shapely.box(0, 0, 1, 2), 1.0) == [(0.5, 0), (0.5, 2)]


def test_a_lane_leaves_out_what_is_not_of_the_area() -> None:
    # A U of two arms: the upper lane has a piece in each.
    u = shapely.Polygon([(0, 0), (6, 0), (6, 2), (4, 2), (4, 1), (2, 1), (2, 2), (0, 2)])
    upper = [x for x, y in lanes(u, 1.0) if y == 1.5]
    assert upper == [6, 4, 2, 0]


def test_what_is_too_narrow_is_visited_in_one_place() -> None:
    [(x, y)] = lanes(shapely.box(0, 0, 9, 0.4), 1.0, 0.25)
    assert shapely.box(0, 0, 9, 0.4).contains(shapely.Point(x, y))
    assert lanes(shapely.Polygon(), 1.0, 0.25) == []


def test_what_the_lanes_miss_is_visited_where_it_keeps_off_the_edge() -> None:
    # Two rooms in opposite corners, the one lane runs in between; and a corridor, too narrow.
    rooms = shapely.union_all([
        shapely.box(0, 0, 2, 2), shapely.box(6, 2, 8, 4), shapely.box(20, 1.9, 29, 2.1)])
    [(x, y)] = lanes(rooms, 9.0, 0.5)
    assert rooms.buffer(-0.5).covers(shapely.Point(x, y))


@settings(deadline=None, max_examples=60)
@given(areas(), st.floats(0.3, 2.0), st.floats(0.0, 0.5))
def test_all_places_are_inside(area: shapely.Geometry, lane: float, clear: float) -> None:
    places = shapely.MultiPoint(lanes(area, lane, clear))
    assert not places.is_empty
    inside = area.buffer(-clear, join_style='mitre')
    assert (area if inside.is_empty else inside).buffer(1e-6).covers(places)


@pytest.mark.parametrize('lane', [0.5, 1.0, 1.7])
def test_no_point_of_a_rectangle_is_farther_from_the_way_than_half_a_lane(lane: float) -> None:
    for area in (shapely.box(-3, 1, 4, 3.5), shapely.box(0, 0, 2, 5)):
        near = shapely.LineString(lanes(area, lane)).buffer(lane / 2 + 1e-6, cap_style='square')
        assert area.difference(near).area < 1e-9


def test_a_large_area_takes_no_more_places_than_it_has_lanes() -> None:
    # A square kilometre: a thousand lanes of 1 m, with two ends each.
    assert len(lanes(shapely.box(0, 0, 1000, 1000), 1.0)) == 2000


@pytest.mark.parametrize('area', [
    shapely.box(0, 0, 1e9, 1e9), shapely.box(0, 0, 1e300, 1e300), shapely.box(0, 0, 6000, 5001)])
def test_an_area_of_too_many_lanes_is_refused(area: shapely.Geometry) -> None:
    with pytest.raises(ValueError, match='are too many; up to 5000 are allowed'):
        lanes(area, 1.0)


def test_an_area_of_too_many_pieces_is_refused() -> None:
    # A comb whose 100 teeth are 150 lanes high: 30,000 ends.
    teeth = [shapely.box(4 * k, 0, 4 * k + 2, 150) for k in range(100)]
    with pytest.raises(ValueError, match='more than 10000 places'):
        lanes(shapely.union_all([*teeth, shapely.box(0, -1, 400, 0)]), 1.0)
