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

"""Robots that are carried: where they are then, and what their odometry says."""

import math
from typing import Any

from leader_election.simulation.carried import carried_log
from leader_election.simulation.logs import read_logs
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
import numpy as np
import pytest

BY = [2.0, -1.0, 0.5]


def after(seconds: float, **settings: Any) -> World:
    world = World(WorldParameters(**settings))
    for _ in range(round(seconds / world.dt)):
        world.step()
    return world


def test_a_replayed_robot_drives_on_from_where_it_is_put() -> None:
    carried = {'carried_robots': '2', 'carried_at': 30.0, 'carried_by': tuple(BY)}
    for seconds in (29.9, 30.0, 80.0):
        plain = after(seconds, logs='physics5')
        moved = after(seconds, logs='physics5', **carried)
        others = [0, 2, 3, 4]
        assert moved.poses[others].tolist() == plain.poses[others].tolist()
        assert np.allclose(moved.odometry, plain.odometry, atol=1e-9)
        if seconds < 30.0:
            assert np.allclose(moved.poses, plain.poses, atol=1e-9)
    # The path from 30 s to 80 s has the same form, turned by the angle.
    here = read_logs('physics5')[1].pose_at(30.0)
    x, y, turn = plain.poses[1] - here
    cos, sin = math.cos(BY[2]), math.sin(BY[2])
    assert moved.poses[1] == pytest.approx(
        here + BY + [cos * x - sin * y, sin * x + cos * y, turn], abs=1e-6)


def test_carrying_does_not_change_the_length_of_a_log() -> None:
    log = read_logs('physics5')[0]
    for at in (-5.0, 0.0, 120.0, 500.0):
        carried = carried_log(log, at, np.array(BY))
        assert carried.t[-1] == 120.0 and abs(carried.t[0]) < 1e-300
        assert np.all(np.diff(carried.t) > 0.0)
        assert np.allclose(carried.travelled_at(77.7), log.travelled_at(77.7))
        moved = carried.pose_at(120.0) - log.pose_at(120.0)
        assert (np.abs(moved).max() > 0.1) == (at <= 120.0)


@pytest.mark.parametrize('motion', ['static', 'levy', 'cmd_vel'])
def test_a_simulated_robot_is_carried_once(motion: str) -> None:
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
