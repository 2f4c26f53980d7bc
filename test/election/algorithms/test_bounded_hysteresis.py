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
Bounded Election with hysteresis and a limit of hops, on networks too large to be explored.

The guarantees and the bound are those of doc/architecture.md, which ``benchmarks.explicit_states``
checks in all small networks. An epoch is the shortest time in which, over each link, a message
that was sent in it arrives before it expires; in lockstep without losses, a round. Let ``h`` be
the lesser of the limit of hops and radius / shortest link; if the limit ends paths within the
radius, the number of links on the longest of these paths.

1. After ``h`` epochs every candidacy has come from a living leader over a path of robots, so its
   distance is not less than that of the shortest path.
2. The strongest robot leads itself. Each robot within its joining radius adopts it, and never
   leaves it. After ``h`` more epochs this core is final, with exact distances.
3. A robot beyond the joining radius that does not follow this leader never will. One that follows
   leaves, or increases its distance, only after the neighbour over which it was led, which is a
   hop nearer to the core. So after ``2 h`` more epochs no robot leaves: first the news of longer
   paths arrives, then that of shorter paths with more hops, which may end at the limit.
4. The same then holds for the strongest of the robots outside of that region.

So with ``k`` leaders the bound is ``k (4 h + 1)``, and without hysteresis ``k (2 h + 1)``.
"""

import random

from benchmarks.explicit_states import bound, corrupted, Setting, violations
from budget import examples
from election.algorithms.networks import graphs, LENGTHS
from election.algorithms.simulate import Network
from election.algorithms.test_explicit_states import run_an_epoch
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import BOUNDED, Device
from leader_election.election.algorithms.bounded import Candidacy, configure

FEW = settings(max_examples=examples(20), deadline=None, suppress_health_check=list(HealthCheck))
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


@FEW
@given(graphs(most=10), SETTINGS, st.data())
def test_settles_within_the_bound_in_any_order_with_losses(graph, setting, data):
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


@FEW
@given(graphs(most=20), SETTINGS, st.data())
def test_unknown_leaders_are_forgotten_within_the_hop_limit(graph, setting, data):
    network = network_of(graph, setting, data)
    for _ in range(setting.hop_limit + 1):
        network.lockstep()
    assert {state.leader for state in network.states.values()} <= graph.keys()


CANDIDACIES = st.builds(Candidacy, st.integers(-4, 4).map(float), st.just(0.0) | LENGTHS,
                        st.integers(0, 6), st.integers(0, 9))


@settings(max_examples=examples(100), deadline=None)
@given(st.lists(st.tuples(CANDIDACIES, LENGTHS), max_size=6), st.integers(0, 40),
       st.sampled_from(['id', 'nearest']), st.integers(-4, 4), CANDIDACIES)
def test_published_round_takes_the_least_candidacy_within_the_radius(
        received, radius, ties, strength, before):
    """ACSOS 2022, IV-B, written down a second time: the least triple, in either order of ties."""
    offers = [(far.value, far.distance + length, far.leader) for far, length in received
              if far.leader != 3 and far.distance + length <= radius / 8]
    own = (-float(strength), 0.0, 3)

    def order(triple):
        value, distance, leader = triple
        return (value, leader, distance) if ties == 'id' else (value, distance, leader)

    found = BOUNDED.compute(Device(3, float(strength)), before, [far for far, _ in received],
                            [length for _, length in received], configure(radius / 8, ties))
    assert found[:3] == min([own, *offers], key=order)
