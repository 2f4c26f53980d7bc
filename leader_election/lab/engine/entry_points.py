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
The entry points by which the engine calls the robots' own code: rounds, and steps of motions.

The engine is compiled once. For each algorithm a small function is generated that makes the named
tuples of its round out of the engine's memory, and calls it: that and the round are all that is
compiled for a new algorithm. The function that is compiled is the very object that a robot calls.
"""

from collections.abc import Callable
from functools import cache
import hashlib
import math
from types import FunctionType
from typing import Any, NamedTuple

from leader_election.algorithms import Algorithm, Device
from leader_election.coordination.summary_layout import combine_own
from leader_election.lab import sources
from leader_election.lab.engine import memory
from leader_election.lab.engine.compilation import alone, ENTRIES, jit, module, uncached
from leader_election.lab.engine.samples import OUT_OF_LEVELS
from leader_election.lab.engine.states import state_layout
import numba
from numba.extending import overload
import numpy as np
from numpy.typing import NDArray

INLINE: Any = {'forceinline': True}
"""To hand many arrays on to a function costs more than most functions do."""

FRAME = ('parameters', 'sources', 'metric', 'heard', 'room', 'vectors', 'counts')
"""The words of a frame, what a round is given besides its own device: all are addresses, but for
``room``, for how many neighbours there is room at ``heard``."""
PARAMETERS, SOURCES, METRIC, HEARD, ROOM, VECTORS, COUNTS = range(len(FRAME))

_KNOWN: set[Any] = set()
"""The plain functions that compiled code may call."""


class Entry(NamedTuple):
    """A compiled function, and the numbers that it is called with each time."""

    address: int
    """Of the function; 0: there is none."""
    given: NDArray[np.uint8]
    """The algorithm's parameters, or the motion's state, as compiled code has them."""
    held: Any
    """What the arrays in these belong to."""

    @property
    def addresses(self) -> tuple[int, int]:
        """Of the function, and of what is given; the entry has to be held as long as they."""
        return self.address, self.given.ctypes.data


NO_ENTRY = Entry(0, np.zeros(0, np.uint8), None)
"""Where nothing is ever called."""


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


def round_entry(algorithm: Algorithm, parameters: Any) -> Entry:
    """
    Return the compiled round of an algorithm.

    :param parameters: what the algorithm's ``configure`` returned.
    """
    compilable(algorithm.round)
    text = round_text(tuple(
        Word(field.type is int, field.padding is not None, field.kept, place,
             algorithm.levels > 0 and field.name == 'depth',
             len(field.padding or ()) // algorithm.levels if field.per_level else 0,
             repr(field.padding[0]) if field.per_level and field.padding else '')
        for field, place in zip(algorithm.fields, state_layout(algorithm).place)))
    return _entry(algorithm.name, text, memory.ROUND, algorithm.round, parameters, (
        ('State', algorithm.state), ('Columns', algorithm.columns)))


def step_entry(name: str, step: Callable[..., Any], *given: Any) -> Entry:
    """
    Return the compiled step of a kind of motion.

    :param given: the state, the positions, and the generator that it is called with.
    """
    compilable(step)
    return _entry(name, STEP_TEXT, memory.STEP, step, given, ())


class Word(NamedTuple):
    """What the text of a round depends on, of one field of the state."""

    whole: bool
    """Whether it is a whole number."""
    vector: bool
    kept: bool
    place: int
    """The first word in a row."""
    depth: bool
    """Whether it says how many levels are in use."""
    per_level: int
    """The entries for each level; 0: it has no levels."""
    padding: str
    """What stands for nothing in a vector of levels, as source."""


def round_text(fields: tuple[Word, ...]) -> str:
    """
    Return the source of a function that calls a round.

    It copies what neighbours have sent into columns, so that a round reads as few lines of
    memory as can be, and its arrays are as numba takes them best. Of vectors with levels only
    those are copied that the neighbour has reached, and those are written that the device has
    reached or just left; all others are padding.

    :param fields: all fields of the state, in their order.
    """
    # Places of scalars are the same whatever the length of vectors; those of vectors come in.
    lines = [f'row_of = get_int(frame, {SOURCES})', f'heard = get_int(frame, {HEARD})',
             f'room = 8 * get_int(frame, {ROOM})', f'vectors = get_int(frame, {VECTORS})']
    copies, state, puts, vector = [], [], [], 0
    for place in (word.place for word in fields if word.depth):
        lines.append(f'reached = get_int(row, {place}) + 1')
        copies.append(f'levels = get_int(source, {place}) + 1')
    for k, (whole, is_vector, kept, place, _, per_level, padding) in enumerate(fields):
        kind = 'int' if whole else 'float'
        if is_vector:
            lines += [f'at{k} = get_int(vectors, {2 * vector})',
                      f'size{k} = get_int(vectors, {2 * vector + 1})',
                      f'c{k} = {kind}_rows(heard + room * at{k}, messages, size{k})']
            used = f'min(size{k}, {per_level} * levels)' if per_level else f'size{k}'
            if not kept:
                copies.append(f'for q in range({used}): '
                              f'c{k}[m, q] = get_{kind}(source, at{k} + q)')
            state.append(f'{kind}s(row + 8 * at{k}, size{k})')
            length = f'len(after[{k}])' if per_level else f'size{k}'
            puts.append(f'for q in range({length}): set_{kind}(row, at{k} + q, after[{k}][q])')
            if per_level:
                puts.append(f'for q in range({length}, min(size{k}, {per_level} * reached)): '
                            f'set_{kind}(row, at{k} + q, {padding})')
            vector += 1
        else:
            lines.append(f'c{k} = {kind}s(heard + room * {place}, messages)')
            if not kept:
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
        '    for m in range(messages):',
        '        source = get_int(row_of, m)',
        *('        ' + line for line in copies),
        f'    after = function(Device(device, strength), State({", ".join(state)}),',
        f'                     Columns({columns}), floats(get_int(frame, {METRIC}), messages),',
        f'                     load(KIND, get_int(frame, {PARAMETERS})))',
        *('    ' + line for line in puts)]) + '\n'


STEP_TEXT = """\
def call(given, i, now, soon):
    motion, position, random = load(KIND, given)
    prefetch_rows(motion, soon)
    function(motion, i, position, now, random)
