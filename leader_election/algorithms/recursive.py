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
Recursive: elect the best of all; who is too far away from it elects again among the rest.

D. Pianini, R. Casadei, M. Viroli, "Self-stabilising Priority-Based Multi-Leader Election and
Network Partitioning", ACSOS 2022, section IV-A, the trivial version, as published: at each level
the best device is found by gossip, the distance to it by a gradient, and devices within the radius
take it as their leader. The others go on to the next level, among themselves only.

From a fresh start this comes to the partition of Bounded Election with ties by id, as long as
there are levels enough. But it does not stabilise: gossip only ever improves, and the candidacy
of a device that is gone lives on between two neighbours that tell it to each other, and takes up
a level for ever. Nor can a device that has grown weaker make others forget how strong it was: the
published remedy, to leave the gossip for a round when one's own strength changes, reaches none of
the others. The variant that stabilises is :mod:`leader_election.algorithms.replicated`.
"""

from collections.abc import Sequence
import math
from typing import Any, NamedTuple

from leader_election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.algorithms.fields import Unbounded
import numpy as np

LEVELS = 16
"""
How deep it goes. The published one goes on without end; here, who arrives at the last level
leads itself.
"""
NOBODY = -1
"""The id of the best device where there is no gossip."""


class Levels(NamedTuple):
    """What a device knows at each level that it has got to."""

    depth: int
    """The level at which it found its leader; -1: it has not run a round yet."""
    strength: float
    """Its own, in the round before."""
    best_value: tuple[Unbounded, ...]
    """At each level: the value (strength, negated) of the best device; infinite: no gossip."""
    best: tuple[int, ...]
    """At each level: the id of the best device."""
    best_distance: tuple[Unbounded, ...]
    """At each level: the distance to the best device over devices of that level [m]."""
    distance: float
    """Distance to the leader [m]."""
    leader: int
    """The leader's id."""


class LevelsOfAll(NamedTuple):
    """The levels of all neighbours, a column a field."""

    depth: Sequence[int]
    strength: Sequence[float]
    best_value: Sequence[Sequence[float]]
    best: Sequence[Sequence[int]]
    best_distance: Sequence[Sequence[float]]
    distance: Sequence[float]
    leader: Sequence[int]


class RecursiveParameters(NamedTuple):
    """What is the same for all devices and rounds."""

    radius: float
    """The farthest that a leader reaches, inclusive [m]."""


def recursive_round(
    device: Device,
    state: Levels,
    neighbours: LevelsOfAll,
    metric: Sequence[float],
    parameters: RecursiveParameters,
) -> Levels:
    """
    Return what a device knows at each level, from the first to the one where it has a leader.

    In its first round, and whenever its strength has changed, a device has no gossip and leads
    itself. Equal strengths are told apart by the lower id.

    Device 1 hears the stronger device 2, 3 m away. With a radius of 2 m it goes on to the next
    level, where it is alone.

    >>> weak, strong = Device(id=1, strength=5.0), Device(id=2, strength=9.0)
    >>> wide, narrow = RecursiveParameters(3.0), RecursiveParameters(2.0)
    >>> first = RECURSIVE.compute(strong, start(strong), [], [], wide)
    >>> second = RECURSIVE.compute(strong, first, [], [], wide)
    >>> own = RECURSIVE.compute(weak, start(weak), [first], [3.0], wide)
    >>> found = RECURSIVE.compute(weak, own, [second], [3.0], wide)
    >>> found.leader, found.distance, found.depth
    (2, 3.0, 0)
    >>> found = RECURSIVE.compute(weak, own, [second], [3.0], narrow)
    >>> found.leader, found.distance, found.depth
    (1, 0.0, 1)
    """
    best_value: Any = np.full(LEVELS, math.inf)
    best: Any = np.full(LEVELS, NOBODY)
    best_distance: Any = np.full(LEVELS, math.inf)
    for level in range(LEVELS - 1):
        pair = -device.strength, device.id
        if gossips(level, device, state):
            for j in range(len(metric)):
                if neighbours.depth[j] >= level:
                    heard = neighbours.best_value[j][level], neighbours.best[j][level]
                    if heard < pair:
                        pair = heard
            best_value[level], best[level] = pair
        if pair[1] == device.id:
            best_distance[level] = 0.0
        else:
            best_distance[level] = nearest(
                level, neighbours.depth, neighbours.best_distance, metric)
        if best_distance[level] <= parameters.radius:
            return Levels(level, device.strength, best_value, best, best_distance,
                          best_distance[level], pair[1])
    return Levels(LEVELS - 1, device.strength, best_value, best, best_distance, 0.0, device.id)


def gossips(level: int, device: Device, state: Levels) -> bool:
    """Return whether a device takes part in the gossip: its strength is what it was."""
    if level <= state.depth:
        return device.strength == state.strength
    return level > 0


def nearest(level: int, depth: Sequence[int], distance: Sequence[Sequence[float]],
            metric: Sequence[float]) -> float:
    """
    Return the distance to the best device of a level by way of the nearest neighbour of it [m].

    Infinite where no neighbour has got to that level.

    >>> nearest(1, [0, 1, 2], [(0.0, 0.0), (9.0, 3.0), (9.0, 5.0)], [1.0, 4.0, 1.0])
    6.0
    """
    least = math.inf
    for j in range(len(metric)):
        if depth[j] >= level:
            least = min(least, distance[j][level] + metric[j])
    return least


def start(device: Device) -> Levels:
    """Return the state of a device that has not run a round, and leads itself."""
    return Levels(-1, device.strength, (math.inf,) * LEVELS, (NOBODY,) * LEVELS,
                  (math.inf,) * LEVELS, 0.0, device.id)


def configure(radius: float) -> RecursiveParameters:
    """
    Return the parameters of the round.

    :param radius: the farthest that a leader reaches [m], >= 0, inclusive.
    """
    return RecursiveParameters(radius)


RECURSIVE = ALGORITHMS.add(Algorithm(
    name='recursive',
    round=recursive_round,
    state=Levels,
    columns=LevelsOfAll,
    start=start,
    configure=configure,
))
