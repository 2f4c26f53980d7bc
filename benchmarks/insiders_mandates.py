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
Robots that lie about mandates, with a key: honest robots under two mandates, or kept by the dead.

The swarm of ``benchmarks.insiders``, with mandates of 8 s; one liar between regions, which relays
as it should, and lies each second beside that. In two cases its leader dies, or is cut off.
"""

import argparse
from collections.abc import Iterator
from statistics import fmean
from typing import NamedTuple

from benchmarks.insiders import (
    Case,
    HELPFUL,
    Liars,
    Lie,
    LIES,
    Lies,
    LyingSwarm,
    QUIET,
)
from leader_election.election.identity.part import Said
from leader_election.election.identity.speaker import Promised
from leader_election.election.mandates.mandates import Mandates
from leader_election.election.mandates.part import MandatePart, Notice
from leader_election.election.messages.codec import Message
from leader_election.election.robot.witness import IdentityWitness

MANDATE = 8.0
DEATH = QUIET + 15.0
"""The time at which the leader of the liar dies, or is cut off [s]."""


def mandates_of(swarm: Liars, robot: int) -> Mandates:
    """Return the mandates of a robot."""
    found = swarm.robots[robot].main.mandates
    assert found is not None
    return found


def _own(swarm: Liars, liar: int, part: MandatePart) -> Message:
    """Return what a liar says of its election, and a part about mandates."""
    state = swarm.robots[liar].state
    return swarm.own(liar, state.value, state.distance, state.leader, state.hops)._replace(
        mandate=part)


def others_grant(swarm: Liars, liar: int, number: int) -> Lies:
    """Say that all robots grant the own leader its newest beat."""
    beat = mandates_of(swarm, liar).part.beat
    yield _own(swarm, liar, MandatePart(
        beat, beat, dict.fromkeys(swarm.places.keys() - {liar}, beat),
        tags=dict.fromkeys(swarm.places, number) if swarm.robots[liar].identity else {})), None


def others_release(swarm: Liars, liar: int, number: int) -> Lies:
    """Say that each leader that is heard of has released all robots."""
    part, near = mandates_of(swarm, liar).part, swarm.robots[liar].neighbours
    leaders = {each.message.export.leader for each in near} | {swarm.before[liar]}
    notices = [Notice(robot, leader, part.number)
               for leader in leaders for robot in swarm.places if robot != liar]
    for at in range(0, len(notices), 60):
        yield _own(swarm, liar, MandatePart(
            part.beat, part.number, released=tuple(notices[at:at + 60]))), None


def the_dead_beat(swarm: Liars, liar: int, number: int) -> Lies:
    """Go on with the beats of the own leader of before, in its name and in the own."""
    leader = swarm.before[liar]
    last = swarm.heard(liar, leader) or next((
        each.message for each in swarm.robots[liar].neighbours
        if each.message.export.leader == leader), None)
    step = 1000 if swarm.robots[liar].identity else 3
    if last is not None and last.mandate is not None:
        beat = last.mandate.beat + step * (number + 1)
        yield last._replace(mandate=MandatePart(beat, beat)), last.identity


def two_promises(swarm: Liars, liar: int, number: int) -> Lies:
    """Promise itself to each leader that is heard of."""
    robot, promised = swarm.robots[liar], set[int]()
    for near in robot.neighbours:
        export, identity = near.message.export, robot.identity
        if export.leader in promised | {liar}:
            continue
        promised.add(export.leader)
        distance, hops = export.distance + near.distance, export.hops + 1
        message = swarm.own(liar, export.value, distance, export.leader, hops)
        if identity is None:
            beat = near.message.mandate.beat if near.message.mandate else 0
            yield message._replace(mandate=MandatePart(beat, beat, {liar: beat})), None
            continue
        witness = IdentityWitness(identity)
        beat = witness.beat(export.leader)
        identity.speaker.promised = Promised(export.leader, swarm.now + MANDATE)
        said = Said(liar, export.leader, export.value, distance, hops, message.position)
        part, said_hops = identity.part(said, frozenset({-number}), swarm.now,
                                        robot.authentication.time.read(swarm.now))
        yield message._replace(
            export=message.export._replace(hops=said_hops), mandate=MandatePart(
                beat, beat, {liar: beat}, tags={liar: witness.tag(export.leader, beat)})), part


ABOUT_MANDATES = {
    'grants in the names of all': Lie(1.0, others_grant),
    'releases in the names of leaders': Lie(1.0, others_release),
    'beats of a dead leader': Lie(1.0, the_dead_beat),
    'own promises to several leaders': Lie(1.0, two_promises),
}
LIES.update(ABOUT_MANDATES)
HELPFUL.update(ABOUT_MANDATES.keys() - {'own promises to several leaders'})


class MandatedSwarm(LyingSwarm):
    """
    The robots of a case with mandates.

    :ivar once: observations of honest robots under exactly one mandate.
    :ivar twice: those under two.
    :ivar kept_by: the longest time from the death of a leader until a robot was free of it [s].
    """

    once = twice = 0
    kept_by = 0.0
    _dead: int | None = None

    def _middle(self) -> list[int]:
        """Return the robots, those first that hear of the most leaders."""
        return sorted(super()._middle(), key=lambda i: -len({
            self.robots[near].state.leader for near in self._near[i]}))

    def _begin_to_lie(self) -> None:
        super()._begin_to_lie()
        leader = self.before[next(iter(self.liars))]
        if self.case.kinds == ('beats of a dead leader',):
            self.at(DEATH, lambda: self._die(leader))
        if self.case.kinds == ('releases in the names of leaders',):
            self.at(DEATH, lambda: self._near.update({leader: []}))

    def _die(self, leader: int) -> None:
        self._dead = leader
        self.kill(leader)

    def _look(self) -> None:
        super()._look()
        held = [member for robot in self.robots if robot not in self.liars
                for member in mandates_of(self, robot).over(self.now)]
        for i in self.robots.keys() - self.liars.keys():
            self.once += held.count(i) == 1
            self.twice += held.count(i) > 1
            bound = mandates_of(self, i).bound(self.now)
            if bound is not None and bound.leader == self._dead:
                self.kept_by = max(self.kept_by, self.now - DEATH)


class Figures(NamedTuple):
    """The figures of a case, means over seeds but for the longest time."""

    once: float
    twice: float
    kept_by: float
    dropped: float
    convicted: float


def measure(kind: str, identities: bool, seeds: int) -> Figures:
    """Return the figures of a kind of lies."""
    def rows() -> Iterator[tuple[float, ...]]:
        for seed in range(seeds):
            swarm = MandatedSwarm(Case((kind,), identities=identities, mandate=MANDATE), seed)
            swarm.run(QUIET + swarm.case.seconds)
            yield (swarm.once / swarm.looks, swarm.twice / swarm.looks, swarm.kept_by,
                   *swarm.dropped())
    once, twice, kept, *dropped = zip(*rows())
    return Figures(fmean(once), fmean(twice), max(kept), *map(fmean, dropped))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--kind', default='', help='only kinds with this in their name')
    options = parser.parse_args()
    print('| lie | under one mandate: key, identities | under two | kept by the dead [s] '
          '| honest dropped | liars convicted |')
    print('|---|---|---|---|---|---|')
    for kind in ABOUT_MANDATES:
        if options.kind in kind:
            key, both = (measure(kind, on, options.seeds) for on in (False, True))
            print(f'| {kind} | {key.once:.1%}, {both.once:.1%} | {key.twice:.1%}, {both.twice:.1%}'
                  f' | {key.kept_by:.1f}, {both.kept_by:.1f} | {both.dropped:g} '
                  f'| {both.convicted:g} |', flush=True)


if __name__ == '__main__':
    main()
