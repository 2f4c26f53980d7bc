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
Real physics: elections of wandering robots in MuJoCo, compared with the truth.

Each robot elects by the odometry of its own wheels. A second set of the same robots elects by
their true positions: the control; the difference between the two is the loss due to slipping
wheels. Both are compared with the partition by true positions, computed directly. After that the
same swarm runs in the kinematic world, where wheels never slip. All of it runs in one process,
without ROS, in simulated time: the same seed gives the same figures.

With ``--sightings`` there is a third set, which corrects its odometry by sightings of each other
(``pose_source: cooperative``), made of true poses with the errors of the world's sensors.
"""

import argparse
from collections.abc import Mapping
import math
import sys
import time
from typing import Any

from benchmarks.swarm_watch import Figures, LOOK, Rules, Watch
from benchmarks.wandering_world import WanderingWorld
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Outlook, Robot
from leader_election.localisation.sighting import TRIPLES
from leader_election.parameters import build, Parameter, ParameterError
from leader_election.parameters.command_line import print_error
from leader_election.ros.demo.logs import CAMERA, SIGHTINGS, UWB
from leader_election.simulation.kinematics import relative
from leader_election.simulation.parameters import WorldParameters
from leader_election.swarm.simulated_swarm import SimulatedSwarm
import numpy as np

STRETCH = 60.0
"""The time of a row of the table [s]."""
RADIUS, REACH = 6.0, 4.0
"""Parameters ``radius`` and ``communication_range`` of the robots [m]."""
SECONDS = Parameter('seconds', float, 300.0, 'The simulated time of each run.', unit='s',
                    lower=10.0, upper=1e5)
ODOMETRY, COOPERATIVE, STEADY, CONTROL = (
    'by odometry', 'with sightings', 'by true positions, hysteresis', 'by true positions')
ROBOTS: Mapping[str, Mapping[str, Any]] = {
    ODOMETRY: {}, COOPERATIVE: {'pose_source': 'cooperative'}, CONTROL: {},
    STEADY: {'radius_hysteresis': ElectionParameters.radius_hysteresis}}
"""The parameters of robots, by swarm."""


class HeardRobot(Robot):
    """A robot whose messages are watched; its strength is its id."""

    watch: Watch

    def round(self, now: float, outlook: Outlook | None = None) -> str:  # noqa: A003
        """Run a round, as ``Robot`` does."""
        payload = super().round(now, outlook)
        self.watch.hear(payload, now)
        return payload


class Swarm(SimulatedSwarm):
    """
    One set of robots that elect on the bodies of a world, and hear each other everywhere.

    :ivar watch: compares it with the truth.
    """

    def __init__(self, name: str, bodies: WanderingWorld) -> None:
        """:param name: of :data:`ROBOTS`."""
        # With hysteresis the right partition depends on the history.
        settings = {'radius_hysteresis': 0.0, **ROBOTS[name]}
        self.watch = Watch(Rules(RADIUS, REACH, settings['radius_hysteresis']))
        self._true, self._sees = name in (CONTROL, STEADY), name == COOPERATIVE
        self._bodies = bodies
        scene = bodies.world.scene
        self._starts = np.array(scene.starts)
        robots = {robot: HeardRobot(build(ElectionParameters, {
            'robot_id': robot, 'strength': float(robot), 'radius': RADIUS,
            'communication_range': REACH, 'initial_pose': start, **settings}))
            for robot, start in zip(scene.ids, scene.starts)}
        for each in robots.values():
            each.watch = self.watch
        super().__init__(robots, lambda robot: [other for other in robots if other != robot])

    def sense(self) -> None:
        """Take the odometry and the sightings of the world's present step."""
        world = self._bodies.world
        poses = relative(self._starts, world.poses) if self._true else world.odometry
        sightings = world.sightings(range(len(poses))) if self._sees else np.empty((0, 4))
        for row, (robot, (x, y, yaw)) in enumerate(zip(self.robots.values(), poses.tolist())):
            robot.sensing.take_odometry((x, y, 0.0), self.now, yaw=yaw)
            seen = sightings[sightings[:, 0] == row, 1:]
            if len(seen):
                robot.sensing.take_measurements(seen.ravel().tolist(), self.now, TRIPLES)


