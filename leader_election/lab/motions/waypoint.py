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
Motion between waypoints: random ones with pauses, or two fixed ones (``shuttle``).

Random waypoints: D. B. Johnson, D. A. Maltz, "Dynamic Source Routing in Ad Hoc Wireless
Networks", in "Mobile Computing", 1996, section 4. Speeds near 0 are not allowed: with them the
mean speed decays (J. Yoon, M. Liu, B. Noble, "Random Waypoint Considered Harmful", INFOCOM 2003).
"""

from dataclasses import dataclass
import math
from typing import NamedTuple

from leader_election.lab.motions.motion import Motion, MOTIONS
from leader_election.lab.motions.walking import (
    Bounds,
    box,
    check_walls,
    FOR_EVER,
    set_out,
    stride,
    walls_parameter,
)
from leader_election.parameters import parameter, ParameterError
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class WaypointParameters:
    """Speed, pauses and walls of random waypoints."""

    speed: tuple[float, ...] = parameter(
        (1.0, 1.0), 'Least and greatest speed; the speed of each leg is drawn between them.',
        unit='m/s', lengths=(2,))
    pause: float = parameter(
        0.0, 'Time that a device stays at a waypoint; rounded up to whole ticks.',
        unit='s', lower=0.0, upper=1e9)
    walls: tuple[float, ...] = walls_parameter(required=True)

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for walls or speeds that are not in order."""
        check_walls(self.walls)
        if not 0.0 < self.speed[0] <= self.speed[1]:
            raise ParameterError('speed', list(self.speed), 'the least speed, greater than 0, and '
                                 'the greatest')


class Waypoint(NamedTuple):
    """Progress of devices on their legs (:class:`leader_election.lab.motions.walking.Walk`)."""

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
    """Move device i by one stride, or let it rest; the next waypoint is drawn one tick before."""
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


WAYPOINT = MOTIONS.add(Motion(
    name='waypoint',
    parameters=WaypointParameters,
    state=Waypoint,
    step=waypoint_step,
    begin=begin_waypoint,
    speed=lambda parameters: float(parameters.speed[1]),
))


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
    """Progress of devices on their legs (:class:`leader_election.lab.motions.walking.Walk`)."""

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
    """Move device i by one stride; the last stride may be shorter, then the device turns round."""
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


SHUTTLE = MOTIONS.add(Motion(
    name='shuttle',
    parameters=ShuttleParameters,
    state=Shuttle,
    step=shuttle_step,
    begin=begin_shuttle,
    speed=lambda parameters: float(parameters.speed),
))
