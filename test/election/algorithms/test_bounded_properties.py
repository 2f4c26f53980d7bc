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

"""
Bounded Election stabilises from anything, in any fair order, to the one partition, in time.

The bound, in sweeps (a round of each device). Let ``m`` be the shortest link and
``L = floor(radius / m)``. A message is taken from the sweep before at the earliest, and each link
adds ``m`` or more, so what a device holds came over ``L`` links at most and started from
a device's own strength (or from the corruption that all began with) at most ``L`` sweeps ago.

1. After ``L + 1`` sweeps nothing is left of the corruption: every leader is alive, its
   strength true, and it is no farther than the radius. This is what a dead leader costs.
2. From then on the strongest is undisputed: one sweep and it leads itself, and its news runs down
   its shortest ways, one link a sweep or faster. After ``L + 1 + links`` sweeps its region
   stands. With one leader for all this is radius / shortest link + diameter, as the paper has it
   (the diameter being the links on the longest of the shortest ways).
3. The next leader's news may until then have run through what is the first one's region now.
   What was heard that way dies out like the corruption did. So it takes, after the region of
   the one before stands, ``L + 1 + links`` again: with several leaders the bound is the sum.
"""

from collections.abc import Iterator, Mapping
import math
import random

from benchmarks.explicit_states import bound, corrupted, Family, Setting, violations
from benchmarks.explicit_states import check as check_all
from benchmarks.explicit_states import SETTINGS as ALL_SETTINGS
from budget import examples
from election.algorithms.networks import graphs, LENGTHS, STRENGTHS
from election.algorithms.simulate import corrupt, Network, shuffled
from hypothesis import event, given, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import BOUNDED, Device
from leader_election.election.algorithms.bounded import Candidacy, configure
from leader_election.swarm.reference_partition import groups
import pytest

VALUES = STRENGTHS | st.floats(-1e300, 1e300)
DISTANCES = st.just(0.0) | LENGTHS | st.floats(0.0, 1e300)


@st.composite
def networks(draw):
    """Draw a network with every state and every mailbox corrupted."""
    graph = draw(graphs())
    strengths = {i: draw(STRENGTHS) for i in graph}
    ties = draw(st.sampled_from(('id', 'nearest')))
    radius = draw(st.integers(0, 80)) / 8
    network = Network(BOUNDED, graph, strengths, configure(radius, ties))
    lies = st.builds(Candidacy, VALUES, DISTANCES, st.integers(0, len(graph) + 3))
    return corrupt(network, lies, draw), strengths, radius, ties


def shortest_link(graph: Mapping[int, Mapping[int, float]]) -> float:
    return min((length for row in graph.values() for length in row.values()), default=math.inf)


@given(networks(), st.integers(0, 2**32))
def test_swarm_stabilises_to_the_partition_within_the_bound(drawn, seed):
    network, strengths, radius, ties = drawn
    once = shuffled(network, seed)

    def sweep(times: int) -> None:
        for _ in range(times):
            once()

    hops = math.floor(radius / shortest_link(network.graph))
    sweep(hops + 1)
    for state in network.states.values():
        assert state.leader in strengths, 'a leader that does not exist'
        assert state.value == -strengths[state.leader]
        assert state.distance <= radius

    expected = groups(network.graph, strengths, radius, ties)
    event(f'{min(len(expected), 5)} groups')
    for n, group in enumerate(expected):
        # The first has had its first part above.
        sweep((hops + 1 if n else 0) + max(links for _, _, links in group.values()))
        check(network, group, strengths)
    for group in expected:
        check(network, group, strengths)
    before = dict(network.states)
    sweep(3)
    assert network.states == before


def check(network, group, strengths):
    """Check that a group of regions stands, exactly."""
    assert {i: network.states[i][:3] for i in group} == {
        i: (-strengths[leader], far, leader) for i, (leader, far, _) in group.items()}


# Bounded Election with hysteresis and a limit of hops, on networks too large to be explored.
#
# The guarantees and the bound are those of doc/architecture.md; ``benchmarks.explicit_states``
# checks them in all small networks. An epoch is the shortest time in which, over each link, a
# message that was sent in it arrives before it expires; in lockstep without losses, a round. Let
# ``h`` be the lesser of the limit of hops and radius / shortest link. If the limit ends paths
# within the radius, the number of links on the longest of these paths.
#
# 1. After ``h`` epochs every candidacy has come from a living leader over a path of robots, so its
#    distance is not less than that of the shortest path.
# 2. The strongest robot leads itself. Each robot within its joining radius adopts it, and never
#    leaves it. After ``h`` more epochs this core is final, with exact distances.
# 3. A robot beyond the joining radius that does not follow this leader never will. One that does
#    leaves, or increases its distance, only after the neighbour over which it was led, which is a
#    hop nearer to the core. So after ``2 h`` more epochs no robot leaves: first the news of longer
#    paths arrives, then that of shorter paths with more hops, which may end at the limit.
# 4. The same then holds for the strongest of the robots outside of that region.
#
# So with ``k`` leaders the bound is ``k (4 h + 1)``, and without hysteresis ``k (2 h + 1)``.

