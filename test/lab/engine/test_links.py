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

"""Links: the right pairs wherever devices are, and mailboxes that stay with their link."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from lab.simulations import begun, held, rounds, scene, slots, WALK
from leader_election.lab.engine import DONE, larger_links, Links, links, rebuild
from leader_election.lab.engine.links import count_pairs, EMPTY, FRESH, NONE, pairs_within, relink
import numpy as np
from numpy.typing import NDArray
import pytest

ROOM = 20_000


def found(position: Any, reach: float, present: Any = None, group: Any = None,
          among: Any = None) -> set[tuple[int, int]]:
    """Return what the engine finds, each pair in order; none may come twice."""
    position = np.asarray(position, float).reshape(-1, 2)
    first, second = np.empty(ROOM, np.int32), np.empty(ROOM, np.int32)
    count = pairs_within(
        position, np.ones(len(position), bool) if present is None else np.array(present),
        np.zeros(len(position), np.int32) if group is None else np.array(group, np.int32),
        np.ones(len(position), bool) if among is None else np.array(among),
        reach, first, second)
    pairs = {(min(a, b), max(a, b)) for a, b in zip(first[:count].tolist(), second.tolist())}
    assert len(pairs) == count <= ROOM
    return pairs


def expected(position: Any, reach: float) -> set[tuple[int, int]]:
    """Return all pairs that are within reach, one by one."""
    apart = np.asarray(position, float)[:, np.newaxis] - np.asarray(position, float)
    near = (apart**2).sum(axis=2) <= reach * reach
    return {(i, j) for i, j in np.argwhere(near).tolist() if i < j}


def test_a_pair_at_the_very_range_is_one() -> None:
    # A triangle of sides 3, 4 and 5 m, and a fourth device 5.1 m from the nearest.
    triangle = [[0, 0], [3, 0], [3, 4], [8.1, 4]]
    assert found(triangle, 5.0) == {(0, 1), (1, 2), (0, 2)}
    assert found(triangle, 4.9) == {(0, 1), (1, 2)}
    assert found(triangle, 2.9) == set()


def test_only_of_those_who_are_there_and_of_one_group() -> None:
    spot = [[1.0, 1.0]] * 4
    assert found(spot, 1.0) == {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert found(spot, 1.0, present=[True, False, True, True]) == {(0, 2), (0, 3), (2, 3)}
    assert found(spot, 1.0, group=[0, 1, 0, 1]) == {(0, 2), (1, 3)}
    assert found(spot, 1.0, present=[False] * 4) == set()


def test_two_who_are_not_among_others_do_not_hear_each_other() -> None:
    # 0 and 2 hear only 1 and 3, who hear all.
    spot = [[1.0, 1.0]] * 4
    assert found(spot, 1.0, among=[False, True, False, True]) == {
        (0, 1), (0, 3), (1, 2), (1, 3), (2, 3)}
    assert found(spot, 1.0, among=[False] * 4) == set()


@pytest.mark.parametrize('position', [
    np.zeros((40, 2)),
    [[5.0, 5.0]],
    np.stack([np.arange(50.0), np.zeros(50)], axis=1),
    np.stack([np.zeros(50), -3.0 * np.arange(50.0)], axis=1),
    np.stack([np.linspace(-1e9, 1e9, 50), np.zeros(50)], axis=1),
    np.concatenate([np.zeros((20, 2)), [[1e9, 1e9]], -np.ones((20, 2))]),
], ids=['one spot', 'one device', 'row', 'column', 'far', 'two spots'])
@pytest.mark.parametrize('reach', [1e-6, 0.999, 1.0, 1.5, 7.0, 1e8, 1e10])
def test_degenerate_places(position: Any, reach: float) -> None:
    assert found(position, reach) == expected(position, reach)


@settings(deadline=None)
@given(st.integers(2, 60), st.sampled_from([0.1, 0.2, 0.3, 0.7, 1 / 3, 1.1]), st.integers(1, 3),
       st.sampled_from([0.0, 0.1, -3.3, 1e6]))
def test_lattices_as_wide_as_the_reach(n: int, step: float, times: int, origin: float) -> None:
    # Whether they reach each other is a matter of the last digit; of cells it must not be one.
    position = np.stack([origin + np.arange(n) * step, np.zeros(n)], axis=1)
    assert found(position, times * step) == expected(position, times * step)
    assert found(position[:, ::-1], times * step) == expected(position, times * step)


def test_a_lattice_of_thirds() -> None:
    # Found by trying: the two are 1 m apart, and were put two cells of 1 m apart.
    position = np.stack([0.1 + np.arange(34) / 3, np.zeros(34)], axis=1)
    assert (12, 15) in found(position, 1.0)


@pytest.mark.parametrize('reach', [1.5, 4.0, 7.0])
@pytest.mark.parametrize('size', [(100, 100), (1000, 5), (5, 1000), (30, 300)])
def test_many_devices_in_many_cells(size: tuple[float, float], reach: float) -> None:
    for seed in range(5):
        position = np.random.default_rng(seed).uniform(-0.5, 0.5, (300, 2)) * size
        assert found(position, reach) == expected(position, reach)


COORDINATE = st.integers(-6, 6).map(float) | st.floats(-1e3, 1e3)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=50),
       st.sampled_from([0.5, 1.0, 2.0, 5.0, 100.0, 5000.0]))
def test_random_places(position: Any, reach: float) -> None:
    assert found(position, reach) == expected(position, reach)


def test_says_how_many_where_there_is_no_room() -> None:
    first, second = np.full(3, -7, np.int32), np.full(3, -7, np.int32)
    spot, all_of_them = np.zeros((5, 2)), np.ones(5, bool)
    count = pairs_within(spot, all_of_them, np.zeros(5, np.int32), all_of_them, 1.0, first,
                         second)
    # Of 5 * 4 / 2 three are written.
    assert (count, sum(first >= 0), sum(second >= 0)) == (10, 3, 3)


def linked(n: int, pairs: Any, room: int, flights: bool = False) -> Links:
    """Return links of these pairs, with nothing in the mailboxes."""
    made = links(n, room, flights)
    link(made, pairs)
    return made


def link(made: Links, pairs: Any) -> Links:
    """Make the rows anew; return the old ones."""
    array: NDArray[np.int32] = np.array(pairs, np.int32).reshape(-1, 2)
    n = len(made.start) - 1
    degree = np.empty(n, np.int32)
    first, second = array[:, 0].copy(), array[:, 1].copy()
    longest = count_pairs(first, second, len(array), degree)
    assert longest == max(np.bincount(array.ravel(), minlength=n))
    spare = links(n, len(made.box), len(made.flight) > 0)
    relink(made, first, second, len(array), degree, spare)
    return spare


def contents(made: Links) -> dict[tuple[int, int], tuple[int, bool, int]]:
    """Return box, told and the first in flight of each link, by receiver and sender."""
    return {(i, int(made.neighbour[k])): (
        int(made.box[k]), bool(made.told[k]), int(made.flight[k, 0]) if len(made.flight) else NONE)
        for i in range(len(made.start) - 1) for k in range(made.start[i], made.start[i + 1])}


def check_mirrors(made: Links) -> None:
    for i in range(len(made.start) - 1):
        for k in range(made.start[i], made.start[i + 1]):
            back = made.mirror[k]
            assert made.mirror[back] == k
            j = made.neighbour[k]
            assert made.start[j] <= back < made.start[j + 1] and made.neighbour[back] == i
            # The sender knows that its last message is there.
            assert made.told[back] == (made.box[k] == FRESH)


def test_a_mailbox_stays_with_its_link() -> None:
    # A triangle 0, 1, 2, of which 1 to 2 goes and 0 to 3 comes.
    made = linked(4, [[0, 1], [0, 2], [1, 2]], 8, flights=True)
    slot = {(i, int(made.neighbour[k])): k for i in range(4)
            for k in range(made.start[i], made.start[i + 1])}
    made.box[slot[0, 1]], made.told[slot[1, 0]] = FRESH, True
    made.box[slot[2, 1]] = 5
    made.box[slot[2, 0]], made.flight[slot[2, 0]] = 6, [7, 7]
    check_mirrors(made)
    old = link(made, [[0, 3], [2, 0], [1, 0]])
    nothing = (EMPTY, False, NONE)
    assert contents(made) == {
        (0, 1): (FRESH, False, NONE), (1, 0): (EMPTY, True, NONE), (0, 2): nothing,
        (2, 0): (6, False, 7), (0, 3): nothing, (3, 0): nothing}
    check_mirrors(made)
    # What is left over is what the link that is gone held.
    assert [box for box in old.box.tolist() if box != EMPTY] == [5]
    assert np.all(old.flight == NONE)


PAIRS = st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda p: p[0] < p[1]))


@settings(deadline=None)
@given(PAIRS, PAIRS, st.data())
def test_any_mailbox_stays_with_any_link(before: Any, after: Any, data: Any) -> None:
    made = linked(8, sorted(before), 60, flights=True)
    for k in range(2 * len(before)):
        made.box[k] = data.draw(st.sampled_from([EMPTY, FRESH, 100 + k]))
        made.told[made.mirror[k]] = made.box[k] == FRESH
        made.flight[k] = data.draw(st.sampled_from([NONE, 200 + k]))
    held_before = contents(made)
    old = link(made, data.draw(st.permutations(sorted(after))))
    check_mirrors(made)
    held_after = contents(made)
    kept = before & after
    assert held_after.keys() == {*after, *((j, i) for i, j in after)}
    nothing = (EMPTY, False, NONE)
    for (i, j), content in held_after.items():
        stays = (i, j) in kept or (j, i) in kept
        assert content == (held_before[i, j] if stays else nothing)
    gone = [content for (i, j), content in held_before.items()
            if (i, j) not in kept and (j, i) not in kept]
    assert (sorted(box for box in old.box.tolist() if box != EMPTY)
            == sorted(box for box, _, _ in gone if box != EMPTY))
    assert (sorted(place for place in old.flight[:, 0].tolist() if place != NONE)
            == sorted(place for _, _, place in gone if place != NONE))


def test_more_room_holds_the_same() -> None:
    made = linked(3, [[0, 1], [1, 2]], 4)
    made.box[2] = 9
    larger = larger_links(made, 2)
    assert len(larger.box) >= 2 * len(made.box)
    assert contents(larger) == contents(made)


@pytest.mark.parametrize('speed', [0.5, 4, 30])
def test_rows_hold_all_in_range_at_every_round(speed: float) -> None:
    stage = begun(scene(motion={**WALK, 'speed': speed}))
    for i, now in rounds(stage, 30.0):
        row = {sender for receiver, sender, _ in slots(stage.network) if receiver == i}
        near = {j for pair in expected(stage.network.devices.position, 25.0) if i in pair
                for j in pair if j != i}
        assert near <= row, f'device {i} at {now} s'
        check_mirrors(stage.network.links)
        assert {sender for receiver, sender in held(stage.network, stage.entrant.algorithm)
                if receiver == i} <= near


@pytest.mark.parametrize('tick', [0.1, 0.25, 1 / 3, 1.0])
def test_rows_are_made_anew_before_anybody_is_near_unseen(tick: float) -> None:
    # Rows look 4 m beyond the range of 10 m: two who walk towards each other at 1 m/s may walk
    # for 2 s, and not for a step more because the sum of many ticks has been rounded down.
    stage = begun(scene(motion={**WALK, 'speed': 1, 'tick': tick}, messages={'range': 10}))
    network = stage.network
    now = 0.0
    for _ in range(500):
        assert rebuild(network, stage._medium(), now) == DONE
        time, steps = now, 0
        while time < network.lists.due[0]:
            time += tick
            steps += 1
        assert steps == np.floor(2.0 / tick + 1e-9)
        now += tick
