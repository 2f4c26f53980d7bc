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

"""To and fro between two places, for ever, as a robot on a delivery does."""

from dataclasses import dataclass
from typing import NamedTuple

from leader_election.lab.motions.motion import Motion, MOTIONS
from leader_election.lab.motions.strides import FOR_EVER, set_out, stride
from leader_election.parameters import parameter
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ShuttleParameters:
    """Where devices go, and how fast."""

    start: tuple[float, ...] = parameter(
        (), 'One place: x, y.', unit='m', lengths=(2,), required=True)
    end: tuple[float, ...] = parameter(
        (), 'The other place, where devices go first from wherever they are: x, y.', unit='m',
        lengths=(2,), required=True)
    speed: float = parameter(1.0, 'Speed of a device.', unit='m/s', lower=0.0, upper=1e6)


class Shuttle(NamedTuple):
    """Where devices are on their legs (:class:`leader_election.lab.motions.strides.Walk`)."""

    target: NDArray[np.float64]
    left: NDArray[np.int64]
    stride: NDArray[np.float64]
    place: NDArray[np.float64]
    """The end and the start [m], shape (2, 2)."""
    goes_to: NDArray[np.int64]
    """Which of the two places each device goes to next, shape (n,)."""
    length: float
    """Of a whole stride [m]."""


def shuttle_step(motion: Shuttle, i: int, position: NDArray[np.float64], now: float,
                 random: np.random.Generator) -> None:
    """Move device i by one stride; on arrival, which may be a shorter one, it turns round."""
    if stride(motion, i, position):
        return
    x, y = motion.target[i, 0], motion.target[i, 1]
    position[i, 0], position[i, 1] = x, y
    goal = motion.goes_to[i]
    set_out(motion, i, x, y, motion.place[goal, 0], motion.place[goal, 1], motion.length)
    motion.goes_to[i] = 1 - goal


def begin(parameters: ShuttleParameters, position: NDArray[np.float64], tick: float,
          random: np.random.Generator) -> Shuttle:
    """Return the state of devices that set out at their first tick, and stay where they are."""
    # Devices of no speed are on a leg for ever.
    left = np.full(len(position), 0 if parameters.speed > 0.0 else FOR_EVER, np.int64)
    return Shuttle(position.copy(), left, np.zeros_like(position),
                   np.array([parameters.end, parameters.start]),
                   np.zeros(len(position), np.int64), parameters.speed * tick)


SHUTTLE = MOTIONS.add(Motion(
    name='shuttle',
    parameters=ShuttleParameters,
    state=Shuttle,
    step=shuttle_step,
    begin=begin,
    speed=lambda parameters: float(parameters.speed),
))
