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
The identity of a robot: what it signs of its own, and what it believes of others.

- *Sender*: a robot signs a statement when what it says of its election changes, and now and then;
  a message between two is believed if it agrees with the last one.
- *Candidacy*: a leader's statement is passed on with an element of its hash chain, which proves
  beat and hops. No leader is believed beyond its last beat and a bound, whoever relays it. The
  distance is at least that of the two signed places.
- *Damping*: a leader that comes and goes, or whose strength falls and rises, has to stay for
  growing times before it is believed again, by the judgement of each robot alone.
- *Evidence*: two statements under one number convict their robot; they are passed on.

Nothing here reads a clock or a file, or draws a random number: all are arguments.
"""

from collections.abc import Callable, Iterable
import math

from leader_election.election.identity.doubts import Doubts
from leader_election.election.identity.leader import Leader
from leader_election.election.identity.news import News
from leader_election.election.identity.part import IdentityPart, Link, Said
from leader_election.election.identity.roster import (
    IdentityKeys,
    MOST_STRENGTH,
    public_key,
    Record,
    Roster,
    SignedRecord,
)
from leader_election.election.identity.speaker import AT_ONCE, leader_part, LEAP, Speaker
from leader_election.election.identity.statements import (
    ahead,
    BEATS,
    contradict,
    Proof,
    Signed,
    signed_text,
    Statement,
)

SLACK = 3.0
"""By how much a path may seem shorter than the line between two signed places [m]."""
STATEMENT_EVERY, LEADER_EVERY = 7, 16
"""The messages of which one has the signature, or the leader's statement, again."""
LIFE = 30.0
"""The time for which a statement stands for messages without one [rounds]."""
SPARE = 6
"""The time for which a statement counts beyond its renewal [rounds]."""
LEAP_EVERY, LATEST = 20.0, 365 * 86400.0
"""
The time after which a robot may set the swarm time forward again [s], and by how much it may then
be ahead of the wall clock [s]: so who was away or is new can follow.
"""
LATE = 5.0
"""By how much a beat may be early, or late beyond the bound, on the swarm time [s]."""
SENDER, CANDIDACY, LIAR = 'identity', 'candidacy', 'liar'
"""Why messages are not believed."""


