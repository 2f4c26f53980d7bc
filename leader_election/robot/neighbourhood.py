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

import collections
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


make_columns: Any = collections.namedtuple
_FIELDS = ['leader', 'distance', *Region._fields]
NeighbourColumns: Any = make_columns('NeighbourColumns', _FIELDS)
"""What the pattern reads of neighbours: election's leader and distance, and columns of regions."""
PreviousState: Any = make_columns('PreviousState', _FIELDS)
"""The robot's own state before a round, as the pattern reads it."""


def neighbour_columns(view: NeighbourView, departed: NeighbourView) -> Any:
    """Return the columns of the neighbours in view, followed by those that have departed."""
    exports, regions = view.exports + departed.exports, view.regions + departed.regions
    columns = zip(*regions) if regions else [()] * len(Region._fields)
    return NeighbourColumns(
        [export.leader for export in exports], [export.distance for export in exports], *columns)


def previous_state(state: Any, region: Region, **now: Any) -> Any:
    """
    Return the robot's own state before a round.

    :param state: of the election.
    :param now: the fields of the region that are known anew: role, contribution, announcement.
    """
    return PreviousState(state.leader, state.distance, *region._replace(**now))
