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

"""The probability that the errors of estimated distances give a robot a wrong leader."""

from collections.abc import Iterable
import math
from typing import NamedTuple

from leader_election.election.algorithms.bounded import BoundedParameters, Candidacy


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
