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

"""Whom a robot sees in a round, and what the pattern reads of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from leader_election.coordination.region import Region
from leader_election.robot.codec import Message


class Neighbour(NamedTuple):
    """A robot whose message counts in this round."""

    message: Message
    distance: float
    """By the metric [m]."""
    late: bool = False
    """Whether it should have been heard again by now."""


class NeighbourView(NamedTuple):
    """The neighbours of a round that take part in this instance."""

    messages: list[Message]
    exports: list[Any]
    regions: list[Any]
    """As :class:`~leader_election.coordination.region.Region`, blank where nothing is told."""
    metric: list[float]
    links: list[float]
    """As ``metric``, but for who is late: nothing is entrusted to it if there is anybody else."""
    faults: list[str]
    """What to count: why somebody, or somebody's region, was passed over."""


class NeighbourColumns(NamedTuple):
    """What the pattern reads of neighbours, a column a field."""

    leader: Sequence[int]
    distance: Sequence[float]
    device: Sequence[int]
    parent: Sequence[int]
    reach: Sequence[float]
    recipients: Sequence[Sequence[int]]
    shares: Sequence[Sequence[float]]
    summary: Sequence[Sequence[float]]
    announcement: Sequence[Sequence[float]]
    members: Sequence[Sequence[int]]
    ages: Sequence[Sequence[int]]
    contributions: Sequence[Sequence[float]]
    decision: Sequence[str]


class PreviousState(NamedTuple):
    """The own state before a round, as the pattern reads it."""

    leader: int
    distance: float
    role: int
    contribution: Sequence[float]
    load: float
    own_announcement: Sequence[float]
    announcement: Sequence[float]
    members: Sequence[int]
    ages: Sequence[int]
    contributions: Sequence[float]
    recipients: Sequence[int]
    shares: Sequence[float]


def neighbour_columns(view: NeighbourView, left: NeighbourView) -> NeighbourColumns:
    """Return what is read of those seen, and of those that have left."""
    exports, regions = view.exports + left.exports, view.regions + left.regions
    return NeighbourColumns(
        [export.leader for export in exports],
        [export.distance for export in exports],
        *(
            [getattr(region, field) for region in regions]
            for field in NeighbourColumns._fields[2:]
        ),
    )


def previous_state(state: Any, region: Region, **now: Any) -> PreviousState:
    """
    Return the own state before a round.

    :param state: of the election.
    :param now: what of the region is known anew: role, offer, say.
    """
    kept = {field: getattr(region, field) for field in PreviousState._fields[2:]}
    return PreviousState(state.leader, state.distance, **{**kept, **now})
