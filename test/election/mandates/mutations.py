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

"""Mandates without one of their rules: each rule, robots that violate it, what finds them."""

from collections.abc import Callable, Iterable, Mapping
import math
from typing import Any, NamedTuple

from leader_election.election.mandates.mandates import (
    Follows,
    MandatePart,
    Mandates,
    NeighbourPart,
    NO_BEAT,
    Notice,
    Promise,
)
from leader_election.election.mandates.settings import MandateSettings, NO_MARK, roster_marks

ABOVE_ALL = 2**49
"""A beat above all others."""
Notices = tuple[tuple[Notice, ...], tuple[Notice, ...]]
"""Those leaving, and those released."""


class Mutation(NamedTuple):
    """A rule, and the class of mandates that violates it."""

    rule: str
    found_by: str
    """
    ``explicit``, ``rosters`` (the same with rosters that change), ``adversary``, ``handover``, or
    the name of a test of :mod:`test_mandates`.
    """
    kind: type[Mandates]


MUTATIONS: list[Mutation] = []


def violates(rule: str, found_by: str) -> Callable[[type[Mandates]], type[Mandates]]:
    """Return a decorator that enters a class into the table."""
    def enter(kind: type[Mandates]) -> type[Mandates]:
        MUTATIONS.append(Mutation(rule, found_by, kind))
        return kind
    return enter


def with_part(heard: NeighbourPart, **changes: Any) -> NeighbourPart:
    """Return a message with a changed part about mandates."""
    return heard._replace(part=heard.part._replace(**changes))


# What a robot promises.

class LooseSettings(MandateSettings):
    """Settings by which a mandate and a promise last for the same time."""

    @property
    def promise(self) -> float:
        """Return the duration."""
        return self.duration

    @property
    def mandate(self) -> float:
        """Return the duration."""
        return self.duration


@violates('mandates end before promises, by whichever clocks', 'explicit')
class _SameDuration(Mandates):
    def __init__(self, robot_id: int, settings: MandateSettings, *more: Any) -> None:
        super().__init__(robot_id, LooseSettings(*settings), *more)


@violates('a restarted robot is silent', 'explicit')
class _NotSilent(Mandates):
    def _grant(self, now: float) -> None:
        until, self.silent_until = self.silent_until, -math.inf
        super()._grant(now)
        self.silent_until = until


@violates('a bound robot grants no other leader', 'explicit')
class _GrantsOthers(Mandates):
    def _grant(self, now: float) -> None:
        before = self.bound(now)
        if before is not None and before.leader != self._follows.leader:
            self.promise = None
        super()._grant(now)
        self.promise = self.promise or before


@violates('a robot grants only beats above all that it has granted', 'explicit')
class _GrantsOldBeats(Mandates):
    def _grant(self, now: float) -> None:
        before, self.highest = self.highest, NO_BEAT
        super()._grant(now)
        self.highest = self.highest or before


@violates('a promise counts the slower clock', 'explicit')
class _GrantsByLeases(Mandates):
    def _grant(self, now: float) -> None:
        lag, self._lag = self._lag, float
        super()._grant(now)
        self._lag = lag


@violates('a robot grants only in a roster that is kept',
          'test_robot_grants_nothing_until_its_roster_is_kept')
class _GrantsBeforeItKeeps(Mandates):
    def _remember(self) -> bool:
        super()._remember()
        return True


@violates('a newer beat prolongs the promise', 'adversary')
class _DoesNotProlong(Mandates):
    def _grant(self, now: float) -> None:
        before = self.bound(now)
        super()._grant(now)
        if before is not None and self.promise is not None:
            self.promise = self.promise._replace(until=before.until)


@violates('a grant names a beat of the leader that it is for',
          'test_robot_grants_beats_of_its_own_leader')
class _GrantsBeatsOfOthers(Mandates):
    def round(self, follows: Follows, neighbours: Iterable[NeighbourPart],  # noqa: A003
              now: float) -> None:
        neighbours = list(neighbours)
        super().round(follows, [*neighbours, *(
            with_part(heard._replace(leader=follows.leader), grants={}, leaving=(), released=())
            for heard in neighbours)], now)


@violates('a grant names the leader of the promise', 'adversary')
class _TellsOfOtherPromises(Mandates):
    def _collected(self, neighbours: Iterable[NeighbourPart], now: float) -> dict[int, int]:
        grants, promise = super()._collected(neighbours, now), self.bound(now)
        return grants if promise is None else grants | {self._id: promise.last}


# What a leader counts.

@violates('a mandate lasts from its beat on', 'explicit')
class _CountsFromTheGrant(Mandates):
    def _count(self, grants: Mapping[int, int], now: float) -> None:
        beats, self._beats = self._beats, dict.fromkeys(self._beats, now)
        super()._count(grants, now)
        self._beats = beats


@violates('only beats of the present leadership count', 'explicit')
class _CountsOldBeats(Mandates):
    def round(self, follows: Follows, neighbours: Iterable[NeighbourPart],  # noqa: A003
              now: float) -> None:
        before = self._beats
        super().round(follows, neighbours, now)
        self._beats = before | self._beats


