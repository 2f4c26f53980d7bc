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

"""Proofs of beats and grants by identities, as mandates ask for them."""

from leader_election.election.identity.identity import Identity, LATE
from leader_election.election.identity.speaker import beat_of, Promised
from leader_election.election.identity.statements import ahead, Statement
from leader_election.election.identity.tags import common_key, grant_tag
from leader_election.election.mandates.mandates import NO_ONE, Promise
from leader_election.election.mandates.part import NO_BEAT


class IdentityWitness:
    """Proves beats and grants by the identity of a robot."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def beat(self, leader: int) -> int:
        """
        Return the newest proven beat of a leader, also the own; ``NO_BEAT``: none.

        It is the time at which it was due, on the swarm time [ms]. One that is ahead does not
        count: who grants it grants no earlier one to another leader.
        """
        identity = self._identity
        if leader == identity.robot:
            return identity.speaker.beat
        beats = [newest for newest, _ in self._said(leader)]
        return beats[0] if beats and ahead(beats[0], identity.swarm) <= 1e3 * LATE else NO_BEAT

    def _said(self, leader: int) -> list[tuple[int, Statement]]:
        """Return the newest proven beat of each of a leader's statements that has one."""
        known = self._identity.leaders.get(leader)
        return [(beat_of(each.signed.statement, each.beat), each.signed.statement)
                for each in (known, known and known.previous) if each and each.beat >= 0]

    def tag(self, leader: int, beat: int) -> int:
        """Return the proof, for a leader, that this robot grants it a beat; 0: there is none."""
        identity, record = self._identity, self._identity.roster.records.get(leader)
        boots = [said.boot for newest, said in self._said(leader) if said.serial <= beat <= newest]
        if not boots or record is None:
            return 0
        return grant_tag(common_key(identity.seed, record.record.key), identity.robot, leader,
                         boots[0], beat)

    def has_granted(self, member: int, beat: int, tag: int) -> bool:
        """Return whether a member has granted this robot a beat."""
        identity = self._identity
        record = identity.roster.valid(member, identity.wall)
        return record is not None and member not in identity.proofs and tag == grant_tag(
            common_key(identity.seed, record.key), member, identity.robot, identity.speaker.boot,
            beat)

    def promised(self, robot: int) -> int:
        """Return to which leader a neighbour has signed a promise; ``NO_ONE``: to none."""
        said = self._identity.said.get(robot)
        return said[0].statement.promised if said and said[0].statement.until else NO_ONE

    def promise(self, promise: Promise | None) -> None:
        """Take the robot's own promise, to sign it."""
        identity = self._identity
        identity.speaker.promised = None if promise is None or promise.leader == identity.robot \
            else Promised(promise.leader, promise.until)
