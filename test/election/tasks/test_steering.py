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

"""Steering: decisions by hand, whole drives in the embedded world, and escapes after a touch."""

from collections.abc import Sequence
import math
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.tasks.steering import (
    AHEAD,
    AHEAD_TIME,
    BACK,
    DrivingParameters,
    Escape,
    free_distance,
    LEAST_TURN,
    minimum_spacing,
    Progress,
    Scan,
    steer,
)
from leader_election.simulation.motion import advance, least_distance
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_body import RADIUS
from leader_election.simulation.sensors import Lidar, SCAN_RANGE
from leader_election.simulation.world import World
import numpy as np
import pytest
import shapely

ORIGIN = (0.0, 0.0, 0.0)
LIMITS = DrivingParameters(speed=0.5, turn_rate=1.5, robot_radius=0.2, margin=0.1, reaction=0.4,
                           tolerance=0.1)
INF, NAN = math.inf, math.nan
NOTHING = Scan([], 0.0, 0.0, 4.0)
angle = st.floats(-math.pi, math.pi)


def beams(*seen: tuple[int, float]) -> Scan:
    """Return a scan of 36 beams with obstacles only at some whole tens of degrees."""
    ranges = [INF] * 36
    for degrees, reach in seen:
        ranges[degrees // 10 % 36] = reach
    return Scan(ranges, 0.0, math.radians(10), 4.0)


def test_command_drives_to_a_goal_ahead_and_turns_to_a_goal_aside() -> None:
    assert steer(ORIGIN, (3.0, 0.0), NOTHING, LIMITS) == (0.5, 0.0)
    # Facing north, with the goal 0.3 rad to the right: there within the reaction time of 0.4 s.
    there = math.pi / 2 - 0.3
    forward, turning = steer((1.0, 1.0, math.pi / 2),
                             (1.0 + 3 * math.cos(there), 1.0 + 3 * math.sin(there)),
                             NOTHING, LIMITS)
    assert (forward, turning) == pytest.approx((0.5 * math.cos(0.3), -0.3 / 0.4))
    # The goal is behind: it turns as fast as it can, and stands.
    assert steer(ORIGIN, (-3.0, 0.1), NOTHING, LIMITS) == (0.0, 1.5)


def test_command_slows_before_the_goal_and_stops_at_it() -> None:
    # 0.12 m in 0.4 s would be 0.3 m/s.
    assert steer(ORIGIN, (0.12, 0.0), NOTHING, LIMITS) == pytest.approx((0.3, 0.0))
    assert steer(ORIGIN, (0.06, -0.08), NOTHING, LIMITS) == (0.0, 0.0)


def test_disc_moves_freely_past_points() -> None:
    # A disc of 0.5 that moves ahead touches the point (2, 0.3) after
    # 2 - sqrt(0.5² - 0.3²) = 1.6, passes (2, 0.6), and may leave the point that it touches.
    near, far = math.hypot(2, 0.3), math.hypot(2, 0.6)
    ahead = np.array([0.0])
    for y, reach, way in ((0.3, near, 1.6), (0.6, far, INF)):
        assert free_distance(ahead, np.array([math.atan2(y, 2)]), np.array([reach]), 0.5) \
            == pytest.approx(way)
    both = free_distance(np.array([0.0, math.pi]), np.array([0.0]), np.array([0.4]), 0.5)
    assert both.tolist() == [0.0, INF]


def test_speed_is_limited_by_half_of_the_gap_ahead() -> None:
    # An obstacle 0.65 m ahead is 0.65 - 0.2 - 0.05 = 0.4 m from the disc with half its margin.
    # The goal is on it, so it is driven up to: half of 0.4 m in 0.4 s is 0.5 m/s. At 0.33 m it is
    # 0.1 m/s.
    for reach, speed in ((0.65, 0.5), (0.33, 0.1), (0.25, 0.0), (0.1, 0.0)):
        goal = (reach, 0.0)
        assert steer(ORIGIN, goal, beams((0, reach)), LIMITS) == pytest.approx((speed, 0.0)), reach


def test_robot_passes_on_the_right() -> None:
    # An obstacle 1 m ahead closes asin(0.3) = 17 degrees to both sides: to the right. And so if
    # the goal is 6 degrees to the left, which makes that side by 12 degrees the shorter one.
    for shift in (0.0, 0.3):
        _, turning = steer(ORIGIN, (3.0, shift), beams((0, 1.0)), LIMITS)
        assert turning < 0.0
    # A wall on the right: to the left.
    wall = beams((0, 1.0), *((degrees, 1.0) for degrees in range(180, 360, 10)))
    _, turning = steer(ORIGIN, (3.0, 0.0), wall, LIMITS)
    assert turning > 0.0


@pytest.mark.parametrize('side', [1, -1])
def test_robot_turns_to_the_freest_side_when_all_are_closed(side: int) -> None:
    closed = beams(*((side * degrees, 0.9 if 90 < degrees < 180 else 0.5)
                     for degrees in range(0, 360, 10)))
    assert steer(ORIGIN, (3.0, 0.0), closed, LIMITS) == (0.0, side * 1.5)


def test_obstacle_does_not_stop_the_robot_when_beside_or_behind() -> None:
    beside = beams((90, 0.25), (180, 0.25), (270, 0.25))
    assert steer(ORIGIN, (3.0, 0.0), beside, LIMITS) == (0.5, 0.0)


def test_range_is_free_when_missing_and_an_obstacle_when_too_short() -> None:
    for lacking in (INF, NAN, 4.01, 0.0, -1.0):
        assert steer(ORIGIN, (3.0, 0.0), beams((0, lacking)), LIMITS) == (0.5, 0.0), lacking
    assert steer(ORIGIN, (3.0, 0.0), beams((0, -INF)), LIMITS)[0] == 0.0


def test_beams_of_any_start_and_direction_are_read() -> None:
    ranges = [1.0 + abs(k - 4) / 9 for k in range(18)]
    one = Scan(ranges, -0.5, 0.1, 4.0)
    back = Scan(ranges[::-1], -0.5 + 17 * 0.1, -0.1, 4.0)
    turned = Scan(ranges, -0.5 + 2 * math.pi, 0.1, 4.0)
    decided = steer(ORIGIN, (3.0, 1.0), one, LIMITS)
    assert steer(ORIGIN, (3.0, 1.0), back, LIMITS) == pytest.approx(decided)
    assert steer(ORIGIN, (3.0, 1.0), turned, LIMITS) == pytest.approx(decided)


@given(angle, st.tuples(st.floats(-9, 9), st.floats(-9, 9)),
       st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=40))
