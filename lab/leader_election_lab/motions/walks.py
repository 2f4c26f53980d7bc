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
Walks on straight legs: Levy walks, random waypoints with pauses, and a shuttle.

A leg is walked in equal strides, so that a tick costs no more than an addition to the position.

Levy walk: as in the artefact of D. Pianini, R. Casadei, M. Viroli, "Self-stabilising
Priority-Based Multi-Leader Election and Network Partitioning", ACSOS 2022, section V (Zenodo
6566627). Random waypoints: D. B. Johnson, D. A. Maltz, "Dynamic Source Routing in Ad Hoc Wireless
Networks", in "Mobile Computing", 1996, section 4. Speeds near 0 are not allowed: with them the
mean speed decays (J. Yoon, M. Liu, B. Noble, "Random Waypoint Considered Harmful", INFOCOM 2003).
"""

from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.parameters import parameter, ParameterError
import numpy as np
from numpy.typing import NDArray

FOR_EVER = 2**62
"""A number of strides that is never completed."""


def stride(walk: Any, i: int, position: NDArray[np.float64]) -> bool:
    """
    Move device i by a whole stride, and return whether there was one before the last.

    :param walk: the state of a motion, with an entry, or row, for each device: ``target``, the end
        of the leg [m], shape (n, 2); ``left``, the whole strides before the last one, which ends
        at the target, shape (n,); and ``stride``, their displacement [m], shape (n, 2).
    """
    if walk.left[i] > 0:
        walk.left[i] -= 1
        position[i, 0] += walk.stride[i, 0]
        position[i, 1] += walk.stride[i, 1]
        return True
    return False


def set_out(walk: Any, i: int, x: float, y: float, to_x: float, to_y: float,
            length: float) -> None:
    """
    Begin a leg of device i, whose last leg is finished, from (x, y) to (to_x, to_y) [m].

    :param length: of a whole stride [m], > 0.
    """
    walk.target[i, 0], walk.target[i, 1] = to_x, to_y
    far = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    if far > length:
        # This number of strides is never completed. A greater one would not fit into 64 bits.
        walk.left[i] = math.ceil(min(far / length, 1e18)) - 1
        walk.stride[i, 0] = (to_x - x) * length / far
        walk.stride[i, 1] = (to_y - y) * length / far


def walls_parameter(required: bool = False) -> tuple[float, ...]:
    """Return the declaration of parameter ``walls``, which several motions share."""
    return parameter(
        (), 'Positions of the walls: low x, low y, high x, high y.' + (
            '' if required else ' Empty: no walls.'),
        unit='m', lengths=(4,) if required else (0, 4), required=required)


def check_walls(walls: tuple[float, ...]) -> None:
    """Raise a ``ParameterError`` for walls that enclose nothing."""
    if walls and not (walls[0] < walls[2] and walls[1] < walls[3]):
        raise ParameterError('walls', list(walls), 'low x, low y, high x, high y, the low ones '
                             'below the high ones')


Bounds = tuple[float, float, float, float]
"""Low x, low y, high x, high y [m]."""


def box(walls: tuple[float, ...], position: NDArray[np.float64]) -> Bounds:
    """
    Return the bounds of the area between walls, which are infinite without walls.

    :param position: initial positions of devices, shape (n, 2) [m].
    :raises ParameterError: if a device starts outside of the walls.
    """
    low_x, low_y, high_x, high_y = walls or (-math.inf, -math.inf, math.inf, math.inf)
    outside = np.any((position < (low_x, low_y)) | (position > (high_x, high_y)), axis=1)
    if np.any(outside):
        x, y = position[outside][0].tolist()
        raise ParameterError('walls', problem=f': a device starts outside of them, at {x:g}, '
                             f'{y:g}')
    return low_x, low_y, high_x, high_y


def confine(bounds: Bounds, x: float, y: float, to_x: float, to_y: float,
            ) -> tuple[float, float]:
    """
    Return the end of a straight walk from (x, y) to (to_x, to_y): there, or where it meets a wall.

    A device that is at a wall already slides along it, without the component into the wall.

    :param x: [m], inside of the bounds, on a wall, or beyond it by rounding, as is y.
    :return: x and y of the end [m].

    >>> confine((0.0, 0.0, 10.0, 10.0), 8.0, 5.0, 12.0, 7.0)
    (10.0, 6.0)
    >>> confine((0.0, 0.0, 10.0, 10.0), 10.0, 5.0, 12.0, 7.0)
    (10.0, 7.0)
    """
    low_x, low_y, high_x, high_y = bounds
    if (x <= low_x and to_x < low_x) or (x >= high_x and to_x > high_x):
        to_x = min(max(x, low_x), high_x)
    if (y <= low_y and to_y < low_y) or (y >= high_y and to_y > high_y):
        to_y = min(max(y, low_y), high_y)
    part = 1.0
    if to_x < low_x:
        part = min(part, (low_x - x) / (to_x - x))
    if to_x > high_x:
        part = min(part, (high_x - x) / (to_x - x))
    if to_y < low_y:
        part = min(part, (low_y - y) / (to_y - y))
    if to_y > high_y:
        part = min(part, (high_y - y) / (to_y - y))
    if part < 1.0:
        to_x, to_y = x + part * (to_x - x), y + part * (to_y - y)
    # Rounding must not put the end of a walk slightly beyond the wall.
    return min(max(to_x, low_x), high_x), min(max(to_y, low_y), high_y)


@dataclass(frozen=True)
class LevyParameters:
    """Speed and leg lengths of a Levy walk."""

    speed: float = parameter(1.0, 'Speed of a device.', unit='m/s', lower=0.0, upper=1e6)
    scale: float = parameter(1.0, 'Length of the shortest leg.', unit='m', lower=1e-6, upper=1e9)
    shape: float = parameter(
        1.0, 'Exponent of the Pareto distribution of leg lengths. If smaller, more legs are long.',
        lower=0.2, upper=100.0)
    walls: tuple[float, ...] = walls_parameter()

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for walls that enclose nothing."""
        check_walls(self.walls)