SETTINGS = st.builds(
    Setting, radius=st.integers(4, 40).map(lambda n: n / 8),
    hysteresis=st.sampled_from([0.0, 0.1, 0.2, 0.5]), hop_limit=st.integers(1, 12),
    ties=st.sampled_from(['id', 'nearest']), strengths=st.sampled_from(['distinct', 'pairs']))


def network_of(graph, setting, data) -> Network:
    """Return a network with every state and every mailbox corrupted."""
    network = Network(BOUNDED, graph, setting.strength(graph), configure(
        setting.radius, setting.ties, setting.hop_limit, setting.hysteresis))
    starts = corrupted(setting, graph, 2)
    for i in graph:
        network.states[i] = data.draw(st.sampled_from(starts[i]))
        for j in graph[i]:
            network.mailboxes[i][j] = data.draw(st.sampled_from(starts[j]))
    return network


def run_an_epoch(network: Network, draw: random.Random) -> Iterator[int]:
    """Run rounds, half of whose messages are lost, until each link has delivered."""
    graph = network.graph
    waiting = {(i, j) for i in graph for j in (i, *graph[i])}
    while waiting:
        i = draw.choice(sorted(graph))
        network.states[i] = network._computed(i)
        waiting.discard((i, i))
        for j in graph[i]:
            if draw.random() < 0.5:
                network.mailboxes[j][i] = network.states[i]
                waiting.discard((i, j))
        yield i


@given(graphs(most=10), SETTINGS, st.data())
def test_swarm_stabilises_within_the_bound_when_messages_are_lost(graph, setting, data):
    network = network_of(graph, setting, data)
    draw = random.Random(data.draw(st.integers(0, 2**32)))
    epochs, changed = 0, 0
    while epochs - changed < 2 * setting.hop_limit + 3:
        before = dict(network.states)
        list(run_an_epoch(network, draw))
        epochs += 1
        changed = changed if network.states == before else epochs
        assert changed <= bound(setting, graph, len(graph))
    assert violations(setting, graph, network.states) == []
    leaders = {state.leader for state in network.states.values()}
    assert changed <= bound(setting, graph, len(leaders))


@given(graphs(most=20), SETTINGS, st.data())
def test_dead_leader_is_forgotten_within_the_hop_limit(graph, setting, data):
    network = network_of(graph, setting, data)
    for _ in range(setting.hop_limit + 1):
        network.lockstep()
    assert {state.leader for state in network.states.values()} <= graph.keys()


@pytest.mark.parametrize('setting', ALL_SETTINGS, ids=str)
def test_every_network_of_up_to_three_robots_stabilises(setting):
    for nodes, lengths, number in ((1, 'all', 1), (2, 'all', 2), (3, 'parity', 4)):
        found = check_all(setting, Family(nodes, lengths, 2))
        assert not found.wrong and found.networks == number


def test_violation_is_found_when_a_robot_does_not_join_a_stronger_leader():
    graph = {1: {2: 1.0}, 2: {1: 1.0}}
    one, two = Candidacy(-1.0, 0.0, 1, 0), Candidacy(-2.0, 0.0, 2, 0)
    assert violations(Setting(), graph, {1: Candidacy(-2.0, 1.0, 2, 1), 2: two}) == []
    assert violations(Setting(), graph, {1: one, 2: two}) != []


CANDIDACIES = st.builds(Candidacy, st.integers(-4, 4).map(float), st.just(0.0) | LENGTHS,
                        st.integers(0, 6), st.integers(0, 9))


@settings(max_examples=examples(100))
@given(st.lists(st.tuples(CANDIDACIES, LENGTHS), max_size=6), st.integers(0, 40),
       st.sampled_from(['id', 'nearest']), st.integers(-4, 4), CANDIDACIES)
def test_round_takes_the_least_candidacy_within_the_radius_as_published(
        received, radius, ties, strength, before):
    """Compare with a second implementation of ACSOS 2022, IV-B, in either order of ties."""
    offers = [(far.value, far.distance + length, far.leader) for far, length in received
              if far.leader != 3 and far.distance + length <= radius / 8]
    own = (-float(strength), 0.0, 3)

    def order(triple):
        value, distance, leader = triple
        return (value, leader, distance) if ties == 'id' else (value, distance, leader)

    found = BOUNDED.compute(Device(3, float(strength)), before, [far for far, _ in received],
                            [length for _, length in received], configure(radius / 8, ties))
    assert found[:3] == min([own, *offers], key=order)
