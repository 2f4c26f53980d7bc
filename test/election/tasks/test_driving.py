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

"""The driver by scans, and the one by Nav2: goals sent once, cancelled, and sent again."""

import math
from types import SimpleNamespace
from typing import Any

from budget import examples
from election.tasks.memory_context import MemoryContext, MemoryNavigator, scan_of
from geometry_msgs.msg import TwistStamped
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.regions.task import Member
from leader_election.election.tasks.driving import (
    LONGEST_RETRY,
    Nav2Driver,
    PERIOD,
    Report,
    RETRY,
    ScanDriver,
    SILENCE,
)
from leader_election.election.tasks.rally import Rally, RallyParameters
from leader_election.election.tasks.steering import BACK, DrivingParameters, Scan, steer
from leader_election.parameters import build
import pytest
from rclpy.clock import ROSClock
from std_msgs.msg import Bool

PARAMETERS = DrivingParameters()
FREE = scan_of([math.inf] * 8, math.pi / 4, 4.0)


class Robot:
    """A driver, and the commands that it has published since they were last read."""

    def __init__(self, goal: tuple[float, float] | None = (3.0, 0.0),
                 parameters: DrivingParameters = PARAMETERS, on_scan: bool = True) -> None:
        self.context, self.goal = MemoryContext(), goal
        self.goals_for: list[tuple[float, float, float]] = []
        self.pose: Any = (0.0, 0.0, 0.0)
        self.driver = ScanDriver(self.context, parameters, self.goal_for,
                                 (lambda: self.pose) if on_scan else None,
                                 blocked=self.note_blocked)
        self.blocked = 0

    def note_blocked(self) -> None:
        self.blocked += 1

    def goal_for(self, x: float, y: float, now: float) -> tuple[float, float] | None:
        self.goals_for.append((x, y, now))
        return self.goal

    def commands(self) -> list[tuple[float, float]]:
        commands = [(m.linear.x, m.angular.z) for m in self.context.published('cmd_vel')]
        self.context.published('cmd_vel').clear()
        return commands

    def receive(self, scan: Any = FREE) -> list[tuple[float, float]]:
        self.context.deliver('scan', scan)
        return self.commands()


def test_driver_steers_by_its_scan_and_pose() -> None:
    robot = Robot((1.0, 2.0))
    robot.pose = (0.5, -0.5, 0.3)
    robot.context.now = 7.0
    ranges = [math.inf, 1.0, 0.75, math.inf]
    [command] = robot.receive(scan_of(ranges, 0.5, 4.0))
    assert command == steer(
        robot.pose, (1.0, 2.0), Scan(ranges, 0.0, 0.5, 4.0), PARAMETERS)
    assert robot.goals_for == [(0.5, -0.5, 7.0)]


def test_driver_stops_once_without_goal_or_pose() -> None:
    robot = Robot()
    assert robot.receive() == [(0.5, 0.0)]
    robot.goal = None
    assert [robot.receive(), robot.receive()] == [[(0.0, 0.0)], []]
    robot.goal = (3.0, 0.0)
    assert robot.receive() == [(0.5, 0.0)]
    robot.pose = None
    assert [robot.receive(), robot.receive()] == [[(0.0, 0.0)], []]


def test_driver_stops_without_scans() -> None:
    robot = Robot()
    robot.receive()
    robot.context.advance_to(0.4)
    assert robot.commands() == []
    robot.context.advance_to(0.9)
    assert robot.commands() == [(0.0, 0.0)]
    assert robot.receive() == [(0.5, 0.0)]


@pytest.mark.parametrize(('wrong', 'reason'), [
    *(({'range_max': value}, 'range_max') for value in (0.0, math.nan, 12000.0)),
    *(({'angle_increment': value}, 'angle_increment') for value in (0.0, math.nan, 1e-9, 45.0)),
    ({'angle_min': math.nan}, 'angle_min'), ({'angle_min': 3.0, 'angle_increment': 0.05}, 'ahead'),
    ({'angle_min': -0.5, 'angle_increment': -0.2, 'ranges': [2.0] * 5}, 'no beam points ahead'),
    ({'ranges': []}, 'no ranges'), ({'ranges': [-1.0, math.nan] * 4}, 'no range is'),
    ({'ranges': [4.5, 0.0] * 4}, 'no range is')])
