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
Recursive election on time-replicated gossip. It is self-stabilising.

The levels are those of :mod:`leader_election.election.algorithms.recursive` (Pianini, Casadei,
Viroli, ACSOS 2022, IV-A). The gossip of each is replicated in time: D. Pianini, J. Beal,
M. Viroli, "Improving gossip dynamics through overlapping replicates", COORDINATION 2016. A shared
clock ticks once per period. At each tick a new replicate of the gossip begins, independent of the
older ones, and the oldest replicate is dropped. The oldest remaining replicate, which had the most
time to spread, gives the result. The values of a failed device disappear with the replicates that
contain them, after as many periods as there are replicates.

A replicate spreads while older ones give the result: (replicates - 1) periods must be longer than
the number of rounds that a message takes across the network.

The clocks are in *unison* (M. G. Gouda, T. Herman, "Stabilizing unison", Information Processing
Letters 35 (1990)): in each round a device takes the least of its own time and its neighbours',
and adds one round. So a device waits for slower neighbours, and neighbours differ by at most one
round. Clocks that are farther apart, because two swarms meet or one clock is wrong, all fall to
the least of them, and the replicates begin again. In lockstep all clocks are equal after as many
rounds as the diameter of the network, from any state. A larger clock is never adopted: otherwise
waves of a wrong clock could circulate in a ring for ever, and a single message could drive all
clocks to the end of the numbers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.fields import (
    Count,
    Hops,
    Id,
    make_columns,
    Negated,
    NO_HOP_LIMIT,
    NOBODY,
    PerLevel,
    Ticks,
    Unbounded,
)
from leader_election.election.algorithms.recursive import LEVELS, nearest
from leader_election.parameters import parameter
import numpy as np

MOST_REPLICATES = 4
"""The largest number of replicates that fits into a message."""
ENTRIES = LEVELS * MOST_REPLICATES
MOST_TICKS = 2**53 - 1
"""The last number of a replicate. The next one is 0."""


class Replicates(NamedTuple):
    """The state of a device: its knowledge in each replicate, at each level reached."""

    clock: Count
    """The number of the youngest replicate."""
    rounds: Ticks
    """Rounds since the clock's last tick."""
    depth: int
    """The level at which it found its leader."""
    best_value: PerLevel[tuple[Negated[Unbounded], ...]]
    """
    The value (strength, negated) of the best device: for each level one number per replicate, the
    youngest first.
    """
    best: PerLevel[tuple[Id, ...]]
    """The id of the best device, in the same order."""
    best_distance: PerLevel[tuple[Unbounded, ...]]
    """At each level: the distance to the oldest replicate's best [m]."""
    distance: float
    """Distance to the leader [m]."""
    leader: int
    """The leader's id."""
    best_hops: PerLevel[tuple[Hops, ...]]
    """At each level: the number of hops of ``best_distance``."""


ReplicatesOfAll: Any = make_columns('ReplicatesOfAll', Replicates._fields)


@dataclass(frozen=True)
class ReplicatedSettings:
    """The algorithm's own parameters."""

    replicates: int = parameter(
        3, 'The number of replicates of the gossip.', lower=2, upper=MOST_REPLICATES)
    replicate_period: int = parameter(
        20, 'Time from the start of one replicate to the start of the next. A message '
        'has to cross the swarm within (replicates - 1) periods.',
        unit='rounds', lower=1, upper=1000000)


class ReplicatedParameters(NamedTuple):
    """The parameters of a round, the same on all devices."""

    radius: float
    """The largest distance to a leader, inclusive [m]."""
    replicates: int
    """The number of replicates, 2 to :data:`MOST_REPLICATES`."""
    replicate_period: int
    """The time from one tick of the clock, or one new replicate, to the next [rounds], >= 1."""
    hop_limit: int = NO_HOP_LIMIT


