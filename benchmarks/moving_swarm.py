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
Leaders on the move: leader changes and whole partitions in the demonstration's arena.

The robots, arena, walks and parameters of ``leader_election demo``, without ROS and in simulated
time: the same seed gives the same figures. With loss the radio ends at the communication range;
without it all robots hear all messages, as in the demonstration.
"""

import argparse
from collections.abc import Mapping
from statistics import fmean
from typing import Any, NamedTuple

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.reception import ROUNDS
from leader_election.election.robot.robot import LEADER_CHANGES, Robot
from leader_election.parameters import build
from leader_election.ros.demo.task_scenarios import DemoScenario
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
from leader_election.swarm.fleet.hosting import RobotHostParameters, strength
from leader_election.swarm.simulated_swarm import SimulatedSwarm
from leader_election.swarm.snapshot import is_partition, RobotView, Snapshot

LATENCY = 0.002
"""The time from sending to receipt [s]."""
LOOK = 0.1
"""The time between two snapshots of the swarm [s]."""
WARM_UP = 5.0
"""The time from which on changes and snapshots count [s]."""


class MovingSwarm(SimulatedSwarm):
    """
    The demonstration's robots in the embedded world.

    :ivar changes: leader changes since the warm-up, of all robots.
    :ivar messages: messages sent since the warm-up.
    :ivar looks: snapshots since the warm-up.
    :ivar whole: the snapshots with a whole partition.
    :ivar led: the share of robots whose leader leads, summed over the snapshots.
    :ivar leaders: the number of robots that lead themselves, summed over the snapshots.
    """

    def __init__(self, seed: int, loss: float, settings: Mapping[str, Any]) -> None:
        """
        Place the robots and plan their first rounds.

        :param seed: of the world: places, walks, strengths and lost messages.
        :param loss: the probability that a message is lost, for each receiver.
        :param settings: parameters of all robots.
        """
        self.changes = self.messages = self.looks = self.whole = self.leaders = 0
        self.led = 0.0
        scenario = DemoScenario
        scene: dict[str, Any] = {'robots': scenario.robots, 'seed': seed, 'world': 'blocks'}
        self.world = World(WorldParameters(
            **scene, motion='levy', speed=0.5, radio='relay', radio_loss=loss,
            radio_range=scenario.range if loss else float('inf')))
        hosting = RobotHostParameters(**scene)
        ids = self.world.scene.ids
        super().__init__({robot: Robot(build(ElectionParameters, {
            'robot_id': robot, 'radius': scenario.radius, 'strength': strength(hosting, robot),
            'communication_range': scenario.range, **settings})) for robot in ids},
            lambda robot: [ids[row] for row in self.world.radios[0].receivers(
                ids.index(robot), self.world.poses).tolist()], flight=LATENCY)
        self.at(0.0, self._step)
        self.at(WARM_UP + LOOK / 3.0, self._look)

    def _step(self) -> None:
        if self.now > 0.0:
            self.world.step()
        for row, robot in enumerate(self.robots.values()):
            x, y, _ = self.world.poses[row]
            robot.sensing.take_odometry((x, y, 0.0), self.now)
        self.at(self.now + self.world.dt, self._step)

    def _look(self) -> None:
        views = {i: RobotView(i, None, robot.state.value, robot.state.distance,
                              robot.state.leader) for i, robot in self.robots.items()}
        self.looks += 1
        self.whole += is_partition(Snapshot(self.now, views), DemoScenario.radius)
        self.led += fmean(view.leader in views and views[view.leader].leader == view.leader
                          for view in views.values())
        self.leaders += sum(view.leader == view.id for view in views.values())
        self.at(self.now + LOOK, self._look)

    def measure(self, duration: float) -> None:
        """Run until a time after the warm-up [s]."""
        self.run(WARM_UP)
        before = self._counted()
        self.run(duration)
        self.changes, self.messages = (
            now - then for now, then in zip(self._counted(), before))

    def _counted(self) -> tuple[int, int]:
        counts = [robot.counts for robot in self.robots.values()]
        return (sum(count[LEADER_CHANGES] for count in counts),
                sum(count[ROUNDS] for count in counts))


class Figures(NamedTuple):
    """The figures of a swarm, means over seeds."""

    changes: float
    """Leader changes per robot and minute."""
    whole: float
    """The share of snapshots with a whole partition."""
    led: float
    """The share of robots whose leader leads."""
    leaders: float
    """The number of leaders."""
    messages: float
    """Messages a robot and second."""


def measure(seeds: int, duration: float, loss: float, **settings: Any) -> Figures:
    """
    Return the figures of swarms with these parameters.

    :param seeds: of the worlds, from 1 on.
    :param duration: that is measured [s].
    :param loss: the probability that a message is lost.
    """
    rows = []
    for seed in range(1, seeds + 1):
        swarm = MovingSwarm(seed, loss, settings)
        swarm.measure(duration)
        total = len(swarm.robots) * duration
        rows.append((swarm.changes / total * 60.0, swarm.whole / swarm.looks,
                     swarm.led / swarm.looks, swarm.leaders / swarm.looks, swarm.messages / total))
    return Figures(*map(fmean, zip(*rows)))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seeds', type=int, default=2)
    parser.add_argument('--duration', type=float, default=40.0, help='of each run [s]')
    options = parser.parse_args()
    print(f'## Moving swarm: {DemoScenario.robots} robots of the demonstration, {options.seeds} '
          f'seeds, {options.duration:g} s each')
    print('| messages lost | hysteresis | leader changes a robot and minute | whole partitions '
          '| led | leaders | messages a second |')
    print('|---|---|---|---|---|---|---|')
    for loss in (0.0, 0.2, 0.4):
        for hysteresis in (0.0, ElectionParameters.radius_hysteresis):
            found = measure(options.seeds, options.duration, loss, radius_hysteresis=hysteresis)
            print(f'| {loss:.0%} | {hysteresis:g} | {found.changes:.2f} | {found.whole:.1%} '
                  f'| {found.led:.1%} | {found.leaders:.1f} | {found.messages:.2f} |', flush=True)


if __name__ == '__main__':
    main()
