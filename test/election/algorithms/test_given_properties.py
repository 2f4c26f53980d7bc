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

"""
Given leaders: the Voronoi partition of the graph, from any start, in any fair order, in time.

The bound, in sweeps (a round of each device). A candidacy counts a hop each time it is taken
over, and what is in a mailbox is a sweep old at most. So after ``hop_limit + 1`` sweeps all has
come from a leader over links of the graph: no distance is less than that of the shortest path.
From then on a device is right one sweep after the next one on its shortest path is, and a leader
is right at once: ``hop_limit + 1 + links`` sweeps, if the limit leaves room for these links.
"""

import math
import random

from budget import examples
from election.algorithms.networks import graphs, LENGTHS
from election.algorithms.simulate import Network
from election.algorithms.states import states
from hypothesis import event, given, HealthCheck, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import GIVEN
from leader_election.election.algorithms.given import configure
import pytest

networkx = pytest.importorskip('networkx')


@st.composite
def networks(draw):
    """Draw a network with every state and every mailbox corrupted, its leaders and radius."""
    graph = draw(graphs(most=20))
    leaders = draw(st.sets(st.sampled_from(sorted(graph)), max_size=5))
    radius = draw(st.just(math.inf) | st.integers(0, 80).map(lambda n: n / 8))
    parameters = configure(','.join(map(str, leaders)), radius, hop_limit=len(graph))
    network = Network(GIVEN, graph, dict.fromkeys(graph, 0.0), parameters)
    lies = draw(st.lists(states(GIVEN, ids=st.integers(0, len(graph) + 3),
                                whole=st.integers(0, 2 * len(graph)),
                                real=st.just(0.0) | LENGTHS), min_size=1, max_size=6))
    for i in graph:
        network.states[i] = draw(st.sampled_from(lies))
        for j in graph[i]:
            network.mailboxes[i][j] = draw(st.sampled_from(lies))
    return network, leaders, radius


def cells(graph, leaders, radius):
    """Return the leader and distance of each device, by an independent implementation."""
    weighted = networkx.Graph()
    weighted.add_nodes_from(graph)
    weighted.add_weighted_edges_from((i, j, w) for i in graph for j, w in graph[i].items())
    expected = {i: (i, math.inf) for i in graph}
    if not leaders:
        return expected
    far = {leader: networkx.single_source_dijkstra_path_length(weighted, leader)
           for leader in leaders}
    for cell, members in networkx.voronoi_cells(weighted, leaders).items():
        for i in members:
            nearest = min((far[leader][i], leader) for leader in leaders)
            assert nearest[0] == far[cell][i], 'the oracles differ'
            if nearest[0] <= radius:
                expected[i] = nearest[1], nearest[0]
    return expected


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(networks(), st.integers(0, 2**32), st.booleans())
def test_stabilises_to_the_voronoi_partition_within_the_bound(drawn, seed, lockstep):
    network, leaders, radius = drawn
    order, rng = sorted(network.graph), random.Random(seed)

    def sweep(times):
        for _ in range(times):
            if lockstep:
                network.lockstep()
            else:
                rng.shuffle(order)
                network.sweep(order)

    sweep(2 * len(network.graph) + 1)
    expected = cells(network.graph, leaders, radius)
    event(f'{len(leaders)} leaders')
    found = {i: (state.leader, state.distance) for i, state in network.states.items()}
    assert found == expected
    before = dict(network.states)
    sweep(3)
    assert network.states == before


@settings(max_examples=examples(20), deadline=None, suppress_health_check=list(HealthCheck))
@given(networks().filter(lambda drawn: len(drawn[1]) > 1), st.integers(0, 2**32))
def test_the_cell_of_a_failed_leader_goes_to_the_others(drawn, seed):
    network, leaders, radius = drawn
    order, rng = sorted(network.graph), random.Random(seed)
    network.sweep(order)
    failed = rng.choice(sorted(leaders))
    network.remove(failed)
    order.remove(failed)
    for _ in range(2 * len(network.graph) + 1):
        rng.shuffle(order)
        network.sweep(order)
    graph = {i: {j: w for j, w in row.items() if j != failed}
             for i, row in network.graph.items() if i != failed}
    found = {i: (state.leader, state.distance) for i, state in network.states.items()}
    # A failure may cut the network: a cell is computed in each of its parts.
    weighted = networkx.Graph()
    weighted.add_nodes_from(graph)
    weighted.add_weighted_edges_from((i, j, w) for i in graph for j, w in graph[i].items())
    for part in networkx.connected_components(weighted):
        inside = {i: graph[i] for i in part}
        assert {i: found[i] for i in part} == cells(inside, (leaders - {failed}) & part, radius)
