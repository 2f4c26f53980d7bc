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

"""Motions of robots, and the kinematics that carry them out."""

from dataclasses import replace
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from leader_election.simulation.motion import (
    advance,
    DrivenMotion,
    least_distance,
    LEVY_SCALE,
    LEVY_SHAPE,
    LevyWalk,
    move,
    overlaps,
    relative,
    TURN_RATE,
    VelocityCommands,
)
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_logs import carried_log, read_logs, ReplayMotion
from leader_election.simulation.scene import free_space
from leader_election.simulation.world import World
import numpy as np
import pytest
import shapely

FAR = free_space(shapely.box(-1e6, -1e6, 1e6, 1e6), (), 0.0)


def test_levy_walk_turns_and_then_drives_pareto_legs():
    parameters = WorldParameters(speed=1.0, motion='levy')
    robots = 200
    motion = DrivenMotion(LevyWalk(robots, parameters, np.random.default_rng(1)), FAR, robots)
    poses = np.zeros((robots, 3))
    legs: list[float] = []
    driven = np.zeros(robots)
    for step in range(900):
        poses, velocities = motion.step(poses, step * 0.1, 0.1)
        forward, turning = np.abs(velocities).T
        assert forward.max() <= 1.0 + 1e-9 and turning.max() <= TURN_RATE
        assert not np.any((forward > 1e-9) & (turning > 1e-6))
        done = (turning > 1e-6) & (driven > 0)
        legs += driven[done].tolist()
        driven = np.where(turning > 1e-6, 0.0, driven + forward * 0.1)
    assert len(legs) > 2000
    assert min(legs) >= LEVY_SCALE - 1e-6
    # Long legs are cut off by the end of the run, so the median is tested: scale * 2**(1 / shape).
    assert abs(np.median(legs) - LEVY_SCALE * 2 ** (1 / LEVY_SHAPE)) < 0.16


def test_levy_headings_are_uniform_and_drawn_again_when_blocked():
    parameters = WorldParameters(speed=1.0)
    robots = 400
    levy = LevyWalk(robots, parameters, np.random.default_rng(2))
    poses, free = np.zeros((robots, 3)), np.zeros(robots, dtype=bool)
    for _ in range(22):
        poses = advance(poses, levy.velocities(poses, free, 0.0, 0.1), 0.1)
    assert np.hypot(np.cos(poses[:, 2]).mean(), np.sin(poses[:, 2]).mean()) < 0.15
    blocked = np.arange(robots) < 200
    turning = levy.velocities(poses, blocked, 0.0, 0.1)[:, 1]
    assert np.all(np.abs(turning[:200]) > 1e-9)
    assert np.median(np.abs(turning[200:])) < 1e-6


def test_commands_hold_until_the_timeout_and_are_limited():
    commands = VelocityCommands(2, WorldParameters(speed=1.0))
    poses, free = np.zeros((2, 3)), np.zeros(2, dtype=bool)
    assert commands.velocities(poses, free, 0.0, 0.1).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    commands.command(1, -9.0, 0.25, now=10.0)
    assert commands.velocities(poses, free, 10.4, 0.1).tolist() == [[0.0, 0.0], [-1.0, 0.25]]
    commands.command(1, math.nan, 0.0, now=10.4)
    commands.command(1, 0.0, math.inf, now=10.4)
    assert commands.velocities(poses, free, 10.4, 0.1).tolist() == [[0.0, 0.0], [-1.0, 0.25]]
    assert not commands.velocities(poses, free, 10.6, 0.1).any()


