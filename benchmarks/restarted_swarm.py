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
What the factors of odometry, kept over a restart, are worth in the first minutes after it.

Robots of this package, by default among barriers, without ROS and in simulated time, localise each
other by UWB, are all restarted where they truly are, and run on: with the factors that they found,
without, and with those of another robot, as after a change of wheels.
"""

import argparse
from collections.abc import Callable, Mapping
import math
from statistics import fmean
from typing import Any

from benchmarks.logged_swarm import LoggedSwarm
from benchmarks.real_distances import Scene, scene_of_file, text, UWB, WITH_FILTER
from benchmarks.real_logs import real_logs
from leader_election.election.robot.robot import Robot
from leader_election.localisation.kept_factors import LONGEST
from leader_election.localisation.plane import between, PlanePose
from leader_election.localisation.scale_errors import Kept
from leader_election.simulation.kinematics import Array
from leader_election.swarm.accuracy import Accuracy
import numpy as np

OFF = 2.0
"""For how long robots are off [s]."""
WHOSE: Mapping[str, Callable[[int, int], int | None]] = {
    'forgotten': lambda robot, robots: None, 'kept': lambda robot, robots: robot,
    "another robot's": lambda robot, robots: robot % robots + 1}
"""Returns, for a robot among a number of robots, whose factors it begins with."""


class RestartedSwarm(LoggedSwarm):
    """Robots that are all restarted at a time, with new odometry from their true poses."""

    def __init__(self, world: Mapping[str, Any], at: float,
                 whose: Callable[[int, int], int | None], **settings: Any) -> None:
        """
        Plan the restart.

        :param at: its time [s].
        :param whose: of :data:`WHOSE`.
        """
        self._poses: dict[int, PlanePose] = {}
        self._origin: dict[int, PlanePose] = {}
        super().__init__(world, each=lambda robot: {
            'initial_pose': self._poses[robot]} if robot in self._poses else {}, **settings)
        self._whose = whose
        self._kept: dict[int, Kept] = {}
        self.at(at, self._stop)
        self.at(at + OFF, self._restart)

    def _stop(self) -> None:
        for number, robot in list(self.robots.items()):
            factors, deviations = robot.sensing.localisation.odometry_factors
            self._kept[number] = Kept(factors, np.square(deviations), self.now)
            self.kill(number)

    def _restart(self) -> None:
        self._poses.update(zip(self.world.scene.ids, map(tuple, self.world.poses.tolist())))
        self._origin.update(zip(self.world.scene.ids, map(tuple, self.world.odometry.tolist())))
        self.accuracy, self.moments = Accuracy(), []
        for number in self._kept:
            self.start(number)
            whose = self._whose(number, len(self._kept))
            if whose is not None:
                self.robots[number].sensing.localisation.remember(
                    self._kept[whose]._replace(time=self.now - LONGEST))

    def sense(self, robot: Robot, odometry: PlanePose, seen: Array) -> None:
        """Give a robot its odometry since its start, and its sightings."""
        begin = self._origin.get(robot.parameters.robot_id)
        super().sense(robot, odometry if begin is None else between(begin, odometry), seen)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--world', default='config/barriers.yaml', metavar='FILE',
                        help="parameters of a world and its robots; '': the logs of real robots")
    parser.add_argument('--restart', type=float, default=300.0, help='the time of it [s]')
    parser.add_argument('--seconds', type=float, default=120.0, help='that are judged after it')
    parser.add_argument('--seeds', type=int, default=5)
    options = parser.parse_args()
    scene = (scene_of_file(options.world, math.inf) if options.world
             else Scene('real robots', {'logs': real_logs()}, {}, math.inf))
    print(f'## The first {options.seconds:g} s after a restart, on {scene.name}, means of '
          f'{options.seeds} seeds (least to greatest)')
    print('| factors | same leader [%] | relative positions, RMS [m] | absolute, RMS [m] | NEES: '
          'pose, relative |')
    print('|---' * 5 + '|')
    for name, whose in WHOSE.items():
        shares, relative, absolute, pose, of_relative = [], [], [], [], []
        for seed in range(1, options.seeds + 1):
            swarm = RestartedSwarm({**scene.world, **UWB, 'seed': seed}, options.restart, whose,
                                   **scene.swarm, **WITH_FILTER)
            swarm.run(options.restart + OFF + options.seconds)
            figures = swarm.accuracy.figures()
            shares.append(100.0 * swarm.share(0.0, math.inf)[0])
            relative.append(figures.relative or math.nan)
            absolute.append(figures.absolute or math.nan)
            pose.append(figures.nees_pose or math.nan)
            of_relative.append(figures.nees_relative or math.nan)
        print(f'| {name} | ' + ' | '.join(
            f'{fmean(each):.{digits}f} ({min(each):.{digits}f} to {max(each):.{digits}f})'
            for each, digits in ((shares, 1), (relative, 2), (absolute, 2)))
            + f' | {text(fmean(pose))}, {text(fmean(of_relative))} |', flush=True)


if __name__ == '__main__':
    main()
