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

"""Bounded Election on networks small enough to be worked out by hand."""

from itertools import permutations

from election.algorithms.networks import LINE, links, STRENGTHS_OF_LINE
from election.algorithms.simulate import led, Network, settle
from leader_election.election.algorithms import BOUNDED, Device
from leader_election.election.algorithms.bounded import (
    bounded_round,
    Candidacies,
    Candidacy,
    configure,
)
from leader_election.swarm.reference_partition import Graph, partition
import pytest


def rested(graph: Graph, strengths: dict[int, float], radius: float, ties: str = 'id') -> Network:
    network = settle(Network(BOUNDED, graph, strengths, configure(radius, ties)))
    expected = partition(graph, strengths, radius, ties)
    assert led(network) == {i: expected[i][:2] for i in graph}, 'the oracle says otherwise'
    return network


@pytest.mark.parametrize('radius, expected', [
    # 1 is the strongest and reaches 2 (2 m), 3 (5 m) and 4 (6 m).
    (6.0, {1: (1, 0.0), 2: (1, 2.0), 3: (1, 5.0), 4: (1, 6.0)}),
    # 4 is just beyond 1's radius, and stronger than nobody else who is free.
    (5.9, {1: (1, 0.0), 2: (1, 2.0), 3: (1, 5.0), 4: (4, 0.0)}),
    # The radius ends exactly on 3: inside.
    (5.0, {1: (1, 0.0), 2: (1, 2.0), 3: (1, 5.0), 4: (4, 0.0)}),
    # 3 is outside; of the free ones 4 is the strongest and reaches it. 2 is 1's all the same.
    (4.9, {1: (1, 0.0), 2: (1, 2.0), 3: (4, 1.0), 4: (4, 0.0)}),
    # 1 reaches nobody; 4 reaches 3, and 2 is 4 m away from 4: alone.
    (1.0, {1: (1, 0.0), 2: (2, 0.0), 3: (4, 1.0), 4: (4, 0.0)}),
    (0.0, {1: (1, 0.0), 2: (2, 0.0), 3: (3, 0.0), 4: (4, 0.0)}),
    (float('inf'), {1: (1, 0.0), 2: (1, 2.0), 3: (1, 5.0), 4: (1, 6.0)}),
])
def test_line_forms_regions_within_the_radius(radius, expected):
    for ties in ('id', 'nearest'):
        assert led(rested(LINE, STRENGTHS_OF_LINE, radius, ties)) == expected


def test_device_sends_its_own_candidacy_when_it_has_started():
    assert BOUNDED.start(Device(3, 2.0)) == BOUNDED.state(-2.0, 0.0, 3, 0)


def test_follower_does_not_relay_a_weaker_candidacy():
    """Robot 3 follows 1, so it does not relay the candidacy of the weaker 4, which is 1 m away."""
    graph = links((1, 2, 2.0), (2, 3, 3.0), (3, 4, 1.0), (3, 5, 1.0))
    strengths = {1: 5.0, 2: 1.0, 3: 2.0, 4: 4.0, 5: 0.0}
    network = rested(graph, strengths, 5.0)
    assert led(network)[4] == (4, 0.0)
    assert led(network)[5] == (5, 0.0), '4 is 2 m away, but only through 3'


def test_equal_neighbours_lead_themselves_unless_the_id_decides():
    """By ``nearest`` both lead. By ``id`` the lower id leads."""
    graph = links((1, 2, 1.0))
    equal = {1: 7.0, 2: 7.0}
    assert led(rested(graph, equal, 5.0, 'nearest')) == {1: (1, 0.0), 2: (2, 0.0)}
    assert led(rested(graph, equal, 5.0, 'id')) == {1: (1, 0.0), 2: (1, 1.0)}


def test_follower_between_equal_leaders_takes_the_nearest_unless_the_id_decides():
    """Robot 3 is between the equally strong 1 and 2: first 2 m and 1 m away, then midway."""
    strengths = {1: 7.0, 2: 7.0, 3: 0.0}
    aside = links((1, 3, 2.0), (2, 3, 1.0))
    assert led(rested(aside, strengths, 2.5, 'nearest'))[3] == (2, 1.0)
    assert led(rested(aside, strengths, 2.5, 'id'))[3] == (1, 2.0)
    middle = links((1, 3, 2.0), (2, 3, 2.0))
    assert led(rested(middle, strengths, 2.5, 'nearest'))[3] == (1, 2.0)
    assert led(rested(middle, strengths, 2.5, 'id'))[3] == (1, 2.0)


