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

"""A small explicit-state check of Bounded Election, and the explicit-state check itself."""

from collections.abc import Iterator
from dataclasses import replace
import random

from benchmarks.explicit_states import (
    bound,
    check,
    corrupted,
    explored,
    Family,
    graphs,
    misplaced,
    Setting,
    SETTINGS,
    violations,
)
from benchmarks.state_sets import Network, Rounds, Undecided
from election.algorithms import simulate
from leader_election.election.algorithms import BOUNDED
from leader_election.election.algorithms.algorithm import NO_HOP_LIMIT
from leader_election.election.algorithms.bounded import Candidacy, configure
import pytest

LINE = {1: {2: 1.0}, 2: {1: 1.0, 3: 2.0}, 3: {2: 2.0}}
STEADY = Setting(hysteresis=0.4)


@pytest.mark.parametrize('setting', SETTINGS, ids=str)
def test_every_network_of_up_to_three_robots_stabilises(setting):
    for nodes in (1, 2, 3):
        found = check(setting, Family(nodes, 'all', 2))
        assert not found.wrong and found.networks == (1, 2, 20)[nodes - 1]


@pytest.mark.parametrize('setting', [SETTINGS[0], SETTINGS[3]], ids=str)
def test_every_network_of_four_robots_stabilises(setting):
    found = check(setting, Family(4, 'parity', 1))
    assert not found.wrong and found.networks == 38
    assert found.ends == (1 if setting.hysteresis == 0.0 else 8)


def test_graphs_enumerates_all_connected_graphs():
    """Compare with the numbers of connected labelled graphs (OEIS A001187)."""
    assert [sum(1 for _ in graphs(nodes, 'one')) for nodes in (1, 2, 3, 4, 5)] == [
        1, 1, 4, 38, 728]


def test_hysteresis_has_two_final_states():
    """Robot 3 is the strongest. Robot 1 is 3 m away, between the joining radius and the radius."""
    settled = explored(STEADY, STEADY.rounds(), LINE, 2)
    assert sorted(tuple(end[i].leader for i in (1, 2, 3)) for end in settled.ends) == [
        (1, 3, 3), (3, 3, 3)]


@pytest.mark.parametrize('seed', range(12))
def test_explored_sets_contain_all_random_executions(seed):
    """Compare the exploration with random executions, in which messages are lost."""
    draw = random.Random(seed)
    setting = draw.choice(SETTINGS[:6])
    graph = draw.choice(list(graphs(3, 'all')) + list(graphs(4, 'parity')))
    rounds, strengths = setting.rounds(), setting.strength(graph)
    starts = corrupted(setting, graph, 1)
    network = simulate.Network(BOUNDED, graph, strengths, configure(
        setting.radius, setting.ties, setting.hop_limit, setting.hysteresis))
    for i in graph:
        network.states[i] = draw.choice(starts[i])
        for j in graph[i]:
            network.mailboxes[i][j] = draw.choice(starts[j])
    explorer = Network(rounds, graph, strengths)
    first = {i: rounds.rows(states) for i, states in starts.items()}
    settled, sets = explorer.settle(first, 60), explorer.closure(first)
    epochs = bound(setting, graph, len(graph))
    assert settled.epochs <= epochs
    for epoch in range(settled.epochs + 3):
        sets = explorer.epoch(sets)
        possible = {i: set(rounds.states(rows)) for i, rows in sets.items()}
        for i in run_an_epoch(network, draw):
            assert network.states[i] in possible[i], epoch
        if epoch > settled.epochs:
            assert network.states in settled.ends


def run_an_epoch(network: simulate.Network, draw: random.Random) -> Iterator[int]:
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


def test_dead_leader_is_reported_as_undecided_when_nothing_limits_it():
    """Both the hop limit and the radius are infinite."""
    setting = Setting(radius=1e6, hop_limit=NO_HOP_LIMIT)
    with pytest.raises(Undecided):
        explored(setting, setting.rounds(), LINE, 1)


def own_too(device, state, neighbours, metric, parameters):
    """Return the strongest candidacy within the radius, those of the device's own id included."""
    value, distance, leader, hops = -device.strength, 0.0, device.id, 0
    for j in range(len(metric)):
        far = neighbours.distance[j] + metric[j]
        if (far <= parameters.radius and 0 <= neighbours.hops[j] < parameters.hop_limit
                and neighbours.value[j] < value):
            value, distance, leader = neighbours.value[j], far, neighbours.leader[j]
            hops = neighbours.hops[j] + 1
    return Candidacy(value, distance, leader, hops)


def test_violation_is_found_when_robots_adopt_their_own_candidacy():
    setting, graph = Setting(), {1: {2: 1.0}, 2: {1: 1.0}}
    assert misplaced(setting, setting.rounds(), graph, 2) == []
    wrong = Rounds(replace(BOUNDED, round=own_too), configure(4.0, 'id', 4))
    assert any(line.startswith('2 follows itself by way of others')
               for line in misplaced(setting, wrong, graph, 2))


@pytest.mark.parametrize('wrong, change', [
    ('does not lead', {3: Candidacy(-9.0, 2.0, 7, 1)}),
    ('does not lead', {2: Candidacy(-4.0, 2.0, 3, 1)}),
    ('beyond', {1: Candidacy(-3.0, 3.0, 3, 5)}),
    ('on its way', {1: Candidacy(-3.0, 2.5, 3, 2)}),
    ('does not join', {2: Candidacy(-2.0, 0.0, 2, 0), 1: Candidacy(-2.0, 1.0, 2, 1)}),
])
def test_violation_names_the_broken_rule_of_the_partition(wrong, change):
    states = {1: Candidacy(-3.0, 3.0, 3, 2), 2: Candidacy(-3.0, 2.0, 3, 1),
              3: Candidacy(-3.0, 0.0, 3, 0)}
    assert violations(STEADY, LINE, states) == []
    assert any(wrong in violation for violation in violations(STEADY, LINE, states | change))
