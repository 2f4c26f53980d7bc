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

"""A run of a scenario: a pure function of the scenario, the algorithm and the seed."""

from collections.abc import Callable, Iterator, Sequence
import copy
import copyreg
from dataclasses import dataclass, replace
from itertools import zip_longest
import math
import random
from types import MappingProxyType
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.coordination.aggregate import AggregateSet
from leader_election.election.coordination.region import Region
from leader_election.election.mandates.parameters import MandateParameters
from leader_election.election.robot.codec import codec_for, Message
from leader_election.election.robot.region_codec import plain, RegionCodec, RegionPart
from leader_election.election.robot.schedulers import SCHEDULERS
from leader_election.election.robot.strength import RobotKnowledge
from leader_election.election.robot.wire import dumps
from leader_election.lab import engine
from leader_election.lab.columns import COUNTERS, ROUNDS
from leader_election.lab.engine import Medium, Network
from leader_election.lab.experiment.parser import of_scenario
from leader_election.lab.experiment.scenario import Scenario
from leader_election.lab.experiment.schema import Entrant, EXACT, Regions
from leader_election.lab.runs import sources
from leader_election.lab.simulation.algorithm_mistakes import check_numbers, one_line
from leader_election.lab.simulation.build import (
    contacts_of,
    larger,
    network_of,
    placements_of,
    relinked,
)
from leader_election.lab.simulation.composed_rounds import aggregate_of, readings
from leader_election.lab.simulation.mandated_run import AT_ONCE, MandatedRun, recorded
from leader_election.lab.simulation.network_events import begin, leading
from leader_election.lab.simulation.position_errors import PositionErrors
from leader_election.lab.states import state_layout
import numpy as np
from numpy.typing import NDArray

# Read-only maps, which parts of mandates have, are copied with a simulation.
copyreg.pickle(MappingProxyType, lambda view: (MappingProxyType, (dict(view),)))

STRETCH = 1_000_000
"""Approximate number of rounds of one call of the engine, between which Python may interrupt."""


class Snapshot(NamedTuple):
    """A network at one time; n devices."""

    time: float
    """[s]."""
    id: NDArray[np.int64]  # noqa: A003
    position: NDArray[np.float64]
    """Shape (n, 2) [m]."""
    leader: NDArray[np.int64]
    """The id of each device's leader, shape (n,)."""
    is_leader: NDArray[np.bool_]
    running: NDArray[np.bool_]
    pairs: NDArray[np.int32]
    """The indices of devices that are in range of each other, shape (m, 2)."""


