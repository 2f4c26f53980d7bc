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

"""Links: the pairs of a neighbour list, and mailboxes that stay with their link."""

from typing import Any

from budget import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from leader_election_lab.engine.neighbours import moved_mailboxes, rows_of_pairs, rows_within
from leader_election_lab.engine.network import (
    AHEAD,
    Devices,
    empty_links,
    empty_pool,
    FRESH,
    FRESH_AT_NEIGHBOUR,
    IN_FLIGHT,
    in_lines,
    Links,
    NeighbourLists,
    OLDER,
    Pool,
)
from leader_election_lab.states import COUNTERS, DEPARTED, UNDELIVERED
import numpy as np
from numpy.typing import NDArray
import pytest
from simulations import begun, scene, WALK


def devices_at(position: Any) -> Devices:
    """Return devices with positions."""
    # Of the types for which the engine is compiled.
    position = np.ascontiguousarray(position, float).reshape(-1, 2)
    n = len(position)
    number, strength, period, sent = in_lines(np.arange(n), np.zeros(n), np.ones(n), np.zeros(n))
    return Devices(
        id=number, by_id=np.arange(n), strength=strength, position=position,
        present=np.ones(n, bool), running=np.ones(n, bool), group=np.zeros(n, np.int32),
        among=np.ones(n, bool), period=period, sent=sent, error=np.zeros((n, 2)))


def found(position: Any, reach: float) -> set[tuple[int, int]]:
    """Return the pairs that the engine finds, after a check that both rows contain each once."""
    n = len(position)
    order, begin = np.empty(n, np.int32), np.empty(n + 1, np.int64)
    neighbour, opposite, loss = rows_within(devices_at(position), reach, order, begin)
    assert loss.size == 0
    assert (begin[0], begin[n]) == (0, len(neighbour) - AHEAD)
    assert sorted(order.tolist()) == list(range(n))
    # Both ends of a link know each other.
    slots, receiver = np.arange(len(opposite)), np.repeat(order, np.diff(begin))
    assert opposite[opposite].tolist() == slots.tolist()
    assert neighbour[opposite].tolist() == receiver.tolist()
    links = list(zip(receiver.tolist(), neighbour[:len(opposite)].tolist()))
    assert len(set(links)) == len(links) and {(j, i) for i, j in links} == set(links)
    assert all(i != j for i, j in links)
    return {(i, j) for i, j in links if i < j}


def expected(position: Any, reach: float) -> set[tuple[int, int]]:
    """Return all pairs within reach, found by comparing all devices."""
    apart = np.asarray(position, float)[:, np.newaxis] - np.asarray(position, float)
    near = (apart**2).sum(axis=2) <= reach * reach
    return {(i, j) for i, j in np.argwhere(near).tolist() if i < j}


@pytest.mark.parametrize('position', [
    np.zeros((40, 2)),
    [[5.0, 5.0]],
    np.stack([np.arange(50.0), np.zeros(50)], axis=1),
    np.stack([np.zeros(50), -3.0 * np.arange(50.0)], axis=1),
    np.stack([np.linspace(-1e9, 1e9, 50), np.zeros(50)], axis=1),
    np.concatenate([np.zeros((20, 2)), [[1e9, 1e9]], -np.ones((20, 2))]),
], ids=['one spot', 'one device', 'row', 'column', 'far', 'two spots'])
@pytest.mark.parametrize('reach', [1e-6, 0.999, 1.0, 1.5, 7.0, 1e8, 1e10])
def test_pairs_are_complete_when_positions_are_degenerate(position: Any, reach: float) -> None:
    assert found(position, reach) == expected(position, reach)


@settings(deadline=None)
@given(st.integers(2, 60), st.sampled_from([0.1, 0.2, 0.3, 0.7, 1 / 3, 1.1]), st.integers(1, 3),
       st.sampled_from([0.0, 0.1, -3.3, 1e6]))
# A regression: two devices at a distance of 1 m were put two cells of 1 m apart.
@example(34, 1 / 3, 3, 0.1)
def test_pairs_are_complete_when_cells_are_as_wide_as_the_reach(
        n: int, step: float, times: int, origin: float) -> None:
    # The last digit may decide whether two devices are in reach, but not the grid of cells.
    position = np.stack([origin + np.arange(n) * step, np.zeros(n)], axis=1)
    assert found(position, times * step) == expected(position, times * step)
    assert found(position[:, ::-1], times * step) == expected(position, times * step)


COORDINATE = st.integers(-6, 6).map(float) | st.floats(-1e3, 1e3)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=50),
       st.sampled_from([0.5, 1.0, 2.0, 5.0, 100.0, 5000.0]))
def test_pairs_are_complete_for_random_positions(position: Any, reach: float) -> None:
    assert found(position, reach) == expected(position, reach)


def lists_of(pairs: NDArray[np.int32], loss: Any = ()) -> NeighbourLists:
    """Return the lists of pairs with permanent links."""
    first, second = pairs.T.copy()
    return NeighbourLists(
        first, second, np.reshape(loss, (-1, 2)), True, 0.0, 0.0, 1.0, np.zeros(1))


