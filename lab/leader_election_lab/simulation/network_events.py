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
Kinds of external events of a network during a run, with :data:`EVENTS` by their names.

An event selects devices (:class:`DeviceSelection`), and changes them in place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, cast, get_type_hints, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.algorithms.fields import Kept, make_columns
from leader_election.election.algorithms.recursive import (
    elected,
    Levels,
    LevelsOfAll,
    recursive_round,
)
from leader_election.election.regions.region import CANDIDATE
from leader_election.parameters import parameter, ParameterError
from leader_election.parameters.registry import Registry
from leader_election_lab.engine.network import IN_FLIGHT, Network, OLDER
from leader_election_lab.simulation.variants import with_effective_strength
from leader_election_lab.states import ABSENT, state_layout
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Event:
    """A kind of event."""

    name: str
    parameters: type[Any]
    """A dataclass of ``leader_election.parameters.parameter`` fields, ``at`` among them."""
    happen: Callable[[Any, Network, Algorithm, np.random.Generator], None]
    """``happen(parameters, network, algorithm, random)`` changes the network in place."""
    prepare: Callable[[Any, Network], None] | None = None
    """Called at the start of a run."""
    states: bool = False
    """Whether it changes states, after which messages sent before keep the earlier ones."""
    extend: Callable[[Algorithm], Algorithm] | None = None
    """Returns the algorithm with the fields that the event sets, if it sets any."""


EVENTS: Registry[Event] = Registry('event', 'leader_election.events')


NO_LIMIT = -1


@dataclass(frozen=True)
class Timed:
    """The time of an event."""

    at: float = parameter(0.0, 'Time of the event.', unit='s', lower=0.0, upper=1e9)


@dataclass(frozen=True)
class DeviceSelection(Timed):
    """The time of an event, and a selection of devices."""

    first: int = parameter(NO_LIMIT, 'The least id of the devices; -1: no limit.', lower=-1,
                           upper=2**53)
    last: int = parameter(NO_LIMIT, 'The greatest id of the devices; -1: no limit.', lower=-1,
                          upper=2**53)
    share: float = parameter(1.0, 'The part of these, drawn at random.', lower=0.0, upper=1.0)
    leaders: bool = parameter(False, 'Only devices that run and lead themselves.')
    strongest: int = parameter(0, 'Only this number of the strongest running devices. 0: all.',
                               lower=0, upper=2**31)
    chance: float = parameter(1.0, 'Probability of each of all these to be selected.',
                              lower=0.0, upper=1.0)

    def __post_init__(self) -> None:
        """Refuse an empty range of ids."""
        if NO_LIMIT not in (self.first, self.last) and self.last < self.first:
            raise ParameterError('last', self.last, f'at least first, which is {self.first}')

    def check(self, ids: NDArray[np.int64]) -> None:
        """Refuse more devices, or a greater id, than there are among ``ids``."""
        if self.strongest > len(ids):
            raise ParameterError('strongest', self.strongest,
                                 f'up to the number of devices, which is {len(ids)}')
        if self.first > ids.max():
            raise ParameterError('first', self.first,
                                 f'up to the greatest id, which is {ids.max()}')

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


def admit(network: Network, algorithm: Algorithm, devices: NDArray[np.int64]) -> None:
    """Add devices, by index, which begin in their initial states."""
    network.devices.running[devices] = network.devices.present[devices] = True
    begin(algorithm, network, devices)
    network.lists.rebuild_at[0] = -np.inf


def withdraw(network: Network, devices: NDArray[np.int64], gone: bool) -> None:
    """Stop devices, by index, and remove them if they are gone."""
    watch = network.watch
    network.devices.running[devices] = False
    if gone:
        network.devices.present[devices] = False
        network.lists.rebuild_at[0] = -np.inf
    for bits in watch.change_bits[devices]:
        watch.change_totals[0] -= int(bits & np.uint64(2**watch.window - 1)).bit_count()
    watch.change_bits[devices] = 0
    watch.has_run[devices] = False


@dataclass(frozen=True)
class Die(DeviceSelection):
    """Some devices fail."""

    linger: bool = parameter(
        False, 'Their last messages stay in the mailboxes of neighbours until they expire. '
        'Without expiry they stay for good.')


def _die(parameters: Die, network: Network, algorithm: Algorithm,
         random: np.random.Generator) -> None:
    withdraw(network, parameters.among(network, random), not parameters.linger)


