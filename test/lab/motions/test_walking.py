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

"""Walking: equal strides, and walls that confine."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from leader_election.lab.motions.walking import box, check_walls, confine, set_out, stride
from leader_election.parameters import ParameterError
import numpy as np
import pytest


class Legs(NamedTuple):
    target: np.ndarray
    left: np.ndarray
    stride: np.ndarray


def legs():
    return Legs(np.zeros((1, 2)), np.zeros(1, np.int64), np.zeros((1, 2)))


@pytest.mark.parametrize(('length', 'whole'), [
    (5.0, 0),   # one stride, the last one
    (6.0, 0),   # less than one
    (2.5, 1),   # two: one whole one, and the last one is as long
    (2.0, 2),   # two whole ones, and the last one of 1 m
])
def test_the_number_of_whole_strides_of_a_leg(length, whole):
    walk = legs()
    set_out(walk, 0, 1.0, 1.0, 4.0, 5.0, length)
    assert walk.left[0] == whole
    assert walk.target[0].tolist() == [4.0, 5.0]


def test_a_stride_goes_along_the_leg():
    walk, position = legs(), np.array([[1.0, 1.0]])
    set_out(walk, 0, 1.0, 1.0, 4.0, 5.0, 2.5)
    assert stride(walk, 0, position)
    assert position[0].tolist() == [2.5, 3.0]  # half of the way
    assert not stride(walk, 0, position)
    assert position[0].tolist() == [2.5, 3.0]


def test_a_leg_of_astronomic_length():
    walk = legs()
    set_out(walk, 0, 0.0, 0.0, 1e90, 0.0, 1e-3)
    assert walk.left[0] > 10**17
    assert walk.stride[0].tolist() == pytest.approx([1e-3, 0.0])


BOX = (0.0, 0.0, 10.0, 20.0)


@pytest.mark.parametrize(('start', 'wanted', 'end'), [
    ((4.0, 4.0), (7.0, 8.0), (7.0, 8.0)),        # nothing in the way
    ((8.0, 5.0), (12.0, 7.0), (10.0, 6.0)),      # half of it, up to the wall in the east
    ((2.0, 5.0), (-2.0, 9.0), (0.0, 7.0)),       # west
    ((5.0, 18.0), (1.0, 26.0), (4.0, 20.0)),     # north, after a quarter
    ((5.0, 2.0), (5.0, -2.0), (5.0, 0.0)),       # south
    ((9.0, 18.0), (13.0, 22.0), (10.0, 19.0)),   # past a corner: the wall that it meets first
    ((10.0, 5.0), (12.0, 7.0), (10.0, 7.0)),     # at the wall: slides along it
    ((10.0, 15.0), (12.0, 25.0), (10.0, 20.0)),  # slides as far as the corner
    ((10.0, 20.0), (11.0, 21.0), (10.0, 20.0)),  # into the corner: stays
    ((10.0, 5.0), (6.0, 5.0), (6.0, 5.0)),       # away from the wall
])
def test_a_walk_ends_at_its_end_or_at_a_wall(start, wanted, end):
    assert confine(BOX, *start, *wanted) == end


@given(st.tuples(st.floats(0, 10), st.floats(0, 20)), st.tuples(*[st.floats(-1e9, 1e9)] * 2))
def test_no_walk_passes_a_wall(start, wanted):
    x, y = confine(BOX, *start, *wanted)
    assert 0 <= x <= 10 and 0 <= y <= 20


def test_without_walls_the_bounds_are_infinite():
    bounds = box((), np.array([[1e300, -1e300]]))
    assert confine(bounds, 0.0, 0.0, 1e300, -1e300) == (1e300, -1e300)


def test_wrong_walls_are_refused():
    with pytest.raises(ParameterError, match='walls'):
        check_walls((0.0, 0.0, 10.0, 0.0))
    with pytest.raises(ParameterError, match='a device starts outside of them, at 11, 3'):
        box(BOX, np.array([[1.0, 1.0], [11.0, 3.0]]))