def test_driver_stands_and_warns_when_its_scan_cannot_be_right(
        wrong: dict[str, Any], reason: str) -> None:
    robot = Robot()
    assert robot.receive() == [(0.5, 0.0)]
    scan = scan_of([math.inf] * 8, math.pi / 4, 4.0)
    for name, value in wrong.items():
        setattr(scan, name, value)
    assert [robot.receive(scan), robot.receive(scan)] == [[(0.0, 0.0)], []]
    assert robot.driver.has_scanner and robot.driver.scan() is None
    assert reason in robot.context.warnings[0] and '(2 such scans)' in robot.context.warnings[1]
    assert robot.receive() == [(0.5, 0.0)]


def test_driver_stops_when_the_clock_was_set_back() -> None:
    # The scan was at 5 s. When the watchdog is called it is 0.4 s.
    robot = Robot()
    robot.context.now = 5.0
    robot.receive()
    robot.context.now = 0.0
    robot.context.advance_to(0.4)
    assert robot.commands() == [(0.0, 0.0)]


def test_closed_driver_stops_for_good() -> None:
    robot = Robot()
    robot.receive()
    robot.driver.close()
    assert robot.commands() == [(0.0, 0.0)]
    assert robot.receive() == []
    assert all(timer.cancelled for timer in robot.context.timers)


def test_scans_of_a_turned_scanner_are_rotated() -> None:
    # An obstacle is 0.3 m ahead. A scanner turned a quarter to the left has it at its right.
    ahead = scan_of([math.inf] * 6 + [0.3, math.inf], math.pi / 4, 4.0)
    assert Robot().receive(ahead) == [(0.5, 0.0)], 'by default it is at the right of the robot'
    turned = Robot(parameters=DrivingParameters(scan_yaw=math.pi / 2))
    [(forward, turning)] = turned.receive(ahead)
    assert forward < 0.2 and turning != 0.0
    straight = scan_of([0.3] + [math.inf] * 7, math.pi / 4, 4.0)
    assert Robot().receive(straight)[0] == pytest.approx((forward, turning))


def test_commands_are_stamped_when_configured() -> None:
    robot = Robot(parameters=DrivingParameters(stamped=True))
    robot.context.node = SimpleNamespace(get_clock=lambda: ROSClock())
    robot.context.deliver('scan', FREE)
    [command] = robot.context.published('cmd_vel')
    assert isinstance(command, TwistStamped)
    assert (command.twist.linear.x, command.header.frame_id) == (0.5, 'base_link')
    assert command.header.stamp.sec > 0


def test_driver_uses_poses_given_by_argument() -> None:
    robot = Robot(on_scan=False)
    assert robot.context.timers == []
    assert (robot.driver.has_scanner, robot.driver.scan()) == (False, None)
    assert robot.receive() == []
    assert robot.driver.has_scanner
    robot.driver.drive(robot.pose, robot.driver.scan())
    assert robot.commands() == [(0.5, 0.0)]
    # A scan is used for the reaction time, and not after the clock was set back.
    for now, moves in ((0.4, True), (0.41, False), (-0.1, False)):
        robot.context.now = now
        robot.driver.drive(robot.pose, robot.driver.scan())
        assert (robot.commands() == [(0.5, 0.0)]) is moves, now
    robot.context.now = 0.0
    robot.driver.drive(robot.pose, robot.driver.scan())
    assert robot.commands() == [(0.5, 0.0)]
    robot.driver.drive(None, robot.driver.scan())
    assert robot.commands() == [(0.0, 0.0)]


def bumped(robot: Robot) -> list[float]:
    """Return the forward speeds of a robot that touches something for a moment, over 4.5 s."""
    robot.context.deliver('bumper', Bool(data=True))
    speeds = []
    for _ in range(45):
        [(forward, turning)] = robot.receive()
        speeds.append(forward)
        x, y, yaw = robot.pose
        robot.pose = (x + 0.1 * forward * math.cos(yaw), y + 0.1 * forward * math.sin(yaw),
                      yaw + 0.1 * turning)
        robot.context.advance_to(robot.context.now + 0.1)
    return speeds


