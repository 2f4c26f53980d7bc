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
Mass, centre and inertia of what a robot is made of: solid bodies of even density.

Moments are those of any textbook on rigid bodies, about the centre of mass and along the axes.
"""

from collections.abc import Sequence
from typing import NamedTuple

Vector = tuple[float, float, float]


class Body(NamedTuple):
    """A rigid body whose axes are its principal ones, or nearly: products are given, too."""

    mass: float
    """[kg]."""
    centre: Vector
    """Of its mass [m]."""
    moments: Vector
    """``ixx, iyy, izz`` [kg m²]."""
    products: Vector = (0.0, 0.0, 0.0)
    """``ixy, ixz, iyz`` [kg m²]: the entries of the matrix, with their sign."""


def sphere(mass: float, radius: float, centre: Vector = (0.0, 0.0, 0.0)) -> Body:
    """
    Return a sphere.

    >>> sphere(10.0, 0.5).moments
    (1.0, 1.0, 1.0)
    """
    moment = 2 / 5 * mass * radius**2
    return Body(mass, centre, (moment, moment, moment))


def cylinder(mass: float, radius: float, length: float,
             centre: Vector = (0.0, 0.0, 0.0)) -> Body:
    """
    Return an upright cylinder.

    >>> cylinder(12.0, 1.0, 3.0).moments
    (12.0, 12.0, 6.0)
    """
    across = mass * (3 * radius**2 + length**2) / 12
    return Body(mass, centre, (across, across, mass * radius**2 / 2))


def box(mass: float, size: Vector, centre: Vector = (0.0, 0.0, 0.0)) -> Body:
    """
    Return a box.

    >>> box(12.0, (1.0, 2.0, 3.0)).moments
    (13.0, 10.0, 5.0)
    """
    x, y, z = (side**2 for side in size)
    return Body(mass, centre, (mass * (y + z) / 12, mass * (x + z) / 12, mass * (x + y) / 12))


def together(bodies: Sequence[Body]) -> Body:
    """
    Return what bodies fixed to each other are as one, by the parallel axis theorem.

    >>> together([sphere(1.0, 0.5, (-1.0, 0.0, 0.0)), sphere(1.0, 0.5, (1.0, 0.0, 0.0))])
    Body(mass=2.0, centre=(0.0, 0.0, 0.0), moments=(0.2, 2.2, 2.2), products=(0.0, 0.0, 0.0))
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
    return Body(mass, centre, _vector(moments), _vector(products))


def _vector(values: Sequence[float]) -> Vector:
    # What rounding leaves of a zero is not worth a line in a file, nor its sign.
    x, y, z = (round(value, 12) + 0.0 for value in values)
    return x, y, z
