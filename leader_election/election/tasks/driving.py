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

"""The driving loop: pose, goal and laser scan of a robot in, velocity commands out."""

from collections.abc import Callable, Mapping
import math
from typing import Any, Protocol

from geometry_msgs.msg import Twist, TwistStamped
from leader_election.election.tasks.escape import Escape, Progress
from leader_election.election.tasks.steering import (
    DrivingParameters,
    Pose,
    safe_reverse,
    Scan,
    scan_fault,
    steer,
)
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Bool

WARNING_PERIOD = 10.0
"""The period of warnings that a robot stands still [s]."""


class DrivingContext(Protocol):
    """The part of a task context that driving needs. Topics are those of one robot."""

    node: Any
    """The ``rclpy`` node, whose clock stamps commands."""

    def listen(self, topic: str, kind: Any, callback: Callable[[Any], None]) -> None:
        """Subscribe to a sensor's topic."""

    def publisher(self, topic: str, kind: Any) -> Any:
        """Return a publisher of commands."""

    def every(self, period: float, callback: Callable[[], None]) -> Any:
        """Return a timer of a period [s]."""

    def seconds(self) -> float:
        """Return the time on the clock of ages [s]."""


def scan_of(scan: LaserScan, yaw: float) -> Scan:
    """
    Convert a scan message to the input of steering.

    :param yaw: the rotation of the scanner relative to the robot, to the left [rad].

    >>> scan_of(LaserScan(angle_min=-1.5, angle_increment=0.5, range_max=4.0), 1.5).angle_min
    0.0
    """
    return Scan(scan.ranges, scan.angle_min + yaw, scan.angle_increment, scan.range_max,
                scan.range_min)


