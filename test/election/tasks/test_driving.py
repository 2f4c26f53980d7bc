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

"""The driver by its scans, and its escape after a touch."""

import math
from types import SimpleNamespace
from typing import Any

from election.tasks.memory_context import MemoryContext, scan_of
from geometry_msgs.msg import TwistStamped
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.tasks.driving import ScanDriver
from leader_election.election.tasks.escape import (
    AHEAD,
    AHEAD_TIME,
    BACK,
    Escape,
    LEAST_TURN,
    Progress,
)
from leader_election.election.tasks.steering import DrivingParameters, Scan, steer
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
    *(({'range_min': value}, 'range_min') for value in (4.0, math.nan, -0.1)),
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


# Backing off and turning away: the manoeuvre as a function of time, and robots that are stuck.

HERE = (1.0, 2.0, math.pi / 2)
RATE = 1.5
DT = 0.05


def performed(escape: Escape, begin: float = 0.0, touches: float = 0.3) -> tuple[float, float]:
    """Perform the manoeuvre, and return the way and the angle that were commanded [m, rad]."""
    way = angle = 0.0
    for k in range(400):
        now = begin + k * DT
        command = escape.command(now < begin + touches, HERE, RATE, now)
        if command is None:
            return way, angle
        assert command[0] <= 0.0 and 0.0 in command
        way, angle = way + command[0] * DT, angle + command[1] * DT
    raise AssertionError('it does not end')


@given(st.integers(), st.floats(0.0, 1e6))
def test_escape_backs_off_and_turns_away(seed: int, begin: float) -> None:
    escape = Escape(seed)
    escape.begin(begin)
    way, angle = performed(escape, begin)
    assert way == pytest.approx(-BACK, abs=0.02)
    assert LEAST_TURN - 2 * RATE * DT <= abs(angle) <= math.pi + 2 * RATE * DT


def test_escape_turns_to_both_sides_by_its_seed() -> None:
    def angle(seed: int) -> float:
        escape = Escape(seed)
        escape.begin(0.0)
        return performed(escape)[1]
    assert angle(3) == angle(3) and {angle(seed) > 0 for seed in range(8)} == {True, False}


def test_escape_ends_with_a_drive_ahead() -> None:
    escape = Escape(1)
    assert escape.command(False, HERE, RATE, 0.0) is None
    assert escape.detour(HERE, 0.1, 0.0) is None
    for pose, now in ((HERE, 9.01 + AHEAD_TIME), ((1.0, 1.95 + AHEAD, 0.0), 9.5)):
        escape.begin(0.0)
        assert escape.command(False, HERE, RATE, 9.0) is None
        assert escape.detour(HERE, 0.1, 9.0) == pytest.approx((1.0, 2.0 + AHEAD))
        assert escape.detour(pose, 0.1, now) is None and escape.detour(HERE, 0.1, now) is None


def test_escape_ends_when_cancelled_or_time_goes_back() -> None:
    escape = Escape(1)
    escape.begin(5.0)
    assert escape.command(False, HERE, RATE, 4.0) is None
    assert escape.command(False, HERE, RATE, 5.1) is None
    escape.begin(5.0)
    escape.end()
    assert escape.command(False, HERE, RATE, 5.1) is None


def judged(forward: float, speed: float, seconds: float, turn: float = 0.0) -> bool:
    """Return whether a robot that drives at a speed is found stuck at any time."""
    progress, (x, y, yaw) = Progress(), (0.0, 0.0, 0.0)
    for k in range(int(seconds * 10)):
        if progress.stuck(forward, (x, y, yaw), k * 0.1):
            return True
        x, y, yaw = (x + speed * 0.1 * math.cos(yaw), y + speed * 0.1 * math.sin(yaw),
                     yaw + 0.1 * turn)
    return False


def test_robot_commanded_forward_without_motion_is_stuck() -> None:
    assert judged(0.5, 0.0, 2.0) and judged(0.05, 0.0, 20.0)
    assert not judged(0.5, 0.15, 30.0), 'slow is not stuck'
    assert not judged(0.05, 0.05, 30.0, turn=1.5), 'nor is driving in small circles'
    assert not judged(0.0, 0.0, 30.0) and not judged(-0.2, 0.0, 30.0)


def test_robot_without_commands_is_not_stuck() -> None:
    progress = Progress()
    assert not any(progress.stuck(0.5, HERE, now) for now in (0.0, 0.5, 9.0, 9.5, 5.0, 5.5))
