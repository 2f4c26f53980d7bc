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
Mandates of moving robots: the share of time under one, and under two, in simulated time.

The robots and their schedule are the package's own. 40 robots walk at 0.37 m/s in 20 x 14 m, with
a range of 5 m, a radius of 6 m, strengths by chance, and clocks whose rates vary by up to 1 %.
``--hunt`` tries random cases for a time [s]: few or many robots, losses, delays, duplicates, cuts,
a leader killed, restarted or frozen, with and without a quorum. ``--cuts`` cuts small swarms in
two and merges them in the laboratory, so many times.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
import math
import random
from statistics import fmean
import time
from typing import Any, NamedTuple

from leader_election.election.mandates.mandates import Acting, Mandates
from leader_election.election.messages.mandate_codec import MANDATE
from leader_election.election.messages.wire import dumps
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Outlook, Robot
from leader_election.parameters import build
from leader_election.swarm.simulated_swarm import SimulatedSwarm
from leader_election_lab.columns import COLUMNS, ROUNDS
from leader_election_lab.experiment.scenario import parse, Scenario
from leader_election_lab.simulation.mandated_run import Clock, Judge, terms_of
from leader_election_lab.simulation.simulation import Simulation

WIDTH, HEIGHT = 10.0, 7.0
"""Half of the area [m]."""
RANGE, RADIUS = 5.0, 6.0
LOOK = 0.25
"""The time between two observations [s]."""
WARM_UP = 15.0
"""The time from which on observations count [s]."""
NEVER = math.inf


@dataclass(frozen=True)
class Case:
    """A case; times in seconds."""

    robots: int = 40
    seconds: float = 120.0
    speed: float = 0.37
    loss: float = 0.0
    delay: tuple[float, float] = (0.002, 0.02)
    duplicates: float = 0.0
    """The probability that a message arrives twice."""
    rate_error: float = 0.01
    cut: tuple[float, float] = (NEVER, NEVER)
    """The time in which no message crosses the middle."""
    kill: float = NEVER
    """The time at which the leader with the most robots dies."""
    restart: float = NEVER
    """The time from then until it is back."""
    freeze: tuple[float, float] = (NEVER, NEVER)
    """The time in which this leader executes nothing."""
    mandate: float = 3.0
    quorum: bool = False
    schedule: str = 'reactive'


class Clocked:
    """A robot with a clock of its own."""

    def __init__(self, robot: Robot, clock: Clock) -> None:
        self.robot, self.clock = robot, clock

    def __getattr__(self, name: str) -> Any:
        """Return what the robot has."""
        return getattr(self.robot, name)

    @property
    def mandates(self) -> Mandates | None:
        """Return the mandates of its first instance."""
        return self.robot.main.mandates

    def acting(self, now: float) -> Acting | None:
        """Return whether it acts."""
        return None if self.mandates is None else self.mandates.acting(self.clock(now))

    def round(self, now: float, outlook: Outlook | None = None) -> str:  # noqa: A003
        """Run a round."""
        return self.robot.round(self.clock(now), outlook)

    def receive(self, payload: str, now: float) -> bool:
        """Receive a message."""
        return self.robot.receive(payload, self.clock(now))

    def would_change(self, now: float) -> Outlook | None:
        """Return whether a round would change something."""
        return self.robot.would_change(self.clock(now))


