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
Recursive: elect the best device. Devices too far away from it elect again among themselves.

D. Pianini, R. Casadei, M. Viroli, "Self-stabilising Priority-Based Multi-Leader Election and
Network Partitioning", ACSOS 2022, section IV-A, the trivial version, as published. At each level,
gossip finds the best device and a gradient the distance to it. Devices within the radius adopt it
as their leader. The others continue at the next level, among themselves.

From a fresh start it converges to the partition of Bounded Election with ties by id, if there are
enough levels. But it is not self-stabilising: gossip only improves, so the value of a failed
device circulates between two neighbours and occupies a level forever. A device whose strength
decreases cannot correct its old value either: the published remedy is that it leaves the gossip
for one round, which does not reach the other devices. The self-stabilising variant is
:mod:`leader_election.election.algorithms.replicated`.
"""

from collections.abc import Sequence
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.fields import (
    Hops,
    Id,
    make_columns,
    Negated,
    NO_HOP_LIMIT,
    NOBODY,
    PerLevel,
    Unbounded,
)
import numpy as np

LEVELS = 16
"""
The number of levels on robots: the longest chain of leaders whose regions depend on each other.
The published algorithm has no limit. Here, a device that reaches the last level leads itself. The
laboratory takes any number of levels.
"""


class Levels(NamedTuple):
    """The state of a device: its knowledge at each level that it has reached."""

    depth: int
    """The level at which it found its leader, -1 before its first round."""
    strength: float
    """Its own strength in the previous round."""
    best_value: PerLevel[tuple[Negated[Unbounded], ...]]
    """At each level: the value (strength, negated) of the best device, infinite without gossip."""
    best: PerLevel[tuple[Id, ...]]
    """At each level: the id of the best device, ``NOBODY`` without gossip."""
    best_distance: PerLevel[tuple[Unbounded, ...]]
    """At each level: the distance to the best device over devices of that level [m]."""
    distance: float
    """Distance to the leader [m]."""
    leader: int
    """The leader's id."""
    best_hops: PerLevel[tuple[Hops, ...]]
    """At each level: the number of hops of ``best_distance``."""


LevelsOfAll: Any = make_columns('LevelsOfAll', Levels._fields)


class RecursiveParameters(NamedTuple):
    """The parameters of a round, the same on all devices."""

    radius: float
    """The largest distance to a leader, inclusive [m]."""
    hop_limit: int = NO_HOP_LIMIT


def recursive_round(device: Device, state: Levels, neighbours: Any, metric: Sequence[float],
                    parameters: RecursiveParameters) -> Levels:
    """
    Return a device's knowledge at each level, from the first to the level of its leader.

    In its first round, and whenever its strength has changed, a device has no gossip and leads
    itself. Of equal strengths the lower id wins.

    Device 1 receives messages of the stronger device 2, 3 m away. With a radius of 2 m it
    continues at the next level, where it is alone.

    >>> weak, strong = Device(id=1, strength=5.0), Device(id=2, strength=9.0)
    >>> wide, narrow = RecursiveParameters(3.0), RecursiveParameters(2.0)
    >>> first = RECURSIVE.compute(strong, start(strong), [], [], wide)
    >>> second = RECURSIVE.compute(strong, first, [], [], wide)
    >>> own = RECURSIVE.compute(weak, start(weak), [first], [3.0], wide)
    >>> found = RECURSIVE.compute(weak, own, [second], [3.0], wide)
    >>> found.leader, found.distance, found.depth
    (2, 3.0, 0)
    >>> found = RECURSIVE.compute(weak, own, [second], [3.0], narrow)
    >>> found.leader, found.distance, found.depth, found.best[:2]
    (1, 0.0, 1, (2, 1))
    """
    return elected(device, state, neighbours, metric, parameters, True)


def elected(device: Device, state: Levels, neighbours: Any, metric: Sequence[float],
            parameters: RecursiveParameters, at_once: bool) -> Levels:
    """
    Return the result of :func:`recursive_round`.

    :param at_once: whether the device takes part in the gossip of a level in the same round in
        which it reaches that level, as on robots. Otherwise it leads itself there for that round.
    """
    levels = len(state.best)
    # Only the levels that it reaches are computed and returned.
    best_value: Any = np.empty(levels)
    best: Any = np.empty(levels, np.int64)
    best_distance: Any = np.empty(levels)
    best_hops: Any = np.empty(levels, np.int64)
    for level in range(levels - 1):
        best_value[level], best[level], best_hops[level] = math.inf, NOBODY, 0
        pair = -device.strength, device.id
        if gossips(level, device, state, at_once):
            for j in range(len(metric)):
                if neighbours.depth[j] >= level:
                    received = neighbours.best_value[j][level], neighbours.best[j][level]
                    if received[1] >= 0 and received < pair:
                        pair = received
            best_value[level], best[level] = pair
        if pair[1] == device.id:
            best_distance[level] = 0.0
        else:
            best_distance[level], best_hops[level] = nearest(
                level, neighbours.depth, neighbours.best_distance, neighbours.best_hops, metric,
                parameters.hop_limit)
        if best_distance[level] <= parameters.radius:
            used = level + 1
            return Levels(level, device.strength, best_value[:used], best[:used],
                          best_distance[:used], best_distance[level], pair[1], best_hops[:used])
    used = levels - 1
    return Levels(used, device.strength, best_value[:used], best[:used], best_distance[:used],
                  0.0, device.id, best_hops[:used])


def gossips(level: int, device: Device, state: Levels, at_once: bool) -> bool:
    """Return whether a device takes part in the gossip: its strength has not changed."""
    if level <= state.depth:
        return device.strength == state.strength
    return at_once and level > 0


def nearest(level: int, depth: Sequence[int], distance: Sequence[Sequence[float]],
            hops: Sequence[Sequence[int]], metric: Sequence[float],
            hop_limit: int) -> tuple[float, int]:
    """
    Return the distance to the best device of a level, over the best neighbour [m], and its hops.

    Infinite if no neighbour has reached that level.

    >>> distances, hops = [(0.0, 0.0), (9.0, 3.0), (9.0, 5.0)], [(0, 0), (2, 1), (2, 1)]
    >>> nearest(1, [0, 1, 2], distances, hops, [1.0, 4.0, 1.0], NO_HOP_LIMIT)
    (6.0, 2)
    """
    least, count = math.inf, 0
    for j in range(len(metric)):
        if depth[j] >= level and 0 <= hops[j][level] < hop_limit:
            far = distance[j][level] + metric[j]
            if far < least:
                least, count = far, hops[j][level] + 1
    return least, count


def start(device: Device) -> Levels:
    """Return the initial state: the device leads itself."""
    return Levels(-1, device.strength, (math.inf,) * LEVELS, (NOBODY,) * LEVELS,
                  (math.inf,) * LEVELS, 0.0, device.id, (0,) * LEVELS)


RECURSIVE = ALGORITHMS.add(Algorithm(
    name='recursive',
    round=recursive_round,
    state=Levels,
    columns=LevelsOfAll,
    start=start,
    configure=RecursiveParameters,
    levels=LEVELS,
))
