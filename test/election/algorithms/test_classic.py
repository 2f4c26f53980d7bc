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

"""Sparse choice on networks small enough to be worked out by hand."""

from itertools import permutations
from math import inf
from typing import Any

from election.algorithms.networks import graphs, LENGTHS, links, STRENGTHS
from election.algorithms.simulate import corrupt, led, Network, shuffled
from election.algorithms.states import states
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import CLASSIC, Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.classic import (
    Choice,
    Choices,
    classic_round,
    ClassicParameters,
)
from leader_election.swarm.reference_partition import Graph, reach
import pytest

NOT_ANYBODY = (inf, -1)


def rest(graph: Graph, strengths: dict[int, float], radius: float,
         states: dict[int, Choice]) -> bool:
    """Say whether a network in these states, heard by all, stays as it is."""
    network = Network(CLASSIC, graph, strengths, ClassicParameters(radius))
    for i, heard in network.mailboxes.items():
        heard.update({j: states[j] for j in graph[i]})
    network.states = dict(states)
    network.lockstep()
    return network.states == states


def test_stable_partition_depends_on_history():
    """With half a radius of 2 m, robot 2 may lead 2 m beside 1, or follow it in its outer half."""
    graph, strengths = links((1, 2, 2.0)), {1: 5.0, 2: 1.0}
    first = Choice(-5.0, 1, 0.0, 0.0, 1)
    assert rest(graph, strengths, 4.0, {1: first, 2: Choice(-1.0, 2, 0.0, 0.0, 2)})
    assert rest(graph, strengths, 4.0, {1: first, 2: Choice(*NOT_ANYBODY, 2.0, 2.0, 1, 1, 1)})


def test_member_follows_the_nearest_leader_and_backs_the_stronger():
    """
    Robot 2 is 4 m from 1 and 3 m from 3.

    Half the radius is 5 m, so 2 backs the stronger 1. Robot 3 does not, because 2 is 3 m from
    its leader, and 3 m more exceed the half.
    """
    assert rest(links((1, 2, 4.0), (2, 3, 3.0)), {1: 9.0, 2: 0.0, 3: 5.0}, 10.0, {
        1: Choice(-9.0, 1, 0.0, 0.0, 1), 2: Choice(-9.0, 1, 3.0, 3.0, 3, 1, 1),
        3: Choice(-5.0, 3, 0.0, 0.0, 3)})


@pytest.mark.parametrize('far, expected', [
    # Half the radius is 5 m. The device backs 7; its neighbour 8 backs the stronger 9.
    (2.0, (-9.0, 9)),
    (2.9, (-9.0, 9)),
    # 2 m and 3 m are exactly half: the neighbour does not count, what it backs itself does not.
    (3.0, NOT_ANYBODY),
    (8.0, NOT_ANYBODY),
    # 10.25 m: nobody who backs itself is within the radius, so it enters the competition.
    (8.25, (-1.0, 5)),
])
def test_backed_leader_depends_on_the_distance(far, expected):
    heard = Choices([-9.0], [9], [2.0], [2.0], [9], [1], [1])
    found = classic_round(
        Device(5, 1.0), Choice(-7.0, 7, 1.0, 1.0, 7), heard, [far], ClassicParameters(10.0))
    assert found[:3] == (*expected, 2.0 + far) and found.lead_hops == 2


def test_own_backed_pair_stays_when_neighbours_back_weaker_robots():
    heard = Choices([-6.0], [6], [1.0], [1.0], [6], [1], [1])
    found = classic_round(
        Device(5, 1.0), Choice(-7.0, 7, 1.0, 1.0, 7), heard, [1.0], ClassicParameters(10.0))
    assert found == Choice(-7.0, 7, 2.0, 2.0, 6, 2, 2)


@pytest.mark.parametrize('leader', [3, 8])
def test_distance_is_infinite_when_no_leader_is_known(leader):
    """The device backs nobody, and its neighbour knows no leader."""
    heard = Choices([inf], [-1], [6.0], [inf], [leader], [1], [1])
    found = classic_round(Device(5, 1.0), Choice(*NOT_ANYBODY, 0.0, 3.0, 7), heard, [1.0],
                          ClassicParameters(10.0))
    assert found == Choice(*NOT_ANYBODY, 7.0, inf, 5, 2, 0)


def test_neighbour_is_ignored_when_beyond_the_hop_limit_or_backing_nobody():
    """The limit is three hops. Leader 0 has the lowest possible id."""
    good = Choice(-9.0, 0, 2.0, 2.0, 0, 2, 2)
    far, nobody = Choice(-99.0, 8, 0.5, 0.5, 8, 3, 3), Choice(-99.0, -1, 2.5, 9.0, 8, 1, 1)
    for order in permutations((good, far, nobody)):
        assert classic_round(
            Device(5, 1.0), Choice(-7.0, 7, 1.0, 1.0, 7), Choices(*zip(*order)), [1.0] * 3,
            ClassicParameters(10.0, hop_limit=3)) == Choice(-9.0, 0, 3.0, 3.0, 0, 3, 3)


def test_barred_robot_has_no_leader_when_none_is_within_the_radius():
    beyond, within = Choice(-9.0, 0, 2.0, 9.5, 3, 1, 1), Choice(-9.0, 0, 2.0, 9.0, 20, 1, 1)
    for order in permutations((beyond, within)):
        found = classic_round(Device(5, BARRED), Choice(*NOT_ANYBODY, 0.0, 3.0, 7),
                              Choices(*zip(*order)), [1.0] * 2, ClassicParameters(10.0))
        assert (found.distance, found.leader) == (10.0, 20)
    device, alone = Device(5, BARRED), CLASSIC.start(Device(5, BARRED))
    assert CLASSIC.compute(device, alone, [], [], ClassicParameters(10.0)) == alone
    found = CLASSIC.compute(device, alone, [beyond], [1.0], ClassicParameters(10.0))
    assert (found.distance, found.leader) == (inf, 5)


# Sparse choice comes to rest from anything where rounds follow one another, and how it rests.

SWEEPS = 100
"""No bound is known; of 2000 networks drawn none needed more than 26."""


@st.composite
def networks(draw):
    """Draw a network with every state and every mailbox corrupted."""
    graph = draw(graphs())
    network = Network(CLASSIC, graph, {i: draw(STRENGTHS) for i in graph},
                      ClassicParameters(draw(st.integers(1, 80)) / 8))
    return corrupt(network, states(
        CLASSIC, ids=st.integers(0, len(graph) + 3), whole=st.integers(-1, len(graph) + 3),
        real=st.just(0.0) | LENGTHS | st.floats(-1e300, 1e300)), draw)


@given(networks(), st.integers(0, 2**32))
def test_swarm_stabilises_with_every_robot_led_by_its_nearest_leader(network, seed):
    sweep, before = shuffled(network, seed), dict[int, Any]()
    sweeps = 0
    while network.states != before:
        assert sweeps < SWEEPS, 'no rest'
        before = dict(network.states)
        for _ in range(2):
            sweep()
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


def test_path_to_the_leader_is_the_first_of_equal_length():
    """Its two neighbours are 1 m away, and 1 and 3 hops from robot 5."""
    device, said = Device(3, 1.0), Choice(-9.0, 5, 1.0, 1.0, 5, 1, 1)
    found = CLASSIC.compute(device, said, [said, said._replace(lead_hops=3, hops=3)], [1.0, 1.0],
                            ClassicParameters(9.0))
    assert (found.leader, found.distance, found.hops, found.lead_hops) == (5, 2.0, 2, 2)