def test_replay_follows_the_logs_and_then_stands_still(tmp_path):
    header = 't,v,omega,x,y,theta\n'
    (tmp_path / 'a.csv').write_text(header + '5,1,0,0,0,0\n6,2,1,1,0,0\n8,3,3,5,0,2\n')
    (tmp_path / 'b.csv').write_text(header + '6,1,0,7,7,1\n7,1,0,8,7,1\n')
    replay = ReplayMotion(read_logs(str(tmp_path)))
    assert replay.duration == 3.0
    poses, velocities = replay.step(np.zeros((2, 3)), 0.5, 1.0)  # from 5.5 s to 6.5 s
    assert poses.tolist() == [[2.0, 0.0, 0.5], [7.5, 7.0, 1.0]]
    assert velocities.tolist() == [[1.5, 0.5], [0.5, 0.0]]
    poses, velocities = replay.step(poses, 3.0, 1.0)
    assert poses.tolist() == [[5.0, 0.0, 2.0], [8.0, 7.0, 1.0]]
    assert not velocities.any()


BY = [2.0, -1.0, 0.5]


def after(seconds: float, **settings: Any) -> World:
    world = World(WorldParameters(**settings))
    for _ in range(round(seconds / world.dt)):
        world.step()
    return world


def test_replayed_robot_continues_from_where_it_is_put():
    carried = {'carried_robots': '2', 'carried_at': 30.0, 'carried_by': tuple(BY)}
    for seconds in (29.9, 30.0, 50.0):
        plain = after(seconds, logs='physics5')
        moved = after(seconds, logs='physics5', **carried)
        others = [0, 2, 3, 4]
        assert moved.poses[others].tolist() == plain.poses[others].tolist()
        assert np.allclose(moved.odometry, plain.odometry, atol=1e-9)
        if seconds < 30.0:
            assert np.allclose(moved.poses, plain.poses, atol=1e-9)
    # The path from 30 s to 50 s has the same form, turned by the angle.
    here = read_logs('physics5')[1].pose_at(30.0)
    x, y, turn = plain.poses[1] - here
    cos, sin = math.cos(BY[2]), math.sin(BY[2])
    assert moved.poses[1] == pytest.approx(
        here + BY + [cos * x - sin * y, sin * x + cos * y, turn], abs=1e-6)


def test_carrying_does_not_change_the_length_of_a_log():
    log = read_logs('physics5')[0]
    for at in (-5.0, 0.0, 120.0, 500.0):
        carried = carried_log(log, at, np.array(BY))
        assert carried.t[-1] == 120.0 and abs(carried.t[0]) < 1e-300
        assert np.all(np.diff(carried.t) > 0.0)
        assert np.allclose(carried.travelled_at(77.7), log.travelled_at(77.7))
        moved = carried.pose_at(120.0) - log.pose_at(120.0)
        assert (np.abs(moved).max() > 0.1) == (at <= 120.0)


@pytest.mark.parametrize('motion', ['static', 'levy', 'cmd_vel'])
def test_simulated_robot_is_carried_once(motion):
    settings = {'robots': 3, 'world': 'empty', 'layout': 'grid', 'motion': motion, 'speed': 0.1,
                'carried_at': 1.0, 'carried_by': (1.0, 0.5, 0.2)}
    plain = after(3.0, **settings)
    moved = after(3.0, carried_robots='1,3', **settings)
    # The first step that ends at or after the time ends at the new place.
    just = after(1.0, carried_robots='1,3', **settings).poses - after(1.0, **settings).poses
    assert np.allclose(just, [[1.0, 0.5, 0.2], [0.0] * 3, [1.0, 0.5, 0.2]])
    assert moved.poses[1].tolist() == plain.poses[1].tolist()
    assert np.hypot(*(moved.poses - plain.poses)[0, :2]) < 2.0
    assert np.abs(moved.odometry[:, :2]).max() <= 0.1 * 3.0


@pytest.mark.parametrize('source', [{'motion': 'static', 'robots': 3, 'world': 'empty'},
                                    {'logs': 'physics5'}])
def test_robot_is_carried_each_time_its_id_is_set_at_run_time(source):
    start, plain = (WorldParameters(carried_at=0.0, **source) for _ in range(2))
    world, left = World(start), World(plain)
    for robots in ('2', '', '2', '2'):
        world.configure(replace(start, carried_robots=robots, carried_by=(0.5, 0.0, 0.0)))
        world.step()
        left.step()
    moved = np.abs(world.poses - left.poses)[:, 0]
    assert moved[1] == pytest.approx(1.0) and np.allclose(np.delete(moved, 1), 0.0)


