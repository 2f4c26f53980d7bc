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
LEACH as an algorithm: each device leads once an epoch, in a turn that it draws.

W. R. Heinzelman, A. Chandrakasan, H. Balakrishnan, "Energy-efficient communication protocol for
wireless microsensor networks", HICSS 2000. An epoch has so many turns that one device in so many
leads in each. All others follow the nearest leader that they hear, if any.
"""

from collections.abc import Sequence
from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election import Algorithm, Device, parameter, Unbounded


class Cluster(NamedTuple):
    """The state of a device."""

    distance: Unbounded
    """To the leader [m], infinite without one."""
    leader: int
    """The leader's id, the device's own if it hears none."""
    count: int
    """The number of rounds in this epoch."""
    served: int
    """Whether the device has led in this epoch, 0 or 1."""


class Clusters(NamedTuple):
    """The states of all neighbours."""

    distance: Sequence[float]
    leader: Sequence[int]
    count: Sequence[int]
    served: Sequence[int]


@dataclass(frozen=True)
class LeachSettings:
    """The algorithm's own parameters."""

    turns: int = parameter(5, 'Turns of an epoch: one device in so many leads.', lower=1)
    length: int = parameter(10, 'Length of a turn.', unit='rounds', lower=1)


class Turns(NamedTuple):
    """The parameters of a round."""

    turns: int
    length: int


def leach_round(device: Device, state: Cluster, neighbours: Clusters, metric: Sequence[float],
                parameters: Turns) -> Cluster:
    """Lead, by the number that the device draws at the begin of a turn, or follow."""
    count = (state.count + 1) % (parameters.turns * parameters.length)
    served = 0 if count == 0 else state.served
    leads = state.leader == device.id and state.distance == 0.0
    if count % parameters.length == 0:
        left = parameters.turns - count // parameters.length
        leads = served == 0 and device.chance < 1.0 / left
    if leads:
        return Cluster(0.0, device.id, count, 1)
    distance, leader = math.inf, device.id
    for j in range(len(metric)):
        if neighbours.distance[j] == 0.0 and metric[j] < distance:
            distance, leader = metric[j], neighbours.leader[j]
    return Cluster(distance, leader, count, served)


def start(device: Device) -> Cluster:
    """Return the state at the begin: the next round begins an epoch."""
    return Cluster(math.inf, device.id, -1, 0)


LEACH: Any = Algorithm(
    name='leach', round=leach_round, state=Cluster, columns=Clusters, start=start,
    configure=Turns, parameters=LeachSettings)
