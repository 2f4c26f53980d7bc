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

"""The state in which a device begins, or begins again."""

from typing import Any

from leader_election.algorithms import Algorithm, Device
from leader_election.coordination.region import with_effective_strength
from leader_election.lab.engine import Network, state_layout

OWN = ('device', 'role', 'contribution', 'own_announcement', 'sensed', 'place_x', 'place_y',
       'speed_x', 'speed_y', 'clock')
"""The fields of a state with regions that are a device's own, whatever happens to the rest."""


def begin(algorithm: Algorithm, network: Network, i: int) -> None:
    """Let device i, by index, be in the state of one that has heard nobody yet."""
    devices, columns = network.devices, state_layout(algorithm).columns(network.exports)
    device = Device(int(devices.id[i]), float(devices.strength[i]))
    if 'role' in columns._fields:
        device = with_effective_strength(device, columns.role[i])
    state: Any = algorithm.start(device)
    for field, column, value in zip(algorithm.fields, columns, state):
        if field.name == 'device' or field.name not in OWN:
            column[i] = value