@pytest.mark.parametrize('motion', ['levy', 'cmd_vel'])
def test_speed_changes_from_the_next_step_when_set_at_run_time(motion):
    slow = WorldParameters(robots=2, world='empty', motion=motion, speed=0.0)
    world = World(slow)
    for speed in (0.0, 0.7):
        world.configure(replace(slow, speed=speed))
        for _ in range(40):
            if world.commands is not None:
                world.commands.command(0, 1.0, 0.0, world.time)
            world.step()
        assert world.velocities[0, 0] == pytest.approx(speed)


BOX = free_space(shapely.box(0, 0, 10, 10), (shapely.box(4, 4, 6, 6),), 0.5)
angle = st.floats(-math.pi, math.pi)
place = st.floats(-10, 10)


def test_robot_moves_straight_turns_and_along_an_arc():
    poses = np.array([[1.0, 2.0, math.pi / 2], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    velocities = np.array([[2.0, 0.0], [0.0, 1.0], [math.pi, -math.pi]])
    expected = [[1.0, 3.0, math.pi / 2], [1.0, 2.0, 0.5], [1.0, -1.0, -math.pi / 2]]
    assert np.allclose(advance(poses, velocities, 0.5), expected, atol=1e-12)


@given(st.floats(-2, 2), st.floats(-3, 3), angle)
def test_arc_is_the_same_in_one_step_or_many(v, omega, yaw):
    velocities = np.array([[v, omega]])
    once = many = np.array([[0.5, -0.5, yaw]])
    for _ in range(20):
        many = advance(many, velocities, 0.1)
    assert np.allclose(advance(once, velocities, 2.0), many, atol=1e-9)


@given(place, place, angle, st.floats(-2, 2), st.floats(-3, 3))
def test_motion_relative_to_the_start_equals_motion_from_the_origin(x, y, yaw, v, omega):
    start, velocities = np.array([[x, y, yaw]]), np.array([[v, omega]])
    seen = relative(start, advance(start, velocities, 1.0))
    assert np.allclose(seen, advance(np.zeros((1, 3)), velocities, 1.0), atol=1e-9)


def test_blocked_robot_stops_and_still_turns():
    poses = np.array([
        [9.0, 5.0, 0.0],   # at the wall, driving into it
        [3.0, 5.0, 0.0],   # at the obstacle, driving into it
        [3.0, 5.0, 0.0],   # fast enough to come out behind the obstacle
        [9.0, 5.0, 0.0],   # at the wall, driving backwards
        [9.0, 5.0, 0.0],   # at the wall, turning
        [1.0, 1.0, 0.0],   # in the open
    ])
    velocities = np.array(
        [[1.0, 0.2], [1.0, 0.0], [4.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    after, real, blocked = move(poses, velocities, 1.0, BOX)
    assert blocked.tolist() == [True, True, True, False, False, False]
    assert after.tolist() == [
        [9.0, 5.0, 0.2], [3.0, 5.0, 0.0], [3.0, 5.0, 0.0],
        [8.0, 5.0, 0.0], [9.0, 5.0, 1.0], [2.0, 1.0, 0.0]]
    assert real[:, 0].tolist() == [0.0, 0.0, 0.0, -1.0, 0.0, 1.0]
    assert real[:, 1].tolist() == velocities[:, 1].tolist()


places = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), max_size=12)


@given(places)
def test_overlaps_equal_a_comparison_of_all_pairs(listed):
    positions = np.array(listed, dtype=float).reshape(-1, 2)
    apart = {(i, j): math.dist(listed[i], listed[j])
             for i in range(len(listed)) for j in range(i + 1, len(listed))}
    assert least_distance(positions) == min(apart.values(), default=math.inf)
    assert overlaps(positions, 1.0) == [pair for pair in apart if apart[pair] < 2.0]
