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
The history of a swarm: changes and losses of leaders, from consecutive snapshots.

:func:`losses` evaluates a finished run; :class:`Statistics` follows a running one, too.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from leader_election.swarm.snapshot import orphans, RobotView, Snapshot


class Loss(NamedTuple):
    """The loss of a leader that led other robots: it fell silent."""

    leader: int
    time: float
    """The time of its last message [s], to the accuracy of the time between two snapshots."""
    led: int
    """The number of other robots that it led then."""
    recovered: float | None
    """When each of these had a living leader again or was gone, too [s], ``None`` for never."""


def losses(snapshots: Sequence[Snapshot], expiry: float) -> list[Loss]:
    """
    Return the losses of leaders of other robots, with the recoveries of their regions.

    :param expiry: the silence after which a robot counts as gone in the snapshots [s].

    >>> losses(_example(), 3.0)
    [Loss(leader=1, time=2.0, led=2, recovered=6.0)]
    """
    found = []
    for number, (before, after) in enumerate(zip(snapshots, snapshots[1:])):
        for robot, view in before.robots.items():
            if view.leader == robot and robot not in after.robots:
                loss = _loss(snapshots, number, robot, after.time - expiry)
                found += [loss] if loss.led else []
    return found


def _loss(snapshots: Sequence[Snapshot], last: int, leader: int, silent: float) -> Loss:
    """
    Return the loss of a leader.

    :param last: the number of the last snapshot that shows it alive.
    :param silent: the time since when it has been silent [s].
    """
    first = last
    while first and snapshots[first].time > silent:
        first -= 1
    led = {robot for robot, view in snapshots[first].robots.items()
           if view.leader == leader and robot != leader}
    # Snapshots show a silent leader as alive until its last message expires. Until then,
    # following it is not a recovery.
    recovered = (s.time for number, s in enumerate(snapshots[first + 1:], first + 1)
                 if led.isdisjoint(orphans(s)) and (number > last or all(
                     s.robots[robot].leader != leader for robot in led & s.robots.keys())))
    return Loss(leader, snapshots[first].time, len(led), next(recovered, None))


def _example() -> list[Snapshot]:
    """Return three robots: 1 leads, sends its last message at 2 s and is gone from 5 s on."""
    def at(time: float, **leaders: int) -> Snapshot:
        return Snapshot(time, {
            int(robot[1:]): RobotView(int(robot[1:]), None, -9.0, 0.0, leader)
            for robot, leader in leaders.items()})

    return [at(0.0, r1=1, r2=1, r3=1), at(2.0, r1=1, r2=1, r3=1), at(5.5, r2=1, r3=1),
            at(6.0, r2=2, r3=2), at(9.0, r2=2, r3=2)]


WINDOW = 10.0
"""The window for averaging rates [s]."""


class Statistics:
    """
    Statistics of a running swarm. Changes between two snapshots are not counted.

    :ivar changes: the number of changes of leader of all robots so far.

    >>> statistics = Statistics()
    >>> for time, leader in ((0.0, 1), (1.0, 1), (2.0, 2)):
    ...     view = RobotView(1, None, 0.0, 0.0, leader)
    ...     statistics.observe(Snapshot(time, {1: view}), int(10 * time), int(700 * time))
    >>> statistics.changes_a_minute, statistics.messages_a_second, statistics.bytes_a_second
    (6.0, 10.0, 700.0)
    """

    def __init__(self) -> None:
        self._leaders: dict[int, int] = {}
        self.changes = 0
        self._totals: deque[tuple[float, int, int, int]] = deque()
        """Times [s], and numbers of messages, bytes and changes until then."""
        self._now, self._begun = float('-inf'), float('inf')

    def observe(self, snapshot: Snapshot, messages: int, size: int) -> None:
        """
        Add the next snapshot.

        :param messages: number of messages received since the start.
        :param size: their size [bytes].
        """
        if snapshot.time < self._now:
            # The clock went backwards: durations measured so far are void.
            self._totals = deque()
        self._now, self._begun = snapshot.time, min(self._begun, snapshot.time)
        leaders = {robot.id: robot.leader for robot in snapshot.robots.values()}
        self.changes += sum(self._leaders.get(i, leader) != leader
                            for i, leader in leaders.items())
        self._leaders = leaders
        self._totals.append((self._now, messages, size, self.changes))
        while len(self._totals) > 2 and self._totals[1][0] <= self._now - WINDOW:
            self._totals.popleft()

    @property
    def duration(self) -> float:
        """Return the time since the first snapshot [s]."""
        return max(self._now - self._begun, 0.0)

    @property
    def changes_a_minute(self) -> float:
        """Return the current rate of leader changes of a robot, on average [1/min]."""
        return 60.0 * self._rate(3, WINDOW) / max(len(self._leaders), 1)

    @property
    def messages_a_second(self) -> float:
        """Return the current rate of messages [1/s]."""
        return self._rate(1)

    @property
    def bytes_a_second(self) -> float:
        """Return the current rate of payload [bytes/s]."""
        return self._rate(2)

    def _rate(self, column: int, least: float = 0.0) -> float:
        """Return the growth of a total over the window, or over a least time [s], in 1/s."""
        first, last = (self._totals[0], self._totals[-1]) if self._totals else ((0.0,) * 4,) * 2
        return (last[column] - first[column]) / (max(last[0] - first[0], least) or 1.0)
