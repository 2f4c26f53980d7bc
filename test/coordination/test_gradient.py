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
"""G is the distance to the nearest source, from any start; what is told comes from there."""

import math
import random
from typing import NamedTuple

from algorithms.networks import graphs, LENGTHS, links
from algorithms.simulate import led, Network
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from leader_election.algorithms import Algorithm
from leader_election.coordination.gradient import cast, gradient, ITSELF
import networkx
import pytest


class Heard(NamedTuple):
    """What a device knows of the nearest source: its id as ``leader``, and how far it is."""

    leader: int
    distance: float


class Heards(NamedTuple):
    leader: list[int]
    distance: list[float]


def nearest_source(device, before, neighbours, metric, parameters):
    """Let who has a strength be a source, and tell its id."""
    distance, parent = gradient(device.strength > 0.0, neighbours.distance, metric)
    return Heard(cast(parent, device.id, neighbours.leader), distance)


GRADIENT = Algorithm(name='gradient', round=nearest_source, state=Heard, columns=Heards,
                     start=lambda device: Heard(device.id, math.inf), configure=tuple)


@pytest.mark.parametrize(('source', 'potential', 'metric', 'expected'), [
    (False, [], [], (math.inf, ITSELF)),
    (True, [], [], (0.0, ITSELF)),
    (False, [math.inf], [1.0], (math.inf, ITSELF)),
    (False, [1.0, 2.0], [4.0, 1.0], (3.0, 1)),
    # Of two ways as long the first is taken.
    (False, [1.0, 2.0], [2.0, 1.0], (3.0, 0)),
    # A distance below zero cannot be; not a number is none.
    (False, [-5.0, 2.0], [4.0, 1.0], (3.0, 1)),
    (False, [math.nan, 2.0], [4.0, 1.0], (3.0, 1)),
    # There may be more columns than neighbours.
    (False, [2.0, 0.0], [1.0], (3.0, 0)),
])
def test_gradient(source, potential, metric, expected):
    assert gradient(source, potential, metric) == expected


def test_along_a_line():
    """1 --1 m-- 2 --2 m-- 3 --1 m-- 4, the source at 1: news goes a link in each round."""
    line = links((1, 2, 1.0), (2, 3, 2.0), (3, 4, 1.0))
    network = Network(GRADIENT, line, {1: 1.0, 2: 0.0, 3: 0.0, 4: 0.0}, ())
    far = [(1, 0.0), (1, 1.0), (1, 3.0), (1, 4.0)]
    alone = [(i, math.inf) for i in (1, 2, 3, 4)]
    for n in range(1, 6):
        network.lockstep()
        assert list(led(network).values()) == far[:n] + alone[n:]


def test_a_source_that_is_gone_is_left_behind():
    """2 and 3, 2 m apart, tell each other of 1 when it is gone, each time 2 m farther away."""
    network = Network(GRADIENT, links((1, 2, 1.0), (2, 3, 2.0)), {1: 1.0, 2: 0.0, 3: 0.0}, ())
    network.sweep([1, 2, 3])
    network.remove(1)
    found = []
    for _ in range(3):
        network.lockstep()
        found.append([state.distance for state in network.states.values()])
    assert found == [[5.0, 3.0], [5.0, 7.0], [9.0, 7.0]]


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs(), st.data(), st.integers(0, 2 ** 32))
def test_is_dijkstra_from_any_start(graph, data, seed):
    sources = data.draw(st.sets(st.sampled_from(sorted(graph)), min_size=1))
    network = Network(GRADIENT, graph, {i: float(i in sources) for i in graph}, ())
    lies = st.builds(Heard, st.integers(-1, 40),
                     st.just(0.0) | LENGTHS | st.just(math.inf) | st.floats(-1e300, 1e300))
    for i in graph:
        network.states[i] = data.draw(lies)
        network.mailboxes[i] = {j: data.draw(lies) for j in graph[i]}

    drawn = networkx.Graph()
    drawn.add_nodes_from(graph)
    drawn.add_weighted_edges_from((i, j, far) for i in graph for j, far in graph[i].items())
    expected = networkx.multi_source_dijkstra_path_length(drawn, sources)
    # What is too near grows by the shortest link at least with each sweep, until it is too far;
    # what is too far ends when the source's own news has come down the shortest way.
    shortest = min((far for row in graph.values() for far in row.values()), default=math.inf)
    order, rng = sorted(graph), random.Random(seed)
    for _ in range(math.ceil(max(expected.values()) / shortest) + len(graph) + 1):
        rng.shuffle(order)
        network.sweep(order)
    assert {i: state.distance for i, state in network.states.items()} == expected
    for state in network.states.values():
        assert state.leader in sources
