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
Classic: sparse choice S, the leader election that Bounded Election is compared with.

J. Beal, M. Viroli, "Building blocks for aggregate programming of self-organising applications",
SASO workshops (FoCAS) 2014, section on S, as implemented in the Protelis library. Devices compete
with pairs of value and id. A device without a leader within the radius enters the competition with
its own pair. The smallest pair wins all devices that are nearer than half the radius. A device
between half the radius and the radius has a leader but backs no pair. A gradient-cast then
distributes the id of the nearest leader.

As published, the *smallest* pair wins. Here the value is the negated strength, so that the
strongest device leads, as in all algorithms of this package. For the published order, as in the
experiments of the ACSOS 2022 paper, use negated strengths.

Stabilisation: with a radius above 0, it converges from any state, in all tested orders of rounds
in which a message is received before the next round of its sender. Each device is then led by the
nearest living leader, within the radius. Which devices lead depends on the history: several
results are stable, and followers may keep backing a pair that no device has. If all rounds run at
the same time, there are states from which it never converges: two devices then take such a pair
over from each other forever.
"""

from collections.abc import Sequence
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms.algorithm import Algorithm, ALGORITHMS, BARRED, Device
from leader_election.election.algorithms.fields import (
    Hops,
    Id,
    make_columns,
    Negated,
    NO_HOP_LIMIT,
    NOBODY,
    Unbounded,
)


class Choice(NamedTuple):
    """The pair that a device backs, and its leader."""

    lead_value: Negated[Unbounded]
    """The value (strength, negated) of the backed pair, infinite if it backs none."""
    lead: Id
    """The id of that pair, ``NOBODY`` for the pair of infinite value that no device has."""
    lead_distance: Unbounded
    """Distance to the nearest device that backed itself in the previous round [m]."""
    distance: Unbounded
    """Distance to the leader [m]: 0 on the leader itself, infinite without a leader."""
    leader: int
    """The leader's id, the device's own if there is none yet."""
    lead_hops: Hops = 0
    """The number of hops of ``lead_distance``."""
    hops: Hops = 0
    """The number of hops of ``distance``."""


Choices: Any = make_columns('Choices', Choice._fields)


class ClassicParameters(NamedTuple):
    """The parameters of a round, the same on all devices."""

    radius: float
    """
    The largest distance to a leader, inclusive [m], > 0: with 0, a device is at half the radius
    from itself, and never converges. A pair wins devices nearer than half of it.
    """
    hop_limit: int = NO_HOP_LIMIT


def classic_round(device: Device, state: Choice, neighbours: Any, metric: Sequence[float],
                  parameters: ClassicParameters) -> Choice:
    """
    Return the pair that a device backs now, and its leader.

    A device of strength :data:`~leader_election.election.algorithms.algorithm.BARRED` backs others
    only.

    A line of two, 3 m apart: device 1 backed itself, and so did the stronger device 2. Device 2
    is nearer than half the radius of 10 m, so device 1 now backs it. With a radius of 6 m it is
    not.

    >>> received = Choices([-9.0], [2], [0.0], [0.0], [2], [0], [0])
    >>> weak = Device(id=1, strength=5.0)
    >>> classic_round(weak, start(weak), received, [3.0], ClassicParameters(10.0))
    Choice(lead_value=-9.0, lead=2, lead_distance=0.0, distance=3.0, leader=2, lead_hops=0, hops=1)
    >>> classic_round(weak, start(weak), received, [3.0], ClassicParameters(6.0))
    Choice(lead_value=-5.0, lead=1, lead_distance=0.0, distance=0.0, leader=1, lead_hops=0, hops=0)
    """
    own = -device.strength, device.id
    may_lead = device.strength > BARRED
    lead_distance, lead_hops = math.inf, 0
    if may_lead and (state.lead_value, state.lead) == own:
        lead_distance = 0.0
    else:
        for j in range(len(metric)):
            far = neighbours.lead_distance[j] + metric[j]
            if far < lead_distance and 0 <= neighbours.lead_hops[j] < parameters.hop_limit:
                lead_distance, lead_hops = far, neighbours.lead_hops[j] + 1

    half = parameters.radius / 2
    if lead_distance > parameters.radius:
        lead = own if may_lead else (math.inf, NOBODY)
    elif lead_distance >= half:
        lead = math.inf, NOBODY
    else:
        lead = state.lead_value, state.lead
        for j in range(len(metric)):
            backed = neighbours.lead_value[j], neighbours.lead[j]
            if not 0 <= neighbours.lead_hops[j] < parameters.hop_limit or backed[1] < 0:
                continue
            if neighbours.lead_distance[j] + metric[j] < half and backed < lead:
                lead = backed

    if may_lead and lead == own:
        return Choice(lead[0], lead[1], lead_distance, 0.0, device.id, lead_hops, 0)
    distance, leader, hops = math.inf, device.id, 0
    for j in range(len(metric)):
        received = neighbours.distance[j] + metric[j], neighbours.leader[j]
        if not 0 <= neighbours.hops[j] < parameters.hop_limit:
            continue
        # Otherwise a device that may not lead would follow a leader at any distance.
        if not may_lead and received[0] > parameters.radius:
            continue
        if received[0] < math.inf and received < (distance, leader):
            distance, leader = received
            hops = neighbours.hops[j] + 1
    return Choice(lead[0], lead[1], lead_distance, distance, leader, lead_hops, hops)


def start(device: Device) -> Choice:
    """Return the initial state: the device backs itself, if it may lead."""
    if device.strength > BARRED:
        return Choice(-device.strength, device.id, 0.0, 0.0, device.id, 0, 0)
    return Choice(math.inf, NOBODY, math.inf, math.inf, device.id, 0, 0)


CLASSIC = ALGORITHMS.add(Algorithm(
    name='classic',
    round=classic_round,
    state=Choice,
    columns=Choices,
    start=start,
    configure=ClassicParameters,
))