def replicated_round(device: Device, state: Replicates, neighbours: Any, metric: Sequence[float],
                     parameters: ReplicatedParameters) -> Replicates:
    """
    Return a device's knowledge in each replicate, from the first level to that of its leader.

    Of equal strengths the lower id wins.
    """
    # No round returns the depth of the initial state.
    clock, rounds = ticked(state.clock, state.rounds, neighbours.clock, neighbours.rounds,
                           len(metric), parameters.replicate_period, state.depth < 0)
    replicates = parameters.replicates
    levels, entries = len(state.best_distance), len(state.best)
    # Only the levels that it reaches are returned.
    best_value: Any = np.empty(entries)
    best: Any = np.empty(entries, np.int64)
    best_distance: Any = np.empty(levels)
    best_hops: Any = np.empty(levels, np.int64)
    for level in range(levels - 1):
        first = level * replicates
        pair = -device.strength, device.id
        for replicate in range(replicates):
            pair = -device.strength, device.id
            for j in range(len(metric)):
                # A slower neighbour has this replicate at the place of a younger one.
                its = replicate - (clock - neighbours.clock[j])
                if 0 <= its < replicates and neighbours.depth[j] >= level:
                    other = neighbours.best_value[j][first + its], neighbours.best[j][first + its]
                    if other[1] >= 0 and other < pair:
                        pair = other
            best_value[first + replicate], best[first + replicate] = pair
        if pair[1] == device.id:
            best_distance[level], best_hops[level] = 0.0, 0
        else:
            best_distance[level], best_hops[level] = nearest(
                level, neighbours.depth, neighbours.best_distance, neighbours.best_hops, metric,
                parameters.hop_limit)
        if best_distance[level] <= parameters.radius:
            used, entries = level + 1, first + replicates
            return Replicates(clock, rounds, level, best_value[:entries], best[:entries],
                              best_distance[:used], best_distance[level], pair[1],
                              best_hops[:used])
    used, entries = levels - 1, (levels - 1) * replicates
    return Replicates(clock, rounds, used, best_value[:entries], best[:entries],
                      best_distance[:used], 0.0, device.id, best_hops[:used])


def ticked(clock: int, rounds: int, clocks: Sequence[int], since: Sequence[int],
           neighbours: int, period: int, begins: bool) -> tuple[int, int]:
    """
    Return the clock in this round, and the rounds since its last tick.

    It is the least time of the device and its neighbours, plus one round.

    :param clocks: the neighbours' clocks, shape (neighbours,).
    :param since: the rounds since their last tick, shape (neighbours,).
    :param begins: whether this is the first round: then the neighbours' times alone count.

    >>> ticked(7, 3, [7, 7], [3, 3], 2, period=5, begins=False)
    (7, 4)
    >>> ticked(7, 4, [7, 8], [4, 0], 2, period=5, begins=False)
    (8, 0)
    >>> ticked(7, 3, [7, 900], [1, 0], 2, period=5, begins=False)
    (7, 2)
    >>> ticked(0, 0, [7, 7], [3, 4], 2, period=5, begins=True)
    (7, 4)
    """
    # Negative numbers come from a wrong state, and so do more rounds than the period.
    least, at = clock, max(rounds, 0)
    for j in range(neighbours):
        its = max(since[j], 0)
        if (begins and j == 0) or clocks[j] < least or (clocks[j] == least and its < at):
            least, at = clocks[j], its
    if at + 1 < period:
        return least, at + 1
    return (least + 1 if least < MOST_TICKS else 0), 0


def start(device: Device) -> Replicates:
    """Return the initial state: the device leads itself."""
    return Replicates(0, 0, -1, (math.inf,) * ENTRIES, (NOBODY,) * ENTRIES,
                      (math.inf,) * LEVELS, 0.0, device.id, (0,) * LEVELS)


REPLICATED = ALGORITHMS.add(Algorithm(
    name='recursive-replicated',
    round=replicated_round,
    state=Replicates,
    columns=ReplicatesOfAll,
    start=start,
    configure=ReplicatedParameters,
    parameters=ReplicatedSettings,
    levels=LEVELS,
))
