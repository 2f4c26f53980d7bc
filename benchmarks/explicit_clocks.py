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
Explicit-state check of the shared clock of ``recursive-replicated``: all small networks, lockstep.

From every combination of clocks out of a set with the ends of the numbers, all clocks must be
equal after :func:`bound` rounds, and from then on. The bound is the diameter, and twice that if
the step from the last number to 0 occurs meanwhile. The function is the robots' own, compiled.
"""

from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.state_sets import Graph
from leader_election.election.algorithms.replicated import MOST_TICKS, ticked
from leader_election_lab.engine.compilation import jit
from leader_election_lab.engine.entry_points import make_compilable
import numpy as np

CLOCKS = (0, 1, 2, 2**31, 2**31 + 1, MOST_TICKS - 1, MOST_TICKS)
PERIOD = 3


class Unison(NamedTuple):
    """The result of the check of a network."""

    starts: int
    transitions: int
    rounds: int
    """The most rounds until all clocks are equal, for good."""


def bound(nodes: int) -> int:
    """Return the number of rounds within which the clocks of the devices become equal."""
    return 2 * nodes


def check(graph: Graph, clocks: Sequence[int] = CLOCKS) -> Unison:
    """Return the result for the clocks of a network, from any of these values."""
    size = len(graph)
    index = {i: k for k, i in enumerate(graph)}
    links = np.zeros((size, size), np.int64)
    degrees = np.array([len(row) for row in graph.values()], np.int64)
    for i, row in graph.items():
        links[index[i], :len(row)] = [index[j] for j in row]
    rounds = 2 * bound(size)
    worst = _explore(links, degrees, np.array(clocks, np.int64), rounds)
    starts = len(clocks) ** size
    return Unison(starts, starts * rounds * size, int(worst))


make_compilable(ticked)


@jit
def _explore(links, degrees, clocks, rounds):  # type: ignore[no-untyped-def]
    """Return the greatest number of rounds until all clocks are equal for good."""
    size, worst = len(degrees), 0
    clock, since = np.zeros(size, np.int64), np.zeros(size, np.int64)
    heard, heard_since = clock.copy(), clock.copy()
    after, since_after = clock.copy(), since.copy()
    for start in range(len(clocks) ** size):
        rest = start
        for i in range(size):
            clock[i], rest = clocks[rest % len(clocks)], rest // len(clocks)
            # Devices are at different places of their periods.
            since[i] = i % PERIOD
        for n in range(rounds):
            for i in range(1, size):
                if clock[i] != clock[0] or since[i] != since[0]:
                    worst = max(worst, n + 1)
            for i in range(size):
                for j in range(degrees[i]):
                    heard[j], heard_since[j] = clock[links[i, j]], since[links[i, j]]
                after[i], since_after[i] = ticked(
                    clock[i], since[i], heard, heard_since, degrees[i], PERIOD, False)
            clock[:], since[:] = after, since_after
    return worst
