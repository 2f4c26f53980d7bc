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
Spreading: the two ways of a leader's decision to the members of its region.

*Gradient*: each device copies its parent's, which is a gradient-cast (M. Viroli, G. Audrito, J.
Beal, F. Damiani, D. Pianini, "Engineering Resilient Collective Adaptive Systems by
Self-Stabilisation", TOMACS 2018) along the gradient that the election itself has made. *Gossip*
(R. Casadei, D. Pianini, M. Viroli, A. Natali, COORDINATION 2019, names it): each device takes the
freshest from any neighbour of its region, or keeps its own, so that one lost message or a missing
parent does not matter.

On a robot each decision has a number, and no way acts on an older one after a newer
(:mod:`leader_election.election.robot.decision_order`). With gossip it is the *version*, by which
freshness is told. The leader counts it up in each of its rounds. Gossip of a maximum is
not self-stabilising by itself: a version that is too large by corruption would win for ever. Hence

- a leader that receives a version of its own region counts on from there. A wrong version
  reaches the leader in as many rounds as it has hops, and the next one is greater;
- a decision has an *age*: the rounds since the leader made it, counted by the devices that
  forward or keep it. At ``DECISION_EXPIRY`` it is dropped, so no decision of a failed leader
  remains. Of the same version the younger is used, so the largest version does no harm.
"""

from collections.abc import Sequence
import math
from typing import Any

from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions.region import MOST_VERSION

DECISION_EXPIRY = 100
"""The age at which a decision is dropped [rounds]."""
KEPT = -2
"""Stands for the device's own memory, in place of an index of a neighbour."""


def freshest(device: int, leader: int, before: Any, neighbours: Any,
             metric: Sequence[float]) -> tuple[int, int, int]:
    """
    Return the source of the freshest decision of a region, by gossip.

    :param device: the device's id.
    :param leader: the id of its leader.
    :param before: the state before the round, with ``leader``, ``decision_version``,
        ``decision_age``.
    :param neighbours: columns of the same fields.
    :param metric: the distance to each neighbour [m], shape (neighbours,). Infinite: it has left.
    :return: the place among the neighbours, ``KEPT`` or ``NOBODY``; the version, 0 for none; the
        age [rounds]. On the leader ``NOBODY``, and the version of its present decision.
    """
    source, version, age = NOBODY, 0, 0
    if before.leader == leader and 0 <= before.decision_age < DECISION_EXPIRY:
        if 0 < before.decision_version <= MOST_VERSION:
            source, version, age = KEPT, before.decision_version, before.decision_age + 1
    for j in range(len(metric)):
        if neighbours.leader[j] != leader or metric[j] == math.inf:
            continue
        older = neighbours.decision_age[j] + 1
        if not (0 < neighbours.decision_version[j] <= MOST_VERSION
                and 0 < older <= DECISION_EXPIRY):
            continue
        if neighbours.decision_version[j] > version or (
                neighbours.decision_version[j] == version and older < age):
            source, version, age = j, neighbours.decision_version[j], older
    if leader == device:
        return NOBODY, min(version + 1, MOST_VERSION), 0
    return source, version, age


def from_source(source: int, own: Any, kept: Any, received: Sequence[Any]) -> Any:
    """
    Return a value spread by a region's leader: copied, kept, or else the device's own.

    :param source: the place among the neighbours, ``KEPT`` or ``NOBODY``.
    :param own: the device's own value, without a source.
    :param kept: the device's value of the round before.
    :param received: the neighbours' values, shape (neighbours,).

    >>> [from_source(source, 'mine', 'old', ['this', 'that']) for source in (1, KEPT, NOBODY)]
    ['that', 'old', 'mine']
    """
    if source >= 0:
        return received[source]
    return kept if source == KEPT else own
