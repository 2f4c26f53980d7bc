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

"""The scenarios of the tasks count, dispatch, field, patrol and rally, and the table of all."""

from argparse import Namespace
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field
from functools import partial
import json
import math
from random import Random
from statistics import fmean, median
from typing import Any, TYPE_CHECKING

from leader_election.election.tasks.coverage import Cell, unpacked_cells
from leader_election.ros.demo.checks import Check
from leader_election.ros.demo.gate import GateScenario
from leader_election.ros.demo.scenario import DemoScenario, DrivingScenario, Observation
from leader_election.ros.nodes.qos import ORDERS, STATE
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.scene import free_space, make_scene
from leader_election.simulation.sensors import field_values
from leader_election.swarm.snapshot import alarmed, links, member_counts, regions, Snapshot
import numpy as np
import shapely
from std_msgs.msg import String

if TYPE_CHECKING:
    from leader_election.ros.demo.swarm import SwarmDemo

ACCURATE = 0.05
"""The allowed relative error of an average."""
MOSTLY = 0.9
"""The share of snapshots in which a condition must hold: information takes time to spread."""

JOBS, WORK, PUT_UNTIL = 24, 2.0, 0.55
"""Task dispatch: jobs, the work on each [s], the share of the run in which they are put."""
KNOWN_AFTER = 10.0
"""The time after which a job does not depend on the robot that received it [s]."""

ALARM_ABOVE = 0.5
"""Task field: the reading above which a region raises an alarm."""
PEAK = (-1.5, 4.5, 1.0, 3.0)
"""The peak's x, y [m], height, width [m]. It is above the threshold within 3.5 m."""
ALARM_DELAY, CLEAR_DELAY = 8.0, 15.0
"""Times after which an alarm has reached all members, and has ended without a reading [s]."""

AREA = shapely.box(-9.5, -6.5, 9.5, 6.5)
"""Task patrol: the patrolled area [m]."""
VISIT_DISTANCE = 1.0
"""The distance from a robot's path within which places are visited [m]; the lanes' width."""
VISITED = 0.6
"""The share of the area that must be visited at the end."""
KNOWN, KNOWN_WITHIN = 0.99, 20.0
"""The share of what a killed leader knew that the next must know, after at most a time [s]."""

DISTANCE, LEADER_MARGIN = 1.5, 1.0
"""Task rally: the radius of the circle round a leader, and how far it may have moved on [m]."""
JOIN_TIME = 15.0
"""The time for a robot to reach its leader after it has joined a region [s]."""
IN_PLACE = 0.8
"""The share of members past that time that must be with their leader, on average."""


def since(before: Mapping[int, tuple[Any, float]], now: Mapping[int, Any],
          time: float) -> dict[int, tuple[Any, float]]:
    """Return the present values by id, and since when each has been the same [s]."""
    return {i: before[i] if i in before and before[i][0] == value else (value, time)
            for i, value in now.items()}


class CountScenario(DemoScenario):
    """Task ``count``, robots in Levy walks: on average the leaders' counts sum up to the swarm."""

    duration = 60.0
    robot_parameters = {'tasks': 'count'}

    def __init__(self, options: Namespace) -> None:
        """Start without observations. Parameters as of :class:`DemoScenario`."""
        super().__init__(options)
        self._shares: list[float] = []

    def observe(self, observation: Observation) -> None:
        """Sum up the counts."""
        robots = len(observation.snapshot.robots)
        if observation.steady and robots:
            self._shares.append(sum(member_counts(observation.snapshot).values()) / robots)

    def checks(self) -> list[Check]:
        """Compare the average with the number of robots."""
        if not self._shares:
            return [Check(False, 'count: there was no time to observe the counts')]
        worst = max(abs(share - 1.0) for share in self._shares)
        return [Check(abs(fmean(self._shares) - 1.0) <= ACCURATE,
                      f'count: on average the leaders count {fmean(self._shares):.1%} of the '
                      f'swarm (a sample is off by at most {worst:.1%})')]


