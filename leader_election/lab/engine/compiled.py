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
from typing import Any, get_type_hints

from leader_election.algorithms import Algorithm
from leader_election.algorithms.fields import KEPT
from leader_election.coordination.summary_layout import combine_own
from leader_election.lab.engine.borrow import borrow
from numba.extending import overload

INLINE: Any = {'forceinline': True}
"""To hand a network's many arrays on to a function costs more than most functions do."""

_STEPS: dict[type, Callable[..., Any]] = {}
"""The step of the motion that has this state."""
_ROUNDS: dict[type, Algorithm] = {}
"""The algorithm whose round takes these parameters."""
_KNOWN: set[Any] = set()
"""The plain functions that compiled code may call."""


def compilable(function: Callable[..., Any]) -> None:
    """Let compiled code call a plain function, and what it calls of its own module."""
    assert isinstance(function, FunctionType)
    if function in _KNOWN:
        return
    _KNOWN.add(function)
    # What is compiled into its caller again and again takes long to compile.
    own: Any = {} if function.__module__.startswith('leader_election.coordination') else INLINE
    overload(function, strict=False, jit_options=own)(lambda *arguments: function)
    helpers(function)


@overload(combine_own, strict=False, jit_options=INLINE)
def _combine_own(function: Any, into: Any, other: Any, begin: Any, end: Any) -> Any:
    # Users' own functions are for robots; what a laboratory runs has none.
    return lambda function, into, other, begin, end: None


_KNOWN.add(combine_own)


def helpers(function: FunctionType) -> None:
    """Let compiled code call the plain functions that a function names."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    named += [cell.cell_contents for cell in function.__closure__ or ()]
    for name in named:
        if isinstance(name, FunctionType):
            compilable(name)


def use(algorithm: Algorithm, parameters: Any) -> None:
    """Let compiled code call an algorithm's round, told by the type of its parameters."""
    known = _ROUNDS.setdefault(type(parameters), algorithm)
    if known.round is not algorithm.round:
        raise ValueError(
            f'algorithms {known.name} and {algorithm.name} have the same type of parameters, '
            f'{type(parameters).__name__}; in the laboratory each needs its own')
    compilable(algorithm.round)


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
    own_round = _ROUNDS[parameters.instance_class].round

    def borrowing(device: Any, state: Any, neighbours: Any, metric: Any, parameters: Any) -> Any:
        # Parameters may hold arrays, too, and a round hands them on more often than all else.
        lent: Any = borrow(parameters)  # type: ignore[call-arg]
        return own_round(device, state, neighbours, metric, lent)
    return borrowing


def row(columns: Any, i: Any) -> Any:
    """Return entry i of each column, as a plain tuple; for compiled code only."""
    raise NotImplementedError


@overload(row, strict=False, jit_options=INLINE)
def _row(columns: Any, i: Any) -> Any:
    entries = ''.join(f'columns[{c}][i], ' for c in range(len(columns)))
    return _written('columns, i', f'return ({entries})')


def put(columns: Any, i: Any, values: Any) -> Any:
    """Write entry i of each column; for compiled code only."""
    raise NotImplementedError


@overload(put, strict=False, jit_options=INLINE)
def _put(columns: Any, i: Any, values: Any) -> Any:
    return _written('columns, i, values', *(
        f'columns[{c}][i] = values[{c}]' if column.ndim == 1 else
        f'for q in range(columns[{c}].shape[1]): columns[{c}][i, q] = values[{c}][q]'
        for c, column in enumerate(columns)))


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
    """
    Copy entry i of the source's columns to entry k of the target's; for compiled code only.

    What a device keeps for itself is left out.
    """
    raise NotImplementedError


@overload(copy, strict=False, jit_options=INLINE)
def _copy(source: Any, i: Any, target: Any, k: Any) -> Any:
    hints = get_type_hints(source.instance_class, include_extras=True)
    kept = [KEPT in getattr(hints[field], '__metadata__', ()) for field in source.fields]
    return _written('source, i, target, k', *(
        f'target[{c}][k] = source[{c}][i]' if column.ndim == 1 else
        f'for q in range(source[{c}].shape[1]): target[{c}][k, q] = source[{c}][i, q]'
        for c, column in enumerate(source) if not kept[c]))


def _written(arguments: str, *lines: str) -> Any:
    """
    Return a function out of its text.

    numba takes the columns of a tuple, each of a type of its own, only by numbers that stand
    there; and to copy a short row number by number costs much less than to copy it as a whole.
    """
    scope: dict[str, Any] = {}
    exec(f'def written({arguments}):\n ' + '\n '.join(lines), scope)
    return scope['written']
