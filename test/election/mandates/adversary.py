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
An adversary against mandates: any election, any delivery, any clocks within the rate error.

Beside each robot is a node of a user, which is told in each round over which robots it may act and
until when. Whatever it knew within its time to react it may still act on, also after its robot has
died.
"""

from collections.abc import Sequence
from contextlib import suppress
import random
from typing import NamedTuple

from leader_election.election.mandates.mandates import Follows, Mandates, NeighbourPart, NO_ONE
from leader_election.election.mandates.parameters import MandateSettings, REACTION
from leader_election.parameters import ParameterError

DURATION, RATE_ERROR = 3.0, 0.05
LEADERS = (1, 2)


class Leases(NamedTuple):
    """The leases that a robot publishes in a round."""

    since: float
    """The true time [s]."""
    until: dict[int, float]
    """The ends of its mandates by the robot's clock [s], by the robots under them."""


class Node:
    """
    The node of a user beside a robot.

    :param rate: of the robot's clock, by which it reads ends of mandates.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._told: list[Leases] = []

    def tell(self, now: float, until: dict[int, float]) -> None:
        """Tell it over which robots it may act from now on [s]."""
        self._told.append(Leases(now, until))

    def acts_over(self, now: float, reaction: float) -> set[int]:
        """Return the robots over which it may act at a true time, by what it has been told [s]."""
        over: set[int] = set()
        later = [*(told.since for told in self._told[1:]), now]
        for told, end in zip(self._told, later):
            # The earliest moment at which it may have asked: it then acts until now.
            asked = max(told.since, now - reaction)
            if asked <= end:
                over |= {robot for robot, until in told.until.items()
                         if asked * self._rate < until}
        return over


class Adversary:
    """
    Robots that follow whom it wants, with messages that arrive when it wants, or more than once.

    :ivar faults: what contradicts the guarantees.
    :ivar held: the number of mandates seen.
    :ivar acted: the number of times at which a leader was seen to act.
    """

    def __init__(self, seed: int, robots: int = 4, quorum: bool = False,
                 reaction: float = REACTION,
                 rosters: Sequence[tuple[int, set[int], set[int]]] = ()) -> None:
        self.chance = random.Random(seed)
        self.faults: list[str] = []
        self.held = self.acted = 0
        self._ids = range(1, robots + 1)
        self._settings = MandateSettings(
            DURATION, RATE_ERROR, frozenset(self._ids) if quorum else frozenset(), reaction)
        self._rosters = [self._settings._replace(
            version=version, old=frozenset(old), roster=frozenset(roster))
            for version, old, roster in rosters]
        """Rosters that it sets on robots, of which the first is theirs at the start."""
        self._kept = dict.fromkeys(self._ids, (self._rosters or [self._settings])[0])
        """The settings of each robot, which a restart keeps."""
        self.under = set[int]()
        """The rosters under which leaders have acted, by their numbers."""
        self._now = 0.0
        self._top = 0
        self._robots: dict[int, Mandates] = {}
        self._robots = {i: self._new(i) for i in self._ids}
        self._clocks = dict.fromkeys(self._ids, 0.0)
        self._rates = {i: 1.0 + self.chance.choice((-1, 1)) * RATE_ERROR for i in self._ids}
        self._nodes = {i: Node(self._rates[i]) for i in self._ids}
        self._last = {i: dict[int, NeighbourPart]() for i in self._ids}
        self._said: list[NeighbourPart] = []
        self._fickle = self.chance.choice((0.05, 0.1) if rosters else (0.05, 0.2, 0.5))
        self._terms: dict[int, tuple[int, int]] = {}

    def _new(self, i: int) -> Mandates:
        # The wall clock at the start is above all numbers so far.
        self._top = max([self._top, *(robot.number for robot in self._robots.values())]) + 1
        return Mandates(i, self._kept[i], self._top)

    def play(self, steps: int) -> list[str]:
        """Do so many things by chance, and return the faults."""
        for i in self._ids:
            # The silence after the start is over.
            self._robots[i].silent_until = 0.0
        for _ in range(steps):
            self._do()
            self._judge()
            if self.faults:
                break
        return self.faults

    def _do(self) -> None:
        draw, what = self.chance, self.chance.random()
        if what < 0.5:
            self._round(draw.choice(self._ids))
        elif what < 0.85 and self._said:
            # One of the latest messages, or one of long ago.
            depth = len(self._said) if draw.random() < 0.3 else min(len(self._said), 6)
            self._deliver(self._said[-draw.randrange(depth) - 1], draw.choice(self._ids))
        elif what < 0.995:
            step = draw.choice((0.01, 0.01, 0.3, 0.5, DURATION - 0.2))
            self._now += step
            for i in self._ids:
                self._clocks[i] += step * self._rates[i]
        else:
            i = draw.choice(self._ids)
            self._robots[i], self._last[i] = self._new(i), {}
        if self._rosters and draw.random() < 0.05:
            # Of some robots, in any order. Mostly a roster that the first one takes.
            some = draw.sample(self._ids, draw.choice((1, 3, len(self._ids))))
            rosters = draw.sample(self._rosters, len(self._rosters))
            settings = next((each for each in rosters if self._takes(some[0], each)), rosters[0])
            for i in some:
                if self._takes(i, settings):
                    self._robots[i].change(settings)
                    self._kept[i] = settings

    def _takes(self, i: int, settings: MandateSettings) -> bool:
        robot = self._robots[i]
        if settings == robot.settings:
            return False
        with suppress(ParameterError):
            robot.check(settings)
            return True
        return False

    def _deliver(self, heard: NeighbourPart, to: int) -> None:
        if to != heard.sender:
            self._last[to][heard.sender] = heard
            self._robots[to].hear(self._counted(to, heard), self._clocks[to])

    def _counted(self, to: int, heard: NeighbourPart) -> NeighbourPart:
        return heard._replace(part=self._robots[to].counted(heard.part))

    def _round(self, i: int) -> None:
        draw, robot = self.chance, self._robots[i]
        follows = robot._follows
        if draw.random() < self._fickle:
            leader = draw.choice((i, *LEADERS, *LEADERS, NO_ONE))
            follows = Follows(leader, 0.0 if leader == i else draw.choice((1.0, 2.0, 3.0)),
                              leader == i)
        robot.round(follows, [self._counted(i, heard) for heard in self._last[i].values()],
                    self._clocks[i])
        self._nodes[i].tell(self._now, {
            member: held.until for member, held in robot.over(self._clocks[i]).items()})
        if draw.random() < 0.2:
            self._last[i] = {}
        heard = NeighbourPart(i, follows.leader, follows.distance, robot.part)
        self._said.append(heard)
        if draw.random() < 0.6:
            for to in self._ids:
                self._deliver(heard, to)

    def _judge(self) -> None:
        holders: dict[int, list[int]] = {}
        acting = []
        for i, robot in self._robots.items():
            for member, held in robot.over(self._clocks[i]).items():
                holders.setdefault(member, []).append(i)
                self.held += 1
                self._grows(member, i, held.first, strictly=False)
            own = robot.acting(self._clocks[i]) if robot.settings.roster else None
            if own is not None:
                self.acted += 1
                acting.append(i)
                if self._rosters:
                    self.under.add(self._rosters.index(robot.settings))
                self._grows(NO_ONE, i, own.term, strictly=True)
        self.faults += [f'{leaders} over {member}' for member, leaders in holders.items()
                        if len(leaders) > 1]
        if len(acting) > 1:
            self.faults.append(f'{acting} act')
        nodes: dict[int, list[int]] = {}
        for i, node in self._nodes.items():
            for member in node.acts_over(self._now, REACTION):
                nodes.setdefault(member, []).append(i)
        self.faults += [f'nodes of {leaders} over {member}' for member, leaders in nodes.items()
                        if len(leaders) > 1]

    def _grows(self, what: int, leader: int, term: int, strictly: bool) -> None:
        holder, before = self._terms.get(what, (leader, 0))
        if (holder != leader and term <= before) or (strictly and term < before):
            self.faults.append(f'term {term} of {leader} after {before} of {holder}: {what}')
        self._terms[what] = leader, max(term, before)
