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

"""Robots that drive and see each other. Their noise is that of their parameters."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
import math
from typing import Any

from leader_election.election.messages import localisation_codec
from leader_election.localisation.cooperative import CooperativeSource
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import odometry_covariance
from leader_election.localisation.poses import compose, PlanePose, wrap
from leader_election.localisation.sighting import range_variance, Sighting
from leader_election.localisation.source import Estimate
import numpy as np

STEP = 0.25
"""The time between two readings of odometry [s]."""
SIDE = 5.0
"""The robots drive in a square of this side [m]."""
FIELD_OF_VIEW = 0.6
"""What a camera sees to each side [rad]."""
Told = tuple[tuple[float, float], Estimate]
"""What a message says: position and estimate."""
Lie = Callable[[float, int, Told], Told]
"""Changes what the liar tells: by the time, the receiver, and what it would tell honestly."""


def honest(now: float, receiver: int, told: Told) -> Told:
    """Return a message unchanged."""
    return told


class Neighbourhood:
    """
    Robots 1, 2, ... that hear each other once a second. The last one may lie.

    :ivar robots: by id.
    :ivar truth: the true poses by id.
    """

    def __init__(self, number: int, seed: int, camera: bool = False, lie: Lie = honest,
                 reach: float = 4.0, loss: float = 0.0, bias: float = 0.0,
                 outliers: float = 0.0, **parameters: Any) -> None:
        """
        Place the robots. They know where, but for the deviation at the start.

        :param camera: whether they see range and bearing ahead, in place of ranges all round.
        :param lie: of the last robot.
        :param reach: of sensors [m].
        :param loss: the probability that a message does not arrive.
        """
        self.parameters = LocalisationParameters(**parameters)
        self.rng = np.random.default_rng(seed)
        self.now = 0.0
        self.camera, self.reach, self.loss = camera, reach, loss
        self.bias, self.outliers = bias, outliers
        self.liar, self._lie = number, lie
        self.truth: dict[int, PlanePose] = {}
        self.odometry: dict[int, PlanePose] = {}
        self.counts: dict[int, Counter[str]] = {}
        self.robots: dict[int, CooperativeSource] = {}
        self._turns = dict.fromkeys(range(1, number + 1), 0.0)
        position, heading = self.parameters.initial_deviation
        for robot in self._turns:
            x, y, yaw = self.rng.uniform((0.0, 0.0, -math.pi), (SIDE, SIDE, math.pi)).tolist()
            self.truth[robot] = x, y, yaw
            error = self.rng.normal(0.0, (position, position, heading)).tolist()
            self.odometry[robot] = x + error[0], y + error[1], wrap(yaw + error[2])
            self.counts[robot] = Counter()
            self.robots[robot] = self.localisation(robot)
            self.take_odometry(robot)

    def localisation(self, robot: int) -> CooperativeSource:
        """Return the localisation of a robot that has just been switched on."""
        return CooperativeSource(robot, self.parameters, expiry=3.0, top_speed=10.0,
                                 counts=self.counts[robot], landmarks={})

    def take_odometry(self, robot: int) -> None:
        """Give a robot its odometry."""
        x, y, yaw = self.odometry[robot]
        self.robots[robot].take_odometry((x, y), yaw, self.now)

    def run(self, seconds: float) -> Iterator[float]:
        """Let time pass, and yield each whole second."""
        steps = round(1.0 / STEP)
        for _ in range(round(seconds)):
            for step in range(steps):
                self.now += STEP
                for robot in self.robots:
                    self._drive(robot)
                for robot in self.robots:
                    if robot % steps == step:
                        self._round(robot)
            yield self.now

    def _drive(self, robot: int) -> None:
        x, y, yaw = self.truth[robot]
        if not (0.0 < x < SIDE and 0.0 < y < SIDE):
            home = wrap(math.atan2(SIDE / 2 - y, SIDE / 2 - x) - yaw)
            self._turns[robot] = math.copysign(0.8, home) if abs(home) > 0.3 else 0.0
        elif self.rng.random() < 0.2 * STEP:
            self._turns[robot] = float(self.rng.choice((-0.6, 0.0, 0.0, 0.6)))
        motion = (0.2 * STEP, 0.0, self._turns[robot] * STEP)
        self.truth[robot] = compose(self.truth[robot], motion)
        noise = self.rng.multivariate_normal(
            np.zeros(3), odometry_covariance(motion, STEP, self.parameters),
            check_valid='ignore').tolist()
        measured = motion[0] + noise[0], noise[1], motion[2] + noise[2]
        self.odometry[robot] = compose(self.odometry[robot], measured)
        self.take_odometry(robot)

    def sightings(self, robot: int) -> list[Sighting]:
        """Return the present sightings of a robot."""
        seen = []
        x, y, yaw = self.truth[robot]
        for other, there in self.truth.items():
            distance = math.dist((x, y), there[:2])
            bearing = wrap(math.atan2(there[1] - y, there[0] - x) - yaw)
            if other == robot or distance > self.reach or (
                    self.camera and abs(bearing) > FIELD_OF_VIEW):
                continue
            deviation = math.sqrt(float(range_variance(np.array(distance), self.parameters)))
            found = max(distance + self.bias + float(self.rng.normal(0.0, deviation)), 0.05)
            if self.rng.random() < self.outliers:
                found = float(self.rng.uniform(0.1, 10.0))
            noise = float(self.rng.normal(0.0, self.parameters.bearing_noise))
            seen.append(Sighting(
                other, found, wrap(bearing + noise) if self.camera else math.nan))
        return seen

    def _round(self, robot: int) -> None:
        own = self.robots[robot]
        own.take_sightings(self.sightings(robot), self.now)
        own.begin_round(self.now)
        pose, estimate = own.pose, own.estimate
        assert pose is not None and estimate is not None
        for other, listener in self.robots.items():
            if other == robot or self.rng.random() < self.loss:
                continue
            told: Told = pose[:2], estimate
            if robot == self.liar:
                told = self._lie(self.now, other, told)
            part, faults = localisation_codec.read(
                {'id': robot, **localisation_codec.write(told[1])})
            assert not faults
            listener.hear(robot, told[0], part, self.now)

    def errors(self, among: Sequence[int]) -> tuple[list[float], list[float]]:
        """Return the errors of distances between robots [m], and their squares normalised."""
        errors, squares = [], []
        for one in among:
            own = self.robots[one]
            for other, distance, deviation in own.distances(self.now):
                if other in among:
                    true = math.dist(self.truth[one][:2], self.truth[other][:2])
                    errors.append(distance - true)
                    squares.append(((distance - true) / deviation) ** 2)
        return errors, squares
