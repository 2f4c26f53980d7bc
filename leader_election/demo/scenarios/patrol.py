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

"""Task ``patrol``: robots see most of the area."""

from argparse import Namespace

from leader_election.demo.report import Check
from leader_election.demo.scenarios.driven import DrivingScenario
from leader_election.world.parameters import SceneParameters
from leader_election.world.scene import free_space, make_scene
import numpy as np
import shapely

AREA = (-9.5, -6.5, 9.5, 6.5)
"""Left, bottom, right and top of what is patrolled [m]."""
SIGHT = 1.0
"""A place that a robot came so near to was visited [m]: a lane's width."""
ENOUGH = 0.6
"""Such a share of the area is visited in the end."""


class PatrolTrial(DrivingScenario):
    """Regions share one area, and each splits its side of it among its members."""

    radius = 10.0
    range = 8.0
    of_robots = {'tasks': 'patrol', 'connected': True, 'patrol.lane': SIGHT,
                 'patrol.area': [number for corner in shapely.box(*AREA).exterior.coords[:-1]
                                 for number in corner]}

    def __init__(self, options: Namespace) -> None:
        super().__init__(options)
        scene = make_scene(SceneParameters(
            robots=options.robots, seed=options.seed, world=options.world))
        free = free_space(scene.arena, scene.obstacles, SceneParameters.robot_radius)
        self._area = shapely.intersection(free, shapely.box(*AREA))

    def visited(self) -> float:
        """Return the share of the area that some robot came near to."""
        ways = [shapely.LineString(path) for path in self.paths.values() if len(path) > 1]
        seen = shapely.union_all([way.simplify(0.02).buffer(SIGHT) for way in ways])
        return float(np.float64(seen.intersection(self._area).area / self._area.area))

    def checks(self) -> list[Check]:
        """Hold what was visited against the area."""
        share = self.visited()
        return [*super().checks(), Check(
            share >= ENOUGH, f'patrol: {share:.0%} of {self._area.area:.0f} m² of free space were '
            f'visited, to within {SIGHT:g} m')]
