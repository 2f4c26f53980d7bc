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

"""The part of a message about identities, and what it is about."""

import math
from typing import NamedTuple

from leader_election.election.identity.roster import MOST_STRENGTH
from leader_election.election.identity.statements import MOST_HOPS, rounded, Signed, Statement

TOLERANCE = 2.0
"""How far place and distance may be from those in the last statement [m]."""


class Said(NamedTuple):
    """What a message says of an election."""

    robot: int
    leader: int
    value: float
    """The leader's strength, negated."""
    distance: float
    hops: int
    position: tuple[float, float] | None

    @property
    def leads(self) -> bool:
        """Return whether it is the candidacy of the sender itself, which may lead."""
        return self.leader == self.robot and self.value != MOST_STRENGTH

    def statement(self, boot: int, serial: int) -> Statement:
        """Return the statement of its sender, without an anchor."""
        x, y = self.position or (math.nan, math.nan)
        return Statement(self.robot, boot, serial, self.leader, self.value, min(
            self.hops, MOST_HOPS), rounded(self.distance), rounded(x), rounded(y))

    def agrees(self, statement: Statement) -> bool:
        """Return whether it is what its sender has signed, but for small differences."""
        # Fewer hops than signed take a link that proves them.
        leader, value, hops, distance, x, y = statement[3:9]
        return (self.leader == leader and self.value == value
                and (self.hops <= hops or hops == MOST_HOPS)
                and (abs(self.distance - distance) <= TOLERANCE or self.distance == distance)
                and (x != x if self.position is None
                     else math.dist(self.position, (x, y)) <= TOLERANCE))


class Own(NamedTuple):
    """The statement of a sender that does not lead; the rest of it is in the message."""

    boot: int
    serial: int
    hops: int
    distance: float
    x: float
    y: float
    signature: bytes
    promised: int = 0
    until: int = 0

    def signed(self, said: Said) -> Signed:
        """Return the statement of the sender of a message."""
        return Signed(Statement(
            said.robot, self.boot, self.serial, said.leader, said.value, self.hops, self.distance,
            self.x, self.y, promised=self.promised, until=self.until), self.signature)


class LeaderPart(NamedTuple):
    """The leader's statement; its id and value are in the message."""

    boot: int
    serial: int
    x: float
    y: float
    anchor: bytes
    interval: int
    signature: bytes

    def signed(self, said: Said) -> Signed:
        """Return the statement of the leader in a message."""
        return Signed(Statement(
            said.leader, self.boot, self.serial, said.leader, said.value, 0, 0.0,
            self.x, self.y, self.anchor, self.interval), self.signature)


class Link(NamedTuple):
    """An element of the leader's hash chain, for the number of hops in the message."""

    beat: int
    element: bytes


class IdentityPart(NamedTuple):
    """The part of a message about identities."""

    own: Own | None = None
    link: Link | None = None
    leader: LeaderPart | None = None
    """The leader's; of a leader, in place of ``own``."""
    news: bytes = b''
    """A new record of the roster, or a proof."""


NO_PART = IdentityPart()
