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

"""The simulation of a run: the engine's arrays, and what happens to them between its calls."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from leader_election.parameters.registry import explained
from leader_election_lab.engine.advance import advance, DONE, EntryPoints, REBUILD
from leader_election_lab.engine.compilation import call_compiled, compile_beside
from leader_election_lab.engine.entry_points import NO_ENTRY, round_entry, step_entry
from leader_election_lab.engine.messages import store_sent_messages
from leader_election_lab.engine.neighbours import moved_mailboxes, rebuild
from leader_election_lab.engine.network import (
    Devices,
    empty_workspace,
    FRESH,
    FRESH_AT_NEIGHBOUR,
    larger_pool,
    links_of,
    Medium,
)
from leader_election_lab.experiment.parser import of_scenario, ScenarioError
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.experiment.schema import Entrant, EXACT
from leader_election_lab.own_measures import DeviceMeasures, OWN_MEASURES, Sample
from leader_election_lab.runs import sources
from leader_election_lab.simulation.algorithm_mistakes import check_numbers
from leader_election_lab.simulation.build import network_of, relinked, timetable
from leader_election_lab.simulation.composed_rounds import readings
from leader_election_lab.simulation.network_events import admit, begin, leading, withdraw
from leader_election_lab.simulation.position_errors import PositionErrors
from leader_election_lab.simulation.run import Snapshot
from leader_election_lab.states import COLUMNS, DELIVERED, SENT, state_layout
import numpy as np
from numpy.typing import NDArray

# All modules that a run depends on are imported now, from the files as they are now.
sources.of_package()

STRETCH = 1_000_000
"""Approximate number of rounds of one call of the engine, between which Python may interrupt."""


class Simulation:
    """The simulation of a run."""

    def __init__(self, scenario: Scenario, entrant: Entrant, seed: int) -> None:
        # A stream for each purpose: numbers drawn for one do not change those for another.
        self._strengths, rounds, self._walk, self._messages = (
            np.random.default_rng([seed, stream]) for stream in range(1, 5))
        self.of = scenario, entrant, seed
        self.scenario, self.entrant = scenario, entrant
        self._longest = np.inf
        self._measured = 0
        """The number of samples that Python has measured, too."""
        self._look: Callable[[Any], None] = check_numbers
        with of_scenario(scenario.name):
            self.network, self._motion, placements = network_of(
                scenario, entrant, seed, rounds, self._walk)
        self._contacts = placements[0].contacts
        self._presence = None if scenario.motion.presence is None else scenario.motion.presence(
            scenario.motion_parameters)
        if self._contacts is not None:
            self._presence = self._contacts.presence()
        devices = self.network.devices
        self.device_measures = DeviceMeasures(devices.id, scenario.measure.interval) \
            if scenario.measure.devices else None
        self._errors = None if scenario.localisation.model == EXACT else PositionErrors(
            scenario.localisation, devices.position, devices.error,
            devices.id - devices.id.min(), np.random.default_rng([seed, 6]))
        messages = scenario.messages
        self._medium = Medium(
            reach=np.inf if self.network.lists.fixed else messages.range,
            estimated=self._errors is not None,
            trusted=scenario.localisation.communication_range, floor=messages.floor,
            hops=messages.metric == 'hops', expiry=messages.expiry, loss=messages.loss,
            delay_least=messages.delay[0], delay_most=messages.delay[1],
            duplication=messages.duplication, jitter=scenario.rounds.jitter,
            degree_since=np.nan, degree_sign=-1.0 if entrant.weakest else 1.0)
        self._reads = np.repeat([group.member.reads for group in scenario.groups], [
            len(each.position) for each in placements])
        self._rounds = np.zeros(len(devices.id), np.int64)
        # This takes longest to compile. Until -inf no round is called.
        compile_beside(advance, lambda: call_compiled(
            advance, self.network, self._medium, EntryPoints(0, 0, 0, 0), self._messages,
            -np.inf))
        self._bind_round()
        self._bind_motion()
        compile_beside(moved_mailboxes, lambda: self._rebuild(0.0))
        self.switch(0.0)
        if not np.isnan(self._medium.degree_since):
            self._set_first_degrees()
        begin(entrant.algorithm, self.network, np.arange(len(devices.id)))
        if self._presence is not None:
            withdraw(self.network, devices.by_id[self._presence[:, 0] > 0.0], True)
        self.sense(0.0)
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
        times = timetable(scenario, self._contacts, len(self.network.moves.order) > 0, snapshots,
                          self._presence)
        for stop in times.stops():
            if not since <= stop < until:
                continue
            if stop > 0.0:
                self.run(min(stop, times.end))
            if self._contacts is not None and stop in times.links:
                self.network = relinked(
                    self.network, *self._contacts.at(stop), scenario.messages.loss)
            if stop in times.presence:
                self.attend(stop)
            for event, parameters in scenario.events:
                if parameters.at == stop:
                    self.happen(event, parameters)
            if stop == 0.0 and scenario.rounds.acquainted:
                self.acquaint()
            if stop in times.errors:
                self.change_errors()
            if stop > 0.0 and stop in times.senses:
                self.sense(stop)
            if stop in times.strengths:
                self.switch(stop)
            if stop in snapshots:
                taken.append(self.snapshot(stop))
        self.run(min(until, times.end))
        return taken

    def watch_every(self, step: float, look: Callable[[Any], None]) -> None:
        """Call a function after each step [s] from now on, in place of the check of numbers."""
        self._longest, self._look = step, look

    def _bind_round(self) -> None:
        """Make the entry point of the round, which holds the addresses of the present arrays."""
        network = self.network
        self._round = round_entry(
            self.entrant.algorithm, self.entrant.parameters, network.exports, network.workspace,
            network.watch.counts, self.of[2], self._rounds)

    def _bind_motion(self) -> None:
        """Make the entry point of the motion, which holds the addresses of the present arrays."""
        motion = self.scenario.motion
        self._step = NO_ENTRY if len(self.network.moves.order) == 0 else \
            step_entry(motion.name, motion.step, self._motion,
                       self.network.devices.position, self._walk)

    @property
    def columns(self) -> Any:
        """Return the states of all devices as columns of the fields, which may be changed."""
        return state_layout(self.entrant.algorithm).columns(self.network.exports)

    def run(self, until: float) -> None:
        """Run on to a time [s]."""
        watch = self.network.watch
        until = float(until)
        stretch = max(STRETCH / len(self.network.devices.id) * self.scenario.rounds.period,
                      self.scenario.rounds.period)
        stretch = min(stretch, self._longest)
        now = watch.sampled[0] * watch.interval
        while True:
            now = min(now + stretch, until, self._next_sample())
            while (status := self._advance(now)) != DONE:
                if status == REBUILD:
                    self._rebuild(float(self.network.lists.rebuild_at[0]))
                else:
                    self._enlarge_pool()
            self._look(self)
            self._measure()
            if now >= until:
                return

    def _next_sample(self) -> float:
        """Return the time of the next sample that Python measures, too [s], or inf."""
        watch, measure = self.network.watch, self.scenario.measure
        taken = int(watch.sampled[0])
        return (taken + 1) * watch.interval if (
            (measure.own or measure.devices) and taken < len(watch.samples)) else np.inf

    def _measure(self) -> None:
        """Add the measures of other packages and of devices, unless the last sample has them."""
        own, watch, devices = self.scenario.measure.own, self.network.watch, self.network.devices
        last = int(watch.sampled[0]) - 1
        if not (own or self.device_measures) or last < self._measured:
            return
        self._measured = last + 1
        given = Sample((last + 1) * watch.interval, devices.id, devices.position,
                       devices.running & watch.has_run, leading(self.network) & watch.has_run,
                       self.columns)
        if self.device_measures is not None:
            self.device_measures.add(given)
        for name, place in zip(own, range(len(COLUMNS), watch.samples.shape[1])):
            try:
                watch.samples[last, place] = OWN_MEASURES.get(name).compute(given)
            except Exception as error:
                raise ScenarioError(f'measure {name}: {explained(error)}, at {given.time:g} s '
                                    f'(seed {self.of[2]})') from None

    def _advance(self, until: float) -> int:
        """Run on to a time [s], and return what stopped it."""
        status: int = call_compiled(
            advance, self.network, self._medium,
            EntryPoints(*self._round.addresses, *self._step.addresses), self._messages,
            until)
        return status

    def _rebuild(self, now: float) -> None:
        """Rebuild the links for the devices' positions at a time [s]."""
        links = rebuild(self.network, self._medium.reach, now)
        self.network = self.network._replace(links=links)
        longest = int((links.row[:, 1] - links.row[:, 0]).max())
        heard = self.network.workspace.heard
        if longest >= len(heard):
            self.network = self.network._replace(
                workspace=empty_workspace(2 * longest, heard.shape[1]))
            self._bind_round()

    def _enlarge_pool(self) -> None:
        self.network = self.network._replace(pool=larger_pool(self.network.pool))

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
        event.happen(parameters, self.network, self.entrant.algorithm, self._chance_of_events)
        if negated:
            strength *= -1.0

    @cached_property
    def _chance_of_events(self) -> np.random.Generator:
        return np.random.default_rng([self.of[2], 5])

    def attend(self, time: float) -> None:
        """Let the devices join and leave that do so at a time [s], by the trace."""
        assert self._presence is not None
        joins, leaves = (self.network.devices.by_id[at == time] for at in self._presence.T)
        admit(self.network, self.entrant.algorithm, joins)
        withdraw(self.network, leaves, True)

    def switch(self, time: float) -> None:
        """Set the strengths of all devices that hold from a time on [s]."""
        cycle = self.scenario.strength.cycle
        every = self.scenario.strength.every
        kind = cycle[round(time / every) % len(cycle)] if np.isfinite(every) else cycle[0]
        since = time if kind == 'degree' else np.nan
        self._medium = self._medium._replace(degree_since=since)
        set_strengths(self.network.devices, kind, self.entrant.weakest, self._strengths)

    def _set_first_degrees(self) -> None:
        """
        Set strengths to the degrees that the first rounds will compute.

        The initial state of a device has the strength of its first round. Until then the device
        hears the neighbours that run before it, or all if devices are acquainted. Losses, delays
        and motion before that round are left out.
        """
        self._rebuild(0.0)
        medium = self._medium
        place = np.argsort(np.argsort(self.network.rounds.time, kind='stable'))
        _, pairs, near = links_of(self.network, medium.reach)
        device, other = pairs.T
        heard = near & (self.scenario.rounds.acquainted | (place[other] < place[device]))
        self.network.devices.strength[:] = medium.degree_sign * (
            1 + np.bincount(device[heard], minlength=len(place)))

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
        devices = self.network.devices
        place = devices.position if self._errors is None else self._errors.reported(
            devices.position)
        own = self._reads[devices.id - self.scenario.first_id]
        take_readings(
            self.columns, readings(self.scenario.sensor, devices.position) + own, place, time)

    def acquaint(self) -> None:
        """Deliver the states of all devices to the devices in range."""
        self._rebuild(0.0)
        slots, _, near = links_of(self.network, self._medium.reach)
        self.network.links.flags[slots[near]] = FRESH | FRESH_AT_NEIGHBOUR
        self.network.devices.sent[:] = 0.0
        self.network.watch.counts[[SENT, DELIVERED]] += near.sum()
        self._store_sent_messages()

    def _store_sent_messages(self) -> None:
        """Store all latest messages, so that changes of states do not change them."""
        while self.network.pool.top[0] < len(self.network.links.pool_index):
            self._enlarge_pool()
        call_compiled(store_sent_messages, self.network, np.arange(len(self.network.devices.id)))

    def snapshot(self, time: float) -> Snapshot:
        """Return a copy of the present network, at a time [s]."""
        devices = self.network.devices
        _, pairs, near = links_of(self.network, self._medium.reach)
        return Snapshot(
            time, devices.id.copy(), devices.position.copy(), self.columns.leader.copy(),
            leading(self.network), devices.running.copy(),
            pairs[near & (pairs[:, 0] < pairs[:, 1])])


