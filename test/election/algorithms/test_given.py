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

from election.algorithms.networks import graphs, LENGTHS, LINE, links
from election.algorithms.simulate import corrupt, led, Network, settle, shuffled
from election.algorithms.states import states
from hypothesis import event, given
from hypothesis import strategies as st
from leader_election.election.algorithms import Device, GIVEN
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.given import (
    configure,
    given_round,
    LARGEST_ID,
    leader_ranges,
    Nearest,
    NearestColumns,
)
from leader_election.parameters import ParameterError
from leader_election.swarm.reference_partition import reach
import pytest

inf = math.inf


def settled(graph, leaders, strengths=None, **settings):
    return settle(Network(GIVEN, graph, strengths or dict.fromkeys(graph, 0.0),
                          configure(leaders, **settings)))


IGNORED = (Nearest(2.5, 7, 0), Nearest(inf, 7, 0), Nearest(0.5, 7, 3), Nearest(0.5, 7, -1),
           Nearest(0.5, 1, 0))
"""Beyond the radius, infinitely far, at the hop limit and below 0, the own one."""


def found_from(*messages):
    """Return the new state of device 1 from messages over 1 m each, up to 3 m and 3 hops."""
    return given_round(Device(1, 0.0), Nearest(inf, 1, 0), NearestColumns(*zip(*messages)),
                       [1.0] * len(messages), configure('7-9', radius=3.0, hop_limit=3))


def test_robot_has_no_leader_when_no_candidacy_is_valid():
    assert found_from(*IGNORED) == Nearest(inf, 1, 0)
    assert found_from(*IGNORED, Nearest(2.0, 7, 2)) == Nearest(3.0, 7, 3), 'at both limits'


@pytest.mark.parametrize('better, worse', [
    # Distance, then the lower id, then hops: the worse one is better in all that comes later.
    (Nearest(1.0, 9, 2), Nearest(1.5, 7, 0)),
    (Nearest(1.0, 7, 2), Nearest(1.0, 9, 0)),
    (Nearest(1.0, 9, 1), Nearest(1.0, 9, 2)),
    *((Nearest(1.0, 9, 2), each) for each in IGNORED),
])
def test_leader_is_chosen_by_distance_then_id_then_hops(better, worse):
    for order in ((better, worse), (worse, better)):
        assert found_from(*order) == Nearest(2.0, better.leader, better.hops + 1)


def test_given_leader_does_not_lead_when_barred():
    strengths = dict.fromkeys(LINE, 0.0) | {4: BARRED}
    assert led(settled(LINE, '1,4', strengths))[4] == (1, 6.0)


@pytest.mark.parametrize('robot', range(1, 8))
def test_each_id_of_a_range_leads(robot):
    state = given_round(Device(robot, 0.0), Nearest(inf, robot, 0), NearestColumns((), (), ()), [],
                        configure('2-4,6'))
    assert (state.distance == 0.0) == (robot in (2, 3, 4, 6))


def test_leader_is_followed_up_to_the_hop_limit():
    network = settled(links(*((i, i + 1, 1.0) for i in range(5))), '0', hop_limit=3)
    assert [leader for leader, _ in led(network).values()] == [0, 0, 0, 0, 4, 5]


def test_leader_follows_another_when_removed_from_the_list():
    """Its own candidacy comes back from 2, and is not adopted."""
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


# Given leaders: the Voronoi partition of the graph, from any start, in any fair order, in time.
#
# The bound, in sweeps (a round of each device). A candidacy counts a hop each time it is taken
# over, and what is in a mailbox is a sweep old at most. So after ``hop_limit + 1`` sweeps all has
# come from a leader over links of the graph: no distance is less than that of the shortest path.
# From then on a device is right one sweep after the next one on its shortest path is, and a leader
# is right at once: ``hop_limit + 1 + links`` sweeps, if the limit leaves room for these links.

@st.composite
def networks(draw):
    """Draw a network with every state and every mailbox corrupted, its leaders and radius."""
    graph = draw(graphs(most=20))
    leaders = draw(st.sets(st.sampled_from(sorted(graph)), max_size=5))
    radius = draw(st.just(math.inf) | st.integers(0, 80).map(lambda n: n / 8))
    parameters = configure(','.join(map(str, leaders)), radius, hop_limit=len(graph))
    network = Network(GIVEN, graph, dict.fromkeys(graph, 0.0), parameters)
    lies = states(GIVEN, ids=st.integers(0, len(graph) + 3),
                  whole=st.integers(0, 2 * len(graph)), real=st.just(0.0) | LENGTHS)
    return corrupt(network, lies, draw), leaders, radius


def cells(graph, leaders, radius):
    """Return the leader and distance of each device, by an independent implementation."""
    found = reach(graph, set(graph), sorted(leaders), radius)
    return {i: found[i][:2] if i in found else (i, inf) for i in graph}


@given(networks(), st.integers(0, 2**32), st.booleans())
def test_swarm_stabilises_to_the_voronoi_partition_within_the_bound(drawn, seed, lockstep):
    network, leaders, radius = drawn
    once = network.lockstep if lockstep else shuffled(network, seed)

    def sweep(times):
        for _ in range(times):
            once()

    sweep(2 * len(network.graph) + 1)
    expected = cells(network.graph, leaders, radius)
    event(f'{len(leaders)} leaders')
    found = {i: (state.leader, state.distance) for i, state in network.states.items()}
    assert found == expected
    before = dict(network.states)
    sweep(3)
    assert network.states == before


def test_largest_id_may_lead():
    assert leader_ranges(f'{LARGEST_ID}') == ((LARGEST_ID, LARGEST_ID),)
