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

"""Lanes: what numpy gives, eight numbers at a time, also where LLVM cannot squeeze by itself."""

from typing import Any, NamedTuple

from leader_election.lab.engine import lanes
from leader_election.lab.engine.memory import borrow
from numba import njit
import numpy as np
from numpy.typing import NDArray
import pytest


class Arrays(NamedTuple):
    """What lanes are read of, and squeezed into."""

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
    """Return a function that does all that lanes can, anew."""
    @njit(error_model='numpy')
    def work(arrays, k):  # type: ignore[no-untyped-def]
        arrays = borrow(arrays)
        squares = lanes.apart(arrays.position, arrays.neighbour, k, X, Y)
        inside = lanes.at_most(squares, SQUARE)
        lanes.squeeze(squares, inside, arrays.squares, 1)
        rows = lanes.addresses(lanes.lanes(arrays.neighbour, k), BEGIN, SIZE)
        odd = lanes.choose(0b10101010, lanes.addresses(lanes.lanes(arrays.neighbour, k), 0, 1),
                           rows)
        lanes.squeeze(odd, inside, arrays.rows, 2)
        lanes.squeeze(lanes.roots(lanes.lanes(arrays.root, k), LEAST), 0xff, arrays.root, k)
        known = lanes.apart_as_known(arrays.position, arrays.error, arrays.neighbour, k, X, Y)
        in_line = lanes.apart_in_line(arrays.u, arrays.v, k, X, Y)
        lanes.prefetch(arrays.position, k)
        return (inside, lanes.how_many(inside), lanes.lowest(inside | 1 << 8),
                lanes.flagged(lanes.lanes(arrays.flags, k), 4),
                lanes.has(lanes.lanes(arrays.neighbour, k), np.uint32(3)),
                lanes.at_most(known, SQUARE), lanes.at_most(in_line, SQUARE),
                lanes.first_lanes(k + 1))
    return work


def mask(lanes: Any) -> int:
    """Return the mask of the lanes that are true."""
    return sum(1 << lane for lane, true in enumerate(lanes) if true)


@pytest.mark.parametrize('compress', [20, 1_000], ids=['by LLVM', 'lane by lane'])
def test_lanes(compress: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, 'COMPRESS', compress)
    work = compiled()
    for seed in range(30):
        random = np.random.default_rng(seed)
        k = seed % 11
        given = Arrays(
            random.random((20, 2)), random.normal(size=(20, 2)) / 9,
            random.integers(0, 20, 20).astype(np.uint32),
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
            mask(given.flags[eight] & 4), mask(device == 3),
            mask(square(known[:, 0], known[:, 1]) <= SQUARE),
            mask(square(given.u[eight], given.v[eight]) <= SQUARE), (1 << min(k + 1, 8)) - 1)
        # Equal to the last bit, and nothing written before, nor more than eight.
        assert given.squares[1:1 + sum(inside)].tolist() == squares[inside].tolist()
        assert given.squares[0] == -1.0 and np.all(given.squares[9:] == -1.0)
        rows = np.where(np.arange(8) % 2, device, BEGIN + SIZE * device.astype(np.int64))
        assert given.rows[2:2 + sum(inside)].tolist() == rows[inside].tolist()
        assert given.rows[:2].tolist() == [-1, -1] and np.all(given.rows[10:] == -1)
        root[eight] = np.maximum(np.sqrt(root[eight]), LEAST)
        assert given.root.tolist() == root.tolist()
