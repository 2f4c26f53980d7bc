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
Entry points: compiled functions by which the engine calls rounds of algorithms and motion steps.

The engine is compiled once. For each algorithm, a small function is generated that takes the
arguments of its round from the engine's arrays and calls it. Only this function and the round are
compiled for a new algorithm. The compiled round is the same Python function that a robot calls.
"""

from collections.abc import Callable
from functools import lru_cache
import hashlib
import math
from types import FunctionType
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.algorithms.chance import drawn
from leader_election.election.regions.collection import combine_own
from leader_election.election.regions.pattern import coordinate
from leader_election_lab.engine.compilation import (
    cached_here,
    compile_lock,
    ENTRY_PREFIX,
    generated_module,
    jit,
    uncached,
)
from leader_election_lab.engine.device_round import load, prefetch, ROUND, STEP, store
from leader_election_lab.engine.network import Workspace
from leader_election_lab.runs import sources
from leader_election_lab.states import OUT_OF_LEVELS, state_layout
import numba
from numba.extending import overload
import numpy as np
from numpy.typing import NDArray

INLINE: Any = {'forceinline': True, 'no_cfunc_wrapper': True, 'no_cpython_wrapper': True}
"""Inline: passing many arrays to a function costs more than most functions themselves."""
_COMPILABLE: set[Any] = set()
"""The plain functions that compiled code can call so far."""


class Entry(NamedTuple):
    """A compiled function and its constant argument."""

    addresses: tuple[int, int]
    """
    The addresses of the function, 0 if there is none, and of the argument in its binary form: the
    algorithm's parameters, or the motion's state. They are valid as long as the entry exists.
    """
    owner: Any
    """The Python objects that own the argument, and the arrays to which it points."""


NO_ROUNDS = np.zeros(0, np.int64)
NO_ENTRY = Entry((0, 0), None)
"""The entry point of a function that is never called."""


def make_compilable(function: Callable[..., Any]) -> None:
    """Allow compiled code to call a plain function, and the functions that this one calls."""
    assert isinstance(function, FunctionType)
    if function in _COMPILABLE:
        return
    _COMPILABLE.add(function)
    # Compiled once for all elections, since it reads a type of its own.
    options: Any = {'cache': True} if function is coordinate else INLINE
    overload(function, strict=False, jit_options=options)(lambda *arguments: function)
    make_callees_compilable(function)


@overload(combine_own, strict=False, jit_options=INLINE)
def _combine_own(function: Any, into: Any, other: Any, begin: Any, end: Any) -> Any:
    # Combination functions of users run on robots only, as scenarios cannot contain them.
    return lambda function, into, other, begin, end: None


_COMPILABLE.add(combine_own)


def make_callees_compilable(function: FunctionType) -> None:
    """Allow compiled code to call the plain functions whose names a function uses."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    named += [cell.cell_contents for cell in function.__closure__ or ()]
    for name in named:
        if isinstance(name, FunctionType):
            make_compilable(name)


def round_entry(algorithm: Algorithm, parameters: Any, exports: NDArray[np.int64],
                workspace: Workspace, counts: NDArray[np.int64], seed: int = 0,
                rounds: NDArray[np.int64] = NO_ROUNDS) -> Entry:
    """
    Return the compiled round of an algorithm, on the arrays of a run.

    :param parameters: the return value of the algorithm's ``configure``.
    :param exports: the states of devices, shape (n, width).
    :param counts: the counters.
    :param seed: of ``device.chance``.
    :param rounds: the number of rounds that each device has run, counted where chance is read.
    """
    make_compilable(algorithm.round)
    make_compilable(drawn)
    chance = (seed, rounds) if algorithm.reads_chance else ()
    layout = state_layout(algorithm)
    return _entry(algorithm.name, round_source(algorithm), ROUND, algorithm.round, (
        parameters, exports, exports.view(np.float64), workspace.heard,
        workspace.heard.view(np.float64), workspace.metric, layout.vectors, counts, *chance),
        (('State', algorithm.state), ('Columns', algorithm.columns)))


def step_entry(name: str, step: Callable[..., Any], *arguments: Any) -> Entry:
    """
    Return the compiled step of a kind of motion.

    :param arguments: the state of the motion, the positions, and the random generator.
    """
    make_compilable(step)
    return _entry(name, STEP_SOURCE, STEP, step, arguments, ())


ROUND_SOURCE = """\
def call(argument, i, device, messages, strength):
    given = load(KIND, argument)
    parameters, whole, real, heard_whole, heard_real, metric, vectors, counts{given} = given
    {places}
    after = function(Device(device, strength, {chance}), State({state}), Columns({columns}),
                     metric[:messages], parameters)
    {puts}
"""


