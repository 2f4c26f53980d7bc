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

"""Given leaders: small networks by hand."""

import math

from election.algorithms.networks import grid, LINE, links, STRENGTHS_OF_LINE
from election.algorithms.simulate import led, Network
from leader_election.election.algorithms import Device, GIVEN
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.given import (
    configure,
    given_round,
    Nearest,
    NearestColumns,
)
from leader_election.parameters import ParameterError
import pytest

inf = math.inf


def settled(graph, leaders, strengths=None, sweeps=30, **settings):
    """Return the network after more than enough sweeps, having checked that it came to rest."""
    network = Network(GIVEN, graph, strengths or dict.fromkeys(graph, 0.0),
                      configure(leaders, **settings))
    for _ in range(sweeps):
        network.sweep(sorted(graph))
    before = dict(network.states)
    network.sweep(sorted(graph))
    assert network.states == before
    return network


@pytest.mark.parametrize('leaders, radius, expected', [
    # 1 --2 m-- 2 --3 m-- 3 --1 m-- 4: the strengths do not matter.
    ('3', inf, {1: (3, 5.0), 2: (3, 3.0), 3: (3, 0.0), 4: (3, 1.0)}),
    ('1,4', inf, {1: (1, 0.0), 2: (1, 2.0), 3: (4, 1.0), 4: (4, 0.0)}),
    # The radius ends exactly on 2: inside.
    ('4', 4.0, {1: (1, inf), 2: (4, 4.0), 3: (4, 1.0), 4: (4, 0.0)}),
    ('4', 3.9, {1: (1, inf), 2: (2, inf), 3: (4, 1.0), 4: (4, 0.0)}),
    # A range, and an id that no device has.
    ('2-3, 9', inf, {1: (2, 2.0), 2: (2, 0.0), 3: (3, 0.0), 4: (3, 1.0)}),
    ('', inf, {i: (i, inf) for i in LINE}),
])
def test_line_settles_to_the_nearest_given_leaders_within_the_radius(leaders, radius, expected):
    assert led(settled(LINE, leaders, STRENGTHS_OF_LINE, radius=radius)) == expected


IGNORED = (Nearest(2.5, 7, 0), Nearest(inf, 7, 0), Nearest(0.5, 7, 3), Nearest(0.5, 7, -1),
           Nearest(0.5, 1, 0))
"""Beyond the radius, infinitely far, at the hop limit and below 0, the own one."""


def found_from(*messages):
    """Return what device 1 makes of messages over 1 m each, up to 3 m and 3 hops."""
    return given_round(Device(1, 0.0), Nearest(inf, 1, 0), NearestColumns(*zip(*messages)),
                       [1.0] * len(messages), configure('7-9', radius=3.0, hop_limit=3))


def test_only_impossible_candidacies_leave_no_leader():
    assert found_from(*IGNORED) == Nearest(inf, 1, 0)


@pytest.mark.parametrize('better, worse', [
    # Distance, then the lower id, then hops: the worse one is better in all that comes later.
    (Nearest(1.0, 9, 2), Nearest(1.5, 7, 0)),
    (Nearest(1.0, 7, 2), Nearest(1.0, 9, 0)),
    (Nearest(1.0, 9, 1), Nearest(1.0, 9, 2)),
    *((Nearest(1.0, 9, 2), each) for each in IGNORED),
])
def test_nearest_leader_is_taken_then_the_lowest_id_then_the_fewest_hops(better, worse):
    for order in ((better, worse), (worse, better)):
        assert found_from(*order) == Nearest(2.0, better.leader, better.hops + 1)


def test_grid_is_divided_between_leaders_at_its_corners():
    """Four leaders in the corners of 6 by 6 devices: each quarter follows its own."""
    network = settled(grid(6), '0,5,30,35')
    for i, (leader, distance) in led(network).items():
        row, column = divmod(i, 6)
        assert leader == (0 if row < 3 else 30) + (0 if column < 3 else 5)
        assert distance == min(row, 5 - row) + min(column, 5 - column)


def test_barred_robot_does_not_lead_though_given():
    strengths = dict.fromkeys(LINE, 0.0) | {4: BARRED}
    assert led(settled(LINE, '1,4', strengths))[4] == (1, 6.0)


def test_members_of_a_failed_leader_follow_the_next_or_nobody():
    network = settled(LINE, '1,4', hop_limit=4)
    network.remove(4)
    for n in range(6):
        assert all(state.hops <= 4 for state in network.states.values()), n
        network.lockstep()
    assert led(network) == {1: (1, 0.0), 2: (1, 2.0), 3: (1, 5.0)}
    network.remove(1)
    for _ in range(6):
        network.lockstep()
    assert led(network) == {2: (2, inf), 3: (3, inf)}


def test_hop_limit_is_the_reach_in_hops():
    network = settled(links(*((i, i + 1, 1.0) for i in range(5))), '0', hop_limit=3)
    assert [leader for leader, _ in led(network).values()] == [0, 0, 0, 0, 4, 5]


def test_removed_leader_follows_another():
    """Its own candidacy comes back from 2; it is not taken."""
    network = settled(LINE, '1,4')
    network.parameters = configure('4', hop_limit=10)
    for _ in range(12):
        network.sweep(sorted(LINE))
    assert led(network)[1] == (4, 6.0)


@pytest.mark.parametrize('text, line', [
    ('a', "parameter leaders: 'a' is not allowed; it takes ids and ranges of ids, for example "
     "'1-20,25'"),
    ('5-4', "parameter leaders: '5-4' is not allowed; it takes ids and ranges of ids, for example "
     "'1-20,25'"),
    ('1,9007199254740992', 'parameter leaders: 9007199254740992 is not allowed; it takes ids from '
     '0 to 9007199254740991'),
])
def test_wrong_list_of_leaders_is_refused(text, line):
    with pytest.raises(ParameterError) as error:
        configure(text)
    assert str(error.value) == line


def test_start_is_without_a_leader():
    assert GIVEN.start(Device(4, 1.0)) == Nearest(inf, 4, 0)
