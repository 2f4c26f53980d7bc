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
Resilient: one leader for the network, which measures how far it has to reach.

Y. Mo, G. Audrito, S. Dasgupta, J. Beal, "A Resilient Leader Election Algorithm Using Aggregate
Computing Blocks", IFAC World Congress 2020 (IFAC-PapersOnLine 53-2). Nobody needs to know how
large the network is. A device follows the best leader that it hears of within that leader's
radius; how deep a leader's region is runs back to it, hop by hop; and the leader sets its radius
to ``diameter_factor * depth + 1``. Distances are hops here, whatever the metric says.

What ``diameter_factor``, ``K`` for short, does: a region ``D`` hops deep is let grow to
``f(D) = ceil(K D + 1)`` hops, since news is passed on by whoever is nearer than the radius.

- ``K >= 1``: ``f(D) > D`` for every ``D``, so the best leader's region grows until it has the
  whole network, ``D`` hops deep. With 1 it grows by one hop for each way there and back, which
  is ``D (D + 1)`` rounds in lockstep; with 2 it doubles, which is no more than
  ``3 D + log2(D + 1) + 3``. The greater, the longer a leader that is gone is remembered: for the
  greatest radius less the smallest distance, plus 1, rounds.
- ``K < 1``: ``f(D) > D`` only as long as ``D < 1 / (1 - K)``. So regions stop growing, and there
  are several: what is out of the reach of the best leader elects another, and so on. ``f(D) = D``
  for the ``D`` with ``1 / (1 - K) <= D < 2 / (1 - K)``. Since ``f`` is monotone, a region that has
  the room grows from nothing to the first of these, ``ceil(1 / (1 - K))`` hops, and one that was
  larger shrinks to the last of them. Where a region has less room it is as deep as the room.

A lie (a leader that does not exist, a distance too small) grows by a hop a round and dies at
its radius. So a lie about the *radius* lives as long as it says, and only what is beyond
:data:`FARTHEST` is cut: a robot that invents radii of millions of hops is a danger to the swarm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from leader_election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.parameters import parameter

FARTHEST = 2.0**53
"""No radius is greater [hops]: from here on a float no longer grows by adding 1."""


class Follower(NamedTuple):
    """Whom a device follows, and what it knows of that leader's region."""

    value: float
    """The leader's strength, negated: smaller is better."""
    distance: float
    """Distance to the leader [hops], 0 on the leader itself."""
    leader: int
    """The leader's id."""
    radius: float
    """How far the leader reaches [hops]: who is nearer than this passes its news on."""
    diameter: float
    """The greatest distance of those whom this device has its news from, or gives it to [hops]."""
    id: int
    """The device's own id."""
    source: int
    """The id of the neighbour that the news is from; the device's own on a leader."""


class Followers(NamedTuple):
    """The same of all neighbours, a column a field."""

    value: Sequence[float]
    distance: Sequence[float]
    leader: Sequence[int]
    radius: Sequence[float]
    diameter: Sequence[float]
    id: Sequence[int]
    source: Sequence[int]


@dataclass(frozen=True)
class ResilientSettings:
    """The parameters of the algorithm's own."""

    diameter_factor: float = parameter(
        2.0, 'Algorithm resilient: a leader reaches as far as this many times the depth of its '
        'region, and one hop more. From 1 on there is one leader for the swarm, at 2 and more '
        'soon; the greater, the longer a leader that is gone is remembered. Below 1 there are '
        'several, each with a region of about 1 / (1 - diameter_factor) hops.',
        lower=0.0, upper=1000.0)
    radius_inclusive: bool = parameter(
        False, 'Algorithm resilient: whether a robot exactly as far from its leader as the leader '
        'reaches also forwards its candidacy. By the text of the paper it does not; the figures '
        'of the paper come out if it does.')


