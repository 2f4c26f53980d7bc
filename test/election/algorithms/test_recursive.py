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

"""The trivial recursive election: what it comes to when started, and what it never forgets."""

from math import inf

from election.algorithms.networks import graphs, links, STRENGTHS
from election.algorithms.simulate import falling_line, led, Network, shuffled
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import Device, RECURSIVE
from leader_election.election.algorithms.recursive import LEVELS, nearest, RecursiveParameters
from leader_election.swarm.reference_partition import partition
import pytest


@pytest.mark.parametrize('lengths, hops, expected', [
    # Of equal distances the first, whatever its hops.
    ([3.0, 3.0], [1, 4], (3.0, 2)),
    # At the limit of 5 hops a candidacy ends.
    ([3.0, 2.0], [1, 5], (3.0, 2)),
    ([], [], (inf, 0)),
])
def test_distance_is_over_the_first_of_the_nearest_neighbours(lengths, hops, expected):
    nobody = [0] * len(lengths)
    assert nearest(0, nobody, [(0.0,)] * len(lengths), list(zip(hops)), lengths, 5) == expected


def test_device_that_leads_itself_has_no_hops():
    device, parameters = Device(1, 5.0), RecursiveParameters(3.0, 7)
    assert parameters.hop_limit == 7
    found = RECURSIVE.compute(device, RECURSIVE.start(device), [], [], parameters)
    assert (found.leader, found.best_hops) == (1, (0,) * LEVELS)


def test_first_rounds_spread_one_level_only():
    """
    On the line 1 (strength 5) --3 m-- 2 (strength 9) all rounds are simultaneous.

    In the first round nobody takes part in the gossip, in the second each device announces
    itself, and in the third 1 knows 2. Level 1 stays empty.
    """
    network = Network(RECURSIVE, links((1, 2, 3.0)), {1: 5.0, 2: 9.0}, RecursiveParameters(3.0))
    rounds = []
    for _ in range(3):
        network.lockstep()
        rounds.append([(state.leader, state.best[0], state.best_distance[0])
                       for state in network.states.values()])
        assert all(state.best[1] == -1 and state.depth == 0 for state in network.states.values())
    assert rounds == [[(1, -1, 0.0), (2, -1, 0.0)], [(1, 1, 0.0), (2, 2, 0.0)],
                      [(2, 2, 3.0), (2, 2, 0.0)]]


def test_devices_of_the_last_level_lead_themselves():
    """With a radius of 1 m each of the other levels takes two devices."""
    network = falling_line(RECURSIVE, RecursiveParameters(1.0))
    assert led(network) == {i: (i // 2 * 2, float(i % 2)) if i < 2 * (LEVELS - 1) else (i, 0.0)
                            for i in network.graph}
    assert {len(state.best) for state in network.states.values()} == {LEVELS}
    assert max(state.depth for state in network.states.values()) == LEVELS - 1


@given(graphs(most=LEVELS - 1), st.integers(0, 80), st.integers(0, 2**32), st.data())
def test_fresh_start_ends_in_the_partition_of_bounded_election(
        graph, eighths, seed, data):
    strengths = {i: data.draw(STRENGTHS) for i in graph}
    network = Network(RECURSIVE, graph, strengths, RecursiveParameters(eighths / 8))
    sweep = shuffled(network, seed)
    for _ in range(100):
        sweep()
    assert led(network) == {
        i: found[:2] for i, found in partition(graph, strengths, eighths / 8, 'id').items()}
