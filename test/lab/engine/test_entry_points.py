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

"""Entry points: the engine calls the same round functions as robots."""

from collections.abc import Callable, Iterator
from dataclasses import replace
import os
from typing import Any, NamedTuple

from lab.simulations import begun, called, scene
from leader_election.election.algorithms import Algorithm, ALGORITHMS, BOUNDED, Device
from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.algorithms.fields import Kept
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.lab.engine import advance, entry_points, lanes
from leader_election.lab.engine.arena import HUGE, LINE, packed, PAGES
from leader_election.lab.engine.compilation import cache_folder, MONTH, uncached
from leader_election.lab.engine.memory import borrow
from leader_election.lab.experiment.scenario import Scenario
from leader_election.lab.states import ABSENT, state_layout
from numba import njit
from numba.core.registry import cpu_target
import numpy as np
from numpy.typing import NDArray
import pytest


@pytest.fixture
def nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Compile all entry points again, without the cache."""
    monkeypatch.setattr(entry_points, 'jit', uncached)
    entry_points._compiled.cache_clear()
    yield
    entry_points._compiled.cache_clear()


def compiled_for(function: Callable[..., Any]) -> set[object]:
    """Return the plain functions that numba has compiled so far for one."""
    template, = cpu_target.typing_context.resolve_value_type(function).templates
    return {dispatcher.py_func for dispatcher, _ in template._impl_cache.values()}


def test_the_round_that_is_compiled_is_the_robots(nothing_compiled):
    # Bounded Election, which compiles fastest, represents all algorithms.
    parameters = BOUNDED.configure(5.0, 'id')
    device = Device(1, 2.0)
    found = called(BOUNDED, parameters, device, BOUNDED.start(device),
                   [BOUNDED.state(-9.0, 0.0, 7)], [4.0])
    assert found == BOUNDED.state(value=-9.0, distance=4.0, leader=7, hops=1)
    assert compiled_for(BOUNDED.round) == {BOUNDED.round}


@pytest.mark.parametrize('name', ALGORITHMS.names())
def test_every_round_is_called_by_its_entry_point(name):
    algorithm = ALGORITHMS.get(name)
    parameters = algorithm.round_parameters(
        {**vars(ElectionParameters(robot_id=0)), **algorithm.as_published})
    devices = [Device(i, 40.0 - 7 * i % 20) for i in range(18)]
    start = [algorithm.start(device) for device in devices]
    states = [algorithm.compute(device, state, [], [], parameters)
              for device, state in zip(devices, start)]
    # Columns are copied from eight neighbours at a time.
    for messages in (0, 1, 2, 7, 8, 9, 17):
        others, metric = states[1:1 + messages], [1.5 + m % 5 for m in range(messages)]
        expected = algorithm.compute(devices[0], start[0], others, metric, parameters)
        found = called(algorithm, parameters, devices[0], start[0], others, metric)
        assert found == expected, messages


@pytest.mark.parametrize('name', ['recursive', 'recursive-replicated'])
def test_levels_beyond_the_depth_are_cleared_whatever_they_held(name: str) -> None:
    algorithm = ALGORITHMS.get(name)
    parameters = algorithm.round_parameters(
        {**vars(ElectionParameters(robot_id=0)), **algorithm.as_published})
    device = Device(1, 2.0)
    corrupted = algorithm.start(device)._replace(depth=0, **{
        field.name: tuple(map(field.type, range(len(field.padding))))
        for field in algorithm.fields if field.per_level and field.padding})
    expected = algorithm.compute(device, corrupted, [], [], parameters)
    assert expected.depth < 2
    assert called(algorithm, parameters, device, corrupted, [], []) == expected


class Radius(NamedTuple):
    """The parameters of two algorithms."""

    radius: float


def test_algorithms_can_share_a_type_of_parameters():
    def another_round(device, state, neighbours, metric, parameters):  # type: ignore
        return Candidacy(parameters.radius, state.distance, state.leader, state.hops)

    one = replace(BOUNDED, name='one', configure=Radius, round=lambda *given: given[1])
    two = replace(one, name='two', round=another_round)
    device = Device(1, 2.0)
    found = [called(algorithm, Radius(radius), device, BOUNDED.start(device), [], [])
             for algorithm in (one, two) for radius in (3.0, 4.0)]
    assert [state.value for state in found] == [-2.0, -2.0, 3.0, 4.0]


def test_an_exception_in_a_round_is_raised():
    def failing(device, state, neighbours, metric, parameters):  # type: ignore
        if parameters.radius > 0.0:
            raise ValueError('no such radius')
        return state

    algorithm = replace(BOUNDED, name='failing', configure=Radius, round=failing)
    with pytest.raises(ValueError, match='no such radius'):
        called(algorithm, Radius(1.0), Device(1, 2.0), BOUNDED.start(Device(1, 2.0)), [], [])


def entrants(*algorithms: dict[str, Any], **sections: Any) -> Scenario:
    return scene(algorithms=list(algorithms), duration=2, **sections)


def test_the_engine_is_compiled_once():
    # For all algorithms, with and without regions, and all kinds of motion.
    walls = [0, 0, 60, 60]
    for scenario in (
            entrants({'name': 'bounded', 'radius': 30}),
            entrants({'name': 'classic', 'radius': 30}, messages={
                'range': 25, 'loss': 0.5, 'delay': [0.1, 1], 'metric': 'hops'}),
            entrants({'name': 'bounded', 'radius': 30, 'regions': {}},
                     motion={'kind': 'waypoint', 'walls': walls}),
            entrants({'name': 'bounded', 'radius': 30}, rounds={'jitter': 0.1},
                     motion={'kind': 'levy', 'walls': walls})):
        begun(scenario).run(2)
    assert len(advance.overloads) == 1


# The cache of compiled code.

def test_the_folder_of_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    folder = cache_folder()
    assert folder.parent == tmp_path / 'leader_election' and folder.is_dir()
    assert cache_folder() == folder


def test_folders_not_used_for_a_month_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    old, young = (tmp_path / 'leader_election' / f'numba-{name}' for name in ('old', 'young'))
    for each in (old, young):
        each.mkdir(parents=True)
        (each / 'code').write_text('')
    now = young.stat().st_mtime
    os.utime(old, (now - MONTH - 60.0,) * 2)
    os.utime(young, (now - MONTH + 60.0,) * 2)
    cache_folder()
    assert not old.exists() and young.exists()


def test_another_folder_is_used_where_the_home_is_not_writable(tmp_path, monkeypatch):
    (tmp_path / 'file').write_text('')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'file'))
    folder = cache_folder()
    assert tmp_path not in folder.parents and os.access(folder, os.W_OK)


# The memory of the engine: the block of all arrays, rows of states, lanes.


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