@dataclass
class PutJob:
    """
    A job that was put on the topic of a robot at a time [s].

    :ivar died: when the robot was first missing [s].
    :ivar done_by: the robots that did it.
    :ivar wait: the time until it was done [s].
    """

    robot: int
    time: float
    died: float = math.inf
    done_by: set[int] = field(default_factory=set)
    wait: float = math.inf


class DispatchScenario(DrivingScenario):
    """
    Jobs at random places come in on topics of random robots. All are done, and counted.

    :ivar put: the jobs put on topics, by id.
    """

    # A job whose leader is gone is told to the next one after half a minute, perhaps twice.
    duration = 150.0
    radius = 10.0
    range = 8.0  # noqa: A003
    # A killed robot may stand where a job is.
    robot_parameters = {'tasks': 'dispatch', 'quorum': 'majority', 'dispatch.tolerance': 0.8}

    def __init__(self, options: Namespace) -> None:
        """Draw the places of the jobs. Parameters as of :class:`.DemoScenario`."""
        super().__init__(options)
        # Where so many robots could start in this world.
        self._places = [start[:2] for start in make_scene(SceneParameters(
            robots=JOBS, seed=options.seed + 1, world=options.world)).starts]
        self._random = Random(options.seed)
        self.put: dict[int, PutJob] = {}
        self._now = 0.0

    def begin(self, demo: 'SwarmDemo') -> None:
        """Listen to what robots do, and advertise their topics of jobs."""
        node = demo.truth
        self._topics = {robot: node.create_publisher(String, f'/robot_{robot}/jobs', ORDERS)
                        for robot in demo.ids}
        # This process may be too busy to read each state before the next one.
        profile = copy(STATE)
        profile.depth = 10
        for robot in demo.ids:
            node.create_subscription(
                String, f'/robot_{robot}/job', partial(self.receive, robot), profile)

    def receive(self, robot: int, message: String) -> None:
        """Note a job that a robot has done. A latched message may come again."""
        job = json.loads(message.data) if message.data else {}
        if job.get('state') == 'done' and job['id'] in self.put:
            put = self.put[job['id']]
            put.done_by.add(robot)
            put.wait = min(put.wait, self._now - put.time)

    def observe(self, observation: Observation) -> None:
        """Put a job on the topic of a living robot, if one is due."""
        super().observe(observation)
        living = sorted(observation.snapshot.robots)
        self._now = observation.snapshot.time
        for job in self.put.values():
            if job.robot not in living:
                job.died = min(job.died, self._now)
        number = len(self.put)
        begun = self.put[0].time if self.put else self._now
        due = begun + PUT_UNTIL * self.options.duration * number / JOBS
        if number < JOBS and living and self._now >= due:
            place, robot = self._places[number], self._random.choice(living)
            self.put[number] = PutJob(robot, self._now)
            self._topics[robot].publish(String(data=json.dumps(
                {'id': number, 'place': place, 'seconds': WORK})))

    def checks(self) -> list[Check]:
        """Check that the jobs that robots lived long enough to pass on are done."""
        held = {number: job for number, job in self.put.items()
                if job.died - job.time > KNOWN_AFTER}
        left = [number for number, job in held.items() if not job.done_by]
        twice = sum(len(job.done_by) > 1 for job in self.put.values())
        waits = [job.wait for job in self.put.values() if job.done_by]
        return [
            *super().checks(),
            Check(bool(held) and not left, f'dispatch: {len(held) - len(left)} of {len(held)} '
                  f'jobs were done, {len(self.put) - len(held)} more came to a robot that died '
                  f'within {KNOWN_AFTER:g} s' + ''.join(
                      f'; not job {number} of robot {self.put[number].robot}' for number in left)),
            Check(not (twice and self.options.mandate), f'dispatch: {twice} of them were done '
                  f'twice, {"never with" if self.options.mandate else "possible without"} '
                  'mandates'),
            Check(bool(waits), 'dispatch: a job waited for '
                  + (f'{median(waits):.0f} s (median), at most {max(waits):.0f} s, with '
                     f'{WORK:g} s of work' if waits else 'ever'))]