class Simulation:
    """The simulation of a run."""

    def __init__(self, scenario: Scenario, entrant: Entrant, seed: int) -> None:
        # A stream for each purpose: numbers drawn for one do not change those for another.
        streams = [np.random.default_rng([seed, stream]) for stream in range(1, 7)]
        self._strengths, rounds, walk, self._messages, self._events, errors = streams
        self._walk = walk
        self.of = scenario, entrant, seed
        if entrant.mandates is not None:
            entrant = replace(entrant, algorithm=recorded(entrant.algorithm))
        self.scenario, self.entrant = scenario, entrant
        self._longest = np.inf
        self._look: Callable[[Any], None] = check_numbers
        with of_scenario(scenario.name):
            self.network, self._motion = network_of(scenario, entrant, seed, rounds, walk)
        self._contacts = contacts_of(scenario, seed)
        devices = self.network.devices
        self._errors = None if scenario.localisation.model == EXACT else PositionErrors(
            scenario.localisation, devices.position, devices.error,
            devices.id - devices.id.min(), errors)
        self._degree_since = np.nan
        self._reads = np.repeat([group.reads for group in scenario.groups], [
            len(each.position) for each in placements_of(scenario.groups, seed)])
        self.mandates = None if entrant.mandates is None else self._mandates(
            entrant.mandates, seed)
        self._bind_round()
        self._bind_motion()
        every = scenario.strength.every
        self.switches = [k * every for k in range(int(min(scenario.duration / every, 1e6)) + 1)
                         if k * every < scenario.duration] if np.isfinite(every) else [0.0]
        self.switch(0.0)
        begin(entrant.algorithm, self.network, np.arange(len(devices.id)))
        self.sense(0.0)
        self._scheduler = SCHEDULERS.get(scenario.rounds.scheduler)
        self._scheduled_at = devices.position.copy()
        for event, parameters in scenario.events:
            if event.prepare is not None:
                event.prepare(parameters, self.network)

    def play(self, since: float = 0.0, until: float = np.inf,
             snapshots: Sequence[float] = ()) -> list[Snapshot]:
        """
        Run the scenario from a time on up to just before another one [s].

        :param since: the end of the part that has been played.
        :return: the snapshots taken in this time.
        """
        scenario, taken = self.scenario, []
        # Three times 0.1 s are slightly more than 0.3 s, and the last sample is needed.
        end = max(scenario.duration, float(scenario.times()[-1]))
        times = [p.at for _, p in scenario.events if p.at <= scenario.duration]
        changes = set(self._error_times())
        due = set(self._schedules())
        contacts = set() if self._contacts is None else {0.0, *(
            t for t in self._contacts.time.tolist() if t <= end)}
        stops = {0.0, end, *snapshots, *times, *self.switches, *self._senses(), *due}
        for stop in sorted(stops | changes | contacts):
            if not since <= stop < until:
                continue
            self.run(min(stop, end))
            if self._contacts is not None and stop in contacts:
                self.network = relinked(self.network, self._contacts.at(stop))
            for event, parameters in scenario.events:
                if parameters.at == stop:
                    self.happen(event, parameters)
            if stop == 0.0 and scenario.rounds.acquainted:
                self.acquaint()
            if stop in changes:
                self.change_errors()
            if stop > 0.0 and stop in stops:
                self.sense(stop)
            if stop in due:
                self.schedule(stop)
            if stop > 0.0 and stop in self.switches:
                self.switch(stop)
            if stop in snapshots:
                taken.append(self.snapshot(stop))
        self.run(min(until, end))
        return taken

    def watch_every(self, step: float, look: Callable[[Any], None]) -> None:
        """Call a function after each step [s] from now on, in place of the check of numbers."""
        self._longest, self._look = step, look

    def branch(self, scenario: Scenario) -> 'Simulation':
        """
        Return an independent copy that continues from here with another scenario.

        :param scenario: may differ from this one's only in later events.
        """
        twin = copy.copy(self)
        twin.scenario, twin.of = scenario, (scenario, *self.of[1:])
        changing = ('network', '_motion', '_scheduled_at', '_strengths', '_walk', '_messages',
                    '_events', '_errors', 'mandates')
        vars(twin).update(copy.deepcopy({name: getattr(self, name) for name in changing}))
        twin._bind_round()
        twin._bind_motion()
        return twin

    def _mandates(self, parameters: MandateParameters, seed: int) -> MandatedRun:
        """Return the mandates of all devices; without a roster a quorum is of all of them."""
        ids, messages = self.network.devices.id, self.scenario.messages
        settings = replace(
            parameters, roster=parameters.roster or f'{ids.min()}-{ids.max()}').mandate_settings
        assert settings is not None
        return MandatedRun(
            settings, self.network, getattr(self.columns, 'role', None),
            messages.expiry + messages.delay[1], random.Random(seed))

    def _bind_round(self) -> None:
        """Make the entry point of the round, which holds the address of the present record."""
        parameters = self.entrant.parameters
        if self.mandates is not None:
            parameters = self.mandates.parameters(self.network, parameters)
        self._round = engine.round_entry(self.entrant.algorithm, parameters)

    def _bind_motion(self) -> None:
        """Make the entry point of the motion, which holds the addresses of the present arrays."""
        motion = self.scenario.motion
        self._step = engine.NO_ENTRY if len(self.network.moves.order) == 0 else \
            engine.step_entry(motion.name, motion.step, self._motion,
                              self.network.devices.position, self._walk)

    @property
    def columns(self) -> Any:
        """Return the states of all devices, columns of the fields; they may be changed."""
        return state_layout(self.entrant.algorithm).columns(self.network.exports)

    def run(self, until: float) -> None:
        """Run on to a time [s]."""
        watch = self.network.watch
        until = float(until)
        at_once = STRETCH if self.mandates is None else min(STRETCH, AT_ONCE)
        stretch = max(at_once / len(self.network.devices.id) * self.scenario.rounds.period,
                      self.scenario.rounds.period)
        stretch = min(stretch, self._longest)
        now = watch.sampled[0] * watch.interval
        while True:
            now = min(now + stretch, until)
            while (status := self._advance(now, stretch)) != engine.DONE:
                self.network = larger(self.network, status)
            self._look(self)
            if now >= until:
                return

    def _advance(self, until: float, seconds: float) -> int:
        """Run on to a time at most so far away [s]; return ``DONE``, or which arrays are full."""
        mandates = self.mandates
        if mandates is not None and mandates.make_room(
                self.network, seconds, self.scenario.rounds.jitter):
            self._bind_round()
        status: int = engine.call_compiled(
            engine.advance, self.network, self._medium(),
            engine.EntryPoints(*self._round.addresses, *self._step.addresses), self._messages,
            until)
        if mandates is not None:
            mandates.follow(self.network, until if status == engine.DONE else -np.inf)
        return status

    def happen(self, event: Any, parameters: Any) -> None:
        """Apply an event."""
        if event.states:
            self._store_sent_messages()
        # Events that change states use strengths with the algorithm's sign, all others with the
        # scenario's.
        negated = self.entrant.weakest and not event.states
        strength = self.network.devices.strength
        if negated:
            strength *= -1.0
        event.happen(parameters, self.network, self.entrant.algorithm, self._events)
        if negated:
            strength *= -1.0

    def switch(self, time: float) -> None:
        """Set the strengths of all devices that hold from a time on [s]."""
        cycle = self.scenario.strength.cycle
        every = self.scenario.strength.every
        kind = cycle[round(time / every) % len(cycle)] if np.isfinite(every) else cycle[0]
        devices = self.network.devices
        self._degree_since = time if kind == 'degree' else np.nan
        strength = {
            'random': self._strengths.random(len(devices.id))[devices.id - devices.id.min()],
            'id': devices.id.astype(float),
            'lower_id': -devices.id.astype(float),
        }.get(kind, np.zeros(len(devices.id)))
        devices.strength[:] = -strength if self.entrant.weakest else strength

    def _senses(self) -> Iterator[float]:
        """Yield the times at which devices take new readings [s]; none for constant readings."""
        moving = len(self.network.moves.order) > 0
        if self.scenario.sensing and (moving or self.scenario.sensing.source is not None):
            for k in range(int(self.scenario.duration / self.scenario.sensor.period) + 1):
                yield k * self.scenario.sensor.period

    def _error_times(self) -> Iterator[float]:
        """Yield the times at which the errors of positions change [s]; none without errors."""
        if self._errors is not None:
            interval = self.scenario.localisation.interval
            for k in range(1, int(self.scenario.duration / interval) + 1):
                yield k * interval

    def _schedules(self) -> Iterator[float]:
        """Yield the times at which devices are scheduled anew [s]; none without a program."""
        if self._scheduler.wait is not None:
            interval = self.scenario.tick
            for k in range(1, int(self.scenario.duration / interval) + 1):
                yield k * interval

    def schedule(self, time: float) -> None:
        """Set the times between rounds of all devices by the scheduler, from the next one on."""
        devices, columns, period = self.network.devices, self.columns, self.scenario.rounds.period
        speed = np.linalg.norm(
            devices.position - self._scheduled_at, axis=1) / self.scenario.tick
        self._scheduled_at = devices.position.copy()
        for i in np.flatnonzero(devices.running):
            x, y = devices.position[i].tolist()
            known = RobotKnowledge(
                int(devices.id[i]), 0, math.inf, x, y, time, int(columns.leader[i]),
                float(columns.distance[i]), math.nan, float(speed[i]))
            devices.period[i] = self._scheduler.period(
                known, self.scenario.scheduler_parameters, period)

    def change_errors(self) -> None:
        """Advance the errors of positions by an interval, if there are any."""
        if self._errors is not None:
            self._errors.advance(self.network.devices.position,
                                 self.scenario.localisation.interval)

    def sense(self, time: float) -> None:
        """Update the readings of all devices, if the scenario uses them."""
        if not self.scenario.sensing:
            return
        if time > 0.0:
            self._store_sent_messages()
        columns, position = self.columns, self.network.devices.position
        own = self._reads[self.network.devices.id - self.scenario.first_id]
        columns.sensed[:] = readings(self.scenario.sensor, position) + own
        place = position if self._errors is None else self._errors.reported(position)
        elapsed = time - columns.clock
        if time > 0.0:
            columns.speed_x[:] = (place[:, 0] - columns.place_x) / elapsed
            columns.speed_y[:] = (place[:, 1] - columns.place_y) / elapsed
        columns.place_x[:], columns.place_y[:] = place[:, 0], place[:, 1]
        columns.clock[:] = time

    def acquaint(self) -> None:
        """Deliver the states of all devices to the devices in range."""
        while (status := engine.call_compiled(
                engine.rebuild, self.network, self._medium(), 0.0)) != engine.DONE:
            self.network = larger(self.network, status)
        links, devices = self.network.links, self.network.devices
        slots, _, near = self._in_range()
        links.flags[slots[near]] = engine.FRESH | engine.FRESH_AT_NEIGHBOUR
        devices.sent[:] = 0.0
        for counter in ('sent', 'delivered'):
            self.network.watch.counts[COUNTERS.index(counter)] += near.sum()
        self._store_sent_messages()

    def _store_sent_messages(self) -> None:
        """Store all latest messages, so that changes of states do not change them."""
        while self.network.pool.top[0] < len(engine.slots(self.network.links)[0]):
            self.network = larger(self.network, engine.POOL_FULL)
        engine.call_compiled(
            engine.store_sent_messages, self.network, np.arange(len(self.network.devices.id)))

    def _in_range(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.bool_]]:
        """Return all slots, the receiver and the sender of each, and a mask of those in range."""
        links, position = self.network.links, self.network.devices.position
        slots, receiver = engine.slots(links)
        pairs = np.stack([receiver, links.neighbour[slots]], axis=1).astype(np.int32)
        apart = np.linalg.norm(position[pairs[:, 0]] - position[pairs[:, 1]], axis=1)
        return slots, pairs, apart <= self._medium().reach

    def snapshot(self, time: float) -> Snapshot:
        """Return the present network."""
        devices = self.network.devices
        _, pairs, near = self._in_range()
        return Snapshot(
            time, devices.id.copy(), devices.position.copy(), self.columns.leader.copy(),
            leading(self.network), devices.running.copy(),
            pairs[near & (pairs[:, 0] < pairs[:, 1])])

    def _medium(self) -> Medium:
        messages, rounds = self.scenario.messages, self.scenario.rounds
        fixed = self.network.lists.fixed
        return Medium(
            reach=np.inf if fixed else messages.range, estimated=self._errors is not None,
            trusted=self.scenario.localisation.communication_range, floor=messages.floor,
            hops=messages.metric == 'hops', expiry=messages.expiry, loss=messages.loss,
            delay_least=messages.delay[0], delay_most=messages.delay[1],
            duplication=messages.duplication, jitter=rounds.jitter,
            degree_since=self._degree_since, degree_sign=-1.0 if self.entrant.weakest else 1.0)


