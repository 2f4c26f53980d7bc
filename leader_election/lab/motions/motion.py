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

"""The interface of all kinds of motion, and the simplest: devices that stay where they are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from leader_election.election.registry import Registry
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Motion:
    """
    A kind of motion: its parameters, its state, and its step.

    A step is a plain function that the engine compiles: ``step(state, i, position, now, random)``
    moves device i by one tick, in place; ``state`` is a named tuple of arrays and numbers with one
    entry (or row) for each device. The type of the state identifies the kind of motion.

    The functions that a step calls are plain functions too, of numbers where speed matters:
    compiled code counts references for each array or generator that is passed. With ``math``
    instead of numpy's functions plain Python gives exactly the numbers that compiled code gives.
    """

    name: str
    """The value of ``kind`` in a scenario that selects it."""
    parameters: type[Any]
    """A dataclass of ``leader_election.parameters.parameter`` fields."""
    state: type[Any]
    """The named tuple of the state."""
    step: Callable[[Any, int, NDArray[np.float64], float, np.random.Generator], None]
    begin: Callable[[Any, NDArray[np.float64], float, np.random.Generator], Any]
    """``begin(parameters, position, tick, random) -> state``; position has shape (n, 2) [m], and
    may be changed in place (devices that walk on streets start on one): the caller restores the
    positions of devices that do not move; tick is the time of a step [s]."""
    speed: Callable[[Any], float]
    """``speed(parameters)``: the greatest speed of any device [m/s]; 0: no device moves."""


MOTIONS: Registry[Motion] = Registry('motion', 'leader_election.motions')


@dataclass(frozen=True)
class StaticParameters:
    """No parameters."""


class Static(NamedTuple):
    """An empty state."""

    none: NDArray[np.float64]
    """Shape (0,)."""


def stay(motion: Static, i: int, position: NDArray[np.float64], now: float,
         random: np.random.Generator) -> None:
    """Leave device i where it is."""
    return None


def begin_static(parameters: StaticParameters, position: NDArray[np.float64], tick: float,
                 random: np.random.Generator) -> Static:
    """Return the state of devices that stay where they are."""
    return Static(np.empty(0))


STATIC = MOTIONS.add(Motion(
    name='static',
    parameters=StaticParameters,
    state=Static,
    step=stay,
    begin=begin_static,
    speed=lambda parameters: 0.0,
))
