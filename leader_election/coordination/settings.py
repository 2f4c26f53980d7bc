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

from leader_election.coordination.region import COLLECTIONS, Region, RegionParameters, ROLES
from leader_election.coordination.summary_layout import SummaryLayout
from leader_election.parameters import parameter

HEIRS = 4
"""
Multi-path: among so many neighbours at most a robot splits what adds up. With 8 a swarm on the
move counted itself no better, be messages lost or not, and messages were a tenth longer.
"""


@dataclass(frozen=True)
class RegionSettings:
    """How a region collects, and how large its leader makes it."""

    role: str = parameter(
        'candidate', 'What this robot may become: a leader or else a worker (candidate), a worker '
        'only, or a relay, who contributes nothing and only passes on what others say.',
        choices=lambda: ROLES)
    collection: str = parameter(
        'multi-path', 'How what robots contribute gets to their leader: along a spanning tree, in '
        'shares over all neighbours nearer to the leader (multi-path), or by telling everybody '
        'everything, in small regions (gossip).', choices=lambda: COLLECTIONS)
    gossip_members: int = parameter(
        16, 'Collection gossip: the most robots of a region that contribute, the nearest.',
        lower=1, upper=256)
    gossip_depth: int = parameter(
        8, 'Collection gossip: a contribution is told on so many times.', unit='hops',
        lower=1, upper=1000)
    feedback_gain: float = parameter(
        0.0, 'By how much of its radius a leader shrinks its region for each feedback_target of '
        'load above feedback_target; it grows it below. 0: regions have their radius.',
        lower=0.0, upper=100.0, dynamic=True)
    feedback_alpha: float = parameter(
        0.01, 'How much of the load now is in the smoothed load, in each round. Near 1 regions '
        'swing; 0: no feedback.', lower=0.0, upper=1.0, dynamic=True)
    feedback_target: float = parameter(
        10.0, 'The load, in members unless a task says otherwise, with which a region has its '
        'radius.', lower=1e-6, upper=1e9, dynamic=True)
    feedback_least: float = parameter(
        0.25, 'The smallest that feedback makes a region, as a part of its radius.',
        lower=0.01, upper=1.0, dynamic=True)
    feedback_most: float = parameter(
        1.0, 'The largest that feedback makes a region, as a part of its radius.',
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
    Return what a round takes.

    :param radius: the election's [m]; infinite: the election knows none, and there is no feedback.
    :param link_range: where a neighbour is heard no more, in the metric [m]; infinite: not known.
    :param undecided: what stands for no decision.
    :param border: which part holds what other regions' leaders say; -1: none.
    :param load_at: which number of a summary is the load.
    """
    return RegionParameters(
        layout=layout, collection=COLLECTIONS.index(settings.collection), link_range=link_range,
        gossip_depth=settings.gossip_depth, border=border,
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
    Return the region of a robot that has heard nobody yet; the device's id is to be filled in.

    :param contribution: what it contributes at first.
    :param identity: what one contributes that has nothing to say.
    :param announcement_size: how many numbers leaders tell each other.
    """
    recipients = HEIRS if settings.collection == 'multi-path' else 0
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
        decision=undecided,
    )
