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

"""Algorithms with a region in their state, the strengths of roles, and numbers of levels."""

from math import inf
import pickle

from election.algorithms.simulate import falling_line, led
from leader_election.election.algorithms import ALGORITHMS, Device, RECURSIVE
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.recursive import RecursiveParameters
from leader_election.election.regions.region import (
    CANDIDATE,
    initial_region,
    Region,
    RegionSettings,
    RELAY,
    WORKER,
)
from leader_election_lab.simulation.variants import (
    coordinated,
    types_of,
    with_effective_strength,
    with_levels,
)
import pytest

BLANK = (0.0, inf, *[inf] * 6)
ROOM = RegionSettings(gossip_members=3, gossip_depth=4, feedback_gain=0.5, feedback_alpha=0.25)


def identity(settings=ROOM):
    return initial_region(
        settings, BLANK, BLANK, announcement_size=1, undecided=(inf,) * len(BLANK)
    )


@pytest.mark.parametrize('name', ALGORITHMS.names())
def test_every_algorithm_has_a_state_with_a_region(name):
    algorithm, types = coordinated(name, identity()), types_of(name)
    assert algorithm is coordinated(name, identity()) and types is types_of(name)
    state = algorithm.start(Device(7, 1.0))
    elected = ALGORITHMS.get(name).start(Device(7, 1.0))
    assert state == (*elected, *identity()._replace(device=7))
    assert pickle.loads(pickle.dumps(state)) == state, 'found again by its name'
    assert types.State._fields[-len(Region._fields):] == Region._fields


def test_worker_and_relay_are_barred_by_their_effective_strength():
    assert with_effective_strength(Device(3, 7.0), CANDIDATE) == Device(3, 7.0)
    assert (
        with_effective_strength(Device(3, 7.0), WORKER)
        == with_effective_strength(Device(3, -7.0), RELAY)
        == Device(3, BARRED)
    )
    assert BARRED < -1e300


@pytest.mark.parametrize('levels', [2, 40])
def test_number_of_levels_limits_the_leaders_found(levels):
    """With a radius of 1 m a level takes two devices. Those of the last level lead themselves."""
    algorithm = with_levels(RECURSIVE, levels)
    assert algorithm is with_levels(RECURSIVE, levels) and algorithm.levels == levels
    network = falling_line(algorithm, RecursiveParameters(1.0))
    assert led(network) == {i: (i // 2 * 2, float(i % 2)) if i < 2 * (levels - 1) else (i, 0.0)
                            for i in network.graph}
    assert {len(state.best) for state in network.states.values()} == {levels}
    assert max(state.depth for state in network.states.values()) == min(levels - 1, 16)
