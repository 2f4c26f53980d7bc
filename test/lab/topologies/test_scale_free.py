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

"""The scale-free tree and its force-directed layout."""

from hypothesis import given
from hypothesis import strategies as st
from leader_election.lab.topologies import SCALE_FREE
from leader_election.lab.topologies.scale_free import forces, settle, sprout
from leader_election.parameters import build
import networkx as nx
import numpy as np
import pytest
from scipy.optimize import brentq


def lay_out(places, pairs):
    return settle(np.array(places, float), np.array(pairs, np.int32))


def test_a_line_of_three_by_hand():
    """
    The two outer ones come to rest at a distance d from the one in the middle.

    There the spring pulls by 0.6 (d - 1), and the others push by 0.024 / d^2 and 0.024 / (2 d)^2.
    The middle one has as much from either side, and stays.
    """
    at_rest = brentq(lambda d: 0.6 * (d - 1) - 0.024 / d**2 - 0.024 / (2 * d)**2, 1, 2)
    position = lay_out([[-3, 0], [0, 0], [3, 0]], [[0, 1], [1, 2]])
    assert position == pytest.approx(np.array([[-at_rest, 0], [0, 0], [at_rest, 0]]), abs=1e-5)


def test_a_square_by_hand():
    """
    A ring of four rests as a square of side s.

    Each has two springs, each at half the strength for that, and along the diagonal they add up to
    0.6 (s - 1) / sqrt(2) each way; its neighbours push by 0.024 / s^2 sqrt(2) that way, the one
    across by 0.024 / (2 s^2).
    """
    side = brentq(lambda s: 0.6 * (s - 1) / 2**0.5
                  - 0.024 / s**2 * 2**0.5 - 0.024 / (2 * s**2), 1, 2)
    position = lay_out([[2, 1], [-1, 1], [-1, -1.5], [1, -1]], [[0, 1], [1, 2], [2, 3], [0, 3]])
    sides = np.hypot(*(position - np.roll(position, -1, axis=0)).T)
    assert sides == pytest.approx(np.full(4, side), abs=1e-4)
    assert np.hypot(*(position[0] - position[2])) == pytest.approx(side * 2**0.5, abs=1e-4)


@given(st.integers(2, 12), st.integers(0, 999))
def test_the_forces_are_as_documented(count, seed):
    """Of any small graph, node by node and force by force."""
    random = np.random.default_rng(seed)
    pairs = [(i, j) for j in range(count) for i in range(j) if random.random() < 0.3 or j == i + 1]
    position = random.uniform(-3, 3, (count, 2)).astype(np.float32)
    links = np.bincount(np.array(pairs).ravel())
    x, y, strength = np.ones((3, count), np.float32)
    forces(*position.T.copy(), np.array(pairs, np.int32), links.astype(np.float32), x, y, strength)
    for i in range(count):
        wanted, strong = np.zeros(2), 0.0
        for j in set(range(count)) - {i}:
            away = (position[i] - position[j]).astype(float)
            far = np.hypot(*away)
            push = 0.024 / max(far, 1.0) ** 2
            wanted += away / far * push
            strong += push
            if (i, j) in pairs or (j, i) in pairs:
                wanted -= away / far * 0.06 * (far - 1) / (0.1 * links[i])
                strong += 0.06 * (far - 1)
        assert (x[i], y[i]) == pytest.approx(wanted, rel=1e-4, abs=1e-5)
        assert strength[i] == pytest.approx(strong, rel=1e-4, abs=1e-5)


def place(count, edge_length, seed=0):
    parameters = build(SCALE_FREE.parameters, {'count': count, 'edge_length': edge_length})
    return SCALE_FREE.place(parameters, np.random.default_rng(seed))


def test_initial_positions_are_near_linked_devices():
    """0 - 1 - 3 and 1 - 2: each is off its earlier neighbour by at most 1 each way."""
    pairs = np.array([[0, 1], [1, 2], [1, 3]], np.int32)
    position = sprout(pairs, np.random.default_rng(0))
    assert np.all(np.abs(position[pairs[:, 0]] - position[pairs[:, 1]]) <= 1)
    assert len(np.unique(position, axis=0)) == 4


@pytest.mark.parametrize('seed', [0, 1])
def test_the_degrees_are_those_of_preferential_attachment(seed):
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


def test_lengths_scale_with_the_edge_length():
    """Two devices: their d is where 0.6 (d - 1) = 0.024 / d^2."""
    apart = np.hypot(*np.diff(place(2, 5.0).position, axis=0)[0])
    assert apart == pytest.approx(5 * 1.03718, rel=1e-5)


def test_the_same_seed_gives_the_same_tree_and_places():
    first, second, other = place(50, 1.0), place(50, 1.0), place(50, 1.0, seed=1)
    assert np.array_equal(first.pairs, second.pairs)
    assert np.array_equal(first.position, second.position)
    assert not np.array_equal(first.pairs, other.pairs)