def test_driver_backs_off_after_a_touch_and_resumes() -> None:
    robot = Robot()
    speeds = bumped(robot)
    assert sum(min(speed, 0.0) for speed in speeds) * 0.1 == pytest.approx(-BACK, abs=0.03)
    assert speeds[0] < 0.0 and speeds.count(0.0) > 9 and speeds[-1] > 0.0
    assert robot.blocked == 1


def test_driver_does_not_back_into_scanned_obstacles() -> None:
    robot = Robot()
    behind = scan_of([math.inf] * 4 + [0.2] + [math.inf] * 3, math.pi / 4, 4.0)
    robot.context.deliver('bumper', Bool(data=True))
    [(forward, turning)] = robot.receive(behind)
    assert (forward, turning) == (pytest.approx(0.0, abs=1e-6), 0.0) and robot.blocked == 1


def test_driver_backs_off_when_wheels_stall() -> None:
    robot = Robot()
    speeds = []
    for _ in range(15):
        speeds += [forward for forward, _ in robot.receive()]
        robot.context.advance_to(robot.context.now + 0.1)
    assert speeds[:10] == [0.5] * 10 and speeds[-1] < 0.0 and robot.blocked == 1


# Goals for Nav2.

HERE = (0.0, 0.0, 0.0)
EAST, NORTH = (3.0, 0.0), (0.0, 3.0)


class Navigation:
    """A driver by Nav2, and the navigator that its goals go to."""

    def __init__(self, gives_feedback: bool = True) -> None:
        self.context = MemoryContext()
        self.navigator = self.context.nav2 = MemoryNavigator(gives_feedback)
        self.place: tuple[float, float] | None = None
        self.driver = Nav2Driver(self.context, DrivingParameters(tolerance=0.1),
                                 lambda x, y, now: self.place, lambda: HERE)

    def at(self, now: float, place: tuple[float, float] | None) -> int:
        """Ask for a place at a time, and return the number of goals sent so far."""
        self.context.now, self.place = now, place
        self.context.timers[0].callback()
        return len(self.navigator.goals)

    def report(self, report: Report, goal: int = -1) -> None:
        self.navigator.reports[goal](report)


def test_goal_is_sent_once_and_faces_away_from_the_robot() -> None:
    navigation = Navigation()
    assert [navigation.at(now, NORTH) for now in (0.0, 0.5, 1.0)] == [1, 1, 1]
    assert navigation.at(1.5, (0.0, 3.05)) == 1
    assert navigation.navigator.goals == [pytest.approx((0.0, 3.0, 1.5708), abs=1e-4)]
    assert navigation.navigator.cancelled == 0


def test_reached_goal_is_not_sent_again_until_the_place_changes() -> None:
    navigation = Navigation()
    navigation.at(0.0, EAST)
    assert not navigation.driver.is_reached(EAST)
    navigation.report(Report.REACHED)
    assert navigation.driver.is_reached(EAST) and not navigation.driver.is_reached(NORTH)
    assert [navigation.at(1.0, EAST), navigation.at(2.0, NORTH)] == [1, 2]
    assert navigation.navigator.cancelled == 0


def test_old_goal_is_cancelled_and_has_ended_before_the_next_is_sent() -> None:
    navigation = Navigation()
    navigation.at(0.0, EAST)
    assert navigation.at(0.5, NORTH) == 1 and navigation.navigator.cancelled == 1
    assert navigation.at(1.0, NORTH) == 1 and navigation.navigator.cancelled == 2
    navigation.report(Report.CANCELLED)
    assert navigation.at(1.5, NORTH) == 2 and navigation.navigator.cancelled == 2
    assert navigation.driver.counts.total() == 0


@pytest.mark.parametrize('report', [Report.REFUSED, Report.ABORTED])
def test_failed_goal_is_counted_and_sent_again_after_growing_waits(report: Report) -> None:
    navigation, now, waits = Navigation(), 0.0, []
    navigation.at(now, EAST)
    for sent in range(1, 8):
        navigation.report(report)
        before = now
        while navigation.at(now, EAST) == sent:
            now += PERIOD
        waits.append(now - before)
    assert waits == [RETRY, 4.0, 8.0, 16.0, LONGEST_RETRY, LONGEST_RETRY, LONGEST_RETRY]
    assert navigation.driver.counts[report.value] == 7
    navigation.report(Report.REACHED)
    navigation.at(now, NORTH)
    navigation.report(report)
    assert navigation.at(now + RETRY, NORTH) == 10, 'after a success the wait is short again'