class MandatedSwarm(SimulatedSwarm):
    """
    The robots of a case, judged at each event.

    :ivar faults: what contradicts the guarantees.
    :ivar looks: observations of a robot since the warm-up.
    :ivar led: those with a leader that leads.
    :ivar once: those under exactly one mandate.
    :ivar acting: those whose leader acts.
    """

    def __init__(self, case: Case, seed: int) -> None:
        self.case, self.chance = case, random.Random(seed)
        draw, ids = self.chance.uniform, range(case.robots)
        self._judgement = Judge(lambda leader, robot, now: robot in self.over(leader))
        self.faults = self._judgement.faults
        self.looks = self.led = self.once = self.acting = 0
        self.sent = self.bytes = self.grants = 0
        self._frozen: dict[int, float] = {}
        self._places = {i: (draw(-WIDTH, WIDTH), draw(-HEIGHT, HEIGHT)) for i in ids}
        self._heading = {i: draw(-math.pi, math.pi) for i in ids}
        self._strength = {i: self.chance.random() for i in ids}
        super().__init__({i: self._make(i, 0.0) for i in ids}, self._hearers)
        self.at(0.0, self._step)
        self.at(case.kill, self._kill)
        self.at(case.freeze[0], self._freeze)

    def _make(self, i: int, now: float) -> Any:
        case = self.case
        quorum = {'quorum': 'majority', 'roster': f'0-{case.robots - 1}'} if case.quorum else {}
        return Clocked(Robot(build(ElectionParameters, {
            'robot_id': i, 'radius': RADIUS, 'strength': self._strength[i],
            'communication_range': RANGE, 'mandate': case.mandate, 'schedule': case.schedule,
            'clock_rate_error': case.rate_error, **quorum}),
            first_number=int((now + 1.0) * 1e3)), Clock(case.rate_error, self.chance, now))

    # The radio.

    def _hearers(self, robot: int) -> list[int]:
        here, cut = self._places[robot], self.case.cut[0] <= self.now < self.case.cut[1]
        return [other for other, there in self._places.items()
                if other != robot and math.dist(here, there) <= RANGE
                and not (cut and (here[0] < 0.0) != (there[0] < 0.0))]

    def _carry(self, receiver: int, payload: str) -> None:
        case = self.case
        for _ in range(1 + (self.chance.random() < case.duplicates)):
            if self.chance.random() >= case.loss:
                self.at(self.now + self.chance.uniform(*case.delay),
                        partial(self._arrive, receiver, payload))

    # What happens to robots.

    def _step(self) -> None:
        step = self.case.speed * LOOK
        for i in self.robots:
            if self.chance.random() < 0.02:
                self._heading[i] = self.chance.uniform(-math.pi, math.pi)
            x = self._places[i][0] + step * math.cos(self._heading[i])
            y = self._places[i][1] + step * math.sin(self._heading[i])
            if abs(x) > WIDTH or abs(y) > HEIGHT:
                self._heading[i] = self.chance.uniform(-math.pi, math.pi)
            else:
                self._places[i] = x, y
            clocked: Any = self.robots[i]
            clocked.sensing.take_odometry((*self._places[i], 0.0), clocked.clock(self.now))
        if self.now > WARM_UP:
            self._look()
        self.at(self.now + LOOK, self._step)

    def _largest(self) -> int:
        """Return the leader with the most robots."""
        follows = [robot.state.leader for robot in self.robots.values()]
        return max({*follows} & self.robots.keys(), key=follows.count)

    def _kill(self) -> None:
        leader = self._largest()
        self.kill(leader)
        if self.case.restart < NEVER:
            self.at(self.now + self.case.restart,
                    lambda: self.add(leader, self._make(leader, self.now)))

    def _freeze(self) -> None:
        self._frozen[self._largest()] = self.case.freeze[1]

    def _frozen_until(self, robot: int, act: Callable[[], None]) -> bool:
        """Return whether a robot executes nothing now; it acts when it wakes."""
        thaws = self._frozen.get(robot, 0.0)
        if self.now < thaws:
            self.at(thaws, act)
        return self.now < thaws

    def _wake(self, robot: int, act: Callable[[], None]) -> None:
        if robot in self.robots and not self._frozen_until(
                robot, partial(self._wake, robot, act)):
            act()

    def _arrive(self, robot: int, payload: str) -> None:
        if not self._frozen_until(robot, partial(self._arrive, robot, payload)):
            super()._arrive(robot, payload)
            self._judge(robot)

    def _round(self, robot: int, outlook: Outlook | None = None) -> None:
        super()._round(robot, outlook)
        mandates = self._mandates(robot)
        self.sent += 1
        if mandates is not None:
            self.bytes += len(dumps({'g': MANDATE.write(mandates.part)})) - 1
            self.grants += len(mandates.part.grants)
        self._judge(robot)

    # The judgement.

    def _mandates(self, robot: int) -> Mandates | None:
        clocked: Any = self.robots.get(robot)
        return None if clocked is None else clocked.mandates

    def over(self, robot: int) -> dict[int, int]:
        """Return the terms under which a robot holds mandates now, as the judge looks at them."""
        clocked: Any = self.robots.get(robot)
        return {} if clocked is None or clocked.mandates is None else terms_of(
            clocked.mandates, clocked.clock(self.now))

    def _judge(self, leader: int) -> None:
        self._judgement.look(leader, self.over(leader), self.now)

    def _look(self) -> None:
        held = [robot for leader in self.robots for robot in self.over(leader)]
        for robot, of_it in self.robots.items():
            leader: Any = self.robots.get(of_it.state.leader)
            self.looks += 1
            self.led += leader is not None and leader.leads
            self.once += held.count(robot) == 1
            self.acting += leader is not None and leader.acting(self.now) is not None


