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

from leader_election.registry import Registry
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Motion:
    """
    A kind of motion: what it is told, its state, and its step.

    A step is a plain function that the engine compiles: ``step(state, i, position, now, random)``
    moves device i by one tick, in place; ``state`` is a named tuple of arrays and numbers with one
    entry (or row) a device, which tells the kinds apart by its type.

    What a step calls are plain functions too, of numbers where speed counts: compiled code counts
    each array or generator that is handed on. With ``math`` instead of numpy's functions plain
    Python gives the very numbers that compiled code gives.
    """

    name: str
    """What ``kind`` says in a scenario to choose it."""
    parameters: type[Any]
    """A dataclass of ``leader_election.parameters.parameter`` fields."""
    state: type[Any]
    """The named tuple of the state."""
    step: Callable[[Any, int, NDArray[np.float64], float, np.random.Generator], None]
    begin: Callable[[Any, NDArray[np.float64], float, np.random.Generator], Any]
    """``begin(parameters, position, tick, random) -> state``; position has shape (n, 2) [m], and
    may be changed (devices that walk on streets start on one): devices that are not to move are
    put back where they were; tick is the time of a step [s]."""
    speed: Callable[[Any], float]
    """``speed(parameters)``: no device is faster than this [m/s]; 0: nobody moves."""


MOTIONS: Registry[Motion] = Registry('motion', 'leader_election.motions')


@dataclass(frozen=True)
class StaticParameters:
    """Nothing to say."""


class Static(NamedTuple):
    """Nothing to know."""

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
