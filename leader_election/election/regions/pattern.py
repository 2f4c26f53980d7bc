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
One round of the pattern Self-organising Coordination Regions, after an election.

R. Casadei, D. Pianini, M. Viroli, A. Natali, "Self-organising Coordination Regions: A Pattern for
Edge Computing", COORDINATION 2019. The caller runs the election, with any algorithm.

With feedback a leader shrinks its region when its load grows. The radius travels with the
candidacy, and a robot measures its distance to a leader in units of that leader's radius. So
feedback works with every algorithm that has a radius.

*Spreading* brings a leader's decision to the members of its region. *Gradient*: each device copies
its parent's, which is a gradient-cast (M. Viroli, G. Audrito, J. Beal, F. Damiani, D. Pianini,
"Engineering Resilient Collective Adaptive Systems by Self-Stabilisation", TOMACS 2018) along the
gradient that the election itself has made. *Gossip* (named in the paper above): each device takes
the freshest from any neighbour of its region, or keeps its own, so that one lost message or a
missing parent does not matter.

On a robot each decision has a number, and no way acts on an older one after a newer
(:class:`leader_election.election.robot.decision_order.DecisionOrder`). With gossip it is the
*version*, by which freshness is told. The leader counts it up in each of its rounds. Gossip of a
maximum is not self-stabilising by itself: a version that is too large by corruption would win for
ever. Hence

- a leader that receives a version of its own region counts on from there. A wrong version
  reaches the leader in as many rounds as it has hops, and the next one is greater;
- a decision has an *age*: the rounds since the leader made it, counted by the devices that
  forward or keep it. At ``DECISION_EXPIRY`` it is dropped, so no decision of a failed leader
  remains. Of the same version the younger is used, so the largest version does no harm.
