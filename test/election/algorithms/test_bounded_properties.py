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

from collections.abc import Mapping
import math
import random

from budget import examples
from election.algorithms.networks import graphs, LENGTHS, STRENGTHS
from election.algorithms.oracle import groups
from election.algorithms.simulate import Network
from hypothesis import event, given, HealthCheck, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import BOUNDED
from leader_election.election.algorithms.bounded import Candidacy, configure

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
    # Of a few candidacies, so that the same lie is told from several sides.
    lies = draw(st.lists(st.builds(
        Candidacy, VALUES, DISTANCES, st.integers(0, len(graph) + 3)), min_size=1, max_size=6))
    for i in graph:
        network.states[i] = draw(st.sampled_from(lies))
        for j in graph[i]:
            network.mailboxes[i][j] = draw(st.sampled_from(lies))
    return network, strengths, radius, ties


def shortest_link(graph: Mapping[int, Mapping[int, float]]) -> float:
    return min((length for row in graph.values() for length in row.values()), default=math.inf)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(networks(), st.integers(0, 2**32))
def test_stabilises_to_the_partition_within_the_bound(drawn, seed):
    network, strengths, radius, ties = drawn
    order, rng = sorted(network.graph), random.Random(seed)

    def sweep(times: int) -> None:
        for _ in range(times):
            rng.shuffle(order)
            network.sweep(order)

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
