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
Chance in rounds: a number for each device and round that a seed repeats.

The numbers are the same on a robot and in the laboratory, whatever runs between two rounds. Chance
that no seed repeats is found, and refused.
"""

from collections.abc import Callable, Iterator
import dis
import inspect
import os
import random
from types import CodeType, FunctionType
from typing import Any

from leader_election.parameters.registry import at
import numpy as np

_MODULES = ('random', 'secrets', 'uuid', 'numpy.random')
_GENERATORS = (random.Random, np.random.Generator, np.random.RandomState)


def drawn(seed: int, device: int, number: int) -> float:
    """
    Return the number of a device in a round, evenly distributed in [0, 1).

    The 32-bit finaliser is that of MurmurHash3 (A. Appleby, public domain), over the halves of the
    arguments.

    :param seed: of the run, 0 on robots.
    :param device: the id.
    :param number: the number of the device's rounds before this one.

    >>> [drawn(2**40 + 5, 2**52 + 3, number) for number in (0, 2**33, 2**33 + 1)]
    [0.253127440074595, 0.15571252489563803, 0.7742428242605425]
    """
    high, low = 0x9E3779B9, 0x85EBCA77
    for word in (seed & 0xFFFFFFFF, seed >> 32 & 0xFFFFFFFF, device & 0xFFFFFFFF,
                 device >> 32 & 0xFFFFFFFF, number & 0xFFFFFFFF, number >> 32 & 0xFFFFFFFF):
        # Products wrap in compiled code, which leaves their lower halves as they are.
        high = ((high ^ word) * 0x85EBCA6B) & 0xFFFFFFFF
        high = ((high ^ (high >> 13)) * 0xC2B2AE35) & 0xFFFFFFFF
        high = high ^ (high >> 16)
        low = (((low + word) ^ high) * 0xC2B2AE35) & 0xFFFFFFFF
        low = ((low ^ (low >> 15)) * 0x27D4EB2F) & 0xFFFFFFFF
        low = low ^ (low >> 14)
    return ((high >> 5) * 67108864.0 + (low >> 6)) / 9007199254740992.0


def reads_chance(round_: Callable[..., Any]) -> bool:
    """Return whether a round, or a function that it calls, reads ``device.chance``."""
    return any('chance' in code.co_names for function in _functions(round_)
               for code in _codes(function.__code__))


def unseeded(round_: Callable[..., Any]) -> str:
    """
    Return where a round uses chance that no seed repeats, empty if it does not.

    >>> def chosen(device):
    ...     return random.random() < 0.5
    >>> unseeded(chosen).rpartition(', ')[2], unseeded(abs)
    ('line 2: random.random', '')
    """
    for function in _functions(round_):
        for code in _codes(function.__code__):
            for line, name, used in _names(function, code):
                if _is_chance(used):
                    return f'{at(code.co_filename, line)}: {name}'
    return ''


def _functions(start: Any) -> Iterator[FunctionType]:
    """Yield a function, and the plain functions that it calls by name."""
    left, seen = [start], set[int]()
    while left:
        function = left.pop()
        function = inspect.unwrap(getattr(function, 'py_func', function))
        if not isinstance(function, FunctionType) or id(function) in seen:
            continue
        seen.add(id(function))
        yield function
        for code in _codes(function.__code__):
            left += [used for _, _, used in _names(function, code)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function, and that of functions within it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _names(function: FunctionType, code: CodeType) -> Iterator[tuple[int, str, Any]]:
    """Yield line, name and object of all that a code names outside of itself."""
    closed = inspect.getclosurevars(function).nonlocals
    name, found = '', None
    for instruction in dis.get_instructions(code):
        argument = str(instruction.argval)
        if instruction.opname == 'LOAD_GLOBAL':
            name, found = argument, function.__globals__.get(argument)
        elif instruction.opname == 'LOAD_DEREF':
            name, found = argument, closed.get(argument)
        elif instruction.opname in ('LOAD_ATTR', 'LOAD_METHOD'):
            name, found = f'{name}.{argument}', inspect.getattr_static(found, argument, None)
        elif instruction.opname == 'IMPORT_NAME' and argument in _MODULES:
            name, found = argument, random.random
        else:
            found = None
        yield next(line or 0 for begin, end, line in code.co_lines()
                   if begin <= instruction.offset < end), name, found


def _is_chance(used: Any) -> bool:
    owner = getattr(used, '__self__', used)
    return (isinstance(owner, _GENERATORS) or used is os.urandom
            or getattr(used, '__module__', None) in _MODULES)
