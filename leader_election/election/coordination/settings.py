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

"""The settings of regions, declared once for robots and for the laboratory."""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any

from leader_election.election.coordination.region import (
    COLLECTIONS,
    Region,
    RegionParameters,
    ROLES,
    SPREADINGS,
)
from leader_election.election.coordination.summary_layout import SummaryLayout
from leader_election.parameters import parameter

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
    decision_expiry: int = parameter(
        100, 'Spreading gossip: the number of rounds after which a decision that its leader has '
        'not renewed is dropped.', unit='rounds', lower=1, upper=1000000)
    feedback_gain: float = parameter(
        0.0, 'The part of its radius by which a leader shrinks its region for each '
        'feedback_target of load above feedback_target; below, the region grows. '
        '0: no feedback.',
        lower=0.0, upper=100.0, dynamic=True)
    feedback_alpha: float = parameter(
        0.01, 'The weight of the present load in the smoothed load, in each round. Near 1 regions '
        'oscillate; 0: no feedback.', lower=0.0, upper=1.0, dynamic=True)
    feedback_target: float = parameter(
        10.0, 'The load at which a region has its radius; a load is the number of members, unless '
        'a task defines another.', lower=1e-6, upper=1e9, dynamic=True)
    feedback_least: float = parameter(
        0.25, 'The smallest size of a region under feedback, as a part of its radius.',
        lower=0.01, upper=1.0, dynamic=True)
    feedback_most: float = parameter(
        1.0, 'The largest size of a region under feedback, as a part of its radius.',
        lower=1.0, upper=100.0, dynamic=True)


def parameters_of(
    settings: RegionSettings,
    layout: SummaryLayout,
    *,
    radius: float,
    link_range: float,
    undecided: Any,
    border: int = -1,
    load_at: int = 0,
) -> RegionParameters:
    """
    Return the parameters of a round.

    :param radius: the radius of the election [m]; infinite: it has none, and there is no feedback.
    :param link_range: the distance at which a link breaks, by the metric [m]; infinite: unknown.
    :param undecided: the value that stands for no decision.
    :param border: the part of a summary with the announcements of adjacent regions; -1: none.
    :param load_at: the place of the load in a summary.
    """
    return RegionParameters(
        layout=layout, collection=COLLECTIONS.index(settings.collection), link_range=link_range,
        gossip_depth=settings.gossip_depth,
        spreading=SPREADINGS.index(settings.spreading),
        decision_expiry=settings.decision_expiry, border=border,
        radius=radius if math.isfinite(radius) else 0.0, alpha=settings.feedback_alpha,
        target=settings.feedback_target,
        gain=settings.feedback_gain if math.isfinite(radius) else 0.0,
        least=settings.feedback_least, most=settings.feedback_most, load_at=load_at,
        undecided=undecided)


def initial_region(
    settings: RegionSettings,
    contribution: Sequence[float],
    identity: Sequence[float],
    *,
    announcement_size: int = 0,
    undecided: Any,
) -> Region:
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
        device=-1,
        role=ROLES.index(settings.role),
        contribution=tuple(contribution),
        load=settings.feedback_target,
        own_announcement=(math.inf,) * announcement_size,
        parent=-1,
        reach=0.0,
        recipients=(-1,) * recipients,
        shares=(0.0,) * recipients,
        summary=tuple(identity),
        announcement=(math.inf,) * announcement_size,
        members=(-1,) * members,
        ages=(0,) * members,
        contributions=(math.inf,) * members * len(identity),
        decision_version=0,
        decision_age=0,
        decision=undecided,
    )