class FieldScenario(DemoScenario):
    """Task ``field``, robots in Levy walks past a peak: regions in the peak raise an alarm."""

    duration = 60.0
    world_parameters = {'motion': 'levy', 'reading_rate': 2.0, 'reading_peaks': list(PEAK)}
    robot_parameters = {'tasks': 'field', 'field.alarm_above': ALARM_ABOVE}

    def __init__(self, options: Namespace) -> None:
        """Start without observations. Parameters as of :class:`DemoScenario`."""
        super().__init__(options)
        self._since: dict[int, tuple[bool | None, float]] = {}
        self._looks = {True: 0, False: 0}
        self._right = {True: 0, False: 0}

    def observe(self, observation: Observation) -> None:
        """Compare alarms with true readings, in regions without a recent change of readings."""
        snapshot = observation.snapshot
        self._since = since(self._since, self._peaks(snapshot), snapshot.time)
        for leader, (peak, begun) in self._since.items():
            if (observation.steady and peak is not None
                    and snapshot.time - begun >= (ALARM_DELAY if peak else CLEAR_DELAY)):
                self._looks[peak] += 1
                self._right[peak] += alarmed(snapshot, leader) == peak

    def checks(self) -> list[Check]:
        """Compare the shares of right alarms, and of right silence, with the share required."""
        (looks, right), (clear, quiet) = (
            (self._looks[peak], self._right[peak]) for peak in (True, False))
        return [
            Check(looks > 0 and right >= MOSTLY * looks,
                  'field: alarm in regions with a robot in the peak, '
                  f'in {right} of {looks} samples'),
            Check(quiet >= MOSTLY * clear,
                  f'field: no alarm in regions clear of it, in {quiet} of {clear} samples')]

    def _peaks(self, snapshot: Snapshot) -> dict[int, bool | None]:
        """
        Return whether each region has a robot in the peak, by its leader.

        ``None``: one of its robots receives messages of a robot in the peak across the border of
        the region. That robot may just have left the region, and its reading may still count.
        """
        placed = {i: robot.position for i, robot in snapshot.robots.items()
                  if robot.position is not None}
        values = field_values(PEAK, np.array(list(placed.values())).reshape(-1, 2))
        peaked = {i for i, value in zip(placed, values) if value > ALARM_ABOVE}
        near = {i for pair in links(snapshot, self.options.range) for i in pair
                if not peaked.isdisjoint(pair)}
        return {leader: True if not peaked.isdisjoint(members)
                else None if not near.isdisjoint(members) else False
                for leader, members in regions(snapshot).items()
                if leader in snapshot.robots and snapshot.robots[leader].leader == leader}