SIZED = 100
"""Greatest number of devices whose messages are encoded."""
DIGITS = 4
"""Decimal places of positions and distances [m], as on robots."""


@dataclass(frozen=True)
class Run:
    """The result of a run."""

    samples: NDArray[np.float64]
    """Shape (times, len(COLUMNS))."""
    counts: NDArray[np.int64]
    """Shape (len(COUNTERS),)."""
    message_bytes: float
    """The mean length of the messages that devices would send at the end, as robots do [bytes]."""
    snapshots: Sequence[Snapshot] = ()
    shared: int = 0
    """Number of its rounds that were computed for an earlier run with the same start."""


def simulate(
    scenario: Scenario, algorithm: str, seed: int, snapshots: Sequence[float] = (),
) -> Run:
    """
    Return the result of a run of the scenario, always the same for the same arguments.

    The interpreter's lock is released during the computation, so runs can go in threads.

    :param algorithm: the label of one of the scenario's algorithms.
    :param seed: >= 0.
    :param snapshots: the times of snapshots [s].
    """
    entrant = scenario.entrant(algorithm)
    with one_line(entrant):
        simulation = Simulation(scenario, entrant, seed)
        return measured(simulation, simulation.play(snapshots=snapshots))


def simulate_branches(
    scenarios: Sequence[Scenario], algorithm: str, seed: int,
) -> Iterator[Run]:
    """
    Yield the result of :func:`simulate` for each of several scenarios, identical to the last bit.

    The scenarios differ only in later events; their common start is computed once.

    :param scenarios: at least one, with the same fingerprint but for later events.
    :param algorithm: the label of one of their algorithms.
    :param seed: >= 0.
    """
    first, *others = scenarios
    parted = min((parting(first, other) for other in others), default=np.inf)
    entrant = first.entrant(algorithm)
    with one_line(entrant):
        start = Simulation(first, entrant, seed)
        start.play(until=parted)
        shared = int(start.network.watch.counts[ROUNDS])
        for number, scenario in enumerate(scenarios):
            branch = start.branch(scenario)
            branch.play(since=parted)
            yield measured(branch, shared=shared if number > 0 else 0)


