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
The state of a robot as a member of a region, and the region itself: parent and potential.

R. Casadei, D. Pianini, M. Viroli, A. Natali, "Self-organising Coordination Regions: A Pattern for
Edge Computing", COORDINATION 2019.
"""

from collections.abc import Sequence
import math
import sys
from typing import Any, NamedTuple

from leader_election.algorithms import Device
from leader_election.algorithms.fields import Kept, Unbounded
from leader_election.coordination.summary_layout import SummaryLayout

NOBODY = -1
"""No neighbour, or no robot."""
CANDIDATE, WORKER, RELAY = range(3)
"""
Roles: who may lead; who may not, and contributes; who only passes on what others say. A candidate
becomes a leader, or a worker of another's region.
"""
ROLES = ('candidate', 'worker', 'relay')
BARRED = -sys.float_info.max
"""The strength of who may not lead: it names itself only where there is no candidate at all."""
TREE, MULTI_PATH, GOSSIP = range(3)
COLLECTIONS = ('tree', 'multi-path', 'gossip')
"""How summaries get to the leader, in the order of ``TREE``, ``MULTI_PATH``, ``GOSSIP``."""


class Region(NamedTuple):
    """What a robot knows of its region; all but what is ``Kept`` is told to its neighbours."""

    device: int
    """The robot's own id."""
    role: Kept[int]
    contribution: Kept[tuple[Unbounded, ...]]
    """What this robot contributes by itself: a row as the plan says."""
    load: Kept[float]
    """The smoothed load of one's region, on a leader; its target on others."""
    own_announcement: Kept[tuple[Unbounded, ...]]
    """What this robot would tell other regions' leaders, if it were a leader."""
    parent: int
    """The parent's id: the neighbour that is next on the way to the leader; -1: none."""
    reach: float
    """The radius of the region's leader, as it is told on [m]."""
    recipients: tuple[int, ...]
    """Multi-path: the neighbours downhill that take a share each of what adds up; -1: nobody."""
    shares: tuple[float, ...]
    """Multi-path: the share of each; they add up to 1."""
    summary: tuple[Unbounded, ...]
    """What was collected up to here; on the leader: of the region."""
    announcement: tuple[Unbounded, ...]
    """What the region's leader tells other regions' leaders; +infinity first: nothing."""
    members: tuple[int, ...]
    """Gossip: of whom this robot knows what they offer, the nearest first; -1: nobody."""
    ages: tuple[int, ...]
    """Gossip: how many rounds on the way each offer was."""
    contributions: tuple[Unbounded, ...]
    """Gossip: the offers, row by row."""
    decision: Any
    """The leader's decision, or a copy of "none"."""


class RegionParameters(NamedTuple):
    """What is the same for all rounds."""

    layout: SummaryLayout
    """The parts of a summary."""
    collection: int
    """``TREE``, ``MULTI_PATH`` or ``GOSSIP``."""
    link_range: float
    """A neighbour farther away is not heard [m]; infinite: not known."""
    gossip_depth: int
    """An offer is told on up to so many hops."""
    border: int
    """Which part of a summary holds what other regions' leaders say; -1: none."""
    radius: float
    """A leader's radius without feedback [m]."""
    alpha: float
    """How much of the load now is in the smoothed one, in [0, 1]."""
    target: float
    """The load at which a region has its radius, > 0."""
    gain: float
    """By how much of its radius a region shrinks a target's worth of load above it; 0: not."""
    least: float
    """The smallest that feedback makes a region, as a part of its radius, > 0."""
    most: float
    """The largest."""
    load_at: int
    """Which number of a summary is the load."""
    undecided: Any
    """What stands for no decision."""


def with_effective_strength(device: Device, role: int) -> Device:
    """
    Return a device as it stands for election: who is no candidate has the least of strengths.

    >>> with_effective_strength(Device(3, 7.0), WORKER).strength == BARRED
    True
    """
    return Device(device.id, device.strength if role == CANDIDATE else BARRED)


def parent_of(leader: int, distance: float, neighbours: Any, metric: Sequence[float]) -> int:
    """
    Return the neighbour that is next on the way to the leader, by its place; -1: there is none.

    Of the neighbours of the same region that are nearer to the leader it is the one over which the
    way is the shortest. The potential is the distance that the election itself found, so it heals
    as the election does.

    :param distance: one's own to the leader.
    :param neighbours: columns with ``leader`` and ``distance``.
    :param metric: the distance to each neighbour, shape (neighbours,).
    """
    parent, best = NOBODY, math.inf
    for j in range(len(metric)):
        if neighbours.leader[j] == leader and 0.0 <= neighbours.distance[j] < distance:
            far = neighbours.distance[j] + metric[j]
            if far < best:
                parent, best = j, far
    return parent
