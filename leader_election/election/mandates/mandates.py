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
Mandates: the robots over which a leader may act now, and those that have promised themselves.

Leases without synchronised clocks (C. Gray, D. Cheriton, "Leases: An Efficient Fault-Tolerant
Mechanism for Distributed File Cache Consistency", SOSP 1989), in the messages that robots send
anyway.

- *Beat*: in each of its rounds a leader sends a new number. Its followers pass the newest one on.
- *Grant*: a follower grants its leader the newest beat, and promises to grant no other leader for
  the duration from now on.
- *Mandate*: the leader holds one over each robot whose grant it has received, for the duration
  from the time at which *it* has made that beat. It expires before the promise does, by whichever
  clocks, as the beat is older than the promise. Only beats of the present leadership count.
- *Release*: a robot that has changed its leader sends a notice *leaving* to the old one, which
  ends the mandate, disregards grants up to that beat from then on, and answers *released*. A
  robot that hears the old leader itself grant another one is released as well, if that message is
  younger than the beat. Its promise then lasts for the time that a node beside the old leader
  has to react. A robot that has just started releases nobody, since such a node may have outlived
  it, and act.
- *Term*: a robot grants only beats above all that it has granted before. So the first beat of a
  mandate, its term, is greater than those of all mandates over the same robot before.
- *Roster*: the robots of which a leader needs more than half. It changes in two steps, and for the
  first one, which has the old and the new robots, a leader needs more than half of both. So any
  two majorities of a step and of the next one have a robot in common. A robot takes a step only
  once a leader has acted in the step before: more than half have then left the steps before that
  one for good, and no leader can act in these any more.

All numbers are *beats*. A leader numbers its rounds, each above every number that it has seen from
any robot (L. Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", CACM
1978). So no robot has to know the clock of another one.

Nothing here reads a clock: times are arguments, readings of the robot's clock of leases [s]. It
runs as fast as the faster of two steady clocks of the computer. Promises count the slower.
"""

from collections.abc import Callable, Iterable, Mapping
import math
from types import MappingProxyType
from typing import Any, NamedTuple

from leader_election.election.mandates.parameters import (
    digest_of,
    Kept,
    MandateSettings,
    Memory,
    NO_MARK,
    roster_marks,
    RosterMark,
)
from leader_election.parameters import ParameterError

NO_ONE = -1
NO_BEAT = 0
"""Stands for no beat. Beats are greater."""
MOST_NOTICES = 64


class Notice(NamedTuple):
    """A member that leaves a leader, or the answer: that leader has released it."""

    member: int
    leader: int
    """The leader that it has left."""
    beat: int
    """The last beat that it has granted to that leader."""


NO_GRANTS: Mapping[int, int] = MappingProxyType({})


class MandatePart(NamedTuple):
    """The part of a message about mandates in an instance."""

    beat: int = NO_BEAT
    """The newest beat known of the leader that the sender follows."""
    number: int = NO_BEAT
    """The greatest number that the sender has seen, at least ``beat``."""
    grants: Mapping[int, int] = NO_GRANTS
    """
    The last beat that each member has granted to this leader, as collected so far; of a leader
    that acts, itself with its term.
    """
    leaving: tuple[Notice, ...] = ()
    released: tuple[Notice, ...] = ()
    digest: int = 0
    """That of the sender's settings (:func:`digest_of`)."""
    proven: RosterMark = NO_MARK
    """The newest roster under which a leader is known to have acted."""

    def __deepcopy__(self, _: Any) -> 'MandatePart':
        """Return this part: it is never changed, and read-only maps cannot be copied."""
        return self


class NeighbourPart(NamedTuple):
    """The part about mandates in the last message of a neighbour."""

    sender: int
    leader: int
    """The leader that it follows, itself if it leads."""
    distance: float
    """Its distance to that leader [m]."""
    part: MandatePart


class Promise(NamedTuple):
    """The promise of a member to grant no other leader."""

    leader: int
    first: int
    """The first beat that it has granted in a row: the term of the mandate over it."""
    last: int
    """The last beat that it has granted."""
    until: float
    """The end of the promise on its own clock of promises [s]."""


class Mandate(NamedTuple):
    """The mandate of a leader over one robot."""

    first: int
    """The first beat that it was granted in a row: the term."""
    last: int
    """The last beat that it was granted."""
    until: float
    """Its end on the leader's own clock [s]."""


class Follows(NamedTuple):
    """The result of an election, as mandates read it."""

    leader: int
    """``NO_ONE``: none."""
    distance: float
    """To the leader [m], 0 on the leader."""
    leads: bool
    grants: bool = True
    """Whether the robot may be under a mandate: it is no relay."""


class Acting(NamedTuple):
    """The right of a leader to act."""

    term: int
    until: float
    """On its own clock [s]."""


class Mandates:
    """
    The mandates of one robot in one instance, as a member, as a leader, and as a relay.

    From its first round on it grants nothing for as long as a promise lasts, since it may have
    forgotten one that it made before a restart. With a quorum a memory tells how long such a
    promise may last, and the roster in which it was made.

    :param robot_id: its id.
    :param first: its first number, above all that it has seen before a restart: the wall clock.
    :param lag: returns how far the clock of promises, the slower of two that the computer has, is
        behind that of leases, by which all times are given [s], ``None`` if they are the same.
    :param memory: with a quorum, what a restart must not forget, ``None`` if it forgets all.
    """

    def __init__(self, robot_id: int, settings: MandateSettings, first: int = NO_BEAT,
                 lag: Callable[[], float] | None = None, memory: Memory | None = None) -> None:
        self.settings = settings
        self.memory = memory or Memory()
        self._lag = lag or (lambda: 0.0)
        self.silent_until = math.nan
        """The time from which on it grants, on the clock of promises [s], NaN if unknown yet."""
        self.number = first
        """The greatest number seen."""
        self.highest = first
        """The greatest beat granted so far, to any leader, or before a restart."""
        self.promise: Promise | None = None
        self.held: dict[int, Mandate] = {}
        """The mandates over robots, this one included, by their ids."""
        self.part = MandatePart()
        """The part of the last message."""
        self.time = -math.inf
        """The time of the last round [s]."""
        self.news = False
        """Whether a received message asks for a round."""
        self._id = robot_id
        self._follows = Follows(NO_ONE, math.inf, False)
        self._beat = NO_BEAT
        """The newest beat of the leader that it follows."""
        self._beats: dict[int, float] = {}
        """On a leader, the times at which it has made its beats [s]."""
        self._void: dict[int, int] = {}
        """On a leader, the beats up to which grants of robots that have left do not count."""
        self._term = NO_BEAT
        self.proven = self.memory.kept.proven
        """The newest roster under which a leader is known to have acted."""

    # The roster.

    @property
    def in_step(self) -> bool:
        """
        Return whether leaders have acted under the roster or the one before, or none have.

        A robot that has granted in another roster also needs that they have, and a later roster.
        """
        if not self.settings.roster:
            return True
        marks, taken = roster_marks(self.settings), self.memory.kept.taken
        follows = taken.step < marks[0].step and self.proven in marks
        return self.proven in (NO_MARK, *marks) and (taken in (NO_MARK, marks[0]) or follows)

    @property
    def present(self) -> RosterMark:
        """Return the newest roster that is known."""
        return max(self.proven, self.memory.kept.taken)

    def _remember(self) -> bool:
        """
        Keep what a restart must not forget, and return whether a grant may rely on it.

        Rosters without a version may be set by hand.
        """
        if not self.settings.roster:
            return True
        own = roster_marks(self.settings)[0]
        return self.memory.keep(Kept(self.settings.promise, own, self.proven)
                                if max(own, self.proven).version > 0 else
                                Kept(self.settings.promise))

    def check(self, settings: MandateSettings) -> None:
        """
        Refuse a roster that must not follow the present one.

        :raises ParameterError: if it is older, or more than one step ahead.
        """
        if settings == self.settings:
            return
        marks, own = roster_marks(settings), roster_marks(self.settings)[0]
        taken = self.memory.kept.taken
        if self.in_step and marks[0].step <= own.step or marks[0].step < self.present.step:
            why = f'the present one, {max(self.present, own).version}, is not older'
        elif marks[0] == taken and self.proven in (NO_MARK, *marks):
            return
        elif self.proven == NO_MARK:
            why = 'no leader has acted yet'
        elif self.proven not in marks:
            why = f'leaders act under version {self.proven.version}, which it does not follow'
        else:
            return
        raise ParameterError('roster', problem=f': version {settings.version} is refused: {why}; '
                             'the command swarm_roster changes a roster step by step')

    def change(self, settings: MandateSettings) -> None:
        """
        Take a step to another roster: only grants from now on count.

        Promises last. So no robot is free for another leader any earlier.

        :raises ParameterError: as :meth:`check`.
        """
        self.check(settings)
        if settings != self.settings:
            self.settings = settings
            self._drop_mandates()

    def _drop_mandates(self) -> None:
        self._beat, self._term = NO_BEAT, NO_BEAT
        self.held, self._beats, self._void = {}, {}, {}

    # The present state.

    def bound(self, now: float) -> Promise | None:
        """Return the promise in force: the mandate that the robot is under at most."""
        if self.promise is not None and now - self._lag() < self.promise.until:
            return self.promise
        return None

    def silence(self, now: float) -> float:
        """Return for how long after a start it grants nothing yet [s], NaN if unknown yet."""
        return self.silent_until - (now - self._lag())

    def over(self, now: float) -> dict[int, Mandate]:
        """Return the mandates in force over robots, by their ids."""
        return {robot: held for robot, held in self.held.items() if now < held.until}

    def acting(self, now: float) -> Acting | None:
        """
        Return under which term the robot may act as a leader, and until when.

        Without a roster a leader acts while it holds the mandate over itself. With one it holds
        those over more than half of the roster, each granted before its term and renewed since.
        """
        if not self.settings.roster:
            own = self.over(now).get(self._id)
            return None if own is None else Acting(own.first, own.until)
        until = self._until(self._term, now) if self.in_step else None
        return None if until is None else Acting(self._term, until)

    def _until(self, term: int, now: float) -> float | None:
        """Return the end of enough mandates of the roster under a term, ``None`` if too few."""
        found = math.inf
        for robots in filter(None, (self.settings.roster, self.settings.old)):
            ends = self._ends(robots, term, now)
            if len(ends) <= len(robots) // 2:
                return None
            found = min(found, ends[len(robots) // 2])
        return found

    def _ends(self, robots: frozenset[int], term: int, now: float) -> list[float]:
        """Return the ends of the mandates over robots in force under a term, latest first."""
        over = self.over(now)
        counted = [over[robot] for robot in robots & over.keys()]
        return sorted((held.until for held in counted if held.first <= term <= held.last),
                      reverse=True)

    def _choose_term(self, now: float) -> None:
        """Take a later term where no longer enough of the roster have granted the present one."""
        if self.settings.roster and self._until(self._term, now) is None:
            later = sorted({held.first for held in self.held.values() if held.first > self._term})
            self._term = next((term for term in later if self._until(term, now) is not None),
                              self._term)

    # Received messages.

    def hear(self, heard: NeighbourPart, now: float) -> bool:
        """
        Process a message at its receipt.

        :return: whether it asks for a round of this robot.
        """
        follows, known = self._follows, self.part.leaving + self.part.released
        self._learn(heard.part)
        news = self._freed_by(heard, now)
        for notice in heard.part.leaving:
            if notice.leader == self._id:
                self._let_go(notice)
                news = news or notice not in known
            elif notice.leader == follows.leader:
                news = news or (self._takes(notice, heard) and notice not in known)
        if follows.leads:
            if heard.leader == self._id:
                self._count(heard.part.grants, now)
            self._choose_term(now)
        self.news = self.news or news
        return news

    def agrees(self, part: MandatePart) -> bool:
        """Return whether a neighbour has the settings of this robot."""
        return part.digest == digest_of(self.settings)

    def counted(self, part: MandatePart) -> MandatePart:
        """
        Return the part of a neighbour; of one with other settings, the numbers that only grow.

        A mandate of that neighbour may last longer than the promise here, or take another
        majority. So no robot counts, passes on or answers what the other has sent, and promises
        to it end by time.
        """
        return part if self.agrees(part) else MandatePart(
            number=part.number, digest=part.digest, proven=part.proven)

    def _learn(self, part: MandatePart) -> None:
        """Keep the greatest number, and the newest roster under which a leader has acted."""
        self.number = max(self.number, part.number)
        self.proven = max(self.proven, part.proven)

    def _freed_by(self, heard: NeighbourPart, now: float) -> bool:
        """
        Return whether a message has released the robot from its promise to an old leader.

        What is left of the promise is the time in which a node beside that leader reacts.
        """
        promise = self.bound(now)
        if promise is None or promise.leader == self._follows.leader:
            return False
        steps_down = (heard.sender == promise.leader != heard.leader
                      and heard.sender in heard.part.grants
                      and heard.part.number >= promise.last)
        if steps_down or any(
                (notice.member, notice.leader) == (self._id, promise.leader)
                and notice.beat >= promise.last for notice in heard.part.released):
            return self._shorten(promise, now)
        return False

    def _shorten(self, promise: Promise, now: float) -> bool:
        """Let the promise last for the time to react, and return whether it lasted longer."""
        now -= self._lag()
        until = min(promise.until, now + self.settings.notice)
        self.promise = promise._replace(until=until) if until > now else None
        return until < promise.until

    def _takes(self, notice: Notice, heard: NeighbourPart) -> bool:
        """Return whether the robot forwards a notice *leaving*: from its maker, or downhill."""
        if notice.member in (self._id, heard.sender):
            return notice.member != self._id
        return (notice.leader == heard.leader == self._follows.leader
                and heard.distance > self._follows.distance)

    def _let_go(self, notice: Notice) -> None:
        """End the mandate over a robot that has left, and disregard its grants up to then."""
        self._void[notice.member] = max(self._void.get(notice.member, NO_BEAT), notice.beat)
        held = self.held.get(notice.member)
        if held is not None and held.last <= notice.beat:
            del self.held[notice.member]

    def _count(self, grants: Mapping[int, int], now: float) -> None:
        """Count grants, on a leader: only of its own beats, and made since a robot had left."""
        for robot, beat in grants.items():
            made = self._beats.get(beat)
            if made is None or beat <= self._void.get(robot, NO_BEAT):
                continue
            until, held = made + self.settings.mandate, self.held.get(robot)
            if held is None or now >= held.until:
                if now < until:
                    self.held[robot] = Mandate(beat, beat, until)
            elif beat > held.last:
                self.held[robot] = Mandate(held.first, beat, until)

    # Rounds.

    def round(self, follows: Follows, neighbours: Iterable[NeighbourPart],  # noqa: A003
              now: float) -> None:
        """
        Run a round, after the election: beat, grant, collect, release.

        :param neighbours: their last messages.
        """
        neighbours = list(neighbours)
        before, self._follows, self.news = self._follows, follows, False
        self.time = now
        if math.isnan(self.silent_until):
            self.silent_until = now - self._lag() + max(
                self.settings.promise, self.memory.kept.promise)
        if follows.leader != before.leader or follows.leads != before.leads:
            self._drop_mandates()
            promise = self.bound(now)
            if promise is not None and promise.leader == self._id:
                self._shorten(promise, now)
        for heard in neighbours:
            self._learn(heard.part)
            self._freed_by(heard, now)
        if follows.leads:
            self.number += 1
            self._beat = self.number
            self._beats[self._beat] = now
            self._forget(now)
        else:
            self._beat = max((heard.part.beat for heard in neighbours
                              if heard.leader == follows.leader), default=NO_BEAT)
        self._grant(now)
        grants = self._collected(neighbours, now)
        if follows.leads:
            self._count(grants, now)
            self._choose_term(now)
            acting = self.acting(now)
            grants = {} if acting is None else {self._id: acting.term}
            if acting is not None and self.settings.roster:
                self.proven = max(self.proven, roster_marks(self.settings)[0])
        leaving, released = self._notices(neighbours, now)
        self.part = MandatePart(
            self._beat, self.number, grants, leaving, released, digest_of(self.settings),
            self.proven)

    def _forget(self, now: float) -> None:
        self._beats = {beat: made for beat, made in self._beats.items()
                       if now - made < self.settings.mandate}
        oldest = min(self._beats)
        self._void = {robot: beat for robot, beat in self._void.items() if beat >= oldest}
        self.held = self.over(now)

    def _grant(self, now: float) -> None:
        leader, beat, promise = self._follows.leader, self._beat, self.bound(now)
        if promise is None:
            self.promise = None
        if (leader == NO_ONE or not self._follows.grants or not self.in_step
                or now - self._lag() < self.silent_until
                or beat <= self.highest or (promise is not None and promise.leader != leader)
                or not self._remember()):
            return
        first = beat if promise is None else promise.first
        self.promise = Promise(leader, first, beat, now - self._lag() + self.settings.promise)
        self.highest = beat

    def _collected(self, neighbours: Iterable[NeighbourPart], now: float) -> dict[int, int]:
        """Return the newest grants of the robots behind this one, and its own."""
        follows, grants = self._follows, dict[int, int]()
        for heard in neighbours:
            if heard.leader == follows.leader and heard.distance > follows.distance:
                for member, beat in heard.part.grants.items():
                    if member != self._id and beat > grants.get(member, NO_BEAT):
                        grants[member] = beat
        promise = self.bound(now)
        if promise is not None and promise.leader == follows.leader:
            grants[self._id] = promise.last
        return grants

    def _notices(self, neighbours: Iterable[NeighbourPart], now: float,
                 ) -> tuple[tuple[Notice, ...], tuple[Notice, ...]]:
        """
        Return the notices to send: the own one, answers, and those of neighbours.

        Notices *leaving* are forwarded by robots that hear their maker and follow or hear the old
        leader, and from there towards it. Answers by those that have sent the notice before.
        """
        near = {heard.sender for heard in neighbours} | {self._follows.leader}
        carried = {notice[:2] for notice in self.part.leaving}
        leaving: dict[tuple[int, int], Notice] = {}
        released: dict[tuple[int, int], Notice] = {}
        for heard in neighbours:
            for notice in heard.part.leaving:
                if notice.leader == self._id:
                    self._let_go(notice)
                    if now - self._lag() >= self.silent_until:
                        _keep(released, notice)
                elif notice.leader in near and self._takes(notice, heard):
                    _keep(leaving, notice)
            for notice in heard.part.released:
                if notice[:2] in carried and notice.member != self._id:
                    _keep(released, notice)
        promise = self.bound(now)
        if promise is not None and promise.leader not in (self._id, self._follows.leader):
            _keep(leaving, Notice(self._id, promise.leader, promise.last))
        waiting = [notice for which, notice in leaving.items()
                   if which not in released or released[which].beat < notice.beat]
        return tuple(waiting[:MOST_NOTICES]), tuple(released.values())[:MOST_NOTICES]


def _keep(notices: dict[tuple[int, int], Notice], notice: Notice) -> None:
    """Keep the newer of two notices of the same member and leader."""
    known = notices.get(notice[:2])
    if known is None or notice.beat > known.beat:
        notices[notice[:2]] = notice