def test_goal_without_feedback_is_cancelled_and_counted_as_lost() -> None:
    navigation = Navigation()
    navigation.at(0.0, EAST)
    navigation.at(SILENCE, EAST)
    navigation.report(Report.PROGRESS)
    navigation.at(2.0 * SILENCE, EAST)
    assert navigation.navigator.cancelled == 0
    navigation.at(2.0 * SILENCE + PERIOD, EAST)
    assert navigation.navigator.cancelled == 1
    assert navigation.driver.counts[Report.LOST.value] == 1


def test_goal_of_a_navigator_without_feedback_is_not_lost_by_silence() -> None:
    navigation = Navigation(gives_feedback=False)
    assert [navigation.at(now, EAST) for now in (0.0, 100.0)] == [1, 1]


def test_goal_is_lost_when_the_navigator_ends_and_sent_to_the_next_one() -> None:
    navigation = Navigation()
    navigation.at(0.0, EAST)
    navigation.navigator.ready = False
    assert navigation.at(0.5, EAST) == 1
    assert navigation.driver.counts[Report.LOST.value] == 1
    assert navigation.at(10.0, EAST) == 1
    navigation.navigator.ready = True
    assert navigation.at(10.5, EAST) == 2


STEPS = st.lists(st.one_of(
    st.tuples(st.just('ask'), st.sampled_from([None, EAST, NORTH])),
    st.tuples(st.just('report'), st.sampled_from(list(Report))),
    st.tuples(st.just('ready'), st.booleans()),
    st.tuples(st.just('wait'), st.sampled_from([0.1, 1.0, 40.0]))), max_size=60)


@settings(max_examples=examples(300))
@given(STEPS)
def test_goal_follows_the_end_of_the_one_before_and_in_the_end_is_the_wanted_one(
        steps: list[tuple[str, Any]]) -> None:
    navigation, now, wanted, has_ended = Navigation(), 0.0, None, True
    navigator = navigation.navigator
    for kind, value in steps:
        sent, cancelled = len(navigator.goals), navigator.cancelled
        if kind == 'ask':
            wanted = value
        elif kind == 'report' and navigator.reports:
            navigation.report(value)
            has_ended |= value is not Report.PROGRESS
        elif kind == 'ready':
            navigator.ready = value
        elif kind == 'wait':
            now += value
        has_ended |= not navigator.ready
        if navigation.at(now, wanted) > sent:
            assert has_ended and len(navigator.goals) == sent + 1
            has_ended = False
        has_ended |= navigator.cancelled > cancelled
    # From now on the navigator works: it ends cancelled goals.
    navigator.ready = True
    for _ in range(4):
        now, cancelled = now + LONGEST_RETRY, navigator.cancelled
        navigation.at(now, wanted)
        if navigator.cancelled > cancelled:
            navigation.report(Report.CANCELLED)
    if wanted is not None:
        assert navigator.goals[-1][:2] == wanted


def member(context: MemoryContext) -> Rally:
    task = Rally(Member(2, context, pose=lambda: HERE, leader=1),
                 build(RallyParameters, {'drive_by': 'nav2'}))
    task.act([[2, 3.0, 0.0]])
    return task


def test_task_that_drives_by_nav2_sends_goals_and_no_velocities() -> None:
    context = MemoryContext()
    task = member(context)
    context.advance_to(PERIOD)
    assert context.nav2.goals == [(3.0, 0.0, 0.0)]
    assert 'cmd_vel' not in context.publishers and 'scan' not in context.listeners
    context.nav2.reports[0](Report.ABORTED)
    assert 'goals aborted (1 so far)' in context.warnings[0]
    assert task.counts['goals_aborted'] == 1


def test_robot_has_arrived_where_nav2_says_so_or_within_the_tolerance() -> None:
    context = MemoryContext()
    task = member(context)
    context.advance_to(PERIOD)
    assert not task.has_arrived(EAST) and task.has_arrived((0.05, 0.0))
    context.nav2.reports[0](Report.REACHED)
    assert task.has_arrived(EAST) and not task.has_arrived(NORTH)
