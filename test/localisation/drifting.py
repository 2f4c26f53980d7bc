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

"""Robots that drive about, drift, and measure ranges of each other, with known truth."""

from collections import Counter
from collections.abc import Callable
import math

from leader_election.localisation.localisation import Localisation
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.poses import compose, PlanePose
from leader_election.localisation.sighting import Sighting
import numpy as np

PERIOD = 1.0
"""The time between two rounds of a robot [s]."""
SPEED, TURN = 0.15, 0.4
"""How fast robots drive and turn [m/s, rad/s]."""
Sensor = Callable[[int, int, float, float], tuple[float, float]]
"""Measures: observer, seen, true range and bearing to what is measured."""


def exact(observer: int, seen: int, distance: float, bearing: float) -> tuple[float, float]:
    """Measure what is true."""
    return distance, bearing


class Swarm:
    """
    Robots 1 to n in a square of 4 m; each drives straight for a while, then turns.

    The errors of odometry are those that the parameters say, and so is the noise of sensors.

    :ivar robots: the localisation of each robot, by id.
    :ivar truth: their true poses.
    """

    def __init__(self, count: int, seed: int, sensor: Sensor = exact, bearings: bool = False,
                 cooperates: bool = True) -> None:
        self.random = np.random.default_rng(seed)
        self.parameters = LocalisationParameters()
        self.time = 0.0
        self.robots: dict[int, Localisation] = {}
        self.truth: dict[int, PlanePose] = {}
        self.counts: dict[int, Counter[str]] = {}
        self._odometry: dict[int, PlanePose] = {}
        self._sensor, self._bearings = sensor, bearings
        for i in range(1, count + 1):
            x, y = self.random.uniform(0.0, 4.0, 2)
            self.truth[i] = self._odometry[i] = (x, y, self.random.uniform(-3.0, 3.0))
            self.counts[i] = Counter()
            self.robots[i] = Localisation(
                i, self.parameters, cooperates=cooperates, expiry=3.0, top_speed=10.0,
                counts=self.counts[i])

    def run(self, seconds: float) -> None:
        """Let time go by; each robot moves, measures, and sends one message in each period."""
        for _ in range(round(seconds / PERIOD)):
            self.time += PERIOD
            for i, robot in self.robots.items():
                self._drive(i)
                robot.take_odometry(self._odometry[i], self.time)
            for i, robot in self.robots.items():
                robot.take_sightings(self._sightings(i), self.time)
                robot.begin_round(self.time)
                said, pose = robot.estimate, robot.pose
                assert pose is not None
                for j, other in self.robots.items():
                    if j != i:
                        other.hear(i, pose[:2], said, self.time)

    def error(self, one: int, other: int) -> float:
        """Return by how much a robot is wrong about its distance to another [m]."""
        distances = {j: distance for j, distance, _ in self.robots[one].distances(self.time)}
        return distances[other] - math.dist(self.truth[one][:2], self.truth[other][:2])

    def _drive(self, i: int) -> None:
        x, y, yaw = self.truth[i]
        home = math.remainder(math.atan2(2.0 - y, 2.0 - x) - yaw, 2.0 * math.pi)
        outside = max(abs(x - 2.0), abs(y - 2.0)) > 2.0
        way, turn = SPEED * PERIOD, TURN * PERIOD * float(self.random.uniform(-1.0, 1.0))
        if outside and abs(home) > 0.5:
            way, turn = 0.0, math.copysign(TURN * PERIOD, home)
        self.truth[i] = compose(self.truth[i], (way, 0.0, turn))
        table, normal = self.parameters, self.random.normal
        heading = math.sqrt(table.odometry_noise_turn ** 2 * abs(turn)
                            + table.odometry_noise_heading ** 2 * way)
        along = table.odometry_noise_position * math.sqrt(way)
        turned = heading * normal()
        self._odometry[i] = compose(self._odometry[i], (
            way + along * normal(), 0.5 * along * normal() + 0.5 * way * turned, turn + turned))

    def _sightings(self, i: int) -> list[Sighting]:
        x, y, yaw = self.truth[i]
        found, table, normal = [], self.parameters, self.random.normal
        for j, there in self.truth.items():
            if j == i or self.random.random() < 0.1:
                continue
            distance, bearing = self._sensor(
                i, j, math.dist((x, y), there[:2]), math.atan2(there[1] - y, there[0] - x) - yaw)
            noise = math.hypot(table.range_noise, table.range_noise_scale * distance)
            found.append(Sighting(
                j, max(distance + noise * normal(), 0.01),
                math.remainder(bearing + table.bearing_noise * normal(), 2.0 * math.pi)
                if self._bearings else math.nan))
        return found
