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
The state of a robot as a member of a region, its parent, and the settings of regions.

R. Casadei, D. Pianini, M. Viroli, A. Natali, "Self-organising Coordination Regions: A Pattern for
Edge Computing", COORDINATION 2019.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.fields import Kept, NOBODY, Unbounded
from leader_election.election.regions.collection import SummaryLayout
from leader_election.parameters import parameter

CANDIDATE, WORKER, RELAY = range(3)
"""
Roles: a candidate may lead. A worker contributes but does not lead; a relay only forwards. A
candidate becomes a leader, or a worker in the region of another robot.
"""
ROLES = ('candidate', 'worker', 'relay')
TREE, MULTI_PATH, GOSSIP = range(3)
COLLECTIONS = ('tree', 'multi-path', 'gossip')
"""The ways of collection, in the order of ``TREE``, ``MULTI_PATH``, ``GOSSIP``."""
GRADIENT, GOSSIPED = range(2)
SPREADINGS = ('gradient', 'gossip')
"""The ways of spreading, in the order of ``GRADIENT``, ``GOSSIPED``."""
MOST_VERSION = 2**53 - 1
"""The greatest version of a decision, and its greatest age [rounds]."""


class Region(NamedTuple):
    """
    The state of a robot as a member of its region.

    :mod:`leader_election.election.messages.region_codec` names those that are sent. ``device`` is
    the sender's id of the message. The decision has a key of its own there.
    """

    device: int
    role: Kept[int]
    contribution: Kept[tuple[Unbounded, ...]]
    """The robot's own contribution: a row by the summary layout."""
    load: Kept[float]
    """On a leader, the smoothed load of its region; on other robots, the target."""
    own_announcement: Kept[tuple[Unbounded, ...]]
    """The announcement that this robot would make as a leader."""
    parent: int
    """The id of the neighbour that is the next hop to the leader, -1 for none."""
    summary: tuple[Unbounded, ...]
    """The contributions collected so far; on the leader, those of the region."""
    reach: float
    """The radius of the region's leader, as forwarded [m]."""
    recipients: tuple[int, ...]
    """Multi-path: the ids of the neighbours that receive a share of the sums, -1 for none."""
    shares: tuple[float, ...]
    """Multi-path: the share of each. They add up to 1, and are sent in thousandths."""
    announcement: tuple[Unbounded, ...]
    """The announcement of the region's leader, none if the first number is +infinity."""
    members: tuple[int, ...]
    """Gossip: the ids of the robots with known contributions, the nearest first, -1 for none."""
    ages: tuple[int, ...]
    """Gossip: the age of each contribution [rounds]."""
    contributions: tuple[Unbounded, ...]
    """Gossip: the contributions, row by row."""
    decision_version: int
    """The number of the leader's decision, greater in each round, 0 for none."""
    decision_age: int
    """Spreading by gossip: the rounds since the leader made it."""
    decision: Any
    """The leader's decision, or a copy of "none"."""


class RegionParameters(NamedTuple):
    """The parameters of a round, the same in all rounds."""

    layout: SummaryLayout
    collection: int
    link_range: float
    """The distance at which a link breaks, by the metric [m], infinite if unknown."""
    gossip_depth: int
    """The largest number of hops over which a contribution is forwarded."""
    spreading: int
    border: int
    """The part of a summary with the announcements of adjacent regions, -1 for none."""
    radius: float
    """A leader's radius without feedback [m]."""
    alpha: float
    """The weight of the present load in the smoothed load, in [0, 1]."""
    target: float
    """The load at which a region has the radius without feedback, > 0."""
    gain: float
    """The share of the radius by which a region shrinks for each target of excess load."""
    most: float
    """The largest radius under feedback, as a part of the radius."""
    undecided: Any
    """The value that stands for no decision."""


def parent_of(leader: int, distance: float, neighbours: Any, metric: Sequence[float]) -> int:
    """
    Return the parent's place among the neighbours, -1 for none.

    The parent is a neighbour of the same region, nearer to the leader, on the shortest path. The
    potential is the distance that the election computed, so it recovers as the election does.

    :param distance: the device's own distance to the leader [m].
    :param neighbours: columns with ``leader`` and ``distance``.
    :param metric: the distance to each neighbour [m], shape (neighbours,).
    """
    parent, best = NOBODY, math.inf
    for j in range(len(metric)):
        if neighbours.leader[j] == leader and 0.0 <= neighbours.distance[j] < distance:
            far = neighbours.distance[j] + metric[j]
            if far < best:
                parent, best = j, far
    return parent


