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
Network Partitioning", ACSOS 2022, section IV-B; the artefact is Zenodo record 6566627.
"""

from collections.abc import Sequence
import sys
from typing import NamedTuple

from leader_election.algorithms.algorithm import Algorithm, ALGORITHMS, Device


class Candidacy(NamedTuple):
    """The candidacy triple: the state of a device, and its export."""

    value: float
    """The leader's strength, negated: smaller is better."""
    distance: float
    """Distance to the leader along the path of the candidacy [m], 0 on the leader itself."""
    leader: int
    """The leader's id."""


class Candidacies(NamedTuple):
    """The candidacies of all neighbours, one column per field."""

    value: Sequence[float]
    distance: Sequence[float]
    leader: Sequence[int]


class BoundedParameters(NamedTuple):
    """The parameters of a round, the same on all devices."""

    radius: float
    """The largest distance to a leader, inclusive [m]."""
    ties_by_id: bool
    """Among equal strengths: the lower id wins (true), or the nearer leader (false)."""


def bounded_round(
    device: Device,
    state: Candidacy,
    neighbours: Candidacies,
    metric: Sequence[float],
    parameters: BoundedParameters,
) -> Candidacy:
    """
    Return the best candidacy within the radius: the device's own or that of a neighbour.

    The metric is the distance to the *neighbour that sent* a candidacy. It must be greater than
    zero; otherwise the candidacy of a dead leader would never grow beyond the radius.
    The previous state is not used: only the neighbours' latest candidacies count.

    A line of two: device 1 receives the candidacy of the stronger device 2, which is 3 m away.

    >>> received = Candidacies([-9.0], [0.0], [2])
    >>> weak = Device(id=1, strength=5.0)
    >>> own = start(weak)
    >>> bounded_round(weak, own, received, [3.0], BoundedParameters(3.0, True))
    Candidacy(value=-9.0, distance=3.0, leader=2)
    >>> bounded_round(weak, own, received, [3.0], BoundedParameters(2.9, True))
    Candidacy(value=-5.0, distance=0.0, leader=1)
    """
    value, distance, leader = -device.strength, 0.0, device.id
    for j in range(len(metric)):
        far = neighbours.distance[j] + metric[j]
        # The own candidacy may carry a strength that the device no longer has: ignore it.
        if far > parameters.radius or neighbours.leader[j] == device.id:
            continue
        if neighbours.value[j] != value:
            better = neighbours.value[j] < value
        elif parameters.ties_by_id and neighbours.leader[j] != leader:
            better = neighbours.leader[j] < leader
        elif far != distance:
            better = far < distance
        else:
            better = neighbours.leader[j] < leader
        if better:
            value, distance, leader = neighbours.value[j], far, neighbours.leader[j]
    return Candidacy(value, distance, leader)


def start(device: Device) -> Candidacy:
    """Return the initial state: the device leads itself."""
    return Candidacy(-device.strength, 0.0, device.id)


def configure(radius: float, ties: str) -> BoundedParameters:
    """
    Return the parameters of the round.

    :param radius: the largest distance to a leader [m], >= 0, inclusive. Infinity becomes the
        largest float, because an infinite distance could not be forwarded.
    :param ties: how equal strengths are compared: ``id``: the lower id wins; ``nearest``: the
        nearer leader wins, as the triple is printed in the paper.
    """
    return BoundedParameters(min(radius, sys.float_info.max), ties == 'id')


BOUNDED = ALGORITHMS.add(Algorithm(
    name='bounded',
    round=bounded_round,
    state=Candidacy,
    columns=Candidacies,
    start=start,
    configure=configure,
))
