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

"""The memory of the engine: the block of all arrays, rows of states, lanes."""

from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, ALGORITHMS, BOUNDED, Device
from leader_election.election.algorithms.fields import Kept
from leader_election.lab.engine import ABSENT, lanes, state_layout
from leader_election.lab.engine.arena import HUGE, LINE, packed, PAGES
from leader_election.lab.engine.memory import address_of, borrow
from numba import njit
import numpy as np
from numpy.typing import NDArray
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


class Arrays(NamedTuple):
    """Arrays that lanes are loaded from and stored into."""

    position: NDArray[np.float64]
    error: NDArray[np.float64]
    neighbour: NDArray[np.uint32]
    flags: NDArray[np.uint8]
    u: NDArray[np.float64]
    v: NDArray[np.float64]
    squares: NDArray[np.float64]
    rows: NDArray[np.int64]
    root: NDArray[np.float64]


SQUARE, SIZE, BEGIN, LEAST = 0.3, 40, 1_000, 0.4
X, Y = 0.5, 0.25


def compiled() -> Any:
    """Return a newly compiled function that uses all operations on lanes."""
    @njit(error_model='numpy')
    def work(arrays, k):  # type: ignore[no-untyped-def]
        arrays = borrow(arrays)
        squares = lanes.squared_distances(arrays.position, arrays.neighbour, k, X, Y)
        inside = lanes.lanes_at_most(squares, SQUARE)
        lanes.compress_store(squares, inside, arrays.squares, 1)
        device = lanes.load_lanes(arrays.neighbour, k)
        rows = lanes.row_addresses(device, BEGIN, SIZE)
        odd = lanes.select(0b10101010, lanes.row_addresses(device, 0, 1), rows)
        lanes.compress_store(odd, inside, arrays.rows, 2)
        roots = lanes.square_roots(lanes.load_lanes(arrays.root, k), LEAST)
        lanes.compress_store(roots, 0xff, arrays.root, k)
        known = lanes.estimated_squared_distances(
            arrays.position, arrays.error, arrays.neighbour, k, X, Y)
        contiguous = lanes.contiguous_squared_distances(arrays.u, arrays.v, k, X, Y)
        lanes.prefetch(arrays.position, k)
        return (inside, lanes.count_lanes(inside), lanes.lowest_lane(inside | 1 << 8),
                lanes.lanes_with_flag(lanes.load_lanes(arrays.flags, k), 4),
                lanes.entries_equal(arrays.neighbour, k, np.uint32(3)),
                lanes.lanes_at_most(known, SQUARE), lanes.lanes_at_most(contiguous, SQUARE),
                lanes.first_lanes(k + 1), lanes.first_lanes(k + 1, lanes.WIDE))
    return work


def mask(lanes: Any) -> int:
    """Return the mask of the lanes that are true."""
    return sum(1 << lane for lane, true in enumerate(lanes) if true)


@pytest.mark.parametrize('compress', [20, 1_000], ids=['intrinsic', 'lane by lane'])
def test_lanes(compress: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, 'COMPRESS_VERSION', compress)
    work = compiled()
    for seed in range(30):
        random = np.random.default_rng(seed)
        k = seed % 11
        given = Arrays(
            random.random((20, 2)), random.normal(size=(20, 2)) / 9,
            random.integers(0, 20, 26).astype(np.uint32),
            random.integers(0, 8, 20).astype(np.uint8), random.random(20), random.random(20),
            np.full(20, -1.0), np.full(20, -1), random.random(20))
        root = given.root.copy()
        found = work(given, k)
        eight = slice(k, k + 8)
        device = given.neighbour[eight]
        point = given.position[device]

        def square(x: Any, y: Any) -> Any:
            return (x - X) * (x - X) + (y - Y) * (y - Y)
        squares = square(point[:, 0], point[:, 1])
        inside = squares <= SQUARE
        known = point + given.error[device]
        assert found == (
            mask(inside), sum(inside), int(np.argmax([*inside, True])),
            mask(given.flags[eight] & 4), mask(given.neighbour[k:k + 16] == 3),
            mask(square(known[:, 0], known[:, 1]) <= SQUARE),
            mask(square(given.u[eight], given.v[eight]) <= SQUARE), (1 << min(k + 1, 8)) - 1,
            (1 << k + 1) - 1)
        # Equal to the last bit; at most eight entries are written, none before the first.
        assert given.squares[1:1 + sum(inside)].tolist() == squares[inside].tolist()
        assert given.squares[0] == -1.0 and np.all(given.squares[9:] == -1.0)
        rows = np.where(np.arange(8) % 2, device, BEGIN + SIZE * device.astype(np.int64))
        assert given.rows[2:2 + sum(inside)].tolist() == rows[inside].tolist()
        assert given.rows[:2].tolist() == [-1, -1] and np.all(given.rows[10:] == -1)
        root[eight] = np.maximum(np.sqrt(root[eight]), LEAST)
        assert given.root.tolist() == root.tolist()


def test_columns_are_copied_from_eight_rows() -> None:
    @njit
    def copy(rows, address, columns, place, m):  # type: ignore[no-untyped-def]
        for j in range(len(address)):
            address[j] = address_of(rows) + 8 * rows.shape[1] * (j * 5 % len(rows))
        lanes.copy_columns(address_of(address), place, address_of(columns),
                           8 * columns.shape[1], m)

    rows = np.random.default_rng(1).integers(-9, 9, (13, 6))
    for place, m in ((0, 0), (2, 3)):
        columns = np.full((6, 14), 99)
        copy(rows, np.zeros(13, np.int64), columns, place, m)
        expected = np.full((6, 14), 99)
        expected[place:place + 4, m:m + 8] = rows[
            np.arange(m, m + 8) * 5 % 13, place:place + 4].T
        assert columns.tolist() == expected.tolist()
