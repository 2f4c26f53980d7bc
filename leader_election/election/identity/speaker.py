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

"""What a robot signs of its own: statements of its election, and beats while it leads."""

from collections.abc import Callable
from typing import NamedTuple

from leader_election.election.identity.part import LeaderPart, Link, Own, Said
from leader_election.election.identity.roster import sign
from leader_election.election.identity.statements import (
    ahead,
    BEATS,
    chain,
    index,
    MOST_INTERVAL,
    RING,
    Signed,
    signed_text,
    Statement,
)

AT_ONCE = 3
"""The messages in a row that have what is new."""
LEAP = 1.0
"""The leap of the swarm time after which a statement is signed again [s]."""


class Promised(NamedTuple):
    """The promise of the robot to a leader."""

    leader: int
    until: float
    """Its end [s]."""


class Speaker:
    """
    Signs what one robot says.

    :ivar boot: a random number of 32 bits, another one at each start.
    :ivar mine: the statement in force.
    :ivar beat: the beat that the robot has said last as a leader.
    :ivar promised: the promise to sign; ``None``: there is none.
    """

    def __init__(self, seed: bytes, boot: int, secret: Callable[[], bytes]) -> None:
        self.boot = boot
        self.mine: Signed | None = None
        self.beat = 0
        self.promised: Promised | None = None
        self._seed, self._secret = seed, secret
        self._begun = 0.0
        """When the statement was signed [s]."""
        self._chain: list[bytes] = []

    def renew(self, said: Said, now: float, swarm: int, interval: float) -> int:
        """
        Sign a statement where the one in force does not do any more.

        :return: how many messages in a row have it: one where it only is old.
        :param swarm: the swarm time [ms].
        :param interval: between beats [s].
        """
        times = AT_ONCE
        if self.mine is not None:
            statement = self.mine.statement
            if said.agrees(statement) and (
                    statement.interval == _whole(interval) or not said.leads) and (
                    ahead(swarm, statement.serial) <= 1e3 * (now - self._begun + LEAP)) and (
                    said.leads or self.promised is None
                    or statement.until > 0 and self.promised.leader == statement.promised):
                if now - self._begun < (BEATS - 0.5) * interval:
                    return 0
                times = AT_ONCE if said.leads else 1
        self.state(said, now, swarm, interval)
        return times

    def state(self, said: Said, now: float, swarm: int, interval: float) -> None:
        """Sign a statement."""
        promised, serial = self.promised, swarm
        for last in (self.beat, -1 if self.mine is None else self.mine.statement.serial):
            if last >= 0 and ahead(serial, last) <= 0:
                serial = (last + 1) % RING
        statement, self._begun = said.statement(self.boot, serial), now
        if said.leads:
            self._chain = chain(self._secret())
            statement = statement._replace(
                hops=0, distance=0.0, anchor=self._chain[-1], interval=_whole(interval))
        elif promised is not None:
            statement = statement._replace(
                promised=promised.leader,
                until=max(swarm + int(1e3 * (promised.until - now)), 1) % RING)
        self.mine = Signed(statement, sign(signed_text(statement), self._seed))

    def link(self, now: float) -> Link:
        """Return the element of the chain for a beat; remember the beat."""
        statement = self._signed.statement
        # The nearest: rounds are early and late by chance.
        number = min(int(1e3 * (now - self._begun) / statement.interval + 0.5), BEATS - 1)
        self.beat = beat_of(statement, number)
        return Link(number, self._chain[index(number, 0)])

    def own(self) -> Own:
        """Return the statement of a robot that does not lead, as it is sent."""
        said, signature = self._signed
        return Own(said.boot, said.serial, *said[5:9], signature, said.promised, said.until)

    def leader(self) -> LeaderPart:
        """Return the statement of a leader, as it is sent."""
        return leader_part(self._signed)

    @property
    def _signed(self) -> Signed:
        assert self.mine is not None
        return self.mine


def _whole(interval: float) -> int:
    """Return an interval as it is signed [ms]."""
    return min(max(int(interval * 1e3), 1), MOST_INTERVAL)


def beat_of(statement: Statement, number: int) -> int:
    """Return the beat of a number in a leader's chain: when it is due, on the swarm time [ms]."""
    return (statement.serial + number * statement.interval) % RING


def leader_part(signed: Signed) -> LeaderPart:
    """Return a leader's statement, as it is sent."""
    said = signed.statement
    return LeaderPart(said.boot, said.serial, *said[7:11], signed.signature)
