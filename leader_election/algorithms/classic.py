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
Classic: sparse choice S, the leader election that Bounded Election is measured against.

J. Beal, M. Viroli, "Building blocks for aggregate programming of self-organising applications",
SASO workshops (FoCAS) 2014, section on S; as the Protelis library has it. Devices compete by
pairs of value and id. Who has no leader within the radius enters the competition with its own
pair, the smallest pair conquers what is nearer to its device than half the radius, and who lies
between half and the whole radius is led by somebody but backs nobody. A gradient-cast then tells
everybody the id of the nearest leader.

As published the *smallest* pair wins. Here the value is the negated strength, so that the
strongest leads, as in all algorithms of this package; whoever wants the published order, as in the
experiments of the ACSOS 2022 paper, hands in negated strengths.

Does it stabilise? With a radius above 0, from any state, and in any order of rounds that was tried
in which a message is heard before the next round of its sender, it comes to rest: each device is
led by the nearest of leaders that all exist, within the radius. Which ones lead depends on the
history: several choices can be at rest, and followers can go on backing a pair that nobody has.
But when all rounds fall together there are states from which it never comes to rest: two devices
take such a pair over from each other, in turn, for ever.
"""

from collections.abc import Sequence
import math
from typing import NamedTuple

from leader_election.algorithms.algorithm import Algorithm, ALGORITHMS, Device
from leader_election.algorithms.fields import Unbounded

NOBODY = -1
"""The id of the pair that nobody has, of infinite value."""


class Choice(NamedTuple):
    """Whom a device backs, and who leads it."""

    lead_value: Unbounded
    """The value (strength, negated) of the pair that it backs; infinite: it backs nobody."""
    lead: int
    """The id of that pair."""
    lead_distance: Unbounded
    """Distance to the nearest device that backs itself, as of the round before [m]."""
    distance: Unbounded
    """Distance to the leader [m]: 0 on the leader itself; infinite: there is none yet."""
    leader: int
    """The leader's id; its own where there is none yet."""


class Choices(NamedTuple):
    """The choices of all neighbours, a column a field."""

    lead_value: Sequence[float]
    lead: Sequence[int]
    lead_distance: Sequence[float]
    distance: Sequence[float]
    leader: Sequence[int]


class ClassicParameters(NamedTuple):
    """What is the same for all devices and rounds."""

    radius: float
    """Nobody is farther than this from a leader, inclusive [m]."""


def classic_round(
    device: Device,
    state: Choice,
    neighbours: Choices,
    metric: Sequence[float],
    parameters: ClassicParameters,
) -> Choice:
    """
    Return whom a device backs now, and who leads it.

    A line of two, 3 m apart: device 1 backed itself, and hears that the stronger 2 does, too.
    As long as it backed itself it is at distance 0 from such a device; 3 m is less than half the
    radius of 10 m, so it goes over to 2. A radius of 6 m would be too small for that.

    >>> heard = Choices([-9.0], [2], [0.0], [0.0], [2])
    >>> weak = Device(id=1, strength=5.0)
    >>> classic_round(weak, start(weak), heard, [3.0], ClassicParameters(10.0))
    Choice(lead_value=-9.0, lead=2, lead_distance=0.0, distance=3.0, leader=2)
    >>> classic_round(weak, start(weak), heard, [3.0], ClassicParameters(6.0))
    Choice(lead_value=-5.0, lead=1, lead_distance=0.0, distance=0.0, leader=1)
    """
    own = -device.strength, device.id
    lead_distance = math.inf
    if (state.lead_value, state.lead) == own:
        lead_distance = 0.0
    else:
        for j in range(len(metric)):
            lead_distance = min(lead_distance, neighbours.lead_distance[j] + metric[j])

    half = parameters.radius / 2
    if lead_distance > parameters.radius:
        lead = own
    elif lead_distance >= half:
        lead = math.inf, NOBODY
    else:
        lead = state.lead_value, state.lead
        for j in range(len(metric)):
            backed = neighbours.lead_value[j], neighbours.lead[j]
            if neighbours.lead_distance[j] + metric[j] < half and backed < lead:
                lead = backed

    if lead == own:
        return Choice(lead[0], lead[1], lead_distance, 0.0, device.id)
    distance, leader = math.inf, device.id
    for j in range(len(metric)):
        heard = neighbours.distance[j] + metric[j], neighbours.leader[j]
        if heard[0] < math.inf and heard < (distance, leader):
            distance, leader = heard
    return Choice(lead[0], lead[1], lead_distance, distance, leader)


def start(device: Device) -> Choice:
    """Return the choice of a device that backs itself."""
    return Choice(-device.strength, device.id, 0.0, 0.0, device.id)


def configure(radius: float) -> ClassicParameters:
    """
    Return the parameters of the round.

    :param radius: nobody is farther than this from a leader [m], > 0: with 0, a device is at half
        the radius from itself, and never rests. A pair conquers up to half of it, exclusive.
    """
    return ClassicParameters(radius)


CLASSIC = ALGORITHMS.add(Algorithm(
    name='classic',
    round=classic_round,
    state=Choice,
    columns=Choices,
    start=start,
    configure=configure,
))