@dataclass(frozen=True)
class Join(DeviceSelection):
    """Some devices join, which are absent before."""

    def __post_init__(self) -> None:
        """Refuse selections that may differ between the start of the run and the event."""
        super().__post_init__()
        for name in ('share', 'leaders', 'strongest', 'chance'):
            value, all_devices = getattr(self, name), getattr(DeviceSelection, name)
            if value != all_devices:
                raise ParameterError(name, value, f'{all_devices}, since only first and last '
                                     'select the devices that join')


def _join(parameters: Join, network: Network, algorithm: Algorithm,
          random: np.random.Generator) -> None:
    admit(network, algorithm, parameters.among(network, random))


def _remove_before(parameters: Join, network: Network) -> None:
    withdraw(network, parameters.among(network, np.random.default_rng(0)), True)


@dataclass(frozen=True)
class ChangeStrength(DeviceSelection):
    """The strength of some devices changes."""

    value: float = parameter(0.0, 'The new strength.', lower=-1e300, upper=1e300)


def _strength(parameters: ChangeStrength, network: Network, algorithm: Algorithm,
              random: np.random.Generator) -> None:
    network.devices.strength[parameters.among(network, random)] = parameters.value


@dataclass(frozen=True)
class State(DeviceSelection):
    """The states of some devices are changed."""

    claim: str = parameter(
        'none', 'The leader that they name from now on: a random device for each (random), one '
        'that does not exist (phantom), or the same as before (none).',
        choices=lambda: ('none', 'random', 'phantom'))
    value: float = parameter(0.0, 'The value (strength, negated) of the phantom.', lower=-1e300,
                             upper=1e300)
    heard: bool = parameter(
        False, 'Whether the changed states also replace the messages that are on the way or '
        'received already.')
    fields: tuple[str, ...] = parameter(
        (), 'Fields of the state that are set, where the algorithm has them.')
    values: tuple[float, ...] = parameter((), 'The values of these fields.')

    def __post_init__(self) -> None:
        """Refuse fields without values."""
        super().__post_init__()
        if len(self.fields) != len(self.values):
            raise ParameterError('values', self.values, f'{len(self.fields)} numbers, one for '
                                 'each of fields')


def _state(parameters: State, network: Network, algorithm: Algorithm,
           random: np.random.Generator) -> None:
    devices = network.devices
    chosen = parameters.among(network, random)
    columns = state_layout(algorithm).columns(network.exports)._asdict()
    if parameters.claim == 'phantom':
        columns['leader'][chosen] = devices.id.max() + 1
        if 'value' in columns:
            columns['value'][chosen] = parameters.value
    elif parameters.claim == 'random':
        leaders = random.integers(0, len(devices.id), len(chosen))
        columns['leader'][chosen] = devices.id[leaders]
        if 'value' in columns:
            columns['value'][chosen] = -devices.strength[leaders]
    for field, value in zip(parameters.fields, parameters.values):
        if field in columns:
            columns[field][chosen] = value
    if parameters.heard:
        _replace_messages(network, chosen)


def _replace_messages(network: Network, chosen: NDArray[np.int64]) -> None:
    """Replace the received and the travelling messages of some devices by their states."""
    links, pool = network.links, network.pool
    slots = np.flatnonzero(np.isin(links.neighbour[:len(links.pool_index)], chosen))

    def put(places: NDArray[np.uint32], slots: NDArray[np.int64]) -> None:
        pool.exports[places] = network.exports[links.neighbour[slots]]
    boxes = slots[links.flags[slots] & OLDER != 0]
    put(links.pool_index[boxes], boxes)
    flying = slots[links.flags[slots] & IN_FLIGHT != 0]
    places = links.in_flight[flying, 0]
    while len(flying) > 0:
        put(places, flying)
        more = places != links.in_flight[flying, 1]
        flying, places = flying[more], pool.next[places[more]]


@dataclass(frozen=True)
class Corrupt(DeviceSelection):
    """The states of some devices become random."""

    most: float = parameter(100.0, 'The greatest number drawn. The least is 0.', lower=0.0,
                            upper=1e300)


def _corrupt(parameters: Corrupt, network: Network, algorithm: Algorithm,
             random: np.random.Generator) -> None:
    chosen = parameters.among(network, random)
    ids = network.devices.id
    columns = state_layout(algorithm).columns(network.exports)
    for name, column in columns._asdict().items():
        if name in OWN:
            continue
        shape = column[chosen].shape
        if name == 'leader':
            # Every second one a phantom.
            column[chosen] = random.integers(ids.min(), ids.min() + 2 * len(ids), shape)
        elif column.dtype.kind == 'i':
            column[chosen] = random.integers(0, len(ids), shape)
        else:
            sign = -1.0 if name.endswith('value') else 1.0
            column[chosen] = sign * random.uniform(0.0, parameters.most, shape)
    for field in algorithm.fields:
        # Entries beyond the level that a device has reached are never read.
        if field.per_level and field.padding is not None:
            column = getattr(columns, field.name)
            used = len(field.padding) // algorithm.levels * (columns.depth[chosen] + 1)
            entries = np.arange(len(field.padding))
            column[chosen] = np.where(
                entries < used[:, np.newaxis], column[chosen], field.padding[0])