class Run:
    """
    A world and the swarms on it.

    :ivar bodies: the world.
    :ivar swarms: by name.
    """

    def __init__(self, asked: argparse.Namespace, physics: str, *names: str) -> None:
        """
        Build both.

        :param asked: the options of the command line.
        :param physics: parameter ``physics`` of the world.
        :param names: of the swarms.
        :raises ParameterError: for options that are not allowed.
        """
        drift = {'linear_scale_error': asked.drift, 'angular_scale_error': asked.drift}
        self.bodies = WanderingWorld(build(WorldParameters, {
            'robots': asked.robots, 'world': asked.world, 'seed': asked.seed, **drift,
            'speed': asked.speed, 'motion': 'cmd_vel', 'physics': physics, 'scan_rate': 5.0,
            **SIGHTINGS.get(asked.sightings, {})}), scanners=not asked.blind)
        self.swarms = {name: Swarm(name, self.bodies) for name in names}
        self._look = 0.0

    def until(self, end: float) -> None:
        """Run until a time [s]."""
        world = self.bodies.world
        while world.time < end - 1e-9:
            for swarm in self.swarms.values():
                swarm.sense()
                swarm.run(world.dt)
            self.bodies.step()
            if world.time >= self._look:
                self._look += LOOK
                for swarm in self.swarms.values():
                    swarm.watch.look(world.time, self.bodies.places())


def shares(figures: Figures) -> str:
    """Return the shares of robots and of whole partitions, as text."""
    return f'{figures.robots:.1%} / {figures.partitions:.1%}'


def summary(run: Run, name: str) -> str:
    """Return the figures of a swarm over its whole run, as text."""
    watch = run.swarms[name].watch
    figures = watch.figures()
    first = watch.partitioned - max(watch.tracker.first_heard.values(), default=math.nan)
    return (f'{name}: first partition {first:.1f} s, {figures.robots:.1%} of the robots right, '
            f'the whole partition at {figures.partitions:.1%} of the looks, '
            f'{figures.changes:.2f} changes of leader a robot and minute, '
            f'position off by {figures.error:.2f} m, at the end {figures.end:.2f} m')


def measure(asked: argparse.Namespace, names: list[str]) -> None:
    """Print the figures of swarms in physics, and of the same robots without slip."""
    run = Run(asked, 'mujoco', *names)
    print('| time [s] | simulated s per CPU s | odometry off by, mean (worst) [m] | touching | '
          + ' | '.join(names) + ' | lost to slip |\n' + '|---' * (len(names) + 5) + '|')
    begin, since = 0.0, time.process_time()
    while begin < asked.seconds:
        end = min(begin + STRETCH, asked.seconds)
        run.until(end)
        took, since = time.process_time() - since, time.process_time()
        figures = [run.swarms[name].watch.figures(begin, end) for name in names]
        drift = run.bodies.drift
        print(f'| {begin:.0f} to {end:.0f} | {(end - begin) / took:.1f} '
              f'| {drift.mean():.2f} ({drift.max():.2f}) | {run.bodies.touched.mean():.1%} | '
              + ' | '.join(map(shares, figures))
              + f' | {100.0 * (figures[-1].robots - figures[0].robots):.1f} points |', flush=True)
        begin = end
    print(f'way {run.bodies.travelled.mean():.1f} m a robot')
    for name in names:
        print('MuJoCo, ' + summary(run, name))
    if names == [ODOMETRY, CONTROL]:
        run = Run(asked, 'kinematic', ODOMETRY)
        run.until(asked.seconds)
        print('kinematic world, ' + summary(run, ODOMETRY))


def arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog='make physics ARGS=...', description='A swarm with contact physics.')
    parser.add_argument('--robots', type=int, default=20)
    parser.add_argument('--seconds', type=float, default=SECONDS.default, help='of the world')
    parser.add_argument('--world', default='blocks',
                        help='blocks, rooms, barriers, empty or a YAML file')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--speed', type=float, default=0.3,
                        help='the greatest speed of robots [m/s] (%(default)s)')
    parser.add_argument('--drift', type=float, default=0.0, help='standard deviation of the '
                        'relative error of speeds by odometry, beside slip (%(default)s)')
    parser.add_argument('--blind', action='store_true', help='robots have no scanners; they '
                        'avoid walls by the map and their odometry, and have bumpers')
    parser.add_argument('--steady', action='store_true', help='a further swarm by true positions, '
                        "with the robots' default hysteresis of the radius; no kinematic world")
    parser.add_argument('--sightings', choices=(UWB, CAMERA), default='',
                        help='a further swarm, whose robots see each other by ranging radios '
                        '(uwb) or cameras; no kinematic world')
    return parser.parse_args()


def main() -> int:
    """Print the figures; return the exit status: 2 for wrong usage."""
    asked = arguments()
    try:
        SECONDS.check(asked.seconds)
        print(f'## Real physics: {asked.robots} robots, world {asked.world}, radius {RADIUS:g} m, '
              f'range {REACH:g} m, {asked.speed:g} m/s, right: robots / whole partitions')
        measure(asked, [ODOMETRY, *([COOPERATIVE] if asked.sightings else []),
                        *([STEADY] if asked.steady else []), CONTROL])
    except ParameterError as error:
        return print_error(error)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == '__main__':
    sys.exit(main())
