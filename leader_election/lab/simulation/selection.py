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

"""The selection of the devices that an event affects."""

from dataclasses import dataclass

from leader_election.election.coordination.region import CANDIDATE
from leader_election.lab.engine import ABSENT, Network
from leader_election.parameters import parameter, ParameterError
import numpy as np
from numpy.typing import NDArray

NO_LIMIT = -1


@dataclass(frozen=True)
class Some:
    """The time of an event, and a selection of devices."""

    at: float = parameter(0.0, 'Time of the event.', unit='s', lower=0.0, upper=1e9)
    first: int = parameter(NO_LIMIT, 'The least id of the devices; -1: no limit.', lower=-1,
                           upper=2**53)
    last: int = parameter(NO_LIMIT, 'The greatest id of the devices; -1: no limit.', lower=-1,
                          upper=2**53)
    share: float = parameter(1.0, 'The part of these, drawn at random.', lower=0.0, upper=1.0)
    leaders: bool = parameter(False, 'Only devices that run and lead themselves.')
    strongest: int = parameter(0, 'Only this number of the strongest running devices; 0: all.',
                               lower=0, upper=2**31)
    chance: float = parameter(1.0, 'Probability of each of all these to be selected.',
                              lower=0.0, upper=1.0)

    def __post_init__(self) -> None:
        """Refuse an empty range of ids."""
        if NO_LIMIT not in (self.first, self.last) and self.last < self.first:
            raise ParameterError('last', self.last, f'at least first, which is {self.first}')

    def among(self, network: Network, random: np.random.Generator) -> NDArray[np.int64]:
        """Return the indices of the selected devices."""
        devices = network.devices
        chosen = np.ones(len(devices.id), bool)
        if self.first != NO_LIMIT:
            chosen &= devices.id >= self.first
        if self.last != NO_LIMIT:
            chosen &= devices.id <= self.last
        if self.leaders:
            chosen &= leading(network)
        found = np.flatnonzero(chosen)
        if self.strongest > 0:
            found = found[devices.running[found]]
            order = np.lexsort((devices.id[found], -devices.strength[found]))
            found = found[order[:self.strongest]]
        if self.share < 1.0:
            count = round(self.share * len(found))
            found = np.sort(random.choice(found, count, replace=False))
        if self.chance < 1.0:
            found = found[random.random(len(found)) < self.chance]
        return found


def leading(network: Network) -> NDArray[np.bool_]:
    """Return a mask of the devices that run and lead themselves, shape (n,)."""
    devices, offsets, exports = network.devices, network.offsets, network.exports
    # A device that names itself at an infinite distance has no leader yet (classic).
    leads: NDArray[np.bool_] = (
        devices.running & (exports[:, offsets.leader] == devices.id)
        & (exports.view(np.float64)[:, offsets.distance] < np.inf))
    if offsets.role != ABSENT:
        leads &= exports[:, offsets.role] == CANDIDATE
    return leads
