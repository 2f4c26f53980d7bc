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
A swarm of moving robots with mandates, in simulated time, judged at each event.

The robots and their schedule are the package's own. Their clocks' rates vary.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
import math
import random
from typing import Any

from benchmarks.simulated_swarm import SimulatedSwarm
from leader_election.election.mandates.mandates import Mandates
from leader_election.election.robot.neighbourhood import Neighbour
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build

WIDTH, HEIGHT = 10.0, 7.0
"""Half of the area [m]."""
RANGE, RADIUS = 5.0, 6.0
STEP = 0.25
"""The time between two steps of the robots [s]."""
NEVER = math.inf
STEADY = 3.0
"""The time for which the rate of a clock is constant [s]."""
SWARM = -1
"""Stands for the whole swarm, where other numbers are robots under a mandate."""


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
    odd_mandate: float = 0.0
    """The duration on robots of odd ids, 0 for the same."""
    quorum: bool = False
    schedule: str = 'reactive'


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
        """Return its reading at a time [s]. Times of calls grow."""
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


class Clocked:
    """A robot with a clock of its own."""

    def __init__(self, robot: Robot, clock: Clock) -> None:
        self.robot, self.clock = robot, clock

    def __getattr__(self, name: str) -> Any:
        """Return the mandates of the robot."""
        return getattr(self.robot, name)

    @property
    def mandates(self) -> Mandates | None:
        """Return the mandates of its first instance."""
        part: Any = self.robot.main.parts.get('mandates')
        return None if part is None else part.mandates

    def round(self, now: float, pending: list[Neighbour] | None = None) -> str:  # noqa: A003
        """Run a round."""
        return self.robot.round(self.clock(now), pending)

    def receive(self, payload: str, now: float) -> bool:
        """Receive a message."""
        return self.robot.receive(payload, self.clock(now))

    def would_change(self, now: float) -> list[Neighbour] | None:
        """Return whether a round would change something."""
        return self.robot.would_change(self.clock(now))


class MandatedSwarm(SimulatedSwarm):
    """
    The robots of a case, judged at each event.

    :ivar faults: what contradicts the guarantees.
    """

    def __init__(self, case: Case, seed: int) -> None:
        self.case, self.chance = case, random.Random(seed)
        draw, ids = self.chance.uniform, range(case.robots)
        self._judgement = Judge(lambda leader, robot, now: robot in self.over(leader))
        self.faults = self._judgement.faults
        self._frozen: dict[int, float] = {}
        self._places = {i: (draw(-WIDTH, WIDTH), draw(-HEIGHT, HEIGHT)) for i in ids}
        self._heading = {i: draw(-math.pi, math.pi) for i in ids}
        self._strength = {i: self.chance.random() for i in ids}
        super().__init__({i: self._make(i, 0.0) for i in ids}, self._hearers)
        self.at(0.0, self._step)
        self.at(case.kill, self._kill)
        self.at(case.freeze[0], self._freeze)

    def parameters(self, i: int) -> dict[str, Any]:
        """Return the parameters of a robot."""
        case = self.case
        quorum = {'quorum': 'majority', 'roster': f'0-{case.robots - 1}'} if case.quorum else {}
        return {
            'robot_id': i, 'radius': RADIUS, 'strength': self._strength[i],
            'communication_range': RANGE, 'schedule': case.schedule,
            'mandate': case.odd_mandate if i % 2 and case.odd_mandate else case.mandate,
            'clock_rate_error': case.rate_error, **quorum}

    def _make(self, i: int, now: float) -> Any:
        return Clocked(
            Robot(build(ElectionParameters, self.parameters(i)),
                  first_number=int((now + 1.0) * 1e3)),
            Clock(self.case.rate_error, self.chance, now))

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
        step = self.case.speed * STEP
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
        self.at(self.now + STEP, self._step)

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
        """Return whether a robot executes nothing now. It acts when it wakes."""
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

    def _round(self, robot: int, pending: list[Neighbour] | None = None) -> None:
        super()._round(robot, pending)
        self._judge(robot)

    # The judgement.

    def over(self, robot: int) -> dict[int, int]:
        """Return the terms under which a robot holds mandates now, as the judge looks at them."""
        clocked: Any = self.robots.get(robot)
        return {} if clocked is None or clocked.mandates is None else terms_of(
            clocked.mandates, clocked.clock(self.now))

    def _judge(self, leader: int) -> None:
        self._judgement.look(leader, self.over(leader), self.now)


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
        schedule=draw.choice(('reactive', 'reactive', 'periodic')),
        odd_mandate=draw.choice((0.0, 0.0, 5.0, 8.0)))