class Identity:
    """
    The identity of one robot.

    :ivar roster: what all robots are granted.
    :ivar proofs: of liars, by their ids.
    :ivar news: takes these from other robots, and passes them on.
    :ivar speaker: signs what the robot says.
    :ivar leaders: what is known of leaders, by their ids.
    :ivar said: the last statement of each robot, and when it was heard [s].
    :ivar swarm: the swarm time of the last round [ms].
    :ivar wall: the wall clock, as of the last message or round [s since 1970].
    """

    def __init__(self, keys: IdentityKeys, roster: Roster, boot: int,
                 secret: Callable[[], bytes]) -> None:
        """
        Make the identity of a robot that has received nothing yet.

        :param boot: a random number of 32 bits, another one at each start.
        :param secret: returns 32 random bytes, others at each call.
        :raises ValueError: if the roster is another owner's, or has another key for the robot.
        """
        self.robot, self.seed = keys.robot, keys.seed
        self.news = News(roster, self._forget)
        self.roster, self.proofs = roster, self.news.proofs
        self.speaker = Speaker(keys.seed, boot, secret)
        self.leaders: dict[int, Leader] = {}
        record = roster.records.get(keys.robot)
        if roster.owner != keys.owner or record is None or (
                record.record.key != public_key(keys.seed)):
            raise ValueError(f'the roster does not have robot {keys.robot} with this key')
        self.said: dict[int, tuple[Signed, float]] = {}
        self.promises: dict[int, Signed] = {}
        """The last statement of each robot with a promise."""
        self._doubts = Doubts()
        self._leapt: dict[int, float] = {}
        self._near: frozenset[int] = frozenset()
        self._repeats = self._sent = self.swarm = 0
        self.wall = 0.0
        self.configure(4.0, 1.0, True)

    def configure(self, bound: float, interval: float, lengths: bool) -> None:
        """
        Apply parameters.

        :param bound: the time after its last beat at which a leader is not believed [s].
        :param interval: between rounds, and beats [s].
        :param lengths: whether distances are lengths in metres between places.
        """
        self._bound, self._interval, self._lengths = bound, interval, lengths
        self._stale = 1e3 * ((BEATS + SPARE) * interval + LATE)

    @property
    def most_strength(self) -> float:
        """Return the greatest strength that the robot may claim; -inf: it may not lead."""
        record = self.roster.records[self.robot].record
        may = record.leads and not record.revoked and record.key == public_key(self.seed)
        return record.strength if may else -math.inf

    # Received messages.

    def admit(self, said: Said, part: IdentityPart, now: float, wall: float,
              swarm: int) -> str | None:
        """
        Return why a message is not believed; ``None``: it is.

        :param now: the robot's own clock [s].
        :param wall: the time [s since 1970].
        :param swarm: the swarm time [ms].
        """
        self.wall = wall
        if part.news:
            self.news.take(part.news)
        record = self.roster.valid(said.robot, wall)
        if record is None:
            return SENDER
        if said.robot in self.proofs:
            return LIAR
        leader = record if said.leader == said.robot else self.roster.valid(said.leader, wall)
        if part.leader is not None and leader is not None and (
                said.leader not in (said.robot, self.robot)):
            self._hear(part.leader.signed(said), leader, now, swarm)
        if not self._is_from(said, part, record, now, swarm):
            return LIAR if said.robot in self.proofs else SENDER
        if said.leader == self.robot or said.value == MOST_STRENGTH:
            return None
        return None if self._is_proven(said, part.link, leader, now, swarm) else CANDIDACY

    def signed_place(self, said: Said, part: IdentityPart, now: float) -> Statement | None:
        """
        Return the statement whose place and distance count instead of those in a message.

        :param said: what a message says that was admitted; ``None``: they count themselves.
        """
        known = self.said.get(said.robot)
        if known is None or not self._doubts.of(said, known[0].statement, now, self._interval) or (
                part.leader if said.leads else part.own) is not None:
            return None
        return known[0].statement

    def may_leap(self, robot: int, sequence: int, now: float, swarm: int) -> bool:
        """
        Return whether a robot's message may set the swarm time forward now; remember it.

        Only the robot itself can have signed a statement that is ahead.
        """
        serial = self.said[robot][0].statement.serial if robot in self.said else swarm
        newest = max(each.record.version for each in self.roster.records.values())
        if ahead(serial, swarm) < 1e3 * LEAP or (
                sequence > max(1e3 * self.wall, newest) + 1e3 * LATEST) or (
                ahead(sequence, serial) > 1e3 * (BEATS * self._interval + LEAP)) or (
                now - self._leapt.get(robot, -math.inf) < LEAP_EVERY):
            return False
        self._leapt[robot] = now
        return True

    def _is_from(self, said: Said, part: IdentityPart, record: Record, now: float,
                 swarm: int) -> bool:
        """Return whether the sender has signed what a message says."""
        shown = part.leader if said.leads else part.own
        if shown is None:
            known = self.said.get(said.robot)
            return known is not None and now - known[1] <= LIFE * self._interval and said.agrees(
                known[0].statement) and not self._is_stale(known[0].statement, swarm)
        signed = shown.signed(said)
        return said.agrees(signed.statement) and self._hear(signed, record, now, swarm)

    def _is_stale(self, statement: Statement, swarm: int) -> bool:
        """Return whether a statement may be a dead robot's: others sign again."""
        return ahead(swarm, statement.serial) > self._stale

    def _hear(self, signed: Signed, record: Record, now: float, swarm: int) -> bool:
        """Take a statement if it is its robot's newest, or the same again; return whether."""
        statement = signed.statement
        if self._is_stale(statement, swarm):
            return False
        known = self.said.get(statement.robot)
        if known is not None:
            last = known[0].statement
            newer = ahead(statement.serial, last.serial)
            if newer == 0 and (statement == last or signed_text(statement) == signed_text(last)):
                self.said[statement.robot] = known[0], now
                return True
            for other in (known[0], self.promises.get(statement.robot, known[0])):
                if contradict(other.statement, statement):
                    self.news.convict(Proof(other, signed))
            if newer <= 0 or statement.robot in self.proofs:
                return False
        if not signed.holds(record.key):
            return False
        self.said[statement.robot] = signed, now
        if statement.until:
            self.promises[statement.robot] = signed
        self._take_candidacy(signed, now, swarm)
        return True

    def _take_candidacy(self, signed: Signed, now: float, swarm: int) -> None:
        statement = signed.statement
        before = self.leaders.get(statement.robot)
        if not statement.leads:
            if before is not None and not before.resigned:
                before.resigned, before.yielded = True, (
                    statement.value <= before.signed.statement.value
                    and self._leads_now(statement, now))
            return
        leader = self.leaders[statement.robot] = Leader(
            signed, now, max(ahead(statement.serial, swarm), 0), repeats=AT_ONCE)
        if before is not None:
            last, before.previous = before.signed.statement, None
            leader.previous, leader.damping = before, before.damping
            if not before.resigned:
                leader.heard, leader.direct = before.heard, before.direct
            if statement.boot != last.boot or before.resigned and not before.yielded:
                leader.damping.flap(now)
            else:
                leader.damping.rate(last.value, statement.value, now)

    def _leads_now(self, statement: Statement, now: float) -> bool:
        """Return whether the leader in a robot's statement is one that is believed now."""
        if statement.leader == self.robot:
            mine = self.speaker.mine
            return mine is not None and mine.statement.leads and (
                mine.statement.value == statement.value)
        leader = self.leaders.get(statement.leader)
        return leader is not None and not self._is_refused(leader, now) and (
            leader.signed.statement.value == statement.value)

    def _is_refused(self, leader: Leader, now: float) -> bool:
        """Return whether a leader is dead, has resigned, or is damped."""
        return leader.resigned or now - leader.heard > self._bound or now < leader.damping.until

    def _is_proven(self, said: Said, link: Link | None, record: Record | None, now: float,
                   swarm: int) -> bool:
        """Return whether the candidacy in a message is that of a leader with a record."""
        leader = self.leaders.get(said.leader)
        if leader is None or record is None or not record.leads or link is None or (
                -said.value > record.strength or said.leader in self.proofs):
            return False
        if (link.beat <= leader.beat or self._is_due(leader, link.beat, swarm)) and self._is_of(
                leader, said, link):
            if link.beat > leader.beat:
                # Its own silence: here its candidacy may not have been passed on, or a stranger
                # may have brought a message of its own here.
                if said.leads:
                    if now > max(leader.direct, leader.heard) + self._bound:
                        leader.damping.flap(now)
                    leader.direct = now
                leader.beat, leader.heard = link.beat, now
            return True
        if said.leads or leader.previous is None or not self._is_of(leader.previous, said, link):
            return False
        # It has not heard the newer statement.
        leader.repeats = max(leader.repeats, 1)
        return True

    def _is_due(self, leader: Leader, beat: int, swarm: int) -> bool:
        """Return whether a leader may say a beat now, by the swarm time."""
        statement = leader.signed.statement
        age = ahead(swarm, statement.serial + beat * statement.interval)
        return -1e3 * LATE - leader.ahead <= age <= 1e3 * (self._bound + LATE)

    def _is_of(self, leader: Leader, said: Said, link: Link) -> bool:
        """Return whether a candidacy is that of a leader's statement."""
        statement = leader.signed.statement
        if said.value != statement.value or not leader.proves(said.hops, link):
            return False
        return not self._lengths or said.position is None or math.isnan(statement.x) or (
            said.distance >= math.dist(said.position, (statement.x, statement.y)) - SLACK)

    def take_record(self, signed: SignedRecord) -> None:
        """Take a record of the roster if it is newer, and pass it on."""
        self.news.take_record(signed)

    def _forget(self, robot: int) -> None:
        """Forget what a robot has signed with another key."""
        for about in (self.said, self.promises, self.leaders):
            about.pop(robot, None)

    # Rounds.

    def refused(self, leaders: Iterable[int], now: float, wall: float) -> frozenset[int]:
        """Return those of leaders not believed now: dead, damped, revoked or convicted."""
        self.wall = wall
        return frozenset(
            robot for robot in leaders if (leader := self.leaders.get(robot)) is not None and (
                self._is_refused(leader, now) or robot in self.proofs
                or self.roster.valid(robot, wall) is None))

    def part(self, said: Said, neighbours: frozenset[int], now: float,
             swarm: int) -> tuple[IdentityPart, int]:
        """
        Return the part of the next message, and the hops to say.

        :param said: what the message will say.
        :param neighbours: the ids of the neighbours: a new one is told all.
        :param swarm: the swarm time [ms].
        """
        self._sent, self.swarm = self._sent + 1, swarm
        is_new, self._near = not neighbours <= self._near, neighbours
        leader = None if said.leader == self.robot else self.leaders.get(said.leader)
        relayed = None if leader is None else leader.relayed(said.hops)
        if relayed is not None:
            said = said._replace(hops=relayed[1])
        link = None if relayed is None else relayed[0]
        self._repeats = self.speaker.renew(said, now, swarm, self._interval) or self._repeats
        told = self._repeats > 0 or is_new or not self._sent % STATEMENT_EVERY
        self._repeats = max(self._repeats - 1, 0)
        part = IdentityPart(link=link, news=self.news.next(self._sent))
        if said.leads:
            return part._replace(link=self.speaker.link(now),
                                 leader=self.speaker.leader() if told else None), 0
        if told:
            part = part._replace(own=self.speaker.own())
        if leader is not None and (
                leader.repeats > 0 or is_new or not self._sent % LEADER_EVERY):
            leader.repeats = max(leader.repeats - 1, 0)
            part = part._replace(leader=leader_part(leader.signed))
        return part, said.hops
