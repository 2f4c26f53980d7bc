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

"""
Contact physics by MuJoCo: two-wheeled robots whose wheels slip and that push each other.

The robot is that of :mod:`.robot_body`. Its disc is a sphere that does not touch the floor: seen
from above it is the disc, and its contacts are computed exactly. The motor of a wheel holds the
wheel's speed, with limited torque. MuJoCo has no random numbers: equal commands give equal motion.

MuJoCo is the extra ``physics``. This module is imported only where it is asked for.
"""

from collections.abc import Sequence
import math
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

from leader_election.simulation import robot_body as body
from leader_election.simulation.motion import Array, velocities_between, VelocityController
from leader_election.simulation.scene import obstacle_rectangles, outer_walls, WALL_HEIGHT
import mujoco
import numpy as np
from numpy.typing import NDArray
import shapely

STEP = 0.005
"""The longest time step [s]."""
PATIENCE = 0.5
"""A robot that drives at less than half the commanded speed for so long is blocked [s]."""
_SPEED_GAIN = 0.1
"""The torque of a motor per error of the wheel's speed, up to the limit [N m s/rad]."""
_ROTOR = 5e-4
"""
The inertia of a motor's rotor as the wheel feels it through the gear [kg m²].

It also keeps the control stable where the wheel slips.
"""
_FLOOR, _WHEEL, _DISC = {'contype': 1, 'conaffinity': 0}, {'contype': 0, 'conaffinity': 1}, {
    'contype': 2, 'conaffinity': 2}
"""Collisions: wheels and casters with the floor, discs with each other and with walls."""
_ROBOT_SIZE, _SPEED_SIZE = 9, 8
"""Positions of a robot in MuJoCo: x, y, z, a quaternion, two wheels; and its velocities."""


class ContactPhysics:
    """
    The bodies of robots in an arena. Rows of arrays are robots.

    :ivar wheels: the angles by which the left and the right wheel have turned since the start,
        forward [rad], shape (n, 2).
    :ivar touching: whether the disc touched anything in the last step, shape (n,).
    :ivar accelerations: by an accelerometer in the middle of the axle, in the axes of the robot,
        the mean of the last step [m/s²], shape (n, 3). At rest it is 9.81 upwards.
    :ivar turn_rates: the same of a gyroscope [rad/s], shape (n, 3).
    """

    def __init__(self, arena: shapely.Polygon, obstacles: Sequence[shapely.Polygon],
                 starts: Array) -> None:
        """
        Put the robots at rest.

        :param arena: the inside of the outer walls [m].
        :param obstacles: [m].
        :param starts: x, y, yaw of each robot [m, rad], shape (n, 3).
        """
        self._model: Any = mujoco.MjModel.from_xml_string(mjcf(arena, obstacles, len(starts)))
        self._data: Any = mujoco.MjData(self._model)
        # Views into MuJoCo's state, a row for each robot.
        self._positions: Array = self._data.qpos.reshape(-1, _ROBOT_SIZE)
        self._speeds: Array = self._data.qvel.reshape(-1, _SPEED_SIZE)
        self._sensors: Array = self._data.sensordata.reshape(-1, 2, 3)
        self._motors: Array = self._data.ctrl.reshape(-1, 2)
        self._disc_rows = np.full(self._model.ngeom, -1)
        for row in range(len(starts)):
            self._disc_rows[self._model.geom(f'disc_{row}').id] = row
        self._targets: Array = np.zeros((len(starts), 2))
        self._limits = np.array((body.MAX_SPEED, body.MAX_TURN_RATE))
        self._accelerations = np.array((body.MAX_ACCELERATION, body.MAX_TURN_ACCELERATION))
        self.wheels: Array = np.zeros((len(starts), 2))
        self.touching: NDArray[np.bool_] = np.zeros(len(starts), dtype=bool)
        self.accelerations: Array = np.zeros((len(starts), 3))
        self.turn_rates: Array = np.zeros((len(starts), 3))
        self.place(range(len(starts)), starts)

    @property
    def poses(self) -> Array:
        """Return x, y, yaw of the robots [m, rad], shape (n, 3), yaw in [-pi, pi]."""
        w, x, y, z = self._positions[:, 3:7].T
        yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
        return np.column_stack((self._positions[:, :2], yaw))

    def place(self, rows: Sequence[int], poses: Array) -> None:
        """
        Put robots somewhere else, at rest. Nothing checks that the place is free.

        :param rows: of the robots.
        :param poses: x, y, yaw [m, rad], shape (len(rows), 3).
        """
        rows = list(rows)
        self._positions[rows, :2] = poses[:, :2]
        self._positions[rows, 2] = 0.0
        self._positions[rows, 3:7] = 0.0
        self._positions[rows, 3] = np.cos(poses[:, 2] / 2)
        self._positions[rows, 6] = np.sin(poses[:, 2] / 2)
        self._speeds[rows] = 0.0
        self._targets[rows] = 0.0

    def step(self, velocities: Array, duration: float) -> None:
        """
        Advance by a time, in equal steps.

        :param velocities: commanded linear and angular velocity [m/s, rad/s], shape (n, 2). Speeds
            and accelerations of the drive are limited.
        :param duration: [s].
        """
        steps = max(1, math.ceil(duration / STEP - 1e-9))
        dt = self._model.opt.timestep = duration / steps
        wanted = np.clip(velocities, -self._limits, self._limits)
        change = self._accelerations * dt
        self.touching[:] = False
        sensed = np.zeros_like(self._sensors)
        for _ in range(steps):
            self._targets += np.clip(wanted - self._targets, -change, change)
            forward = self._targets[:, 0]
            sideways = self._targets[:, 1] * (body.WHEEL_SEPARATION / 2)
            speeds = np.column_stack((forward - sideways, forward + sideways)) / body.WHEEL_RADIUS
            self._motors[:] = _SPEED_GAIN * (speeds - self._speeds[:, 6:])
            mujoco.mj_step(self._model, self._data)
            rows = self._disc_rows[self._data.contact.geom]
            self.touching[rows[rows >= 0]] = True
            sensed += self._sensors
        self.accelerations, self.turn_rates = sensed[:, 0] / steps, sensed[:, 1] / steps
        self.wheels = self._positions[:, 7:].copy()


