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

"""The layout by springs."""

from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.lab.topologies.springs import settle
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


@given(st.integers(2, 12), st.integers(0, 99))
@settings(max_examples=30)
def test_at_rest_forces_are_next_to_nothing(count, seed):
    """Of any small tree: what is left of the sum of forces on each, computed one by one."""
    random = np.random.default_rng(seed)
    parents = [int(random.integers(0, i)) for i in range(1, count)]
    pairs = [(parent, i) for i, parent in enumerate(parents, 1)]
    position = lay_out(random.uniform(-3, 3, (count, 2)), pairs)
    links = np.bincount(np.array(pairs).ravel())
    for i in range(count):
        force = np.zeros(2)
        for j in range(count):
            if i != j:
                away = position[i] - position[j]
                far = np.hypot(*away)
                force += away / far * 0.024 / max(far, 1.0) ** 2
                if (i, j) in pairs or (j, i) in pairs:
                    force -= away / far * 0.6 * (far - 1) / links[i]
        assert np.hypot(*force) < 0.02
