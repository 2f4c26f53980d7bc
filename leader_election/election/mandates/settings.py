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
The settings of mandates, their digest, the names of rosters, and what a restart must not lose.

Robots with different settings do not count each other's grants, and compare settings by a digest.

A robot with a quorum keeps its roster, and how long its promises last, over a restart. As in Raft,
it is kept before the first grant that relies on it (D. Ongaro, J. Ousterhout, "In Search of an
Understandable Consensus Algorithm", USENIX ATC 2014).
"""

from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import NamedTuple

REACTION = 0.25
"""
The time that a node beside a leader has to react [s].

It counts from the message that ends a mandate, or from the end of which the node was told, to the
end of what the node does.
"""


class RosterMark(NamedTuple):
    """A roster, as messages name it."""

    step: int
    """Twice its version, and one less with the robots of the version before."""
    digest: int
    """Of its version and its robots."""

    @property
    def version(self) -> int:
        """Return the version of the roster."""
        return (self.step + 1) // 2


NO_MARK = RosterMark(-1, 0)


class MandateSettings(NamedTuple):
    """The settings of mandates, the same on all robots."""

    duration: float
    """The duration of a mandate, counted from its beat [s]."""
    rate_error: float = 0.01
    """The greatest deviation of the rate of a robot's clock."""
    roster: frozenset[int] = frozenset()
    """The robots of which a leader needs more than half to act, empty if it needs none."""
    reaction: float = REACTION
    """The time that nodes beside the robots have to react [s]."""
    version: int = 0
    old: frozenset[int] = frozenset()
    """While the roster changes, the robots of the version before, of which it needs as many."""

    @property
    def promise(self) -> float:
        """Return the duration of a promise on the clock of the member [s]."""
        return self.duration * (1.0 + 2.0 * self.rate_error)

    @property
    def mandate(self) -> float:
        """Return the duration of a mandate on the clock of the leader, without reaction [s]."""
        return self.duration * (1.0 - 2.0 * self.rate_error) - self.reaction

    def duration_for(self, seconds: float) -> float:
        """Return the duration of mandates that last so long on the clock of the leader [s]."""
        return (seconds + self.reaction) / (1.0 - 2.0 * self.rate_error)

    @property
    def notice(self) -> float:
        """Return the rest of a promise on the clock of a member that is released [s]."""
        return self.reaction * (1.0 + 2.0 * self.rate_error)


DIGEST_BITS = 30


@lru_cache(maxsize=64)
def digest_of(settings: MandateSettings) -> int:
    """Return a number of ``DIGEST_BITS``, which differs where robots differ in any field."""
    return _digest(*settings)


def _digest(*values: float | frozenset[int]) -> int:
    compared = [sorted(value) if isinstance(value, frozenset) else value for value in values]
    found = sha256(repr(compared).encode()).digest()
    return int.from_bytes(found[:4], 'big') >> (32 - DIGEST_BITS)


@lru_cache(maxsize=64)
def roster_marks(settings: MandateSettings) -> tuple[RosterMark, RosterMark]:
    """Return the name of a roster, and that of the only one that it may follow."""
    step = 2 * settings.version - bool(settings.old)
    mark = RosterMark(step, _digest(settings.version, settings.roster))
    before = _digest(settings.version - 1, settings.old) if settings.old else mark.digest
    return mark, RosterMark(step - 1, before)


class Kept(NamedTuple):
    """What a robot must not forget."""

    promise: float = 0.0
    """The duration of the promises that it has made last [s], infinite if it grants nothing."""
    taken: RosterMark = NO_MARK
    """The roster in which it has granted last. Without a version it is not kept."""
    proven: RosterMark = NO_MARK
    """The newest roster under which it knew that a leader had acted."""


NOTHING = Kept()


class Memory:
    """
    Keeps what must not be forgotten. A subclass writes it.

    :ivar kept: as of the last start, until the first grant.
    :ivar fault: the reason why it is not kept, or not known, empty if there is none.
    """

    def __init__(self, kept: Kept = NOTHING) -> None:
        self.kept = kept
        self.fault = ''

    def keep(self, kept: Kept) -> bool:
        """Keep it, and return whether a grant may rely on it: a roster with a version is kept."""
        if kept != self.kept or self.fault:
            self.kept = kept
            self.write()
        return not self.fault or kept.taken == NO_MARK

    def write(self) -> None:
        """Write what is kept."""


class MandateTool(NamedTuple):
    """What a node provides for mandates."""

    lag: Callable[[], float] | None
    """Returns how far the clock of promises is behind that of leases [s]."""
    memory: Callable[[], Memory]
    """Makes the memory of the robot."""
