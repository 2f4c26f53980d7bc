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

"""Splits worked by hand, and what holds for any area."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.tasks.split import assign, split
import pytest
import shapely
from tasks.areas import areas


def test_a_strip_is_cut_across() -> None:
    # 4 m by 1 m in four squares, from west to east; on end, from south to north.
    for k, part in enumerate(split(shapely.box(0, 0, 4, 1), 4)):
        assert part.bounds == pytest.approx((k, 0, k + 1, 1))
    for k, part in enumerate(split(shapely.box(0, 0, 1, 4), 4)):
        assert part.bounds == pytest.approx((0, k, 1, k + 1))


def test_a_square_is_cut_in_quarters() -> None:
    # West and east first; each half is then higher than wide: south and north.
    corners = [part.bounds[:2] for part in split(shapely.box(0, 0, 2, 2), 4)]
    assert [round(x, 6) + 0.0 for corner in corners for x in corner] == [0, 0, 0, 1, 1, 0, 1, 1]


def test_a_triangle_is_cut_where_half_of_its_area_is() -> None:
    # Height y over 0 <= y <= 1, twice as wide: left of x the area is x² / 4 of 1, so x = sqrt(2).
    left, right = split(shapely.Polygon([(0, 0), (2, 0), (2, 1)]), 2)
    assert left.bounds[2] == pytest.approx(math.sqrt(2)) == right.bounds[0]


def test_two_islands_are_shared_out() -> None:
    # Two squares of 1 m, 8 m apart: by halves each is one's part, of three nobody has the sea.
    islands = shapely.union_all([shapely.box(0, 0, 1, 1), shapely.box(9, 0, 10, 1)])
    assert [part.area for part in split(islands, 2)] == pytest.approx([1, 1])
    assert [part.area for part in split(islands, 3)] == pytest.approx([2 / 3] * 3)


def test_a_u_is_cut_between_its_arms() -> None:
    # Open to the north, 7 m2, and the same on both sides of x = 1.5.
    u = shapely.Polygon([(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3)])
    west, east = split(u, 2)
    assert (west.area, east.area) == pytest.approx((3.5, 3.5))
    assert west.bounds[2] == pytest.approx(1.5) == east.bounds[0]
    # Of three parts one is in two pieces, and all are equal.
    assert [part.area for part in split(u, 3)] == pytest.approx([7 / 3] * 3)


@settings(deadline=None, max_examples=60)
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


def test_who_is_in_a_part_gets_it() -> None:
    # Quarters in the order of the test above; everybody stands in one's middle.
    members = {4: (0.5, 0.5), 3: (0.5, 1.5), 2: (1.5, 0.5), 1: (1.5, 1.5)}
    assert assign(shapely.box(0, 0, 2, 2), members) == [4, 3, 2, 1]


def test_of_those_who_come_from_one_side_the_first_go_farthest() -> None:
    # All come from the west: the most eastern of them goes to the east.
    members = {1: (-1.0, 0.0), 2: (-2.0, 0.0), 3: (-3.0, 0.0)}
    assert assign(shapely.box(0, 0, 3, 1), members) == [3, 2, 1]


@settings(deadline=None, max_examples=40)
@given(areas(), st.dictionaries(
    st.integers(0, 99), st.tuples(st.floats(-20, 20), st.floats(-20, 20)), max_size=21))
def test_everybody_gets_one_part(
        area: shapely.Geometry, members: dict[int, tuple[float, float]]) -> None:
    assert sorted(assign(area, members)) == sorted(members)


@settings(deadline=None, max_examples=40)
@given(areas(), st.integers(1, 12))
def test_who_has_a_part_keeps_it_when_all_are_asked_anew(
        area: shapely.Geometry, number: int) -> None:
    # Everybody stands somewhere in a part of one's own.
    inside = [part.representative_point() for part in split(area, number)]
    members = {robot: (point.x, point.y) for robot, point in enumerate(inside)}
    assert assign(area, members) == list(range(number))