MOST_RECIPIENTS = 4
"""
Multi-path: the largest number of recipients. With 8, the count of a moving swarm was no better,
with and without message loss, and messages were a tenth longer.
"""


@dataclass(frozen=True)
class RegionSettings:
    """The settings of collection and feedback."""

    role: str = parameter(
        'candidate', 'The role of this robot: it may become a leader or else a worker '
        '(candidate), a worker only, or a relay, which contributes nothing and only forwards.',
        choices=lambda: ROLES)
    collection: str = parameter(
        'multi-path', 'How contributions reach the leader: along a spanning tree (tree), in '
        'shares over the neighbours nearer to the leader (multi-path), or by forwarding all '
        'contributions, in small regions (gossip).', choices=lambda: COLLECTIONS)
    gossip_members: int = parameter(
        16, 'Collection gossip: the largest number of contributing robots, the nearest ones.',
        lower=1, upper=256)
    gossip_depth: int = parameter(
        8, 'Collection gossip: the number of times that a contribution is forwarded.', unit='hops',
        lower=1, upper=1000)
    spreading: str = parameter(
        'gradient', "How the leader's decision reaches the members: each copies that of its "
        'parent (gradient), or the freshest of all neighbours of its region (gossip), which needs '
        'no parent and loses less where messages are lost.', choices=lambda: SPREADINGS)
    feedback_gain: float = parameter(
        0.0, 'The part of its radius by which a leader shrinks its region for each '
        'feedback_target of load above feedback_target. Below, the region grows. '
        '0: no feedback.',
        lower=0.0, upper=100.0, dynamic=True)
    feedback_alpha: float = parameter(
        0.01, 'The weight of the present load in the smoothed load, in each round. Near 1 regions '
        'oscillate. 0: no feedback.', lower=0.0, upper=1.0, dynamic=True)
    feedback_target: float = parameter(
        10.0, 'The load at which a region has its radius: a number of members.',
        lower=1e-6, upper=1e9, dynamic=True)
    feedback_most: float = parameter(
        1.0, 'The largest size of a region under feedback, as a part of its radius.',
        lower=1.0, upper=100.0, dynamic=True)


def parameters_of(settings: RegionSettings, layout: SummaryLayout, *, radius: float,
                  link_range: float, undecided: Any, border: int = -1) -> RegionParameters:
    """
    Return the parameters of a round.

    :param radius: the radius of the election [m], infinite if it has none, and there is no
        feedback.
    :param link_range: the distance at which a link breaks, by the metric [m], infinite if unknown.
    :param undecided: the value that stands for no decision.
    :param border: the part of a summary with the announcements of adjacent regions, -1 for none.
    """
    return RegionParameters(
        layout=layout, collection=COLLECTIONS.index(settings.collection), link_range=link_range,
        gossip_depth=settings.gossip_depth,
        spreading=SPREADINGS.index(settings.spreading),
        border=border,
        radius=radius if math.isfinite(radius) else 0.0, alpha=settings.feedback_alpha,
        target=settings.feedback_target,
        gain=settings.feedback_gain if math.isfinite(radius) else 0.0,
        most=settings.feedback_most, undecided=undecided)


def initial_region(settings: RegionSettings, contribution: Sequence[float],
                   identity: Sequence[float], *, announcement_size: int = 0,
                   undecided: Any) -> Region:
    """
    Return the initial state of a robot in its region; the caller fills in the device's id.

    :param contribution: the first contribution.
    :param identity: the contribution of a robot without readings.
    :param announcement_size: the number of numbers in an announcement.
    :param undecided: the value that stands for no decision.
    """
    recipients = MOST_RECIPIENTS if settings.collection == 'multi-path' else 0
    members = settings.gossip_members if settings.collection == 'gossip' else 0
    return Region(
        device=NOBODY, role=ROLES.index(settings.role), contribution=tuple(contribution),
        load=settings.feedback_target, own_announcement=(math.inf,) * announcement_size,
        parent=NOBODY, reach=0.0, recipients=(NOBODY,) * recipients, shares=(0.0,) * recipients,
        summary=tuple(identity), announcement=(math.inf,) * announcement_size,
        members=(NOBODY,) * members, ages=(0,) * members,
        contributions=(math.inf,) * members * len(identity),
        decision_version=0, decision_age=0, decision=undecided)
