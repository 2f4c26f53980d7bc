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

"""Recursive election on time-replicated gossip: it forgets, in the time it should."""

import math

from benchmarks.explicit_clocks import bound, check
from benchmarks.explicit_states import graphs as small_graphs
from election.algorithms.networks import graphs, LENGTHS, STRENGTHS
from election.algorithms.simulate import corrupt, led, Network, shuffled
from election.algorithms.states import states
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import Device, REPLICATED
from leader_election.election.algorithms.recursive import LEVELS
from leader_election.election.algorithms.replicated import (
    MOST_REPLICATES,
    MOST_TICKS,
    replicated_round,
    ReplicatedParameters,
    ReplicatesOfAll,
    start,
    ticked,
)
from leader_election.swarm.reference_partition import groups
import pytest


def heard(clock: int, rounds: int, best_value: float, best: int, apart: float) -> ReplicatesOfAll:
    """Return what one neighbour has said that knows a device on all levels."""
    return ReplicatesOfAll([clock], [rounds], [LEVELS - 1], [(best_value,) * 2 * LEVELS],
                           [(best,) * 2 * LEVELS], [(apart,) * LEVELS], [0.0], [best],
                           [(1,) * LEVELS])


def test_device_leads_itself_when_the_best_of_every_level_is_out_of_reach():
    device, parameters = Device(3, 5.0), ReplicatedParameters(10.0, 2, 10)
    found = replicated_round(
        device, start(device), heard(0, 4, -9.0, 7, 100.0), [1.0], parameters)
    used = LEVELS - 1
    assert (found.leader, found.distance, found.depth) == (3, 0.0, used)
    assert list(found.best_value) == [-9.0] * 2 * used and list(found.best) == [7] * 2 * used
    assert list(found.best_distance) == [101.0] * used and list(found.best_hops) == [2] * used


def test_leader_may_have_the_lowest_id_and_be_exactly_at_the_radius():
    device, parameters = Device(3, 5.0), ReplicatedParameters(10.0, 2, 10)
    found = replicated_round(device, start(device), heard(0, 4, -9.0, 0, 8.0), [2.0], parameters)
    assert (found.leader, found.distance, found.depth) == (0, 10.0, 0)


def test_device_alone_returns_the_first_level():
    device = Device(3, 5.0)
    found = replicated_round(
        device, start(device), ReplicatesOfAll(*[()] * 9), [], ReplicatedParameters(10.0, 2, 10))
    assert (found.leader, *map(list, (found.best, found.best_distance, found.best_hops))) == (
        3, [3, 3], [0.0], [0])


def test_device_takes_the_time_of_its_neighbours_in_its_first_round_only():
    device, parameters = Device(3, 5.0), ReplicatedParameters(10.0, 2, 10)
    alone = replicated_round(device, start(device), heard(7, 4, -9.0, 7, 1.0), [1.0], parameters)
    assert (alone.clock, alone.rounds) == (7, 5)
    later = replicated_round(
        device, alone._replace(clock=2), heard(7, 4, -9.0, 7, 1.0), [1.0], parameters)
    assert (later.clock, later.rounds) == (2, 6)


def test_clock_begins_again_after_its_last_number():
    assert ticked(MOST_TICKS, 9, [], [], 0, 10, False) == (0, 0)
    assert ticked(MOST_TICKS - 1, 9, [], [], 0, 10, False) == (MOST_TICKS, 0)


def test_replicates_are_matched_by_the_clock_of_each_neighbour():
    """
    Robot 1 ticks before 2, so place 0 of 2 is place 1 of 1, and place 1 of 2 is dropped.

    Robot 2 sends 7 in the replicate that both have, and 8 in the dropped one.
    """
    device = Device(1, 5.0)
    parameters = ReplicatedParameters(10.0, 2, 100)
    own = REPLICATED.start(device)._replace(clock=3, rounds=99, depth=0)
    said = REPLICATED.start(Device(2, 0.0))
    said = said._replace(clock=3, rounds=99, depth=0,
                         best_value=(-7.0, -8.0, *said.best_value[2:]),
                         best=(7, 8, *said.best[2:]), best_distance=(1.0, *said.best_distance[1:]))
    found = REPLICATED.compute(device, own, [said], [2.0], parameters)
    assert (found.clock, found.rounds) == (4, 0)
    assert (found.best[:2], found.best_value[:2]) == ((1, 7), (-5.0, -7.0))
    assert (found.leader, found.distance) == (7, 3.0)
    # When 2 has ticked before, both have the same replicates.
    found = REPLICATED.compute(device, own, [said._replace(clock=4, rounds=0)], [2.0], parameters)
    assert (found.clock, found.rounds, found.best[:2]) == (4, 0, (7, 8))
    # Ahead of 1, out of step: what 2 knows of the next level does not count.
    ahead = said._replace(clock=4, depth=1, best=(-1, -1, 7, 7, *said.best[4:]),
                          best_value=(math.inf, math.inf, -9.0, -9.0, *said.best_value[4:]))
    found = REPLICATED.compute(device, own._replace(rounds=0), [ahead], [2.0], parameters)
    assert (found.clock, found.rounds, found.best[:2]) == (3, 1, (1, 1))
    # Ahead of 2, out of step: 1 falls back to the time of 2 and to its replicates.
    found = REPLICATED.compute(device, own, [said._replace(clock=2, rounds=0)], [2.0], parameters)
    assert (found.clock, found.rounds, found.best[:2]) == (2, 1, (7, 8))


@st.composite
def networks(draw):
    """Draw a network with every state and every mailbox corrupted, clocks included."""
    graph = draw(graphs(most=8))
    size = len(graph)
    network = Network(
        REPLICATED, graph, {i: draw(STRENGTHS) for i in graph},
        ReplicatedParameters(draw(st.integers(0, 48)) / 8, draw(st.integers(2, MOST_REPLICATES)),
                  2 * size + 2))
    return corrupt(network, states(
        REPLICATED, ids=st.integers(0, size + 3), whole=st.integers(-20, 20),
        real=st.just(0.0) | LENGTHS | st.floats(-1e300, 1e300)), draw)


@given(networks(), st.booleans(), st.integers(0, 2**32))
def test_swarm_stabilises_to_the_partition_of_bounded_election_from_any_state(
        network, lockstep, seed):
    """
    While the clock ticks on, the partition stays.

    Once the levels before are settled, all older messages of a level die with their
    replicates, after one period more than there are replicates. By then the next replicate has
    spread, and distances that are too short grow by a link's length a round.
    """
    graph, parameters = network.graph, network.parameters
    strengths = {i: device.strength for i, device in network.devices.items()}
    round_of_all = network.lockstep if lockstep else shuffled(network, seed)

    hops = math.floor(parameters.radius / 0.5) + 1
    regions = groups(graph, strengths, parameters.radius, 'id')
    assert len(regions) < LEVELS
    level = (parameters.replicates + 1) * parameters.replicate_period + hops
    for _ in range(len(regions) * level):
        round_of_all()
    expected = {i: found[:2] for region in regions for i, found in region.items()}
    clocks = {state.clock for state in network.states.values()}
    for _ in range(3 * parameters.replicate_period):
        round_of_all()
        assert led(network) == expected
    assert min(state.clock for state in network.states.values()) >= max(clocks) + 2


# The shared clock of recursive-replicated: it comes to unison from any state, and ticks on.

@pytest.mark.parametrize('nodes', [1, 2, 3])
def test_clocks_of_every_small_network_agree_in_lockstep(nodes):
    assert max(check(graph).rounds for graph in small_graphs(nodes, 'one')) <= bound(nodes)
