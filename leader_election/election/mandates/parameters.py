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
The parameters and settings of mandates, the names of rosters, and what a restart must not lose.

Robots with different settings do not count each other's grants, and compare settings by a digest.

A robot with a quorum keeps its roster, and how long its promises last, over a restart. As in Raft,
it is kept before the first grant that relies on it (D. Ongaro, J. Ousterhout, "In Search of an
Understandable Consensus Algorithm", USENIX ATC 2014).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
import math
import re
from typing import NamedTuple

from leader_election.parameters import format_ids, id_ranges, parameter, ParameterError, table

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


QUORUMS = ('none', 'majority')


@dataclass(frozen=True)
class MandateParameters:
    """The parameters of mandates in one instance."""

    mandate: float = parameter(
        0.0, 'The duration of a mandate: a leader may act over a robot for this long after the '
        'beat that the robot has granted, and no other leader may meanwhile. It takes at least '
        'two periods a hop and 0.3 s. 3 s is a good value at the default period. 0: there are no '
        'mandates.', unit='s', lower=0.0, upper=3600.0)
    clock_rate_error: float = parameter(
        0.01, 'With mandates: the greatest deviation of the rate of a clock from the true one. It '
        'covers the crystal of a computer (0.01 %). Two clocks cover sleep and the slewing of '
        'NTP: a lease counts the faster, a promise the slower.',
        lower=0.0, upper=0.2)
    quorum: str = parameter(
        'none', 'With mandates: whether a leader acts by the mandate over itself (none), or only '
        'with those over more than half of the roster (majority), so that no two leaders in the '
        'whole swarm act at the same time.', choices=lambda: QUORUMS)
    roster: str = parameter(
        '', 'Quorum majority: the ids of all robots of the swarm, for example 1-9,12, the same '
        'on all robots. Empty: those of the fleet file that sets the quorum, or of a simulated '
        'swarm. A changed roster has a version: v1 1-10. The command swarm_roster changes it '
        'while robots run, by way of v1 1-9,12 to 1-10.', dynamic=True)

    @property
    def mandate_settings(self) -> MandateSettings | None:
        """Return the settings of mandates, ``None`` if there are none."""
        if self.mandate == 0.0:
            if self.quorum == 'majority':
                raise ParameterError('quorum', problem=": 'majority' protects nothing without "
                                     'mandates; set mandate, for example to 3 s, or remove it')
            return None
        version, old, roster = (roster_in(self.roster) if self.quorum == 'majority'
                                else (0, frozenset[int](), frozenset[int]()))
        if self.quorum == 'majority' and not roster:
            raise ParameterError('roster', problem=': it is empty, and quorum majority takes the '
                                 'ids of all robots, for example 1-9,12; a fleet file that has '
                                 'quorum: majority gives them')
        return MandateSettings(self.mandate, self.clock_rate_error, roster, version=version,
                               old=old)

    def check_mandate(self, period: float) -> None:
        """
        Refuse mandates that end before the next beat, and so never hold over any robot.

        :param period: of rounds [s].
        :raises ParameterError: with the least duration.
        """
        # The roster may not be known yet, and does not matter.
        settings = MandateSettings(self.mandate, self.clock_rate_error)
        if self.mandate > 0.0 and settings.mandate < period:
            raise ParameterError('mandate', problem=(
                f': {self.mandate:g} is not allowed; with a round_period of {period:g} s it takes '
                f'{least_duration(settings, 0, period):g} s or more, and '
                f'{least_duration(settings, 1, period):g} s for members one hop away'))


MOST_IN_RANGE = 100_000
_ROSTER = re.compile(r'\s*(?:v([1-9][0-9]{0,5})(?:\s(.*?)\sto\s)?)?(.*)')


def roster_in(text: str) -> tuple[int, frozenset[int], frozenset[int]]:
    """
    Return the version of a roster, the robots of the version before while it changes, and its own.

    :raises ParameterError: for a text of another form.

    >>> roster_in('v2 1,2 to 2-4') == (2, {1, 2}, {2, 3, 4})
    True
    >>> roster_in('1-3') == (0, set(), {1, 2, 3})
    True
    """
    found = _ROSTER.fullmatch(text)
    version, old, ids = found.groups() if found else (None, None, text)
    if old is not None and not ids_in(old):
        raise ParameterError('roster', text, 'ids before to, for example v1 1-9 to 1-10')
    return int(version or 0), ids_in(old or ''), ids_in(ids)


def ids_in(roster: str) -> frozenset[int]:
    """
    Return the ids of a roster.

    :raises ParameterError: for anything but ids and ranges of ids.

    >>> sorted(ids_in('1-3, 12'))
    [1, 2, 3, 12]
    """
    ranges = id_ranges(roster, 'roster')
    if any(last - first >= MOST_IN_RANGE for first, last in ranges):
        raise ParameterError('roster', roster, f'ranges of at most {MOST_IN_RANGE} ids')
    return frozenset(robot for first, last in ranges for robot in range(first, last + 1))


NAMES = tuple(p.name for p in table(MandateParameters))


def version_text(version: int, old: Iterable[int], roster: Iterable[int]) -> str:
    """
    Return a version of a roster as text, the shortest one that :func:`roster_in` reads.

    >>> version_text(1, {1, 2}, {2, 3}), version_text(0, (), {2, 3, 12}), version_text(0, (), ())
    ('v1 1-2 to 2-3', '2-3,12', 'none')
    """
    start = f'v{version} ' if version else ''
    return start + (f'{format_ids(old)} to ' if old else '') + (format_ids(roster) or 'none')


def least_duration(settings: MandateSettings, hops: int, period: float) -> float:
    """
    Return the least duration of mandates over members so many hops away, in tenths [s].

    The beat takes up to a period a hop to the member, and its grant as long back. Over the leader
    itself a mandate lasts from one beat to the next.

    :param period: of rounds [s].

    >>> least_duration(MandateSettings(3.0), 0, 1.0), least_duration(MandateSettings(3.0), 2, 1.0)
    (1.3, 4.4)
    """
    return math.ceil(10.0 * settings.duration_for(max(2.0 * hops, 1.0) * period)) / 10.0
