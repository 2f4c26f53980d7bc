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

"""What happens in a swarm over time."""

from collections import deque

from leader_election.swarm.snapshot import Regions, regions, Snapshot

CHANGES_WINDOW = 60.0
"""Over which leader changes are counted [s]."""
TRAFFIC_WINDOW = 5.0
"""Over which messages and bytes are averaged [s]."""


class Statistics:
    """
    Watches snapshots go by; what happens between two of them is not seen.

    >>> from leader_election.swarm.snapshot import RobotView
    >>> statistics = Statistics()
    >>> for time, leader in ((0.0, 1), (1.0, 1), (2.0, 2)):
    ...     view = RobotView(1, None, 0.0, 0.0, leader)
    ...     statistics.observe(Snapshot(time, {1: view}), int(10 * time), int(700 * time))
    >>> statistics.changes_a_minute, statistics.messages_a_second, statistics.bytes_a_second
    (1, 10.0, 700.0)
    >>> statistics.stable_for(2)
    0.0
    """

    def __init__(self) -> None:
        self.leader_changes = 0
        """How often a robot took another leader, in all."""
        self._leaders: dict[int, int] = {}
        self._regions: Regions = {}
        self._since: dict[int, float] = {}
        self._changes: deque[tuple[float, int]] = deque()
        self._traffic: deque[tuple[float, int, int]] = deque()
        self._now = float('-inf')
        self._begun = float('inf')

    def observe(self, snapshot: Snapshot, messages: int, size: int) -> None:
        """
        Take in the next snapshot.

        :param messages: how many messages were heard in all until then.
        :param size: how many bytes.
        """
        if snapshot.time < self._now:
            # The clock went backwards: what was learnt of durations is void.
            self._regions, self._changes, self._traffic = {}, deque(), deque()
        self._now = snapshot.time
        self._begun = min(self._begun, self._now)
        leaders = {robot.id: robot.leader for robot in snapshot.robots.values()}
        changes = sum(self._leaders.get(i, leader) != leader for i, leader in leaders.items())
        self._leaders = leaders
        self.leader_changes += changes
        self._changes.append((self._now, changes))
        while self._changes[0][0] <= self._now - CHANGES_WINDOW:
            self._changes.popleft()
        self._traffic.append((self._now, messages, size))
        while len(self._traffic) > 2 and self._traffic[1][0] <= self._now - TRAFFIC_WINDOW:
            self._traffic.popleft()
        now_regions = regions(snapshot)
        self._since = {
            leader: self._since[leader] if self._regions.get(leader) == members else self._now
            for leader, members in now_regions.items()}
        self._regions = now_regions

    @property
    def duration(self) -> float:
        """How long the swarm has been watched [s]."""
        return max(self._now - self._begun, 0.0)

    @property
    def changes_a_minute(self) -> int:
        """How often a robot took another leader, in the last minute."""
        return sum(changes for _, changes in self._changes)

    @property
    def messages_a_second(self) -> float:
        """The messages a second, of late."""
        return self._rate(1)

    @property
    def bytes_a_second(self) -> float:
        """The bytes a second, of late."""
        return self._rate(2)

    def stable_for(self, leader: int) -> float:
        """Return for how long this leader's region has had the same members [s]."""
        return self._now - self._since.get(leader, self._now)

    def _rate(self, column: int) -> float:
        if len(self._traffic) < 2 or self._traffic[-1][0] == self._traffic[0][0]:
            return 0.0
        first, last = self._traffic[0], self._traffic[-1]
        return (last[column] - first[column]) / (last[0] - first[0])
