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
Resilient: one leader for the network; the leader measures the size of its region.

Y. Mo, G. Audrito, S. Dasgupta, J. Beal, "A Resilient Leader Election Algorithm Using Aggregate
Computing Blocks", IFAC World Congress 2020 (IFAC-PapersOnLine 53-2). No device needs to know the
size of the network. A device follows the best leader whose radius reaches it. The depth of a
region is reported back to its leader, hop by hop, and the leader sets its radius to
``diameter_factor * depth + 1``. Distances are hops here, with any metric.

The effect of ``diameter_factor``, ``K`` for short: a region ``D`` hops deep may grow to
``f(D) = ceil(K D + 1)`` hops, because devices nearer than the radius forward the candidacy.

- ``K >= 1``: ``f(D) > D`` for every ``D``, so the best leader's region grows until it is the
  whole network, ``D`` hops deep. With 1 it grows by one hop for each way there and back, which
  takes ``D (D + 1)`` rounds in lockstep; with 2 it doubles, which takes at most
  ``3 D + log2(D + 1) + 3``. With a larger ``K`` a failed leader is remembered longer: for the
  largest radius minus the smallest distance plus 1 rounds.
- ``K < 1``: ``f(D) > D`` only as long as ``D < 1 / (1 - K)``. So regions stop growing, and there
  are several: devices out of the reach of the best leader elect another one, and so on.
  ``f(D) = D`` for ``1 / (1 - K) <= D < 2 / (1 - K)``. Since ``f`` is monotone, a region with
  enough room grows from nothing to the first of these, ``ceil(1 / (1 - K))`` hops, and a larger
  region shrinks to the last of them. A region with less room fills it.

Wrong information (a leader that does not exist, a distance too small) grows by one hop per round
and disappears at its radius, or at ``hop_limit``, whichever is less: so a wrong *radius* does no
harm for longer. The limit has to be greater than the diameter of the network.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.fields import Id, make_columns, Negated, NO_HOP_LIMIT
from leader_election.parameters import parameter


class Follower(NamedTuple):
    """The state of a device: its leader, and its knowledge of the leader's region."""

    value: Negated[float]
    """The leader's strength, negated: smaller is better."""
    distance: float
    """Distance to the leader [hops], 0 on the leader itself."""
    leader: int
    """The leader's id."""
    radius: float
    """The leader's radius [hops]: devices nearer than this forward its candidacy."""
    diameter: float
    """The largest distance among this device and the devices behind it [hops]."""
    id: Id  # noqa: A003
    """The device's own id."""
    source: Id
    """The id of the neighbour that sent the candidacy, the device's own on a leader."""


Followers: Any = make_columns('Followers', Follower._fields)


@dataclass(frozen=True)
class ResilientSettings:
    """The algorithm's own parameters."""

    diameter_factor: float = parameter(
        2.0, 'The radius of a leader is this many times the depth of its '
        'region, plus one hop. From 1 on there is one leader for the swarm, with 2 or more after '
        'a short time. The larger, the longer a failed leader is remembered. Below 1 there are '
        'several, each with a region of about 1 / (1 - diameter_factor) hops.',
        lower=0.0, upper=1000.0)


class ResilientParameters(NamedTuple):
    """The parameters of a round, the same on all devices."""

    diameter_factor: float
    """
    ``K``, >= 0: the radius of a leader is this many times the depth of its region, plus 1 hop.
    """
    radius_inclusive: bool = False
    """
    Whether a device exactly at the radius also forwards the candidacy. In the paper's definition
    it does not, and the bounds hold for that. The figures of the paper's experiments result if it
    does: regions then grow by two hops at ``K = 1``, not one. Only the laboratory sets it.
    """
    hop_limit: int = NO_HOP_LIMIT
    """The largest distance to a leader, and its largest radius [hops], >= 1."""


def resilient_round(device: Device, state: Follower, neighbours: Any, metric: Sequence[float],
                    parameters: ResilientParameters) -> Follower:
    """
    Return the state with the best leader that reaches the device, or with itself as the leader.

    Among the neighbours of the best leader, the nearest to it is chosen, then the one with the
    largest radius, then the lowest id.

    Device 2 receives the state of device 1, of the same strength, which leads with a radius of one
    hop. That does not reach device 3, whose last region was two hops deep.

    >>> one = Followers([-5.0], [0.0], [1], [1.0], [0.0], [1], [1])
    >>> two = Device(id=2, strength=5.0)
    >>> found = resilient_round(two, start(two), one, [1.0], ResilientParameters(2.0))
    >>> found
    Follower(value=-5.0, distance=1.0, leader=1, radius=1.0, diameter=1.0, id=2, source=1)
    >>> three = Device(id=3, strength=5.0)
    >>> received = Followers(*zip(found))
    >>> before = start(three)._replace(diameter=2.0)
    >>> resilient_round(three, before, received, [1.0], ResilientParameters(2.0))
    Follower(value=-5.0, distance=0.0, leader=3, radius=5.0, diameter=0.0, id=3, source=3)
    """
    best = -device.strength, device.id
    chosen = -1
    for j in range(len(metric)):
        # The own candidacy may carry a strength that the device no longer has: ignore it.
        if neighbours.leader[j] == device.id:
            continue
        reach = min(neighbours.radius[j], float(parameters.hop_limit))
        if neighbours.distance[j] > reach or neighbours.distance[j] + 1.0 > parameters.hop_limit:
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
        # The depth known in the previous round, as published.
        distance, parent = 0.0, device.id
        radius = min(parameters.diameter_factor * state.diameter + 1.0,
                     float(parameters.hop_limit))
    else:
        distance, parent = neighbours.distance[chosen] + 1.0, neighbours.id[chosen]
        radius = min(neighbours.radius[chosen], float(parameters.hop_limit))

    diameter = distance
    for j in range(len(metric)):
        if neighbours.source[j] == device.id:
            diameter = max(diameter, neighbours.diameter[j])
    return Follower(best[0], distance, best[1], radius, diameter, device.id, parent)


def start(device: Device) -> Follower:
    """Return the initial state: the device leads itself, in a region of its own."""
    return Follower(-device.strength, 0.0, device.id, 1.0, 0.0, device.id, device.id)


RESILIENT = ALGORITHMS.add(Algorithm(
    name='resilient',
    round=resilient_round,
    state=Follower,
    columns=Followers,
    start=start,
    configure=ResilientParameters,
    parameters=ResilientSettings,
))
