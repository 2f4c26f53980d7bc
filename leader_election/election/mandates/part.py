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
The part of a message about mandates.

All numbers in it are *beats*. A leader numbers its rounds, each above every number that it has
seen from any robot (L. Lamport, "Time, Clocks, and the Ordering of Events in a Distributed
System", CACM 1978); so no robot has to know the clock of another one.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

NO_BEAT = 0
"""Stands for no beat; beats are greater."""
MOST_NOTICES = 64
"""The most notices of a kind that a message holds."""


class Notice(NamedTuple):
    """A member that leaves a leader, or the answer: that leader has released it."""

    member: int
    leader: int
    """The leader that it has left."""
    beat: int
    """The last beat that it has granted to that leader."""


NO_GRANTS: Mapping[int, int] = MappingProxyType({})


class MandatePart(NamedTuple):
    """The part of a message about mandates in an instance."""

    beat: int = NO_BEAT
    """The newest beat known of the leader that the sender follows."""
    number: int = NO_BEAT
    """The greatest number that the sender has seen, at least ``beat``."""
    grants: Mapping[int, int] = NO_GRANTS
    """
    The last beat that each member has granted to this leader, as collected so far; of a leader
    that acts, itself with its term.
    """
    leaving: tuple[Notice, ...] = ()
    released: tuple[Notice, ...] = ()

    def __deepcopy__(self, _: Any) -> 'MandatePart':
        """Return this part: it is never changed, and read-only maps cannot be copied."""
        return self


class NeighbourPart(NamedTuple):
    """The part about mandates in the last message of a neighbour."""

    sender: int
    leader: int
    """The leader that it follows; itself, if it leads."""
    distance: float
    """Its distance to that leader [m]."""
    part: MandatePart
