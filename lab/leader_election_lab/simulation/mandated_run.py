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
Mandates in a run: the engine records its rounds, and the robots' own class runs on the record.

Mandates change nothing of an election, so they can follow it: 70,000 device-rounds a second, by
the same code as on a robot. One round for both would have sorted columns in place of maps, which
Python merges five times more slowly.

A device takes up messages at its rounds, those that its mailbox then holds. Its clock is wrong by
at most the clock rate error.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
import math
import random
from typing import Any, cast, get_type_hints, NamedTuple

from leader_election.election.algorithms import Algorithm
from leader_election.election.mandates.mandates import Follows, Mandates, MandateSettings
from leader_election.election.mandates.part import Heard, MandatePart
from leader_election.election.regions.region import CANDIDATE, RELAY
from leader_election.parameters import ParameterError
from leader_election_lab.columns import MANDATE_MEASURES
from leader_election_lab.engine.network import Network
import numpy as np
from numpy.typing import NDArray

FIELD = 'message'
"""The field of a state: the number of the device's last message, counted over all devices."""
NO_MESSAGE = -1
FREE, NUMBER, RECORDS = range(3)
"""The first words of a record: the first free word, the number of the next message, the rounds."""
HEAD = 6
"""Words of a round before the numbers of the messages that it has received."""
AT_ONCE = 2_000
"""Approximate number of rounds that are recorded at a time."""
STEADY = 3.0
"""The time for which the rate of a clock is constant [s]."""
SWARM = -1
"""Stands for the whole swarm, where other numbers are robots under a mandate."""


class Clock:
    """
    The steady clock of a device, whose rate changes by chance.

    :param error: the greatest deviation of its rate.
    :param now: the true time at its start [s].
    """

    def __init__(self, error: float, chance: random.Random, now: float = 0.0) -> None:
        self._error, self._chance = error, chance
        self._reading, self._since, self._rate = chance.uniform(0.0, 1000.0), now, 1.0

    def __call__(self, now: float) -> float:
        """Return its reading at a time [s]; times of calls grow."""
        if now - self._since > STEADY:
            self._reading += self._rate * (now - self._since)
            self._rate = 1.0 + self._chance.choice((-1.0, 0.0, 1.0)) * self._error
            self._since = now
        return self._reading + self._rate * (now - self._since)


class Judge:
    """
    A judge of guarantees (a) to (c), who looks at a leader whenever it may have changed.

    :param holds: whether a leader, by its id, holds a mandate over a robot at a time.
    """

    def __init__(self, holds: Callable[[int, int, float], bool]) -> None:
        self.faults: list[str] = []
        """What contradicts the guarantees."""
        self.doubled = 0
        """How many times a robot was under two mandates, or two leaders acted with a quorum."""
        self._holds = holds
        self._last: dict[int, tuple[int, int]] = {}
        """The last leader and the greatest term over each robot."""

    def look(self, leader: int, terms: Mapping[int, int], now: float) -> None:
        """
        Compare a leader's mandates with those of all others.

        :param terms: of its mandates in force, by the robots under them; with a quorum of an
            acting leader also that of the ``SWARM``.
        """
        for robot, term in terms.items():
            last, before = self._last.get(robot, (leader, 0))
            if last != leader and self._holds(last, robot, now):
                self.doubled += 1
                self.faults.append(f'{now:.3f}: {last} and {leader} over {robot}')
            if term < before or term == before and last != leader:
                self.faults.append(f'{now:.3f}: {leader} over {robot}, {term} after {before}')
            self._last[robot] = leader, max(term, before)


def terms_of(mandates: Mandates, now: float) -> dict[int, int]:
    """
    Return the terms of a leader's mandates in force, as :meth:`Judge.look` takes them.

    :param now: by its own clock [s].
    """
    terms = {robot: held.first for robot, held in mandates.over(now).items()}
    if mandates.settings.roster and (acting := mandates.acting(now)):
        terms[SWARM] = acting.term
    return terms


class Recorded(NamedTuple):
    """The parameters of a round that is recorded."""

    election: Any
    """Those of the round itself."""
    record: NDArray[np.float64]
    """The first words, then each round: id, time, leader, distance, whether it is the first one
    since a start, the number of messages, and these by their numbers."""
    time: NDArray[np.float64]
    """The time of each device's round that is due [s]."""
    by_id: NDArray[np.int64]
    first_id: int


@cache
def recorded(algorithm: Algorithm) -> Algorithm:
    """Return an algorithm whose rounds are recorded; its parameters are :class:`Recorded`."""
    fields = get_type_hints(algorithm.state, include_extras=True)
    if FIELD in fields:
        raise ParameterError(f'algorithm {algorithm.name}: its state has a field named {FIELD}; '
                             'rename it')
    state, columns = (cast(Any, NamedTuple)(kind, [*fields.items(), (FIELD, int)])
                      for kind in ('State', 'Columns'))
    elect: Any = algorithm.round

    def recorded_round(device: Any, before: Any, neighbours: Any, metric: Any,
                       parameters: Any) -> Any:
        after = elect(device, before, neighbours, metric, parameters.election)
        record = parameters.record
        at, number = int(record[FREE]), int(record[NUMBER])
        record[at] = device.id
        record[at + 1] = parameters.time[parameters.by_id[device.id - parameters.first_id]]
        record[at + 2] = after.leader
        record[at + 3] = after.distance
        record[at + 4] = before.message == NO_MESSAGE
        record[at + 5] = len(metric)
        for j in range(len(metric)):
            record[at + HEAD + j] = neighbours.message[j]
        record[FREE] = at + HEAD + len(metric)
        record[NUMBER] = number + 1
        return state(*(after[:] + (number,)))

    return Algorithm(
        name=algorithm.name, state=state, columns=columns, round=recorded_round,
        start=lambda device: state(*algorithm.start(device), NO_MESSAGE),
        configure=algorithm.configure, parameters=algorithm.parameters, levels=algorithm.levels)


