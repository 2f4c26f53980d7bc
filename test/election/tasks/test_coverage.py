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

"""Parts and lanes of an area: examples worked by hand, and properties of any area."""

from itertools import combinations
import json

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.tasks.coverage import (
    area_of,
    assign,
    lanes,
    MOST_CORNERS,
    MOST_PIECES,
    outline_of,
    own_side,
    polygon,
    split,
)
import numpy as np
import pytest
import shapely

_place = st.floats(-10, 10)


@st.composite
def _star(draw: st.DrawFn) -> shapely.Geometry:
    """Draw a polygon round a point, mostly concave [m]."""
    x, y = draw(_place), draw(_place)
    reach = draw(st.lists(st.floats(0.5, 6.0), min_size=3, max_size=12))
    angles = 2 * np.pi * np.arange(len(reach)) / len(reach)
    return shapely.Polygon(np.column_stack(
        (x + reach * np.cos(angles), y + reach * np.sin(angles))))


def areas() -> st.SearchStrategy[shapely.Geometry]:
    """Draw up to three polygons as one area: concave, in pieces, or with holes [m]."""
    return st.lists(_star(), min_size=1, max_size=3).map(shapely.union_all)


def test_strip_is_divided_across() -> None:
    # 4 m by 1 m in four squares, from west to east; on end, from south to north.
    for k, part in enumerate(split(shapely.box(0, 0, 4, 1), 4)):
        assert part.bounds == pytest.approx((k, 0, k + 1, 1))
    for k, part in enumerate(split(shapely.box(0, 0, 1, 4), 4)):
        assert part.bounds == pytest.approx((0, k, 1, k + 1))


@given(areas(), st.integers(1, 21))
def test_parts_are_equal_and_disjoint_and_make_up_the_area(
        area: shapely.Geometry, number: int) -> None:
    parts = split(area, number)
    assert len(parts) == number
    assert [part.area for part in parts] == pytest.approx([area.area / number] * number, rel=0.01)
    # Disjoint and all of it: nothing is counted twice, and nothing is missing or too much.
    whole = shapely.union_all(parts)
    assert sum(part.area for part in parts) == pytest.approx(area.area, rel=1e-6)
    assert whole.symmetric_difference(area).area <= 1e-6 * area.area


def test_first_robots_from_one_side_get_the_farthest_parts() -> None:
    # All come from the west: the most eastern of them goes to the east.
    members = {1: (-1.0, 0.0), 2: (-2.0, 0.0), 3: (-3.0, 0.0)}
    assert assign(shapely.box(0, 0, 3, 1), members) == [3, 2, 1]


@given(areas(), st.integers(1, 12))
def test_robots_in_their_parts_keep_them_when_parts_are_assigned_anew(
        area: shapely.Geometry, number: int) -> None:
    # Each robot stands somewhere in a part of its own.
    inside = [part.representative_point() for part in split(area, number)]
    members = {robot: (point.x, point.y) for robot, point in enumerate(inside)}
    assert assign(area, members) == list(range(number))


def test_lanes_go_to_and_fro_along_the_longer_side() -> None:
    # 4 m by 2 m, half a metre off the edge: 3 m by 1 m is left, one lane in its middle; with
    # lanes of half a metre two, at a quarter and at three.
    assert lanes(shapely.box(0, 0, 4, 2), 1.0, 0.5) == [(0.5, 1), (3.5, 1)]
    two = lanes(shapely.box(0, 0, 4, 2), 0.5, 0.5)
    assert two == [(0.5, 0.75), (3.5, 0.75), (3.5, 1.25), (0.5, 1.25)]


def test_lane_skips_gaps_of_the_area() -> None:
    # A U of two arms: the upper lane has a piece in each.
    u = shapely.Polygon([(0, 0), (6, 0), (6, 2), (4, 2), (4, 1), (2, 1), (2, 2), (0, 2)])
    upper = [x for x, y in lanes(u, 1.0) if y == 1.5]
    assert upper == [6, 4, 2, 0]


@given(areas(), st.floats(0.3, 2.0), st.floats(0.0, 0.5))
def test_every_place_is_inside_the_area(
        area: shapely.Geometry, lane: float, clearance: float) -> None:
    places = shapely.MultiPoint(lanes(area, lane, clearance))
    assert not places.is_empty
    inside = area.buffer(-clearance, join_style='mitre')
    assert (area if inside.is_empty else inside).buffer(1e-6).covers(places)


