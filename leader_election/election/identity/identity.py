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

from leader_election.election.identity.leader import Leader
from leader_election.election.identity.part import (
    IdentityPart,
    LeaderPart,
    Link,
    Own,
    Said,
)
from leader_election.election.identity.roster import (
    IdentityKeys,
    MOST_STRENGTH,
    packed_record,
    public_key,
    Record,
    RECORD_BYTES,
    Roster,
    sign,
    SignedRecord,
    unpacked_record,
)
from leader_election.election.identity.statements import (
    ahead,
    BEATS,
    chain,
    index,
    MOST_INTERVAL,
    packed_proof,
    Proof,
    RING,
    Signed,
    signed_text,
    unpacked_proof,
)

SLACK = 3.0
"""By how much a path may seem shorter than the line between two signed places [m]."""
STATEMENT_EVERY, LEADER_EVERY, NEWS_EVERY = 7, 16, 4
"""The messages of which one has the signature, the leader's statement, or a piece of news again"""
AT_ONCE = 3
"""The messages in a row that have what is new."""
LIFE = 30.0
"""The time for which a statement stands for messages without one [rounds]."""
LEAP_EVERY, LATEST = 20.0, 2**42
"""The time after which a robot may set the swarm time forward again [s], and how far [ms]."""
LEAP = 1.0
"""The leap of the swarm time after which a statement is signed again [s]."""
LATE = 5.0
"""By how much a beat may be early, or late beyond the bound, on the swarm time [s]."""
SENDER, CANDIDACY, LIAR = 'identity', 'candidacy', 'liar'
"""Why messages are not believed."""


