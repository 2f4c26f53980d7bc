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
The swarm robot as an SDF model: a differential drive robot, a disc on two wheels and a caster.

Masses and moments of inertia are those of homogeneous solids, about the centre of mass, as in any
textbook on rigid bodies. Wheels and caster are spheres: a sphere touches the ground at one point
with any solver, and turns more accurately than a cylinder. The battery is behind the axle, so that
the robot rests on its caster. The frame ``base_link`` is on the ground, midway between the wheels.
"""

from collections.abc import Sequence
import math
from typing import NamedTuple

from leader_election.gazebo.sdf import Colour, document, Element, material, tag
from leader_election.gazebo.simulator import (
    drive_plugin,
    Equipment,
    ground_truth_plugin,
    lidar_sensor,
    NO_EQUIPMENT,
    Simulator,
)

Vector = tuple[float, float, float]


class RigidBody(NamedTuple):
    """Mass, centre of mass and inertia tensor of a rigid body, in the axes of the robot."""

    mass: float
    """[kg]."""
    centre: Vector
    """The centre of mass [m]."""
    moments: Vector
    """``ixx, iyy, izz`` [kg m²]."""
    products: Vector = (0.0, 0.0, 0.0)
    """``ixy, ixz, iyz`` [kg m²]: the off-diagonal entries of the tensor, with their sign."""


def sphere(mass: float, radius: float, centre: Vector = (0.0, 0.0, 0.0)) -> RigidBody:
    """
    Return a solid sphere.

    :param mass: [kg].
    :param radius: [m].
    :param centre: [m].

    >>> sphere(10.0, 0.5).moments
    (1.0, 1.0, 1.0)
    """
    moment = 2 / 5 * mass * radius**2
    return RigidBody(mass, centre, (moment, moment, moment))


def cylinder(mass: float, radius: float, length: float,
             centre: Vector = (0.0, 0.0, 0.0)) -> RigidBody:
    """
    Return a solid cylinder whose axis is vertical.

    :param mass: [kg].
    :param radius: [m].
    :param length: [m].
    :param centre: [m].

    >>> cylinder(12.0, 1.0, 3.0).moments
    (12.0, 12.0, 6.0)
    """
    across = mass * (3 * radius**2 + length**2) / 12
    return RigidBody(mass, centre, (across, across, mass * radius**2 / 2))


def box(mass: float, size: Vector, centre: Vector = (0.0, 0.0, 0.0)) -> RigidBody:
    """
    Return a solid box.

    :param mass: [kg].
    :param size: along x, y and z [m].
    :param centre: [m].

    >>> box(12.0, (1.0, 2.0, 3.0)).moments
    (13.0, 10.0, 5.0)
    """
    x, y, z = (side**2 for side in size)
    return RigidBody(mass, centre, (mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12))


def combined(bodies: Sequence[RigidBody]) -> RigidBody:
    """
    Combine bodies that are fixed to each other, by the parallel axis theorem.

    :param bodies: at least one, with positive total mass.

    >>> combined([sphere(1.0, 0.5, (-1.0, 0.0, 0.0)), sphere(1.0, 0.5, (1.0, 0.0, 0.0))])
    RigidBody(mass=2.0, centre=(0.0, 0.0, 0.0), moments=(0.2, 2.2, 2.2), products=(0.0, 0.0, 0.0))
    """
    mass = sum(body.mass for body in bodies)
    centre = _vector([
        sum(body.mass * body.centre[axis] for body in bodies) / mass for axis in range(3)])
    moments, products = [0.0] * 3, [0.0] * 3
    for body in bodies:
        off = [body.centre[axis] - centre[axis] for axis in range(3)]
        square = sum(x * x for x in off)
        for axis in range(3):
            moments[axis] += body.moments[axis] + body.mass * (square - off[axis]**2)
        for k, (i, j) in enumerate(((0, 1), (0, 2), (1, 2))):
            products[k] += body.products[k] - body.mass * off[i] * off[j]
    return RigidBody(mass, centre, _vector(moments), _vector(products))


def _vector(values: Sequence[float]) -> Vector:
    # Rounding errors of zeros, and -0, would make the file longer and harder to read.
    x, y, z = (round(value, 12) + 0.0 for value in values)
    return x, y, z


SDF_VERSION = '1.7'
"""A version that both Gazebo Sim and Gazebo Classic 11 read."""

RADIUS = 0.15
"""The radius of the robot seen from above [m]; the default of parameter robot_radius."""
WHEEL_SEPARATION = 0.22
"""The distance between the contact points of the wheels [m]."""
WHEEL_RADIUS = 0.035
"""[m]."""
CASTER_RADIUS = 0.0175
"""[m]."""
CASTER_X = -0.11
"""The position of the caster, behind the axle [m]."""
_FLOOR, _TOP = 0.02, 0.09
"""The height of the disc's lower and upper side [m]."""
_HEAD_RADIUS, _HEAD = 0.108, 0.04
"""
Radius and height of the head, a cylinder on top of the disc [m].

The scanner is inside the head, above wheels and disc, and detects the heads of other robots. The
head is enough smaller than the disc for beams, which begin well outside the head, to detect even a
robot that touches this one.
"""
_MIN_RANGE = _HEAD_RADIUS * math.sqrt(3) + 0.001
"""
The least range of a scanner [m].

Gazebo Sim renders a cube map round the scanner. Towards the edges of the cube its near clipping
plane is farther away, by up to the square root of three. Objects nearer than the least range are
reported as too near, and hide everything behind them.
"""

