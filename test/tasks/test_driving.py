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

"""Driving: what is said on ``cmd_vel`` to what is seen, step by step."""

import math
from types import SimpleNamespace
from typing import Any

from geometry_msgs.msg import TwistStamped
from leader_election.coordination.task import Member
from leader_election.tasks.driving import Driver
from leader_election.tasks.driving_parameters import apart, DrivingParameters, limits_of
from leader_election.tasks.steering import Scan, steer
import pytest
from rclpy.clock import ROSClock
from tasks.host import Host, scan_of

SETTINGS = DrivingParameters()
FREE = scan_of([math.inf] * 8, math.pi / 4, 4.0)


class Robot:
    """A driver that can be asked what it said since it was asked last."""

    def __init__(self, goal: tuple[float, float] | None = (3.0, 0.0),
                 settings: DrivingParameters = SETTINGS) -> None:
        self.host, self.goal, self.asked = Host(), goal, []
        self.pose: Any = (0.0, 0.0, 0.0)
        self.driver = Driver(Member(1, self.host, lambda: self.pose), settings, self.where_to)

    def where_to(self, x: float, y: float, now: float) -> tuple[float, float] | None:
        self.asked.append((x, y, now))
        return self.goal

    def said(self) -> list[tuple[float, float]]:
        said = [(m.linear.x, m.angular.z) for m in self.host.said('cmd_vel')]
        self.host.said('cmd_vel').clear()
        return said

    def look(self, scan: Any = FREE) -> list[tuple[float, float]]:
        self.host.tell('scan', scan)
        return self.said()


def test_it_steers_by_the_scan_from_where_it_is() -> None:
    robot = Robot((1.0, 2.0))
    robot.pose = (0.5, -0.5, 0.3)
    robot.host.now = 7.0
    seen = [math.inf, 1.0, 0.75, math.inf]
    [said] = robot.look(scan_of(seen, 0.5, 4.0))
    assert said == steer(robot.pose, (1.0, 2.0), Scan(seen, 0.0, 0.5, 4.0), limits_of(SETTINGS))
    assert robot.asked == [(0.5, -0.5, 7.0)]


def test_with_nowhere_to_go_it_stops_once_and_is_silent() -> None:
    robot = Robot()
    assert robot.look() == [(0.5, 0.0)]
    robot.goal = None
    assert [robot.look(), robot.look()] == [[(0.0, 0.0)], []]
    robot.goal = (3.0, 0.0)
    assert robot.look() == [(0.5, 0.0)]
    # It does not know where it is.
    robot.pose = None
    assert [robot.look(), robot.look()] == [[(0.0, 0.0)], []]


def test_it_stops_when_scans_stay_away() -> None:
    robot = Robot()
    robot.look()
    robot.host.go_on_to(0.4)
    assert robot.said() == []
    robot.host.go_on_to(0.9)
    assert robot.said() == [(0.0, 0.0)]
    assert robot.look() == [(0.5, 0.0)]


def test_it_stops_when_the_clock_was_set_back() -> None:
    # The scan was at 5 s; when the guard looks it is 0.4 s.
    robot = Robot()
    robot.host.now = 5.0
    robot.look()
    robot.host.now = 0.0
    robot.host.go_on_to(0.4)
    assert robot.said() == [(0.0, 0.0)]


def test_closed_it_stops_for_good() -> None:
    robot = Robot()
    robot.look()
    robot.driver.close()
    assert robot.said() == [(0.0, 0.0)]
    assert robot.look() == []
    assert all(timer.cancelled for timer in robot.host.timers)


def test_its_limits_may_change() -> None:
    robot = Robot()
    robot.driver.limits = limits_of(SETTINGS)._replace(speed=0.2)
    assert robot.look() == [(0.2, 0.0)]


def test_a_scanner_that_is_turned_sees_what_is_ahead_of_the_robot() -> None:
    # Something stands ahead, 0.3 m off; a scanner a quarter to the left has it at its right.
    ahead = scan_of([math.inf] * 6 + [0.3, math.inf], math.pi / 4, 4.0)
    assert Robot().look(ahead) == [(0.5, 0.0)], 'it takes it for something at its right'
    turned = Robot(settings=DrivingParameters(scan_yaw=math.pi / 2))
    [(forward, turning)] = turned.look(ahead)
    assert forward < 0.2 and turning != 0.0
    straight = scan_of([0.3] + [math.inf] * 7, math.pi / 4, 4.0)
    assert Robot().look(straight)[0] == pytest.approx((forward, turning))


def test_commands_have_a_header_where_they_are_to() -> None:
    robot = Robot(settings=DrivingParameters(stamped=True))
    robot.host.node = SimpleNamespace(get_clock=lambda: ROSClock())
    robot.host.tell('scan', FREE)
    [said] = robot.host.said('cmd_vel')
    assert isinstance(said, TwistStamped)
    assert (said.twist.linear.x, said.header.frame_id) == (0.5, 'base_link')
    assert said.header.stamp.sec > 0


def test_two_robots_with_their_margins_fit_side_by_side() -> None:
    assert apart(DrivingParameters(robot_radius=0.2, margin=0.3)) == 1.0
