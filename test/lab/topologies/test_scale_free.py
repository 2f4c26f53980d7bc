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

"""Scale-free trees."""

from leader_election.lab.topologies import SCALE_FREE
from leader_election.lab.topologies.scale_free import sprout
from leader_election.parameters import build
import networkx as nx
import numpy as np
import pytest


def place(count, edge_length, seed=0):
    parameters = build(SCALE_FREE.parameters, {'count': count, 'edge_length': edge_length})
    return SCALE_FREE.place(parameters, np.random.default_rng(seed))


def test_a_first_place_is_near_the_one_linked_to():
    """0 - 1 - 3 and 1 - 2: each is off its earlier neighbour by at most 1 each way."""
    pairs = np.array([[0, 1], [1, 2], [1, 3]], np.int32)
    position = sprout(pairs, np.random.default_rng(0))
    assert np.all(np.abs(position[pairs[:, 0]] - position[pairs[:, 1]]) <= 1)
    assert len(np.unique(position, axis=0)) == 4


@pytest.mark.parametrize('seed', [0, 1])
def test_it_is_a_tree_with_as_many_leaves_as_preferential_attachment_gives(seed):
    """
    In large trees 4 / (k (k + 1) (k + 2)) of the devices have k links.

    B. Bollobas et al., "The degree sequence of a scale-free random graph process", 2001: so 2/3
    have one link, and 1/6 two. Were links drawn uniformly instead, it would be 1/2 and 1/4.
    """
    placement = place(1000, 0.2, seed)
    tree = nx.Graph(placement.pairs.tolist())
    assert len(tree) == len(placement.position) == 1000 and nx.is_tree(tree)
    links = np.bincount([degree for _, degree in tree.degree]) / 1000
    assert links[1] == pytest.approx(2 / 3, abs=0.04)
    assert links[2] == pytest.approx(1 / 6, abs=0.04)


def test_lengths_go_with_the_natural_length():
    """Two devices: their d is where 0.6 (d - 1) = 0.024 / d^2."""
    apart = np.hypot(*np.diff(place(2, 5.0).position, axis=0)[0])
    assert apart == pytest.approx(5 * 1.03718, rel=1e-5)


def test_the_same_seed_gives_the_same_tree_and_places():
    first, second, other = place(50, 1.0), place(50, 1.0), place(50, 1.0, seed=1)
    assert np.array_equal(first.pairs, second.pairs)
    assert np.array_equal(first.position, second.position)
    assert not np.array_equal(first.pairs, other.pairs)
