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

"""Kinematics: motion along arcs, stops at walls, collisions."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.parameters import ParameterError
from leader_election.simulation.kinematics import advance, least_distance, move, overlaps, relative
from leader_election.simulation.odometry import Odometry
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.scene import free_space
from leader_election.simulation.sensor_parameters import OdometryErrorParameters
from leader_election.simulation.world import World
import numpy as np
import pytest
import shapely

BOX = free_space(shapely.box(0, 0, 10, 10), (shapely.box(4, 4, 6, 6),), 0.5)
angle = st.floats(-math.pi, math.pi)
place = st.floats(-10, 10)


def test_robot_moves_straight_turns_and_along_an_arc() -> None:
    poses = np.array([[1.0, 2.0, math.pi / 2], [1.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    velocities = np.array([[2.0, 0.0], [0.0, 1.0], [math.pi, -math.pi]])
    expected = [[1.0, 3.0, math.pi / 2], [1.0, 2.0, 0.5], [1.0, -1.0, -math.pi / 2]]
    assert np.allclose(advance(poses, velocities, 0.5), expected, atol=1e-12)


@given(st.floats(-2, 2), st.floats(-3, 3), angle)
def test_an_arc_is_the_same_in_one_step_or_in_many(v: float, omega: float, yaw: float) -> None:
    velocities = np.array([[v, omega]])
    once = many = np.array([[0.5, -0.5, yaw]])
    for _ in range(20):
        many = advance(many, velocities, 0.1)
    assert np.allclose(advance(once, velocities, 2.0), many, atol=1e-9)


@given(place, place, angle, st.floats(-2, 2), st.floats(-3, 3))
def test_seen_from_its_start_a_robot_moves_as_from_the_origin(
        x: float, y: float, yaw: float, v: float, omega: float) -> None:
    start, velocities = np.array([[x, y, yaw]]), np.array([[v, omega]])
    seen = relative(start, advance(start, velocities, 1.0))
    assert np.allclose(seen, advance(np.zeros((1, 3)), velocities, 1.0), atol=1e-9)


def test_walls_and_obstacles_stop_a_robot_which_still_turns() -> None:
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


def test_single_robot_has_infinite_gap() -> None:
    assert least_distance(np.zeros((1, 3))) == least_distance(np.zeros((0, 3))) == math.inf
    assert overlaps(np.zeros((1, 3)), 1.0) == []


def test_robots_at_the_same_place_overlap_and_touching_ones_do_not() -> None:
    # 0 and 2 are at the same place; 1 is 2 m away, which is two radii of 1 m.
    poses = np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    assert least_distance(poses) == 0.0
    assert overlaps(poses, 1.0) == [(0, 2)]
    assert overlaps(poses, 1.001) == [(0, 1), (0, 2), (1, 2)]


@given(places)
def test_overlaps_are_those_of_a_comparison_of_all_pairs(listed: list[tuple[int, int]]) -> None:
    positions = np.array(listed, dtype=float).reshape(-1, 2)
    apart = {(i, j): math.dist(listed[i], listed[j])
             for i in range(len(listed)) for j in range(i + 1, len(listed))}
    assert least_distance(positions) == min(apart.values(), default=math.inf)
    assert overlaps(positions, 1.0) == [pair for pair in apart if apart[pair] < 2.0]


def test_the_world_has_the_distance_of_the_closest_pair() -> None:
    parameters = WorldParameters(robots=9, world='empty', layout='grid', spacing=1.5)
    assert least_distance(World(parameters).poses) == 1.5


def test_factors_of_turns_depend_on_rate_and_side() -> None:
    odometry = Odometry(4, OdometryErrorParameters(
        distance_factor=(0.5, 0.5), turn_factor=(0.8, 0.8), turn_factor_fall=(0.1, 0.1),
        turn_factor_left=(0.1, 0.1)), np.random.default_rng(1))
    true = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -1.0], [0.0, 9.0]])
    odometry.step(true, 0.1)
    assert odometry.velocities == pytest.approx(true / [
        # The last one would be negative: bounded.
        [0.5, 0.8], [0.5, 0.8 - 0.1 + 0.05], [0.5, 0.8 - 0.1 - 0.05], [0.5, 0.1]])


def test_factors_are_drawn_evenly_and_ranges_without_length_draw_nothing() -> None:
    true = np.array([[1.0, 1.0]]).repeat(2000, axis=0)
    odometry = Odometry(2000, OdometryErrorParameters(
        distance_factor=(0.7, 1.3), turn_factor=(0.7, 0.9)), np.random.default_rng(1))
    odometry.step(true, 0.1)
    factors = true / odometry.velocities
    for column, (low, high) in enumerate(((0.7, 1.3), (0.7, 0.9))):
        drawn = np.sort(factors[:, column])
        assert low <= drawn[0] and drawn[-1] <= high
        # The largest distance between the distributions is below 0.04 with 2000 samples at 0.1 %.
        assert np.abs(drawn - np.linspace(low, high, 2000)).max() < 0.045 * (high - low)
    plain, fixed = (Odometry(3, OdometryErrorParameters(
        linear_noise=0.1, turn_factor=(value, value)), np.random.default_rng(1))
        for value in (1.0, 2.0))
    for each in plain, fixed:
        each.step(true[:3], 0.1)
    assert np.array_equal(plain.velocities[:, 0], fixed.velocities[:, 0])


@pytest.mark.parametrize(('name', 'value'), [
    ('distance_factor', (1.2, 0.8)), ('turn_factor', (0.0, 1.0)),
    ('turn_factor_fall', (-0.1, 0.1)), ('turn_factor_left', (0.0, 2.0))])
def test_a_wrong_range_is_refused(name: str, value: tuple[float, float]) -> None:
    with pytest.raises(ParameterError, match=f'parameter {name}: .* a least and a greatest'):
        OdometryErrorParameters(**{name: value})
