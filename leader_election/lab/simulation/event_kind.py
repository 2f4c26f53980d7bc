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

"""The interface of all kinds of event, the selection of devices, and their initial states."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.coordination.region import CANDIDATE, with_effective_strength
from leader_election.election.registry import Registry
from leader_election.lab.engine import ABSENT, Network, state_layout
from leader_election.parameters import parameter, ParameterError
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Event:
    """A kind of event."""

    name: str
    """The value of ``kind`` in a scenario."""
    parameters: type[Any]
    """A dataclass of ``leader_election.parameters.parameter`` fields, ``at`` among them."""
    happen: Callable[[Any, Network, Algorithm, np.random.Generator], None]
    """``happen(parameters, network, algorithm, random)`` changes the network in place."""
    prepare: Callable[[Any, Network], None] | None = None
    """Called at the start of a run."""
    states: bool = False
    """Whether it changes states; messages that were sent before keep the earlier ones."""
    extend: Callable[[Algorithm], Algorithm] | None = None
    """Returns the algorithm with the fields that the event sets; unchanged if it sets none."""


EVENTS: Registry[Event] = Registry('event', 'leader_election.lab_events')


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
