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
Levy walk between walls: straight legs, most of them short, some very long.

As in the artefact of D. Pianini, R. Casadei, M. Viroli, "Self-stabilising Priority-Based
Multi-Leader Election and Network Partitioning", ACSOS 2022, section V (Zenodo 6566627).
"""

from dataclasses import dataclass
import math
from typing import NamedTuple

from leader_election.lab.motions.motion import Motion, MOTIONS
from leader_election.lab.motions.walking import (
    Bounds,
    box,
    check_walls,
    confine,
    FOR_EVER,
    set_out,
    stride,
    walls_parameter,
)
from leader_election.parameters import parameter
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LevyParameters:
    """Speed and leg lengths of a Levy walk."""

    speed: float = parameter(
        1.0, 'Speed of a device.', unit='m/s', lower=0.0, upper=1e6)
    scale: float = parameter(
        1.0, 'Length of the shortest leg.', unit='m', lower=1e-6, upper=1e9)
    shape: float = parameter(
        1.0, 'Exponent of the Pareto distribution of leg lengths; smaller: more long legs.',
        lower=0.2, upper=100.0)
    walls: tuple[float, ...] = walls_parameter()

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for walls that enclose nothing."""
        check_walls(self.walls)


class Levy(NamedTuple):
    """Progress of devices on their legs (:class:`leader_election.lab.motions.walking.Walk`)."""

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
    # Passing plain numbers costs a compiled step nothing; passing a generator, or arrays, does.
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
    :param chance: a uniform draw from [0, 1): the quantile of the length.

    >>> pareto(100.0, 1.0, 0.0), pareto(100.0, 1.0, 0.75), pareto(100.0, 2.0, 0.75)
    (100.0, 400.0, 200.0)
    """
    length: float = scale / (1.0 - chance) ** (1.0 / shape)
    return length


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


LEVY = MOTIONS.add(Motion(
    name='levy',
    parameters=LevyParameters,
    state=Levy,
    step=levy_step,
    begin=begin_levy,
    speed=lambda parameters: float(parameters.speed),
))