class PatrolScenario(DrivingScenario):
    """Task ``patrol``: regions share one area, members share a region's part. Most is visited."""

    radius = 10.0
    range = 8.0  # noqa: A003
    robot_parameters = {
        'tasks': 'patrol', 'connected': True, 'patrol.lane': VISIT_DISTANCE,
        'patrol.area': shapely.get_coordinates(AREA)[:-1].ravel().tolist()}

    def __init__(self, options: Namespace) -> None:
        """Compute the free part of the area. Parameters as of :class:`DemoScenario`."""
        super().__init__(options)
        scene = make_scene(SceneParameters(
            robots=options.robots, seed=options.seed, world=options.world))
        free = free_space(scene.arena, scene.obstacles, RADIUS)
        self._area = shapely.intersection(free, AREA)
        self._known: dict[int, tuple[int, set[Cell]]] = {}
        self._led: dict[int, tuple[int, ...]] = {}
        self._lost: list[tuple[float, tuple[int, ...], int, set[Cell]]] = []
        self._kept: list[tuple[float, float]] = []

    def observe(self, observation: Observation) -> None:
        """Compare what the next leaders of a region know with what the killed one knew."""
        super().observe(observation)
        time, robots = observation.snapshot.time, observation.snapshot.robots
        for leader in self._known.keys() - robots.keys():
            self._lost.append((time, self._led.get(leader, ()), *self._known.pop(leader)))
        self._led |= {i: each for i, each in regions(observation.snapshot).items() if i in robots}
        for robot in robots.values():
            if robot.leader != robot.id:
                self._known.pop(robot.id, None)
            elif robot.decision and (decision := json.loads(robot.decision)[0]) is not None:
                sweep, grid, visited = decision['known']
                if visited:
                    self._known[robot.id] = sweep, unpacked_cells(grid, visited)
        for each in [*self._lost]:
            begun, members, sweep, known = each
            leaders = {robots[i].leader for i in members if i in robots} & self._known.keys()
            held = [cells if now == sweep else known for now, cells in (
                self._known[i] for i in leaders) if now >= sweep]
            share = len(known & set[Cell]().union(*held)) / len(known)
            if share >= KNOWN or time > begun + KNOWN_WITHIN:
                self._kept += [(share, time - begun)] if leaders else []
                self._lost.remove(each)

    def visited(self) -> float:
        """Return the share of the area within :data:`VISIT_DISTANCE` of a robot's path."""
        paths = [shapely.LineString(path) for path in self.paths.values() if len(path) > 1]
        seen = shapely.union_all([path.simplify(0.02).buffer(VISIT_DISTANCE) for path in paths])
        return float(np.float64(seen.intersection(self._area).area / self._area.area))

    def checks(self) -> list[Check]:
        """Compare the visited share of the area with the share required."""
        share, kept = self.visited(), min(self._kept, default=None)
        return [*super().checks(), Check(
            share >= VISITED, f'patrol: {share:.0%} of {self._area.area:.0f} m² of free space '
            f'were visited, to within {VISIT_DISTANCE:g} m'), *([] if kept is None else [Check(
                kept[0] >= KNOWN, f'patrol: the leaders after one that was killed knew at least '
                f'{kept[0]:.1%} of what it knew to be visited, after at most '
                f'{max(seconds for _, seconds in self._kept):.1f} s')])]


class RallyScenario(DrivingScenario):
    """Task ``rally``: members surround their leader, which moves."""

    robot_parameters = {'tasks': 'rally', 'rally.distance': DISTANCE}

    def __init__(self, options: Namespace) -> None:
        """Start without observations. Parameters as of :class:`DemoScenario`."""
        super().__init__(options)
        self._since: dict[int, tuple[int, float]] = {}
        self._near = self._members = 0

    def observe(self, observation: Observation) -> None:
        """Count the members near their leader, of those that have followed it for long enough."""
        super().observe(observation)
        time, truth = observation.snapshot.time, observation.truth
        robots = observation.snapshot.robots
        self._since = since(self._since, {
            robot: view.leader for robot, view in robots.items() if view.leader in robots}, time)
        for robot, (leader, begun) in self._since.items():
            if (robot != leader and time - begun >= JOIN_TIME and {robot, leader} <= truth.keys()):
                self._members += 1
                self._near += math.dist(truth[robot], truth[leader]) <= DISTANCE + LEADER_MARGIN

    def checks(self) -> list[Check]:
        """Compare the share of members near their leader with the share required."""
        share = self._near / self._members if self._members else 0.0
        return [*super().checks(), Check(
            share >= IN_PLACE, f'rally: {JOIN_TIME:.0f} s after they joined a region, {share:.0%} '
            f'of its members are within {DISTANCE + LEADER_MARGIN:g} m of their leader')]


NO_TASK, GATE = '', 'gate'
SCENARIOS: dict[str, type[DemoScenario]] = {
    NO_TASK: DemoScenario, 'count': CountScenario,
    'dispatch': DispatchScenario, 'field': FieldScenario, GATE: GateScenario,
    'patrol': PatrolScenario, 'rally': RallyScenario}
