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

"""Uniform placement: within its rectangle, and connected on request."""

from hypothesis import given
from hypothesis import strategies as st
from leader_election.lab.topologies import UNIFORM
from leader_election.lab.topologies.topology import connected
from leader_election.parameters import build, ParameterError
import networkx as nx
import numpy as np
import pytest
from scipy.stats import kstest

BOX = {'low': [10, 20], 'high': [30, 25]}


def place(values, seed=0):
    return UNIFORM.place(build(UNIFORM.parameters, values), np.random.default_rng(seed))


def test_positions_are_uniform_and_match_the_fractions():
    placement = place({'count': 2000, **BOX})
    x, y = placement.position.T
    assert kstest(x, 'uniform', (10, 20)).pvalue > 0.01
    assert kstest(y, 'uniform', (20, 5)).pvalue > 0.01
    assert np.array_equal(placement.position, [10, 20] + placement.fraction * [20, 5])
    assert placement.pairs is None


def test_the_same_seed_gives_the_same_places():
    assert np.array_equal(place({'count': 9, **BOX}).position, place({'count': 9, **BOX}).position)


def test_placement_is_drawn_again_until_connected():
    """With seed 1 the first draw of 12 devices is in parts, and so another one is taken."""
    values = {'count': 12, **BOX, 'range': 4.0}
    assert not connected(place(values, 1).position, 4.0)
    found = place({**values, 'connected': True}, 1)
    assert connected(found.position, 4.0)
    assert np.array_equal(found.position, [10, 20] + found.fraction * [20, 5])


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 2), min_size=1, max_size=12), st.integers(1, 4))
def test_connected_agrees_with_networkx(places, reach):
    graph = nx.Graph()
    graph.add_nodes_from(range(len(places)))
    graph.add_edges_from(
        (i, j) for i, a in enumerate(places) for j, b in enumerate(places)
        if (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 <= reach ** 2)
    assert connected(np.array(places, float), float(reach)) == nx.is_connected(graph)


@pytest.mark.parametrize(('values', 'named'), [
    (BOX, 'count'),
    ({'count': 3, 'low': [0, 0]}, 'high'),
    ({'count': 3, 'low': [0, 5], 'high': [9, 4]}, 'low'),
    ({'count': 3, **BOX, 'connected': True}, 'range'),
    ({'count': 3, **BOX, 'connected': True, 'range': 1e-3}, 'connected: of 1000 draws'),
])
def test_invalid_parameters_are_refused(values, named):
    with pytest.raises(ParameterError, match=f'parameter {named}'):
        place(values)
