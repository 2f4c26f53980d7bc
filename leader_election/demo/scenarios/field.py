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

"""Task ``field``: there is an alarm in the regions that a peak is in, and not far from it."""

from argparse import Namespace

from leader_election.demo.report import Check
from leader_election.demo.scenarios.scenario import DemoScenario, Look, MOSTLY
from leader_election.swarm.snapshot import decided, links, regions, Snapshot
from leader_election.world.parameters import WorldParameters
from leader_election.world.reading import Field
import numpy as np

ALARM_ABOVE = 0.5
PEAK = (-1.5, 4.5, 1.0, 3.0)
"""x, y [m], height, width [m]: above the threshold within 3.5 m."""
RISE = 8.0
"""So long the news of a reading takes to the leader, and the alarm to all members [s]."""
FALL = 15.0
"""So long an alarm lasts when nobody reads any more: it is held, too [s]."""


class FieldTrial(DemoScenario):
    """Robots walk about, through a peak in what they read."""

    duration = 60.0
    of_world = {'motion': 'levy', 'reading_rate': 2.0, 'reading_peaks': list(PEAK)}
    of_robots = {'tasks': 'field', 'field.alarm_above': ALARM_ABOVE}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self._field = Field(WorldParameters(reading_peaks=PEAK), np.random.default_rng(0))
        self._since: dict[int, tuple[bool | None, float]] = {}
        self._looks = {True: 0, False: 0}
        self._right = {True: 0, False: 0}

    def look(self, look: Look) -> None:
        """Compare alarms with what members read, in regions where that has not just changed."""
        snapshot = look.snapshot
        now = self._peaks(snapshot)
        self._since = {
            leader: self._since[leader]
            if leader in self._since and self._since[leader][0] == peak
            else (peak, snapshot.time) for leader, peak in now.items()}
        for leader, (peak, since) in self._since.items():
            if (look.steady and peak is not None
                    and snapshot.time - since >= (RISE if peak else FALL)):
                self._looks[peak] += 1
                self._right[peak] += alarmed(snapshot, leader) == peak

    def checks(self) -> list[Check]:
        """Hold alarms against peaks."""
        (looks, right), (clear, quiet) = (
            (self._looks[peak], self._right[peak]) for peak in (True, False))
        return [
            Check(looks > 0 and right >= MOSTLY * looks,
                  'field: alarm in regions with a robot in the peak, '
                  f'at {right} of {looks} looks'),
            Check(quiet >= MOSTLY * clear,
                  f'field: no alarm in regions that are clear of it, at {quiet} of {clear} looks')]

    def _peaks(self, snapshot: Snapshot) -> dict[int, bool | None]:
        """
        Return whether regions are in the peak, by their leaders.

        ``None``: one hears a robot in the peak, across its border, which may have been its own.
        """
        placed = {i: robot.position for i, robot in snapshot.robots.items()
                  if robot.position is not None}
        values = self._field.value(np.array(list(placed.values())).reshape(-1, 2))
        peaked = {i for i, value in zip(placed, values) if value > ALARM_ABOVE}
        near = {i for pair in links(snapshot, self.options.range) for i in pair
                if not peaked.isdisjoint(pair)}
        return {leader: True if not peaked.isdisjoint(members)
                else None if not near.isdisjoint(members) else False
                for leader, members in regions(snapshot).items()
                if leader in snapshot.robots and snapshot.robots[leader].leader == leader}


def alarmed(snapshot: Snapshot, leader: int) -> bool:
    """Return whether a leader has decided that there is an alarm."""
    decision = decided(snapshot.robots[leader]).get('field')
    return decision is not None and decision['alarm'] > 0
