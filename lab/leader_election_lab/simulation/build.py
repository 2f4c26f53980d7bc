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

"""Build the arrays of a run at its start, and the times of its changes, from a scenario."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from leader_election.election.regions import collection
from leader_election_lab.engine.network import (
    Devices,
    empty_links,
    empty_pool,
    empty_workspace,
    event_queue,
    in_lines,
    NeighbourLists,
    Network,
    new_watch,
    SKIN,
)
from leader_election_lab.experiment.parser import in_section, wrong
from leader_election_lab.experiment.scenario import named_files, Scenario
from leader_election_lab.experiment.schema import Entrant, EXACT, Group
from leader_election_lab.simulation.composed_rounds import assign, plain_parameters
from leader_election_lab.simulation.network_events import DeviceSelection
from leader_election_lab.states import state_layout
from leader_election_lab.topologies import Placement
from leader_election_lab.topologies.contacts import Contacts
import numpy as np
from numpy.typing import NDArray

SMALL = 5_000
"""The number of devices that fit into a processor's cache. More are sorted by position."""
FEW = 100
"""The number of devices up to which a row lists all others: that costs less than rebuilds."""


def placements_of(groups: tuple[Group, ...], seed: int) -> tuple[Placement, ...]:
    """Return the initial positions, cached since a layout may take longer than a run."""
    return _placements(groups, seed, tuple(_file_versions(groups)))


def _file_versions(groups: tuple[Group, ...]) -> Iterator[tuple[str, int, int]]:
    """Yield name, time and size of the files that groups name, whose content may change."""
    for group in groups:
        for file in named_files(group.parameters):
            status = file.stat()
            yield str(file), status.st_mtime_ns, status.st_size


@lru_cache(maxsize=8)
def _placements(groups: tuple[Group, ...], seed: int,
                versions: tuple[tuple[str, int, int], ...]) -> tuple[Placement, ...]:
    random = np.random.default_rng([seed, 0])
    return tuple(group.topology.place(group.parameters, random) for group in groups)


def network_of(
    scenario: Scenario, entrant: Entrant, seed: int,
    rounds: np.random.Generator, walk: np.random.Generator,
) -> tuple[Network, Any, tuple[Placement, ...]]:
    """
    Return the network of a run before its initial states, its motion's state, and placements.

    :raises ParameterError: for devices, links or a motion that cannot be made, by its dotted key.
    """
    algorithm = entrant.algorithm
    with in_section('devices'):
        placements = placements_of(scenario.groups, seed)
    position = np.concatenate([placement.position for placement in placements])
    n = len(position)
    if n == 0:
        raise wrong('devices', problem=': there are none')
    with in_section('events'):
        for _, event in scenario.events:
            if isinstance(event, DeviceSelection):
                event.check(np.arange(n) + scenario.first_id)
    pairs = _fixed(placements)
    if pairs is None and not np.isfinite(scenario.messages.range):
        raise wrong('messages.range', problem=': is missing; it takes a distance where links are '
                    'not given')
    with in_section('motion'):
        speed = scenario.motion.speed(scenario.motion_parameters)
    begin, step = _phases(scenario, placements, rounds)
    ids = np.arange(n, dtype=np.int64)
    if n > SMALL and pairs is None:
        ids = _by_place(position, scenario.messages.range * (1.0 + SKIN))
        position, begin, step = position[ids], begin[ids], step[ids]
    period = scenario.rounds.period * (
        1.0 + scenario.rounds.spread * rounds.uniform(-1.0, 1.0, n)[ids])
    member_of = np.repeat(np.arange(len(placements)), [
        len(placement.position) for placement in placements])[ids]
    moving = np.array([group.member.moves for group in scenario.groups])[member_of]
    among = np.array([group.member.among for group in scenario.groups])[member_of]
    layout = state_layout(algorithm)
    exports = layout.rows(n)
    if entrant.regions is not None:
        assign(layout.columns(exports), entrant.regions, scenario.groups, member_of,
               ids + scenario.first_id)
    placed = position.copy()
    with in_section('motion'):
        motion = scenario.motion.begin(scenario.motion_parameters, position, scenario.tick, walk)
    # A motion may move all devices to its own initial positions. Put back those that stay.
    position[~moving] = placed[~moving]
    movers = np.flatnonzero(moving) if speed > 0.0 else np.zeros(0, np.int64)
    first, second = np.zeros((2, 0), np.int32) if pairs is None else pairs.T.copy()
    # At least two steps between rebuilds.
    skin = 0.0 if speed == 0.0 or pairs is not None else np.inf if n <= FEW else max(
        SKIN * scenario.messages.range, 4.0 * speed * scenario.tick)
    lists = NeighbourLists(first, second, np.zeros((0, 2)), pairs is not None, skin, speed,
                           scenario.tick, np.array([-np.inf]))
    # What rounds and moves read and write of the device itself.
    number, strength, period, sent, begin, step, change_bits = in_lines(
        ids + scenario.first_id, np.zeros(n), period, np.full(n, -np.inf), begin, step,
        np.zeros(n, np.uint64))
    return Network(
        devices=Devices(
            id=number, by_id=np.argsort(ids), strength=strength, position=position,
            present=np.ones(n, bool), running=np.ones(n, bool), group=np.zeros(n, np.int32),
            among=among, period=period, sent=sent, error=np.zeros((n, 2))),
        offsets=layout.offsets, exports=exports,
        rounds=event_queue(begin, np.arange(n), scenario.rounds.spread == 0.0
                           and scenario.rounds.jitter == 0.0),
        moves=event_queue(step, movers, True),
        links=empty_links(n, scenario.messages.delay[1] > 0.0),
        lists=lists,
        pool=empty_pool(layout.rows(n)),
        watch=new_watch(change_bits, scenario.measure.window, len(scenario.times()),
                        scenario.measure.interval, adds_up(entrant), len(scenario.measure.own)),
        workspace=empty_workspace(64, layout.width)), motion, placements


