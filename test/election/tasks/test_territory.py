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

"""Territories and their outlines: examples worked by hand, and properties of any area."""

from itertools import combinations
import json

from election.tasks.areas import areas
from hypothesis import given, settings
from leader_election.election.tasks.coverage import (
    area_of,
    disc,
    MOST_CORNERS,
    MOST_PIECES,
    outline_of,
    own_side,
    polygon,
)
import pytest
import shapely


def test_a_border_is_midway_between_two_leaders() -> None:
    # Leaders at (0, 0) and (2, 2): what is nearer to the first has x + y < 2.
    mine = own_side(shapely.box(0, 0, 2, 2), (0.0, 0.0), [(2.0, 2.0)])
    assert mine.equals(shapely.Polygon([(0, 0), (2, 0), (0, 2)]))


def test_a_leader_between_two_others_has_the_middle() -> None:
    mine = own_side(shapely.box(-9, -1, 9, 1), (0.0, 0.0), [(-4.0, 0.0), (6.0, 0.0)])
    assert mine.bounds == pytest.approx((-2, -1, 3, 1))


def test_an_area_wholly_nearer_to_another_leader_leaves_nothing() -> None:
    assert own_side(shapely.box(4, 0, 5, 1), (0.0, 0.0), [(5.0, 0.0)]).is_empty
    assert outline_of(shapely.Polygon()) == []
    # Two at one place share all of it: there is no border.
    assert own_side(shapely.box(0, 0, 1, 1), (0.0, 0.0), [(0.0, 0.0)]).area == 1.0


@settings(deadline=None)
@given(areas())
def test_leaders_share_an_area_with_nothing_left_over(area: shapely.Geometry) -> None:
    leaders = [(0.0, 0.0), (3.0, 1.0), (-2.0, 5.0)]
    shares = [own_side(area, own, [other for other in leaders if other != own])
              for own in leaders]
    assert sum(share.area for share in shares) == pytest.approx(area.area)
    # No two have anything in common, so with the sum nothing is left over. On a fine grid: of two
    # that touch the library finds a part in common, now and then, where none is.
    for one, other in combinations(shares, 2):
        assert shapely.intersection(one, other, grid_size=1e-9).area == pytest.approx(0, abs=1e-6)


def test_an_outline_has_a_resolution_of_a_tenth_of_a_metre() -> None:
    [corners] = outline_of(shapely.Polygon([(0.04, 0), (3.97, 0), (0, 2)]))
    assert sorted(zip(corners[::2], corners[1::2])) == [(0, 0), (0, 2), (4, 0)]


@settings(deadline=None)
@given(areas())
def test_an_outline_is_short_and_makes_an_area_again(area: shapely.Geometry) -> None:
    outline = json.loads(json.dumps(outline_of(area)))
    assert len(outline) <= MOST_PIECES
    assert sum(len(corners) for corners in outline) <= 2 * MOST_CORNERS
    assert area_of(outline).is_valid


def test_a_detailed_outline_is_simplified() -> None:
    # A disc of 200 corners within a quarter of a metre.
    fine = shapely.Point(1, 2).buffer(5.0, quad_segs=50)
    received = area_of(outline_of(fine))
    assert received.hausdorff_distance(fine) < 0.25
    assert received.area == pytest.approx(fine.area, rel=0.02)
    # The disc of a region is sent as it is, but for the grid.
    assert len(outline_of(disc((1.0, 2.0), 5.0))[0]) == 40


def test_of_many_islands_the_largest_are_in_the_outline_and_holes_are_not() -> None:
    islands = [shapely.box(5 * k, 0, 5 * k + 1 + k / 5, 1) for k in range(6)]
    received = area_of(outline_of(shapely.union_all(islands)))
    assert received.equals(shapely.union_all(islands[2:]))
    lake = shapely.box(0, 0, 4, 4).difference(shapely.box(1, 1, 2, 2))
    assert area_of(outline_of(lake)).area == 16.0


@pytest.mark.parametrize('numbers', [[], [0, 0, 1, 1], [0, 0, 1, 0, 1], [0, 0, 1, 1, 2, 2],
                                     [0, 0, 1, 1, 1, 0, 0, 1]])
def test_corners_of_no_polygon_are_refused(numbers: list[float]) -> None:
    with pytest.raises(ValueError, match='corners|not a simple polygon'):
        polygon(numbers)