class Levy(NamedTuple):
    """Progress of devices on their legs. The first three fields are as :func:`stride` has them."""

    target: NDArray[np.float64]
    left: NDArray[np.int64]
    stride: NDArray[np.float64]
    bounds: Bounds
    length: float
    """Length of a whole stride [m]."""
    scale: float
    """Length of the shortest leg [m]."""
    shape: float
    """Exponent of the Pareto distribution."""


def levy_step(motion: Levy, i: int, position: NDArray[np.float64], now: float,
              random: np.random.Generator) -> None:
    """
    Move device i by one stride.

    On arrival the next leg is drawn at once, from the position before the last stride, and walked
    from the next tick on. A leg of length 0, into a corner, is followed by another draw.
    """
    if stride(motion, i, position):
        return
    x, y = motion.target[i, 0], motion.target[i, 1]
    # Passing a generator or arrays costs a compiled step time, whereas plain numbers cost none.
    to_x, to_y = leg_end(
        motion.bounds, position[i, 0], position[i, 1], random.uniform(0.0, 2.0 * math.pi),
        pareto(motion.scale, motion.shape, random.random()))
    position[i, 0], position[i, 1] = x, y
    set_out(motion, i, x, y, to_x, to_y, motion.length)


def pareto(scale: float, shape: float, chance: float) -> float:
    """
    Return the length of a leg, which has a Pareto distribution.

    :param scale: the least length [m].
    :param shape: the exponent.
    :param chance: the quantile of the length, a uniform draw from [0, 1).

    >>> pareto(100.0, 1.0, 0.0), pareto(100.0, 1.0, 0.75), pareto(100.0, 2.0, 0.75)
    (100.0, 400.0, 200.0)
    """
    return scale / (1.0 - chance) ** (1.0 / shape)


def leg_end(bounds: Bounds, x: float, y: float, angle: float, length: float,
            ) -> tuple[float, float]:
    """Return the end of a leg from (x, y) in a direction [rad], at the latest at a wall."""
    return confine(bounds, x, y, x + length * math.cos(angle), y + length * math.sin(angle))


def begin_levy(parameters: LevyParameters, position: NDArray[np.float64], tick: float,
               random: np.random.Generator) -> Levy:
    """Return the state of devices that draw their first leg at their first tick."""
    # Devices with speed 0 never finish their leg.
    left = np.full(len(position), 0 if parameters.speed > 0.0 else FOR_EVER, np.int64)
    return Levy(position.copy(), left, np.zeros_like(position), box(parameters.walls, position),
                parameters.speed * tick, parameters.scale, parameters.shape)


