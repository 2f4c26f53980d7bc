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
The handover: what a leader's tasks remember, held by the members for the next leader.

A memory has a version vector (D. S. Parker et al., "Detection of Mutual Inconsistency in
Distributed Systems", IEEE TSE 1983): for each *maker* the number of its last change in it. A maker
is one life of a leader, so that a restart is another one. Each change is numbered above all in the
memory, so newer of two is the one with the higher term, then number.

A robot reports the version that it holds. It sends the memory while a robot of which it is the
parent holds a part of it, or while it *offers* its own: while no neighbour nearer to the leader
has all of it. A robot takes over a memory of which its own is a part. For another one that is
offered, and that it passes on if a neighbour nearer to the leader has its own, it keeps its own as
a *spare*, until it holds one with both as parts: so nothing is lost if the leader fails meanwhile.
The leader resumes the newest and merges others; its next version has all of them as parts.
"""

from collections.abc import Iterable, Mapping, Sequence
import json
import math
from types import MappingProxyType
from typing import Any, NamedTuple
import zlib

from leader_election.election.algorithms import Device
from leader_election.election.algorithms.fields import NOBODY
from leader_election.election.messages.mandate_codec import NUMBER, numbers_in, written
from leader_election.election.messages.wire import (
    decision_text,
    Kind,
    LARGEST,
    number,
    record,
    Rejected,
    text,
    whole,
)
from leader_election.election.robot.task_runner import TaskRunner

PIECE = 512
"""The longest part of a memory in one message [characters]."""
MOST_PIECES = 8
MOST_MEMORY = PIECE * MOST_PIECES
"""The longest memory of all tasks of an instance [characters]."""
MOST_MAKERS = 6
"""The makers in a version: those of the last changes, the earlier ones together as others."""
MOST_NUMBER = 2**50
TAGS = 2**20
"""The number of tags of makers."""
OTHERS = TAGS - 1
"""The tag of all makers that a version does not name."""
PATIENCE = 30
"""The rounds after which a member no longer offers a memory that its leader does not take up."""
UNRANKED = math.inf


class Version(NamedTuple):
    """The version of a memory."""

    term: int = 0
    """Of the mandate under which it was changed last, or one before; 0: there was none."""
    made: Mapping[int, int] = MappingProxyType({})
    """By the tag of each maker the number of its last change that is a part."""

    @property
    def number(self) -> int:
        """Return the number of the last change; 0: there is no memory."""
        return max(self.made.values(), default=0)

    def covers(self, other: 'Version') -> bool:
        """
        Return whether another memory is a part of this one.

        Makers that this one does not name are taken to be those that it no longer names.

        >>> newer, older = Version(0, {7: 3, 8: 2}), Version(0, {7: 2})
        >>> newer.covers(older), older.covers(newer)
        (True, False)
        """
        others = self.made.get(OTHERS, 0)
        return all(max(self.made.get(maker, 0), others) >= last
                   for maker, last in other.made.items())

    def newer(self, other: 'Version') -> bool:
        """Return whether this one is newer than another one, a part of it or not."""
        return (self.term, self.number, sorted(self.made)) > (
            other.term, other.number, sorted(other.made))

    def joined(self, other: 'Version') -> 'Version':
        """Return the version of both together."""
        made = {maker: max(self.made.get(maker, 0), other.made.get(maker, 0))
                for maker in self.made.keys() | other.made.keys()}
        return Version(max(self.term, other.term), made)

    def changed(self, maker: int, term: int | None) -> 'Version':
        """Return the version after a change by a maker under a term."""
        made = {**self.made, maker: self.number + 1}
        if len(made) > MOST_MAKERS:
            others = made.pop(OTHERS, 0)
            last = sorted(made.items(), key=lambda each: -each[1])
            made = dict(last[:MOST_MAKERS - 1])
            made[OTHERS] = max(others, *(number for _, number in last[MOST_MAKERS - 1:]))
        return Version(max(self.term, term or 0), made)


class MemoryPart(NamedTuple):
    """The part of a message about the memory of a region's leader."""

    version: Version | None = Version()
    """That the sender holds; ``None``: it does not ask for it."""
    rank: float = UNRANKED
    """With deputies, the sender's strength."""
    piece: int = 0
    """Which one, from 0."""
    pieces: int = 0
    """Of how many; 0: none is sent."""
    text: str = ''


def _read_version(value: Any) -> Version | None:
    term, *made = numbers_in(_VERSION_TEXT.read(value)) or [-1]
    makers = dict(zip(made[::2], made[1::2]))
    if max(term, *makers.values(), 0) > MOST_NUMBER or max(makers, default=0) >= TAGS:
        raise Rejected
    return None if term < 0 else Version(term, makers)


def _write_version(version: Version | None) -> str:
    return '' if version is None else written(version.term) + ''.join(
        written(each) for made in version.made.items() for each in made)


def _read(value: Any) -> MemoryPart:
    part = MemoryPart(*_RECORD.read(value))
    if part.piece >= max(part.pieces, 1) or bool(part.pieces) != bool(part.text):
        raise Rejected
    return part


_VERSION_TEXT = text(pattern=f'({NUMBER}(({NUMBER}){{2}}){{0,{MOST_MAKERS}}})?')
_RECORD = record(
    Kind(_read_version, _VERSION_TEXT.schema, _write_version),
    number(-LARGEST, LARGEST, null=UNRANKED), whole(0, MOST_PIECES - 1), whole(0, MOST_PIECES),
    text(PIECE), least=1)
MEMORY = Kind(_read, _RECORD.schema, lambda part: _RECORD.write(
    part if part.pieces else part[:2]))
"""The kind of the part of a message about the memory of a leader."""


class Near(NamedTuple):
    """A neighbour of the same region."""

    id: int  # noqa: A003
    distance: float
    """To the leader [m]."""
    parent: int
    """Its next hop to the leader; -1: none."""
    part: MemoryPart


class Handover:
    """
    The memory of the leader in one instance on one robot.

    :param runners: the tasks of the instance.
    :param deputies: how many robots, those with the greatest strength of their neighbourhood, ask
        for the memory; 0: all.
    """

    def __init__(self, runners: Sequence[TaskRunner], deputies: int) -> None:
        self.maker = 0
        self.version = Version()
        """Of the memory that this robot holds."""
        self.text = ''
        """The memory: a JSON list with an entry for each task."""
        self.refused = 0
        """The number of received memories that cannot be read."""
        self.part = MemoryPart()
        self._runners, self._deputies = runners, deputies
        self._most = MOST_MEMORY // max(len(runners), 1) - 2
        self._led = False
        self._spare: tuple[Version, str] | None = None
        """A memory that is not a part of the one that is held."""
        self._taken = Version()
        """What a leader has as a part, also of more makers than it names, or a member gave up."""
        self._pieces: dict[tuple[str, int], dict[int, str]] = {}
        """By version, and the number of pieces."""
        self._turn = self._offered = 0
        self._needed = self._changed = False

    def start(self, robot_id: int, first_number: int) -> None:
        """Begin a life of the robot, named by a number above that of the life before."""
        self.maker = zlib.crc32(f'{robot_id} {first_number}'.encode()) % OTHERS

    def take(self, near: Sequence[Near], distance: float, leads: bool, term: int | None,
             most_term: float) -> None:
        """
        Take over what neighbours send; on a leader, before it decides, tell the tasks.

        :param distance: the own one to the leader [m].
        :param term: under which the robot acts as a leader; ``None``: it does not.
        :param most_term: the greatest term that there can be.
        """
        if leads and not self._led:
            self._taken = self.version
            self._tell(self.text, self.version, other=False)
            if self._spare is not None:
                self._absorb(*self._spare)
        self._led = leads
        nearer = _versions(each.part for each in near if each.distance < distance)
        for each in sorted(self._complete(near), key=lambda each: each.distance):
            version = each.part.version
            assert version is not None
            if self.version.covers(version) or self._taken.covers(version):
                continue
            if not self._readable(each.part.text) or version.term > most_term:
                self.refused += 1
            elif leads:
                self._update(term)
                self._absorb(version, each.part.text)
            elif version.covers(self.version):
                self.version, self.text = version, each.part.text
            elif self._spare is None and each.distance > distance and any(
                    known.covers(self.version) and not known.covers(version)
                    for known in nearer):
                self._spare = self.version, self.text
                self.version, self.text = version, each.part.text
        if self._spare is not None and self.version.covers(self._spare[0]):
            self._spare = None

    def end(self, near: Sequence[Near], distance: float, leads: bool, term: int | None,
            device: Device) -> None:
        """
        Note, on a leader, what its tasks remember after they have decided; say what is held.

        :param device: this robot, with its strength.
        """
        if leads and (self._changed or self._number_of_pieces < 2 or not self._needed
                      or self._turn >= 3 * self._number_of_pieces):
            self._update(term)
        nearer = _versions(each.part for each in near if each.distance < distance)
        offers = not leads and bool(nearer) and not any(
            known.covers(self.version) for known in nearer)
        self._offered = (self._offered + 1) * offers
        if self._offered > PATIENCE:
            self._taken, offers, self._offered = self.version, False, 0
            self.version, self.text = self._spare or (Version(), '')
            self._spare = None
        elif self._spare is not None and nearer and not offers and not any(
                known.covers(self._spare[0]) for known in nearer):
            held, offers = (self.version, self.text), True
            (self.version, self.text), self._spare = self._spare, held
        self._needed = offers or any(
            self.version.covers(known) and not known.covers(self.version)
            for known in _versions(each.part for each in near if each.distance >= distance
                                   and each.parent in (device.id, NOBODY)))
        asks = leads or offers or not self._deputies or self._deputies > sum(
            (-each.part.rank, each.id) < (-device.strength, device.id)
            for each in near if each.distance > 0.0) or any(
            each.part.version is not None for each in near if each.distance > distance)
        self.part = MemoryPart(self.version if asks else None,
                               device.strength if self._deputies else UNRANKED)
        pieces = self._number_of_pieces
        if self._needed and pieces:
            piece = self._turn % pieces
            self._turn += 1
            self.part = self.part._replace(
                version=self.version, piece=piece, pieces=pieces,
                text=self.text[piece * PIECE:(piece + 1) * PIECE])

    @property
    def _number_of_pieces(self) -> int:
        return -(-len(self.text) // PIECE)

    def _complete(self, near: Sequence[Near]) -> list[Near]:
        """Return the neighbours that send a memory, with all of its text, known by now."""
        found, pieces = list[Near](), dict[tuple[str, int], dict[int, str]]()
        for each in near:
            part = each.part
            if not part.pieces or part.version is None or self.version.covers(part.version):
                continue
            key = _write_version(part.version), part.pieces
            known = pieces.setdefault(key, self._pieces.get(key, {}))
            known[part.piece] = part.text
            if len(known) == part.pieces:
                whole_text = ''.join(known[k] for k in range(part.pieces))
                found.append(each._replace(part=part._replace(text=whole_text)))
        self._pieces = pieces
        return found

    def _readable(self, memory: str) -> bool:
        try:
            entries = json.loads(memory)
            decision_text(entries, MOST_MEMORY)
        except (ValueError, RecursionError):
            return False
        return len(entries) == len(self._runners) and all(
            runner.reads(entry) for runner, entry in zip(self._runners, entries))

    def _absorb(self, version: Version, memory: str) -> None:
        """Resume the newest of a received memory and the own one, and merge the other."""
        own, self._changed = (self.version, self.text), True
        if version.covers(self.version) or version.newer(self.version):
            self.text = memory
            self._tell(memory, version, other=False)
            if not version.covers(self.version):
                self._tell(own[1], own[0], other=True)
        else:
            self._tell(memory, version, other=True)
        self.version = self.version.joined(version)
        self._taken = self._taken.joined(version)

    def _tell(self, memory: str, version: Version, *, other: bool) -> None:
        for runner, entry in zip(self._runners, json.loads(memory or '[]')):
            runner.recall(entry, version.term or None, other=other)

    def _update(self, term: int | None) -> None:
        """Give what the tasks remember now a new version, if it is not that of the present one."""
        before = json.loads(self.text or 'null') or [None] * len(self._runners)
        memory = [runner.memory(entry, self._most)
                  for runner, entry in zip(self._runners, before)]
        if not self._changed and (memory == before if self.text else not any(memory)):
            return
        self._changed = False
        self.text = decision_text(memory, MOST_MEMORY)
        self.version = self.version.changed(self.maker, term)
        self._taken = self._taken.joined(self.version)
        self._turn = 0


def _versions(parts: Iterable[MemoryPart]) -> list[Version]:
    return [part.version for part in parts if part.version is not None]
