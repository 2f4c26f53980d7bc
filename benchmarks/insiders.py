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
Robots that lie, with a key: the share of time of honest robots without an honest living leader.

The robots and their schedule are the package's own, in simulated time: 3 m apart, a range of
4.5 m, a radius of 10 m, strengths by chance. After 15 s liars begin, which lead nobody until then:
one of 25, near the middle, or by --share a tenth, all kinds mixed. Their lies are fitted to the
measures: they sign what they can, and repeat what they have heard.
``--cost`` measures bytes and processor time of a robot among 100 with a key, and with identities.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
import gc
import math
import random
from statistics import fmean, median
import time
from typing import NamedTuple

from leader_election.election.algorithms import BOUNDED
from leader_election.election.identity.identity import Identity, SLACK
from leader_election.election.identity.part import IdentityPart, Link, NO_PART, Said
from leader_election.election.identity.roster import (
    ENDLESS,
    IdentityKeys,
    public_key,
    Record,
    Roster,
    sign_record,
)
from leader_election.election.messages.codec import codec_for, Message, Position
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Outlook, Robot
from leader_election.parameters import build
from leader_election.swarm.simulated_swarm import SimulatedSwarm

APART, RANGE, RADIUS = 3.0, 4.5, 10.0
QUIET, LOOK = 15.0, 0.25
"""The time until liars begin, and between two observations [s]."""
STRONGEST, GHOST = 1e9, 10**6
KEY, OWNER = bytes(32), bytes(31) + b'o'
START = 1_780_000_000_000
"""The wall clock at the start [ms]."""


@dataclass(frozen=True)
class Case:
    """A case; times in seconds."""

    kinds: tuple[str, ...]
    robots: int = 25
    share: float = 0.0
    """Of robots that lie; 0: one."""
    identities: bool = False
    schedule: str = 'reactive'
    seconds: float = 60.0
    loss: float = 0.0
    mandate: float = 0.0


def keys_of(robot: int, seed: int = 0) -> IdentityKeys:
    """Return the keys of a robot."""
    return IdentityKeys(robot, (robot + 1000 * seed).to_bytes(32, 'big'), public_key(OWNER))


def roster_of(strengths: Mapping[int, float]) -> Roster:
    """Return a roster that grants each robot a strength."""
    return Roster(public_key(OWNER), [sign_record(Record(
        robot, public_key(keys_of(robot).seed), strength, True, ENDLESS, 1), OWNER)
        for robot, strength in strengths.items()])


def identity_of(robot: int, roster: Roster, draw: random.Random) -> Identity:
    """Return the identity of a robot."""
    return Identity(keys_of(robot), Roster(roster.owner, roster.records.values()),
                    draw.getrandbits(32), partial(draw.randbytes, 32))


class Liars:
    """What lies are made of: liars, perhaps among others, and their leaders before they lied."""

    now: float
    robots: dict[int, Robot]
    places: dict[int, Position]
    strength: dict[int, float]
    before: dict[int, int]

    def signed(self, liar: int, message: Message, part: IdentityPart | None) -> str:
        """Return a lie as sent, under the own identity where it is about the liar itself."""
        robot = self.robots[liar]
        identity = robot.identity
        if identity is not None and part is None and message.id == liar:
            said = Said(liar, message.export.leader, message.export.value,
                        message.export.distance, message.export.hops, message.position)
            part, hops = identity.part(
                said, frozenset({-int(self.now * 10)}), self.now,
                robot.authentication.time.read(self.now))
            message = message._replace(export=message.export._replace(hops=hops))
        message = message._replace(identity=part if identity is not None else None)
        return robot.authentication.sign(
            codec_for(BOUNDED).encode(message), message.id, self.now)

    def heard(self, liar: int, robot: int) -> Message | None:
        """Return the last message of a robot that a liar has heard."""
        entry = self.robots[liar].mailbox.entry(robot)
        return None if entry is None else entry.message

    def own(self, liar: int, value: float, distance: float = 0.0, leader: int | None = None,
            hops: int = 0) -> Message:
        """Return a message of a liar under its own id."""
        return Message(liar, 'map', self.places[liar],
                       BOUNDED.state(value, distance, liar if leader is None else leader, hops))


