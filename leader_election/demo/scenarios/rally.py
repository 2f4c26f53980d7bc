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

"""Task ``rally``: members are round their leader."""

from argparse import Namespace
import math

from leader_election.demo.report import Check
from leader_election.demo.scenarios.driven import DrivingScenario
from leader_election.demo.scenarios.scenario import Look

DISTANCE = 1.5
"""From a leader to the circle on which its members surround it [m]."""
SLACK = 1.0
"""So far a member may be behind, since the leader goes on [m]."""
JOURNEY = 15.0
"""So long a member may take from where it joins a region to its place in it [s]."""
ENOUGH = 0.8
"""Such a share of the members that had the time is in its place, on average."""


class RallyTrial(DrivingScenario):
    """Members surround a leader that goes about."""

    of_robots = {'tasks': 'rally', 'rally.distance': DISTANCE}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self._since: dict[int, tuple[int, float]] = {}
        self._near = self._members = 0

    def look(self, look: Look) -> None:
        """See which members are with their leader, of those that have followed it for a while."""
        super().look(look)
        time, truth = look.snapshot.time, look.truth
        self._since = {
            robot.id: self._since[robot.id]
            if self._since.get(robot.id, (-1, 0.0))[0] == robot.leader else (robot.leader, time)
            for robot in look.snapshot.robots.values() if robot.leader in look.snapshot.robots}
        for robot, (leader, since) in self._since.items():
            if (robot != leader and time - since >= JOURNEY
                    and {robot, leader} <= truth.keys()):
                self._members += 1
                self._near += math.dist(truth[robot], truth[leader]) <= DISTANCE + SLACK

    def checks(self) -> list[Check]:
        """Hold where members are against the distance."""
        share = self._near / self._members if self._members else 0.0
        return [*super().checks(), Check(
            share >= ENOUGH, f'rally: {JOURNEY:.0f} s after they joined a region, {share:.0%} of '
            f'its members are within {DISTANCE + SLACK:g} m of their leader')]
