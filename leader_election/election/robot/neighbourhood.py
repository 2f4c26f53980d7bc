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

"""The neighbours of a round as an instance reads them, and the doubt about their distances."""

import collections
from collections.abc import Iterable
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.bounded import BoundedParameters, Candidacy
from leader_election.election.coordination.region import Region
from leader_election.election.robot.codec import Message


class Neighbour(NamedTuple):
    """A robot whose last message is valid in this round."""

    message: Message
    distance: float
    """The distance by the metric [m]."""
    missed: int = 0
    """The number of further messages of it that were due."""

    @property
    def late(self) -> bool:
        """Whether a further message of it was due."""
        return self.missed > 0


class NeighbourView(NamedTuple):
    """The neighbours of a round that take part in this instance."""

    messages: list[Message]
    exports: list[Any]
    regions: list[Any]
    """Each a :class:`~leader_election.election.coordination.region.Region`, empty if not sent."""
    metric: list[float]
    links: list[float]
    """Like ``metric``, with a penalty for late robots, so that another parent is preferred."""
    faults: list[str]
    """The counters of neighbours, or regions of neighbours, that were ignored."""


def contradicted(view: NeighbourView) -> list[int]:
    """
    Return the neighbours, by index, whose leader is a neighbour, too, and follows another one.

    Their candidacies are outdated: the message of that leader itself is later news. The check
    needs no memory, and is right at the latest when the leader's next message has arrived.
    """
    leaders = {message.id: export.leader
               for message, export in zip(view.messages, view.exports)}
    return [j for j, export in enumerate(view.exports)
            if leaders.get(export.leader, export.leader) != export.leader]


def leader_name(view: NeighbourView, leader: int) -> str:
    """
    Return the namespace of a leader as its followers announce it; empty: none is announced.

    The neighbour nearest to the leader counts, at best the leader itself: so a changed name
    replaces the earlier one along the path of the candidacy.

    :param view: the neighbours of an instance.
    """
    if not any(message.names for message in view.messages):
        return ''
    following = [(export.distance, message.names.get(leader, ''))
                 for message, export in zip(view.messages, view.exports)
                 if export.leader == leader]
    return min(following, key=lambda each: each[0], default=(0.0, ''))[1]


make_columns: Any = collections.namedtuple
_FIELDS = ['leader', 'distance', *Region._fields]
NeighbourColumns: Any = make_columns('NeighbourColumns', _FIELDS)
"""The columns of neighbours: the election's leader and distance, and the region's fields."""
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

    :param state: the election's state.
    :param now: the fields of the region that change before the round: role, contribution,
        announcement.
    """
    return PreviousState(state.leader, state.distance, *region._replace(**now))


class Offer(NamedTuple):
    """The candidacy that another robot has sent, in range or not."""

    candidacy: Candidacy
    distance: float
    """To the sender, estimated [m]."""
    deviation: float
    """Its standard deviation, > 0 [m]."""


def doubt(state: Candidacy, robot: int, offers: Iterable[Offer], link_range: float,
          parameters: BoundedParameters) -> float:
    """
    Return the probability that another leader is right by the true distances to the senders.

    Errors of distances are normal, and those to the senders of different leaders independent. The
    candidacies themselves are taken to be right.

    :param state: the robot's own.
    :param robot: its id.
    :param link_range: the greatest distance of a neighbour [m].

    At the very edge of the radius it is a half, and far within it none.

    >>> from leader_election.election.algorithms.bounded import configure
    >>> own, sent = Candidacy(-9.0, 2.0, 2, 1), Candidacy(-9.0, 0.0, 2)
    >>> doubt(own, 1, [Offer(sent, 2.0, 0.1)], 2.0, configure(3.0, 'id'))
    0.5
    >>> round(doubt(own, 1, [Offer(sent, 1.5, 0.1)], 2.0, configure(3.0, 'id')), 3)
    0.0
    """
    chances: dict[tuple[float, int], float] = {}
    for (value, before, leader, hops), distance, deviation in offers:
        if leader == robot or (value, leader) > (state.value, state.leader) or (
                hops >= parameters.hop_limit):
            continue
        reach = parameters.radius if leader == state.leader else parameters.joining_radius
        spare = min(link_range, reach - before) - distance
        chance = 0.5 * math.erfc(-spare / (deviation * math.sqrt(2.0)))
        chances[value, leader] = max(chance, chances.get((value, leader), 0.0))
    right = 1.0
    for (_, leader), chance in chances.items():
        right *= chance if leader == state.leader else 1.0 - chance
    return 1.0 - right
