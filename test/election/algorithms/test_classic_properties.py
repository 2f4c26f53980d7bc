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

"""Sparse choice comes to rest from anything where rounds follow one another, and how it rests."""

from math import inf
import random
from typing import Any

from budget import examples
from election.algorithms.networks import graphs, LENGTHS, STRENGTHS
from election.algorithms.oracle import reach
from election.algorithms.simulate import led, Network
from election.algorithms.states import states
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import CLASSIC
from leader_election.election.algorithms.classic import configure

SWEEPS = 100
"""No bound is known; of 2000 networks drawn none needed more than 26."""


@st.composite
def networks(draw):
    """Draw a network with every state and every mailbox corrupted."""
    graph = draw(graphs())
    network = Network(CLASSIC, graph, {i: draw(STRENGTHS) for i in graph},
                      configure(draw(st.integers(1, 80)) / 8))
    # Of a few states, so that the same lie is told from several sides.
    lies = draw(st.lists(states(
        CLASSIC, ids=st.integers(0, len(graph) + 3), whole=st.integers(-1, len(graph) + 3),
        real=st.just(0.0) | LENGTHS | st.floats(-1e300, 1e300)), min_size=1, max_size=6))
    for i in graph:
        network.states[i] = draw(st.sampled_from(lies))
        for j in graph[i]:
            network.mailboxes[i][j] = draw(st.sampled_from(lies))
    return network


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(networks(), st.integers(0, 2**32))
def test_comes_to_rest_with_all_led_by_the_nearest_leader(network, seed):
    order, rng = sorted(network.graph), random.Random(seed)
    before: dict[int, Any] = {}
    sweeps = 0
    while network.states != before:
        assert sweeps < SWEEPS, 'no rest'
        before = dict(network.states)
        for _ in range(2):
            rng.shuffle(order)
            network.sweep(order)
        sweeps += 2

    graph, radius = network.graph, network.parameters.radius
    leaders = sorted(i for i, state in before.items() if (state.lead_value, state.lead) == (
        -network.devices[i].strength, i))
    nearest = {i: found[:2] for i, found in reach(graph, set(graph), leaders, radius).items()}
    assert led(network) == nearest, 'all there are, within the radius, by the nearest'
    for state in before.values():
        assert state.lead_distance == state.distance
        if state.distance >= radius / 2:
            assert state.lead_value == inf, 'in the outer half nobody is backed'
        else:
            assert state.lead_value < inf, 'in the inner half somebody is'
    for i in leaders:
        assert all(j not in leaders or length >= radius / 2 for j, length in graph[i].items())
