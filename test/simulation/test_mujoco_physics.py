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

"""Contact physics, and the body of the robot: inertia, and what it can do."""

import math
import sys

from hypothesis import given
from hypothesis import strategies as st
from leader_election.parameters import ParameterError
from leader_election.simulation import robot_body
from leader_election.simulation import robot_body as body
from leader_election.simulation.motion import Array, compose, least_distance
from leader_election.simulation.mujoco_physics import ContactPhysics
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_body import (
    box,
    CHASSIS,
    combined,
    cylinder,
    MAX_ACCELERATION,
    MAX_TURN_ACCELERATION,
    RigidBody,
    sphere,
    WHEEL,
)
from leader_election.simulation.world import World
import numpy as np
from numpy.typing import NDArray
import pytest
import shapely

ROOM = shapely.box(-3.0, -3.0, 3.0, 3.0)
ROBOT = 0.15
"""The radius [m]."""


def driven(starts: list[list[float]], commands: list[list[float]], seconds: float,
           obstacles: tuple[shapely.Polygon, ...] = ()) -> ContactPhysics:
    physics = ContactPhysics(ROOM, obstacles, np.array(starts))
    for _ in range(round(10 * seconds)):
        physics.step(np.array(commands), 0.1)
    return physics


def way(physics: ContactPhysics, robot: int = 0) -> float:
    """Return the way of a robot by its wheels [m]."""
    return float(physics.wheels[robot].mean()) * body.WHEEL_RADIUS


def test_accelerometer_measures_gravity_when_the_robot_rests():
    physics = driven([[1.0, 0.5, 0.7]], [[0.0, 0.0]], 5.0)
    assert physics.poses[0] == pytest.approx([1.0, 0.5, 0.7], abs=1e-4)
    assert physics.accelerations[0] == pytest.approx([0.0, 0.0, 9.81], abs=0.03)
    assert not physics.touching[0]


def test_wheels_roll_without_slip_and_the_drive_limits_acceleration():
    physics = driven([[-2.5, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.5, 0.0], [0.0, 1.0]], 4.0)
    # From rest at 1 m/s², and 6 rad/s².
    assert physics.poses[0] == pytest.approx([-2.5 + 2.0 - 0.125, 0.0, 0.0], abs=0.02)
    assert way(physics) == pytest.approx(physics.poses[0, 0] + 2.5, abs=0.01)
    left, right = physics.wheels[1] * body.WHEEL_RADIUS
    turned = physics.poses[1, 2] % (2.0 * math.pi)
    assert turned == pytest.approx(4.0 - 1.0 / 12.0, abs=0.04)
    assert (right - left) / body.WHEEL_SEPARATION == pytest.approx(turned, abs=0.03)
    assert physics.turn_rates[1] == pytest.approx([0.0, 0.0, 1.0], abs=0.01)


@pytest.mark.parametrize('obstacles', [(), (shapely.Polygon([(2, -1), (3, 0), (2, 1)]),)])
def test_wheels_stall_when_the_robot_touches_a_wall(obstacles):
    wall = 2.0 if obstacles else 3.0
    physics = driven([[1.0, 0.0, 0.0]], [[0.5, 0.0]], 6.0, obstacles)
    assert physics.poses[0, 0] == pytest.approx(wall - ROBOT, abs=0.01)
    assert physics.touching[0]
    stalled = way(physics)
    physics.step(np.array([[0.5, 0.0]]), 10.0)
    assert physics.poses[0, 0] == pytest.approx(wall - ROBOT, abs=0.01)
    assert way(physics) == pytest.approx(stalled, abs=0.05)  # 5 m are commanded
    # The drive limits the acceleration of the command, not that of the wheels.
    physics.step(np.array([[-0.5, 0.0]]), 1.5)
    physics.step(np.array([[-0.5, 0.0]]), 0.1)
    assert not physics.touching[0] and physics.poses[0, 0] < wall - ROBOT - 0.3


def test_robot_pushes_another_sideways():
    # The other one stands across: its wheels cannot roll out of the way.
    physics = driven([[-1.0, 0.0, 0.0], [0.0, 0.0, math.pi / 2]], [[0.5, 0.0], [0.0, 0.0]], 6.0)
    assert physics.touching.all()
    along = driven([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]], [[0.5, 0.0], [0.3, 0.0]], 6.0)
    assert along.poses[1, 0] > 1.8
    assert np.hypot(*(physics.poses[1] - physics.poses[0])[:2]) > 2.0 * ROBOT - 0.01
    # Faster than its wheels want to: they are turned with the motor's torque against them.
    assert way(along, 1) < along.poses[1, 0] + 0.05


def test_body_is_moved_when_the_robot_is_placed():
    physics = driven([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]], [[0.5, 0.0], [0.0, 0.0]], 1.0)
    physics.place([0], np.array([[-2.0, 1.0, 3.0]]))
    assert physics.poses.round(3).tolist() == [[-2.0, 1.0, 3.0], [1.0, 1.0, 0.0]]


def after(steps: int, **settings: object) -> World:
    world = World(WorldParameters(physics='mujoco', **settings))  # type: ignore[arg-type]
    for _ in range(steps):
        world.step()
    return world


def errors(world: World) -> Array:
    """Return the errors of odometry [m]."""
    reckoned = compose(np.array(world.scene.starts), world.odometry)
    return np.hypot(*(reckoned - world.poses)[:, :2].T)


def test_world_with_physics_wanders_slips_and_is_repeatable():
    world = after(100, robots=5, motion='levy', seed=3)
    assert np.hypot(*(world.poses - np.array(world.scene.starts))[:, :2].T).mean() > 0.5
    assert 1e-4 < errors(world).mean() < 0.5
    free = world.scene.arena.difference(shapely.union_all(world.scene.obstacles))
    assert free.buffer(0.01 - ROBOT).covers(shapely.MultiPoint(world.poses[:, :2]))
    assert least_distance(world.poses) > 2 * ROBOT - 0.02
    assert after(100, robots=5, motion='levy', seed=3).poses.tolist() == world.poses.tolist()
    assert not world.covariance.exact


def test_physics_settings_are_refused_in_one_line_when_unsupported(monkeypatch):
    with pytest.raises(ParameterError, match='parameter physics: mujoco is not allowed with logs'):
        WorldParameters(physics='mujoco', logs='physics5')
    monkeypatch.setitem(sys.modules, 'mujoco', None)
    monkeypatch.delitem(sys.modules, 'leader_election.simulation.mujoco_physics')
    with pytest.raises(ParameterError, match='pip install .*mujoco'):
        after(0)


# The robot's body: inertia against sums over points, geometry, and the torque of its wheels.

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
    """Six points with the same mass, centre and moments replace a sphere."""
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
def test_inertia_of_the_robot_is_physically_possible(body: RigidBody) -> None:
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


def test_robot_does_not_tip_at_the_greatest_acceleration() -> None:
    """The centre of mass stays above the triangle of wheels and caster, also when it brakes."""
    whole = whole_robot()
    lean = whole.centre[2] * MAX_ACCELERATION / GRAVITY
    assert robot_body.CASTER_X < whole.centre[0] - lean and whole.centre[0] + lean < 0
    assert whole.centre[1] == 0


def test_motors_can_accelerate_and_stall_before_wheels_slip() -> None:
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
