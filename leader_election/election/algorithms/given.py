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
Given: the leaders are configured, and every other device follows the nearest of them.

There is no election. This is the variant of self-organising coordination regions whose leaders
are known, for example base stations or gateways (R. Casadei, D. Pianini, M. Viroli, A. Natali,
COORDINATION 2019: the sparse choice S is replaced by a given set). The rest is a gradient from
several sources (J. Beal, M. Viroli, "Building blocks for aggregate programming of self-organising
applications", SASO workshops 2014): each device takes the leader whose path is the shortest, so
the regions are the Voronoi cells of the leaders in the network.

A device knows only whether it leads itself. It follows any leader whose candidacy it receives.
A device without a leader within the radius follows no device: it names itself, at an infinite
distance.

Stabilisation: from any state and in any fair order of rounds, to the one partition. A candidacy
counts its hops, so after at most ``hop_limit - 1`` rounds in lockstep every candidacy has come
from a leader. A leader's own message is right, and each round corrects one link more. The leaders
never change, so a failed leader has no successor: its members follow the next leader within the
radius, or none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import Algorithm, ALGORITHMS, BARRED, Device
from leader_election.election.algorithms.fields import Hops, make_columns, NO_HOP_LIMIT, Unbounded
from leader_election.parameters import id_ranges, parameter, ParameterError
import numpy as np

LARGEST_ID = 2**53 - 1


class Nearest(NamedTuple):
    """The nearest leader: the state of a device, and its export."""

    distance: Unbounded
    """Distance to the leader [m]: 0 on the leader itself, infinite without a leader."""
    leader: int
    """The leader's id, the device's own if none is within reach."""
    hops: Hops = 0
    """The number of hops of the distance."""


NearestColumns: Any = make_columns('NearestColumns', Nearest._fields)


@dataclass(frozen=True)
class GivenSettings:
    """The algorithm's own parameters."""

    leaders: str = parameter(
        '', 'The ids of the robots that lead, and ranges of ids, for example '
        "'0,5,10-19'. Each robot looks for its own id only. It follows any robot that leads. "
        'Empty: this robot does not lead.', dynamic=True)

    def __post_init__(self) -> None:
        """Refuse a text that is no list of ids."""
        leader_ranges(self.leaders)


class GivenParameters(NamedTuple):
    """The parameters of a round."""

    first: Any
    """The first id of each range of leaders, shape (ranges,)."""
    last: Any
    """The last id of each range, inclusive, shape (ranges,)."""
    radius: float
    """The largest distance to a leader, inclusive [m]."""
    hop_limit: int


def given_round(device: Device, state: Nearest, neighbours: Any, metric: Sequence[float],
                parameters: GivenParameters) -> Nearest:
    """
    Return the nearest leader: the device itself if it leads, else the best of its neighbours'.

    Among leaders at the same distance the lower id wins, then the path with fewer hops. A device
    of strength :data:`~leader_election.election.algorithms.algorithm.BARRED` does not lead.

    Device 7 leads. Device 1 is 3 m away from it and does not lead.

    >>> told = configure('5-7')
    >>> leader = given_round(Device(7, 0.0), start(Device(7, 0.0)), NearestColumns([], [], []), [],
    ...                      told)
    >>> leader
    Nearest(distance=0.0, leader=7, hops=0)
    >>> received = NearestColumns(*zip(leader))
    >>> one = Device(1, 0.0)
    >>> given_round(one, start(one), received, [3.0], told)
    Nearest(distance=3.0, leader=7, hops=1)
    >>> given_round(one, start(one), received, [3.0], configure('5-7', radius=2.5))
    Nearest(distance=inf, leader=1, hops=0)
    """
    if device.strength > BARRED:
        for r in range(len(parameters.first)):
            if parameters.first[r] <= device.id <= parameters.last[r]:
                return Nearest(0.0, device.id, 0)
    distance, leader, hops = math.inf, device.id, 0
    for j in range(len(metric)):
        far = neighbours.distance[j] + metric[j]
        # A device that led until now must not follow its own candidacy, which comes back.
        if far > parameters.radius or far == math.inf or neighbours.leader[j] == device.id:
            continue
        if not 0 <= neighbours.hops[j] < parameters.hop_limit:
            continue
        if far != distance:
            better = far < distance
        elif neighbours.leader[j] != leader:
            better = neighbours.leader[j] < leader
        else:
            better = neighbours.hops[j] + 1 < hops
        if better:
            distance, leader, hops = far, neighbours.leader[j], neighbours.hops[j] + 1
    return Nearest(distance, leader, hops)


def start(device: Device) -> Nearest:
    """Return the initial state: no leader. A device that leads does so from its first round on."""
    return Nearest(math.inf, device.id, 0)


def leader_ranges(text: str) -> tuple[tuple[int, int], ...]:
    """
    Return the ranges of ids in a value of the parameter ``leaders``.

    :raises ParameterError: for a text of another form, or an id that no robot can have.

    >>> leader_ranges('0, 5-9')
    ((0, 0), (5, 9))
    """
    found = id_ranges(text, 'leaders')
    for _, last in found:
        if last > LARGEST_ID:
            raise ParameterError('leaders', last, f'ids from 0 to {LARGEST_ID}')
    return found


def configure(leaders: str, radius: float = math.inf,
              hop_limit: int = NO_HOP_LIMIT) -> GivenParameters:
    """
    Return the parameters of the round.

    :param leaders: the ids of the devices that lead, and ranges of ids, for example ``0,5-9``.
    :param radius: the largest distance to a leader [m], >= 0, inclusive, infinite for any.
    :param hop_limit: the largest number of hops of a distance, >= 1.
    :raises ParameterError: for ``leaders`` of another form.
    """
    ends = np.array(leader_ranges(leaders), dtype=np.int64).reshape(-1, 2)
    return GivenParameters(ends[:, 0].copy(), ends[:, 1].copy(), radius, hop_limit)


GIVEN = ALGORITHMS.add(Algorithm(
    name='given',
    round=given_round,
    state=Nearest,
    columns=NearestColumns,
    start=start,
    configure=configure,
    parameters=GivenSettings,
    leaders_follow_themselves=True,
))
