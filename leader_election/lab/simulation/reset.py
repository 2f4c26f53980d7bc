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

"""The initial states of devices, at the start of a run or after a restart."""

from typing import Any

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.coordination.region import with_effective_strength
from leader_election.lab.engine import Network, state_layout
import numpy as np
from numpy.typing import NDArray

OWN = ('device', 'role', 'contribution', 'own_announcement', 'sensed', 'place_x', 'place_y',
       'speed_x', 'speed_y', 'clock')
"""The fields of a state that belong to the device itself, and that a restart does not reset."""


AT_ONCE = 10_000
"""Number of states that are created at a time, to limit the memory of large networks."""


def begin(algorithm: Algorithm, network: Network, chosen: NDArray[np.int64]) -> None:
    """Set devices, by index, to their initial states, before any message."""
    columns = state_layout(algorithm).columns(network.exports)
    for first in range(0, len(chosen), AT_ONCE):
        some = chosen[first:first + AT_ONCE]
        devices = map(Device, network.devices.id[some].tolist(),
                      network.devices.strength[some].tolist())
        if 'role' in columns._fields:
            devices = map(with_effective_strength, devices, columns.role[some].tolist())
        states: list[Any] = list(map(algorithm.start, devices))
        for k, (field, column) in enumerate(zip(algorithm.fields, columns)):
            if field.name == 'device' or field.name not in OWN:
                column[some] = [state[k] for state in states]