class Device:
    """
    A device with mandates, from a start on.

    :param now: the true time [s].
    """

    def __init__(self, device: int, settings: MandateSettings, chance: random.Random,
                 now: float) -> None:
        self.mandates = Mandates(device, settings, first=int((now + 1.0) * 1e3))
        self.clock = Clock(settings.rate_error, chance, now)
        self.received: set[float] = set()
        """The numbers of the messages of its last round."""

    def over(self, now: float) -> dict[int, int]:
        """Return the terms of its mandates in force at a true time, as :meth:`Judge.look`."""
        return terms_of(self.mandates, self.clock(now))


class MandatedRun:
    """
    The mandates of all devices of a run.

    :param network: at its start.
    :param role: of each device, by index; ``None``: all are candidates.
    :param window: the time for which a message may count after it was sent [s].
    """

    def __init__(self, settings: MandateSettings, network: Network,
                 role: NDArray[np.int64] | None, window: float, chance: random.Random) -> None:
        ids = network.devices.id.tolist()
        self._settings, self._window, self._chance = settings, window, chance
        self._roles = dict.fromkeys(ids, CANDIDATE) if role is None else dict(
            zip(ids, role.tolist()))
        self._devices: dict[int, Device] = {}
        self._messages: dict[float, tuple[float, Heard]] = {}
        """The messages that may still count, with their times, by their numbers."""
        self._record = np.full(RECORDS, float(RECORDS))
        self._running: set[int] = set()
        self._number = self._sampled = self._reported = 0
        self._record[NUMBER] = self._number
        self.judge = Judge(self._holds)

    def parameters(self, network: Network, election: Any) -> Recorded:
        """Return the parameters of recorded rounds, with the present arrays."""
        devices = network.devices
        return Recorded(election, self._record, network.rounds.time, devices.by_id,
                        int(devices.id[devices.by_id[0]]))

    def make_room(self, network: Network, seconds: float, jitter: float) -> bool:
        """
        Make room for the rounds of a time [s].

        :return: whether the record is a new array.
        """
        shortest = float(network.devices.period.min()) * (1.0 - jitter)
        rounds = len(network.devices.id) * (int(seconds / shortest) + 2)
        # No round receives more messages than there is room for.
        size = RECORDS + rounds * (HEAD + len(network.workspace.heard))
        if size <= len(self._record):
            return False
        self._record = np.concatenate([self._record[:RECORDS], np.zeros(size - RECORDS)])
        return True

    def follow(self, network: Network, until: float) -> None:
        """
        Run the mandates of the recorded rounds, and take the samples up to a time [s].

        :param until: -inf: only the samples before these rounds.
        """
        devices, at, now = network.devices, 0, -math.inf
        self._running = set(devices.id[devices.running].tolist())
        words = self._record[RECORDS:int(self._record[FREE])].tolist()
        self._record[FREE] = RECORDS
        while at < len(words):
            device, now, leader, distance, first, count = words[at:at + HEAD]
            end = at + HEAD + int(count)
            self._take_samples(network, now)
            self._round(int(device), now, int(leader), distance, first > 0.0,
                        words[at + HEAD:end])
            at = end
        self._take_samples(network, until)
        self._messages = {number: sent for number, sent in self._messages.items()
                          if now - sent[0] <= self._window}

    def part(self, device: int) -> MandatePart | None:
        """Return the part of a device's last message; ``None``: it has sent none."""
        return self._devices[device].mandates.part if device in self._devices else None

    def _round(self, device: int, now: float, leader: int, distance: float, first: bool,
               received: list[float]) -> None:
        if first or device not in self._devices:
            self._devices[device] = Device(device, self._settings, self._chance, now)
        one, role = self._devices[device], self._roles[device]
        mandates, reading = one.mandates, one.clock(now)
        heard = []
        for number in received:
            if number in self._messages:
                message = self._messages[number][1]
                heard.append(message)
                if number not in one.received:
                    mandates.hear(message, reading)
        one.received = set(received)
        leads = leader == device and distance < math.inf and role == CANDIDATE
        mandates.round(Follows(leader, distance, leads, role != RELAY), heard, reading)
        self._messages[self._number] = now, Heard(device, leader, distance, mandates.part)
        self._number += 1
        self.judge.look(device, one.over(now), now)

    def _holds(self, leader: int, robot: int, now: float) -> bool:
        return leader in self._running and robot in self._devices[leader].over(now)

    def _take_samples(self, network: Network, until: float) -> None:
        """Take the samples of mandates up to and at a time [s], where the engine has others."""
        watch = network.watch
        while self._sampled < len(watch.samples) and (
                now := (self._sampled + 1) * watch.interval) <= until:
            running = [one for each, one in self._devices.items() if each in self._running]
            under = Counter(robot for one in running for robot in one.over(now))
            acting = sum(one.mandates.acting(one.clock(now)) is not None for one in running)
            once = sum(under[each] == 1 for each in self._running)
            faults = len(self.judge.faults)
            watch.samples[self._sampled, -len(MANDATE_MEASURES):] = (
                once / len(running) if running else math.nan, acting, faults - self._reported)
            self._sampled, self._reported = self._sampled + 1, faults