def test_loss_of_a_link_is_in_the_row_of_its_sender() -> None:
    # Of 0, 1 and 2, linked to each other and to the absent 3.
    pairs = np.array([[2, 1], [3, 0], [0, 1], [2, 0]], np.int32)
    order, begin = np.empty(4, np.int32), np.zeros(5, np.int64)
    devices = devices_at(np.zeros((4, 2)))
    devices.present[3] = False
    neighbour, opposite, loss = rows_of_pairs(devices, lists_of(
        pairs, [[0.21, 0.12], [0.3, 0.3], [0.01, 0.1], [0.2, 0.02]]), order, begin)
    assert begin.tolist() == [0, 2, 4, 6, 6] and neighbour[:6].tolist() == [1, 2, 2, 0, 1, 0]
    assert opposite.tolist() == [3, 5, 4, 0, 2, 1]
    assert loss.tolist() == [0.01, 0.02, 0.12, 0.1, 0.21, 0.2]


SIZE = 1_000
"""Of the pool. All its entries are in use."""


class Moved:
    """Links, and what is left of the links before them."""

    def __init__(self, n: int, pairs: Any, flights: bool = True) -> None:
        self.links = empty_links(n, flights)
        self.pool: Pool = empty_pool(np.zeros((SIZE, 1), np.int64))
        self.pool.top[:] = 0
        self.counts = np.zeros(len(COUNTERS), np.int64)
        self.link(pairs)

    def link(self, pairs: Any) -> None:
        """Rebuild the rows."""
        array: NDArray[np.int32] = np.array(pairs, np.int32).reshape(-1, 2)
        n = len(self.links.row)
        order, begin = np.empty(n, np.int32), np.zeros(n + 1, np.int64)
        rows = rows_of_pairs(devices_at(np.zeros((n, 2))), lists_of(array), order, begin)
        self.links = moved_mailboxes(self.links, self.pool, self.counts, *rows, order, begin)

    @property
    def released(self) -> list[int]:
        """Return the entries of the pool that are free."""
        return sorted(self.pool.free[:self.pool.top[0]].tolist())


def slots_of(made: Links) -> dict[tuple[int, int], int]:
    """Return the slot of each link, by receiver and sender."""
    return {(i, int(made.neighbour[k])): k for i, row in enumerate(made.row) for k in range(*row)}


def contents(made: Links) -> dict[tuple[int, int], tuple[int, bool, int]]:
    """Return the content of the slot of each link, by receiver and sender."""
    return {link: content_of(made, k) for link, k in slots_of(made).items()}


EMPTY, LATEST = -1, -2
"""Contents of a mailbox that are not indices in the pool; EMPTY also if nothing is in flight."""
NOTHING = (EMPTY, False, EMPTY)


def content_of(made: Links, k: int) -> tuple[int, bool, int]:
    """Return the mailbox, ``FRESH_AT_NEIGHBOUR``, and the first in flight of a slot."""
    flags = made.flags[k]
    return (LATEST if flags & FRESH else int(made.pool_index[k]) if flags & OLDER else EMPTY,
            bool(flags & FRESH_AT_NEIGHBOUR),
            int(made.in_flight[k, 0]) if flags & IN_FLIGHT else EMPTY)


def check_both_ends(made: Links) -> None:
    slot = slots_of(made)
    assert len(slot) == len(made.pool_index)
    for (i, j), k in slot.items():
        assert made.opposite[k] == slot[j, i]
        # Both ends agree on FRESH, and a mailbox holds one message at most.
        assert bool(made.flags[slot[j, i]] & FRESH_AT_NEIGHBOUR) == bool(made.flags[k] & FRESH)
        assert not (made.flags[k] & FRESH and made.flags[k] & OLDER)


PAIRS = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda p: p[0] < p[1]))


@settings(deadline=None)
@given(PAIRS, PAIRS, st.data())
def test_any_mailbox_stays_with_any_link(before: Any, after: Any, data: Any) -> None:
    made = Moved(8, sorted(before))
    slot = slots_of(made.links)
    for (i, j), k in slot.items():
        box = data.draw(st.sampled_from([EMPTY, LATEST, 100 + k]))
        made.links.flags[k] |= {EMPTY: 0, LATEST: FRESH}.get(box, OLDER)
        made.links.pool_index[k] = max(box, 0)
        if box == LATEST:
            made.links.flags[slot[j, i]] |= FRESH_AT_NEIGHBOUR
        if data.draw(st.booleans()):
            made.links.flags[k] |= IN_FLIGHT
            made.links.in_flight[k] = 200 + k
    held_before = contents(made.links)
    made.link(data.draw(st.permutations(sorted(after))))
    check_both_ends(made.links)
    held_after = contents(made.links)
    assert held_after.keys() == {*after, *((j, i) for i, j in after)}
    for link, content in held_after.items():
        assert content == held_before.get(link, NOTHING)
    gone = [content for link, content in held_before.items() if link not in held_after]
    assert made.released == sorted(
        entry for box, _, flying in gone for entry in (box, flying) if entry >= 0)
    assert made.counts[DEPARTED] == sum(box != EMPTY for box, *_ in gone)
    assert made.counts[UNDELIVERED] == sum(flying != EMPTY for *_, flying in gone)


@pytest.mark.parametrize('tick', [0.1, 0.25, 1 / 3, 1.0])
def test_rows_are_rebuilt_before_an_unlisted_device_is_in_range(tick: float) -> None:
    # The skin is 4 m: two devices that approach each other at 1 m/s cross it in 2 s. The rounding
    # of a sum of many ticks must not allow one step more.
    stage = begun(scene(motion={**WALK, 'speed': 1, 'tick': tick}, messages={'range': 10}))
    network = stage.network
    now = 0.0
    for _ in range(500):
        stage._rebuild(now)
        time, steps = now, 0
        while time < network.lists.rebuild_at[0]:
            time += tick
            steps += 1
        assert steps == np.floor(2.0 / tick + 1e-9)
        now += tick
