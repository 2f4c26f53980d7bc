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
The body of the swarm robot for simulators with physics: dimensions, masses, limits of its drive.

A disc on two wheels and a caster. Masses and moments of inertia are those of homogeneous solids,
about the centre of mass, as in any textbook on rigid bodies. Wheels and caster are spheres: a
sphere touches the ground at one point with any solver, and turns more accurately than a cylinder.
The battery is behind the axle, so that the robot rests on its caster. The origin is on the ground,
midway between the wheels. The x axis points forward.
"""

from collections.abc import Sequence
from typing import NamedTuple

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
FLOOR, TOP = 0.02, 0.09
"""The height of the disc's lower and upper side [m]."""
MIDDLE = (FLOOR + TOP) / 2
"""The height of the disc's centre [m]."""
HEAD_RADIUS, HEAD = 0.108, 0.04
"""
Radius and height of the head, a cylinder on top of the disc [m].

The scanner is inside the head, above wheels and disc, and detects the heads of other robots. The
head is enough smaller than the disc for beams, which begin well outside the head, to detect even a
robot that touches this one.
"""
SCANNER_Z = TOP + HEAD / 2
"""The height of the scanner [m]."""

MAX_SPEED = 1.0
"""The limit of the linear speed [m/s]."""
MAX_ACCELERATION = 1.0
"""Far below what would tip the robot over or make a wheel slide [m/s²]."""
MAX_TURN_RATE = 3.0
"""[rad/s]."""
MAX_TURN_ACCELERATION = 6.0
"""[rad/s²]."""
WHEEL_TORQUE = 0.12
"""
The greatest torque of a wheel's motor [N m].

A robot that pushes against a wall stalls: a wheel slips from about 0.29 N m on, with a coefficient
of friction of 1. The greatest accelerations, forward and turning at once, need 0.06.
"""
FRICTION = 1.0
"""The coefficient of friction between a wheel and the ground. The caster has none."""

_DISC = cylinder(1.2, RADIUS, TOP - FLOOR, (0.0, 0.0, MIDDLE))
_SHELL = cylinder(0.1, HEAD_RADIUS, HEAD, (0.0, 0.0, SCANNER_Z))
_BATTERY = box(0.8, (0.06, 0.12, 0.04), (-0.08, 0.0, 0.045))
CHASSIS = combined([_DISC, _SHELL, _BATTERY])
"""All parts except the wheels, as one body."""
WHEEL = sphere(0.1, WHEEL_RADIUS)
"""One wheel."""
