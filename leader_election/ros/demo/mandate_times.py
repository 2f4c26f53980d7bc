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

from collections.abc import Iterable, Mapping
import math
from typing import NamedTuple

from leader_election.election.mandates.part import ACTS_OVER, ACTS_UNTIL
from leader_election.election.robot import diagnostics as vocabulary
from leader_election.swarm.reference_partition import NOBODY

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
    Collects over which robots the nodes beside leaders may act.

    A node may act over a robot from a message that names the robot until the end that the message
    gives for it, or until the next message of the same robot.

    A robot waits while the leader that it follows acts over others, but not over it.

    :param expiry: the longest time between two messages of a robot that is heard [s].
    :param instance: the instance that counts.
    :ivar counts_waits: whether robots can be expected to be under the mandate of their leader.
    :ivar longest_wait: the longest time for which a robot waited [s], and its id.

    >>> times = MandateTimes(3.0, 'main')
    >>> for second, over in enumerate(('', '1,2', '1,2', '1')):
    ...     times.add([vocabulary.Status(f'r{robot}: main', f'robot {robot}', {
    ...         'instance': 'main', 'leader': '1', 'acts_over': acts,
    ...         'acts_until': ','.join(f'{second + 0.75}' for _ in acts.split(','))})
    ...         for robot, acts in ((1, over), (2, ''))], float(second))
    >>> times.shares()
    MandateShares(under_one=0.5, under_two=0.0)
    >>> times.longest_wait
    (0.0, 2)
    """

    def __init__(self, expiry: float, instance: str) -> None:
        self._expiry, self._instance = expiry, instance
        self._last: dict[int, tuple[float, Mapping[int, float]]] = {}
        """By robot, the time of its last message, and until when it acts over each robot."""
        self._heard: dict[int, list[Interval]] = {}
        """By robot, when it was heard."""
        self._held: dict[int, dict[int, list[Interval]]] = {}
        """By robot and leader, when a node might act over it."""
        self.counts_waits = True
        self.longest_wait = 0.0, NOBODY
        self._waits: dict[int, float] = {}
        """Since when each waiting robot has waited, for one leader or for several [s]."""

    def add(self, statuses: Iterable[vocabulary.Status], now: float) -> None:
        """
        Add a message.

        :param statuses: of the message. Only statuses of the instance with mandates count.
        :param now: the time of its receipt, on the clock of its stamp [s].
        """
        for status in vocabulary.robot_statuses(statuses):
            over = status.values.get(ACTS_OVER)
            if over is None or status.values.get(vocabulary.INSTANCE) != self._instance:
                continue
            ends = {int(robot): float(until) for robot, until in zip(
                over.split(','), status.values[ACTS_UNTIL].split(',')) if robot}
            before, _ = self._last.get(status.id, (now, ends))
            self._close(status.id, now)
            self._last[status.id] = now, ends
            if before < now <= before + self._expiry:
                _append(self._heard.setdefault(status.id, []), before, now)
            else:
                self._waits.pop(status.id, None)
            self._wait(status.id, int(status.values[vocabulary.LEADER]), now)

    def _wait(self, robot: int, leader: int, now: float) -> None:
        """Count that a robot follows a leader which acts over others only."""
        _, ends = self._last.get(leader, (now, {}))
        acts_over = {each for each, until in ends.items() if until > now}
        if not (self.counts_waits and acts_over) or robot in acts_over or robot == leader:
            self._waits.pop(robot, None)
            return
        since = self._waits.setdefault(robot, now)
        self.longest_wait = max(self.longest_wait, (now - since, robot))

    def _close(self, leader: int, now: float) -> None:
        """Count until now that a leader acts by its last message."""
        before, ends = self._last.get(leader, (now, {}))
        for robot, until in ends.items():
            if before < min(until, now):
                _append(self._held.setdefault(robot, {}).setdefault(leader, []),
                        before, min(until, now))

    def shares(self) -> MandateShares | None:
        """Return the shares at the end, ``None`` without messages about mandates."""
        for leader in list(self._last):
            self._close(leader, math.inf)
            self._last[leader] = math.inf, {}
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