@dataclass(frozen=True)
class Split(Timed):
    """
    No message crosses a line any more.

    The event determines the side of each device, which keeps it when it crosses the line.
    """

    axis: str = parameter('x', 'The coordinate that decides the side of a device.',
                          choices=lambda: ('x', 'y'))
    line: float = parameter(0.0, 'The coordinate of the line.', unit='m', lower=-1e9, upper=1e9)


def _split(parameters: Split, network: Network, algorithm: Algorithm,
           random: np.random.Generator) -> None:
    side = network.devices.position[:, 'xy'.index(parameters.axis)] > parameters.line
    network.devices.group[:] = side
    network.lists.rebuild_at[0] = -np.inf


def _heal(parameters: Timed, network: Network, algorithm: Algorithm,
          random: np.random.Generator) -> None:
    """Let messages cross the line again."""
    network.devices.group[:] = 0
    network.lists.rebuild_at[0] = -np.inf


FIELD = 'hesitates'
"""The field of the state: 1 if the device hesitates in its next round, else 0."""
HesitantLevels = cast(Any, NamedTuple)('HesitantLevels', [
    *get_type_hints(Levels, include_extras=True).items(), (FIELD, Kept[int])])
HesitantLevelsOfAll: Any = make_columns('HesitantLevelsOfAll', (*LevelsOfAll._fields, FIELD))


def hesitant_round(device: Device, state: Any, neighbours: Any, metric: Any,
                   parameters: Any) -> Any:
    """Return the result of the recursive election's round, in which the device may hesitate."""
    after = elected(device, state, neighbours, metric, parameters, state.hesitates == 0)
    return HesitantLevels(
        after.depth, after.strength, after.best_value, after.best, after.best_distance,
        after.distance, after.leader, after.best_hops, 0)


@cache
def hesitant(algorithm: Algorithm) -> Algorithm:
    """Return the algorithm, with devices that may hesitate if it is the recursive one."""
    if algorithm.round is not recursive_round:
        return algorithm
    first = algorithm.start
    return Algorithm(
        name=algorithm.name, round=hesitant_round, state=HesitantLevels,
        columns=HesitantLevelsOfAll, start=lambda device: HesitantLevels(*first(device), 0),
        configure=algorithm.configure, levels=algorithm.levels)


def _rounding(parameters: Timed, network: Network, algorithm: Algorithm,
              random: np.random.Generator) -> None:
    """
    Let devices hesitate whose time since the last round is too short by rounding.

    The time of the event is a power of two. The first rounds after it follow. In the artefact of
    ACSOS 2022 a device takes part in the gossip of a level once its strength at that level
    has been constant for a second, measured as a sum of differences of rounded times. In the round
    in which the time crosses a power of two, its last bit is lost. Times with this bit set are
    rounded to the even neighbour, half of them down, and the difference is slightly less than 1 s.
    Times that were rounded at the last power of two are even, so a third of all have this bit set,
    and a sixth of all devices get a difference that is too small. If such a device reaches a level
    in this round, it is not in the level's gossip yet, and names itself there for one round.
    Devices near it take it for the best of that level, and measure their distance to it.

    Source: DanySK/experiment-2022-self-stab-leader-election (the condition), Protelis/Protelis
    (``isSignalStable``, the time since the last round).
    """
    devices = network.devices
    columns = state_layout(algorithm).columns(network.exports)
    if hasattr(columns, FIELD):
        since = network.rounds.time - devices.sent
        getattr(columns, FIELD)[:] = devices.running & (since < devices.period)


for _event in (
    Event('die', Die, _die),
    Event('join', Join, _join, prepare=_remove_before, states=True),
    Event('strength', ChangeStrength, _strength),
    Event('state', State, _state, states=True),
    Event('corrupt', Corrupt, _corrupt, states=True),
    Event('split', Split, _split),
    Event('heal', Timed, _heal),
    Event('rounding', Timed, _rounding, extend=hesitant),
):
    EVENTS.add(_event)
