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

The engine is compiled once. For each algorithm, a small function is generated that builds the
arguments of its round from the engine's memory and calls it. Only this function and the round are
compiled for a new algorithm. The compiled round is the same Python function that a robot calls.
"""

from collections.abc import Callable
from functools import cache
import hashlib
import math
from types import FunctionType
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election.election.coordination.summary_layout import combine_own
from leader_election.lab.columns import OUT_OF_LEVELS
from leader_election.lab.engine import memory
from leader_election.lab.engine.compilation import (
    compile_lock,
    ENTRY_PREFIX,
    generated_module,
    jit,
    uncached,
)
from leader_election.lab.engine.lanes import COPIED, copy_columns, LANES
from leader_election.lab.runs import sources
from leader_election.lab.states import state_layout
import numba
from numba.extending import overload
import numpy as np
from numpy.typing import NDArray

INLINE: Any = {'forceinline': True, 'no_cfunc_wrapper': True, 'no_cpython_wrapper': True}
"""Inline: passing many arrays to a function costs more than most functions themselves."""

FRAME = ('parameters', 'row_addresses', 'metric', 'columns', 'capacity', 'vectors', 'counts')
"""The words of a frame, the arguments of a round that are the same for all devices.

All are addresses, except ``capacity``: the number of neighbours for which ``columns`` has memory.
``columns`` and ``row_addresses`` need memory for at least seven neighbours more than there are,
because rows are copied eight at a time.
"""
PARAMETERS, ROW_ADDRESSES, METRIC, NEIGHBOUR_COLUMNS, CAPACITY, VECTORS, COUNTS = range(len(FRAME))

_COMPILABLE: set[Any] = set()
"""The plain functions that compiled code can call so far."""


class Entry(NamedTuple):
    """A compiled function and its constant argument."""

    address: int
    """The address of the function; 0: no function."""
    argument: NDArray[np.uint8]
    """The algorithm's parameters, or the motion's state, in their binary form."""
    owner: Any
    """The Python object that owns the arrays to which the argument points."""

    @property
    def addresses(self) -> tuple[int, int]:
        """Return those of function and argument; they are valid as long as the entry exists."""
        return self.address, self.argument.ctypes.data


NO_ENTRY = Entry(0, np.zeros(0, np.uint8), None)
"""The entry point of a function that is never called."""


def make_compilable(function: Callable[..., Any]) -> None:
    """Allow compiled code to call a plain function, and the functions that this one calls."""
    assert isinstance(function, FunctionType)
    if function in _COMPILABLE:
        return
    _COMPILABLE.add(function)
    overload(function, strict=False, jit_options=INLINE)(lambda *arguments: function)
    make_callees_compilable(function)


@overload(combine_own, strict=False, jit_options=INLINE)
def _combine_own(function: Any, into: Any, other: Any, begin: Any, end: Any) -> Any:
    # Combination functions of users run on robots only; scenarios cannot contain them.
    return lambda function, into, other, begin, end: None


_COMPILABLE.add(combine_own)


def make_callees_compilable(function: FunctionType) -> None:
    """Allow compiled code to call the plain functions whose names a function uses."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    named += [cell.cell_contents for cell in function.__closure__ or ()]
    for name in named:
        if isinstance(name, FunctionType):
            make_compilable(name)


def round_entry(algorithm: Algorithm, parameters: Any) -> Entry:
    """
    Return the compiled round of an algorithm.

    :param parameters: the return value of the algorithm's ``configure``.
    """
    make_compilable(algorithm.round)
    source = round_source(tuple(
        FieldSpec(field.type is int, field.padding is not None, field.kept, place,
                  algorithm.levels > 0 and field.name == 'depth',
                  len(field.padding or ()) // algorithm.levels if field.per_level else 0,
                  repr(field.padding[0]) if field.per_level and field.padding else '')
        for field, place in zip(algorithm.fields, state_layout(algorithm).offset)))
    return _entry(algorithm.name, source, memory.ROUND, algorithm.round, parameters, (
        ('State', algorithm.state), ('Columns', algorithm.columns)))


def step_entry(name: str, step: Callable[..., Any], *arguments: Any) -> Entry:
    """
    Return the compiled step of a kind of motion.

    :param arguments: the state of the motion, the positions, and the random generator.
    """
    make_compilable(step)
    return _entry(name, STEP_SOURCE, memory.STEP, step, arguments, ())


class FieldSpec(NamedTuple):
    """The properties of a state's field on which the generated source depends."""

    whole: bool
    """Whether its values are whole numbers."""
    vector: bool
    kept: bool
    place: int
    """Its first word in a row."""
    depth: bool
    """Whether it is the number of the last level in use."""
    per_level: int
    """The number of entries of each level; 0: a field without levels."""
    padding: str
    """The value of unused entries in a vector of levels, as source code."""


