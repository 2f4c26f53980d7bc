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
"""

from collections.abc import Callable, Sequence
import math
from typing import Any

from leader_election.election.algorithms import Device
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.coordination.collection import (
    collect_contributions,
    collect_multi_path,
    collect_tree,
    gather_contributions,
    shares_of,
)
from leader_election.election.coordination.feedback import resized, smoothed
from leader_election.election.coordination.region import (
    CANDIDATE,
    GOSSIPED,
    MULTI_PATH,
    parent_of,
    Region,
    RegionParameters,
    TREE,
)
from leader_election.election.coordination.spreading import freshest, from_source
from leader_election.election.coordination.summary_layout import rank, row_of
import numpy as np


def coordinate(
    device: Device,
    leader: int,
    distance: float,
    before: Any,
    neighbours: Any,
    metric: Sequence[float],
    p: RegionParameters,
    decide: Callable[[Any], Any],
) -> Region:
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
    :param decide: computes a decision from the region's summary; called on a leader only.
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
        summary = collect_tree(device.id, leader, contribution, neighbours, metric, p.layout)
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
        load = smoothed(summary[p.load_at], before.load, p)
        reach = resized(load, p)
    decision = decide(summary) if leads else p.undecided
    # Spreading: a leader has no source.
    source, version, age = parent, 0, 0
    if p.spreading == GOSSIPED:
        source, version, age = freshest(
            device.id, leader, before, neighbours, metric, p.decision_expiry)
    # Allocate the empty announcement only if it is used: without a source, on no leader.
    announcement = (
        before.own_announcement
        if leads or source != NOBODY
        else np.full(len(before.own_announcement), math.inf)
    )
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
    begin, end, width = (
        p.layout.start[p.border],
        p.layout.start[p.border + 1],
        p.layout.detail[p.border],
    )
    record = np.empty(width)
    for j in range(len(metric)):
        if neighbours.leader[j] != leader and neighbours.announcement[j][0] < math.inf:
            record[0] = record[1] = neighbours.leader[j]
            for k in range(width - 2):
                record[2 + k] = neighbours.announcement[j][k]
            rank(row, begin, end, width, record, 0)
    return row
