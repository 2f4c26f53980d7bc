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
The work that a swarm does again when its leader dies, with and without a handover.

``patrol``: robots of the package in the embedded world, whose leader is killed every minute and
starts again 20 s later. ``mission``: robots visit places, and fail; leaders with and without
handover, gossip, and an oracle that replans with all knowledge, as in G. Aguzzi et al., "A
Field-based Approach for Runtime Replanning in Swarm Robotics Missions", ACSOS 2025. All is in
simulated time.
"""

import argparse
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
import json
import math
from pathlib import Path
import random
from statistics import fmean
from typing import Any, NamedTuple

from benchmarks.wandering_world import Topics
from leader_election.election.regions.aggregate import any_of
from leader_election.election.regions.task import Member, Position, Task
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Outlook, Robot
from leader_election.election.robot.task_runner import NullEntity, TaskRunner
from leader_election.election.tasks.coverage import Cell, cells_near, cells_of
from leader_election.election.tasks.patrol import Patrol, PatrolParameters
from leader_election.election.tasks.places import place_contribution, PLACES, places_in
from leader_election.parameters import build
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.sensors import RateLimiter
from leader_election.simulation.world import World
from leader_election.swarm.simulated_swarm import SimulatedSwarm
import numpy as np
from sensor_msgs.msg import LaserScan
import shapely

KILL, AWAY = 60.0, 20.0
"""The time between two deaths of the leader, and until it is back [s]."""
LOOK = 0.1
"""The time between two steps of the world [s]."""


class TaskSwarm(SimulatedSwarm):
    """
    Robots with one task, on places that the benchmark moves.

    :ivar task: the living robots' tasks, by id.
    :ivar bytes: the length of all messages, by receptions, of which there are ``received``.
    """

    def __init__(self, ids: Collection[int], reach: float,
                 make: Callable[[int], Task], name: str, **parameters: Any) -> None:
        self.task: dict[int, Any] = {}
        self.places: dict[int, Position] = {}
        self.bytes = self.received = self.messages = 0
        self._reach, self._make, self._name, self._parameters = reach, make, name, parameters
        self.now = 0.0
        super().__init__({i: self.robot(i) for i in ids}, lambda i: [
            j for j in self.robots if j != i and math.dist(
                self.places[i], self.places[j]) <= reach])

    def robot(self, i: int) -> Robot:
        """Return a robot that starts now."""
        def runner(instance: str, name: str) -> TaskRunner:
            self.task[i] = self._make(i)
            return TaskRunner(self._name, self.task[i])
        return Robot(build(ElectionParameters, {
            'robot_id': i, 'strength': float(i), 'tasks': 'count',
            'communication_range': self._reach, **self._parameters}),
            task_runners=runner, first_number=int(1000 * self.now) + 1)

    def place(self, i: int, pose: Any) -> None:
        """Tell a robot where it is."""
        self.places[i] = (pose[0], pose[1])
        if i in self.robots:
            self.robots[i].sensing.take_odometry((pose[0], pose[1], 0.0), self.now, yaw=pose[2])

    def largest(self) -> int:
        """Return the robot that most others follow."""
        follows = [robot.state.leader for robot in self.robots.values()]
        return max(self.robots, key=follows.count)

    def _round(self, robot: int, outlook: Outlook | None = None) -> None:
        super()._round(robot, outlook)
        self.messages += 1

    def _carry(self, receiver: int, payload: str) -> None:
        self.bytes, self.received = self.bytes + len(payload), self.received + 1
        super()._carry(receiver, payload)


# A patrol.

class Forgetful(Patrol):
    """A patrol whose leaders hand nothing over."""

    remembers = {}


class _Context(Topics):
    """The topics of a robot that never stops its watchdog."""

    def publisher(self, topic: str, kind: Any, latched: bool = False) -> Topics:
        return self

    def every(self, period: float, callback: Callable[[], None]) -> Any:
        return NullEntity()


class PatrolFigures(NamedTuple):
    """What a patrol gave."""

    kills: int
    sweeps: int
    """How often a leader has ended a sweep."""
    again: float
    """Cells that robots were sent to and visited though they had been visited before, a kill."""
    kept: float
    """The least share of what a leader knew to be visited that the next one knew in 2 rounds."""
    next_decision: float
    """The longest time from a death until all robots follow decisions of a living leader [s]."""
    size: float
    """Of a message, on average [bytes]."""
    rate: float
    """Bytes sent a second."""


class PatrolWorld:
    """A patrol in the embedded world whose leader is killed again and again."""

    def __init__(self, kind: type[Patrol], robots: int, seed: int, kills: bool,
                 deputies: int = 0) -> None:
        self.world = World(WorldParameters(
            robots=robots, world='empty', seed=seed, motion='cmd_vel', scan_rate=5.0,
            scan_beams=24, step_rate=1.0 / LOOK))
        ids = self.world.scene.ids
        self.row = {i: row for row, i in enumerate(ids)}
        self._contexts = {i: _Context(self.world, row) for i, row in self.row.items()}
        self._scans, area = RateLimiter(5.0), shapely.box(-9.0, -6.0, 9.0, 6.0)
        self.cells = cells_of(area, 1.0)
        corners = shapely.get_coordinates(area)[:-1].ravel().tolist()
        settings = build(PatrolParameters, {'area': corners, 'lane': 1.0, 'speed': 0.3})

        def make(i: int) -> Task:
            self._contexts[i] = _Context(self.world, self.row[i])
            return kind(Member(i, self._contexts[i],
                               lambda: tuple(self.world.poses[self.row[i]].tolist())), settings)
        self.swarm = TaskSwarm(
            ids, 8.0, make, 'patrol', radius=30.0, message_expiry=3.0, deputies=deputies)
        self.visited: set[Cell] = set()
        self._sent: dict[int, tuple[Any, set[Cell]]] = {}
        self.again = self.kills = self.sweeps = 0
        self.kept: list[float] = []
        self.waits: list[float] = []
        self._dead: tuple[int, set[Cell], int] | None = None
        self._died, self._leads = math.inf, (-1, 0)
        for i in ids:
            self.swarm.place(i, self.world.poses[self.row[i]].tolist())
        self.swarm.at(0.0, self._step)
        if kills:
            self.swarm.at(KILL, self._kill)

    def _step(self) -> None:
        world, swarm = self.world, self.swarm
        alive = sorted(swarm.robots)
        if self._scans.due(world.time):
            scans = world.lidar.scan(
                world.poses, [self.row[i] for i in alive]).astype(np.float32)
            for i, ranges in zip(alive, scans):
                self._contexts[i].callbacks['scan'](LaserScan(
                    angle_increment=world.lidar.increment, range_max=4.0,
                    ranges=array('f', ranges.tobytes())))
        world.step()
        for i, row in self.row.items():
            swarm.place(i, world.poses[row].tolist())
        for i in alive:
            self._watch(i, swarm.task[i])
        leader = swarm.largest()
        before, self._leads = self._leads, (leader, swarm.task[leader]._sweep)
        if before[0] == leader and before[1] < self._leads[1]:
            self.visited.clear()
            self._sent.clear()
            self.sweeps += 1
        if self._dead is not None:
            self._await_next(*self._dead)
        swarm.at(swarm.now + LOOK, self._step)

    def _watch(self, i: int, task: Any) -> None:
        """Count what a robot visits, and what it visits again because it was sent there."""
        route, again = self._sent.get(i, (None, set()))
        here = cells_near(self.swarm.places[i], 1.0) & self.cells
        if task.route is not None and task.route is not route:
            again = cells_of(task._part, 1.0) & self.visited - here
            self._sent[i] = task.route, again
        self.again += len(here & again) * (self.kills > 0)
        again -= here
        self.visited |= here

    def _kill(self) -> None:
        swarm = self.swarm
        leader = swarm.largest()
        task = swarm.task[leader]
        self._dead, self._died = (leader, set(task._visited), task._sweep), swarm.now
        task.close()
        swarm.kill(leader)
        del swarm.task[leader]
        self.kills += 1
        swarm.at(swarm.now + AWAY, lambda: swarm.add(leader, swarm.robot(leader)))
        swarm.at(swarm.now + KILL, self._kill)

    def _await_next(self, leader: int, known: set[Cell], sweep: int) -> None:
        leaders = {robot.main.leader for robot in self.swarm.robots.values()}
        if all(each in self.swarm.robots for each in leaders) and all(
                task._followed is not None for task in self.swarm.task.values()):
            self.waits.append(self.swarm.now - self._died)
            self._dead = None
            self.swarm.at(self.swarm.now + 2.0, lambda: self._compare(known, sweep))

    def _compare(self, known: set[Cell], sweep: int) -> None:
        task = self.swarm.task[self.swarm.largest()]
        self.kept.append(1.0 if task._sweep > sweep
                         else len(known & task._visited) / max(len(known), 1))


def patrol(kind: type[Patrol], robots: int, seconds: float, seed: int,
           kills: bool, deputies: int) -> PatrolFigures:
    """Return what a patrol gives."""
    run = PatrolWorld(kind, robots, seed, kills, deputies)
    run.swarm.run(seconds)
    size = run.swarm.bytes / run.swarm.received
    return PatrolFigures(
        run.kills, run.sweeps, run.again / max(run.kills, 1), min(run.kept, default=math.nan),
        max(run.waits, default=math.nan), size, size * run.swarm.messages / seconds)


# A mission.

TASKS, ROBOTS, SIDE, SPEED, SERVICE = 40, 10, 100.0, 1.0, 5.0
"""The places, the robots, the side of the area [m], the speed [m/s], the time at a place [s]."""
STRATEGIES = ('oracle', 'gossip', 'leader', 'leader, nothing handed over')
LONGEST = 1500.0
FORGET = 5.0
"""Gossip: the age at which a robot counts as failed: expiry and two rounds, as of a leader [s]."""


def plan(robots: Mapping[int, Position], todo: Collection[int],
         places: Mapping[int, Position]) -> dict[int, list[int]]:
    """Return a route for each robot: always the place that ends a route the earliest."""
    routes: dict[int, list[int]] = {i: [] for i in robots}
    ends, costs, left = dict(robots), dict.fromkeys(robots, 0.0), sorted(todo)
    while left and robots:
        _, i, k = min((costs[i] + math.dist(ends[i], places[k]), i, k)
                      for i in robots for k in left)
        costs[i] += math.dist(ends[i], places[k]) + SERVICE * SPEED
        ends[i] = places[k]
        routes[i].append(k)
        left.remove(k)
    return routes


class Visits(Task):
    """Visit places by the leader's plan; a robot contributes what it has visited itself."""

    collects = {'places': PLACES, **{f'v{k}': any_of() for k in range(TASKS)}}
    remembers = {'visited': list}

    def __init__(self, member: Member, goals: Mapping[int, Position]) -> None:
        super().__init__(member, None)
        self._goals = goals
        self.own: set[int] = set()
        self.route: list[int] = []
        self._known: set[int] = set()
        self._plan: dict[int, list[int]] = {}

    def sense(self) -> Mapping[str, Any]:
        """Contribute position and visits."""
        return {'places': place_contribution(self.member.pose()),
                **{f'v{k}': True for k in self.own}}

    def decide(self, summary: Mapping[str, Any]) -> Any:
        """Plan anew when robots come or go."""
        self._known |= {k for k in range(TASKS) if summary[f'v{k}']}
        robots = places_in(summary['places'])
        if self._plan.keys() != robots.keys():
            self._plan = plan(robots, set(self._goals) - self._known, self._goals)
        return [[i, *route] for i, route in self._plan.items()]

    def act(self, decision: Any) -> None:
        """Follow the plan, or the last one."""
        if not self.member.leads:
            self._known, self._plan = set(), {}
        for i, *route in decision or ():
            if i == self.member.id:
                self.route = route

    def memory(self) -> Mapping[str, Any] | None:
        """Return the visits that are known."""
        return {'visited': sorted(self._known)} if self._known else None

    def resume(self, memory: Mapping[str, Any], term: int | None) -> None:
        """Continue with known visits."""
        self._known, self._plan = set(memory['visited']), {}

    def merge(self, other: Mapping[str, Any]) -> None:
        """Add known visits."""
        self._known |= set(other['visited'])


