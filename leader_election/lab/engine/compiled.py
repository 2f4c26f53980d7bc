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
What lets numba compile the robots' own code.

The engine is compiled once for each kind of algorithm and motion that it is called with. Which
round it calls follows from the type of the round's parameters, and the function that is compiled
is the very object that a robot calls.
"""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from leader_election.algorithms import Algorithm
from numba.extending import overload

INLINE: Any = {'forceinline': True}
"""To hand a network's many arrays on to a function costs more than most functions do."""

_STEPS: dict[type, Callable[..., Any]] = {}
"""The step of the motion that has this state."""
_ROUNDS: dict[type, Algorithm] = {}
"""The algorithm whose round takes these parameters."""
_KNOWN: set[FunctionType] = set()
"""The plain functions that compiled code may call."""


def compilable(function: Callable[..., Any]) -> None:
    """Let compiled code call a plain function, and what it calls of its own module."""
    assert isinstance(function, FunctionType)
    if function in _KNOWN:
        return
    _KNOWN.add(function)
    overload(function, strict=False, jit_options=INLINE)(lambda *arguments: function)
    helpers(function)


def helpers(function: FunctionType) -> None:
    """Let compiled code call the plain functions that a function names."""
    for name in function.__code__.co_names:
        named = function.__globals__.get(name)
        if isinstance(named, FunctionType):
            compilable(named)


def use(algorithm: Algorithm, parameters: Any) -> None:
    """Let compiled code call an algorithm's round, told by the type of its parameters."""
    known = _ROUNDS.setdefault(type(parameters), algorithm)
    if known is not algorithm:
        raise ValueError(
            f'algorithms {known.name} and {algorithm.name} have the same type of parameters, '
            f'{type(parameters).__name__}; in the laboratory each needs its own')
    assert isinstance(algorithm.round, FunctionType)
    helpers(algorithm.round)


def use_motion(state: type, step: Callable[..., Any]) -> None:
    """Let compiled code call the step of a kind of motion, told by the type of its state."""
    _STEPS[state] = step
    compilable(step)


def move(motion: Any, i: Any, position: Any, now: Any, random: Any) -> Any:
    """Move device i by a step of its kind of motion; for compiled code only."""
    raise NotImplementedError


@overload(move, strict=False, jit_options=INLINE)
def _move(motion: Any, i: Any, position: Any, now: Any, random: Any) -> Any:
    return _STEPS[motion.instance_class]


def run_round(device: Any, state: Any, neighbours: Any, metric: Any, parameters: Any) -> Any:
    """Run the round of the algorithm that these parameters belong to; for compiled code only."""
    raise NotImplementedError


@overload(run_round, strict=False, jit_options=INLINE)
def _run_round(device: Any, state: Any, neighbours: Any, metric: Any, parameters: Any) -> Any:
    return _ROUNDS[parameters.instance_class].round


def row(columns: Any, i: Any) -> Any:
    """Return entry i of each column, as a plain tuple; for compiled code only."""
    raise NotImplementedError


@overload(row, strict=False, jit_options=INLINE)
def _row(columns: Any, i: Any) -> Any:
    if len(columns) == 1:
        return lambda columns, i: (columns[0][i],)
    return lambda columns, i: (columns[0][i],) + row(columns[1:], i)


def put(columns: Any, i: Any, values: Any) -> Any:
    """Write entry i of each column; for compiled code only."""
    raise NotImplementedError


@overload(put, strict=False, jit_options=INLINE)
def _put(columns: Any, i: Any, values: Any) -> Any:
    if len(columns) == 1:
        def last(columns: Any, i: Any, values: Any) -> None:
            columns[0][i] = values[0]
        return last

    def all_of_them(columns: Any, i: Any, values: Any) -> None:
        columns[0][i] = values[0]
        put(columns[1:], i, values[1:])
    return all_of_them


def state_at(columns: Any, i: Any, parameters: Any) -> Any:
    """Return the state whose fields are entry i of each column; for compiled code only."""
    raise NotImplementedError


@overload(state_at, strict=False, jit_options=INLINE)
def _state_at(columns: Any, i: Any, parameters: Any) -> Any:
    state = _ROUNDS[parameters.instance_class].state

    def from_columns(columns: Any, i: Any, parameters: Any) -> Any:
        return state(*row(columns, i))
    return from_columns


def copy(source: Any, i: Any, target: Any, k: Any) -> Any:
    """Copy entry i of the source's columns to entry k of the target's; for compiled code only."""
    raise NotImplementedError


@overload(copy, strict=False, jit_options=INLINE)
def _copy(source: Any, i: Any, target: Any, k: Any) -> Any:
    if len(source) == 1:
        def last(source: Any, i: Any, target: Any, k: Any) -> None:
            target[0][k] = source[0][i]
        return last

    def all_of_them(source: Any, i: Any, target: Any, k: Any) -> None:
        target[0][k] = source[0][i]
        copy(source[1:], i, target[1:], k)
    return all_of_them
