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
Explicit-state check of Bounded Election: all small networks, from any state, in any order.

Every connected graph of labelled devices (which device is stronger matters, so graphs are not
reduced up to isomorphism) is explored by :mod:`benchmarks.state_sets`, with the compiled round of
the robots: in any order, with any losses and delays. At the start each device has, and each
mailbox holds, any state of :func:`corrupted`. For each network the check is

- that every execution ends in a partition with the guarantees (:func:`violations`; without
  hysteresis: exactly in the reference partition), and
- that it does so within :func:`bound` epochs. An epoch is a round of each device whose message
  arrives, in lockstep without losses it is one round, and
- that no device is ever led by itself from a distance (:func:`misplaced`).
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
import heapq
from itertools import combinations, product
import math
import sys
import time
from typing import Any, NamedTuple

from benchmarks.state_sets import Graph, MOST_COMBINATIONS, Network, Rounds, Settled, Undecided
from leader_election.election.algorithms import BOUNDED, Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.bounded import Candidacy, configure
from leader_election.election.algorithms.fields import NO_HOP_LIMIT
from leader_election.swarm.reference_partition import partition

STRENGTHS = {
    'distinct': lambda i: float(i),
    'equal': lambda i: 1.0,
    'pairs': lambda i: float(1 + i // 2),
    'barred': lambda i: float(i) if i % 2 else BARRED,
}
"""The strength of each device by its id, ``barred`` if devices with even ids may not lead."""

LENGTHS = {
    'all': None,
    'one': lambda a, b: 1.0,
    'parity': lambda a, b: 1.0 + (a + b) % 2,
    'product': lambda a, b: 1.0 + (a * b) % 2,
}
"""The length of the link of two devices [m], ``all`` for 1 or 2, in every combination."""


@dataclass(frozen=True)
class Setting:
    """The parameters of a round, and the devices."""

    radius: float = 4.0
    hysteresis: float = 0.0
    hop_limit: int = 4
    ties: str = 'id'
    strengths: str = 'distinct'

    @property
    def joining(self) -> float:
        """Return the greatest distance at which a leader is joined [m]."""
        return self.radius * (1.0 - self.hysteresis)

    def rounds(self) -> Rounds:
        """Return the compiled round with these parameters."""
        return Rounds(BOUNDED, configure(self.radius, self.ties, self.hop_limit, self.hysteresis))

    def strength(self, graph: Graph) -> dict[int, float]:
        """Return the strength of each device."""
        return {i: STRENGTHS[self.strengths](i) for i in graph}

    def __str__(self) -> str:
        limit = 'none' if self.hop_limit == NO_HOP_LIMIT else self.hop_limit
        return (f'radius {self.radius:g}, joining {self.joining:g}, hop limit {limit}, '
                f'{self.strengths} strengths, ties {self.ties}')


SETTINGS = (
    Setting(hop_limit=NO_HOP_LIMIT),
    Setting(),
    Setting(hysteresis=0.4),
    Setting(radius=3.0, hysteresis=0.5),
    Setting(hysteresis=0.3, hop_limit=2),
    Setting(radius=1e6, hysteresis=0.5, hop_limit=5),
    Setting(hysteresis=0.4, strengths='pairs'),
    Setting(hysteresis=0.4, strengths='pairs', ties='nearest'),
    Setting(hysteresis=0.4, strengths='barred'),
)


def graphs(nodes: int, lengths: str) -> Iterator[Graph]:
    """Yield every connected graph of devices 1, 2, ..., with every choice of lengths [m]."""
    pairs = list(combinations(range(1, nodes + 1), 2))
    rule = LENGTHS[lengths]
    choices = [(0.0, 1.0, 2.0) if rule is None else (0.0, rule(a, b)) for a, b in pairs]
    for picked in product(*choices):
        graph: dict[int, dict[int, float]] = {i: {} for i in range(1, nodes + 1)}
        for (a, b), length in zip(pairs, picked):
            if length:
                graph[a][b] = graph[b][a] = length
        if len(distances(graph, {1}, set(graph))) == nodes:
            yield graph


def distances(graph: Graph, sources: set[int], among: set[int]) -> dict[int, float]:
    """Return the length of the shortest path from the nearest source, over some devices [m]."""
    found: dict[int, float] = {}
    queue = [(0.0, i) for i in sources]
    while queue:
        far, i = heapq.heappop(queue)
        if i not in found:
            found[i] = far
            for j, length in graph[i].items():
                if j in among:
                    heapq.heappush(queue, (far + length, j))
    return found


def corrupted(setting: Setting, graph: Graph, detail: int) -> dict[int, list[Candidacy]]:
    """
    Return the states that each device may have at the start, and may have sent to any mailbox.

    :param detail: 0 to 2: few for large, many for small networks.
    """
    strengths = setting.strength(graph)
    strongest = max(strengths, key=lambda i: (strengths[i], -i))
    ghost, weak_ghost = len(strengths) + 1, 0
    edge = setting.radius - 1.0
    last = min(setting.hop_limit, 9) - 1
    band = (setting.joining + setting.radius) / 2 - 1.0
    best, middle = -max(strengths.values()), -sorted(strengths.values())[len(strengths) // 2]
    states = [
        # A leader that does not exist: near, and at the greatest relayed distance or hops.
        Candidacy(best - 9.0, 0.0, ghost, 0), Candidacy(best - 9.0, 0.0, ghost, last),
        Candidacy(best - 9.0, edge, ghost, 0),
        # The strongest, at a distance that is wrong: none, and in the band of the hysteresis.
        Candidacy(best, 0.0, strongest, 0), Candidacy(best, band, strongest, 1),
    ]
    if detail > 0:
        # Another dead leader, and all living ones.
        states += [Candidacy(middle - 0.5, 0.0, weak_ghost, 0)]
        states += [Candidacy(-strength, 0.0, i, 0) for i, strength in strengths.items()]
    if detail > 1:
        states += [
            Candidacy(best - 9.0, 0.0, ghost, -1), Candidacy(best - 9.0, 0.0, ghost, last + 1),
            Candidacy(best - 9.0, 0.0, strongest, 0), Candidacy(best, edge, strongest, last),
            Candidacy(middle - 0.5, band, weak_ghost, last),
        ]
        states += [Candidacy(-strength, band, i, 1) for i, strength in strengths.items()]
    return {i: list(dict.fromkeys([*states, Candidacy(-strengths[i], 0.0, i, 0)])) for i in graph}


def explored(setting: Setting, rounds: Rounds, graph: Graph, detail: int) -> Settled:
    """Return the ends of all executions on a graph; :class:`Undecided`: they may not end."""
    start = {i: rounds.rows(states) for i, states in corrupted(setting, graph, detail).items()}
    return Network(rounds, graph, setting.strength(graph)).settle(start, 60)


def misplaced(setting: Setting, rounds: Rounds, graph: Graph, detail: int) -> list[str]:
    """Return the devices that may, after a round, follow their own id relayed by another one."""
    start = {i: rounds.rows(states) for i, states in corrupted(setting, graph, detail).items()}
    after = Network(rounds, graph, setting.strength(graph)).epoch(start)
    return [f'{i} follows itself by way of others: {state}' for i, rows in after.items()
            for state in rounds.states(rows)
            if state.leader == i and (state.distance, state.hops) != (0.0, 0)]


def longest(setting: Setting, graph: Graph) -> int:
    """Return the number of links on the longest path within the radius, at most."""
    shortest = min((length for row in graph.values() for length in row.values()), default=math.inf)
    return min(len(graph) - 1, math.floor(setting.radius / shortest))


def is_cut(setting: Setting, graph: Graph) -> bool:
    """Return whether the limit of hops may end a path that the radius does not end."""
    return setting.hop_limit < longest(setting, graph)


def bound(setting: Setting, graph: Graph, leaders: int) -> int:
    """Return the number of epochs within which a network with a number of leaders is at rest."""
    shortest = min((length for row in graph.values() for length in row.values()), default=math.inf)
    hops = min(setting.hop_limit, math.floor(setting.radius / shortest))
    if is_cut(setting, graph):
        # A shorter path with more hops may repeatedly displace one with fewer.
        hops = longest(setting, graph)
    return leaders * ((4 if setting.hysteresis else 2) * hops + 1)


def violations(setting: Setting, graph: Graph, states: Mapping[int, Any]) -> list[str]:
    """Return the violated guarantees of a partition, empty for none."""
    found = []
    strengths = setting.strength(graph)
    regions = {i: {j for j in graph if states[j].leader == i} for i in graph}
    for i, (value, distance, leader, hops) in states.items():
        if leader not in graph or value != -strengths[leader] or leader not in regions[leader]:
            found.append(f'{i} follows {leader}, which does not lead')
        elif distance > setting.radius or hops > setting.hop_limit:
            found.append(f'{i} is beyond the radius or the limit of hops')
        elif i == leader and (distance, hops) != (0.0, 0):
            found.append(f'{i} leads and is not at its own place')
        elif i != leader and not any(
                states[j].leader == leader and states[j].distance + length == distance
                and states[j].hops + 1 == hops for j, length in graph[i].items()):
            found.append(f'{i} has no member of its region on its way to {leader}')
        elif not is_cut(setting, graph) and distance != distances(
                graph, {leader}, regions[leader])[i]:
            found.append(f'{i} is not at its shortest way inside the region of {leader}')
        for j, length in graph[i].items():
            far = states[j].distance + length
            if far <= setting.joining and states[j].hops < setting.hop_limit and states[
                    j].leader not in (i, leader):
                order = 0.0 if setting.ties == 'id' else distance - far
                if (states[j].value, -order, states[j].leader) < (value, 0.0, leader):
                    found.append(f'{i} does not join {states[j].leader}, which is stronger')
    if setting.hysteresis == 0.0 and not is_cut(setting, graph):
        right = partition(graph, strengths, setting.radius, setting.ties)
        if {i: (s.leader, s.distance) for i, s in states.items()} != {
                i: assigned[:2] for i, assigned in right.items()}:
            found.append('it is not the reference partition')
    return found


class Family(NamedTuple):
    """Networks that are checked with a setting."""

    nodes: int
    lengths: str
    detail: int


def families(nodes: int) -> list[Family]:
    """Return the networks with a number of nodes."""
    if nodes < 5:
        return [Family(nodes, 'all', 2)]
    if nodes == 5:
        return [Family(nodes, lengths, 1) for lengths in ('one', 'parity', 'product')]
    return [Family(nodes, lengths, 0) for lengths in ('one', 'parity')]


@dataclass
class Covered:
    """The coverage of a family of networks, and its worst case."""

    networks: int = 0
    starts: float = 0.0
    """Decimal logarithm of the number of states of a network that it may start in."""
    states: int = 0
    """Different states of devices after an epoch, over all epochs and networks."""
    transitions: int = 0
    ends: int = 0
    """The most partitions that one network may end in."""
    epochs: int = 0
    """The most epochs that one network takes."""
    share: float = 0.0
    wrong: list[str] = field(default_factory=list)


def in_time(setting: Setting, rounds: Rounds, graph: Graph, detail: int) -> tuple[Settled, int]:
    """Return the ends of executions on a graph, and the bound. Refine if it is exceeded."""
    for most in (MOST_COMBINATIONS, 100 * MOST_COMBINATIONS):
        rounds.most_combinations = most
        found = explored(setting, rounds, graph, detail)
        leaders = min(len({state.leader for state in end.values()}) for end in found.ends)
        if found.epochs <= bound(setting, graph, leaders):
            break
    return found, bound(setting, graph, leaders)


def check(setting: Setting, family: Family, until: float = math.inf) -> Covered:
    """
    Check all networks of a family with a setting.

    :param until: the processor time at which to stop [s].
    """
    rounds, covered = setting.rounds(), Covered()
    everybody = {i: dict.fromkeys(set(range(1, family.nodes + 1)) - {i}, 1.0)
                 for i in range(1, family.nodes + 1)}
    pool = rounds.rows([state for states in corrupted(setting, everybody, family.detail).values()
                        for state in states])
    for i, strength in setting.strength(everybody).items():
        if not rounds.selects(Device(i, strength), pool, pool, (1.0, 2.0)):
            covered.wrong.append(f'{setting}: a round of device {i} does not select a message')
    for graph in graphs(family.nodes, family.lengths):
        if time.process_time() > until:
            break
        covered.networks += 1
        links = sum(map(len, graph.values()))
        many = max(map(len, corrupted(setting, graph, family.detail).values()))
        covered.starts = max(covered.starts, (len(graph) + links) * math.log10(many))
        covered.wrong += [f'{setting}: {graph}: {violation}'
                          for violation in misplaced(setting, rounds, graph, family.detail)]
        try:
            found, most = in_time(setting, rounds, graph, family.detail)
        except Undecided:
            covered.wrong.append(f'{setting}: {graph}: it may never come to rest')
            continue
        covered.ends = max(covered.ends, len(found.ends))
        covered.epochs = max(covered.epochs, found.epochs)
        covered.share = max(covered.share, found.epochs / most)
        if found.epochs > most:
            covered.wrong.append(f'{setting}: {graph}: {found.epochs} epochs, more than {most}')
        covered.wrong += [f'{setting}: {graph}: {violation}' for end in found.ends
                          for violation in violations(setting, graph, end)]
    covered.states, covered.transitions = rounds.reached, rounds.evaluated
    return covered


def main() -> int:
    """Check all families, and print the coverage."""
    parser = argparse.ArgumentParser(description=__doc__.strip().split('\n')[0])
    parser.add_argument('--nodes', type=int, default=5, help='the most devices (default: 5; 6 '
                        'takes some hours)')
    parser.add_argument('--minutes', type=float, default=math.inf,
                        help='the processor time after which to stop (default: none)')
    options = parser.parse_args()
    until = time.process_time() + 60.0 * options.minutes
    total, wrong = 0, []
    print('nodes lengths  networks  starts  device states   transitions  ends  epochs (of bound)'
          '  setting')
    for nodes in range(1, options.nodes + 1):
        for setting in SETTINGS:
            for family in families(nodes):
                found = check(setting, family, until)
                total += found.transitions
                wrong += found.wrong
                print(f'{nodes:5} {family.lengths:8} {found.networks:8}  10^{found.starts:<4.0f} '
                      f'{found.states:13,} {found.transitions:13,} {found.ends:5} '
                      f'{found.epochs:7} ({found.share:4.0%})      {setting}', flush=True)
    for line in wrong[:20]:
        print(f'wrong: {line}')
    over = time.process_time() > until
    print(f'{total:,} transitions, {len(wrong)} violations'
          + (', stopped by --minutes' if over else ''))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