class ForgetfulVisits(Visits):
    """The same without handover."""

    remembers = {}


class Mission:
    """
    Robots that visit places, and fail.

    :ivar visits: how often each place was visited.
    """

    def __init__(self, strategy: str, reach: float, between: float, seed: int) -> None:
        chance = random.Random(seed)
        draw = partial(chance.uniform, 0.0, SIDE)
        self.strategy, self.reach, self.now = strategy, reach, 0.0
        self.goals = {k: (draw(), draw()) for k in range(TASKS)}
        self.at = {i: (draw() / 10, draw() / 10) for i in range(1, ROBOTS + 1)}
        self.ends = {i: chance.expovariate(1.0 / between) for i in self.at}
        self.ends[chance.choice(sorted(self.at))] = math.inf  # One is left to end the mission.
        self.visits = Counter[int]()
        self._own: dict[int, set[int]] = {i: set() for i in self.at}
        self._busy = dict.fromkeys(self.at, 0.0)
        self.routes: dict[int, list[int]] = {i: [] for i in self.at}
        self._alive: tuple[int, ...] = ()
        self._heard = {i: {i: (0.0, place)} for i, place in self.at.items()}
        self._told = {i: set[int]() for i in self.at}
        self._planned: dict[int, Any] = {}
        self.swarm: TaskSwarm | None = None
        if strategy.startswith('leader'):
            kind = Visits if strategy == 'leader' else ForgetfulVisits
            self.swarm = TaskSwarm(
                sorted(self.at), reach, lambda i: kind(
                    Member(i, pose=lambda: (*self.at[i], 0.0)), self.goals), 'visits',
                radius=1000.0, message_expiry=3.0, schedule='periodic')

    def run(self) -> tuple[float, int]:
        """Return the time until all is visited [s], and the number of visits for nothing."""
        while len(self.visits) < TASKS and self.now < LONGEST:
            self.now += 1.0
            for i in [i for i in self.at if self.ends[i] <= self.now]:
                del self.at[i]
                if self.swarm is not None:
                    self.swarm.kill(i)
            getattr(self, '_' + self.strategy.split(',')[0])()
            for i in self.at:
                self._move(i)
        return self.now, sum(self.visits.values()) - len(self.visits)

    def _move(self, i: int) -> None:
        if self._busy[i] > self.now:
            return
        left, room = [k for k in self.routes[i] if k not in self._own[i]], SPEED
        if not left:
            return
        goal, here = self.goals[left[0]], self.at[i]
        far = math.dist(here, goal)
        if far > room:
            self.at[i] = (here[0] + (goal[0] - here[0]) * room / far,
                          here[1] + (goal[1] - here[1]) * room / far)
            return
        self.at[i], self._busy[i] = goal, self.now + SERVICE
        self._own[i].add(left[0])
        self.visits[left[0]] += 1

    def _oracle(self) -> None:
        alive = tuple(self.at)
        if alive != self._alive:
            self._alive = alive
            self.routes |= plan(self.at, set(self.goals) - self.visits.keys(), self.goals)

    def _gossip(self) -> None:
        said = {i: ({**self._heard[i], i: (self.now, place)}, self._told[i] | self._own[i])
                for i, place in self.at.items()}
        for i, place in self.at.items():
            for j, (heard, told) in said.items():
                if math.dist(place, self.at[j]) <= self.reach:
                    self._told[i] = self._told[i] | told
                    for robot, (stamp, where) in heard.items():
                        if stamp > self._heard[i].get(robot, (-1.0, where))[0]:
                            self._heard[i][robot] = stamp, where
            known = {robot: where for robot, (stamp, where) in self._heard[i].items()
                     if self.now - stamp < FORGET}
            if known.keys() != self._planned.get(i):
                self._planned[i] = set(known)
                self.routes |= {i: plan(known, self.goals.keys() - self._told[i],
                                        self.goals)[i]}

    def _leader(self) -> None:
        assert self.swarm is not None
        for i, place in self.at.items():
            self.swarm.place(i, (*place, 0.0))
            self.swarm.task[i].own = self._own[i]
        self.swarm.run(1.0)
        for i in self.at:
            self.routes[i] = self.swarm.task[i].route


