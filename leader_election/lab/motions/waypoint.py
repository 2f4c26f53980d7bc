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
Random waypoints: walk straight to a place drawn at random, pause, and on to the next one.

D. B. Johnson, D. A. Maltz, "Dynamic Source Routing in Ad Hoc Wireless Networks", in "Mobile
Computing", 1996, section 4. No speed may be drawn near to 0, or more and more devices crawl: J.
Yoon, M. Liu, B. Noble, "Random Waypoint Considered Harmful", INFOCOM 2003.
"""

from dataclasses import dataclass
import math
from typing import NamedTuple

from leader_election.lab.motions.motion import Motion, MOTIONS
from leader_election.lab.motions.strides import set_out, stride
from leader_election.lab.motions.walls import Bounds, box, check_walls, walls_parameter
from leader_election.parameters import parameter, ParameterError
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class WaypointParameters:
    """How devices walk."""

    speed: tuple[float, ...] = parameter(
        (1.0, 1.0), 'The least and the greatest speed; one between them is drawn for each leg.',
        unit='m/s', lengths=(2,))
    pause: float = parameter(
        0.0, 'How long a device stays where it arrived; whole ticks, rounded up.',
        unit='s', lower=0.0, upper=1e9)
    walls: tuple[float, ...] = walls_parameter(required=True)

    def __post_init__(self) -> None:
        """Refuse what makes no sense together."""
        check_walls(self.walls)
        if not 0.0 < self.speed[0] <= self.speed[1]:
            raise ParameterError(
                f'parameter speed: {list(self.speed)} is not allowed; it takes the least speed, '
                'greater than 0, and the greatest')


class Waypoint(NamedTuple):
    """Where devices are on their legs (:class:`leader_election.lab.motions.strides.Walk`)."""

    target: NDArray[np.float64]
    left: NDArray[np.int64]
    stride: NDArray[np.float64]
    rest: NDArray[np.int64]
    """Ticks that a device still stays where it arrives, shape (n,)."""
    bounds: Bounds
    least: float
    """The shortest stride [m]."""
    most: float
    """The longest stride [m]."""
    pause: int
    """Ticks."""


def waypoint_step(motion: Waypoint, i: int, position: NDArray[np.float64], now: float,
                  random: np.random.Generator) -> None:
    """Move device i by one stride, or let it rest; where it goes next is drawn the tick before."""
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


def begin(parameters: WaypointParameters, position: NDArray[np.float64], tick: float,
          random: np.random.Generator) -> Waypoint:
    """Return the state of devices that draw their first place at their first tick."""
    least, most = parameters.speed
    return Waypoint(
        position.copy(), np.zeros(len(position), np.int64), np.zeros_like(position),
        np.zeros(len(position), np.int64), box(parameters.walls, position),
        least * tick, most * tick, math.ceil(parameters.pause / tick))


WAYPOINT = MOTIONS.add(Motion(
    name='waypoint',
    parameters=WaypointParameters,
    state=Waypoint,
    step=waypoint_step,
    begin=begin,
    speed=lambda parameters: float(parameters.speed[1]),
))