"""

BIND_TEXT = """

def bind(value, buffer):
    return store(value, buffer)
"""


def _entry(name: str, text: str, takes: Any, function: Any, given: Any,
           types: tuple[tuple[str, Any], ...]) -> Entry:
    address, bind = _compiled(name, text, takes, function, numba.typeof(given), types)
    buffer = np.zeros(0, np.uint8)
    while (size := bind(given, buffer)) > len(buffer):
        buffer = np.zeros(size, np.uint8)
    return Entry(address, buffer, given)


@cache
def _compiled(name: str, text: str, takes: Any, function: Any, kind: Any,
              types: tuple[tuple[str, Any], ...]) -> tuple[int, Any]:
    """Return the address of the entry point of a function, and what writes its arguments."""
    scope = {'function': function, 'KIND': kind, 'Device': Device, 'inf': math.inf, **dict(types),
             **{name: getattr(memory, name) for name in memory.__all__}}
    text += BIND_TEXT
    digest = sources.of_code(function, *(kind for _, kind in types))
    if digest:
        digest = hashlib.sha256(repr((text, str(kind), digest)).encode()).hexdigest()[:16]
    made = module(name, digest, text, scope)
    decorate = jit if digest else uncached
    call, bind = decorate(made.call), decorate(made.bind)
    with alone(f'{ENTRIES}{digest}'):
        call.compile(takes)
    compiled: Any = call.overloads[takes]
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address, bind
