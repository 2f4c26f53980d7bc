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

"""The shared clock of recursive-replicated: it comes to unison from any state, and ticks on."""

from collections.abc import Mapping
import random

from benchmarks.explicit_clocks import bound, check
from benchmarks.explicit_states import graphs
from budget import examples
from election.algorithms.networks import graphs as drawn_graphs
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.algorithms.replicated import MOST_TICKS, ticked
import pytest

CLOCKS = st.integers(0, 4) | st.sampled_from(
    [2**31 - 1, 2**31, 2**31 + 1, 2**32, 3 * 2**31, MOST_TICKS - 1000])


@pytest.mark.parametrize('nodes', [1, 2, 3, 4])
def test_clocks_of_every_small_network_agree_in_lockstep(nodes):
    assert max(check(graph).rounds for graph in graphs(nodes, 'one')) <= bound(nodes)


@pytest.mark.parametrize('clocks', [(0, 1, 2), (0, 1, 2**31 + 1)])
def test_ring_of_different_clocks_agrees_within_the_bound(clocks):
    ring = {i: {(i - 2) % 5 + 1: 1.0, i % 5 + 1: 1.0} for i in range(1, 6)}
    assert check(ring, clocks).rounds <= bound(5)


@settings(max_examples=examples(25), deadline=None)
@given(drawn_graphs(most=10), st.data())
def test_clocks_agree_and_tick_on_in_any_order_with_losses(graph, data):
    """
    In epochs of rounds in any order with 40 % loss, after as many epochs as there are devices.

    From then on neighbours' times differ by one round at most, and all clocks tick on. The step
    from the last number to 0 is tested above.
    """
    period = data.draw(st.integers(1, 5))
    since = st.integers(-1, 6)
    times = {i: (data.draw(CLOCKS), data.draw(since)) for i in graph}
    known = {i: {j: (data.draw(CLOCKS), data.draw(since)) for j in graph[i]} for i in graph}
    draw = random.Random(data.draw(st.integers(0, 2**32)))

    def epoch() -> None:
        waiting = {(i, j) for i in graph for j in graph[i]} | {(i, i) for i in graph}
        while waiting:
            i = draw.choice(sorted(graph))
            clocks, rounds = zip(*known[i].values()) if known[i] else ((), ())
            times[i] = ticked(*times[i], clocks, rounds, len(clocks), period, False)
            waiting.discard((i, i))
            for j in graph[i]:
                if draw.random() < 0.6:
                    known[j][i] = times[i]
                    waiting.discard((i, j))

    for _ in range(len(graph) + 1):
        epoch()
    before = least(times, known, period)
    for _ in range(3 * period):
        epoch()
        for i in graph:
            for j in graph[i]:
                assert abs(in_rounds(times[i], period) - in_rounds(times[j], period)) <= 1
    # A device may be ahead by as many rounds as the diameter; the last one goes on in each epoch.
    assert least(times, known, period) >= before + 3 * period


def least(times: Mapping[int, tuple[int, int]],
          known: Mapping[int, Mapping[int, tuple[int, int]]], period: int) -> int:
    """Return the least time of a device, or that a neighbour knows of one [rounds]."""
    return min(in_rounds(time, period)
               for row in (times, *known.values()) for time in row.values())


def in_rounds(time: tuple[int, int], period: int) -> int:
    return time[0] * period + time[1]
