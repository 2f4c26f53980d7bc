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

"""Scenarios of the demonstration: parameters, observations and checks. One drives robots."""

from argparse import Namespace
from collections.abc import Mapping
import math
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TYPE_CHECKING

from leader_election.election.messages.codec import Position
from leader_election.ros.demo.checks import Check
from leader_election.simulation.motion import least_distance
from leader_election.simulation.robot_body import RADIUS
from leader_election.swarm.snapshot import Snapshot
import numpy as np

if TYPE_CHECKING:
    from leader_election.ros.demo.swarm import SwarmDemo

STRONGEST = 'strongest_robot'


class Observation(NamedTuple):
    """
    The state of the swarm at one moment of the demonstration.

    :ivar snapshot: without killed robots.
    :ivar truth: the true positions [m], by id, including killed robots.
    :ivar steady: whether the partition has been stable for long enough for tasks to work.
    """

    snapshot: Snapshot
    truth: Mapping[int, Position]
    steady: bool


class DemoScenario:
    """
    A scenario of the demonstration: its parameters and its checks. This one has no task.

    :cvar duration: the default duration [s], as ``robots``, ``radius`` and ``range`` [m] are
        defaults, and ``mandate``, the duration of mandates [s], 0 if there are none.
    :cvar has_own_run: whether the scenario itself makes the faults of the run: the world then
        relays messages, to cut the swarm, and topics ``leadership`` are read.
    :ivar options: of the command line.
    """

    robots: ClassVar[int] = 40
    duration: ClassVar[float] = 30.0
    radius: ClassVar[float] = 6.0
    range: ClassVar[float] = 4.0  # noqa: A003
    mandate: ClassVar[float] = 0.0
    world_parameters: ClassVar[Mapping[str, Any]] = {'motion': 'levy'}
    robot_parameters: ClassVar[Mapping[str, Any]] = {}
    has_own_run: ClassVar[bool] = False

    def __init__(self, options: Namespace) -> None:
        """
        Start without observations.

        :param options: of the command line.
        """
        self.options = options

    def begin(self, demo: 'SwarmDemo') -> None:
        """Prepare the run of a demonstration before its processes start."""

    def advance(self) -> bool:
        """Continue a scenario's own run, and return whether it is over."""
        return True

    def observe(self, observation: Observation) -> None:
        """Evaluate the state of the swarm, called several times a second."""

    def checks(self) -> list[Check]:
        """Return the results at the end of the run."""
        return []

    def draw(self, folder: Path) -> list[str]:
        """
        Draw pictures in addition to the partition's.

        :param folder: for the pictures.
        :return: the paths of the pictures.
        """
        return []


class DrivingScenario(DemoScenario):
    """
    Tasks that drive robots, by ``scan`` and ``cmd_vel``: no collisions.

    :ivar paths: the true positions of each robot [m], in order of time, by id.
    """

    robots = 14
    duration = 60.0
    world_parameters = {'motion': 'cmd_vel', 'scan_rate': 5.0}

    def __init__(self, options: Namespace) -> None:
        """Start without observations. Parameters as of :class:`DemoScenario`."""
        super().__init__(options)
        self.paths: dict[int, list[Position]] = {}
        self._closest = math.inf

    def observe(self, observation: Observation) -> None:
        """Record true positions, and the least distance between two."""
        for robot, place in observation.truth.items():
            self.paths.setdefault(robot, []).append(place)
        places = np.array([*observation.truth.values()]).reshape(-1, 2)
        self._closest = min(self._closest, least_distance(places))

    def checks(self) -> list[Check]:
        """Check that there were no collisions, and that robots have moved at all."""
        driven = sum(math.dist(a, b) for path in self.paths.values()
                     for a, b in zip(path, path[1:]))
        return [
            Check(self._closest >= 2 * RADIUS, 'no robot hit another: the least distance between '
                  f'two was {self._closest:.2f} m, and 2 x {RADIUS:g} m is a hit'),
            Check(driven > 0.0, f'the robots drove {driven:.0f} m')]
