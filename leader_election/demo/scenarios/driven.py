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

"""Tasks that drive robots: nobody may be hit, and the ways that they took are drawn."""

from argparse import Namespace
import math
from pathlib import Path

from leader_election.demo.report import Check
from leader_election.demo.scenarios.scenario import DemoScenario, Look
from leader_election.robot.codec import Position
from leader_election.view.frame import Rings
from leader_election.world.contact import least_distance, overlaps
from leader_election.world.parameters import WorldParameters
import numpy as np


class DrivingScenario(DemoScenario):
    """
    Robots drive by ``scan`` and ``cmd_vel``.

    :ivar paths: where each robot truly was [m], look by look, by id.
    """

    robots = 14
    duration = 60.0
    of_world = {'motion': 'cmd_vel', 'scan_rate': 5.0}
    needs_truth = True

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        self.paths: dict[int, list[Position]] = {}
        self._hits: set[tuple[int, int]] = set()
        self._closest = math.inf

    def look(self, look: Look) -> None:
        """See who was hit."""
        for robot, place in look.truth.items():
            self.paths.setdefault(robot, []).append(place)
        ids = sorted(look.truth)
        places = np.array([look.truth[i] for i in ids]).reshape(-1, 2)
        self._closest = min(self._closest, least_distance(places))
        self._hits |= {(ids[a], ids[b])
                       for a, b in overlaps(places, WorldParameters.robot_radius)}

    def checks(self) -> list[Check]:
        """Nobody was hit, and somebody drove."""
        driven = sum(math.dist(a, b) for path in self.paths.values()
                     for a, b in zip(path, path[1:]))
        return [
            Check(not self._hits, f'no robot hit another: the least distance between two was '
                  f'{self._closest:.2f} m, and 2 x {WorldParameters.robot_radius:g} m is a hit'),
            Check(driven > 0.0, f'the robots drove {driven:.0f} m')]

    def draw(self, folder: Path, rings: Rings) -> list[str]:
        """Draw the ways."""
        # Only here, since it takes long to load.
        from leader_election.view.charts import draw_paths
        path = folder / 'paths.png'
        draw_paths(self.paths, rings, path)
        return [str(path)]
