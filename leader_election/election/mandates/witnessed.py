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
Mandates among robots of which some lie: only what its maker alone can have said counts.

- *Beat*: that of the leader's identity, which nobody knows before the leader says it.
- *Grant*: it has a tag, which only the leader and the member can make. A neighbour's counts only
  where it has signed to whom it has promised itself.
- *Release*: none. A promise ends with its time, whatever is said in the name of its leader.
"""

from collections.abc import Iterable
from typing import Protocol

from leader_election.election.mandates.mandates import (
    Follows,
    Mandates,
    MandateSettings,
    Promise,
)
from leader_election.election.mandates.part import Heard, MandatePart, NO_BEAT, Notice


class Witness(Protocol):
    """What proves beats, grants and promises."""

    def beat(self, leader: int) -> int:
        """Return the newest proven beat of a leader, also the own; ``NO_BEAT``: none."""

    def tag(self, leader: int, beat: int) -> int:
        """Return the proof, for a leader, that this robot grants it a beat; 0: there is none."""

    def has_granted(self, member: int, beat: int, tag: int) -> bool:
        """Return whether a member has granted this robot a beat."""

    def promised(self, robot: int) -> int:
        """Return to which leader a neighbour has signed a promise; ``NO_ONE``: to none."""

    def promise(self, promise: Promise | None) -> None:
        """Take the robot's own promise, to sign it."""


class WitnessedMandates(Mandates):
    """The mandates of a robot with an identity."""

    def __init__(self, robot_id: int, settings: MandateSettings, witness: Witness) -> None:
        super().__init__(robot_id, settings)
        self._witness = witness
        self._turn = 0
        self._made = NO_BEAT
        """The newest own beat."""

    def hear(self, heard: Heard, now: float) -> bool:
        """Process a message at its receipt; it asks for no round."""
        return super().hear(self._proven(heard, self._follows), now)

    def round(self, follows: Follows, neighbours: Iterable[Heard],  # noqa: A003
              now: float) -> None:
        """Run a round, after the election: beat, grant, collect."""
        heard = [self._proven(each, follows) for each in neighbours]
        super().round(follows, heard, now)
        self._witness.promise(self.bound(now))
        self._turn += 1
        if not follows.leads:
            self.part = self.part._replace(tags={
                member: self._witness.tag(follows.leader, beat) if member == self._id
                else self._tag(member, beat, heard) for member, beat in self.part.grants.items()})

    def _tag(self, member: int, beat: int, heard: Iterable[Heard]) -> int:
        """
        Return the tag of a grant to pass on: what the member says itself, or each by turns.

        So a wrong one does not hide the right one each time.
        """
        tags = {each.sender: each.part.tags[member] for each in heard
                if each.part.grants.get(member) == beat}
        found = sorted({*tags.values()})
        return tags.get(member, found[self._turn % len(found)])

    def _proven(self, heard: Heard, follows: Follows) -> Heard:
        """Return of a message only what is proven, or can be by the leader."""
        beat, part = self._witness.beat(heard.leader), heard.part
        return heard._replace(part=MandatePart(beat, beat, {
            member: granted for member, granted in part.grants.items()
            if heard.leader == follows.leader and member in part.tags and granted <= beat
            and self._may_count(heard, follows, member)}, tags=part.tags))

    def _may_count(self, heard: Heard, follows: Follows, member: int) -> bool:
        """Return whether a grant in a message may be one."""
        if member == heard.sender and (
                self._witness.promised(member) != heard.leader):
            return False
        part, held = heard.part, self.held.get(member)
        return not follows.leads or held is not None and part.grants[member] <= held.last or (
            self._witness.has_granted(member, part.grants[member], part.tags[member]))

    def _make_beat(self, now: float) -> None:
        self._beat = self._witness.beat(self._id)
        self.number = max(self.number, self._beat)
        if self._beat > self._made:
            # Never again later: grants of it would count longer than promises last.
            self._made = self._beat
            self._beats[self._beat] = now

    def _freed_by(self, heard: Heard, now: float) -> bool:
        return False

    def _notices(self, neighbours: Iterable[Heard], now: float,
                 ) -> tuple[tuple[Notice, ...], tuple[Notice, ...]]:
        return (), ()
