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

"""What robots pass on to each other: records of the roster, and proofs of lies."""

from collections.abc import Callable

from leader_election.election.identity.roster import (
    packed_record,
    RECORD_BYTES,
    Roster,
    SignedRecord,
    unpacked_record,
)
from leader_election.election.identity.speaker import AT_ONCE
from leader_election.election.identity.statements import packed_proof, Proof, unpacked_proof

EVERY = 16
"""The messages of which one has a piece of what is new again."""
LATER, MOST_CHANGED = 60_000, 16
"""
By how much a record is newer than the first [ms] that a robot passes on from its start on, and how
many: others may not have it.
"""
REMEMBERED = 1000
"""The pieces that are not read again."""


class News:
    """
    The roster, and the proofs of lies.

    :param forget: called with a robot that has a new key.
    :ivar proofs: of liars, by their ids.
    """

    def __init__(self, roster: Roster, forget: Callable[[int], object]) -> None:
        self.roster = roster
        self.proofs: dict[int, Proof] = {}
        self._forget = forget
        self._seen: dict[bytes, None] = {}
        self._left: dict[int, int] = {}
        """The robots of which there is news, and how often it is sent at once."""
        versions = {robot: each.record.version for robot, each in roster.records.items()}
        changed = [robot for robot, version in versions.items()
                   if version > min(versions.values()) + LATER]
        self._passed = set(sorted(changed, key=versions.__getitem__)[-MOST_CHANGED:])
        """The robots whose records are news."""
        self._left.update(dict.fromkeys(self._passed, 0))

    def take(self, piece: bytes) -> None:
        """Take a record of the roster or a proof that another robot passes on."""
        if piece in self._seen:
            return
        try:
            if len(piece) == RECORD_BYTES:
                self.take_record(unpacked_record(piece))
            else:
                proof = unpacked_proof(piece)
                if proof.robot not in self.roster.records:
                    # It counts once its robot's record is here.
                    return
                self.convict(proof)
        except ValueError:
            return
        if len(self._seen) > REMEMBERED:
            self._seen.clear()
        self._seen[piece] = None

    def take_record(self, signed: SignedRecord) -> None:
        """Take a record of the roster if it is newer, and pass it on."""
        robot, known = signed.record.robot, self.roster.records.get(signed.record.robot)
        if self.roster.take(signed):
            self._left[robot] = AT_ONCE
            self._passed.add(robot)
            if known is not None and known.record.key != signed.record.key:
                self.proofs.pop(robot, None)
                self._forget(robot)

    def convict(self, proof: Proof) -> None:
        """Drop a robot that a proof convicts, and pass the proof on."""
        found = self.roster.records.get(proof.robot)
        if found is not None and proof.robot not in self.proofs and proof.holds(found.record.key):
            self.proofs[proof.robot] = proof
            self._left[proof.robot] = AT_ONCE

    def next(self, sent: int) -> bytes:  # noqa: A003
        """
        Return the piece to pass on with a message; empty: none.

        :param sent: the number of the message.
        """
        robots = [robot for robot, left in self._left.items() if left > 0]
        if not robots and self._left and not sent % EVERY:
            robots = sorted(self._left)[sent // EVERY % len(self._left):]
        if not robots:
            return b''
        robot = robots[0]
        self._left[robot] = max(self._left[robot] - 1, 0)
        if robot in self.proofs and (robot not in self._passed or sent // EVERY % 2):
            return packed_proof(self.proofs[robot])
        return packed_record(self.roster.records[robot])
