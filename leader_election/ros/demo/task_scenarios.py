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

"""The scenarios of the tasks count, field, patrol and rally, and the table of all."""

from argparse import Namespace
import json
import math
from statistics import fmean

from leader_election.election.tasks.coverage import Cell, unpacked_cells
from leader_election.ros.demo.checks import Check
from leader_election.ros.demo.dispatch import DispatchScenario
from leader_election.ros.demo.gate import GateScenario
from leader_election.ros.demo.scenario import DemoScenario, DrivingScenario, Observation
from leader_election.simulation.parameters import SceneParameters, WorldParameters
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.scene import free_space, make_scene
from leader_election.simulation.sensors import ScalarField
from leader_election.swarm.snapshot import (
    alarmed,
    links,
    member_counts,
    Regions,
    regions,
    Snapshot,
)
import numpy as np
import shapely

ACCURATE = 0.05
"""The allowed relative error of an average."""
MOSTLY = 0.9
"""The share of snapshots in which a condition must hold: information takes time to spread."""


ALARM_ABOVE = 0.5
"""Task field: the reading above which a region raises an alarm."""
PEAK = (-1.5, 4.5, 1.0, 3.0)
"""The peak's x, y [m], height, width [m]. It is above the threshold within 3.5 m."""
ALARM_DELAY = 8.0
"""The time that a reading takes to the leader, and the alarm to all members [s]."""
CLEAR_DELAY = 15.0
"""The time after which an alarm without a supporting reading ends, including its hold time [s]."""

AREA = (-9.5, -6.5, 9.5, 6.5)
"""Task patrol: left, bottom, right and top of the patrolled area [m]."""
VISIT_DISTANCE = 1.0
"""The distance from a robot's path within which places are visited [m]; the lanes' width."""
VISITED = 0.6
"""The share of the area that must be visited at the end."""
KNOWN = 0.99
"""The share of what a killed leader knew to be visited that the next ones must know."""
KNOWN_WITHIN = 20.0
"""The time that they have, from its death on [s]."""

DISTANCE = 1.5
"""Task rally: the radius of the circle on which members surround their leader [m]."""
LEADER_MARGIN = 1.0
"""The tolerance of this radius, since the leader keeps moving [m]."""
JOIN_TIME = 15.0
"""The time for a robot to reach its leader after it has joined a region [s]."""
IN_PLACE = 0.8
"""The share of members past that time that must be with their leader, on average."""


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
        error = fmean(abs(share - 1.0) for share in self._shares)
        return [Check(
            abs(fmean(self._shares) - 1.0) <= ACCURATE,
            f'count: on average the leaders count {fmean(self._shares):.1%} of the swarm '
            f'(off by {error:.1%} per sample on average, at most '
            f'{max(abs(share - 1.0) for share in self._shares):.1%})')]


class FieldScenario(DemoScenario):
    """Task ``field``, robots in Levy walks past a peak: regions in the peak raise an alarm."""

    duration = 60.0
    world_parameters = {'motion': 'levy', 'reading_rate': 2.0, 'reading_peaks': list(PEAK)}
    robot_parameters = {'tasks': 'field', 'field.alarm_above': ALARM_ABOVE}

    def __init__(self, options: Namespace) -> None:
        """Start without observations. Parameters as of :class:`DemoScenario`."""
        super().__init__(options)
        self._field = ScalarField(WorldParameters(reading_peaks=PEAK))
        self._since: dict[int, tuple[bool | None, float]] = {}
        self._looks = {True: 0, False: 0}
        self._right = {True: 0, False: 0}

    def observe(self, observation: Observation) -> None:
        """Compare alarms with true readings, in regions without a recent change of readings."""
        snapshot = observation.snapshot
        now = self._peaks(snapshot)
        self._since = {
            leader: self._since[leader]
            if leader in self._since and self._since[leader][0] == peak
            else (peak, snapshot.time) for leader, peak in now.items()}
        for leader, (peak, since) in self._since.items():
            if (observation.steady and peak is not None
                    and snapshot.time - since >= (ALARM_DELAY if peak else CLEAR_DELAY)):
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
        values = self._field.value(np.array(list(placed.values())).reshape(-1, 2))
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
        'patrol.area': [number for corner in shapely.box(*AREA).exterior.coords[:-1]
                        for number in corner]}

    def __init__(self, options: Namespace) -> None:
        """Compute the free part of the area. Parameters as of :class:`DemoScenario`."""
        super().__init__(options)
        scene = make_scene(SceneParameters(
            robots=options.robots, seed=options.seed, world=options.world))
        free = free_space(scene.arena, scene.obstacles, RADIUS)
        self._area = shapely.intersection(free, shapely.box(*AREA))
        self._known: dict[int, tuple[int, set[Cell]]] = {}
        self._led: Regions = {}
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
        self._since = {
            robot.id: self._since[robot.id]
            if self._since.get(robot.id, (-1, 0.0))[0] == robot.leader else (robot.leader, time)
            for robot in robots.values() if robot.leader in robots}
        for robot, (leader, since) in self._since.items():
            if (robot != leader and time - since >= JOIN_TIME
                    and {robot, leader} <= truth.keys()):
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
