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

"""A scenario of the demonstration: its parameters, observations and checks."""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TYPE_CHECKING

from leader_election.election.messages.codec import Position
from leader_election.ros.demo.checks import Check
from leader_election.swarm.snapshot import Snapshot
from leader_election.swarm.view.frame import Rings

if TYPE_CHECKING:
    from leader_election.ros.demo.swarm import SwarmDemo

STRONGEST = 'strongest_robot'


class Observation(NamedTuple):
    """The state of the swarm at one moment of the demonstration."""

    snapshot: Snapshot
    """Without killed robots."""
    truth: Mapping[int, Position]
    """The true positions [m], by id, including killed robots."""
    steady: bool
    """Whether the partition has been stable for long enough for tasks to work."""


class DemoScenario:
    """
    A scenario of the demonstration: its parameters and its checks. This one has no task.

    :ivar options: of the command line.
    """

    robots: ClassVar[int] = 40
    duration: ClassVar[float] = 30.0
    """The default duration [s]."""
    radius: ClassVar[float] = 6.0
    """The default radius of a region [m]."""
    range: ClassVar[float] = 4.0  # noqa: A003
    """The default communication range [m]."""
    world_parameters: ClassVar[Mapping[str, Any]] = {'motion': 'levy'}
    robot_parameters: ClassVar[Mapping[str, Any]] = {}
    mandate: ClassVar[float] = 0.0
    """The default duration of mandates [s], 0 if there are none."""
    has_own_run: ClassVar[bool] = False
    """
    Whether the scenario itself makes the faults of the run: the world then relays messages, to cut
    the swarm, and topics ``leadership`` are read.
    """

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

    def draw(self, folder: Path, rings: Rings) -> list[str]:
        """
        Draw pictures in addition to the partition's.

        :param folder: for the pictures.
        :param rings: the outlines of arena and obstacles.
        :return: the paths of the pictures.
        """
        return []
