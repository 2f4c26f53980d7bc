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
Recursive election on time-replicated gossip, which stabilises by itself.

The levels are those of :mod:`leader_election.algorithms.recursive` (Pianini, Casadei, Viroli,
ACSOS 2022, IV-A). The gossip of each is replicated in time: D. Pianini, J. Beal, M. Viroli,
"Improving gossip dynamics through overlapping replicates", COORDINATION 2016. A clock that all
share ticks once a period. At each tick a new replicate of the gossip begins, knowing nothing of
the older ones, and the oldest one is dropped. The oldest that is left, which has had most time
to get round, gives the answer. What a device that is gone once said dies with the replicates that
heard it, after as many periods as there are replicates.

A replicate gets round while older ones answer: (replicates - 1) periods have to be longer than
the rounds that news takes across the network. A device whose clock is far ahead (another swarm
that comes by) makes all others follow it, and forget what they knew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.algorithms.fields import Ticks, Unbounded
from leader_election.algorithms.recursive import LEVELS, nearest, NOBODY
from leader_election.parameters import parameter
import numpy as np

MOST_REPLICATES = 4
"""More would not get into a message."""
ENTRIES = LEVELS * MOST_REPLICATES


class Replicates(NamedTuple):
    """What a device knows in each replicate at each level that it has got to."""

    clock: int
    """The number of the youngest replicate."""
    rounds: Ticks
    """Since the clock's last tick."""
    depth: int
    """The level at which it found its leader."""
    best_value: tuple[Unbounded, ...]
    """
    The value (strength, negated) of the best device: for each level one number a replicate, the
    youngest first.
    """
    best: tuple[int, ...]
    """The id of the best device, in the same order."""
    best_distance: tuple[Unbounded, ...]
    """At each level: the distance to the oldest replicate's best [m]."""
    distance: float
    """Distance to the leader [m]."""
    leader: int
    """The leader's id."""


class ReplicatesOfAll(NamedTuple):
    """The replicates of all neighbours, a column a field."""

    clock: Sequence[int]
    rounds: Sequence[int]
    depth: Sequence[int]
    best_value: Sequence[Sequence[float]]
    best: Sequence[Sequence[int]]
    best_distance: Sequence[Sequence[float]]
    distance: Sequence[float]
    leader: Sequence[int]


@dataclass(frozen=True)
class ReplicatedSettings:
    """The parameters of the algorithm's own."""

    replicates: int = parameter(
        3, 'Algorithm recursive-replicated: how many replicates of the gossip live at once.',
        lower=2, upper=MOST_REPLICATES)
    replicate_period: int = parameter(
        20, 'Algorithm recursive-replicated: from the start of one replicate to that of the next. '
        'News has to get across the swarm within (replicates - 1) periods.',
        unit='rounds', lower=1, upper=1000000)


class ReplicatedParameters(NamedTuple):
    """What is the same for all devices and rounds."""

    radius: float
    """The farthest that a leader reaches, inclusive [m]."""
    replicates: int
    """How many live at once."""
    period: int
    """From one tick of the clock to the next [rounds]."""


def replicated_round(
    device: Device,
    state: Replicates,
    neighbours: ReplicatesOfAll,
    metric: Sequence[float],
    parameters: ReplicatedParameters,
) -> Replicates:
    """
    Return what a device knows in each replicate, from the first level to where it has a leader.

    Equal strengths are told apart by the lower id.
    """
    clock, rounds = ticked(state.clock, state.rounds, neighbours.clock, len(metric),
                           parameters.period)
    replicates = parameters.replicates
    best_value: Any = np.full(ENTRIES, math.inf)
    best: Any = np.full(ENTRIES, NOBODY)
    best_distance: Any = np.full(LEVELS, math.inf)
    for level in range(LEVELS - 1):
        first = level * replicates
        pair = -device.strength, device.id
        for replicate in range(replicates):
            pair = -device.strength, device.id
            for j in range(len(metric)):
                # A neighbour whose clock is behind has this replicate in a younger one's place.
                its = replicate - (clock - neighbours.clock[j])
                if its >= 0 and neighbours.depth[j] >= level:
                    heard = neighbours.best_value[j][first + its], neighbours.best[j][first + its]
                    if heard < pair:
                        pair = heard
            best_value[first + replicate], best[first + replicate] = pair
        if pair[1] == device.id:
            best_distance[level] = 0.0
        else:
            best_distance[level] = nearest(
                level, neighbours.depth, neighbours.best_distance, metric)
        if best_distance[level] <= parameters.radius:
            return Replicates(clock, rounds, level, best_value, best, best_distance,
                              best_distance[level], pair[1])
    return Replicates(clock, rounds, LEVELS - 1, best_value, best, best_distance, 0.0, device.id)


def ticked(clock: int, rounds: int, clocks: Sequence[int], neighbours: int,
           period: int) -> tuple[int, int]:
    """
    Return the clock in this round, and the rounds since its last tick.

    It is never behind a neighbour's; whoever has counted a period's rounds lets it tick.

    >>> ticked(7, 3, [7, 6], 2, period=5), ticked(7, 4, [7, 6], 2, period=5)
    ((7, 4), (8, 0))
    >>> ticked(7, 3, [7, 9], 2, period=5)
    (9, 0)
    """
    latest = clock
    for j in range(neighbours):
        latest = max(latest, clocks[j])
    if latest > clock:
        return latest, 0
    if 0 <= rounds and rounds + 1 < period:
        return clock, rounds + 1
    return clock + 1, 0


def start(device: Device) -> Replicates:
    """Return the state of a device that has not run a round, and leads itself."""
    return Replicates(0, 0, -1, (math.inf,) * ENTRIES, (NOBODY,) * ENTRIES,
                      (math.inf,) * LEVELS, 0.0, device.id)


def configure(radius: float, replicates: int, replicate_period: int) -> ReplicatedParameters:
    """
    Return the parameters of the round.

    :param radius: the farthest that a leader reaches [m], >= 0, inclusive.
    :param replicates: how many live at once, 2 to :data:`MOST_REPLICATES`.
    :param replicate_period: from the start of one to that of the next [rounds], >= 1.
    """
    return ReplicatedParameters(radius, replicates, replicate_period)


REPLICATED = ALGORITHMS.add(Algorithm(
    name='recursive-replicated',
    round=replicated_round,
    state=Replicates,
    columns=ReplicatesOfAll,
    start=start,
    configure=configure,
    parameters=ReplicatedSettings,
))