class Figures(NamedTuple):
    """The figures of a case, means over seeds."""

    led: float
    once: float
    acting: float
    faults: float
    messages: float
    """A robot and second."""
    bytes: float  # noqa: A003
    """Of the part about mandates in a message."""
    grants: float
    """The members in it."""


def measure(case: Case, seeds: int) -> Figures:
    """Return the figures of a case."""
    rows = []
    for seed in range(seeds):
        swarm = MandatedSwarm(case, seed)
        swarm.run(case.seconds)
        looks = max(swarm.looks, 1)
        rows.append(Figures(
            swarm.led / looks, swarm.once / looks, swarm.acting / looks, len(swarm.faults),
            swarm.sent / case.seconds / case.robots, swarm.bytes / swarm.sent,
            swarm.grants / swarm.sent))
    return Figures(*map(fmean, zip(*rows)))


WALKING = Case()
CASES = {
    'at rest': replace(WALKING, speed=0.0),
    'walking': WALKING,
    'walking, 20 % lost': replace(WALKING, loss=0.2),
    'walking, 40 % lost': replace(WALKING, loss=0.4),
    'walking, late by up to 1 s': replace(WALKING, delay=(0.01, 1.0), mandate=5.0),
    'walking, cut in two for 30 s': replace(WALKING, cut=(40.0, 70.0)),
    'walking, a leader killed': replace(WALKING, kill=40.0),
    'walking, a leader frozen for 10 s': replace(WALKING, freeze=(40.0, 50.0)),
    'walking, periodic': replace(WALKING, schedule='periodic'),
    'walking, mandates of 2 s': replace(WALKING, mandate=2.0),
    'walking, mandates of 5 s': replace(WALKING, mandate=5.0),
    'walking, without mandates': replace(WALKING, mandate=0.0),
}


def random_case(seed: int) -> Case:
    """Return a case by chance."""
    draw = random.Random(seed)
    quorum = draw.random() < 0.4
    return Case(
        robots=draw.choice((4, 6, 10, 16)), seconds=60.0,
        speed=draw.choice((0.0, 0.4, 1.5, 4.0)), loss=draw.choice((0.0, 0.1, 0.3, 0.5)),
        delay=draw.choice(((0.002, 0.02), (0.01, 1.0), (0.01, 2.5), (0.01, 8.0))),
        duplicates=draw.choice((0.0, 0.3)), rate_error=draw.choice((0.001, 0.05)),
        cut=draw.choice(((NEVER, NEVER), (20.0, 40.0), (30.0, 33.0))),
        kill=draw.choice((NEVER, 25.0)), restart=draw.choice((NEVER, 1.5, 6.0)),
        freeze=draw.choice(((NEVER, NEVER), (28.0, 38.0), (15.0, 19.0))),
        mandate=draw.choice((2.0, 3.0, 5.0)), quorum=quorum,
        schedule=draw.choice(('reactive', 'reactive', 'periodic')))


def hunt(seconds: float, first: int = 0) -> tuple[int, list[str], float]:
    """Return the number of random cases tried in a time, the faults, and the share under one."""
    end, shares, faults, seed = time.monotonic() + seconds, list[float](), list[str](), first
    while time.monotonic() < end:
        swarm = MandatedSwarm(random_case(seed), seed)
        swarm.run(swarm.case.seconds)
        faults += [f'case {seed}: {fault}' for fault in swarm.faults]
        shares.append(swarm.once / max(swarm.looks, 1))
        seed += 1
    return seed - first, faults, fmean(shares)


EVENTS_A_RUN = 200
"""Cuts and merges in one run of the laboratory."""