def mission(seeds: int, ranges: list[float], failures: list[float]) -> dict[str, Any]:
    """Return the runs: time and visits for nothing by strategy, range and mean time to fail."""
    return {f'{strategy}|{reach:g}|{between:g}': [
        Mission(strategy, reach, between, seed).run() for seed in range(seeds)]
        for strategy in STRATEGIES for reach in ranges for between in failures}


def draw(runs: Mapping[str, Any], ranges: list[float], failures: list[float],
         path: Path) -> None:
    """Draw both measures over the mean time to fail, a column for each range."""
    from matplotlib.figure import Figure
    figure = Figure(figsize=(8.0, 4.6), layout='constrained')
    axes = figure.subplots(2, len(ranges), sharex=True, sharey='row', squeeze=False)
    for column, reach in enumerate(ranges):
        for row, label in enumerate(('time to complete [s]', 'places visited again')):
            for strategy, line in zip(STRATEGIES, ('k-', 'C2-.', 'C0-', 'C1--')):
                axes[row][column].plot([str(f'{each:g}') for each in failures], [
                    fmean(run[row] for run in runs[f'{strategy}|{reach:g}|{each:g}'])
                    for each in failures], line, marker='o', markersize=3, label=strategy)
            axes[row][0].set_ylabel(label)
            axes[row][column].set_ylim(bottom=0.0)
        axes[0][column].set_title(f'range {reach:g} m')
        axes[1][column].set_xlabel('mean time to fail [s]')
    axes[1][-1].legend(fontsize='small')
    figure.savefig(path, dpi=110)