@lru_cache(maxsize=64)
def round_source(algorithm: Algorithm) -> str:
    """
    Return the source of a function that calls a round.

    The columns of neighbours are views of the messages that the engine has copied, which have the
    layout of states. The function writes the levels that the device uses, and padding into all
    others, whatever the row held there.
    """
    places, state, columns, puts, vector, last = ['pass'], [], [], [], 0, ''
    for k, (field, place) in enumerate(zip(algorithm.fields, state_layout(algorithm).offset)):
        kind = 'whole' if field.type is int else 'real'
        if field.padding is None:
            state.append(f'{kind}[i, {place}]')
            columns.append(f'heard_{kind}[:messages, {place}]')
            puts.append(f'{kind}[i, {place}] = after[{k}]')
            continue
        # Offsets of scalars are constants. Offsets and lengths of vectors are read at run time.
        places.append(f'begin{k}, size{k} = vectors[{vector}, 0], vectors[{vector}, 1]')
        state.append(f'{kind}[i, begin{k}:begin{k} + size{k}]')
        columns.append(f'heard_{kind}[:messages, begin{k}:begin{k} + size{k}]')
        length = f'len(after[{k}])' if field.per_level else f'size{k}'
        puts.append(f'for q in range({length}): {kind}[i, begin{k} + q] = after[{k}][q]')
        if field.per_level:
            puts.append(f'for q in range({length}, size{k}): '
                        f'{kind}[i, begin{k} + q] = {field.padding[0]!r}')
            last = f'size{k} // {len(field.padding) // algorithm.levels} - 1'
        vector += 1
    if algorithm.levels > 0:
        depth = next(k for k, field in enumerate(algorithm.fields) if field.name == 'depth')
        puts.append(f'counts[{OUT_OF_LEVELS}] += after[{depth}] == {last}')
    given, chance = '', '0.0'
    if algorithm.reads_chance:
        given, chance = ', seed, rounds', 'drawn(seed, device, rounds[i])'
        puts.append('rounds[i] += 1')
    return ROUND_SOURCE.format(
        given=given, chance=chance, places='\n    '.join(places), state=', '.join(state),
        columns=', '.join(columns), puts='\n    '.join(puts))


STEP_SOURCE = """\
def call(argument, i, now, later):
    motion, position, random = load(KIND, argument)
    prefetch(motion, later)
    function(motion, i, position, now, random)
"""

BIND_SOURCE = """

def bind(value, buffer):
    return store(value, buffer)
"""


_COMPILED: dict[Any, tuple[int, Any]] = {}
"""The compiled entry points, by all that distinguishes them."""


def _form(argument: Any) -> Any:
    """Return what the numba type of an argument depends on, in a tenth of numba's time."""
    if isinstance(argument, tuple):
        return type(argument), *map(_form, argument)
    if isinstance(argument, np.ndarray):
        flags = argument.flags
        return argument.dtype, argument.ndim, flags.num
    return type(argument)


def _entry(name: str, source: str, parameter_types: Any, function: Any, argument: Any,
           types: tuple[tuple[str, Any], ...]) -> Entry:
    key = name, source, function, types, _form(argument)
    if key not in _COMPILED:
        _COMPILED[key] = _compiled(
            name, source, parameter_types, function, numba.typeof(argument), types)
    address, bind = _COMPILED[key]
    buffer = np.zeros(0, np.uint8)
    while (size := bind(argument, buffer)) > len(buffer):
        buffer = np.zeros(size, np.uint8)
    return Entry((address, buffer.ctypes.data), (buffer, argument))


def _compiled(name: str, source: str, parameter_types: Any, function: Any, kind: Any,
              types: tuple[tuple[str, Any], ...]) -> tuple[int, Any]:
    """
    Compile an entry point.

    :param parameter_types: those of the entry point.
    :param kind: the numba type of its constant argument.
    :return: the address of the entry point, and a function that writes the argument to a buffer.
    """
    scope = {'function': function, 'KIND': kind, 'Device': Device, 'drawn': drawn,
             'inf': math.inf, **dict(types), 'load': load, 'store': store, 'prefetch': prefetch}
    source += BIND_SOURCE
    digest = sources.of_code(function, *(kind for _, kind in types))
    if digest:
        digest = hashlib.sha256(repr(
            (source, str(kind), function.__qualname__, digest)).encode()).hexdigest()[:16]
    made = generated_module(name, digest, source, scope)
    decorate = jit if digest else uncached
    call, bind = decorate(made.call), decorate(made.bind)
    # Functions that are called by name are decorated by numba only now.
    with compile_lock(f'{ENTRY_PREFIX}{digest}'), cached_here():
        call.compile(parameter_types)
        # Its entry point, since to look at the types of all arrays takes longer than the call.
        binding = bind.compile((kind, numba.typeof(np.zeros(0, np.uint8))))
    compiled: Any = call.overloads[parameter_types]
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address, binding
