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

"""Task ``count``: the leaders' counts add up to the swarm."""

from argparse import Namespace
from statistics import fmean

from leader_election.demo.report import Check
from leader_election.demo.scenarios.scenario import ACCURATE, DemoScenario, Look
from leader_election.swarm.snapshot import counted


class CountTrial(DemoScenario):
    """Robots walk about; over time all leaders together count all robots."""

    duration = 60.0
    of_robots = {'tasks': 'count'}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self._shares: list[float] = []

    def look(self, look: Look) -> None:
        """Add up the counts."""
        robots = len(look.snapshot.robots)
        if look.steady and robots:
            self._shares.append(sum(counted(look.snapshot).values()) / robots)

    def checks(self) -> list[Check]:
        """Hold the average against the swarm."""
        if not self._shares:
            return [Check(False, 'count: there was no time to look at the counts')]
        error = fmean(abs(share - 1.0) for share in self._shares)
        return [Check(
            abs(fmean(self._shares) - 1.0) <= ACCURATE,
            f'count: on average the leaders count {fmean(self._shares):.1%} of the swarm '
            f'(off by {error:.1%} at a look, at most '
            f'{max(abs(share - 1.0) for share in self._shares):.1%})')]