def relinked(network: Network, pairs: NDArray[np.int32], loss: NDArray[np.float64],
             every: float) -> Network:
    """
    Return the same network with other fixed links from now on, as pairs of shape (m, 2).

    :param loss: of messages over each pair, in both directions, shape (m, 2), or (0, 2) for none.
    :param every: the loss of each message beside.
    """
    first, second = pairs.T.copy()
    network.lists.rebuild_at[0] = -np.inf
    return network._replace(lists=network.lists._replace(
        first=first, second=second, loss=1.0 - (1.0 - loss) * (1.0 - every)))


def adds_up(entrant: Entrant) -> bool:
    """Return whether the first number that regions collect is a sum."""
    return entrant.regions is not None and bool(
        plain_parameters(entrant).region.layout.kind[0] == collection.ADD)


def _by_place(position: NDArray[np.float64], wide: float) -> NDArray[np.int64]:
    """Return the devices in spatial order: columns of grid cells, as the engine visits them."""
    squares = np.floor((position - position.min(axis=0)) / wide)
    return np.lexsort((squares[:, 1], squares[:, 0]))


def _fixed(placements: Sequence[Any]) -> NDArray[np.int32] | None:
    """Return the links that the topology gives, or ``None`` if links depend on the range."""
    given = [placement.pairs for placement in placements]
    if all(pairs is None for pairs in given):
        return None
    if len(given) > 1:
        raise wrong('devices', problem=': where links are given, there is one group only')
    return np.asarray(given[0], np.int32).reshape(-1, 2)


def _phases(
    scenario: Scenario, placements: Sequence[Any], random: np.random.Generator,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the times of each device's first round and first step [s]."""
    n = sum(len(placement.position) for placement in placements)
    fractions = random.random((n, 2))
    if scenario.rounds.phase == 'together':
        fractions[:] = 0.0
    elif scenario.rounds.phase == 'place':
        at = 0
        for placement in placements:
            if placement.fraction is not None:
                fractions[at:at + len(placement.position)] = placement.fraction
            at += len(placement.position)
    return fractions[:, 0] * scenario.rounds.period, fractions[:, 1] * scenario.tick


MOST_SWITCHES = 1_000_000
"""The greatest number of changes of strengths in a run."""
Times = frozenset[float]


class Timetable(NamedTuple):
    """The times of the changes of a run, by kind [s]."""

    end: float
    strengths: Times
    """A new kind of strength of the cycle."""
    errors: Times
    """Errors of positions change."""
    links: Times
    """Links of a trace of contacts change."""
    presence: Times
    """Devices of a trace join or leave."""
    senses: Times
    """Devices take new readings: also at events, snapshots, and new strengths."""

    def stops(self) -> list[float]:
        """Return all times in their order."""
        return sorted(self.senses | self.errors | self.links | self.presence)


def timetable(scenario: Scenario, contacts: Contacts | None, moving: bool,
              snapshots: Sequence[float] = (),
              presence: NDArray[np.float64] | None = None) -> Timetable:
    """
    Return the times of all changes of a run.

    :param contacts: when links exist, if that changes.
    :param moving: whether devices move, which changes their readings.
    :param snapshots: the times of snapshots [s].
    :param presence: when devices join and leave, if they do.
    """
    duration, strength = scenario.duration, scenario.strength
    # Three times 0.1 s are slightly more than 0.3 s, and the last sample is needed.
    end = max(duration, float(scenario.times()[-1]))
    strengths = frozenset(
        time for time in _multiples(strength.every, duration, MOST_SWITCHES) if time < duration)
    readings = Times()
    # Without motion, readings change only where a program computes strengths from the time.
    if scenario.sensing and (moving or scenario.sensing.source is not None):
        readings = _multiples(scenario.sensor.period, duration)
    events = [parameters.at for _, parameters in scenario.events if parameters.at <= duration]
    return Timetable(
        end, strengths,
        Times() if scenario.localisation.model == EXACT else _multiples(
            scenario.localisation.interval, duration),
        Times() if contacts is None else Times(
            [0.0, *(time for time in contacts.time.tolist() if time <= end)]),
        Times() if presence is None else Times(presence[(presence > 0.0) & (presence <= end)]
                                               .tolist()),
        Times([0.0, end, *snapshots, *events]) | strengths | readings)


def _multiples(step: float, end: float, most: float = np.inf) -> Times:
    """
    Return the times from one step up to the end [s].

    >>> sorted(_multiples(0.5, 1.2)), sorted(_multiples(np.inf, 1.2))
    ([0.5, 1.0], [])
    """
    return Times(k * step for k in range(1, int(min(end / step, most)) + 1))
