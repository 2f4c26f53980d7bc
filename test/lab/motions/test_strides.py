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

"""Legs in equal strides."""

from typing import NamedTuple

from leader_election.lab.motions.strides import set_out, stride
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
def test_a_leg_of_5_m_has_so_many_whole_strides_before_the_last(length, whole):
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


def test_a_leg_of_astronomic_length_is_no_harm():
    walk = legs()
    set_out(walk, 0, 0.0, 0.0, 1e90, 0.0, 1e-3)
    assert walk.left[0] > 10**17
    assert walk.stride[0].tolist() == pytest.approx([1e-3, 0.0])