def main() -> None:
    """Print the figures of a patrol, or of missions."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('what', choices=('patrol', 'mission'))
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--seconds', type=float, default=310.0, help='patrol: the time')
    parser.add_argument('--robots', type=int, default=10, help='patrol: the number of robots')
    parser.add_argument('--figure', type=Path, help='mission: the file of a figure')
    options = parser.parse_args()
    if options.what == 'patrol':
        print('| | kills | sweeps | cells again a kill | kept at least | next decision [s] | '
              'bytes in a message | bytes a second |\n|---|---|---|---|---|---|---|---|')
        for name, kind, kills, deputies in (
                ('handed over', Patrol, True, 0), ('to two deputies', Patrol, True, 2),
                ('not', Forgetful, True, 0), ('without kills', Patrol, False, 0)):
            for seed in range(options.seeds):
                found = patrol(kind, options.robots, options.seconds, seed, kills, deputies)
                print(f'| {name} | {found.kills} | {found.sweeps} '
                      f'| {found.again:.1f} | {found.kept:.1%} '
                      f'| {found.next_decision:.1f} | {found.size:.0f} | {found.rate:.0f} |',
                      flush=True)
        return
    ranges, failures = [20.0, 150.0], [100.0, 200.0, 400.0]
    runs = mission(options.seeds, ranges, failures)
    print(json.dumps(runs))
    for key, each in runs.items():
        print(key, ' '.join(f'{fmean(column):.1f}' for column in zip(*each)))
    if options.figure:
        draw(runs, ranges, failures, options.figure)


if __name__ == '__main__':
    main()
