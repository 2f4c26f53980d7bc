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
from dataclasses import dataclass, field
import heapq
from itertools import accumulate, count
from statistics import fmean
from typing import Any, NamedTuple

from leader_election.demo.scenario import DemoScenario
from leader_election.fleet.hosting import RobotHostParameters, strength
from leader_election.parameters import build
from leader_election.robot.parameters import ElectionParameters
from leader_election.robot.robot import LEADER_CHANGES, phase, repeat_delays, Robot, wait
from leader_election.swarm.snapshot import is_partition, RobotView, Snapshot
from leader_election.world.parameters import WorldParameters
from leader_election.world.world import World

LATENCY = 0.002
"""The time from sending to receipt [s]."""
LOOK = 0.1
"""The time between two looks at the swarm [s]."""
WARM_UP = 5.0
"""The time from which on changes and looks count [s]."""


@dataclass
class MovingSwarm:
    """
    Robots in the embedded world, event by event.

    :param seed: of the world: places, walks, strengths and lost messages.
    :param loss: the probability that a message is lost, for each receiver.
    :param settings: parameters of all robots.
    """

    seed: int
    loss: float
    settings: Mapping[str, Any]
    changes: int = 0
    """Leader changes since the warm-up, of all robots."""
    looks: int = 0
    """Looks since the warm-up."""
    whole: int = 0
    """Those that saw a whole partition."""
    led: float = 0.0
    """The robots whose leader leads, as a share: their sum over the looks."""
    leaders: int = 0
    """The robots that lead themselves: their sum over the looks."""
    messages: int = 0
    """Messages sent since the warm-up."""
    robots: dict[int, Robot] = field(default_factory=dict)
    queue: list[tuple[float, int, str, int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Place the robots and plan their first rounds."""
        scenario = DemoScenario
        scene: dict[str, Any] = {'robots': scenario.robots, 'seed': self.seed, 'world': 'blocks'}
        self.world = World(WorldParameters(
            **scene, motion='levy', speed=0.5, radio='relay', radio_loss=self.loss,
            radio_range=scenario.range if self.loss else float('inf')))
        hosting = RobotHostParameters(**scene)
        self._order = count()
        self._checked: dict[int, float] = {}
        self._planned: dict[int, float] = {}
        self._repeats: dict[int, list[float]] = {}
        for robot in self.world.scene.ids:
            parameters = build(ElectionParameters, {
                'robot_id': robot, 'radius': scenario.radius, 'strength': strength(hosting, robot),
                'communication_range': scenario.range, **self.settings})
            self.robots[robot] = Robot(parameters)
            self._plan(phase(-1.0, robot), 'beat', robot)
        self._rows = {row: robot for row, robot in enumerate(self.robots)}
        self._plan(0.0, 'step')
        self._plan(WARM_UP + LOOK / 3.0, 'look')

    def _plan(self, time: float, kind: str, robot: int = -1, payload: str = '') -> None:
        heapq.heappush(self.queue, (time, next(self._order), kind, robot, payload))

    def run(self, until: float) -> None:
        """Let everything happen up to a time [s]."""
        while self.queue and self.queue[0][0] <= until:
            now, _, kind, robot, payload = heapq.heappop(self.queue)
            if kind == 'step':
                self._step(now)
            elif kind == 'look':
                self._look(now)
            elif kind == 'beat':
                self._plan(now + self.robots[robot].parameters.round_period, 'beat', robot)
                self._round(robot, now)
            elif kind == 'repeat':
                # Those of a change before the last one are void.
                if now in self._repeats[robot]:
                    self._round(robot, now)
            elif kind == 'hear':
                self._hear(robot, payload, now)
            elif self._planned.get(robot) == now:
                self._react(robot, now)

    def _step(self, now: float) -> None:
        if now > 0.0:
            self.world.step()
        for row, robot in self._rows.items():
            x, y, _ = self.world.poses[row]
            self.robots[robot].sensing.take_odometry((x, y, 0.0), now)
        self._plan(now + self.world.dt, 'step')

    def _look(self, now: float) -> None:
        views = {i: RobotView(i, None, robot.state.value, robot.state.distance,
                              robot.state.leader) for i, robot in self.robots.items()}
        snapshot = Snapshot(now, views)
        self.looks += 1
        self.whole += is_partition(snapshot, DemoScenario.radius)
        self.led += fmean(view.leader in views and views[view.leader].leader == view.leader
                          for view in views.values())
        self.leaders += sum(view.leader == view.id for view in views.values())
        self._plan(now + LOOK, 'look')

    def _round(self, robot: int, now: float) -> None:
        self._planned.pop(robot, None)
        self._checked[robot] = now
        parameters = self.robots[robot].parameters
        before = self.robots[robot].counts[LEADER_CHANGES]
        payload = self.robots[robot].round(now)
        if self.robots[robot].counts[LEADER_CHANGES] > before:
            self._repeats[robot] = []
            if parameters.schedule == 'reactive':
                self._repeats[robot] = [now + due for due in accumulate(repeat_delays(
                    parameters.reactive_repeats, parameters.reactive_interval))]
            for due in self._repeats[robot]:
                self._plan(due, 'repeat', robot)
        if now >= WARM_UP:
            self.messages += 1
            self.changes += self.robots[robot].counts[LEADER_CHANGES] - before
        row = self.world.scene.ids.index(robot)
        for receiver in self.world.radio.receivers(row, self.world.poses).tolist():
            self._plan(now + LATENCY, 'hear', self._rows[receiver], payload)

    def _hear(self, robot: int, payload: str, now: float) -> None:
        receiver = self.robots[robot]
        news = receiver.receive(payload, now)
        if not news or receiver.parameters.schedule != 'reactive':
            return
        pause = wait(self._checked.get(robot, -1e9), now, receiver.parameters.reactive_interval)
        if pause < 1e-3:
            self._react(robot, now)
        elif robot not in self._planned:
            self._planned[robot] = now + pause
            self._plan(now + pause, 'react', robot)

    def _react(self, robot: int, now: float) -> None:
        self._planned.pop(robot, None)
        self._checked[robot] = now
        if self.robots[robot].would_change(now):
            self._round(robot, now)


class Figures(NamedTuple):
    """What a swarm showed, mean over seeds."""

    changes: float
    """Leader changes a robot and minute."""
    whole: float
    """The share of looks that saw a whole partition."""
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
        swarm.run(WARM_UP + duration)
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
