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
C: what the robots of a region know, brought to its leader, in one of three ways.

Spanning tree: each robot hands all it has to its parent. Multi-path: to all neighbours downhill,
numbers that add up in shares (M. Viroli, G. Audrito, J. Beal, F. Damiani, D. Pianini,
"Engineering Resilient Collective Adaptive Systems by Self-Stabilisation", TOMACS 2018; weights
after G. Audrito, S. Bergamini, F. Damiani, M. Viroli, "Effective Collective Summarisation of
Distributed Data in Mobile Multi-Agent Systems", AAMAS 2019). Gossip: everybody tells what
everybody offers.

Who takes a share is named, and a parent is: so what adds up is handed on once, whatever messages
are late. It is taken on even across a border that has just moved, or all that is on its way would
be lost whenever a robot changes its leader.

All take the row that the robot itself offers, and return the row of what is collected there.
``neighbours`` are columns as of :class:`leader_election.coordination.region.Region`, and of the
election's ``leader`` and ``distance``.
"""

from collections.abc import Sequence
import math
from typing import Any

from leader_election.coordination.region import NOBODY
from leader_election.coordination.summary_layout import (
    combine,
    contributes_nothing,
    row_of,
    SummaryLayout,
)
import numpy as np

LEAST_WEIGHT = 0.01
"""Of a link as long as the range, against 1 of one of no length."""
LATE = 1e6
"""Who was not heard when it should have been is taken for so much farther away [m]."""


def collect_tree(device_id: int, leader: int, contribution: Any, neighbours: Any,
                 metric: Sequence[float], layout: SummaryLayout) -> Any:
    """Collect along a spanning tree: from those whose parent this device is."""
    summary = row_of(contribution)
    for j in range(len(metric)):
        if neighbours.parent[j] == device_id:
            combine(layout, summary, neighbours.summary[j], 1.0)
    return summary


def weight(apart: float, drop: float, link_range: float) -> float:
    """
    Return the weight of a neighbour downhill, by which shares are split.

    The farther away it is, and the less downhill, the sooner it will be no neighbour downhill. At
    the limits the weight is next to nothing, so that who comes or goes makes no difference.

    :param apart: the distance to it [m].
    :param drop: how much nearer to the leader it is, > 0.
    :param link_range: where a neighbour is heard no more [m]; infinite: only the drop counts, and
        whether the neighbour was heard of late.

    >>> weight(1.0, 0.5, 2.0)
    0.255
    >>> weight(1.0, 0.5, math.inf)
    0.5
    """
    if apart >= LATE:
        return drop * LEAST_WEIGHT * LEAST_WEIGHT
    if link_range == math.inf:
        return drop
    return drop * (max(1.0 - apart / link_range, 0.0) + LEAST_WEIGHT)


def shares_of(leader: int, distance: float, neighbours: Any, metric: Sequence[float],
              link_range: float, size: int) -> Any:
    """
    Return who takes a share of what adds up here, and how much of it: two rows.

    The shares are split over all neighbours downhill by their weights; over the ``size`` of the
    greatest weights, where there are more.
    """
    recipients, shares = np.full(size, NOBODY), np.zeros(size)
    known, total = 0, 0.0
    for j in range(len(metric)):
        drop = distance - neighbours.distance[j]
        if neighbours.leader[j] != leader or not 0.0 < drop <= distance < math.inf:
            continue
        if metric[j] == math.inf:
            continue
        own = weight(metric[j], drop, link_range)
        place = known
        if known < size:
            known += 1
        else:
            place = 0
            for other in range(1, size):
                if shares[other] < shares[place]:
                    place = other
            if own <= shares[place]:
                continue
        total += own - shares[place]
        recipients[place], shares[place] = neighbours.device[j], own
    for place in range(known):
        shares[place] /= total
    return recipients, shares


def collect_multi_path(
    device_id: int,
    leader: int,
    distance: float,
    contribution: Any,
    neighbours: Any,
    metric: Sequence[float],
    layout: SummaryLayout,
) -> Any:
    """
    Collect from all neighbours uphill: a share of what adds up, the whole of all else.

    :param distance: one's own to the leader.
    """
    summary = row_of(contribution)
    for j in range(len(metric)):
        recipients, place = neighbours.recipients[j], -1
        for s in range(len(recipients)):
            if recipients[s] == device_id:
                place = s
        share = 0.0
        if place >= 0 and neighbours.shares[j][place] > 0.0:
            share = min(neighbours.shares[j][place], 1.0)
        uphill = neighbours.leader[j] == leader and neighbours.distance[j] > distance
        if share > 0.0 or uphill:
            combine(layout, summary, neighbours.summary[j], share)
    return summary


def gather_contributions(device_id: int, leader: int, contribution: Any, neighbours: Any,
                  metric: Sequence[float], layout: SummaryLayout, size: int, depth: int) -> Any:
    """
    Gossip: return whose offers are known, how many rounds old each is, and the offers.

    An offer that is told on grows older by a round at each hop, and dies after ``depth``: so does
    what a robot said that is gone. Where there are more than ``size``, the nearest stay. Who has
    nothing to offer takes none of the room, and only tells on what others do.
    """
    width = len(contribution)
    members, ages = np.full(size, NOBODY), np.zeros(size, np.int64)
    contributions = np.full(size * width, math.inf)
    first = 0 if contributes_nothing(layout, contribution) else 1
    if first == 1:
        members[0] = device_id
        for k in range(width):
            contributions[k] = contribution[k]
    known = first
    for j in range(len(metric)):
        if neighbours.leader[j] != leader:
            continue
        told = neighbours.members[j]
        for s in range(len(told)):
            who, age = told[s], neighbours.ages[j][s] + 1
            if who == NOBODY:
                break
            if who == device_id or age > depth or age < 1:
                continue
            # Sorted by age, then id: where does it belong, and is it there already?
            old = known
            for place in range(first, known):
                if members[place] == who:
                    old = place
                    break
            if old < known and ages[old] <= age:
                continue
            place = min(old, size - 1)
            if old == known:
                if known == size and (ages[place], members[place]) <= (age, who):
                    continue
                known = min(known + 1, size)
            while place > first and (age, who) < (ages[place - 1], members[place - 1]):
                members[place], ages[place] = members[place - 1], ages[place - 1]
                for k in range(width):
                    contributions[place * width + k] = contributions[(place - 1) * width + k]
                place -= 1
            members[place], ages[place] = who, age
            for k in range(width):
                contributions[place * width + k] = neighbours.contributions[j][s * width + k]
    return members, ages, contributions


def collect_contributions(
    device_id: int, members: Any, contributions: Any, contribution: Any, layout: SummaryLayout
) -> Any:
    """Combine one's own offer with all that are known by gossip of others."""
    summary = row_of(contribution)
    width = len(contribution)
    for s in range(len(members)):
        if members[s] != NOBODY and members[s] != device_id:
            combine(layout, summary, contributions[s * width:(s + 1) * width], 1.0)
    return summary
