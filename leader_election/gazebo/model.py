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
import math
from typing import NamedTuple

from leader_election.gazebo.sdf import Colour, document, Element, material, tag
from leader_election.gazebo.simulator import BARE, drive, Extras, scanner, Simulator, truth

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


SDF_VERSION = '1.7'
"""Read by Gazebo Sim and by Gazebo Classic 11 alike."""

RADIUS = 0.15
"""Of the robot, seen from above [m]; parameter robot_radius has the same default."""
WHEEL_SEPARATION = 0.22
"""Between the two points where wheels touch the ground [m]."""
WHEEL_RADIUS = 0.035
"""[m]."""
CASTER_RADIUS = 0.0175
"""[m]."""
CASTER_X = -0.11
"""Where the caster is, behind the axle [m]."""
_FLOOR, _TOP = 0.02, 0.09
"""The disc's lower and upper side [m]."""
_HEAD_RADIUS, _HEAD = 0.108, 0.04
"""
Of what stands on the disc, and its height [m].

A scanner looks out from inside it, above wheels and disc, and sees the heads of others. It is so
much smaller than the disc that beams, which begin well outside of it, see even a robot that
touches this one.
"""
_CLEAR = _HEAD_RADIUS * math.sqrt(3) + 0.001
"""
Where the beams of a scanner begin [m].

Gazebo Sim renders a cube round the scanner, and draws what is farther than a square root of three
less; what it has drawn nearer than this is said to be too near, and hides all behind it.
"""

_MIDDLE = (_FLOOR + _TOP) / 2
_DISC = cylinder(1.2, RADIUS, _TOP - _FLOOR, (0.0, 0.0, _MIDDLE))
_EYE = _TOP + _HEAD / 2
_SHELL = cylinder(0.1, _HEAD_RADIUS, _HEAD, (0.0, 0.0, _EYE))
_BATTERY = box(0.8, (0.06, 0.12, 0.04), (-0.08, 0.0, 0.045))
CHASSIS = together([_DISC, _SHELL, _BATTERY])
"""All that does not turn, as one body."""
WHEEL = sphere(0.1, WHEEL_RADIUS)

_BLACK = (0.1, 0.1, 0.1)
_WHITE = (0.95, 0.95, 0.95)


def robot_sdf(name: str, pose: tuple[float, float, float], colour: Colour, simulator: Simulator,
              extras: Extras = BARE) -> str:
    """
    Return a file that holds one robot.

    :param name: of the model, and so in the names of its topics.
    :param pose: x, y, yaw [m, rad].
    :param extras: what it has beside wheels.

    >>> 'gz-sim-diff-drive-system' in robot_sdf(
    ...     'robot_1', (1.0, 2.0, 0.0), (1.0, 0.0, 0.0), Simulator.GZ_SIM)
    True
    """
    return document(tag('sdf', robot_model(name, pose, colour, simulator, extras),
                        version=SDF_VERSION))


def robot_model(name: str, pose: tuple[float, float, float], colour: Colour,
                simulator: Simulator, extras: Extras = BARE) -> Element:
    """Return one robot, to be put into a world; arguments as of :func:`robot_sdf`."""
    x, y, yaw = pose
    half = WHEEL_SEPARATION / 2
    return tag(
        'model', tag('pose', (x, y, 0.0, 0.0, 0.0, yaw)),
        _chassis(colour, simulator, extras),
        _wheel('left', half), _wheel('right', -half), _joint('left'), _joint('right'),
        drive(simulator, WHEEL_SEPARATION, WHEEL_RADIUS),
        *([truth(name)] if extras.ground_truth and simulator is Simulator.GZ_SIM else []),
        name=name)


def _chassis(colour: Colour, simulator: Simulator, extras: Extras) -> Element:
    disc = tag('geometry', tag('cylinder', tag('radius', RADIUS), tag('length', _TOP - _FLOOR)))
    head = tag('geometry', tag('cylinder', tag('radius', _HEAD_RADIUS), tag('length', _HEAD)))
    nose = tag('geometry', tag('box', tag('size', (0.07, 0.03, 0.01))))
    caster = _ball(CASTER_RADIUS)
    at_caster = _at(CASTER_X, 0.0, CASTER_RADIUS)
    return tag(
        'link', _inertial(CHASSIS),
        tag('collision', _at(0.0, 0.0, _MIDDLE), disc, name='disc_shape'),
        tag('visual', _at(0.0, 0.0, _MIDDLE), disc, material(colour), name='disc'),
        tag('collision', _at(0.0, 0.0, _EYE), head, name='head_shape'),
        tag('visual', _at(0.0, 0.0, _EYE), head, material(colour), name='head'),
        # Which way it looks.
        tag('visual', _at(0.07, 0.0, _TOP + _HEAD + 0.005), nose, material(_WHITE), name='nose'),
        # It does not turn, but slides.
        tag('collision', at_caster, caster, _surface(0.0), name='caster_shape'),
        tag('visual', at_caster, caster, material(_BLACK), name='caster'),
        *([scanner(simulator, extras.lidar, _EYE, _CLEAR)] if extras.lidar else []),
        name='base_link')


def _wheel(side: str, y: float) -> Element:
    ball = _ball(WHEEL_RADIUS)
    return tag(
        'link', _at(0.0, y, WHEEL_RADIUS), _inertial(WHEEL),
        tag('collision', ball, _surface(1.0), name='collision'),
        tag('visual', ball, material(_BLACK), name='visual'), name=f'{side}_wheel')


def _joint(side: str) -> Element:
    """Return a wheel's hinge: turning about +y, it goes forward."""
    return tag(
        'joint', tag('parent', 'base_link'), tag('child', f'{side}_wheel'),
        tag('axis', tag('xyz', (0.0, 1.0, 0.0)),
            tag('limit', tag('lower', '-1e16'), tag('upper', '1e16'))),
        name=f'{side}_wheel_joint', type='revolute')


def _at(x: float, y: float, z: float) -> Element:
    return tag('pose', (x, y, z, 0.0, 0.0, 0.0))


def _ball(radius: float) -> Element:
    return tag('geometry', tag('sphere', tag('radius', radius)))


def _surface(friction: float) -> Element:
    return tag('surface', tag('friction', tag('ode', tag('mu', friction), tag('mu2', friction))))


def _inertial(body: Body) -> Element:
    names = ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')
    return tag(
        'inertial', _at(*body.centre), tag('mass', body.mass),
        tag('inertia', *(tag(name, value)
                         for name, value in zip(names, body.moments + body.products))))
