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
Walking on straight legs: equal strides, and walls that confine devices.

A leg is walked in equal strides, so that a tick costs no more than an addition to the position.
"""

import math
from typing import Protocol

from leader_election.parameters import parameter, ParameterError
import numpy as np
from numpy.typing import NDArray

FOR_EVER = 2**62
"""A number of strides that is never completed."""


class Walk(Protocol):
    """The part of a motion's state that strides need; one entry, or row, for each device."""

    @property
    def target(self) -> NDArray[np.float64]:
        """Return the end of the leg [m], shape (n, 2)."""
    @property
    def left(self) -> NDArray[np.int64]:
        """Whole strides left before the last one, which ends at the target, shape (n,)."""
    @property
    def stride(self) -> NDArray[np.float64]:
        """Displacement of a whole stride [m], shape (n, 2)."""


def stride(walk: Walk, i: int, position: NDArray[np.float64]) -> bool:
    """Move device i by a whole stride, and return true; false: only the last one is left."""
    if walk.left[i] > 0:
        walk.left[i] -= 1
        position[i, 0] += walk.stride[i, 0]
        position[i, 1] += walk.stride[i, 1]
        return True
    return False


def set_out(walk: Walk, i: int, x: float, y: float, to_x: float, to_y: float,
            length: float) -> None:
    """
    Begin a leg of device i, whose last leg is finished, from (x, y) to (to_x, to_y) [m].

    :param length: of a whole stride [m], > 0.
    """
    walk.target[i, 0], walk.target[i, 1] = to_x, to_y
    far = math.sqrt((to_x - x) * (to_x - x) + (to_y - y) * (to_y - y))
    if far > length:
        # This number of strides is never completed; a greater one would not fit into 64 bits.
        walk.left[i] = math.ceil(min(far / length, 1e18)) - 1
        walk.stride[i, 0] = (to_x - x) * length / far
        walk.stride[i, 1] = (to_y - y) * length / far


def walls_parameter(required: bool = False) -> tuple[float, ...]:
    """Return the declaration of parameter ``walls``, which several motions share."""
    field: tuple[float, ...] = parameter(
        (), 'Positions of the walls: low x, low y, high x, high y.' + (
            '' if required else ' Empty: no walls.'),
        unit='m', lengths=(4,) if required else (0, 4), required=required)
    return field


def check_walls(walls: tuple[float, ...]) -> None:
    """Raise a ``ParameterError`` for walls that enclose nothing."""
    if walls and not (walls[0] < walls[2] and walls[1] < walls[3]):
        raise ParameterError('walls', list(walls), 'low x, low y, high x, high y, the low ones '
                             'below the high ones')


Bounds = tuple[float, float, float, float]
"""Low x, low y, high x, high y [m]."""


def box(walls: tuple[float, ...], position: NDArray[np.float64]) -> Bounds:
    """
    Return the bounds of the area between walls; infinite without walls.

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

    A device that is at a wall already slides along it: the component into the wall is dropped.

    :param x: [m], inside of the bounds, or on a wall; so is y.
    :return: x and y of the end [m].

    >>> confine((0.0, 0.0, 10.0, 10.0), 8.0, 5.0, 12.0, 7.0)
    (10.0, 6.0)
    >>> confine((0.0, 0.0, 10.0, 10.0), 10.0, 5.0, 12.0, 7.0)
    (10.0, 7.0)
    """
    low_x, low_y, high_x, high_y = bounds
    if (x <= low_x and to_x < low_x) or (x >= high_x and to_x > high_x):
        to_x = x
    if (y <= low_y and to_y < low_y) or (y >= high_y and to_y > high_y):
        to_y = y
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
