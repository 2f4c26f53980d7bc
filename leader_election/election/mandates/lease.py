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

"""The right to act, as a node beside a robot reads it in the last message on ``leadership``."""

from collections.abc import Mapping
from typing import NamedTuple

from leader_election.election.mandates.part import (
    ACTING,
    ACTING_UNTIL,
    ACTS_OVER,
    ACTS_UNTIL,
    TERM,
)


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