@dataclass(frozen=True)
class WaypointParameters:
    """Speed, pauses and walls of random waypoints."""

    speed: tuple[float, ...] = parameter(
        (1.0, 1.0), 'Least and greatest speed. The speed of each leg is drawn between them.',
        unit='m/s', lengths=(2,))
    pause: float = parameter(
        0.0, 'Time that a device stays at a waypoint, rounded up to whole ticks.',
        unit='s', lower=0.0, upper=1e9)
    walls: tuple[float, ...] = walls_parameter(required=True)

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for walls or speeds that are not in order."""
        check_walls(self.walls)
        if not 0.0 < self.speed[0] <= self.speed[1]:
            raise ParameterError('speed', list(self.speed), 'the least speed, greater than 0, and '
                                 'the greatest')


class Waypoint(NamedTuple):
    """Progress of devices on their legs. The first three fields are as :func:`stride` has them."""

    target: NDArray[np.float64]
    left: NDArray[np.int64]
    stride: NDArray[np.float64]
    rest: NDArray[np.int64]
    """Ticks for which a device will stay at its next waypoint, shape (n,)."""
    bounds: Bounds
    least: float
    """Length of the shortest stride [m]."""
    most: float
    """Length of the longest stride [m]."""
    pause: int
    """Length of a pause [ticks]."""


def waypoint_step(motion: Waypoint, i: int, position: NDArray[np.float64], now: float,
                  random: np.random.Generator) -> None:
    """Move device i by one stride, or let it rest. Draw the next waypoint one tick before."""
    if stride(motion, i, position):
        return
    x, y = motion.target[i, 0], motion.target[i, 1]
    position[i, 0], position[i, 1] = x, y
    if motion.rest[i] > 0:
        motion.rest[i] -= 1
        return
    motion.rest[i] = motion.pause
    low_x, low_y, high_x, high_y = motion.bounds
    to_x, to_y = random.uniform(low_x, high_x), random.uniform(low_y, high_y)
    set_out(motion, i, x, y, to_x, to_y, random.uniform(motion.least, motion.most))


def begin_waypoint(parameters: WaypointParameters, position: NDArray[np.float64], tick: float,
                   random: np.random.Generator) -> Waypoint:
    """Return the state of devices that draw their first waypoint at their first tick."""
    least, most = parameters.speed
    return Waypoint(
        position.copy(), np.zeros(len(position), np.int64), np.zeros_like(position),
        np.zeros(len(position), np.int64), box(parameters.walls, position),
        least * tick, most * tick, math.ceil(parameters.pause / tick))


@dataclass(frozen=True)
class ShuttleParameters:
    """The two waypoints of a shuttle, and its speed."""

    start: tuple[float, ...] = parameter(
        (), 'One waypoint: x, y.', unit='m', lengths=(2,), required=True)
    end: tuple[float, ...] = parameter(
        (), 'The other waypoint, to which devices go first: x, y.', unit='m',
        lengths=(2,), required=True)
    speed: float = parameter(1.0, 'Speed of a device.', unit='m/s', lower=0.0, upper=1e6)


class Shuttle(NamedTuple):
    """Progress of devices on their legs. The first three fields are as :func:`stride` has them."""

    target: NDArray[np.float64]
    left: NDArray[np.int64]
    stride: NDArray[np.float64]
    place: NDArray[np.float64]
    """The end and the start [m], shape (2, 2)."""
    goes_to: NDArray[np.int64]
    """Index of the waypoint that each device goes to next, shape (n,)."""
    length: float
    """Length of a whole stride [m]."""


def shuttle_step(motion: Shuttle, i: int, position: NDArray[np.float64], now: float,
                 random: np.random.Generator) -> None:
    """Move device i by one stride, the last of which may be shorter, before the device turns."""
    if stride(motion, i, position):
        return
    x, y = motion.target[i, 0], motion.target[i, 1]
    position[i, 0], position[i, 1] = x, y
    goal = motion.goes_to[i]
    set_out(motion, i, x, y, motion.place[goal, 0], motion.place[goal, 1], motion.length)
    motion.goes_to[i] = 1 - goal


def begin_shuttle(parameters: ShuttleParameters, position: NDArray[np.float64], tick: float,
                  random: np.random.Generator) -> Shuttle:
    """Return the state of devices that set out at their first tick, from where they are."""
    # Devices with speed 0 never finish their leg.
    left = np.full(len(position), 0 if parameters.speed > 0.0 else FOR_EVER, np.int64)
    return Shuttle(position.copy(), left, np.zeros_like(position),
                   np.array([parameters.end, parameters.start]),
                   np.zeros(len(position), np.int64), parameters.speed * tick)
