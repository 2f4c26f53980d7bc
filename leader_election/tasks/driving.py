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

"""Driving: a robot's wheels, from what its laser scan shows and where it wants to be."""

from collections.abc import Callable
from dataclasses import dataclass

from geometry_msgs.msg import Twist
from leader_election.coordination.task import Member
from leader_election.parameters import parameter
from leader_election.tasks.steering import Limits, Scan, steer
from sensor_msgs.msg import LaserScan


@dataclass(frozen=True)
class DrivingParameters:
    """What a robot can do, and what it keeps to."""

    speed: float = parameter(
        0.5, 'The greatest forward speed.', unit='m/s', lower=0.01, upper=20.0)
    turn_rate: float = parameter(
        1.5, 'The greatest turning speed.', unit='rad/s', lower=0.01, upper=20.0)
    robot_radius: float = parameter(
        0.15, 'The robot is a disc of this radius round its laser scanner.',
        unit='m', lower=0.01, upper=100.0)
    margin: float = parameter(
        0.1, 'The room that it leaves round itself.', unit='m', lower=0.01, upper=100.0)
    reaction: float = parameter(
        0.4, 'For how long it may drive on by one scan: the age of a scan and the time to the '
        'next one. It stops when none comes.', unit='s', lower=0.01, upper=100.0)
    tolerance: float = parameter(
        0.1, 'So near to a place it has arrived.', unit='m', lower=0.001, upper=100.0)
    patience: float = parameter(
        6.0, 'A place that it comes no nearer to for so long is given up for the next one.',
        unit='s', lower=0.1, upper=1e6)


def limits_of(settings: DrivingParameters) -> Limits:
    """Return what steering takes."""
    return Limits(settings.speed, settings.turn_rate, settings.robot_radius, settings.margin,
                  settings.reaction, settings.tolerance)


def apart(settings: DrivingParameters) -> float:
    """
    Return how far apart the places of two robots have to be [m].

    >>> apart(DrivingParameters(robot_radius=0.15, margin=0.1))
    0.5
    """
    return 2 * (settings.robot_radius + settings.margin)


class Driver:
    """
    Drives: hears ``scan`` (``sensor_msgs/LaserScan``), says ``cmd_vel`` (``geometry_msgs/Twist``).

    With each scan it asks where to. Where that is nowhere, or it does not know where it is, or
    scans stay away, it stops, and then leaves ``cmd_vel`` to others.

    :ivar limits: what it keeps to; may be changed.
    """

    def __init__(self, member: Member, settings: DrivingParameters,
                 where_to: Callable[[float, float, float], tuple[float, float] | None]) -> None:
        """
        Begin.

        :param where_to: returns the goal x, y [m] for where the robot is x, y [m] at a time [s].
        """
        self.limits = limits_of(settings)
        self._member = member
        self._where_to = where_to
        self._heard = member.node.seconds()
        self._drives = False
        self._wheels = member.node.publisher('cmd_vel', Twist)
        member.node.listen('scan', LaserScan, self._look)
        self._watch = member.node.every(settings.reaction, self._guard)

    def close(self) -> None:
        """Stop for good."""
        self._watch.cancel()
        self._where_to = lambda x, y, now: None
        self._drive(0.0, 0.0)

    def _look(self, scan: LaserScan) -> None:
        self._heard = self._member.node.seconds()
        pose = self._member.pose()
        goal = None if pose is None else self._where_to(pose[0], pose[1], self._heard)
        if pose is None or goal is None:
            self._drive(0.0, 0.0)
            return
        seen = Scan(scan.ranges, scan.angle_min, scan.angle_increment, scan.range_max)
        self._drive(*steer(pose, goal, seen, self.limits))

    def _guard(self) -> None:
        # A clock that was set back says nothing of how old the scan is.
        if not 0.0 <= self._member.node.seconds() - self._heard <= self.limits.reaction:
            self._drive(0.0, 0.0)

    def _drive(self, forward: float, turning: float) -> None:
        moves = forward != 0.0 or turning != 0.0
        if moves or self._drives:
            command = Twist()
            command.linear.x, command.angular.z = float(forward), float(turning)
            self._wheels.publish(command)
        self._drives = moves