class ResilientParameters(NamedTuple):
    """What is the same for all devices and rounds."""

    diameter_factor: float
    """A leader's radius is this many times the depth of its region, plus 1 hop."""
    radius_inclusive: bool = False
    """Whether who is exactly as far from the leader as its radius passes its news on, too."""


def resilient_round(
    device: Device,
    state: Follower,
    neighbours: Followers,
    metric: Sequence[float],
    parameters: ResilientParameters,
) -> Follower:
    """
    Return whom a device follows now: the best leader that reaches it, if better than itself.

    Among neighbours that follow the best one: the nearest to it, then the one that knows of the
    greatest radius, then the lowest id.

    Device 2 hears device 1, of its own strength, lead with a radius of one hop. Device 3 is not
    reached by then, and remembers that its last region was two hops deep.

    >>> one = Followers([-5.0], [0.0], [1], [1.0], [0.0], [1], [1])
    >>> two = Device(id=2, strength=5.0)
    >>> found = resilient_round(two, start(two), one, [1.0], ResilientParameters(2.0))
    >>> found
    Follower(value=-5.0, distance=1.0, leader=1, radius=1.0, diameter=1.0, id=2, source=1)
    >>> three = Device(id=3, strength=5.0)
    >>> heard = Followers(*zip(found))
    >>> before = start(three)._replace(diameter=2.0)
    >>> resilient_round(three, before, heard, [1.0], ResilientParameters(2.0))
    Follower(value=-5.0, distance=0.0, leader=3, radius=5.0, diameter=0.0, id=3, source=3)
    """
    best = -device.strength, device.id
    chosen = -1
    for j in range(len(metric)):
        # One's own candidacy coming back would keep a memory of a strength one no longer has.
        if neighbours.leader[j] == device.id:
            continue
        reach = min(neighbours.radius[j], FARTHEST)
        if neighbours.distance[j] > reach:
            continue
        if neighbours.distance[j] == reach and not parameters.radius_inclusive:
            continue
        other = neighbours.value[j], neighbours.leader[j]
        if other < best:
            best, chosen = other, j
        elif chosen >= 0 and other == best:
            rank = neighbours.distance[j], -neighbours.radius[j], neighbours.id[j]
            if rank < (neighbours.distance[chosen], -neighbours.radius[chosen],
                       neighbours.id[chosen]):
                chosen = j

    if chosen < 0:
        # The depth as of the round before, as published.
        distance, parent = 0.0, device.id
        radius = min(parameters.diameter_factor * state.diameter + 1.0, FARTHEST)
    else:
        distance, parent = neighbours.distance[chosen] + 1.0, neighbours.id[chosen]
        radius = neighbours.radius[chosen]

    diameter = distance
    for j in range(len(metric)):
        if neighbours.source[j] == device.id:
            diameter = max(diameter, neighbours.diameter[j])
    return Follower(best[0], distance, best[1], radius, diameter, device.id, parent)


def start(device: Device) -> Follower:
    """Return the state of a device that leads itself, in a region of its own."""
    return Follower(-device.strength, 0.0, device.id, 1.0, 0.0, device.id, device.id)


def configure(diameter_factor: float, radius_inclusive: bool = False) -> ResilientParameters:
    """
    Return the parameters of the round.

    :param diameter_factor: ``K``, >= 0. From 1 on there is one leader for the network, at 2 and
        more soon; below there are several, with regions of about ``1 / (1 - K)`` hops.
    :param radius_inclusive: whether who is exactly as far as the radius passes the news on, too.
        The paper's definition says no, and its bounds hold for that; the figures of its
        experiments come out with yes: regions then grow by two hops at ``K = 1``, not one.
    """
    return ResilientParameters(diameter_factor, radius_inclusive)


RESILIENT = ALGORITHMS.add(Algorithm(
    name='resilient',
    round=resilient_round,
    state=Follower,
    columns=Followers,
    start=start,
    configure=configure,
    parameters=ResilientSettings,
))