_MIDDLE = (_FLOOR + _TOP) / 2
_DISC = cylinder(1.2, RADIUS, _TOP - _FLOOR, (0.0, 0.0, _MIDDLE))
_SCANNER_Z = _TOP + _HEAD / 2
_SHELL = cylinder(0.1, _HEAD_RADIUS, _HEAD, (0.0, 0.0, _SCANNER_Z))
_BATTERY = box(0.8, (0.06, 0.12, 0.04), (-0.08, 0.0, 0.045))
CHASSIS = combined([_DISC, _SHELL, _BATTERY])
"""All parts except the wheels, as one body."""
WHEEL = sphere(0.1, WHEEL_RADIUS)
"""One wheel."""

_BLACK = (0.1, 0.1, 0.1)
_WHITE = (0.95, 0.95, 0.95)


def robot_sdf(name: str, pose: tuple[float, float, float], colour: Colour, simulator: Simulator,
              equipment: Equipment = NO_EQUIPMENT, z: float = 0.0) -> str:
    """
    Return an SDF file with one robot.

    :param name: of the model; it is part of the names of its topics in Gazebo.
    :param pose: x, y, yaw [m, rad].
    :param colour: of disc and head.
    :param simulator: for which simulator the plugins are.
    :param equipment: what the robot has in addition to its drive.
    :param z: the height of the floor [m].

    >>> 'gz-sim-diff-drive-system' in robot_sdf(
    ...     'robot_1', (1.0, 2.0, 0.0), (1.0, 0.0, 0.0), Simulator.GZ_SIM)
    True
    """
    return document(tag('sdf', robot_model(name, pose, colour, simulator, equipment, z),
                        version=SDF_VERSION))


def robot_model(name: str, pose: tuple[float, float, float], colour: Colour,
                simulator: Simulator, equipment: Equipment = NO_EQUIPMENT,
                z: float = 0.0) -> Element:
    """Return one robot as an element of a world; parameters as of :func:`robot_sdf`."""
    x, y, yaw = pose
    half = WHEEL_SEPARATION / 2
    return tag(
        'model', tag('pose', (x, y, z, 0.0, 0.0, yaw)),
        _chassis(colour, simulator, equipment),
        _wheel('left', half), _wheel('right', -half), _joint('left'), _joint('right'),
        drive_plugin(simulator, WHEEL_SEPARATION, WHEEL_RADIUS),
        *([ground_truth_plugin()]
          if equipment.ground_truth and simulator is Simulator.GZ_SIM else []),
        name=name)


def _chassis(colour: Colour, simulator: Simulator, equipment: Equipment) -> Element:
    disc = tag('geometry', tag('cylinder', tag('radius', RADIUS), tag('length', _TOP - _FLOOR)))
    head = tag('geometry', tag('cylinder', tag('radius', _HEAD_RADIUS), tag('length', _HEAD)))
    nose = tag('geometry', tag('box', tag('size', (0.07, 0.03, 0.01))))
    caster = _sphere_geometry(CASTER_RADIUS)
    at_caster = _pose(CASTER_X, 0.0, CASTER_RADIUS)
    return tag(
        'link', _inertial(CHASSIS),
        tag('collision', _pose(0.0, 0.0, _MIDDLE), disc, name='disc_shape'),
        tag('visual', _pose(0.0, 0.0, _MIDDLE), disc, material(colour), name='disc'),
        tag('collision', _pose(0.0, 0.0, _SCANNER_Z), head, name='head_shape'),
        tag('visual', _pose(0.0, 0.0, _SCANNER_Z), head, material(colour), name='head'),
        # Shows the forward direction.
        tag('visual', _pose(0.07, 0.0, _TOP + _HEAD + 0.005), nose, material(_WHITE), name='nose'),
        # The caster does not turn, but slides without friction.
        tag('collision', at_caster, caster, _surface(0.0), name='caster_shape'),
        tag('visual', at_caster, caster, material(_BLACK), name='caster'),
        *([lidar_sensor(simulator, equipment.lidar, height=_SCANNER_Z, min_range=_MIN_RANGE)]
          if equipment.lidar else []),
        name='base_link')


def _wheel(side: str, y: float) -> Element:
    ball = _sphere_geometry(WHEEL_RADIUS)
    return tag(
        'link', _pose(0.0, y, WHEEL_RADIUS), _inertial(WHEEL),
        tag('collision', ball, _surface(1.0), name='collision'),
        tag('visual', ball, material(_BLACK), name='visual'), name=f'{side}_wheel')


def _joint(side: str) -> Element:
    """Return the joint of a wheel; positive rotation, about +y, drives forward."""
    return tag(
        'joint', tag('parent', 'base_link'), tag('child', f'{side}_wheel'),
        tag('axis', tag('xyz', (0.0, 1.0, 0.0)),
            tag('limit', tag('lower', '-1e16'), tag('upper', '1e16'))),
        name=f'{side}_wheel_joint', type='revolute')


def _pose(x: float, y: float, z: float) -> Element:
    return tag('pose', (x, y, z, 0.0, 0.0, 0.0))


def _sphere_geometry(radius: float) -> Element:
    return tag('geometry', tag('sphere', tag('radius', radius)))


def _surface(friction: float) -> Element:
    return tag('surface', tag('friction', tag('ode', tag('mu', friction), tag('mu2', friction))))


def _inertial(body: RigidBody) -> Element:
    names = ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')
    return tag(
        'inertial', _pose(*body.centre), tag('mass', body.mass),
        tag('inertia', *(tag(name, value)
                         for name, value in zip(names, body.moments + body.products))))
