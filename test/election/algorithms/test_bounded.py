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

from leader_election.election.algorithms import Device
from leader_election.election.algorithms.bounded import (
    bounded_round,
    Candidacies,
    Candidacy,
    configure,
)
import pytest


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


def test_candidacy_at_infinite_distance_is_not_adopted():
    """An infinite distance is beyond even an unlimited radius, because it could not be relayed."""
    heard = Candidacies([-9.0], [1.7e308], [2], [0])
    found = bounded_round(Device(1, 5.0), Candidacy(-5.0, 0.0, 1), heard, [1.7e308],
                          configure(float('inf'), 'id'))
    assert found == (-5.0, 0.0, 1, 0)