def test_command_is_within_the_limits_for_any_scan(
        yaw: float, goal: tuple[float, float], ranges: list[float]) -> None:
    forward, turning = steer((1.0, 2.0, yaw), goal, Scan(ranges, -1.0, 0.2, 4.0), LIMITS)
    assert 0.0 <= forward <= LIMITS.speed
    assert abs(turning) <= LIMITS.turn_rate


@given(st.floats(0.35, 1.5), angle, angle, angle, angle, angle)
def test_two_robots_do_not_collide_within_the_reaction_time(
        apart: float, direction: float, yaw: float, other_yaw: float, goal: float,
        other_goal: float) -> None:
    limits = DrivingParameters(robot_radius=0.15, margin=0.1)
    poses = np.array([[0.0, 0.0, yaw],
                      [apart * math.cos(direction), apart * math.sin(direction), other_yaw]])
    commands = decide(poses, [(9 * math.cos(a), 9 * math.sin(a)) for a in (goal, other_goal)],
                      Lidar(shapely.box(-50, -50, 50, 50), ()), limits)
    for part in np.linspace(0.0, limits.reaction, 9):
        assert least_distance(advance(poses, commands, part)) > 0.3


def decide(poses: np.ndarray, goals: Sequence[tuple[float, float]], lidar: Lidar,
           limits: DrivingParameters) -> np.ndarray:
    """Return all robots' commands, shape (n, 2), each by its own scan."""
    scans = lidar.scan(poses, range(len(poses)))
    return np.array([
        steer(tuple(pose), goal, Scan(ranges, 0.0, lidar.increment, SCAN_RANGE), limits)
        for pose, goal, ranges in zip(poses, goals, scans, strict=True)])




def test_robot_drives_round_a_wall(tmp_path: Path) -> None:
    # The wall is 4 m long and right across the way. There are five scans a second.
    (tmp_path / 'wall.yaml').write_text(
        'size: [10, 10]\nobstacles: [[[-0.1, -2], [0.1, -2], [0.1, 2], [-0.1, 2]]]\n')
    goal, limits = (2.0, 0.0), DrivingParameters(robot_radius=RADIUS)
    world = World(WorldParameters(
        robots=1, world=str(tmp_path / 'wall.yaml'), motion='cmd_vel'))
    world.poses = np.array([[-2.0, 0.0, 0.0]])
    assert world.commands is not None
    while math.dist(world.poses[0, :2], goal) > limits.tolerance:
        assert world.time < 60.0
        [(forward, turning)] = decide(world.poses, [goal], world.lidar, limits)
        world.commands.command(0, forward, turning, world.time)
        for _ in range(2):
            world.step()


def test_two_robots_with_their_margins_fit_side_by_side() -> None:
    assert minimum_spacing(DrivingParameters(robot_radius=0.2, margin=0.3)) == 1.0


# Backing off and turning away: the manoeuvre as a function of time, and robots that are stuck.

HERE = (1.0, 2.0, math.pi / 2)
RATE = 1.5
DT = 0.05


def performed(escape: Escape, begin: float = 0.0, again: float = 9.0) -> tuple[float, float]:
    """Perform the manoeuvre, and return the way and the angle that were commanded [m, rad]."""
    way = angle = 0.0
    for k in range(400):
        now = begin + k * DT
        touches = now < begin + 0.3 or now > begin + again
        command = escape.command(touches, HERE, RATE, now)
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


def test_escape_turns_at_once_when_something_is_behind() -> None:
    escape = Escape(1)
    escape.begin(0.0)
    way, angle = performed(escape, again=0.5)
    assert -0.6 * BACK < way < 0.0 and abs(angle) > LEAST_TURN - 2 * RATE * DT


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
