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

from leader_election.election.algorithms import Algorithm, ALGORITHMS, BOUNDED, Device
from leader_election.election.algorithms.fields import Kept
from leader_election.lab.engine import ABSENT, state_layout
from leader_election.lab.engine.arena import HUGE, LINE, packed, PAGES
import numpy as np
import pytest


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


# The layout of states in rows of a matrix.

class Mixed(NamedTuple):
    """A state with all kinds of fields, in mixed order."""

    far: Kept[tuple[float, ...]]
    leader: int
    role: Kept[int]
    summary: tuple[float, ...]
    recipients: tuple[int, ...]
    distance: float


MIXED = Algorithm('mixed', BOUNDED.round, Mixed, Mixed, lambda device: Mixed(
    (1.5, 2.5), device.id, 2, (0.0,) * 3, (-1,) * 2, float('inf')), BOUNDED.configure)


def test_fields_that_are_sent_are_contiguous_and_scalars_come_first() -> None:
    layout = state_layout(MIXED)
    # role; leader, distance; summary, recipients; far.
    assert layout.offset == (8, 1, 0, 3, 6, 2) and layout.width == 10
    offsets = layout.offsets
    assert (offsets.width, offsets.sent_from, offsets.sent_to) == (10, 1, 8)
    assert (offsets.leader, offsets.distance, offsets.role, offsets.summary) == (1, 2, 0, 3)
    assert offsets.reach == offsets.decision == ABSENT
    assert layout.vectors.tolist() == [[8, 2], [3, 3], [6, 2]]


@pytest.mark.parametrize('algorithm', [MIXED, *map(ALGORITHMS.get, ALGORITHMS.names())],
                         ids=lambda algorithm: algorithm.name)
def test_rows_hold_states_to_the_last_bit(algorithm: Algorithm) -> None:
    layout = state_layout(algorithm)
    rows = layout.rows(3)
    states = [algorithm.start(Device(2**62 + i, 0.1 + i)) for i in range(3)]
    for i, state in enumerate(states):
        for column, value in zip(layout.columns(rows), state):
            column[i] = value
    assert [layout.state(rows, i) for i in range(3)] == states
    # Offsets lead to the values; whole numbers are stored as int64.
    leader, distance = rows[:, layout.offsets.leader], rows[:, layout.offsets.distance]
    assert leader.tolist() == [state.leader for state in states]
    assert distance.view(np.int64).tolist() == [
        np.float64(state.distance).view(np.int64) for state in states]
