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
from leader_election.demo.trials.driven import DrivenTrial
from leader_election.demo.trials.trial import Look

DISTANCE = 1.5
"""From a leader to the circle on which its members surround it [m]."""
SLACK = 1.0
"""So far a member may be behind, since the leader goes on [m]."""
ENOUGH = 0.8
"""Such a share of the members is in its place, on average over the end of the run."""
END = 10.0
"""The length of that end [s]."""


class RallyTrial(DrivenTrial):
    """Members surround a leader that goes about."""

    of_robots = {'tasks': 'rally', 'rally.distance': DISTANCE}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self._looks: list[tuple[float, int, int]] = []

    def look(self, look: Look) -> None:
        """See which members are with their leader."""
        super().look(look)
        truth = look.truth
        pairs = [(truth[robot.id], truth[robot.leader])
                 for robot in look.snapshot.robots.values()
                 if robot.leader != robot.id and {robot.id, robot.leader} <= truth.keys()]
        near = sum(math.dist(one, leader) <= DISTANCE + SLACK for one, leader in pairs)
        self._looks.append((look.snapshot.time, near, len(pairs)))

    def checks(self) -> list[Check]:
        """Hold the end of the run against the distance."""
        last = [look for look in self._looks if look[0] >= self._looks[-1][0] - END]
        members = sum(look[2] for look in last)
        share = sum(look[1] for look in last) / members if members else 0.0
        return [*super().checks(), Check(
            share >= ENOUGH, f'rally: in the last {END:.0f} s {share:.0%} of the members were '
            f'within {DISTANCE + SLACK:g} m of their leader')]