def round_source(fields: tuple[FieldSpec, ...]) -> str:
    """
    Return the source of a function that calls a round.

    The function copies the fields of neighbours into contiguous columns, which the round then
    reads. In vectors with levels, it copies only the levels that the neighbour uses. It writes
    the levels that the device uses, and padding into all others, whatever the row held there.

    :param fields: all fields of the state, in their order.
    """
    # Offsets of scalars are constants; offsets and lengths of vectors are read at run time.
    lines = [f'row_addresses = get_int(frame, {ROW_ADDRESSES})',
             f'columns = get_int(frame, {NEIGHBOUR_COLUMNS})',
             f'capacity = 8 * get_int(frame, {CAPACITY})', f'vectors = get_int(frame, {VECTORS})']
    copies, state, puts, vector = [], [], [], 0
    sent = [field.place for field in fields if not field.vector and not field.kept]
    groups = []
    if len(sent) >= COPIED:
        # After the last address any existing row will do. The last copy of several words overlaps
        # the one before if necessary.
        groups = [
            f'for m in range(messages, messages + {LANES - 1}): set_int(row_addresses, m, row)',
            f'for m in range(0, messages, {LANES}):',
            *(f'    copy_columns(row_addresses, {min(place, sent[-1] - COPIED + 1)}, columns, '
              'capacity, m)' for place in sent[::COPIED])]
    for place in (word.place for word in fields if word.depth):
        copies.append(f'levels = get_int(source, {place}) + 1')
    for k, (whole, is_vector, kept, place, _, per_level, padding) in enumerate(fields):
        kind = 'int' if whole else 'float'
        if is_vector:
            lines += [f'at{k} = get_int(vectors, {2 * vector})',
                      f'size{k} = get_int(vectors, {2 * vector + 1})',
                      f'c{k} = {kind}_rows(columns + capacity * at{k}, messages, size{k})']
            used = f'min(size{k}, {per_level} * levels)' if per_level else f'size{k}'
            if not kept:
                copies.append(f'for q in range({used}): '
                              f'c{k}[m, q] = get_{kind}(source, at{k} + q)')
            state.append(f'{kind}s(row + 8 * at{k}, size{k})')
            length = f'len(after[{k}])' if per_level else f'size{k}'
            puts.append(f'for q in range({length}): set_{kind}(row, at{k} + q, after[{k}][q])')
            if per_level:
                puts.append(f'for q in range({length}, size{k}): '
                            f'set_{kind}(row, at{k} + q, {padding})')
            vector += 1
        else:
            lines.append(f'c{k} = {kind}s(columns + capacity * {place}, messages)')
            if not kept and not groups:
                copies.append(f'c{k}[m] = get_{kind}(source, {place})')
            state.append(f'get_{kind}(row, {place})')
            puts.append(f'set_{kind}(row, {place}, after[{k}])')
    for depth in (k for k, word in enumerate(fields) if word.depth):
        k = next(k for k, word in enumerate(fields) if word.per_level > 0)
        at = f'get_int(frame, {COUNTS}), {OUT_OF_LEVELS}'
        puts.append(f'last = size{k} // {fields[k].per_level} - 1')
        puts.append(f'set_int({at}, get_int({at}) + (after[{depth}] == last))')
    columns = ', '.join(f'c{k}' for k in range(len(fields)))
    return '\n'.join([
        'def call(frame, row, device, messages, strength):',
        *('    ' + line for line in lines),
        *('    ' + line for line in groups),
        *('    ' + line for line in copies and [
            'for m in range(messages):', '    source = get_int(row_addresses, m)',
            *('    ' + line for line in copies)]),
        f'    after = function(Device(device, strength), State({", ".join(state)}),',
        f'                     Columns({columns}), floats(get_int(frame, {METRIC}), messages),',
        f'                     load(KIND, get_int(frame, {PARAMETERS})))',
        *('    ' + line for line in puts)]) + '\n'


STEP_SOURCE = """\
def call(argument, i, now, later):
    motion, position, random = load(KIND, argument)
    prefetch_rows(motion, later)
    function(motion, i, position, now, random)
"""

BIND_SOURCE = """

def bind(value, buffer):
    return store(value, buffer)
"""


def _entry(name: str, source: str, parameter_types: Any, function: Any, argument: Any,
           types: tuple[tuple[str, Any], ...]) -> Entry:
    address, bind = _compiled(
        name, source, parameter_types, function, numba.typeof(argument), types)
    buffer = np.zeros(0, np.uint8)
    while (size := bind(argument, buffer)) > len(buffer):
        buffer = np.zeros(size, np.uint8)
    return Entry(address, buffer, argument)


@cache
def _compiled(name: str, source: str, parameter_types: Any, function: Any, kind: Any,
              types: tuple[tuple[str, Any], ...]) -> tuple[int, Any]:
    """
    Compile an entry point.

    :param parameter_types: those of the entry point.
    :param kind: the numba type of its constant argument.
    :return: the address of the entry point; a function that writes the argument into a buffer.
    """
    scope = {'function': function, 'KIND': kind, 'Device': Device, 'inf': math.inf, **dict(types),
             'copy_columns': copy_columns,
             **{name: getattr(memory, name) for name in memory.__all__}}
    source += BIND_SOURCE
    digest = sources.of_code(function, *(kind for _, kind in types))
    if digest:
        digest = hashlib.sha256(repr(
            (source, str(kind), function.__qualname__, digest)).encode()).hexdigest()[:16]
    made = generated_module(name, digest, source, scope)
    decorate = jit if digest else uncached
    call, bind = decorate(made.call), decorate(made.bind)
    with compile_lock(f'{ENTRY_PREFIX}{digest}'):
        call.compile(parameter_types)
    compiled: Any = call.overloads[parameter_types]
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address, bind
