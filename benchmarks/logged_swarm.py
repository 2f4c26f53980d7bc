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

"""Robots without ROS on a replay of logs, or in the embedded world, compared with the truth."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
import math
from pathlib import Path
import random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from benchmarks.simulated_swarm import SimulatedSwarm
from leader_election.election.algorithms.algorithm import Device
from leader_election.election.algorithms.bounded import bounded_round, Candidacies
from leader_election.election.messages.codec import Position
from leader_election.election.robot.neighbourhood import Neighbour
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.localisation.cooperative import CooperativeSource
from leader_election.localisation.poses import between, compose, PlanePose
from leader_election.localisation.sighting import ANTENNAS, STAMP, TRIPLES
from leader_election.parameters import build
from leader_election.simulation.logged_sightings import read_scene_landmarks
from leader_election.simulation.motion import Array
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
from leader_election.swarm.accuracy import Accuracy, nees, relative_error
from leader_election.swarm.fleet.robot_list import strength
from leader_election.swarm.reference_partition import links_within, partition
import numpy as np

LOOK = 1.0
"""The time between two comparisons with the truth [s]."""
COMPARE_FROM = 5.0
"""The start of the comparisons, after the first election [s]."""
OFF_FOR = 60.0
"""The time for which a robot is off [s]."""
RADIUS, REACH = 3.0, 2.5
"""The default parameters ``radius`` and ``communication_range`` [m]."""

Settings = Callable[[int], Mapping[str, Any]]


class LogSample(NamedTuple):
    """The swarm at one time, compared with the partition by true positions."""

    time: float
    """[s]."""
    same: tuple[int, ...]
    """The robots with the right leader."""
    robots: int
    """The number of robots."""
    off: dict[int, float]
    """The error of each robot's own position [m]."""
    faults: dict[int, str]
    """What each robot's diagnostics say of its localisation, empty for no fault."""
    mistaken: tuple[int, ...]
    """The robots with another leader than by true distances to those in range, as they are."""


