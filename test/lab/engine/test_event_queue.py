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

"""Event queues: rings and heaps."""

from hypothesis import given, settings
from hypothesis import strategies as st
from lab.simulations import begun, rounds, scene
from leader_election.lab.engine.event_queue import event_queue, sift_down
from numba import njit
import numpy as np

TIMES = st.lists(st.integers(0, 20).map(lambda n: n / 4), min_size=1, max_size=40)


@njit
def sift_first(order, time):  # type: ignore[no-untyped-def]
    sift_down(order, time)


def test_the_order_is_that_of_the_times() -> None:
    # Devices 1 and 3 are not in the queue; of equal times the lower index comes first.
    made = event_queue(np.array([3.0, 0.0, 1.0, 0.0, 1.0]), np.array([0, 2, 4]), True)
    assert made.order.tolist() == [2, 4, 0]
    assert (made.head.tolist(), made.ring) == ([0], True)


@given(TIMES)
def test_a_new_queue_is_a_heap(times: list[float]) -> None:
    order = event_queue(np.array(times), np.arange(len(times)), False).order.tolist()
    assert [times[i] for i in order] == sorted(times)
    assert sorted(order) == list(range(len(times)))


@settings(deadline=None)
@given(TIMES, st.data())
def test_the_first_of_the_heap_is_the_earliest(times: list[float], data: st.DataObject) -> None:
    time = np.array(times)
    order = event_queue(time, np.arange(len(times)), False).order
    for _ in range(15):
        first = order[0]
        assert time[first] == min(time)
        time[first] += data.draw(st.integers(0, 8)) / 4
        sift_first(order, time)
        assert sorted(order.tolist()) == list(range(len(times)))
    assert time[order[0]] == min(time)


def test_a_ring_repeats_its_order() -> None:
    scenario = scene(rounds={'period': 0.7})
    order = [i for i, _ in rounds(begun(scenario), 7.0)]
    times = [now for _, now in rounds(begun(scenario), 7.0)]
    # Ten periods of 14 devices, in the same order each time.
    assert len(order) == 140 and order == 10 * order[:14]
    assert sorted(order[:14]) == list(range(14))
    assert times == sorted(times)
    assert np.allclose(np.diff(np.reshape(times, (10, 14)), axis=0), 0.7, rtol=0, atol=1e-12)


def test_rounds_of_a_heap_are_in_order_of_time() -> None:
    scenario = scene(rounds={'spread': 0.9, 'jitter': 0.9})
    stage = begun(scenario)
    assert not stage.network.rounds.ring
    times = [now for _, now in rounds(stage, 30.0)]
    assert times == sorted(times) and len(set(times)) == len(times) > 300
