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
The mandates of a robot as a part of an instance, and what nodes beside robots know of them.

A node beside a robot reads the right to act (:class:`Lease`) in the last message on
``leadership``. Any node may refuse the commands of a leader that was replaced (:class:`Fence`).
"""

from collections.abc import Mapping
import math
from typing import Any, NamedTuple

from leader_election.election.mandates.mandates import (
    Follows,
    MandatePart,
    Mandates,
    NeighbourPart,
    NO_ONE,
)
from leader_election.election.mandates.parameters import (
    digest_of,
    least_duration,
    NAMES,
    version_text,
)
from leader_election.election.part import ElectionOutcome, Part, PartSetup

ACTING, ACTING_UNTIL, TERM = 'acting', 'acting_until', 'term'
ACTS_OVER, ACTS_UNTIL = 'acts_over', 'acts_until'
MANDATE_OF, MANDATE_TERM = 'mandate_of', 'mandate_term'
"""The names of values on the topic ``leadership``."""
TOO_FEW = 'takes more than half'
"""The end of the warning of a leader without a quorum."""
OTHER_ROSTER = 'grants nothing: the present roster is another one,'
"""The begin of the warning of a robot with a roster that is too old or too new."""
SETTINGS_DIFFER = 'rejected_other_mandate'
"""The counter of parts of neighbours with other settings."""
DIGEST, NEEDED = 'mandate_digest', 'mandate_needed'
OTHER_SETTINGS = 'settings of mandates differ'
TOO_SHORT = 'two periods a hop'
"""Parts of the warnings about settings."""
MOST_NAMED = 5


class MandatesOfRobot(Part):
    """
    Receives and sends grants and beats, and reports over which robots a leader may act.

    :ivar mandates: the mandates themselves.
    :ivar left_out: the number of members whose grants the last message had no room for.
    :ivar differing: the neighbours with other settings.
    :ivar needed: the least duration by the hops to the leader [s].
    """

    name = 'mandates'

    def __init__(self, setup: PartSetup) -> None:
        settings, tool = setup.parameters.mandate_settings, setup.tool
        self.mandates = Mandates(
            setup.robot_id, settings, setup.first_number, tool and tool.lag,
            tool.memory() if tool and settings.roster else None)
        self.left_out = 0
        self.differing: tuple[int, ...] = ()
        self.needed = 0.0
        self._parameters, self._counts = setup.parameters, setup.counts
        self._counts[SETTINGS_DIFFER] = 0

    def _heard(self, sender: int, export: Any, sent: MandatePart) -> NeighbourPart:
        """Return the part of a neighbour, as far as it counts."""
        return NeighbourPart(sender, export.leader, export.distance, self.mandates.counted(sent))

    def check(self, parameters: Any) -> None:
        """Refuse a roster that must not follow the present one."""
        self.mandates.check(parameters.mandate_settings)

    def configure(self, parameters: Any, radius: float, link_range: float) -> None:
        """Apply a changed roster."""
        self._parameters = parameters
        self.mandates.change(parameters.mandate_settings)

    def read(self, sender: int, export: Any, sent: MandatePart | None, missed: int,
             ) -> tuple[NeighbourPart | None, str | None]:
        """Return the part about mandates of a neighbour."""
        return None if sent is None else self._heard(sender, export, sent), None

    def process(self, sender: int, export: Any, sent: MandatePart, now: float) -> bool:
        """Process grants and notices at their receipt, and return whether they ask for a round."""
        self._counts[SETTINGS_DIFFER] += not self.mandates.agrees(sent)
        return self.mandates.hear(self._heard(sender, export, sent), now)

    @property
    def is_news(self) -> bool:
        """Return whether a message received since the last round asks for one."""
        return self.mandates.news

    def round(self, elected: ElectionOutcome) -> None:  # noqa: A003
        """Renew the mandates."""
        neighbours = [part for part in elected.view.read[self.name] if part is not None]
        self.mandates.round(
            Follows(elected.leader, float(elected.state.distance), elected.leads,
                    not elected.is_relay), neighbours, elected.now)
        self.differing = tuple(each.sender for each in neighbours
                               if not self.mandates.agrees(each.part))
        self.needed = 0.0 if elected.leader == NO_ONE else least_duration(
            self.mandates.settings, getattr(elected.state, 'hops', 0), elected.period)

    def sent(self) -> MandatePart:
        """Return the part of the next message."""
        return self.mandates.part

    def was_sent(self, sent: MandatePart | None) -> None:
        """Count the grants that the message had no room for."""
        self.left_out = len(self.mandates.part.grants) - (0 if sent is None else len(sent.grants))

    def leadership(self, stamp: float, now: float | None, active: bool) -> dict[str, str]:
        """Return over which robots the leader may act, and until when."""
        mandates = self.mandates
        now = mandates.time if now is None else now
        acting, bound = (mandates.acting(now) if active else None), mandates.bound(now)
        over = mandates.over(now) if active else {}
        return {
            ACTING: str(acting is not None).lower(),
            ACTING_UNTIL: '' if acting is None else f'{stamp + acting.until - now:.6f}',
            TERM: '' if acting is None else str(acting.term),
            ACTS_OVER: ','.join(map(str, sorted(over))),
            ACTS_UNTIL: ','.join(f'{stamp + over[robot].until - now:.6f}'
                                 for robot in sorted(over)),
            MANDATE_OF: str(NO_ONE if bound is None else bound.leader),
            MANDATE_TERM: '' if bound is None else str(bound.first),
        }

    def warning(self, leads: bool, now: float) -> str:
        """Return the reason why a leader may not act, or the members under no mandate."""
        settings = self.mandates.settings
        if not self.mandates.in_step:
            return (f'{OTHER_ROSTER} version {self.mandates.present.version}, and its own has '
                    f'version {settings.version}; the command swarm_roster changes it')
        silence = self.mandates.silence(now)
        if settings.promise < silence < math.inf:
            return (f'grants nothing for another {silence:.0f} s: before its start mandates were '
                    'longer')
        if leads and self.mandates.acting(now) is None:
            over = self.mandates.over(now).keys()
            missed = [roster for roster in (settings.roster, settings.old)
                      if roster and len(over & roster) <= len(roster) // 2]
            why = (f'acts over {len(over & missed[0])} of {len(missed[0])} robots of the roster, '
                   f'and {TOO_FEW}' if missed else 'has no mandate over itself yet')
            return f'leads, but {why}'
        if self.left_out:
            return (f'{self.left_out} members are under no mandate: the message with their '
                    'grants would be too long')
        return ''

    def settings_shown(self) -> dict[str, str]:
        """Return the settings of mandates, and their digest."""
        values = {name: getattr(self._parameters, name) for name in NAMES}
        settings = self.mandates.settings
        return {name: f'{value:g}' if isinstance(value, float) else str(value)
                for name, value in values.items()} | {
            'roster': version_text(settings.version, settings.old, settings.roster),
            DIGEST: f'{digest_of(settings):08x}'}

    def concern(self) -> tuple[str, str, dict[str, Any]] | None:
        """Return the warnings about the settings of mandates."""
        duration = self.mandates.settings.duration
        faults = list(filter(None, [self.mandates.memory.fault]))
        if self.differing:
            named = ', '.join(map(str, self.differing[:MOST_NAMED]))
            more = len(self.differing) - MOST_NAMED
            faults.append(
                f"{OTHER_SETTINGS} from those of robot{'s' * (len(self.differing) > 1)} {named}"
                f"{f' and {more} more' * (more > 0)}, and neither counts the grants of the other: "
                f"compare {', '.join(NAMES)}")
        if duration < self.needed:
            faults.append(f'mandate is {duration:g} s, and {TOO_SHORT} to the leader take '
                          f'{self.needed:g} s: its mandate over this robot may lapse')
        return '; '.join(faults), 'settings agree', {
            SETTINGS_DIFFER: self._counts[SETTINGS_DIFFER], NEEDED: f'{self.needed:g}'}


class Lease(NamedTuple):
    """What a leader may do, and until when by the clock of its reader."""

    term: int | None = None
    """The term under which the robot acts as a leader, ``None`` if it does not."""
    until: float = 0.0
    """Until when it acts as a leader [s]."""
    over: Mapping[int, float] = {}
    """Until when it acts over each robot [s], by id. Some end sooner than ``until``."""

    def refusal(self, now: float, robot: int | None = None) -> str:
        """
        Return the reason why a node may not act at a time, empty if it may.

        :param now: by the clock of the reader [s].
        :param robot: the id of the robot that it acts on, ``None`` if it acts for the region.

        >>> lease = Lease(17, 5.0, {1: 5.0, 2: 4.0})
        >>> lease.refusal(4.5), lease.refusal(4.5, 1)
        ('', '')
        >>> lease.refusal(4.5, 2), lease.refusal(5.0)
        ('the mandate over robot 2 ended 0.5 s ago', 'the mandate ended 0.0 s ago')
        >>> lease.refusal(4.5, 3), Lease().refusal(4.5)
        ('robot 3 is under no mandate of this leader', 'the robot has no mandate')
        """
        if self.term is None:
            return 'the robot has no mandate'
        if not now < self.until:  # Nor one without a number.
            return f'the mandate ended {now - self.until:.1f} s ago'
        if robot is None:
            return ''
        if robot not in self.over:
            return f'robot {robot} is under no mandate of this leader'
        late = now - self.over[robot]
        return '' if late < 0.0 else f'the mandate over robot {robot} ended {late:.1f} s ago'


def lease_in(values: Mapping[str, str], shift: float) -> Lease | None:
    """
    Return the lease in the values of an instance, ``None`` if its robots have no mandates.

    Values of another form give no right to act.

    :param shift: what the clock of the reader is ahead of the clock of the message's stamp [s].

    >>> lease_in({'acting': 'true', 'term': '17', 'acting_until': '15.0', 'acts_over': '1,2',
    ...           'acts_until': '15.0,14.0'}, -10.0)
    Lease(term=17, until=5.0, over={1: 5.0, 2: 4.0})
    >>> lease_in({'acting': 'false', 'acts_over': '', 'acts_until': ''}, 0.0), lease_in({}, 0.0)
    (Lease(term=None, until=0.0, over={}), None)
    """
    if ACTING not in values:
        return None
    if values[ACTING] != 'true':
        return Lease()
    try:
        return Lease(int(values[TERM]), float(values[ACTING_UNTIL]) + shift, {
            int(robot): float(until) + shift for robot, until in zip(
                values[ACTS_OVER].split(','), values[ACTS_UNTIL].split(',')) if robot})
    except (LookupError, ValueError):
        return Lease()


class Fence:
    """
    Remembers the greatest term that a resource has obeyed.

    For any node, also one that is no robot of the swarm, as a door or a charger (M. Burrows, "The
    Chubby Lock Service for Loosely-Coupled Distributed Systems", OSDI 2006, sequencers).

    >>> door = Fence()
    >>> door.admits(17), door.admits(23), door.admits(17), door.refused
    (True, True, False, 1)

    :param highest: the greatest term so far, where the resource has kept it over a restart.
    """

    def __init__(self, highest: int = 0) -> None:
        self.highest = highest
        self.refused = 0

    def admits(self, term: int) -> bool:
        """Return whether to obey a command that was given under a term, and remember it."""
        if term < self.highest or term <= 0:
            self.refused += 1
            return False
        self.highest = term
        return True
