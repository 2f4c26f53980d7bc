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
Collection (building block C): brings the contributions of a region to its leader, in three ways.

What is collected is a *summary*, a row of numbers. Each part has one of four kinds, and collection
depends on the kind only. The aggregate defines the meaning of the numbers
(:mod:`leader_election.election.regions.aggregate`).

Spanning tree: each robot sends its summary to its parent. Multi-path: to all neighbours downhill
(nearer to the leader), sums in shares (M. Viroli, G. Audrito, J. Beal, F. Damiani, D. Pianini,
"Engineering Resilient Collective Adaptive Systems by Self-Stabilisation", TOMACS 2018; weights
after G. Audrito, S. Bergamini, F. Damiani, M. Viroli, "Effective Collective Summarisation of
Distributed Data in Mobile Multi-Agent Systems", AAMAS 2019). Gossip: each robot forwards all
contributions that it knows.

A message names its recipients, or the parent. So sums are transferred exactly once, even if
messages are late. They are accepted even across a border that has just moved, otherwise the sums
in transit would be lost whenever a robot changes its leader.

All functions take the robot's own contribution and return the summary on this robot.
``neighbours`` are columns as of :class:`leader_election.election.regions.region.Region`, and
of the election's ``leader`` and ``distance``.
"""

from collections.abc import Callable, Sequence
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.fields import NOBODY
import numpy as np

ADD, LEAST, RANKED, OWN = range(4)
"""
Kinds of parts of a summary. ``ADD``: sums, which can be split into shares. ``LEAST``: minima;
+infinity stands for nothing. ``RANKED``: the records ``(key, id, ...)`` with the least keys, one
per id, in ascending order. ``OWN``: combined by a user's own function.
"""

OWNS: list[Callable[[Sequence[float], Sequence[float]], Sequence[float]]] = []
"""The functions that combine parts of kind ``OWN``, by number."""


LARGEST = 1e100
"""The limit of a sum: larger numbers are faults and do not count."""


class SummaryLayout(NamedTuple):
    """The parts of a summary, in their order."""

    kind: Sequence[int]
    """Shape (parts,)."""
    start: Sequence[int]
    """The place where each part begins, and where the last ends, shape (parts + 1,)."""
    detail: Sequence[int]
    """``RANKED``: the size of a record, at least 2. ``OWN``: the number of the function."""


def row_of(contribution: Sequence[float]) -> Any:
    """Return the summary of one robot alone: a copy of its contribution."""
    return np.asarray(contribution, np.float64).copy()


def combine(layout: SummaryLayout, into: Any, other: Sequence[float], share: float,
            first: int = 0, last: int = 1) -> None:
    """
    Combine a summary with others, in place.

    Numbers that are not finite are ignored, so that one robot cannot corrupt the summary.

    :param into: the summary that is changed, a list or an array.
    :param other: the summary that is added, or several of them in one row.
    :param share: the part of the other's ``ADD`` numbers that counts, in [0, 1]. All other parts
        count in full. They are idempotent, so they may be received several times.
    :param first: the first summary of ``other`` that counts.
    :param last: the one after the last.

    The count of two robots, and the minimum of their temperatures:

    >>> into = [1.0, 21.5]
    >>> combine(SummaryLayout([ADD, LEAST], [0, 1, 2], [0, 0]), into, [1.0, 19.0], 1.0)
    >>> into
    [2.0, 19.0]
    """
    width = len(into)
    # Parts in the outer loop: they are read from memory, which takes longer than the numbers.
    for part in range(len(layout.kind)):
        kind, begin, end = layout.kind[part], layout.start[part], layout.start[part + 1]
        for row in range(first * width, last * width, width):
            if kind == ADD:
                for k in range(begin, end):
                    if -LARGEST < other[row + k] < LARGEST:
                        into[k] += share * other[row + k]
            elif kind == LEAST:
                for k in range(begin, end):
                    if -math.inf < other[row + k] < into[k]:
                        into[k] = other[row + k]
            elif kind == RANKED:
                size = layout.detail[part]
                for at in range(row + begin, row + end, size):
                    if math.isfinite(other[at]) and math.isfinite(other[at + 1]):
                        rank(into, begin, end, size, other, at)
            else:
                combine_own(layout.detail[part], into, other[row:row + width], begin, end)


def contributes_nothing(layout: SummaryLayout, row: Sequence[float]) -> bool:
    """
    Return whether a row adds nothing to any summary.

    Parts of kind ``OWN`` are not checked: beside them, robots always count themselves.

    >>> layout = SummaryLayout([ADD, LEAST], [0, 1, 2], [0, 0])
    >>> contributes_nothing(layout, [0.0, math.inf]), contributes_nothing(layout, [0.0, 19.0])
    (True, False)
    """
    for part in range(len(layout.kind)):
        none = 0.0 if layout.kind[part] == ADD else math.inf
        if layout.kind[part] != OWN:
            for k in range(layout.start[part], layout.start[part + 1]):
                if row[k] != none:
                    return False
    return True


def rank(into: Any, begin: int, end: int, width: int, other: Any, at: int) -> None:
    """
    Insert a record among sorted records, in place, if it is among the first.

    Of two records with the same id the smaller one stays. Keys are compared first, then ids.

    :param into: the row with the records, each of size ``width``, from ``begin`` to ``end``.
    :param other: the row with the new record, from ``at`` on.

    >>> records = [1.0, 7.0, 3.0, 9.0]
    >>> rank(records, 0, 4, 2, [2.0, 8.0], 0)
    >>> records
    [1.0, 7.0, 2.0, 8.0]
    """
    key, robot_id = other[at], other[at + 1]
    last = end - width
    # The new record replaces the record of the same id, or else the last one.
    for place in range(begin, end, width):
        if into[place] < math.inf and into[place + 1] == robot_id:
            if into[place] <= key:
                return
            last = place
            break
    if into[last] < key or (into[last] == key and into[last + 1] <= robot_id):
        return
    place = last
    while place > begin and (key < into[place - width] or (
            key == into[place - width] and robot_id < into[place - width + 1])):
        for k in range(width):
            into[place + k] = into[place - width + k]
        place -= width
    for k in range(width):
        into[place + k] = other[at + k]


def combine_own(function: int, into: Any, other: Sequence[float], begin: int, end: int) -> None:
    """Combine a part with a user's own function, on robots only, never compiled."""
    into[begin:end] = OWNS[function](tuple(into[begin:end]), tuple(other[begin:end]))


LEAST_WEIGHT = 0.01
"""The weight of a link as long as the range. A link of length 0 has weight 1."""
LATE = 1e6
"""Added to the distance of a neighbour whose message is late [m]."""


def collect_tree(device_id: int, contribution: Any, neighbours: Any, metric: Sequence[float],
                 layout: SummaryLayout) -> Any:
    """Collect along a spanning tree: from the neighbours whose parent this device is."""
    summary = row_of(contribution)
    for j in range(len(metric)):
        if neighbours.parent[j] == device_id:
            combine(layout, summary, neighbours.summary[j], 1.0)
    return summary


def weight(apart: float, drop: float, link_range: float) -> float:
    """
    Return the weight of a neighbour downhill, by which shares are split.

    A neighbour that is far away, or hardly nearer to the leader, will soon not be a neighbour
    downhill. At these limits the weight is almost 0, so that its arrival or loss changes little.

    :param apart: the distance to it [m]; :data:`LATE` or more: its message is late.
    :param drop: by how much it is nearer to the leader [m], > 0.
    :param link_range: the distance at which a link breaks [m], infinite if only the drop counts,
        and whether a message is late.

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
    Return the recipients of the sums, and the share of each: two rows.

    The neighbours downhill get shares by their weights. If there are more than ``size``, those
    with the largest weights.

    :param distance: the device's own distance to the leader [m].
    :param link_range: see :func:`weight`.
    :param size: the largest number of recipients.
    :return: the recipients' ids, -1 for none, and their shares, which add up to 1.
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


def collect_multi_path(device_id: int, leader: int, distance: float, contribution: Any,
                       neighbours: Any, metric: Sequence[float], layout: SummaryLayout) -> Any:
    """
    Collect from all neighbours uphill: a share of their sums, and all of the other parts.

    :param distance: the device's own distance to the leader [m].
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
                         metric: Sequence[float], layout: SummaryLayout, size: int,
                         depth: int) -> Any:
    """
    Return the robots with contributions known by gossip, the ages, and the contributions.

    A contribution ages by one round per hop and is dropped after ``depth`` rounds. So the
    contribution of a failed robot disappears. If there are more than ``size``, the nearest stay.
    A robot that contributes nothing takes no place and only forwards.

    :param size: the largest number of contributions.
    :param depth: the largest age [rounds].
    :return: ids (-1: none), ages and rows of numbers, sorted by age, then id.
    """
    width = len(contribution)
    members, ages = np.full(size, NOBODY), np.zeros(size, np.int64)
    contributions = np.full(size * width, math.inf)
    known = 0
    if not contributes_nothing(layout, contribution):
        members[0], known = device_id, 1
        for k in range(width):
            contributions[k] = contribution[k]
    # A table of the ids that were members, each at a place by its id, or the next free one: to
    # look through all members for each entry of each neighbour takes half the time of a round.
    entries = 1
    for j in range(len(metric)):
        entries += len(neighbours.members[j])
    # The next power of two. One place at least stays free.
    places = 1 << math.frexp(entries)[1]
    last = places - 1
    table = np.full(places, NOBODY)
    table[device_id & last] = device_id
    for age in range(1, depth + 1):
        if known == size:
            break
        begin = known
        for j in range(len(metric)):
            if neighbours.leader[j] != leader:
                continue
            theirs, since, numbers = (
                neighbours.members[j], neighbours.ages[j], neighbours.contributions[j])
            # Entries are sorted by age, then id.
            for s in range(len(theirs)):
                robot = theirs[s]
                if robot == NOBODY or since[s] >= age:
                    break
                if since[s] < age - 1:
                    continue
                if known == size and members[size - 1] < robot:
                    break
                at = robot & last
                while table[at] != NOBODY and table[at] != robot:
                    at = (at + 1) & last
                if table[at] == robot:
                    continue
                table[at] = robot
                place = min(known, size - 1)
                known = place + 1
                while place > begin and robot < members[place - 1]:
                    members[place] = members[place - 1]
                    for k in range(width):
                        contributions[place * width + k] = contributions[(place - 1) * width + k]
                    place -= 1
                members[place], ages[known - 1] = robot, age
                for k in range(width):
                    contributions[place * width + k] = numbers[s * width + k]
    return members, ages, contributions


def collect_contributions(device_id: int, members: Any, contributions: Any, contribution: Any,
                          layout: SummaryLayout) -> Any:
    """Combine the own contribution with those of other robots, known by gossip."""
    summary = row_of(contribution)
    known = 0
    while known < len(members) and members[known] != NOBODY:
        known += 1
    own = int(known > 0 and members[0] == device_id)
    combine(layout, summary, contributions, 1.0, own, known)
    return summary
