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
Bounded Election: the strongest leads, as far as its radius reaches.

D. Pianini, R. Casadei, M. Viroli, "Self-stabilising Priority-Based Multi-Leader Election and
Network Partitioning", ACSOS 2022, section IV-B; the artefact is Zenodo record 6566627.
"""

from collections.abc import Sequence
import sys
from typing import NamedTuple

from leader_election.algorithms.algorithm import Algorithm, ALGORITHMS, Device


class Candidacy(NamedTuple):
    """The candidacy triple: a device's state, and what it exports."""

    value: float
    """The leader's strength, negated: smaller is better."""
    distance: float
    """Distance to the leader along the path of the candidacy [m], 0 on the leader itself."""
    leader: int
    """The leader's id."""


class Candidacies(NamedTuple):
    """The candidacies of all neighbours, a column a field."""

    value: Sequence[float]
    distance: Sequence[float]
    leader: Sequence[int]


class BoundedParameters(NamedTuple):
    """What is the same for all devices and rounds."""

    radius: float
    """The farthest that a leader reaches, inclusive [m]."""
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
    Return the best candidacy within the radius, among one's own and the neighbours'.

    The metric is the distance to the *neighbour that sent* a candidacy, and must be greater than
    zero, or the candidacy of a dead leader would never grow beyond the radius.
    The previous state plays no part: what counts is what the neighbours say now.

    A line of two: device 1 hears the stronger device 2, at 3 m, say that it leads itself.

    >>> heard = Candidacies([-9.0], [0.0], [2])
    >>> weak = Device(id=1, strength=5.0)
    >>> own = start(weak)
    >>> bounded_round(weak, own, heard, [3.0], BoundedParameters(3.0, True))
    Candidacy(value=-9.0, distance=3.0, leader=2)
    >>> bounded_round(weak, own, heard, [3.0], BoundedParameters(2.9, True))
    Candidacy(value=-5.0, distance=0.0, leader=1)
    """
    value, distance, leader = -device.strength, 0.0, device.id
    for j in range(len(metric)):
        far = neighbours.distance[j] + metric[j]
        # One's own candidacy coming back would keep a memory of a strength one no longer has.
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
    """Return the candidacy of a device that leads itself."""
    return Candidacy(-device.strength, 0.0, device.id)


def configure(radius: float, ties: str) -> BoundedParameters:
    """
    Return the parameters of the round.

    :param radius: the farthest that a leader reaches [m], >= 0, inclusive. Infinite: as far as
        numbers go, for a distance that adds up to infinity could not be told on.
    :param ties: ``id``: equal strengths are told apart by the lower id; ``nearest``: by the nearer
        leader, as the triple is printed in the paper.
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