@pytest.mark.parametrize('ties', ['id', 'nearest'])
@pytest.mark.parametrize('candidacies, expected', [
    # Value, distance and leader are compared first: the worse one loses with fewer hops.
    ([(-9.0, 1.0, 7, 4), (-8.0, 1.0, 7, 0)], (-9.0, 2.0, 7, 5)),
    ([(-9.0, 1.0, 7, 4), (-9.0, 2.0, 7, 0)], (-9.0, 2.0, 7, 5)),
    ([(-9.0, 1.0, 7, 4), (-9.0, 1.0, 8, 0)], (-9.0, 2.0, 7, 5)),
    # The same leader at the same distance: the fewest hops.
    ([(-9.0, 1.0, 7, 4), (-9.0, 1.0, 7, 2), (-9.0, 1.0, 7, 3)], (-9.0, 2.0, 7, 3)),
])
def test_fewer_hops_win_when_candidacies_are_otherwise_equal(candidacies, expected, ties):
    for order in permutations(candidacies):
        columns = Candidacies(*map(list, zip(*order)))
        assert bounded_round(Device(1, 5.0), Candidacy(-5.0, 0.0, 1), columns, [1.0] * len(order),
                             configure(5.0, ties)) == expected


@pytest.mark.parametrize('followed, candidacy, adopted', [
    # The joining radius is 4 m, the radius 5 m, both inclusive. The neighbour is 1 m away.
    (1, (-9.0, 3.0, 7, 0), True), (1, (-9.0, 3.5, 7, 0), False),
    (7, (-9.0, 3.5, 7, 0), True), (7, (-9.0, 4.0, 7, 0), True), (7, (-9.0, 4.5, 7, 0), False),
    # At most three hops, counted from a leader, which has none.
    (1, (-9.0, 1.0, 7, 2), True), (1, (-9.0, 1.0, 7, 3), False), (1, (-9.0, 1.0, 7, -1), False),
    (1, (-9.0, 1.0, 1, 0), False),
])
def test_candidacy_is_adopted_within_radius_and_hop_limit(followed, candidacy, adopted):
    value, distance, leader, hops = candidacy
    second = Candidacy(-8.0, 1.0, 6, 1)
    expected = (value, distance + 1.0, leader, hops + 1) if adopted else (-8.0, 2.0, 6, 2)
    for order in ((candidacy, second), (second, candidacy)):
        assert bounded_round(
            Device(1, 5.0), Candidacy(-9.0, 4.0, followed), Candidacies(*zip(*order)), [1.0, 1.0],
            configure(5.0, 'id', hop_limit=3, radius_hysteresis=0.2)) == expected


def test_previous_leader_is_ignored_when_no_neighbour_is_heard():
    alone = Candidacies([], [], [], [])
    state = Candidacy(-99.0, 0.5, 42)
    found = bounded_round(Device(1, 2.0), state, alone, [], configure(5.0, 'id'))
    assert found == (-2.0, 0.0, 1, 0)


@pytest.mark.parametrize('floor, forgotten', [(0.01, True), (0.0, False)])
def test_dead_leader_of_robots_at_one_place_is_forgotten_when_distances_have_a_floor(
        floor, forgotten):
    """
    Robots 2 and 3 at one place relay the candidacy of their dead leader 1 to each other.

    With the floor its distance grows at each relay, and exceeds the radius of 1 m after 100
    relays. Without the floor it would persist.
    """
    graph = links((1, 2, 0.5), (1, 3, 0.5), (2, 3, max(0.0, floor)))
    network = Network(BOUNDED, graph, {1: 9.0, 2: 1.0, 3: 2.0}, configure(1.0, 'id'))
    for _ in range(3):
        network.sweep([1, 2, 3])
    assert [network.states[i].leader for i in (2, 3)] == [1, 1]
    network.remove(1)
    for _ in range(200):
        network.sweep([2, 3])
    assert [network.states[i].leader for i in (2, 3)] == ([3, 3] if forgotten else [1, 1])


def test_candidacy_at_infinite_distance_is_not_adopted():
    """An infinite distance is beyond even an unlimited radius, because it could not be relayed."""
    heard = Candidacies([-9.0], [1.7e308], [2], [0])
    found = bounded_round(Device(1, 5.0), Candidacy(-5.0, 0.0, 1), heard, [1.7e308],
                          configure(float('inf'), 'id'))
    assert found == (-5.0, 0.0, 1, 0)
