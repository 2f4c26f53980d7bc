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

"""A run of the swarm under test: start, faults, calm, and the account of all messages."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.chaos.attacks import ATTACKS
from benchmarks.chaos.judge import (
    bound,
    commands_check,
    Judge,
    JudgedChange,
    Observation,
    recoveries,
    Recovery,
)
from benchmarks.chaos.schedule import ATTACK, Change, NO_TROUBLE, Plan, Schedule, START
from benchmarks.chaos.swarm import ChaosSwarm, Settings
from leader_election.election.algorithms.algorithm import automatic_hop_limit
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.ros.demo.checks import Check, Timing
from leader_election.ros.demo.faults import WORLD
from leader_election.ros.demo.processes import ProcessDied
from leader_election.ros.nodes.process import spin, StopRequest
from leader_election.swarm.reference_partition import PartitionJudge, RightTime
from leader_election.swarm.snapshot import regions, Snapshot
from leader_election.swarm.view.formatting import count, Palette
from leader_election.swarm.view.frame import Frame

START_UP = 180.0
"""The longest time for all processes to start, and for the first partition after [s]."""
REST = 60.0
"""The longest time for the last partition, and for counters to come to rest [s]."""
OBSERVE, FRAME, MEASURE = 0.1, 0.5, 2.0
"""The times between two observations, two frames of the picture, two measures of memory [s]."""
ANYWHERE = 1e9
"""A range that all are in [m]."""
MARGIN = 2.0
"""By how much the time between changes exceeds the bound on recovery [s]."""
ACCOUNT = 8.0
"""The time for which messages are counted at the end [s]."""
ACCOUNT_RADIO: Mapping[str, Any] = {
    'radio_loss': 0.2, 'radio_delay': 0.05, 'radio_jitter': 0.1, 'radio_duplication': 0.1}


class ForeignRobots(Exception):
    """The ROS domain has robots of another run."""


class Interrupted(Exception):
    """The run was stopped by a signal."""


@dataclass
class Account:
    """The account of all messages in an interval."""

    delivered: int = 0
    """Copies that the relay published."""
    heard: int = 0
    """Messages that robots received, by their own counters."""


@dataclass
class Outcome:
    """The results of a run."""

    recoveries: list[Recovery] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    begun: float = 0.0
    """The time of the first fault [s]."""
    seconds: float = 0.0
    """From the first fault to the end of the last [s]."""
    settled: bool = False
    """Whether at the end all robots lived, and each had the right leader."""
    right_time: RightTime = RightTime()
    """How long robots had the right leader, without attacks, losses and recoveries."""
    most_wrong: float = 0.0
    """The longest time for which a robot may have a wrong leader meanwhile [s]."""
    gaps: list[tuple[float, str]] = field(default_factory=list)
    """After each change: the longest time between two messages of a living robot [s]."""
    account: Account = field(default_factory=Account)
    unbalanced: int = 0
    """Reports of the relay in which copies were not accounted for."""
    statuses: dict[str, int] = field(default_factory=dict)
    memory: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    further: list[Check] = field(default_factory=list)
    """The checks of mandates, if robots have some."""
    messages: int = 0
    attacks: int = 0


class Run:
    """Runs a swarm through faults."""

    def __init__(self, swarm: ChaosSwarm, say: Callable[[str], None], stop: StopRequest) -> None:
        settings = swarm.settings
        self.swarm = swarm
        self.outcome = Outcome()
        self._say = say
        self._stop = stop
        self._judge = Judge(swarm.places, settings.communication_range, settings.radius)
        # Of robots that wander, it judges by this only whether leaders live, and are not apart.
        self._reach = (Judge(swarm.places, ANYWHERE, ANYWHERE) if settings.mandate
                       else self._judge)
        self._partition = PartitionJudge({}, settings.radius, ElectionParameters.radius_hysteresis,
                                         settings.expiry)
        self._attacked = self._recovers = False
        self._hop_limit = automatic_hop_limit(settings.radius, settings.communication_range)
        self._timing = Timing(self._hop_limit, period=settings.period, expiry=settings.expiry)
        self.outcome.most_wrong = self._timing.wrong
        self._due = {'observe': 0.0, 'frame': 0.0, 'measure': 0.0}
        self._palette = Palette()
        self._radio_taken = 0

    @property
    def now(self) -> float:
        """Return the time [s]."""
        return self.swarm.observer.now()

    def plan(self, settings: Settings) -> Plan:
        """Return the input of the schedule."""
        slot = bound(self._hop_limit, settings.period, settings.expiry, NO_TROUBLE) + MARGIN
        return Plan(self.swarm.hosts, self.swarm.joining, tuple(ATTACKS), slot, settings.expiry,
                    settings.odometry_expiry, settings.simulated_clock)

    def through(self, seconds: float) -> None:
        """
        Start the swarm, make faults for a time, let it calm down, account for all messages.

        :raises Interrupted: when a stop was requested.
        """
        try:
            self._start()
            schedule = Schedule(self.plan(self.swarm.settings), self.swarm.settings.seed)
            self._faults(schedule.faults(), seconds)
            self._calm(tuple(schedule.calm()))
            self._account()
        except (ForeignRobots, ProcessDied, TimeoutError) as error:
            self.outcome.failures.append(str(error))
        self._finish()

    # Time.

    def _until(self, condition: Callable[[], bool], deadline: float, what: str = '') -> bool:
        """Continue until a condition holds, or a time; with ``what`` the latter is an error."""
        end = self.now + deadline

        def over() -> bool:
            self._tick()
            return condition() or self.now > end

        spin([self.swarm.observer, self.swarm.leaderships, self.swarm.wandering], over)
        if what and not condition():
            raise TimeoutError(f'{what} within {deadline:.0f} s')
        return condition()

    def _tick(self) -> None:
        if self._stop.made:
            raise Interrupted
        now = self.now
        if self._is_due('observe', now, OBSERVE):
            self.swarm.check()
            self._observe(now)
        if self._is_due('frame', now, FRAME):
            self._take_frame(now)
        if self._is_due('measure', now, MEASURE):
            self.swarm.measure_memory(now)

    def _is_due(self, name: str, now: float, period: float) -> bool:
        due = now >= self._due[name]
        if due:
            self._due[name] = now + period
        return due

    def _observe(self, now: float) -> None:
        observer, truth, partition = self.swarm.observer, self.swarm.truth, self._partition
        if self.swarm.wandering.places:
            self._judge.move(self.swarm.wandering.places)
        partition.strengths = self.swarm.strengths
        loses = truth.radio['radio_loss'] > 0.0
        calm = bool(self.outcome.begun) and not (loses or self._attacked or self._recovers)
        self.swarm.leaderships.counts_waits = calm
        partition.observe(now, observer.leaders, self._judge.graph(truth), counted=calm)
        self._recovers &= bool(partition.wrong)
        self.outcome.right_time = partition.right_time
        self.outcome.observations.append(Observation(
            now, self._unled(), None if loses else tuple(sorted(partition.wrong))))
        if observer.radio_taken != self._radio_taken:
            self._radio_taken, counts = observer.radio_taken, observer.radio
            self.outcome.unbalanced += (
                counts['in_range'] + counts['duplicated']
                != sum(counts[name] for name in ('lost', 'separated', 'overflowed', 'delivered',
                                                 'pending')))

    def _take_frame(self, now: float) -> None:
        if not self.outcome.begun or self.outcome.seconds:
            # Only the time from the first fault to the last partition is drawn.
            return
        robots = {robot: view for robot, view in self.swarm.observer.tracker.snapshot(
            now).robots.items() if robot in self.swarm.truth.living}
        snapshot = Snapshot(now, robots)
        if robots:
            self.outcome.frames.append(Frame(snapshot, self._palette.assign(regions(snapshot))))

    # Phases.

    def _start(self) -> None:
        swarm = self.swarm
        number = sum(map(len, swarm.hosts.values()))
        swarm.start()
        heard = swarm.observer.count_publishers
        self._until(lambda: heard('/neighbourhood') >= number, START_UP, 'not all nodes came up')
        if heard('/neighbourhood') > number:
            raise ForeignRobots('other robots are in this ROS domain; set ROS_DOMAIN_ID to a free '
                                'one')
        swarm.start_world()
        swarm.set(WORLD, {})
        self._until(lambda: not swarm.asked(WORLD) and not swarm.coming, START_UP,
                    'not all robots were heard')
        self._until(self._settled, START_UP, 'the robots elected no leaders')
        if swarm.settings.mandate:
            self._until(lambda: bool(swarm.gate.commands), START_UP, 'nobody commanded the gate')
        self._say(f'{number} robots in {len(swarm.hosts)} processes; limit {self._hop_limit} hops')
        if swarm.settings.mandate:
            self._say(f'mandates of {swarm.settings.mandate:g} s hold over members that are at '
                      f'most {count(swarm.settings.mandate_hops, "hop")} away')

    def _unled(self) -> tuple[int, ...]:
        return self._reach.unled(self.swarm.observer.leaders, self.swarm.truth)

    def _whole(self) -> bool:
        """Return whether each robot has the right leader, which is in reach."""
        return bool(self.outcome.observations) and not (
            self.outcome.observations[-1].wrong or self._unled())

    def _settled(self) -> bool:
        """Return whether the partition is whole, and no leader has changed for two expiries."""
        settings = self.swarm.settings
        quiet = self.now - self.swarm.observer.last_change
        return self._whole() and (settings.mandate > 0.0 or quiet > 2.0 * settings.expiry)

    def _faults(self, faults: Iterator[tuple[Change, ...]], seconds: float) -> None:
        self.outcome.begun = begun = self.now
        while self.now - begun < seconds:
            # A scheduled fault has to be made: the next ones depend on it.
            for change in next(faults):
                self._make(change)

    def _make(self, change: Change) -> None:
        swarm = self.swarm
        swarm.observer.reset_gaps()
        self._attacked, self._recovers = change.kind == ATTACK, True
        swarm.make(change)
        if change.kind == START:
            self._until(lambda: not swarm.coming, START_UP, f'{change.text}: it was not heard')
            # A starting process takes processor time from others.
            swarm.observer.reset_gaps()
        at = self.now
        # An unfinished recovery is observed until its bound.
        self._until(lambda: self.now >= at + change.lasts and (
            not change.judged or self._whole() or self.now > at + self._bound(change)), REST)
        gap, robot = swarm.observer.longest_gap(swarm.truth.living)
        self.outcome.gaps.append((gap, f'robot {robot}, {change.text}'))
        seen = recoveries([JudgedChange(at, change, self._bound(change))],
                          self.outcome.observations, self.now)[0]
        self.outcome.recoveries.append(seen)
        self._say(f'{at - self.outcome.begun:6.1f} s  {change.text}: '
                  + verdict(seen) + f', longest silence {gap:.1f} s of robot {robot}')

    def _bound(self, change: Change) -> float:
        """Return the longest time that recovery may take, by the observed rounds [s]."""
        settings, truth = self.swarm.settings, self.swarm.truth
        gap, _ = self.swarm.observer.longest_gap(truth.living)
        return bound(self._hop_limit, max(settings.period, gap), settings.expiry, truth.radio,
                     change.extra)

    def _calm(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self._make(change)
        self.outcome.settled = self._until(self._settled, REST)
        self.outcome.seconds = self.now - self.outcome.begun

    def _account(self) -> None:
        """Compare what the relay delivers with what the robots count, with the radio at rest."""
        before = self._at_rest()
        self.swarm.set_radio(**ACCOUNT_RADIO)
        self._until(lambda: False, ACCOUNT)
        after = self._at_rest()
        self.outcome.account = Account(*(b - a for a, b in zip(before, after)))

    def _at_rest(self) -> tuple[int, int]:
        """Silence the radio, and return delivered and heard messages when all are counted."""
        swarm, observer = self.swarm, self.swarm.observer
        swarm.set_radio(**{**NO_TROUBLE, 'radio_loss': 1.0})
        self._until(lambda: not swarm.asked(WORLD), REST, 'the world did not answer')
        self._until(lambda: observer.radio.get('pending') == 0, REST, 'messages did not arrive')
        # A robot on a busy machine processes for some time what was delivered.
        self._next_counters()
        heard = -1
        while heard != (heard := observer.counted('messages_heard')):
            self._next_counters()
        return observer.radio['delivered'], heard

    def _next_counters(self) -> None:
        """Wait for the next report of the relay and of each robot."""
        observer, living = self.swarm.observer, self.swarm.truth.living
        radio, robots = observer.radio_taken, dict(observer.statuses_taken)
        self._until(lambda: observer.radio_taken > radio and all(
            observer.statuses_taken[robot] > robots.get(robot, 0) for robot in living),
            REST, 'diagnostics are missing')

    def _finish(self) -> None:
        observer = self.swarm.observer
        self.outcome.failures += [*self.swarm.errors, *observer.reversals]
        self.outcome.memory = self.swarm.memory
        if self.swarm.settings.mandate:
            self.outcome.further = [
                commands_check(self.swarm.gate.commands,
                               self.swarm.gate.time_of_several('acting')),
                *self.swarm.leaderships.checks(
                    self._timing.wait(self.swarm.settings.mandate, self._hop_limit // 2))]
        self.outcome.messages, self.outcome.attacks = (
            observer.tracker.messages, observer.attacker.count)


def verdict(recovery: Recovery) -> str:
    """Return the text on a recovery."""
    if not recovery.happened.change.judged:
        return 'not judged: the recovery counts from the change that follows'
    mark = '' if recovery.holds else 'BEYOND '
    more = '' if recovery.over else ', not over'
    return (f'led after {recovery.seconds:.1f} s, right after {recovery.wrong:.1f} s{more}, '
            f'{mark}bound {recovery.happened.bound:.1f} s')
