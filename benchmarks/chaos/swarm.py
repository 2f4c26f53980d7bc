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

"""A swarm of real nodes in which faults are made on purpose, and its observer."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from itertools import count
import math
from pathlib import Path
import random
import resource
from threading import Event, Thread
from typing import Any

from benchmarks.chaos.attacks import ChaosAttacker
from benchmarks.chaos.judge import Truth
from benchmarks.chaos.schedule import (
    ATTACK,
    ATTACK_OVER,
    Change,
    CLOCK,
    GO_ON,
    HEAL,
    KILL,
    NO_TROUBLE,
    ODOMETRY,
    PAUSE,
    RADIO,
    SPLIT,
    START,
    STRENGTH,
)
from benchmarks.hosted_swarm import Observer
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from leader_election.election.mandates.parameters import least_duration, MandateSettings
from leader_election.election.messages.codec import Position
from leader_election.election.robot.diagnostics import ELECTION, parse_status, status_of
from leader_election.election.robot.diagnostics import NEIGHBOURHOOD as NEIGHBOURHOOD_STATUS
from leader_election.parameters import format_ids, id_ranges, within
from leader_election.ros.demo.checks import GroundTruth, Leaderships
from leader_election.ros.demo.faults import FaultySwarm, WORLD
from leader_election.ros.demo.gate import Gate
from leader_election.ros.nodes.qos import EVENTS, NEIGHBOURHOOD
from leader_election.simulation.scene import make_scene
from leader_election.swarm.fleet.robot_list import RobotHostParameters, strength
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

CLOCK_RATE = 20.0
DIAGNOSTICS_PERIOD = 2.0
ALONE_SHARE = 0.25
"""The share of the robots, the strongest ones, that have a process of their own."""
HOSTED = 10
JOINING_SHARE = 0.1
"""The number of robots that join later, as a share of those at the start, at least one."""


@dataclass(frozen=True)
class Settings:
    """The swarm under test."""

    robots: int = 40
    seed: int = 0
    period: float = 0.5
    """``round_period`` [s]."""
    expiry: float = 1.5
    """``message_expiry`` [s]."""
    odometry_expiry: float = 1.0
    communication_range: float = 1.8
    radius: float = 4.0
    spacing: float = 1.2
    """Between neighbours on the square lattice on which the robots stand [m]."""
    schedule: str = 'reactive'
    simulated_clock: bool = True
    mandate: float = 0.0
    """The duration of mandates: robots wander, and command a gate [s]. 0: they stand still."""

    @property
    def places(self) -> int:
        """Return the number of robots with those that join later."""
        return self.robots + self.joining

    @property
    def mandate_hops(self) -> int:
        """Return the most hops between a leader and members, for mandates to hold over them."""
        settings = MandateSettings(self.mandate)
        return next(hops for hops in count()
                    if least_duration(settings, hops + 1, self.period) > self.mandate)

    @property
    def joining(self) -> int:
        """Return the number of robots that join later."""
        return max(1, round(JOINING_SHARE * self.robots))

    @property
    def scene(self) -> dict[str, Any]:
        """Return the parameters on which all processes agree."""
        return {'robots': self.places, 'seed': self.seed, 'world': 'empty', 'layout': 'grid',
                'spacing': self.spacing, 'radio': 'relay'}


def hosts(settings: Settings) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    """
    Return the robots of each process: at the start, and of those that join later.

    The strongest robots have a process of their own, so that leaders can be killed.

    >>> here, later = hosts(Settings(robots=8))
    >>> sorted(len(ids) for ids in here.values()), len(later)
    ([1, 1, 6], 1)
    """
    parameters = RobotHostParameters(**settings.scene)
    ids = make_scene(parameters).ids
    # Ids follow the rows of the lattice: those that join later are spread over it.
    joining = set(random.Random(settings.seed).sample(ids, settings.joining))
    here = sorted((robot for robot in ids if robot not in joining),
                  key=lambda robot: -strength(parameters.seed, robot))
    alone = here[:math.ceil(ALONE_SHARE * len(here))]
    rest = sorted(set(here) - set(alone))
    number = -(-len(rest) // HOSTED)
    fleets = {f'fleet_{i + 1}': tuple(rest[i::number]) for i in range(number)}
    return ({**{f'robot_{robot}': (robot,) for robot in alone}, **fleets},
            {f'robot_{robot}': (robot,) for robot in sorted(joining)})


class ChaosObserver(Observer):
    """
    Receives all messages and diagnostics, and has an attacker.

    :ivar gaps: the longest time between two messages of each robot since it was last reset [s].
    :ivar statuses: the counters that each robot published last, by robot.
    :ivar radio: the counters of the relay.
    """

    def __init__(self, places: Mapping[int, Position], seed: int) -> None:
        super().__init__()
        self.heard_at: dict[int, float] = {}
        self.statuses: dict[int, dict[str, int]] = {}
        self.statuses_taken: Counter[int] = Counter()
        self.radio: dict[str, int] = {}
        self.radio_taken = 0
        self.reversals: list[str] = []
        """Counters that went backwards without a restart of their robot."""
        self._gaps: dict[int, float] = defaultdict(float)
        self.attacker = ChaosAttacker(self, places, seed)
        # As deep as for messages: robots of one process publish theirs all at once.
        profile = copy(EVENTS)
        profile.depth = NEIGHBOURHOOD.depth
        self.create_subscription(DiagnosticArray, '/diagnostics', self._diagnose, profile)

    def _hear(self, message: String) -> None:
        before = self.tracker.rejected
        super()._hear(message)
        if self.tracker.rejected != before:
            return
        robot = self.last_sender
        now = self.now()
        if robot in self.heard_at:
            self._gaps[robot] = max(self._gaps[robot], now - self.heard_at[robot])
        self.heard_at[robot] = now
        self.attacker.heard[robot] = message.data

    def longest_gap(self, living: frozenset[int]) -> tuple[float, int]:
        """Return the longest time between two messages of a living robot, and its id [s]."""
        now = self.now()
        return max(((max(self._gaps[robot], now - self.heard_at.get(robot, now)), robot)
                    for robot in living), default=(0.0, 0))

    def reset_gaps(self) -> None:
        """Measure gaps from now on."""
        self._gaps.clear()

    def forget(self, robots: tuple[int, ...]) -> None:
        """Expect a restart of these robots: reset their silence and their counters."""
        for robot in robots:
            self.heard_at.pop(robot, None)
            self.leaders.pop(robot, None)
            self.statuses.pop(robot, None)

    def silence_ends(self, robots: tuple[int, ...]) -> None:
        """Count the silence of these robots from now on."""
        for robot in robots:
            self.heard_at[robot] = self.now()

    # Counters.

    def _diagnose(self, message: DiagnosticArray) -> None:
        for status in map(status_of, message.status):
            if status.name == f'{WORLD}: radio':
                self.radio = {name: int(value) for name, value in status.values.items()}
                self.radio_taken += 1
                continue
            found = parse_status(status)
            if (found is not None and found.robot == f'robot_{found.id}'
                    and found.concern in (ELECTION, NEIGHBOURHOOD_STATUS)):
                self._count(found.id, found.concern, {
                    name: int(value) for name, value in found.values.items()
                    if value.isdecimal() and name not in ('leader', 'neighbours')
                    and name.partition('.')[0] != 'state'})

    def _count(self, robot: int, concern: str, counters: dict[str, int]) -> None:
        before = self.statuses.setdefault(robot, {})
        for name in ('rounds', 'messages_heard', 'senders_expired', 'leader_changes'):
            last = before.get(name, 0)
            if counters.get(name, last) < last:
                self.reversals.append(f'robot {robot} counted {name} {last}, then '
                                      f'{counters[name]} at {self.now():.1f} s')
        before.update(counters)
        self.statuses_taken[robot] += concern == NEIGHBOURHOOD_STATUS

    def counted(self, name: str) -> int:
        """Return the sum of a counter over all robots that publish it."""
        return sum(counters.get(name, 0) for counters in self.statuses.values())


class LeapingClock:
    """Publishes ``/clock`` from a thread of its own: real time, and all leaps so far."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._publisher = node.create_publisher(Clock, '/clock', 10)
        self.offset = 0.0
        self._over = Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(1.0 / CLOCK_RATE):
            now = round((self._node.now() + self.offset) * 1e9)
            self._publisher.publish(Clock(clock=Time(sec=now // 10**9, nanosec=now % 10**9)))

    def stop(self) -> None:
        """Stop the clock."""
        self._over.set()
        self._thread.join()


class ChaosSwarm(FaultySwarm):
    """
    Runs the processes of a swarm, and makes the changes of a schedule in it.

    :ivar truth: the present true state of the swarm.
    :ivar observer: receives its messages.
    """

    def __init__(self, settings: Settings, folder: Path, **parameters: Any) -> None:
        """
        Prepare. :meth:`start` starts all processes.

        :param folder: for the logs of the processes.
        :param parameters: more of them, for all robots.
        """
        scene = make_scene(RobotHostParameters(**settings.scene))
        self.places = {robot: (x, y) for robot, (x, y, _) in zip(scene.ids, scene.starts)}
        self.settings = settings
        self.folder = folder
        self.hosts, self.joining = hosts(settings)
        self.observer = ChaosObserver(self.places, settings.seed)
        super().__init__(self.observer, folder)
        self.clock = LeapingClock(self.observer) if settings.simulated_clock else None
        self.truth = Truth()
        self.memory: dict[str, list[tuple[float, float]]] = {}
        """Times [s] and resident memory [bytes] of each process, by its name and id."""
        self._parameters = {
            'radius': settings.radius, 'communication_range': settings.communication_range,
            'round_period': settings.period, 'message_expiry': settings.expiry,
            'odometry_expiry': settings.odometry_expiry, 'schedule': settings.schedule,
            'diagnostics_period': DIAGNOSTICS_PERIOD, **parameters}
        self.leaderships = Leaderships(scene.ids if settings.mandate else ())
        self.gate = Gate(self.leaderships)
        if settings.mandate:
            self._parameters |= {'mandate': settings.mandate, 'quorum': 'majority'}
        self.wandering = GroundTruth(scene.ids if settings.mandate else ())
        self._born = {robot: strength(settings.seed, robot) for robot in scene.ids}
        self.strengths = dict(self._born)
        """The present strengths, by id."""
        self._coming: set[int] = set()

    # Processes.

    def start(self) -> None:
        """Start all initial processes except the world."""
        for name in self.hosts:
            self._start(name, self.hosts[name])

    def start_world(self) -> None:
        """Start the world: from now on the robots have positions."""
        self.run(WORLD, 'swarm_world', {
            **self.settings.scene, 'radio_range': self.settings.communication_range,
            'motion': 'levy' if self.settings.mandate else 'static', 'odom_shift': 1000.0})

    def _start(self, name: str, robots: tuple[int, ...]) -> None:
        self.observer.forget(robots)
        self._coming |= set(robots)
        self.strengths |= {robot: self._born[robot] for robot in robots}
        self.run(name, 'fleet', {**self.settings.scene, **self._parameters,
                                 'members': format_ids(robots)})

    def run(self, name: str, executable: str, parameters: Mapping[str, Any],
            *remaps: Mapping[str, str]) -> str:
        """Start a process, by the simulated clock if there is one (:class:`FaultySwarm`)."""
        by_clock = {'use_sim_time': True} if self.settings.simulated_clock else {}
        return super().run(name, executable, {**parameters, **by_clock}, *remaps)

    def check(self) -> None:
        """Check processes, answers, and who was heard (:class:`FaultySwarm`)."""
        super().check()
        for robot in [robot for robot in self._coming if robot in self.observer.leaders]:
            self._coming.discard(robot)
            self.truth = self.truth.after(living=self.truth.living | {robot})

    @property
    def coming(self) -> int:
        """Return the number of started robots without a message yet."""
        return len(self._coming)

    def measure_memory(self, now: float) -> None:
        """Record the memory of all running processes."""
        for name, pid in self.pids.items():
            pages = int(Path(f'/proc/{pid}/statm').read_text(encoding='utf-8').split()[1])
            self.memory.setdefault(f'{name} ({pid})', []).append(
                (now, pages * resource.getpagesize()))

    def stop(self, *grace: float) -> dict[str, int]:
        """Stop all, and return the exit status of each process that was not killed."""
        if self.clock is not None:
            self.clock.stop()
        return super().stop(*grace)

    # Changes.

    def make(self, change: Change) -> None:
        """Make a change."""
        {KILL: self._kill, START: self._begin, PAUSE: self._pause, GO_ON: self._go_on,
         RADIO: self._radio, SPLIT: self._channels, HEAL: self._channels,
         ODOMETRY: self._odometry, STRENGTH: self._strength, CLOCK: self._leap,
         ATTACK: self._attack, ATTACK_OVER: self._attack_over}[change.kind](change)

    def _lose(self, change: Change) -> None:
        self._coming -= set(change.robots)
        self.truth = self.truth.after(living=self.truth.living - set(change.robots))

    def _kill(self, change: Change) -> None:
        self.kill(change.process)
        for robot in change.robots:
            self.gate.kill(robot)
        self._lose(change)
        self.observer.forget(change.robots)
        attacker = self.observer.attacker
        attacker.dead = (*attacker.dead, *change.robots)

    def _begin(self, change: Change) -> None:
        attacker = self.observer.attacker
        attacker.dead = tuple(set(attacker.dead) - set(change.robots))
        for robot in change.robots if self.settings.mandate else ():
            self.gate.start(robot)
        self._start(change.process, change.robots)

    def _pause(self, change: Change) -> None:
        self.pause(change.process)
        self.gate.frozen.update(change.robots)
        self._lose(change)

    def _go_on(self, change: Change) -> None:
        self.go_on(change.process)
        self.gate.frozen.difference_update(change.robots)
        self.observer.silence_ends(change.robots)
        self.truth = self.truth.after(living=self.truth.living | set(change.robots))

    def set_radio(self, **settings: Any) -> None:
        """Change parameters of the radio. Others stay unchanged."""
        self.set(WORLD, settings)
        self.truth = self.truth.after(radio={**self.truth.radio, **settings})

    def _radio(self, change: Change) -> None:
        self.set(WORLD, change.settings)
        self.truth = self.truth.after(radio={**NO_TROUBLE, **change.settings})

    def _channels(self, change: Change) -> None:
        self.set(WORLD, change.settings)
        self.truth = self.truth.after(apart=frozenset(change.robots))

    def _odometry(self, change: Change) -> None:
        self.set(WORLD, change.settings)
        for name, text in change.settings.items():
            robots = id_ranges(text, name)
            self.truth = self.truth.after(**{name.removeprefix('odom_'): frozenset(
                robot for robot in self.places if within(robot, robots))})

    def _strength(self, change: Change) -> None:
        self.set(f'robot_{change.robots[0]}/election_node', change.settings)
        self.strengths[change.robots[0]] = change.settings['strength']

    def _leap(self, change: Change) -> None:
        assert self.clock is not None
        self.clock.offset += change.settings['leap']

    def _attack(self, change: Change) -> None:
        self.observer.attacker.attack(change.settings['name'], change.robots[0])

    def _attack_over(self, change: Change) -> None:
        self.observer.attacker.stop()