class PhysicalMotion:
    """Robots that follow a controller as far as contacts and their motors let them."""

    def __init__(self, controller: VelocityController, physics: ContactPhysics) -> None:
        """
        Start with no robot blocked.

        :param controller: chooses the speeds that the wheels are to have.
        :param physics: the bodies.
        """
        self._controller, self._physics = controller, physics
        self._slow: Array = np.zeros(len(physics.wheels))
        self._poses = physics.poses

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Drive for a time, as :class:`.Motion` does. First place the robots that were moved."""
        physics = self._physics
        moved = np.flatnonzero((poses != self._poses).any(axis=1))
        physics.place(moved.tolist(), poses[moved])
        wanted = self._controller.velocities(poses, self._slow >= PATIENCE, now, dt)
        before = physics.wheels
        physics.step(wanted, dt)
        self._poses = physics.poses
        slow = velocities_between(poses, self._poses, dt)[:, 0] < wanted[:, 0] / 2
        self._slow = np.where(slow & (wanted[:, 0] > 0.0), self._slow + dt, 0.0)
        left, right = body.WHEEL_RADIUS / dt * (physics.wheels - before).T
        return self._poses, np.column_stack(
            ((left + right) / 2, (right - left) / body.WHEEL_SEPARATION))


def mjcf(arena: shapely.Polygon, obstacles: Sequence[shapely.Polygon], robots: int) -> str:
    """
    Return the model as MJCF, MuJoCo's XML. All robots are at the origin.

    :param arena: the inside of the outer walls [m].
    :param obstacles: [m].
    :param robots: their number.

    >>> import shapely
    >>> mjcf(shapely.box(-1, -1, 1, 1), (), 2).count('<freejoint')
    2
    """
    root = Element('mujoco', model='swarm')
    # Elliptic cones and a stiff tangential direction: robots at rest do not creep.
    _add(root, 'option', timestep=STEP, cone='elliptic', impratio=10)
    _add(root, 'compiler', autolimits='true')
    # As stiff as the step allows: robots sink less than 0.1 mm.
    _add(_add(root, 'default'), 'geom', solref=(2 * STEP, 1))
    world = _add(root, 'worldbody')
    _add(world, 'geom', type='plane', size=(0, 0, 1), **_FLOOR)
    for rectangle in (*outer_walls(arena), *(
            each for obstacle in obstacles for each in obstacle_rectangles(obstacle))):
        _add(world, 'geom', type='box', pos=(rectangle.x, rectangle.y, WALL_HEIGHT / 2),
             euler=(0, 0, math.degrees(rectangle.yaw)),
             size=(rectangle.length / 2, rectangle.width / 2, WALL_HEIGHT / 2), **_DISC)
    motors, sensors = _add(root, 'actuator'), _add(root, 'sensor')
    for row in range(robots):
        _add_robot(world, row)
        for side in ('left', 'right'):
            _add(motors, 'motor', joint=f'{side}_{row}',
                 ctrlrange=(-body.WHEEL_TORQUE, body.WHEEL_TORQUE))
        for kind in ('accelerometer', 'gyro'):
            _add(sensors, kind, site=f'imu_{row}')
    return tostring(root, encoding='unicode')


def _add_robot(world: Element, row: int) -> None:
    chassis = _add(world, 'body', name=f'robot_{row}')
    _add(chassis, 'freejoint')
    _add_inertial(chassis, body.CHASSIS)
    _add(chassis, 'site', name=f'imu_{row}')
    _add(chassis, 'geom', name=f'disc_{row}', type='sphere', size=body.RADIUS,
         pos=(0, 0, body.MIDDLE), **_DISC)
    # The caster does not turn, but slides without friction.
    _add(chassis, 'geom', type='sphere', size=body.CASTER_RADIUS, condim=1, priority=1,
         pos=(body.CASTER_X, 0, body.CASTER_RADIUS), **_WHEEL)
    for side, y in (('left', body.WHEEL_SEPARATION / 2), ('right', -body.WHEEL_SEPARATION / 2)):
        wheel = _add(chassis, 'body', pos=(0, y, body.WHEEL_RADIUS))
        # Positive rotation, about +y, drives forward.
        _add(wheel, 'joint', name=f'{side}_{row}', axis=(0, 1, 0), armature=_ROTOR)
        _add_inertial(wheel, body.WHEEL)
        _add(wheel, 'geom', type='sphere', size=body.WHEEL_RADIUS,
             friction=(body.FRICTION, 0, 0), **_WHEEL)


def _add_inertial(parent: Element, of: body.RigidBody) -> None:
    _add(parent, 'inertial', mass=of.mass, pos=of.centre,
         fullinertia=(*of.moments, *of.products))


def _add(parent: Element, tag: str, /, **attributes: Any) -> Element:
    return SubElement(parent, tag, {
        key: ' '.join(map(str, value)) if isinstance(value, tuple) else str(value)
        for key, value in attributes.items()})