"""

from collections.abc import Callable, Sequence
import math
from typing import Any, cast, NamedTuple

from leader_election.election.algorithms import Device
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.regions.collection import (
    collect_contributions,
    collect_multi_path,
    collect_tree,
    gather_contributions,
    rank,
    row_of,
    shares_of,
)
from leader_election.election.regions.region import (
    CANDIDATE,
    GOSSIPED,
    MOST_VERSION,
    MULTI_PATH,
    parent_of,
    Region,
    RegionParameters,
    TREE,
)
import numpy as np

Member = cast(Any, NamedTuple)('Member', [
    (name, Any) for name in ('leader', 'distance', *Region._fields)])
"""The fields of a state that :func:`coordinate` reads; one type for all elections."""
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


def coordinate(device: Device, leader: int, distance: float, before: Any, neighbours: Any,
               metric: Sequence[float], p: RegionParameters,
               decide: Callable[[Any], Any] | None) -> Region:
    """
    Return the new state of a device in its region, after the election of this round.

    :param leader: the elected leader's id.
    :param distance: the distance to the leader [m].
    :param before: the state before the round, with the election's ``leader`` and ``distance``.
    :param neighbours: the neighbours' exports, columns of the same fields.
    :param metric: the distance to each neighbour [m], shape (neighbours,). Infinite: it has just
        left. It is no longer a recipient, but the sums that it sent still count until it sends
        them to others.
    :param p: the parameters of the round.
    :param decide: computes a decision from the region's summary, called on a leader only.
        ``None``: the decision is the summary.
    """
    # Election.
    leads = before.role == CANDIDATE and leader == device.id and distance < math.inf
    # Region.
    parent = parent_of(leader, distance, neighbours, metric)
    # Collection.
    contribution = with_borders(leader, before.contribution, neighbours, metric, p)
    members, ages, contributions = before.members, before.ages, before.contributions
    recipients, shares = before.recipients, before.shares
    if p.collection == TREE:
        summary = collect_tree(device.id, contribution, neighbours, metric, p.layout)
    elif p.collection == MULTI_PATH:
        recipients, shares = shares_of(
            leader, distance, neighbours, metric, p.link_range, len(before.recipients))
        summary = collect_multi_path(
            device.id, leader, distance, contribution, neighbours, metric, p.layout)
    else:
        members, ages, contributions = gather_contributions(
            device.id, leader, contribution, neighbours, metric, p.layout, len(before.members),
            p.gossip_depth)
        summary = collect_contributions(device.id, members, contributions, contribution, p.layout)
    # Decision.
    load, reach = p.target, p.radius
    if leads and p.gain > 0.0:
        # The first number of a summary is that of the members.
        load = smoothed(summary[0], before.load, p)
        reach = resized(load, p)
    decision = p.undecided
    if leads:
        decision = summary if decide is None else decide(summary)
    # Spreading: a leader has no source.
    source, version, age = parent, 0, 0
    if p.spreading == GOSSIPED:
        source, version, age = freshest(
            device.id, leader, before, neighbours, metric)
    # Allocate the empty announcement only if it is used: without a source, on no leader.
    announcement = before.own_announcement if leads or source != NOBODY else np.full(
        len(before.own_announcement), math.inf)
    return Region(
        device=device.id, role=before.role, contribution=before.contribution, load=load,
        own_announcement=before.own_announcement,
        parent=from_source(parent, NOBODY, NOBODY, neighbours.device), summary=summary,
        reach=from_source(source, reach, before.reach, neighbours.reach), recipients=recipients,
        shares=shares, announcement=from_source(
            source, announcement, before.announcement, neighbours.announcement),
        members=members, ages=ages, contributions=contributions, decision_version=version,
        decision_age=age, decision=from_source(
            source, decision, before.decision, neighbours.decision))


def with_borders(leader: int, contribution: Any, neighbours: Any, metric: Sequence[float],
                 p: RegionParameters) -> Any:
    """
    Return a contribution with the announcements received from adjacent regions.

    Each adjacent region has one record: the leader's id twice, as the key and as the id, and the
    leader's announcement.
    """
    if p.border < 0:
        return contribution
    row = row_of(contribution)
    begin, end = p.layout.start[p.border], p.layout.start[p.border + 1]
    width = p.layout.detail[p.border]
    record = np.empty(width)
    for j in range(len(metric)):
        if neighbours.leader[j] != leader and neighbours.announcement[j][0] < math.inf:
            record[0] = record[1] = neighbours.leader[j]
            for k in range(width - 2):
                record[2 + k] = neighbours.announcement[j][k]
            rank(row, begin, end, width, record, 0)
    return row


LEAST_SIZE = 0.25
"""The smallest radius of a region under feedback, as a part of its radius."""
MOST_LOAD = 100.0
"""The largest load that counts, in units of the target. It bounds the time to forget a peak."""


def decay(value: float, floor: float, factor: float = 1.0, step: float = 0.0) -> float:
    """
    Return a value after one more round: a fraction of it, less a step, but not below a floor.

    This is building block T, time decay (M. Viroli, G. Audrito, J. Beal, F. Damiani, D. Pianini,
    "Engineering Resilient Collective Adaptive Systems by Self-Stabilisation", TOMACS 2018). A
    countdown has a step. A value that fades has a factor.

    :param value: the value before.
    :param floor: the smallest result.
    :param factor: the fraction that is kept, in [0, 1].
    :param step: what is subtracted, >= 0, in the unit of the value.

    >>> decay(3.0, 0.0, step=1.0), decay(0.5, 0.0, step=1.0), decay(8.0, 0.0, factor=0.5)
    (2.0, 0.0, 4.0)
    """
    return max(value * factor - step, floor)


def smoothed(load: float, before: float, p: RegionParameters) -> float:
    """
    Return the smoothed load: exponential smoothing with weight ``alpha``.

    :param load: the load now, >= 0.
    :param before: the smoothed load of the previous round.
    :param p: the parameters of the round.
    """
    now = min(max(load, 0.0), MOST_LOAD * p.target)
    return p.alpha * now + decay(min(before, MOST_LOAD * p.target), 0.0, 1.0 - p.alpha)


def resized(load: float, p: RegionParameters) -> float:
    """Return the radius of a region under a smoothed load [m]."""
    factor = 1.0 + p.gain * (1.0 - load / p.target)
    return p.radius * min(max(factor, LEAST_SIZE), p.most)


def scaled(reach: Sequence[float], metric: Sequence[float], p: RegionParameters) -> Any:
    """
    Return the distances to neighbours, scaled so that all leaders have the same radius.

    :param reach: the radius of each neighbour's leader [m].
    :param metric: the distance to each [m], shape (neighbours,).
    """
    scale = np.empty(len(metric))
    for j in range(len(metric)):
        # A received radius may be wrong: keep it within the limits.
        limited = min(max(reach[j], p.radius * LEAST_SIZE), p.radius * p.most)
        scale[j] = metric[j] * (p.radius / limited) if p.radius > 0.0 else metric[j]
    return scale
