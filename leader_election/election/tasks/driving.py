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

"""
What drives a robot: by velocity commands from pose, goal and laser scan, or by goals for Nav2.

Tasks that drive derive from :class:`DrivingTask`, which makes the driver.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
import math
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from leader_election.election.regions.task import Member, Position, Task
from leader_election.election.tasks import steering
from leader_election.parameters import parameter
from sensor_msgs.msg import LaserScan
from std_msgs.msg import Bool

Goal = Callable[[float, float, float], Position | None]
"""Returns the place x, y [m] to drive to for a robot at x, y [m] at a time [s], if any."""
WARNING_PERIOD = 10.0
"""The least time between two warnings of a kind [s]."""
PERIOD = 0.5
"""The time between two looks at the goal of the task [s]."""
RETRY, LONGEST_RETRY = 2.0, 30.0
"""The wait after a failed goal. It doubles with each further failure, up to the longest [s]."""
CANCEL_WAIT = 2.0
"""The time that a cancelled goal has to end before another one replaces it [s]."""
SILENCE = 10.0
"""The time without feedback after which a goal has failed [s]."""


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
    :ivar counts: the number of scans that cannot be right.
    """

    def __init__(self, context: Any, parameters: steering.DrivingParameters, goal: Goal,
                 pose: Callable[[], steering.Pose | None] | None = None, *, seed: int | str = 0,
                 blocked: Callable[[], None] = lambda: None) -> None:
        """
        Subscribe and advertise. The robot does not move yet.

        :param context: the robot's node and topics, timers, and the clock of ages, as
            ``leader_election.ros.nodes.region_topics.TaskContext`` has them.
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
        self.counts = {'scans_rejected': 0}
        self._context, self._pose, self._goal = context, pose, goal
        self._scan: steering.Scan | None = None
        self._scan_time = -math.inf
        self._moves = False
        self._touched = False
        self._bumper_time = -math.inf
        self._progress, self._escape = steering.Progress(), steering.Escape(seed)
        self._blocked = blocked
        self._commands = context.publisher(
            'cmd_vel', TwistStamped if parameters.stamped else Twist)
        context.listen('scan', LaserScan, self._receive)
        context.listen('bumper', Bool, self._bump)
        self._watchdog = context.every(parameters.reaction, self._watch) if pose else None

    @property
    def has_scanner(self) -> bool:
        """Return whether the robot has a laser scanner: whether a scan was ever received."""
        return self._scan is not None or self.counts['scans_rejected'] > 0

    def scan(self) -> steering.Scan | None:
        """Return the last scan, ``None`` if it is too old for driving."""
        return self._scan if self.is_fresh(self._scan_time) else None

    def is_fresh(self, since: float) -> bool:
        """
        Return whether a measurement is recent enough for driving.

        :param since: the time when it was received, by the context's clock [s].
        """
        # After the clock has been set back the age of a measurement is not known.
        return 0.0 <= self._context.seconds() - since <= self.limits.reaction

    def drive(self, pose: steering.Pose | None, scan: steering.Scan | None) -> None:
        """
        Publish the present command: one step of the loop.

        :param pose: the robot's present x, y, yaw [m, rad], ``None`` if unknown. Then the robot
            stops.
        :param scan: the obstacles round the robot, ``None`` if unknown. Then the robot stops.
        """
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
            command = steering.steer(pose, detour or goal, scan, self.limits)
            if self._progress.stuck(command[0], pose, now) or touches and command[0] > 0.0:
                self._blocked()
                self._escape.begin(now)
                command = self._away(pose, scan, touches, now) or (0.0, 0.0)
        self._command(*command)

    def _away(self, pose: steering.Pose, scan: steering.Scan, touches: bool,
              now: float) -> tuple[float, float] | None:
        """Return the command of the manoeuvre, safe to obstacles behind, ``None`` for none."""
        command = self._escape.command(touches, pose, self.limits.turn_rate, now)
        if command is None or command[0] == 0.0:
            return command
        return max(command[0], -steering.safe_reverse(scan, self.limits)), command[1]

    def close(self) -> None:
        """Stop the robot for good."""
        if self._watchdog is not None:
            self._watchdog.cancel()
        self._goal = lambda x, y, now: None
        self._command(0.0, 0.0)

    def _receive(self, message: LaserScan) -> None:
        scan = steering.Scan(message.ranges, message.angle_min + self.limits.scan_yaw,
                             message.angle_increment, message.range_max)
        self._scan_time = self._context.seconds()
        self.problem = steering.scan_fault(scan)
        self._scan = None if self.problem else scan
        if self.problem:
            self.counts['scans_rejected'] += 1
            self._context.node.get_logger().warning(
                f'{self._commands.topic_name}: the robot stands, as its scan cannot be right: '
                f'{self.problem} ({self.counts["scans_rejected"]} such scans)',
                throttle_duration_sec=WARNING_PERIOD)
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
            command = TwistStamped()
            command.twist.linear.x, command.twist.angular.z = float(forward), float(turning)
            if self.limits.stamped:
                # Drivers compare stamps with ROS time, which may differ from the clock of ages.
                command.header.stamp = self._context.node.get_clock().now().to_msg()
                command.header.frame_id = 'base_link'
            self._commands.publish(command if self.limits.stamped else command.twist)
        self._moves = moves


class Report(str, Enum):
    """What a navigator reports of a goal. The value names the counter of a failure."""

    PROGRESS = 'progress'
    REACHED = 'reached'
    CANCELLED = 'cancelled'
    REFUSED = 'goals_refused'
    ABORTED = 'goals_aborted'
    LOST = 'goals_lost'
    """The navigator has ended, or has given no feedback for :data:`SILENCE`."""


FAILURES = (Report.REFUSED, Report.ABORTED, Report.LOST)


@dataclass
class _SentGoal:
    """The last goal of a navigator, and what became of it."""

    place: Position | None = None
    """``None`` once it has failed, or was cancelled."""
    ended: bool = True
    heard: float = 0.0
    """When the last report on it came, or it was cancelled first [s]."""


class Nav2Driver:
    """
    Drives a robot to the places that its task asks for by goals for Nav2.

    Nav2 has one goal at most, none without a pose or a place. Before it gets another one the last
    one is cancelled, and has ended or had :data:`CANCEL_WAIT` to end. A goal that has failed is
    sent again after a wait. A place that moves by less than the tolerance is the same goal.

    :ivar limits: of the robot's motion. Nav2 has limits of its own.
    :ivar counts: the failures of goals, by the values of :data:`FAILURES`.
    """

    def __init__(self, context: Any, parameters: steering.DrivingParameters, goal: Goal,
                 pose: Callable[[], steering.Pose | None]) -> None:
        """
        Connect to Nav2. It gets no goal yet.

        :param context: of the task, which has the clock of ages, and makes the edge to Nav2
            (:class:`~leader_election.ros.nodes.region_topics.ActionNavigator`).
        :param goal: returns the place x, y [m] for a robot at x, y [m] at a time [s].
        :param pose: returns the robot's present x, y, yaw [m, rad], ``None`` if not known.
        """
        self.limits = parameters
        self.counts = Counter({each.value: 0 for each in FAILURES})
        self._context, self._goal, self._pose = context, goal, pose
        self._navigator = context.navigator()
        self._here: steering.Pose = (0.0, 0.0, 0.0)
        """The last known pose."""
        self._sent = _SentGoal()
        self._retry: tuple[float, float] = (0.0, 0.0)
        """The times between which no goal is sent."""
        self._failures = 0
        self._timer = context.every(PERIOD, self._step)

    def is_reached(self, place: Position) -> bool:
        """Return whether Nav2 has reported that it reached a place [m]."""
        return self._sent.ended and self._is_sent(place)

    def close(self) -> None:
        """Cancel the goal for good."""
        self._timer.cancel()
        if not self._sent.ended:
            self._navigator.cancel(self._here)
        self._navigator.close()

    def _step(self) -> None:
        """Send the present place of the task as goal, or cancel the last one, if that is due."""
        pose, now, sent = self._pose(), self._context.seconds(), self._sent
        self._here = pose or self._here
        place = None if pose is None else self._goal(*pose[:2], now)
        is_ready = self._navigator.is_ready()
        if not sent.ended and not is_ready:
            self._receive(sent, Report.LOST)
        elif not sent.ended and not self._is_sent(place):
            # Again in each step until the end is reported: the request may be lost.
            self._navigator.cancel(self._here)
            if sent.place is not None:
                sent.place, sent.heard = None, now
        elif not sent.ended and self._navigator.gives_feedback and (
                not 0.0 <= now - sent.heard <= SILENCE):
            self._navigator.cancel(self._here)
            self._receive(sent, Report.LOST)
        is_ending = not sent.ended and 0.0 <= now - sent.heard < CANCEL_WAIT
        waits = self._retry[0] <= now < self._retry[1]
        if place is None or self._is_sent(place) or is_ending or waits or not is_ready:
            return
        self._sent = _SentGoal(place, ended=False, heard=now)
        yaw = math.atan2(place[1] - self._here[1], place[0] - self._here[0])
        self._navigator.send((*place, yaw), partial(self._receive, self._sent))

    def _is_sent(self, place: Position | None) -> bool:
        sent = self._sent.place
        return (sent is not None and place is not None
                and math.dist(sent, place) <= self.limits.tolerance)

    def _receive(self, goal: _SentGoal, report: Report) -> None:
        """Take a report on a goal. Those on goals before the last one are ignored."""
        if goal is not self._sent or goal.ended:
            return
        now, is_cancelled = self._context.seconds(), goal.place is None
        if report is Report.PROGRESS:
            goal.heard = goal.heard if is_cancelled else now
            return
        goal.ended = True
        if is_cancelled:
            return
        if report is Report.REACHED:
            self._failures = 0
            return
        goal.place = None
        if report in FAILURES:
            self._retry = now, now + min(RETRY * 2.0 ** min(self._failures, 10), LONGEST_RETRY)
            self._failures += 1
            self.counts[report.value] += 1
            self._context.node.get_logger().warning(
                f'Nav2: {report.value.replace("_", " ")} ({self.counts[report.value]} so far); '
                'the goal is tried again after a wait', throttle_duration_sec=WARNING_PERIOD)


CMD_VEL, NAV2 = DRIVERS = 'cmd_vel', 'nav2'


@dataclass(frozen=True)
class DriverParameters(steering.DrivingParameters):
    """The parameters of a task that drives: how, and the robot's body."""

    drive_by: str = parameter(
        CMD_VEL, 'The task drives by velocity commands, past the obstacles in scan (cmd_vel), or '
        'by goals for Nav2 (nav2): action navigate_to_pose where nav2_msgs is installed, else '
        'topic goal_pose. Nav2 has limits and obstacles of its own.', choices=lambda: DRIVERS)


class DrivingTask(Task):
    """A task that drives its robot. The robot stands until the task has a place for it."""

    settings: DriverParameters

    def __init__(self, member: Member, settings: DriverParameters) -> None:
        """Make the driver that the parameters select."""
        super().__init__(member, settings)
        self._driver: ScanDriver | Nav2Driver
        if settings.drive_by == NAV2:
            self._driver = Nav2Driver(member.node, settings, self._goal_for, lambda: member.pose())
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

    def has_arrived(self, place: Position) -> bool:
        """Return whether the robot is at a place [m], within its tolerance or that of Nav2."""
        pose = self.member.pose()
        return pose is not None and (
            math.dist(pose[:2], place) <= self.settings.tolerance
            or isinstance(self._driver, Nav2Driver) and self._driver.is_reached(place))

    def _goal_for(self, x: float, y: float, now: float) -> Position | None:
        """
        Return the place x, y [m] in the shared frame that the task asks for, ``None`` for none.

        A place that has a time is asked for until then.

        :param x: the robot's position, with ``y`` [m].
        :param now: the present time [s].
        """
        raise NotImplementedError