class Identity:
    """
    The identity of one robot.

    :ivar roster: what all robots are granted.
    :ivar proofs: of liars, by their ids.
    :ivar leaders: what is known of leaders, by their ids.
    :ivar said: the last statement of each robot, and when it was heard [s].
    """

    def __init__(self, keys: IdentityKeys, roster: Roster, boot: int,
                 secret: Callable[[], bytes]) -> None:
        """
        Make the identity of a robot that has received nothing yet.

        :param boot: a random number of 32 bits, another one at each start.
        :param secret: returns 32 random bytes, others at each call.
        :raises ValueError: if the roster is another owner's, or has another key for the robot.
        """
        self.robot, self.roster = keys.robot, roster
        self.proofs: dict[int, Proof] = {}
        self.leaders: dict[int, Leader] = {}
        self._seed, self._boot, self._secret = keys.seed, boot, secret
        record = roster.records.get(keys.robot)
        if roster.owner != keys.owner or record is None or (
                record.record.key != public_key(keys.seed)):
            raise ValueError(f'the roster does not have robot {keys.robot} with this key')
        self.said: dict[int, tuple[Signed, float]] = {}
        self._leapt: dict[int, float] = {}
        self._seen: dict[bytes, None] = {}
        self._news: dict[int, int] = {}
        """The robots of which there is news, and how often it is sent at once."""
        self._passed: set[int] = set()
        """The robots whose records are news."""
        self._near: frozenset[int] = frozenset()
        self._mine: Signed | None = None
        self._begun = 0.0
        """When it was signed [s]."""
        self._chain: list[bytes] = []
        self._repeats = self._sent = 0
        self.configure(4.0, 1.0, True)

    def configure(self, bound: float, interval: float, lengths: bool) -> None:
        """
        Apply parameters.

        :param bound: the time after its last beat at which a leader is not believed [s].
        :param interval: between rounds, and beats [s].
        :param lengths: whether distances are lengths in metres between places.
        """
        self._bound, self._interval, self._lengths = bound, interval, lengths

    @property
    def most_strength(self) -> float:
        """Return the greatest strength that the robot may claim; -inf: it may not lead."""
        record = self.roster.records[self.robot].record
        may = record.leads and not record.revoked and record.key == public_key(self._seed)
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
        if part.news:
            self._take_news(part.news)
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

    def may_leap(self, robot: int, sequence: int, now: float, swarm: int) -> bool:
        """
        Return whether a robot's message may set the swarm time forward now; remember it.

        Only the robot itself can have signed a statement that is ahead.
        """
        serial = self.said[robot][0].statement.serial if robot in self.said else swarm
        if ahead(serial, swarm) < 1e3 * LEAP or sequence >= LATEST or (
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
                known[0].statement)
        signed = shown.signed(said)
        return said.agrees(signed.statement) and self._hear(signed, record, now, swarm)

    def _hear(self, signed: Signed, record: Record, now: float, swarm: int) -> bool:
        """Take a statement if it is its robot's newest, or the same again; return whether."""
        statement = signed.statement
        if ahead(swarm, statement.serial) > 2e3 * BEATS * self._interval:
            # It may be a dead robot's: others sign again.
            return False
        known = self.said.get(statement.robot)
        if known is not None:
            last = known[0].statement
            newer = ahead(statement.serial, last.serial)
            if newer == 0 and signed_text(statement) == signed_text(last):
                self.said[statement.robot] = known[0], now
                return True
            if newer <= 0:
                if newer == 0:
                    self._convict(Proof(known[0], signed))
                return False
        if not signed.holds(record.key):
            return False
        self.said[statement.robot] = signed, now
        self._take_candidacy(signed, now, swarm)
        return True

    def _take_candidacy(self, signed: Signed, now: float, swarm: int) -> None:
        statement = signed.statement
        before = self.leaders.get(statement.robot)
        if not statement.leads:
            if before is not None and not before.resigned:
                stronger = self.leaders.get(statement.leader)
                before.resigned, before.yielded = True, statement.leader == self.robot or (
                    stronger is not None and stronger.signed.statement.value == statement.value
                    <= before.signed.statement.value)
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
            elif not before.resigned:
                leader.damping.rate(last.value, statement.value, now)

    def _is_proven(self, said: Said, link: Link | None, record: Record | None, now: float,
                   swarm: int) -> bool:
        """Return whether the candidacy in a message is that of a leader with a record."""
        leader = self.leaders.get(said.leader)
        if leader is None or record is None or not record.leads or link is None or (
                -said.value > record.strength or said.leader in self.proofs):
            return False
        statement, beat = leader.signed.statement, link.beat
        age = ahead(swarm, statement.serial + beat * statement.interval)
        if beat > leader.beat and (age > 1e3 * (self._bound + LATE)
                                   or age + leader.ahead < -1e3 * LATE):
            pass
        elif self._is_of(leader, said, link):
            if beat > leader.beat:
                leader.beat, leader.heard = beat, now
                if said.leads:
                    # Silence of its own: elsewhere its candidacy may not have been passed on.
                    if now > leader.direct + self._bound:
                        leader.damping.flap(now)
                    leader.direct = now
            return True
        if leader.previous is None or not self._is_of(leader.previous, said, link):
            return False
        # It has not heard the newer statement.
        leader.repeats = max(leader.repeats, 1)
        return True

    def _is_of(self, leader: Leader, said: Said, link: Link) -> bool:
        """Return whether a candidacy is that of a leader's statement."""
        statement = leader.signed.statement
        if said.value != statement.value or not leader.proves(said.hops, link):
            return False
        return not self._lengths or said.position is None or math.isnan(statement.x) or (
            said.distance >= math.dist(said.position, (statement.x, statement.y)) - SLACK)

    def _take_news(self, news: bytes) -> None:
        """Take a record of the roster or a proof that another robot passes on."""
        if news in self._seen:
            return
        if len(self._seen) > 1000:
            self._seen.clear()
        self._seen[news] = None
        try:
            if len(news) == RECORD_BYTES:
                self.take_record(unpacked_record(news))
            else:
                self._convict(unpacked_proof(news))
        except ValueError:
            return

    def take_record(self, signed: SignedRecord) -> None:
        """Take a record of the roster if it is newer, and pass it on."""
        robot, known = signed.record.robot, self.roster.records.get(signed.record.robot)
        if self.roster.take(signed):
            self._news[robot] = AT_ONCE
            self._passed.add(robot)
            if known is not None and known.record.key != signed.record.key:
                for about in (self.proofs, self.said, self.leaders):
                    about.pop(robot, None)

    def _convict(self, proof: Proof) -> None:
        """Drop a robot that a proof convicts, and pass the proof on."""
        found = self.roster.records.get(proof.robot)
        if found is not None and proof.robot not in self.proofs and proof.holds(found.record.key):
            self.proofs[proof.robot] = proof
            self._news[proof.robot] = AT_ONCE

    # Rounds.

    def refused(self, leaders: Iterable[int], now: float, wall: float) -> frozenset[int]:
        """Return those of leaders not believed now: dead, damped, revoked or convicted."""
        return frozenset(
            robot for robot in leaders if (leader := self.leaders.get(robot)) is not None and (
                leader.resigned or now - leader.heard > self._bound or now < leader.damping.until
                or robot in self.proofs or self.roster.valid(robot, wall) is None))

    def part(self, said: Said, neighbours: frozenset[int], now: float,
             swarm: int) -> tuple[IdentityPart, int]:
        """
        Return the part of the next message, and the hops to say.

        :param said: what the message will say.
        :param neighbours: the ids of the neighbours: a new one is told all.
        :param swarm: the swarm time [ms].
        """
        self._sent += 1
        is_new, self._near = not neighbours <= self._near, neighbours
        leader = None if said.leader == self.robot else self.leaders.get(said.leader)
        relayed = None if leader is None else leader.relayed(said.hops)
        if relayed is not None:
            said = said._replace(hops=relayed[1])
        link = None if relayed is None else relayed[0]
        if self._mine is None or not said.agrees(self._mine.statement) or (
                now - self._begun >= BEATS * self._interval) or (
                ahead(swarm, self._mine.statement.serial) > 1e3 * (now - self._begun + LEAP)):
            self._state(said, now, swarm)
            self._repeats = AT_ONCE
        told = self._repeats > 0 or is_new or not self._sent % STATEMENT_EVERY
        self._repeats = max(self._repeats - 1, 0)
        part = IdentityPart(link=link, news=self._next_news())
        if said.leads:
            mine = self._signed()
            beat = min(int(1e3 * (now - self._begun) / mine.statement.interval), BEATS - 1)
            return part._replace(link=Link(beat, self._chain[index(beat, 0)]),
                                 leader=_leader_part(mine) if told else None), 0
        if told:
            statement, signature = self._signed()
            part = part._replace(own=Own(*statement[1:3], *statement[6:9], signature))
        if leader is not None and (
                leader.repeats > 0 or is_new or not self._sent % LEADER_EVERY):
            leader.repeats = max(leader.repeats - 1, 0)
            part = part._replace(leader=_leader_part(leader.signed))
        return part, said.hops

    def _signed(self) -> Signed:
        assert self._mine is not None
        return self._mine

    def _state(self, said: Said, now: float, swarm: int) -> None:
        """Sign a statement."""
        if self._mine is not None and ahead(swarm, self._mine.statement.serial) <= 0:
            swarm = (self._mine.statement.serial + 1) % RING
        statement, self._begun = said.statement(self._boot, swarm), now
        if said.leads:
            self._chain = chain(self._secret())
            statement = statement._replace(
                hops=0, distance=0.0, anchor=self._chain[-1],
                interval=min(max(int(self._interval * 1e3), 1), MOST_INTERVAL))
        self._mine = Signed(statement, sign(signed_text(statement), self._seed))

    def _next_news(self) -> bytes:
        """Return the news to pass on with this message; empty: none."""
        pieces = [robot for robot, left in self._news.items() if left > 0]
        if not pieces and self._news and not self._sent % NEWS_EVERY:
            pieces = sorted(self._news)[self._sent // NEWS_EVERY % len(self._news):]
        if not pieces:
            return b''
        robot = pieces[0]
        self._news[robot] = max(self._news[robot] - 1, 0)
        if robot in self.proofs and (robot not in self._passed or self._sent % 8 < 4):
            return packed_proof(self.proofs[robot])
        return packed_record(self.roster.records[robot])


def _leader_part(signed: Signed) -> LeaderPart:
    said = signed.statement
    return LeaderPart(said.boot, said.serial, *said[7:], signed.signature)
