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

"""Tests of the block of memory for all arrays."""

from typing import Any, NamedTuple

from leader_election.lab.engine.arena import HUGE, LINE, packed, PAGES
import numpy as np


class Inner(NamedTuple):
    """A nested named tuple."""

    empty: Any
    large: Any


class Outer(NamedTuple):
    """Arrays of several types, and a number."""

    whole: Any
    inner: Any
    number: Any
    flags: Any


def test_arrays_begin_at_cache_lines_and_do_not_overlap():
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


def test_only_large_blocks_begin_at_huge_pages():
    def places(size):
        pair = packed(Inner(np.full(size - LINE, 7, np.uint8), np.full(LINE, 9, np.uint8)))
        assert np.all(pair.empty == 7) and np.all(pair.large == 9)
        assert pair.large.ctypes.data - pair.empty.ctypes.data == size - LINE
        return pair.empty.ctypes.data % HUGE

    for size in (HUGE // 8, HUGE, HUGE + LINE, PAGES):
        # The blocks exist at the same time, so they cannot all begin there by chance.
        assert [places(size) for _ in range(5)] == [0] * 5
    # A small block shares its pages with other data.
    kept = [packed(Inner(np.zeros(LINE), np.zeros(LINE))) for _ in range(3)]
    assert any(pair.empty.ctypes.data % HUGE for pair in kept)
