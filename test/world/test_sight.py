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

"""What is known shows as a scanner would show it; and robots that go by it, in the world."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.tasks.steering import Limits, Scan, steer
from leader_election.tasks.wander import levy, Wander
from leader_election.world.arena import load_arena
from leader_election.world.parameters import WorldParameters
from leader_election.world.sight import BEAMS, by_now, REACH, Sight
from leader_election.world.world import World
import numpy as np
import pytest

NOBODY = np.empty((0, 3))
place = st.floats(-20, 20)


def test_it_shows_walls_and_robots_and_looks_along_the_heading() -> None:
    sight = Sight(load_arena('empty'), 0.25, 0.5)
    # Facing north, 1 m before the upper wall of 20 m, with a robot 2 m to its left.
    ranges = sight.look((0.0, 9.0, math.pi / 2), np.array([[-2.0, 9.0, 0.0]]))
    assert ranges[[0, BEAMS // 4]] == pytest.approx([1.0, 1.75])
    assert ranges[BEAMS // 2] == math.inf
    assert sight.look((0.0, 0.0, 0.0), NOBODY).tolist() == [math.inf] * BEAMS


def test_what_is_known_is_what_a_scanner_sees() -> None:
    parameters = WorldParameters(
        robots=12, world='rooms', seed=3, scan_beams=BEAMS, scan_range=REACH)
    world = World(parameters)
    sight = Sight(load_arena('rooms'), parameters.robot_radius, 0.5)
    scans = world.lidar.scan(world.poses, range(12))
    for i, pose in enumerate(world.poses.tolist()):
        others = np.delete(world.poses, i, axis=0) * (1.0, 1.0, 0.0)
        assert np.array_equal(sight.look(tuple(pose), others), scans[i])


@given(st.lists(st.tuples(place, place, st.floats(0, 10)), max_size=5),
       st.floats(0, 2), st.floats(0, 1))
def test_others_come_nearer_by_no_more_than_they_can_drive(
        others: list[tuple[float, float, float]], speed: float, touch: float) -> None:
    rows = np.array(others, dtype=float).reshape(-1, 3)
    before = np.hypot(rows[:, 0], rows[:, 1])
    near = by_now(np.zeros(2), rows, speed, touch)
    after = np.hypot(near[:, 0], near[:, 1])
    assert np.all(after <= before + 1e-9)
    assert np.all(after >= before - speed * rows[:, 2] - 1e-9)
    assert np.all(after >= np.minimum(before, touch) - 1e-9)


@pytest.mark.parametrize(('seed', 'arena', 'news'), [(1, 'blocks', 0.1), (2, 'rooms', 1.0)])
def test_who_wanders_by_what_is_known_hits_neither_walls_nor_others(
        seed: int, arena: str, news: float) -> None:
    """Twelve robots for 30 s; each hears where the others are once in so many seconds."""
    world = World(WorldParameters(motion='cmd_vel', robots=12, world=arena, seed=seed))
    assert world.commands is not None
    sight = Sight(load_arena(arena), 0.15, 0.5)
    walks = [Wander(f'{seed}/{i}', 0.1, 4.0, levy(1.0, 1.5)) for i in range(12)]
    told = np.column_stack((world.poses[:, :2], np.zeros(12)))
    begin, way = world.poses[:, :2], 0.0
    for step in range(300):
        for i in range(12):
            if (step + i) % round(news / world.dt) == 0:
                told[i] = (*world.poses[i, :2], world.time)
        for i, pose in enumerate(world.poses.tolist()):
            others = np.delete(told, i, axis=0)
            others[:, 2] = world.time - others[:, 2]
            scan = Scan(sight.look(tuple(pose), others).tolist(), 0.0, sight.increment, REACH)
            goal = walks[i].goal(pose[0], pose[1], world.time)
            world.commands.command(i, *steer(tuple(pose), goal, scan, Limits()), world.time)
        wanted = world.commands.velocities(world.poses, np.zeros(12, bool), world.time, world.dt)
        world.step()
        # Nobody was stopped by a wall, and nobody touches another.
        assert np.array_equal(world.velocities[:, 0], wanted[:, 0])
        assert world.closest >= 0.3
        way += float(np.abs(world.velocities[:, 0]).sum()) * world.dt
    # They got about: at more than a third of their speed, and to elsewhere.
    assert way / 12 > 30.0 * 0.5 / 3
    assert np.median(np.hypot(*(world.poses[:, :2] - begin).T)) > 2.0