def measured(simulation: Simulation, snapshots: Sequence[Snapshot] = (), shared: int = 0) -> Run:
    """Return the result of a run that has been played."""
    watch = simulation.network.watch
    return Run(
        watch.samples, watch.counts,
        message_bytes(simulation.entrant, simulation.network, simulation.mandates), snapshots,
        shared)


def parting(one: Scenario, other: Scenario) -> float:
    """Return the time of the first event that only one of them has [s]; infinity: none."""
    for pair in zip_longest(one.events, other.events):
        if pair[0] != pair[1]:
            return min(float(event[1].at) for event in pair if event is not None)
    return np.inf


def message_bytes(entrant: Entrant, network: Network,
                  mandates: MandatedRun | None = None) -> float:
    """Return the mean length of the messages that devices would send now [bytes]."""
    devices = network.devices
    # A message names the election; the region part stands beside it.
    election = ALGORITHMS.get(entrant.algorithm.name)
    levels = entrant.algorithm.levels
    codec = codec_for(election if levels == election.levels else election.with_levels(levels))
    chosen = np.linspace(0, len(devices.id) - 1, min(SIZED, len(devices.id))).astype(int)
    lengths = []
    for i in chosen.tolist():
        state: Any = state_layout(entrant.algorithm).state(network.exports, i)
        if math.isfinite(state.distance):
            state = state._replace(distance=round(state.distance, DIGITS))
        export = codec.algorithm.state(*state[:len(codec.algorithm.fields)])
        part = None if entrant.regions is None else _region_part(state, entrant.regions)
        x, y = devices.position[i].round(DIGITS).tolist()
        lengths.append(len(codec.encode(
            Message(int(devices.id[i]), 'map', (x, y), export, part, mandate=None
                    if mandates is None else mandates.part(int(devices.id[i]))))))
    return float(np.mean(lengths))


def _region_part(state: Any, regions: Regions) -> RegionPart:
    """Return the region part that a robot with one task, named as the aggregate, sends."""
    aggregate = aggregate_of(regions)
    decision = '' if state.decision[0] == math.inf else dumps([aggregate.result(state.decision)])
    region = plain(Region(**{
        **{name: getattr(state, name) for name in Region._fields}, 'decision': decision}))
    codec = RegionCodec(regions.aggregate, AggregateSet({regions.aggregate: aggregate}), region, 1)
    return codec.pack(region, feedback=regions.feedback_gain > 0.0)


# All modules that a run depends on are imported now, from the files as they are now.
sources.of_package()
