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

"""Coordinated algorithms: states with a region, and the strengths of roles."""

from math import inf
import pickle

from leader_election.election.algorithms import ALGORITHMS, Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.regions.coordinated import (
    coordinated,
    types_of,
    with_effective_strength,
)
from leader_election.election.regions.region import (
    CANDIDATE,
    initial_region,
    Region,
    RegionSettings,
    RELAY,
    WORKER,
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