def cut_scenario(seed: int) -> Scenario:
    """
    Return a scenario by chance that cuts three to six robots in two and merges them, by turns.

    Between two cuts or merges are 0.3 to 2.5 s. Messages are lost, late or doubled, clocks drift,
    strengths change, and robots 0 and 1 restart about every 20 s.
    """
    draw = random.Random(seed)
    robots, expiry = draw.randint(3, 6), draw.choice((2.0, 3.0))
    events: list[dict[str, Any]] = []
    now = 5.0
    for number in range(EVENTS_A_RUN):
        now += draw.uniform(0.3, 2.5)
        events.append({'kind': 'heal', 'at': now} if number % 2 else {
            'kind': 'split', 'at': now, 'axis': draw.choice('xy'), 'line': draw.uniform(2.0, 4.0)})
    for robot in range(2):
        at, kind = 1.0, 'join'
        while at < now:
            events.append({'kind': kind, 'at': at, 'first': robot, 'last': robot})
            at += draw.uniform(0.5, 40.0) if kind == 'join' else draw.uniform(0.1, 6.0)
            kind = 'die' if kind == 'join' else 'join'
    mandates = {'mandate': draw.choice((2.0, 3.0, 5.0)),
                'quorum': draw.choice(('none', 'majority')),
                'clock_rate_error': draw.choice((0.001, 0.05))}
    return parse({
        'duration': now, 'events': events,
        'algorithms': [{'name': 'bounded', 'radius': 9, 'hop_limit': 0, 'mandates': mandates}],
        'devices': [{'kind': 'uniform', 'count': robots, 'low': [0, 0], 'high': [6, 6]}],
        'motion': {'kind': 'levy', 'speed': draw.choice((0.3, 1.5, 4.0)), 'scale': 3,
                   'walls': [0, 0, 6, 6], 'tick': 0.25},
        'messages': {'range': draw.choice((3.0, 5.0)), 'expiry': expiry,
                     'loss': draw.choice((0.0, 0.2, 0.5)), 'duplication': 0.2,
                     'delay': [0.0, draw.choice((0.1, 1.0, 2.5))]},
        'rounds': {'period': 1, 'spread': 0.1, 'jitter': 0.3},
        'strength': {'cycle': ['random'], 'every': draw.choice((3.0, 10.0))},
        'measure': {'interval': 10}}, f'cuts {seed}')


class Cut(NamedTuple):
    """The result of cuts and merges."""

    events: int
    rounds: int
    """Of all robots."""
    restarts: int
    doubled: int
    """Mandates over a robot that is under one already; with a quorum also a second leader."""
    faults: list[str]
    share: float
    """Of the time of robots, under a mandate."""


def cut(events: int, first: int = 0) -> Cut:
    """Return what at least so many cuts and merges of swarms give."""
    rounds = restarts = doubled = 0
    faults, shares, runs = list[str](), list[float](), -(-events // EVENTS_A_RUN)
    for seed in range(first, first + runs):
        scenario = cut_scenario(seed)
        simulation = Simulation(scenario, scenario.entrants[0], seed)
        simulation.play()
        watch, mandates = simulation.network.watch, simulation.mandates
        assert mandates is not None
        rounds += int(watch.counts[ROUNDS])
        restarts += sum(event.name == 'join' for event, _ in scenario.events)
        doubled += mandates.judge.doubled
        faults += [f'{scenario.name}: {fault}' for fault in mandates.judge.faults]
        shares.append(float(fmean(watch.samples[:, COLUMNS.index('mandated')])))
    return Cut(runs * EVENTS_A_RUN, rounds, restarts, doubled, faults, fmean(shares))


def main() -> None:
    """Print a table, or hunt."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--case', default='', help='only cases with this in their name')
    parser.add_argument('--hunt', type=float, default=0.0, help='for this time [s]')
    parser.add_argument('--first', type=int, default=0, help='the first random case')
    parser.add_argument('--cuts', type=int, default=0, help='so many cuts and merges')
    options = parser.parse_args()
    if options.cuts:
        done = cut(options.cuts, options.first)
        print(f'{done.events:,} cuts and merges, {done.restarts:,} starts, {done.rounds:,} rounds '
              f'of robots: {done.doubled} double mandates, {len(done.faults)} faults; '
              f'{done.share:.0%} under one mandate')
        print(*done.faults[:20], sep='\n')
        return
    if options.hunt:
        cases, faults, share = hunt(options.hunt, options.first)
        print(f'{cases} random cases, {len(faults)} faults; {share:.0%} under one mandate')
        print(*faults[:20], sep='\n')
        return
    print('| case | led | under one mandate | leader acts | under two | messages a second '
          '| bytes in a message | members in it |')
    print('|---|---|---|---|---|---|---|---|')
    for name, case in CASES.items():
        if options.case in name:
            found = measure(case, options.seeds)
            print(f'| {name} | {found.led:.1%} | {found.once:.1%} | {found.acting:.1%} '
                  f'| {found.faults:g} | {found.messages:.2f} | {found.bytes:.1f} '
                  f'| {found.grants:.1f} |', flush=True)


if __name__ == '__main__':
    main()
