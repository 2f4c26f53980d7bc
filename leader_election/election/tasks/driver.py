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

"""What drives a robot for its task: by velocity commands of its own, or by goals for Nav2."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from leader_election.election.regions.task import Member, Position, Task
from leader_election.election.tasks.driving import ScanDriver
from leader_election.election.tasks.navigation import Nav2Driver
from leader_election.election.tasks.steering import DrivingParameters
from leader_election.parameters import parameter

CMD_VEL, NAV2 = DRIVERS = 'cmd_vel', 'nav2'


@dataclass(frozen=True)
class DriverParameters(DrivingParameters):
    """The parameters of a task that drives: how, and the robot's body."""

    drive_by: str = parameter(
        CMD_VEL, 'The task drives by velocity commands, past the obstacles in scan (cmd_vel), or '
        'by goals for Nav2 (nav2): action navigate_to_pose where nav2_msgs is installed, else '
        'topic goal_pose. Nav2 has limits and obstacles of its own.', choices=lambda: DRIVERS)


class Driver(Protocol):
    """
    Drives a robot to the place that its task asks for, and stops it without one.

    :ivar limits: of the robot's motion. They may be changed at any time.
    """

    limits: DrivingParameters

    @property
    def counts(self) -> Mapping[str, int]:
        """Return numbers for people who look for a fault, by name."""

    def has_arrived(self, place: Position) -> bool:
        """Return whether the robot is at a place, within its tolerance or that of Nav2 [m]."""

    def close(self) -> None:
        """Stop the robot for good."""


class DrivingTask(Task):
    """A task that drives its robot. The robot stands until the task has a place for it."""

    settings: DriverParameters

    def __init__(self, member: Member, settings: DriverParameters) -> None:
        """Make the driver that the parameters select."""
        super().__init__(member, settings)
        self._driver: Driver
        if settings.drive_by == NAV2:
            self._driver = Nav2Driver(
                member.node, settings, self._goal_for, lambda: member.pose())
        else:
            self._driver = ScanDriver(
                member.node, settings, self._goal_for, lambda: member.pose(), seed=member.id)

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the counts of the driver."""
        return self._driver.counts

    def close(self) -> None:
        """Stop the robot."""
        self._driver.close()

    def _goal_for(self, x: float, y: float, now: float) -> Position | None:
        """
        Return the place x, y [m] in the shared frame that the task asks for, ``None`` for none.

        A place that has a time is asked for until then.

        :param x: the robot's position, with ``y`` [m].
        :param now: the present time [s].
        """
        raise NotImplementedError