class LoggedSwarm(SimulatedSwarm):
    """
    The robots of a world, which hear each other by its radio.

    :ivar moments: the comparisons with the truth.
    :ivar accuracy: of the robots' own poses, and of the relative positions of others.
    :ivar relative_nees: the NEES of relative positions whose covariances are known.
    :ivar unknown: the number of poses whose covariances robots call unknown.
    :ivar errors: of distances to robots that are truly in range [m].
    :ivar squares: the same, divided by the robots' own deviations and squared.
    """

    def __init__(self, world: Mapping[str, Any], *, radius: float = RADIUS,
                 reach: float = REACH, each: Settings = lambda robot: {},
                 blind: Collection[int] = (),
                 known_landmarks: bool = False, see_landmarks: Collection[int] | None = None,
                 late: float = 0.0, wrong_ids: float = 0.0, off: tuple[int, float] | None = None,
                 **settings: Any) -> None:
        """
        Place the robots and plan their first rounds.

        :param world: parameters of the world. Its seed is that of strengths. With radio
            ``shared`` all are in range.
        :param reach: parameter ``communication_range`` [m].
        :param each: a robot's own parameters by its id.
        :param blind: the robots without a sensor.
        :param known_landmarks: whether robots know the places of landmarks.
        :param see_landmarks: the robots that see landmarks, ``None`` for all.
        :param late: how much later than their stamps sightings arrive [s].
        :param wrong_ids: the share of sightings of robots that have the id of another one.
        :param off: the id of a robot that is off for :data:`OFF_FOR`, and from when [s]. Then its
            odometry begins anew at its first pose, although it has driven on.
        :param settings: parameters of all robots.
        """
        parameters = build(WorldParameters, dict(world))
        if parameters.radio == 'shared':
            parameters = replace(parameters, radio_range=math.inf)
        self.world = World(parameters)
        self.moments: list[LogSample] = []
        self.accuracy = Accuracy()
        self.relative_nees: list[float] = []
        self.unknown = 0
        self.errors: list[float] = []
        self.squares: list[float] = []
        ids = self.world.scene.ids
        self._strengths = {robot: strength(parameters.seed, robot) for robot in ids}
        self._radius, self._reach, self._late = radius, reach, late
        self._wrong_ids, self._chance = wrong_ids, random.Random(parameters.seed)
        self._unmarked = set() if see_landmarks is None else set(ids) - set(see_landmarks)
        self._said: dict[int, Position | None] = {}
        self._sighted = [row for row, robot in enumerate(ids) if robot not in blind]
        places = read_scene_landmarks(
            parameters.logs, parameters.landmarks, ids) if known_landmarks else {}
        starts, known = dict(zip(ids, map(tuple, self.world.poses.tolist()))), ''
        if places:
            self._folder = TemporaryDirectory()
            known = f'{self._folder.name}/landmarks.csv'
            Path(known).write_text('id,x,y\n' + ''.join(
                f'{landmark},{x!r},{y!r}\n' for landmark, (x, y) in places.items()),
                encoding='utf-8')

        def make(robot: int) -> Robot:
            return Robot(build(ElectionParameters, {
                'robot_id': robot, 'radius': radius, 'strength': self._strengths[robot],
                'communication_range': reach, 'radius_hysteresis': 0.0,
                'initial_pose': starts[robot], 'landmarks': known, **settings,
                **each(robot)}))

        self._make = make
        robots = {robot: make(robot) for robot in ids}
        super().__init__(robots, lambda robot: [ids[row] for row in self.world.radio.receivers(
            ids.index(robot), self.world.poses).tolist()])
        self._starts = starts
        self._restarts: dict[int, PlanePose] = {}
        """The pose by odometry of a robot when it was started again, by its id."""
        if off is not None:
            self.at(off[1], partial(self.kill, off[0]))
            self.at(off[1] + OFF_FOR, partial(self._restart, off[0]))
        self.at(0.0, self._step)
        self.at(COMPARE_FROM + 1e-6, self._look)

    def _round(self, robot: int, pending: list[Neighbour] | None = None) -> None:
        super()._round(robot, pending)
        self._said[robot] = self.robots[robot].sensing.position

    def _step(self) -> None:
        if self.now > 0.0:
            self.world.step()
        sightings = self.world.sightings(self._sighted)
        for row, (number, (x, y, yaw)) in enumerate(
                zip(self.world.scene.ids, self.world.odometry.tolist())):
            seen = sightings[sightings[:, 0] == row, 1:]
            if number in self._unmarked:
                seen = seen[np.isin(seen[:, 0], self.world.scene.ids)]
            for each in seen if self._wrong_ids else ():
                if each[0] in self.robots and self._chance.random() < self._wrong_ids:
                    each[0] = self._chance.choice([
                        other for other in self.robots if other not in (number, each[0])])
            if number in self._restarts:
                motion = between(self._restarts[number], (x, y, yaw))
                x, y, yaw = compose(self._starts[number], motion)
            if number in self.robots:
                self.sense(self.robots[number], (x, y, yaw), seen)
        self.at(self.world.time + self.world.dt, self._step)

    def sense(self, robot: Robot, odometry: PlanePose, seen: Array) -> None:
        """
        Give a robot its odometry and its sightings.

        :param seen: rows of id, range [m], bearing [rad], and places of antennas, shape (n, 3 or
            7).
        """
        robot.sensing.take_odometry((*odometry[:2], 0.0), self.now, yaw=odometry[2])
        if len(seen):
            rows = np.column_stack((seen, np.full(len(seen), self.now))).ravel().tolist()
            columns = (*TRIPLES, *ANTENNAS)[:seen.shape[1]]

            def arrive() -> None:
                robot.sensing.take_measurements(rows, self.now, (*columns, STAMP), self.now)

            if self._late:
                self.at(self.now + self._late, arrive)
            else:
                arrive()

    def _restart(self, robot: int) -> None:
        """Start a robot again, which knows nothing of before."""
        row = self.world.scene.ids.index(robot)
        self._restarts[robot] = tuple(self.world.odometry[row].tolist())
        self.add(robot, self._make(robot))

    def _look(self) -> None:
        ids = list(self.robots)
        poses = dict(zip(self.world.scene.ids, self.world.poses.tolist()))
        places = {robot: pose[:2] for robot, pose in poses.items()}
        near = links_within({robot: places[robot] for robot in ids}, self._reach)
        right = partition(near, self._strengths, self._radius, 'id')
        self.moments.append(LogSample(
            self.now, tuple(robot for robot in ids
                            if self.robots[robot].state.leader == right[robot][0]), len(ids),
            {one: math.dist(here, places[one]) for one, robot in self.robots.items()
             if (here := robot.sensing.locate(self.now)) is not None},
            {one: robot.sensing.source.fault(self.now, robot.doubt(self.now))
             for one, robot in self.robots.items()},
            tuple(robot for robot in ids if self._is_mistaken(robot, near[robot]))))
        for robot, lengths in near.items():
            self._judge(robot, poses[robot], {other: places[other] for other in lengths})
        self.at(self.now + LOOK, self._look)

    def _is_mistaken(self, robot: int, near: Mapping[int, float]) -> bool:
        """Return whether a robot has another leader than by true distances to those in range."""
        main, others = self.robots[robot].main, [self.robots[other].main.state for other in near]
        columns = zip(*others) if others else [()] * len(Candidacies._fields)
        found = bounded_round(
            Device(robot, self._strengths[robot]), main.state, Candidacies(*map(list, columns)),
            list(near.values()), main.round_parameters)
        return found.leader != main.state.leader

    def _judge(self, robot: int, true: PlanePose, near: Mapping[int, Position]) -> None:
        """
        Add the errors of a robot's own pose, and of the places of robots that are truly in range.

        Places are those that its filter estimates, otherwise those of the other robots' last
        messages.
        """
        sensing = self.robots[robot].sensing
        pose = sensing.pose(self.now)
        if pose is None:
            return
        source = sensing.source
        claimed = source.claimed(self.now)
        deviations = {other: deviation for other, _, deviation in source.distances(self.now)}
        self.accuracy.add_pose(robot, pose, true, claimed)
        self.unknown += claimed is None
        for other, true_place in near.items():
            relative = (source.relative(other, self.now)
                        if isinstance(source, CooperativeSource) else None)
            place = source.place_of(other) if relative else self._said.get(other)
            if place is None:
                continue
            off = relative_error(pose, place, true, true_place)
            self.accuracy.relative.append(off[0]**2 + off[1]**2)
            if relative:
                self.relative_nees.append(nees(np.array(off), relative[1]))
            error = math.dist(pose[:2], place) - math.dist(true[:2], true_place)
            self.errors.append(error)
            if other in deviations:
                self.squares.append((error / deviations[other]) ** 2)

    def share(self, begin: float, end: float) -> tuple[float, float]:
        """Return the shares of right leaders and of whole right partitions in a time [s]."""
        moments = [moment for moment in self.moments if begin <= moment.time < end]
        total = sum(moment.robots for moment in moments)
        return (sum(len(moment.same) for moment in moments) / max(total, 1),
                sum(len(moment.same) == moment.robots for moment in moments)
                / max(len(moments), 1))