class LyingSwarm(Liars, SimulatedSwarm):
    """
    The robots of a case.

    :ivar looks: observations of honest robots since the liars began.
    :ivar led: those under an honest living leader.
    :ivar kept: those under the leader of before.
    """

    def __init__(self, case: Case, seed: int) -> None:
        self.case, self.chance = case, random.Random(seed)
        draw, width = self.chance.uniform, math.ceil(math.sqrt(case.robots))
        self.places = {i: (i % width * APART + draw(-0.1, 0.1), i // width * APART + draw(-.1, .1))
                       for i in range(case.robots)}
        self.strength = {i: self.chance.random() for i in self.places}
        self.liars: dict[int, str] = {}
        self.before: dict[int, int] = {}
        self.looks = self.led = self.kept = self.sent = self.bytes = self.changes = 0
        self._grants = dict(self.strength)
        self._near = {i: [j for j, there in self.places.items() if j != i
                          and math.dist(here, there) <= RANGE]
                      for i, here in self.places.items()}
        if trusted := [kind for kind in case.kinds if kind.startswith('granted')]:
            middle = self._middle()
            self._grants |= dict.fromkeys(middle[:max(1, int(case.share * case.robots))],
                                          STRONGEST)
            assert trusted
        roster = roster_of(self._grants) if case.identities else None
        super().__init__({i: self._make(i, roster) for i in self.places}, self._near.__getitem__)
        self.at(QUIET, self._begin_to_lie)
        for i in self.robots:
            self.at(0.0, partial(self._locate, i))

    def _make(self, i: int, roster: Roster | None) -> Robot:
        return Robot(build(ElectionParameters, {
            'robot_id': i, 'radius': RADIUS, 'communication_range': RANGE,
            'strength': self.strength[i], 'schedule': self.case.schedule,
            'mandate': self.case.mandate}),
            keys=(KEY,), start=START,
            identity=None if roster is None else identity_of(i, roster, self.chance))

    def _locate(self, i: int) -> None:
        if i in self.robots:
            self.robots[i].sensing.take_odometry((*self.places[i], 0.0), self.now)
        self.at(self.now + 1.0, partial(self._locate, i))

    def _middle(self) -> list[int]:
        """Return the robots in the order of their distances to the middle, or by chance."""
        middle = tuple(fmean(axis) for axis in zip(*self.places.values()))
        near = sorted(self.places, key=lambda i: math.dist(self.places[i], middle))
        return near if self.case.share == 0.0 else random.Random(self.chance.random()).sample(
            near, len(near))

    def _carry(self, receiver: int, payload: str) -> None:
        if self.chance.random() >= self.case.loss:
            super()._carry(receiver, payload)

    def _round(self, robot: int, outlook: Outlook | None = None) -> None:
        kind = self.liars.get(robot)
        if kind is None:
            before = self.robots[robot].state.leader
            super()._round(robot, outlook)
            self.changes += bool(self.liars) and self.robots[robot].state.leader != before
        else:
            # It runs its round, and says only what its lies need.
            payload = self.robots[robot].round(self.now, outlook)
            if kind in HELPFUL:
                for near in self._near[robot]:
                    self._carry(near, payload)

    # Liars.

    def _begin_to_lie(self) -> None:
        case, leading = self.case, {robot.state.leader for robot in self.robots.values()}
        self.before = {i: robot.state.leader for i, robot in self.robots.items()}
        granted = [i for i in self._grants if self._grants[i] == STRONGEST]
        able = granted + [i for i in self._middle() if i not in leading and i not in granted]
        number = max(1, round(case.share * case.robots))
        kinds = self.chance.sample(case.kinds, len(case.kinds))
        for n, i in enumerate(able[:number]):
            self.liars[i] = kinds[n % len(kinds)]
            self.at(self.now + self.chance.random(), partial(self._lie, i, 0))
        self.at(self.now, self._look)

    def _lie(self, liar: int, number: int) -> None:
        every, lie = LIES[self.liars[liar]]
        for message, seems in lie(self, liar, number):
            payload = self.signed(liar, message, seems)
            for near in self._near[liar]:
                self._carry(near, payload)
        self.at(self.now + every, partial(self._lie, liar, number + 1))

    # The judgement.

    def _look(self) -> None:
        for i, robot in self.robots.items():
            if i in self.liars:
                continue
            leader = robot.main.leader
            self.looks += 1
            self.led += (leader in self.robots and leader not in self.liars
                         and self.robots[leader].state.leader == leader)
            self.kept += leader == self.before[i]
        self.at(self.now + LOOK, self._look)

    def dropped(self) -> tuple[int, int]:
        """Return how many honest robots, and liars, are dropped as liars by any honest one."""
        found = {liar for i, robot in self.robots.items()
                 if robot.identity is not None and i not in self.liars
                 for liar in robot.identity.proofs}
        return len(found - self.liars.keys()), len(found & self.liars.keys())


Lies = Iterator[tuple[Message, IdentityPart | None]]


def strongest(swarm: Liars, liar: int, number: int) -> Lies:
    """Claim to lead, stronger than all."""
    yield swarm.own(liar, -STRONGEST), None


def granted(swarm: Liars, liar: int, number: int) -> Lies:
    """Claim the strength that it is granted, the greatest of all: it is no lie, but silence is."""
    yield swarm.own(liar, -STRONGEST), None


def invented(swarm: Liars, liar: int, number: int) -> Lies:
    """Relay the candidacy of a leader that never was."""
    yield swarm.own(liar, -STRONGEST, 1.0, GHOST, 1), None


def by_turns(swarm: Liars, liar: int, number: int) -> Lies:
    """Claim the greatest strength and the least by turns."""
    yield swarm.own(liar, -STRONGEST if number % 2 else 0.0), None


def follows(swarm: Liars, liar: int, number: int) -> Lies:
    """Say in the name of the leaders of all neighbours that they follow another one."""
    for leader in {swarm.robots[liar].state.leader,
                   *(near.message.export.leader for near in swarm.robots[liar].neighbours)}:
        if leader != liar:
            last = swarm.heard(liar, leader)
            message = Message(leader, 'map', swarm.places[liar], BOUNDED.state(
                -STRONGEST, 1.0, GHOST, 1))
            yield message, NO_PART if last is None else last.identity


def all_ids(swarm: Liars, liar: int, number: int) -> Lies:
    """Say in the name of all robots that they follow a leader that never was."""
    for robot in swarm.places:
        if robot != liar:
            last = swarm.heard(liar, robot)
            yield Message(robot, 'map', swarm.places[liar], BOUNDED.state(
                -STRONGEST, 1.0, GHOST, 1)), NO_PART if last is None else last.identity


def overstated(swarm: Liars, liar: int, number: int) -> Lies:
    """Repeat what all neighbours say, in their names, with hops and distances too great."""
    for near in swarm.robots[liar].neighbours:
        message = near.message
        yield message._replace(export=message.export._replace(
            distance=message.export.distance + RADIUS)), message.identity


def dragged(swarm: Liars, liar: int, number: int) -> Lies:
    """Say in the name of its leader that it walks away."""
    last = swarm.heard(liar, swarm.robots[liar].state.leader)
    if last is not None and last.position is not None:
        x, y = last.position
        yield last._replace(position=(x + min(number, 20) * 0.9, y)), (
            None if last.identity is None else last.identity._replace(own=None, leader=None))


def near_a_far_leader(swarm: Liars, liar: int, number: int) -> Lies:
    """Say that a leader far away is here, no hop away."""
    candidacies = [near.message.export for near in swarm.robots[liar].neighbours
                   if near.message.export.leader != swarm.before[liar]]
    others = {robot.state.leader for robot in swarm.robots.values()} - {
        swarm.before[liar], liar} & swarm.robots.keys()
    identity = swarm.robots[liar].identity
    if identity is None:
        for leader in others:
            yield swarm.own(liar, -swarm.strength[leader], 0.0, leader), None
        return
    for export in candidacies:
        known = identity.leaders.get(export.leader)
        if known is None or not known._proven or math.isnan(known.signed.statement.x):
            continue
        beat = max(known._proven)
        hops, element = min(known._proven[beat].items())
        away = max(math.dist(swarm.places[liar], known.signed.statement[7:9]) - SLACK, 0.0)
        said = Said(liar, export.leader, export.value, away, hops, swarm.places[liar])
        part, _ = identity.part(said, frozenset({-int(swarm.now * 10)}), swarm.now,
                                swarm.robots[liar].authentication.time.read(swarm.now))
        identity.speaker.state(
            said, swarm.now, swarm.robots[liar].authentication.time.read(swarm.now), 1.0)
        mine = identity.speaker.mine
        assert mine is not None
        yield swarm.own(liar, export.value, away, export.leader, hops), part._replace(
            link=Link(beat, element), own=part.own and part.own._replace(
                serial=mine.statement.serial, signature=mine.signature))


def two_places(swarm: Liars, liar: int, number: int) -> Lies:
    """Sign two statements under one number."""
    identity, value = swarm.robots[liar].identity, -swarm.strength[liar]
    if identity is None:
        yield swarm.own(liar, -STRONGEST), None
        return
    swarm_time = swarm.robots[liar].authentication.time.read(swarm.now)
    for far in (0.0, 3.0):
        x, y = swarm.places[liar]
        message = swarm.own(liar, value)._replace(position=(x + far, y))
        identity.speaker.mine, identity.speaker.beat = None, 0
        part, _ = identity.part(Said(liar, liar, value, 0.0, 0, message.position),
                                frozenset({-int(swarm.now * 10)}), swarm.now, swarm_time)
        yield message, part


def drops(swarm: Liars, liar: int, number: int) -> Lies:
    """Relay nothing: say only that it leads itself."""
    yield swarm.own(liar, -swarm.strength[liar]), None


class Lie(NamedTuple):
    """A kind of lies."""

    every: float
    """The time from one to the next [s]."""
    tell: Callable[[Liars, int, int], Lies]


LIES: dict[str, Lie] = {
    'the strongest claim': Lie(1.0, strongest),
    'an invented leader': Lie(1.0, invented),
    'the strongest claim each 5 s, then silence': Lie(5.0, strongest),
    'an invented leader each 5 s, then silence': Lie(5.0, invented),
    'strong and weak by turns': Lie(1.0, by_turns),
    "forged: 'your leader follows another'": Lie(1.0, follows),
    'forged: all ids': Lie(1.0, all_ids),
    'forged: all neighbours, too far': Lie(0.3, overstated),
    "dragging the leader's place": Lie(1.0, dragged),
    'a far leader at distance 0': Lie(1.0, near_a_far_leader),
    'two statements under one number': Lie(1.0, two_places),
    'silent dropping': Lie(1.0, drops),
    'granted the greatest strength, each 5 s, then silence': Lie(5.0, granted),
    'granted the greatest strength, strong and weak by turns': Lie(1.0, by_turns),
}
HELPFUL = {kind for kind in LIES if kind.startswith(('forged', 'dragging'))}
"""Those whose liars send their own messages as well."""
UNTRUSTED = tuple(kind for kind in LIES if not kind.startswith('granted'))
"""Those whose liars are granted nothing."""


class Insider(Liars):
    """
    A liar in a swarm that is not simulated here.

    :ivar robot: receives the messages of others.
    :ivar near: the robots that hear its lies.
    """

    def __init__(self, robot: Robot, places: Mapping[int, Position]) -> None:
        self.id, self.robot = robot.parameters.robot_id, robot
        self.robots, self.places = {self.id: robot}, dict(places)
        self.strength = {self.id: robot.parameters.strength}
        self.near: tuple[int, ...] = ()
        self._kind, self._number = '', 0
        self._due = self._round_due = 0.0

    def begin(self, kind: str, place: Position, now: float) -> None:
        """Begin to tell lies of a kind at a place [m]."""
        self._kind, self._due, self.places[self.id] = kind, now, place
        most = self.robot.parameters.communication_range
        self.near = tuple(i for i, there in self.places.items()
                          if i != self.id and math.dist(place, there) <= most)
        self._round(now)
        self.before = {self.id: self.robot.state.leader}

    def _round(self, now: float) -> str:
        self.robot.sensing.take_odometry((*self.places[self.id], 0.0), now)
        self._round_due = now + self.robot.parameters.round_period
        return self.robot.round(now)

    def speak(self, now: float) -> list[str]:
        """Return what it sends now; nothing before it begins."""
        said, self.now = [], now
        if self._kind and now >= self._round_due:
            own = self._round(now)
            said = [own] * (self._kind in HELPFUL)
        if self._kind and now >= self._due:
            every, lie = LIES[self._kind]
            said += [self.signed(self.id, *each) for each in lie(self, self.id, self._number)]
            self._due, self._number = now + every, self._number + 1
        return said


class Figures(NamedTuple):
    """The figures of a case, means over seeds."""

    unled: float
    moved: float
    """The share of time not under the leader of before."""
    changes: float
    """Of the leader, of a robot in a minute."""
    dropped: float
    """Honest robots that are dropped as liars."""
    convicted: float
    """Liars that are."""
    counts: Counter[str]


def measure(case: Case, seeds: int) -> Figures:
    """Return the figures of a case."""
    rows, counts = [], Counter[str]()
    for seed in range(seeds):
        swarm = LyingSwarm(case, seed)
        swarm.run(QUIET + case.seconds)
        honest = len(swarm.robots) - len(swarm.liars)
        rows.append((1.0 - swarm.led / swarm.looks, 1.0 - swarm.kept / swarm.looks,
                     swarm.changes / honest / case.seconds * 60.0, *swarm.dropped()))
        for i, robot in swarm.robots.items():
            if i not in swarm.liars:
                counts.update({name: robot.counts[name] for name in (
                    each.value for each in RejectReason) if robot.counts[name]})
    return Figures(*map(fmean, zip(*rows)), counts)


ROBOTS, ROUNDS = 100, 150


class Core:
    """A robot among many, which all lie within its range, and hear each other."""

    def __init__(self, identities: bool) -> None:
        draw = random.Random(1)
        strengths = {i: float(i) for i in range(1, ROBOTS + 1)}
        roster = roster_of(strengths) if identities else None
        self.robots = [Robot(build(ElectionParameters, {
            'robot_id': i, 'radius': RADIUS, 'strength': strength}), keys=(KEY,), start=START,
            identity=None if roster is None else identity_of(i, roster, draw))
            for i, strength in strengths.items()]
        self.times: list[float] = []
        self.lengths: list[int] = []

    def period(self, now: float) -> None:
        """Let all run a round, and record the time of the first."""
        from leader_election.election.identity import roster as signatures
        said = []
        for n, robot in enumerate(self.robots):
            robot.sensing.take_odometry((0.02 * n, round(now, 3) * 1e-6, 0.0), now)
            said.append(robot.round(now))
        self.lengths += map(len, said)
        first, *others = self.robots
        # The other robots of this process are no garbage of the first.
        gc.freeze()
        codec_for(BOUNDED)._read.cache_clear()
        signatures.verify.cache_clear()
        begin = time.thread_time()
        for payload in said[1:]:
            first.receive(payload, now + 0.01)
        first.round(now + 0.02)
        self.times.append(time.thread_time() - begin)
        for robot in others:
            # The strongest will do.
            for payload in said[-10:]:
                robot.receive(payload, now + 0.01)


def cost() -> None:
    """Print the bytes and the processor time of a robot among many, with a key and identities."""
    cores = Core(False), Core(True)
    for n in range(1, ROUNDS + 1):
        for core in cores[::1 if n % 2 else -1]:
            core.period(float(n))
    (key, both), (less, more) = ([fmean(core.lengths[20 * ROBOTS:]) for core in cores],
                                 [fmean(core.times[20:]) for core in cores])
    print(f'a message: {key:.1f} bytes with a key, {both:.1f} with identities: {both - key:+.1f}')
    print(f'99 receipts and a round, mean: {less * 1e6:.0f} us with a key, {more * 1e6:.0f} us '
          f'with identities: {more / less:.2f} times (median '
          f'{median(cores[1].times) / median(cores[0].times):.2f})')


def main() -> None:
    """Print a table, or the cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--robots', type=int, default=25)
    parser.add_argument('--seconds', type=float, default=60.0, help='of lies')
    parser.add_argument('--share', type=float, default=0.0, help='of liars; 0: one')
    parser.add_argument('--mixed', action='store_true', help='all kinds at once')
    parser.add_argument('--kind', default='', help='only kinds with this in their name')
    parser.add_argument('--loss', type=float, default=0.0, help='of messages')
    parser.add_argument('--cost', action='store_true')
    options = parser.parse_args()
    if options.cost:
        cost()
        return
    kinds = [kind for kind in LIES if options.kind in kind]
    every = {kind: (kind,) for kind in kinds}
    if options.mixed:
        every = {'mixed': tuple(kind for kind in kinds if kind in UNTRUSTED)}
    print('| lie | without a leader, periodic: key, identities | reactive: key, identities '
          '| under another leader, reactive | changes | honest dropped | liars convicted |')
    print('|---|---|---|---|---|---|---|')
    for name, of_it in every.items():
        found = {(schedule, on): measure(Case(
            of_it, options.robots, options.share, on, schedule, options.seconds, options.loss),
            options.seeds)
            for schedule in ('periodic', 'reactive') for on in (False, True)}
        pairs = [', '.join(f'{getattr(found[schedule, on], of):.1%}' for on in (False, True))
                 for schedule, of in (('periodic', 'unled'), ('reactive', 'unled'),
                                      ('reactive', 'moved'))]
        last = found['reactive', True]
        print(f'| {name} | {" | ".join(pairs)} | {found["reactive", False].changes:.1f}, '
              f'{last.changes:.1f} | {last.dropped:g} | {last.convicted:g} |', flush=True)


if __name__ == '__main__':
    main()
