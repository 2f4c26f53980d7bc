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

"""Which devices an event is about."""

from dataclasses import dataclass

from leader_election.coordination.region import CANDIDATE
from leader_election.lab.engine import ABSENT, Network
from leader_election.parameters import parameter, ParameterError
import numpy as np
from numpy.typing import NDArray

EVERYBODY = -1


@dataclass(frozen=True)
class Some:
    """Some devices at some time."""

    at: float = parameter(0.0, 'When it happens.', unit='s', lower=0.0, upper=1e9)
    first: int = parameter(EVERYBODY, 'The least id concerned; -1: no limit.', lower=-1,
                           upper=2**53)
    last: int = parameter(EVERYBODY, 'The greatest id concerned; -1: no limit.', lower=-1,
                          upper=2**53)
    share: float = parameter(1.0, 'The part of these, drawn at random.', lower=0.0, upper=1.0)
    leaders: bool = parameter(False, 'Only those that lead themselves, and run.')
    strongest: int = parameter(0, 'Only so many, the strongest of those that run; 0: all.',
                               lower=0, upper=2**31)
    chance: float = parameter(1.0, 'Each of all these is concerned with this probability.',
                              lower=0.0, upper=1.0)

    def __post_init__(self) -> None:
        """Refuse a range of ids that nobody is in."""
        if EVERYBODY not in (self.first, self.last) and self.last < self.first:
            raise ParameterError(f'parameter last: {self.last} is not allowed; it takes at least '
                                 f'first, which is {self.first}')

    def among(self, network: Network, random: np.random.Generator) -> NDArray[np.int64]:
        """Return the indices of the devices concerned."""
        devices = network.devices
        chosen = np.ones(len(devices.id), bool)
        if self.first != EVERYBODY:
            chosen &= devices.id >= self.first
        if self.last != EVERYBODY:
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
    """Return which devices run and lead themselves, shape (n,)."""
    devices, places, exports = network.devices, network.places, network.exports
    # Who names itself at an infinite distance has found nobody yet (classic).
    leads: NDArray[np.bool_] = (
        devices.running & (exports[:, places.leader] == devices.id)
        & (exports.view(np.float64)[:, places.distance] < np.inf))
    if places.role != ABSENT:
        leads &= exports[:, places.role] == CANDIDATE
    return leads
