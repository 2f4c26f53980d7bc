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

"""The time that robots were under mandates, by messages on topic ``leadership``."""

from collections.abc import Iterable
from typing import NamedTuple

from leader_election.election.mandates.part import ACTS_OVER
from leader_election.election.robot import diagnostics as vocabulary

Interval = tuple[float, float]
"""Begin and end [s]."""


class MandateShares(NamedTuple):
    """The robots' time under mandates."""

    under_one: float
    """The share of the time in which robots were heard that they were under a mandate or more."""
    under_two: float
    """The time under the mandates of two leaders at once, the sum over robots [s]."""


class MandateTimes:
    """
    Collects over which robots leaders act.

    A leader acts over a robot from one of its messages to the next if both name the robot, and
    the second follows within the expiry. Other times are unknown and do not count. So a robot
    whose leader changes between two messages is not under two mandates.

    :param expiry: the longest time between two messages of a robot [s].
    :param instance: the instance that counts.

    >>> times = MandateTimes(3.0, 'main')
    >>> for second, over in enumerate(('', '1,2', '1,2', '1')):
    ...     times.add([vocabulary.Status(f'r{robot}: main', f'robot {robot}', {
    ...         'instance': 'main', 'acts_over': acts}) for robot, acts in ((1, over), (2, ''))],
    ...         float(second))
    >>> times.shares()
    MandateShares(under_one=0.5, under_two=0.0)
    """

    def __init__(self, expiry: float, instance: str) -> None:
        self._expiry, self._instance = expiry, instance
        self._last: dict[int, tuple[float, frozenset[int]]] = {}
        """By robot, the time of its last message, and the robots over which it acted."""
        self._heard: dict[int, list[Interval]] = {}
        """By robot, when it was heard."""
        self._held: dict[int, dict[int, list[Interval]]] = {}
        """By robot and leader, when the leader acted over it."""

    def add(self, statuses: Iterable[vocabulary.Status], now: float) -> None:
        """
        Add a message.

        :param statuses: of the message. Only statuses of the instance with mandates count.
        :param now: the time of its recording [s].
        """
        for status in vocabulary.robot_statuses(statuses):
            over = status.values.get(ACTS_OVER)
            if over is None or status.values.get(vocabulary.INSTANCE) != self._instance:
                continue
            acts = frozenset(int(robot) for robot in over.split(',') if robot.isdecimal())
            before, acted = self._last.get(status.id, (now, acts))
            self._last[status.id] = now, acts
            if before < now <= before + self._expiry:
                _append(self._heard.setdefault(status.id, []), before, now)
                for robot in acts & acted:
                    _append(self._held.setdefault(robot, {}).setdefault(status.id, []),
                            before, now)

    def shares(self) -> MandateShares | None:
        """Return the shares; ``None`` without messages about mandates."""
        heard = under_one = under_two = 0.0
        for robot in self._heard.keys() | self._held.keys():
            edges = [(time, 0, step) for each in self._heard.get(robot, ())
                     for time, step in zip(each, (1, -1))]
            edges += [(time, 1, step) for held in self._held.get(robot, {}).values()
                      for each in held for time, step in zip(each, (1, -1))]
            counts, last = [0, 0], 0.0
            for time, kind, step in sorted(edges):
                heard += (time - last) * (counts[0] > 0)
                under_one += (time - last) * (min(counts) > 0)
                under_two += (time - last) * (counts[1] > 1)
                counts[kind] += step
                last = time
        return MandateShares(under_one / heard, under_two) if heard else None


def _append(intervals: list[Interval], begin: float, end: float) -> None:
    """Append an interval, or continue the last one."""
    if intervals and intervals[-1][1] == begin:
        begin = intervals.pop()[0]
    intervals.append((begin, end))
