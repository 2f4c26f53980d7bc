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
What a robot with a quorum keeps over a restart: its roster, and how long its promises last.

As in Raft, it is kept before the first grant that relies on it (D. Ongaro, J. Ousterhout, "In
Search of an Understandable Consensus Algorithm", USENIX ATC 2014).
"""

from collections.abc import Callable
from typing import NamedTuple

from leader_election.election.mandates.settings import NO_MARK, RosterMark


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
