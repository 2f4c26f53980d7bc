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
from typing import Annotated, Any, NamedTuple

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


SENDER = 'sender'
"""Marks the field that is the sender's id, which the message carries anyway."""
LAID_OUT = 'laid out'
"""Marks rows of numbers laid out as a summary is."""
ALL_OR_NOTHING = 'all or nothing'
"""Marks rows that are sent in full or not at all."""
SHARES = 'shares'
"""Marks shares that add up to 1."""


class AsMany(NamedTuple):
    """Marks a vector that has as many entries as another one."""

    field: str


class Digits(NamedTuple):
    """Marks a number that is sent with so many significant digits."""

    number: int


class Region(NamedTuple):
    """
    What a robot knows of its region.

    All fields but those marked as ``Kept`` are sent to the neighbours, in the order in which they
    are declared here, by :mod:`leader_election.robot.region_codec`.
    """

    device: Annotated[int, SENDER]
    """The robot's own id."""
    role: Kept[int]
    contribution: Kept[tuple[Unbounded, ...]]
    """What this robot contributes by itself: a row as the layout says."""
    load: Kept[float]
    """The smoothed load of the own region, on a leader; its target on others."""
    own_announcement: Kept[tuple[Unbounded, ...]]
    """What this robot would announce to other regions' leaders, if it were a leader."""
    parent: int
    """The id of the neighbour that is next on the way to the leader; -1: none."""
    summary: Annotated[tuple[Unbounded, ...], LAID_OUT]
    """What was collected up to here; on the leader: of the region."""
    reach: Annotated[float, Digits(4)]
    """The radius of the region's leader, as it is passed on [m]."""
    recipients: tuple[int, ...]
    """Multi-path: the neighbours downhill that take a share of the sums each; -1: none."""
    shares: Annotated[tuple[float, ...], SHARES, AsMany('recipients')]
    """Multi-path: the share of each; they add up to 1."""
    announcement: Annotated[tuple[Unbounded, ...], ALL_OR_NOTHING]
    """What the region's leader announces to other regions' leaders; +infinity first: nothing."""
    members: tuple[int, ...]
    """Gossip: the robots whose contributions are known, the nearest first; -1: none."""
    ages: Annotated[tuple[int, ...], AsMany('members')]
    """Gossip: how many rounds each contribution has travelled."""
    contributions: Annotated[tuple[Unbounded, ...], LAID_OUT, AsMany('members')]
    """Gossip: the contributions, row by row."""
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