Floats = NDArray[np.float64]


def set_strengths(devices: Devices, kind: str, weakest: bool, random: np.random.Generator) -> None:
    """
    Set the strengths of all devices.

    :param kind: one of a scenario's cycle. Strengths that the rounds compute are 0.
    :param weakest: whether the weakest wins, so that strengths are negated.
    """
    # A number is drawn for any kind, so that a cycle's other kinds do not change those drawn.
    drawn = random.random(len(devices.id))
    strength = {
        'random': drawn[devices.id - devices.id.min()],
        'id': devices.id.astype(float),
        'lower_id': -devices.id.astype(float),
    }.get(kind, np.zeros(len(devices.id)))
    devices.strength[:] = -strength if weakest else strength


def take_readings(columns: Any, readings: Floats, place: Floats, time: float) -> None:
    """
    Write what devices sense into their states: reading, position, velocity and time.

    :param columns: of the states, with the fields of composed rounds.
    :param readings: of the sensor, shape (n,).
    :param place: the positions that devices would report [m], shape (n, 2).
    :param time: now [s]. At 0 there is no velocity yet.
    """
    columns.sensed[:] = readings
    if time > 0.0:
        elapsed = time - columns.clock
        columns.speed_x[:] = (place[:, 0] - columns.place_x) / elapsed
        columns.speed_y[:] = (place[:, 1] - columns.place_y) / elapsed
    columns.place_x[:], columns.place_y[:] = place[:, 0], place[:, 1]
    columns.clock[:] = time
