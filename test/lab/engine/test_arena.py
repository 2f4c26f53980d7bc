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

"""Tests of memory in one piece."""

from typing import Any, NamedTuple

from leader_election.lab.engine.arena import LINE, packed, PAGES
import numpy as np


class Inner(NamedTuple):
    """A part of it."""

    empty: Any
    large: Any


class Outer(NamedTuple):
    """Arrays of several types, and what is none."""

    whole: Any
    inner: Any
    number: Any
    flags: Any


def test_arrays_begin_with_a_line_and_do_not_overlap():
    before = Outer(np.arange(9), Inner(np.zeros((0, 3)), np.zeros(PAGES, np.uint8)), 3.0,
                   np.array([True, False]))
    after = packed(before)
    assert after.number == 3.0
    assert after.inner.large is before.inner.large
    for one, other in ((after.whole, before.whole), (after.inner.empty, before.inner.empty),
                       (after.flags, before.flags)):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
        assert one.ctypes.data % LINE == 0 or one.size == 0
    after.whole[:] = -1
    assert after.flags.tolist() == [True, False]
    assert before.whole[0] == 0
