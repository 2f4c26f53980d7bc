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

"""The robot's body: inertia against sums over points, geometry, and the torque of its wheels."""

import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.simulation import robot_body
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.robot_body import (
    box,
    CHASSIS,
    combined,
    cylinder,
    MAX_ACCELERATION,
    MAX_TURN_ACCELERATION,
    MAX_TURN_RATE,
    RigidBody,
    sphere,
    WHEEL,
)
import numpy as np
from numpy.typing import NDArray
import pytest

SIZES = st.floats(0.05, 2.0)
PLACES = st.tuples(*[st.floats(-2.0, 2.0)] * 3)


def summed(points: NDArray[np.float64], mass: float) -> RigidBody:
    """Return points of equal mass as one body."""
    centre = points.mean(axis=0)
    x, y, z = (points - centre).T
    each = mass / len(points)
    return RigidBody(mass, tuple(centre), tuple(each * np.array(
        [(y * y + z * z).sum(), (x * x + z * z).sum(), (x * x + y * y).sum()])),
        tuple(-each * np.array([(x * y).sum(), (x * z).sum(), (y * z).sum()])))


def lattice(side: int = 60) -> NDArray[np.float64]:
    """Return the centres of small cubes that fill a cube of side 2."""
    line = (np.arange(side) + 0.5) / side * 2 - 1
    return np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)


def same(one: RigidBody, other: RigidBody, within: float) -> None:
    for a, b in zip(one, other):
        assert a == pytest.approx(b, rel=within, abs=1e-9)


def test_inertia_of_solids_equals_the_sum_over_points() -> None:
    points = lattice()
    flat = np.hypot(points[:, 0], points[:, 1])
    same(box(3.0, (0.4, 1.0, 2.0)), summed(points * (0.2, 0.5, 1.0), 3.0), 1e-3)
    same(cylinder(3.0, 0.5, 3.0), summed(points[flat < 1] * (0.5, 0.5, 1.5), 3.0), 5e-3)
    same(sphere(3.0, 0.5), summed(points[np.linalg.norm(points, axis=1) < 1] * 0.5, 3.0), 5e-3)


@given(st.lists(st.tuples(st.floats(0.1, 5.0), SIZES, PLACES), min_size=1, max_size=4))
def test_inertia_of_combined_bodies_equals_the_sum_over_points(parts: list) -> None:
    """Six points stand for a sphere: the same mass, centre and moments."""
    six = np.vstack((np.eye(3), -np.eye(3)))
    bodies, points, weights = [], [], []
    for mass, radius, centre in parts:
        bodies.append(sphere(mass, radius, centre))
        points.append(six * radius * np.sqrt(3 * 0.2) + centre)
        weights.append(np.full(6, mass / 6))
    p, w = np.vstack(points), np.concatenate(weights)
    whole = combined(bodies)
    centre = w @ p / w.sum()
    off = p - centre
    matrix = (w * (off * off).sum(axis=1)).sum() * np.eye(3) - (off.T * w) @ off
    assert whole.mass == pytest.approx(w.sum())
    assert whole.centre == pytest.approx(centre, abs=1e-9)
    assert whole.moments == pytest.approx(np.diag(matrix), abs=1e-9)
    assert whole.products == pytest.approx(
        (matrix[0, 1], matrix[0, 2], matrix[1, 2]), abs=1e-9)


@pytest.mark.parametrize('body', [CHASSIS, WHEEL])
def test_the_robots_inertia_is_physically_possible(body: RigidBody) -> None:
    """Principal moments are positive, and none exceeds the sum of the other two."""
    xy, xz, yz = body.products
    a, b, c = np.linalg.eigvalsh(np.diag(body.moments)
                                 + [[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
    assert 0 < a <= b <= c <= a + b + 1e-12


GRAVITY = 9.8


def whole_robot() -> RigidBody:
    side = robot_body.WHEEL_SEPARATION / 2
    return combined([CHASSIS] + [
        WHEEL._replace(centre=(0.0, y, robot_body.WHEEL_RADIUS)) for y in (side, -side)])


def test_its_radius_is_the_default_of_robot_radius() -> None:
    assert robot_body.RADIUS == SceneParameters().robot_radius
    assert robot_body.WHEEL_SEPARATION / 2 + robot_body.WHEEL_RADIUS <= robot_body.RADIUS
    assert abs(robot_body.CASTER_X) + robot_body.CASTER_RADIUS <= robot_body.RADIUS


def test_it_rests_on_wheels_and_caster_at_the_greatest_acceleration() -> None:
    """Its centre of mass is above their triangle, also while it brakes hard."""
    whole = whole_robot()
    lean = whole.centre[2] * MAX_ACCELERATION / GRAVITY
    assert robot_body.CASTER_X < whole.centre[0] - lean and whole.centre[0] + lean < 0
    assert whole.centre[1] == 0


def test_gazebo_classic_can_express_the_greatest_turn_rate() -> None:
    """It takes commands as the yaw of a quaternion, which is limited to pi."""
    assert MAX_TURN_RATE < math.pi


def test_its_wheels_stall_before_they_slip_and_can_accelerate() -> None:
    whole = whole_robot()
    on_wheels = whole.mass * GRAVITY * (1 - whole.centre[0] / robot_body.CASTER_X)
    # A wall pushes back at the top of the disc at worst, which relieves the wheels.
    push = 2 * robot_body.WHEEL_TORQUE / robot_body.WHEEL_RADIUS
    relief = push * robot_body.TOP / abs(robot_body.CASTER_X)
    assert push < robot_body.FRICTION * (on_wheels - relief) / 1.5
    about_axle = whole.moments[2] + whole.mass * whole.centre[0]**2
    needed = robot_body.WHEEL_RADIUS * (
        whole.mass * MAX_ACCELERATION / 2
        + about_axle * MAX_TURN_ACCELERATION / robot_body.WHEEL_SEPARATION)
    assert 1.5 * needed < robot_body.WHEEL_TORQUE
