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
Bounded Election: the strongest devices lead, each within the radius.

D. Pianini, R. Casadei, M. Viroli, "Self-stabilising Priority-Based Multi-Leader Election and
Network Partitioning", ACSOS 2022, section IV-B. The artefact is Zenodo record 6566627.

With ``radius_hysteresis`` a leader is joined within a part of the radius only, the *joining
radius*, and left beyond the radius, so that leaders last while devices move. It still stabilises
from any state: the strongest device's candidacy reaches all devices within the joining radius,
which adopt and keep it. Between the two radii, a device that has left this leader does not return,
so the number of its followers there only decreases, until it no longer changes. The same then
holds for the strongest of the other devices, and so on.
"""

from collections.abc import Sequence
import sys
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.fields import Hops, make_columns, Negated, NO_HOP_LIMIT


class Candidacy(NamedTuple):
    """The candidacy triple: the state of a device, and its export."""

    value: Negated[float]
    """The leader's strength, negated: smaller is better."""
    distance: float
    """Distance to the leader along the path of the candidacy [m], 0 on the leader itself."""
    leader: int
    """The leader's id."""
    hops: Hops = 0
    """The number of relays on the way of the candidacy, 0 on the leader itself."""


Candidacies: Any = make_columns('Candidacies', Candidacy._fields)


class BoundedParameters(NamedTuple):
    """The parameters of a round, the same on all devices."""

    radius: float
    """The largest distance to a leader, inclusive [m]."""
    joining_radius: float
    """The largest distance to a leader that the device did not follow before, inclusive [m]."""
    hop_limit: int
    ties_by_id: bool
    """Among equal strengths: the lower id wins (true), or the nearer leader (false)."""


def bounded_round(device: Device, state: Candidacy, neighbours: Any, metric: Sequence[float],
                  parameters: BoundedParameters) -> Candidacy:
    """
    Return the best candidacy within reach: the device's own or that of a neighbour.

    The metric is the distance to the *neighbour that sent* a candidacy. It must be greater than
    zero, otherwise the candidacy of a dead leader would never grow beyond the radius.
    Of the previous state only the leader is used: it is kept up to the radius, and other leaders
    are adopted up to the joining radius.

    A line of two: device 1 receives the candidacy of the stronger device 2, which is 3 m away.

    >>> received = Candidacies([-9.0], [0.0], [2], [0])
    >>> weak = Device(id=1, strength=5.0)
    >>> own = start(weak)
    >>> bounded_round(weak, own, received, [3.0], configure(3.0, 'id'))
    Candidacy(value=-9.0, distance=3.0, leader=2, hops=1)
    >>> bounded_round(weak, own, received, [3.0], configure(2.9, 'id'))
    Candidacy(value=-5.0, distance=0.0, leader=1, hops=0)

    With hysteresis a device that follows it already keeps it, and another one does not adopt it.

    >>> steady = configure(3.0, 'id', radius_hysteresis=0.2)
    >>> bounded_round(weak, own, received, [3.0], steady).leader
    1
    >>> bounded_round(weak, own._replace(leader=2), received, [3.0], steady).leader
    2
    """
    value, distance, leader, hops = -device.strength, 0.0, device.id, 0
    for j in range(len(metric)):
        far = neighbours.distance[j] + metric[j]
        # The own candidacy may carry a strength that the device no longer has: ignore it.
        if far > parameters.radius or neighbours.leader[j] == device.id:
            continue
        if far > parameters.joining_radius and neighbours.leader[j] != state.leader:
            continue
        if not 0 <= neighbours.hops[j] < parameters.hop_limit:
            continue
        # The least triple of the paper: (value, distance, leader) for ties 'nearest', and (value,
        # leader, distance) for 'id'. Among equal ones the fewest hops, which the paper has not.
        if neighbours.value[j] != value:
            better = neighbours.value[j] < value
        elif parameters.ties_by_id and neighbours.leader[j] != leader:
            better = neighbours.leader[j] < leader
        elif far != distance:
            better = far < distance
        elif neighbours.leader[j] != leader:
            better = neighbours.leader[j] < leader
        else:
            better = neighbours.hops[j] + 1 < hops
        if better:
            value, distance, leader = neighbours.value[j], far, neighbours.leader[j]
            hops = neighbours.hops[j] + 1
    return Candidacy(value, distance, leader, hops)


def start(device: Device) -> Candidacy:
    """Return the initial state: the device leads itself."""
    return Candidacy(-device.strength, 0.0, device.id, 0)


def configure(radius: float, ties: str, hop_limit: int = NO_HOP_LIMIT,
              radius_hysteresis: float = 0.0) -> BoundedParameters:
    """
    Return the parameters of the round. The defaults are the settings of the paper.

    :param radius: the largest distance to a leader [m], >= 0, inclusive. Infinity becomes the
        largest float, because an infinite distance could not be forwarded.
    :param ties: how equal strengths are compared: ``id``: the lower id wins; ``nearest``: the
        nearer leader wins, as the triple is printed in the paper.
    :param hop_limit: the largest number of hops of a candidacy, >= 1.
    :param radius_hysteresis: the part of the radius by which the joining radius is smaller, in
        [0, 1).
    """
    largest = min(radius, sys.float_info.max)
    return BoundedParameters(
        radius=largest, joining_radius=largest * (1.0 - radius_hysteresis), hop_limit=hop_limit,
        ties_by_id=ties == 'id')


BOUNDED = ALGORITHMS.add(Algorithm(
    name='bounded',
    round=bounded_round,
    state=Candidacy,
    columns=Candidacies,
    start=start,
    configure=configure,
    leaders_follow_themselves=True,
))