@pytest.mark.parametrize('lane', [0.5, 1.0, 1.7])
def test_way_passes_every_point_of_a_rectangle_within_half_a_lane(lane: float) -> None:
    for area in (shapely.box(-3, 1, 4, 3.5), shapely.box(0, 0, 2, 5)):
        near = shapely.LineString(lanes(area, lane)).buffer(lane / 2 + 1e-6, cap_style='square')
        assert area.difference(near).area < 1e-9


@pytest.mark.parametrize('area', [
    shapely.box(0, 0, 1e9, 1e9), shapely.box(0, 0, 1e300, 1e300), shapely.box(0, 0, 6000, 5001)])
def test_area_is_refused_when_it_needs_too_many_lanes(area: shapely.Geometry) -> None:
    with pytest.raises(ValueError, match='are too many; up to 5000 are allowed'):
        lanes(area, 1.0)


def test_area_is_refused_when_it_has_too_many_pieces() -> None:
    # A comb whose 100 teeth are 150 lanes high: 30,000 ends.
    teeth = [shapely.box(4 * k, 0, 4 * k + 2, 150) for k in range(100)]
    with pytest.raises(ValueError, match='more than 10000 places'):
        lanes(shapely.union_all([*teeth, shapely.box(0, -1, 400, 0)]), 1.0)


# Territories and their outlines: examples worked by hand, and properties of any area.

def test_area_is_empty_when_nearer_to_another_leader() -> None:
    assert own_side(shapely.box(4, 0, 5, 1), (0.0, 0.0), [(5.0, 0.0)]).is_empty
    assert outline_of(shapely.Polygon()) == []
    # Two at one place share all of it: there is no border.
    assert own_side(shapely.box(0, 0, 1, 1), (0.0, 0.0), [(0.0, 0.0)]).area == 1.0


@given(areas())
def test_leaders_divide_an_area_completely(area: shapely.Geometry) -> None:
    leaders = [(0.0, 0.0), (3.0, 1.0), (-2.0, 5.0)]
    shares = [own_side(area, own, [other for other in leaders if other != own])
              for own in leaders]
    assert sum(share.area for share in shares) == pytest.approx(area.area)
    # No two have anything in common, so with the sum nothing is left over. On a fine grid: of two
    # that touch the library finds a part in common, now and then, where none is.
    for one, other in combinations(shares, 2):
        assert shapely.intersection(one, other, grid_size=1e-9).area == pytest.approx(0, abs=1e-6)


def test_outline_has_a_resolution_of_a_tenth_of_a_metre() -> None:
    [corners] = outline_of(shapely.Polygon([(0.04, 0), (3.97, 0), (0, 2)]))
    assert sorted(zip(corners[::2], corners[1::2])) == [(0, 0), (0, 2), (4, 0)]


@given(areas())
def test_outline_is_short_and_restores_the_area(area: shapely.Geometry) -> None:
    outline = json.loads(json.dumps(outline_of(area)))
    assert len(outline) <= MOST_PIECES
    assert sum(len(corners) for corners in outline) <= 2 * MOST_CORNERS
    assert area_of(outline).is_valid


def test_detailed_outline_is_simplified() -> None:
    # A disc of 200 corners within a quarter of a metre.
    fine = shapely.Point(1, 2).buffer(5.0, quad_segs=50)
    received = area_of(outline_of(fine))
    assert received.hausdorff_distance(fine) < 0.25
    assert received.area == pytest.approx(fine.area, rel=0.02)
    # The disc of a region is sent as it is, but for the grid.
    assert len(outline_of(shapely.Point(1, 2).buffer(5.0, quad_segs=5))[0]) == 40


def test_outline_has_the_largest_islands_and_no_holes() -> None:
    islands = [shapely.box(5 * k, 0, 5 * k + 1 + k / 5, 1) for k in range(6)]
    received = area_of(outline_of(shapely.union_all(islands)))
    assert received.equals(shapely.union_all(islands[2:]))
    lake = shapely.box(0, 0, 4, 4).difference(shapely.box(1, 1, 2, 2))
    assert area_of(outline_of(lake)).area == 16.0


@pytest.mark.parametrize('numbers', [[], [0, 0, 1, 1], [0, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2],
                                     [0, 0, 1, 1, 1, 0, 0, 1]])
def test_corners_are_refused_when_they_form_no_polygon(numbers: list[float]) -> None:
    with pytest.raises(ValueError, match='corners|not a simple polygon'):
        polygon(numbers)