def velocity_command(forward: float, turning: float, stamp: Any = None) -> Twist | TwistStamped:
    """
    Return the message of a velocity command.

    :param forward: speed [m/s].
    :param turning: speed, to the left [rad/s].
    :param stamp: the time for its header, ``None`` for a message without header.

    >>> stamp = LaserScan().header.stamp
    >>> velocity_command(0.5, 0.0).linear.x, velocity_command(0.5, 0.0, stamp).twist.linear.x
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


class ScanDriver:
    """
    Drives one robot to its goals, past the obstacles in its laser scan.

    Subscribes to ``scan`` (``sensor_msgs/LaserScan``) and publishes ``cmd_vel``, a
    ``geometry_msgs/Twist`` or with parameter ``stamped`` a ``TwistStamped``. The robot stops if
    its pose or a goal is unknown, or the scan is too old or cannot be right. Once stopped, it
    leaves ``cmd_vel`` to other publishers. If it touches something while it drives forward
    (``bumper``, a ``std_msgs/Bool``), or does not move though it is commanded to, it backs off and
    turns away (:class:`.Escape`).

    :ivar limits: of the robot's motion. It may be changed at any time.
    :ivar problem: the reason why the last scan cannot be right, empty if it can.
    """

    def __init__(
        self,
        context: DrivingContext,
        parameters: DrivingParameters,
        goal: Callable[[float, float, float], tuple[float, float] | None],
        pose: Callable[[], Pose | None] | None = None,
        *,
        seed: int | str = 0,
        blocked: Callable[[], None] = lambda: None,
    ) -> None:
        """
        Subscribe and advertise. The robot does not move yet.

        :param context: the robot's topics, and the clock of ages.
        :param goal: returns the goal x, y [m] of a robot at x, y [m] at a time [s], in the frame
            of its pose, ``None`` for none.
        :param pose: returns the robot's present x, y, yaw [m, rad], ``None`` if not known. With
            it each scan causes a new command, and a timer stops the robot when scans are missing.
            Without it the caller calls :meth:`drive` a few times in the reaction time.
        :param seed: of the angles by which the robot turns away from what it touches.
        :param blocked: called when the robot touches something or is stuck.
        """
        self.limits = parameters
        self.problem = ''
        self._unusable, self._warned = 0, -math.inf
        self._context, self._parameters = context, parameters
        self._pose, self._goal = pose, goal
        self._scan: Scan | None = None
        self._scan_time = -math.inf
        self._moves = False
        self._here: Pose | None = None
        self._touched = False
        self._bumper_time = -math.inf
        self._progress, self._escape = Progress(), Escape(seed)
        self._blocked = blocked
        self._commands = context.publisher(
            'cmd_vel', TwistStamped if parameters.stamped else Twist)
        context.listen('scan', LaserScan, self._receive)
        context.listen('bumper', Bool, self._bump)
        self._watchdog = context.every(parameters.reaction, self._watch) if pose else None

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the number of scans that cannot be right."""
        return {'scans_rejected': self._unusable}

    def has_arrived(self, place: tuple[float, float]) -> bool:
        """Return whether the robot was at a place at the last step."""
        return self._here is not None and math.dist(
            self._here[:2], place) <= self.limits.tolerance

    @property
    def has_scanner(self) -> bool:
        """Return whether the robot has a laser scanner: whether a scan was ever received."""
        return self._scan is not None or self._unusable > 0

    def scan(self) -> Scan | None:
        """Return the last scan, ``None`` if it is too old for driving."""
        return self._scan if self.is_fresh(self._scan_time) else None

    def is_fresh(self, since: float) -> bool:
        """
        Return whether a measurement is recent enough for driving.

        :param since: the time when it was received, by the context's clock [s].
        """
        # After the clock has been set back the age of a measurement is not known.
        return 0.0 <= self._context.seconds() - since <= self.limits.reaction

    def drive(self, pose: Pose | None, scan: Scan | None) -> None:
        """
        Publish the present command: one step of the loop.

        :param pose: the robot's present x, y, yaw [m, rad], ``None`` if unknown. Then the robot
            stops.
        :param scan: the obstacles round the robot, ``None`` if unknown. Then the robot stops.
        """
        self._here = pose
        if pose is None or scan is None:
            self._command(0.0, 0.0)
            return
        now = self._context.seconds()
        goal = self._goal(pose[0], pose[1], now)
        if goal is None:
            self._escape.end()
            self._command(0.0, 0.0)
            return
        touches = self._touched and self.is_fresh(self._bumper_time)
        command = self._away(pose, scan, touches, now)
        if command is None:
            detour = self._escape.detour(pose, self.limits.tolerance, now)
            command = steer(pose, detour or goal, scan, self.limits)
            if self._progress.stuck(command[0], pose, now) or touches and command[0] > 0.0:
                self._blocked()
                self._escape.begin(now)
                command = self._away(pose, scan, touches, now) or (0.0, 0.0)
        self._command(*command)

    def _away(self, pose: Pose, scan: Scan, touches: bool,
              now: float) -> tuple[float, float] | None:
        """Return the command of the manoeuvre, safe to obstacles behind, ``None`` for none."""
        command = self._escape.command(touches, pose, self.limits.turn_rate, now)
        if command is None or command[0] == 0.0:
            return command
        return max(command[0], -safe_reverse(scan, self.limits)), command[1]

    def close(self) -> None:
        """Stop the robot for good."""
        if self._watchdog is not None:
            self._watchdog.cancel()
        self._goal = lambda x, y, now: None
        self._command(0.0, 0.0)

    def _receive(self, message: LaserScan) -> None:
        scan = scan_of(message, self._parameters.scan_yaw)
        self._scan_time = now = self._context.seconds()
        self.problem = scan_fault(scan)
        self._scan = None if self.problem else scan
        if self.problem:
            self._unusable += 1
            if not 0.0 <= now - self._warned < WARNING_PERIOD:
                self._warned = now
                self._context.node.get_logger().warning(
                    f'{self._commands.topic_name}: the robot stands, as its scan cannot be right: '
                    f'{self.problem} ({self._unusable} such scans)')
        if self._pose is not None:
            self.drive(self._pose(), self._scan)

    def _bump(self, message: Bool) -> None:
        self._touched, self._bumper_time = message.data, self._context.seconds()

    def _watch(self) -> None:
        if self.scan() is None:
            self._command(0.0, 0.0)

    def _command(self, forward: float, turning: float) -> None:
        moves = forward != 0.0 or turning != 0.0
        # One stop is enough: a robot that stands leaves the topic to other publishers.
        if moves or self._moves:
            self._commands.publish(velocity_command(forward, turning, self._stamp()))
        self._moves = moves

    def _stamp(self) -> Any:
        """Return the time for a header, ``None`` if commands have none."""
        if not self._parameters.stamped:
            return None
        # Drivers compare it with ROS time, which may differ from the clock of ages.
        return self._context.node.get_clock().now().to_msg()
