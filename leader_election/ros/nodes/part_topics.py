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

"""The interface between a part of a robot and its node: topics, parameters, timers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from leader_election.election.messages.codec import MAIN
from leader_election.election.robot.robot import Robot
from leader_election.ros.nodes.declare import Declarations
from leader_election.ros.nodes.waiting import MissingInput
from rclpy.clock import Clock
from rclpy.node import Node


def prefix_of(space: str, instance: str) -> str:
    """
    Return the start of the names of an instance's outputs. The first has none of its own.

    :param space: that of all outputs of the robot, empty or ending in a slash.

    >>> prefix_of('election/', 'main'), prefix_of('', 'rescue')
    ('election/', 'rescue/')
    """
    return space + ('' if instance == MAIN else f'{instance}/')


@dataclass(frozen=True)
class RobotNode:
    """
    The node of a robot, as the topics of its parts use it.

    :ivar steady_clock: the clock of timers.
    :ivar pose: returns x, y, yaw of the robot now [m, rad], ``None`` if unknown.
    :ivar runs: returns whether the robot takes part now.
    :ivar space: the start of the names of outputs, empty or ending in a slash.
    """

    node: Node
    declarations: Declarations
    steady_clock: Clock
    robot_id: int
    pose: Callable[[], tuple[float, float, float] | None]
    runs: Callable[[], bool]
    space: str
    lag: Callable[[], float] | None = None
    """Returns how far a slower clock of the computer is behind the robot's times [s]."""


Listen = Callable[..., Any]
"""Subscribes: topic, type, callback, and profile."""


class PartTopics:
    """
    The topics of one part in all instances of a robot. A subclass overrides what it needs.

    :ivar uses_heading: whether the part needs the heading of the robot.
    """

    uses_heading = False

    def __init__(self, host: RobotNode) -> None:
        """Make the topics, before the robot."""
        self.host = host

    def tool(self, instance: str) -> Any:
        """Return the tool of the part of an instance (:class:`.PartSetup`)."""
        return None

    def attach(self, robot: Robot) -> None:
        """Create the topics that depend on the robot."""

    def publish(self) -> None:
        """Publish the result of a round."""

    def close_tools(self) -> None:
        """End the tools made so far, since the robot could not be created."""

    def withdraw(self) -> None:
        """Publish that the robot takes part no more."""

    def missing(self) -> list[MissingInput]:
        """Return the missing inputs."""
        return []
