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
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from leader_election.coordination.task import Member
from leader_election.tasks.driving_parameters import DrivingParameters, limits_of
from leader_election.tasks.steering import Scan, steer
from sensor_msgs.msg import LaserScan


def scan_of(scan: LaserScan, yaw: float) -> Scan:
    """
    Return what steering takes of a scan.

    :param yaw: how far the scanner is turned against the robot, to the left [rad].

    >>> scan_of(LaserScan(angle_min=-1.5, angle_increment=0.5, range_max=4.0), 1.5).angle_min
    0.0
    """
    return Scan(scan.ranges, scan.angle_min + yaw, scan.angle_increment, scan.range_max)


def command(forward: float, turning: float, stamp: Any = None) -> Twist | TwistStamped:
    """
    Return the message of a command.

    :param stamp: the time for its header; ``None``: the message has no header.

    >>> command(0.5, 0.0).linear.x, command(0.5, 0.0, LaserScan().header.stamp).twist.linear.x
    (0.5, 0.5)
    """
    twist = Twist()
    twist.linear.x, twist.angular.z = float(forward), float(turning)
    if stamp is None:
        return twist
    message = TwistStamped(twist=twist)
    message.header.stamp = stamp
    message.header.frame_id = 'base_link'
    return message


class Driver:
    """
    Drives: hears ``scan``, ``sensor_msgs/LaserScan``, and says ``cmd_vel``.

    That is a ``geometry_msgs/Twist``, or with parameter ``stamped`` a ``TwistStamped``.
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
        self._member, self._settings = member, settings
        self._where_to = where_to
        self._heard = member.node.seconds()
        self._drives = False
        self._wheels = member.node.publisher(
            'cmd_vel', TwistStamped if settings.stamped else Twist)
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
        seen = scan_of(scan, self._settings.scan_yaw)
        self._drive(*steer(pose, goal, seen, self.limits))

    def _guard(self) -> None:
        # A clock that was set back says nothing of how old the scan is.
        if not 0.0 <= self._member.node.seconds() - self._heard <= self.limits.reaction:
            self._drive(0.0, 0.0)

    def _drive(self, forward: float, turning: float) -> None:
        moves = forward != 0.0 or turning != 0.0
        if moves or self._drives:
            self._wheels.publish(command(forward, turning, self._stamp()))
        self._drives = moves

    def _stamp(self) -> Any:
        """Return the time for a header, ``None`` where commands have none."""
        if not self._settings.stamped:
            return None
        # By the node's own clock, as drivers take it; what ages go by may be another one.
        return self._member.node.node.get_clock().now().to_msg()