@violates('a leader that stops leading drops its mandates', 'explicit')
class _KeepsMandates(Mandates):
    def round(self, follows: Follows, neighbours: Iterable[NeighbourPart],  # noqa: A003
              now: float) -> None:
        before = self.over(now)
        super().round(follows, neighbours, now)
        self.held = before | self.held


@violates('only grants to this leader count', 'explicit')
class _CountsGrantsToOthers(Mandates):
    def hear(self, heard: NeighbourPart, now: float) -> bool:
        news = super().hear(heard, now)
        if self._follows.leads:
            self._count(heard.part.grants, now)
            self._choose_term(now)
        return news


@violates('only grants to the same leader are passed on', 'explicit')
class _PassesOnAllGrants(Mandates):
    def _collected(self, neighbours: Iterable[NeighbourPart], now: float) -> dict[int, int]:
        return super()._collected(
            [heard._replace(leader=self._follows.leader) for heard in neighbours], now)


@violates('the term of a mandate that has lapsed is not the one of the next',
          'test_term_begins_anew_when_the_mandate_has_lapsed')
class _KeepsTheTerm(Mandates):
    def _count(self, grants: Mapping[int, int], now: float) -> None:
        before = dict(self.held)
        super()._count(grants, now)
        self.held = {robot: held._replace(first=before.get(robot, held).first)
                     for robot, held in self.held.items()}


@violates('beats are above all numbers heard', 'handover')
class _CountsAlone(Mandates):
    def hear(self, heard: NeighbourPart, now: float) -> bool:
        before, news = self.number, super().hear(heard, now)
        self.number = before
        return news

    def round(self, follows: Follows, neighbours: Iterable[NeighbourPart],  # noqa: A003
              now: float) -> None:
        super().round(follows, [with_part(heard, number=NO_BEAT) for heard in neighbours], now)


# Releases.

@violates('a notice ends the mandate', 'explicit')
class _KeepsWhoLeaves(Mandates):
    def _let_go(self, notice: Notice) -> None:
        before = dict(self.held)
        super()._let_go(notice)
        self.held = before


@violates('grants up to the notice do not count afterwards', 'explicit')
class _CountsLateGrants(Mandates):
    def _let_go(self, notice: Notice) -> None:
        before = dict(self._void)
        super()._let_go(notice)
        self._void = before


class _ReadsReleases(Mandates):
    """Reads releases as if they were changed."""

    def _changed(self, released: Notice, promise: Promise) -> Notice:
        raise NotImplementedError

    def _freed_by(self, heard: NeighbourPart, now: float) -> bool:
        promise = self.bound(now)
        return promise is not None and super()._freed_by(with_part(heard, released=tuple(
            self._changed(notice, promise) for notice in heard.part.released)), now)


@violates('a release is for grants up to its beat', 'explicit')
class _FreedByOldReleases(_ReadsReleases):
    def _changed(self, released: Notice, promise: Promise) -> Notice:
        return released._replace(beat=ABOVE_ALL)


@violates('a release is for one member', 'explicit')
class _FreedByReleasesOfOthers(_ReadsReleases):
    def _changed(self, released: Notice, promise: Promise) -> Notice:
        return released._replace(member=self._id)


@violates('a release is from one leader',
          'test_release_does_not_count_when_another_leader_gives_it')
class _FreedByOtherLeaders(_ReadsReleases):
    def _changed(self, released: Notice, promise: Promise) -> Notice:
        return released._replace(leader=promise.leader)


@violates('a leader that follows another one releases beats up to its number', 'explicit')
class _FreedByOldMessages(Mandates):
    def _freed_by(self, heard: NeighbourPart, now: float) -> bool:
        return super()._freed_by(with_part(heard, number=ABOVE_ALL), now)


@violates('a started leader answers no notice',
          'test_leader_releases_nobody_for_the_duration_of_a_promise_after_its_restart')
class _AnswersAtOnce(Mandates):
    def _notices(self, neighbours: Iterable[NeighbourPart], now: float) -> Notices:
        until, self.silent_until = self.silent_until, -math.inf
        found = super()._notices(neighbours, now)
        self.silent_until = until
        return found


@violates('a started leader that follows another one releases nobody',
          'test_leader_releases_nobody_for_the_duration_of_a_promise_after_its_restart')
class _FreedByStartedLeaders(Mandates):
    def _freed_by(self, heard: NeighbourPart, now: float) -> bool:
        return super()._freed_by(with_part(heard, grants={heard.sender: NO_BEAT}), now)


# A quorum.

@violates('a quorum is more than half', 'explicit')
class _CountsOneTwice(Mandates):
    def _ends(self, robots: frozenset[int], term: int, now: float) -> list[float]:
        ends = super()._ends(robots, term, now)
        return ends[:1] + ends


@violates('a quorum has granted its term, and renewed it since', 'explicit')
class _CountsAnyTerm(Mandates):
    def _ends(self, robots: frozenset[int], term: int, now: float) -> list[float]:
        over = self.over(now)
        return sorted((over[robot].until for robot in robots & over.keys()), reverse=True)


# A roster that changes.

@violates('of the first step a leader needs more than half of the old robots', 'rosters')
class _NeedsNoOldRobots(Mandates):
    def _ends(self, robots: frozenset[int], term: int, now: float) -> list[float]:
        return ([math.inf] * len(robots) if robots == self.settings.old
                else super()._ends(robots, term, now))


@violates('of the first step a leader needs more than half of the new robots',
          'test_leader_needs_more_than_half_of_both_rosters_while_they_change')
class _NeedsNoNewRobots(Mandates):
    def _ends(self, robots: frozenset[int], term: int, now: float) -> list[float]:
        return ([math.inf] * len(robots) if self.settings.old and robots == self.settings.roster
                else super()._ends(robots, term, now))


@violates('a step follows one in which a leader has acted', 'rosters')
class _SkipsSteps(Mandates):
    def check(self, settings: MandateSettings) -> None:
        if settings.version <= self.settings.version:
            super().check(settings)


@violates('a roster is refused after a newer one',
          'test_robot_refuses_a_roster_when_it_has_taken_a_newer_one')
class _TakesOlderRosters(Mandates):
    def check(self, settings: MandateSettings) -> None:
        if roster_marks(settings)[0].step > roster_marks(self.settings)[0].step:
            super().check(settings)


@violates('a robot with a roster too old or too new grants nothing',
          'test_robot_neither_grants_nor_acts_when_its_roster_is_more_than_a_step_apart')
class _GrantsOutOfStep(Mandates):
    def _grant(self, now: float) -> None:
        proven, self.proven = self.proven, NO_MARK
        super()._grant(now)
        self.proven = proven


@violates('a step ends the mandates', 'test_step_ends_the_mandates_and_keeps_the_promise')
class _KeepsMandates(Mandates):
    def change(self, settings: MandateSettings) -> None:
        held = self.held
        super().change(settings)
        self.held = held


@violates('only grants in the same step count',
          'test_robot_in_another_step_is_used_only_for_its_numbers')
class _CountsOtherSteps(Mandates):
    def agrees(self, part: MandatePart) -> bool:
        return True


@violates('only a leader that acts proves a roster',
          'test_roster_is_not_proved_when_its_leader_does_not_act')
class _ProvesIdle(Mandates):
    def round(self, follows: Follows, neighbours: Iterable[NeighbourPart],  # noqa: A003
              now: float) -> None:
        super().round(follows, neighbours, now)
        self.part = self.part._replace(proven=roster_marks(self.settings)[0])


# Nobody waits without need.

@violates('beats are passed on', 'handover')
class _HearsTheLeaderOnly(Mandates):
    def round(self, follows: Follows, neighbours: Iterable[NeighbourPart],  # noqa: A003
              now: float) -> None:
        super().round(follows, [
            heard if heard.sender == follows.leader else with_part(heard, beat=NO_BEAT)
            for heard in neighbours], now)


@violates('grants are passed on', 'handover')
class _TellsOfItsOwnGrant(Mandates):
    def _collected(self, neighbours: Iterable[NeighbourPart], now: float) -> dict[int, int]:
        return super()._collected((), now)


class _Omits(Mandates):
    """Omits some notices."""

    def _sends(self, notice: Notice, leaving: bool) -> bool:
        raise NotImplementedError

    def _notices(self, neighbours: Iterable[NeighbourPart], now: float) -> Notices:
        leaving, released = super()._notices(neighbours, now)
        return (tuple(notice for notice in leaving if self._sends(notice, True)),
                tuple(notice for notice in released if self._sends(notice, False)))


@violates('a robot that has changed its leader says so', 'handover')
class _LeavesInSilence(_Omits):
    def _sends(self, notice: Notice, leaving: bool) -> bool:
        return not leaving or notice.member != self._id


@violates('notices are passed on', 'handover')
class _PassesOnNoNotice(_Omits):
    def _sends(self, notice: Notice, leaving: bool) -> bool:
        return not leaving or notice.member == self._id


@violates('notices are answered', 'handover')
class _AnswersNobody(_Omits):
    def _sends(self, notice: Notice, leaving: bool) -> bool:
        return leaving or notice.leader != self._id


@violates('answers are passed on', 'handover')
class _PassesOnNoAnswer(_Omits):
    def _sends(self, notice: Notice, leaving: bool) -> bool:
        return leaving or notice.leader == self._id


@violates('a leader that follows another one is free itself',
          'test_leader_is_free_when_it_steps_down')
class _BoundToItself(Mandates):
    def _shorten(self, promise: Promise, now: float) -> bool:
        return promise.leader != self._id and super()._shorten(promise, now)


@violates('a leader that follows another one releases who hears it',
          'test_leader_releases_its_members_when_it_steps_down')
class _NotFreedByItsLeader(Mandates):
    def _freed_by(self, heard: NeighbourPart, now: float) -> bool:
        return super()._freed_by(with_part(heard, grants={}), now)
