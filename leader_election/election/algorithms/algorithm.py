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
The interface of election algorithms: fields of states, the hop limit, and chance in rounds.

The type hints of a state, a named tuple, define its fields.

A round takes ``device.chance``, a number for each device and round. It is the same on a robot and
in the laboratory, whatever runs between two rounds. A seed repeats these numbers. Chance that no
seed repeats is refused.
"""

import collections
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
import dis
from functools import cached_property, lru_cache
import inspect
import math
import os
import random
import sys
from types import CodeType, FunctionType
from typing import Annotated, Any, get_args, get_origin, get_type_hints, NamedTuple, TypeVar

from leader_election.parameters import LeaderElectionError, NoParameters, ParameterError, table
from leader_election.parameters.registry import at, is_own, Registry
import numpy as np

INFINITE = 'may be infinite'
TICKS = 'ticks'
KEPT = 'kept'
HOPS = 'hops'
ID = 'id'
PER_LEVEL = 'per level'
COUNT = 'count'
NEGATED = 'negated strength'
NOBODY = -1
"""Stands for no device, where a field holds an id."""

T = TypeVar('T')

Unbounded = Annotated[float, INFINITE]
"""A number that may be +infinity. A plain ``float`` is always finite."""
Ticks = Annotated[int, TICKS]
"""A counter that changes in every round. Its change alone triggers no message."""
Kept = Annotated[T, KEPT]
"""A field that a device does not send."""
PerLevel = Annotated[T, PER_LEVEL]
"""A vector with the same number of entries for each level of a recursive election, in order."""
Hops = Annotated[int, HOPS]
"""
The number of hops of a distance: ``hops`` for ``distance``, ``x_hops`` for ``x_distance``; >= 0.
"""
Id = Annotated[int, ID]
"""The id of a device, or :data:`NOBODY`. ``leader`` is always the id of a device."""
Count = Annotated[int, COUNT]
"""A number that is never negative."""
Negated = Annotated[T, NEGATED]
"""The strength of a device, negated: a robot refuses one beyond its ``strength_limits``."""


class Field(NamedTuple):
    """The description of one field of a state."""

    name: str
    """``leader`` and ``distance`` are required. A name ending in ``_distance`` is a distance."""
    type: type[int] | type[float]  # noqa: A003
    """The type of the number, or of each number of a vector."""
    padding: tuple[int, ...] | tuple[float, ...] | None
    """The initial value of a vector, with its length. Its entries stand for "nothing"."""
    infinite: bool
    ticks: bool
    """Whether the value changes in every round (:data:`Ticks`)."""
    kept: bool = False
    hops: bool = False
    least: int | None = None
    """The least value of a whole number, ``None`` for any."""
    per_level: bool = False
    """Whether the field holds entries for each level (:data:`PerLevel`)."""
    negated: bool = False

    @property
    def is_distance(self) -> bool:
        """Return whether the field is a distance: not negative, and changing while robots move."""
        return self.name == 'distance' or self.name.endswith('_distance')

    def plain(self, value: Any) -> Any:
        """Return a value in plain Python: a number, or a tuple of numbers in its full length."""
        if self.padding is None:
            return self.type(value)
        return tuple(map(self.type, value)) + self.padding[len(value):]

    def trimmed(self, value: Any) -> Any:
        """Return a vector as a list without the padding at its end, and a number as it is."""
        if self.padding is None:
            return value
        length = len(value)
        while length > 0 and value[length - 1] == self.padding[length - 1]:
            length -= 1
        return list(value[:length])


def fields_of(state: type[Any], start: Any) -> tuple[Field, ...]:
    """
    Return the fields of a state in their order.

    :param state: the named tuple. Its type hints are ``int``, ``float``, :data:`Unbounded`,
        :data:`Ticks`, :data:`Hops`,
        :data:`Id`, :data:`Count`, :data:`Negated`, or a tuple of any number of these
        (:data:`PerLevel`).
    :param start: the initial state of any device. Its vectors are the same on all devices.
    :raises TypeError: for a field of another type, or of hops without their distance.

    >>> class Heights(NamedTuple):
    ...     heights: tuple[Unbounded, ...]
    >>> fields_of(Heights, Heights((math.inf, math.inf)))[0][:4]
    ('heights', <class 'float'>, (inf, inf), True)
    """
    hints = get_type_hints(state, include_extras=True)
    fields = tuple(_field(name, hint, getattr(start, name)) for name, hint in hints.items())
    for field in fields:
        distance = field.name.removesuffix('hops') + 'distance'
        if field.hops and distance not in hints:
            raise TypeError(f'field {field.name} of a state counts the hops of {distance}, '
                            'which the state does not have')
    return fields


def _field(name: str, hint: Any, start: Any) -> Field:
    kind, marks = unmarked(hint)
    vector = get_origin(kind) is tuple and get_args(kind)[1:] == (...,)
    if vector:
        kind, more = unmarked(get_args(kind)[0])
        marks += more
    if kind not in (int, float):
        raise TypeError(f'field {name} of a state cannot be {hint}')
    return Field(name, kind, tuple(map(kind, start)) if vector else None,
                 INFINITE in marks, TICKS in marks, KEPT in marks, HOPS in marks,
                 _least(name, marks), PER_LEVEL in marks, NEGATED in marks)


def _least(name: str, marks: tuple[Any, ...]) -> int | None:
    """Return the least value of a whole number that is valid, ``None`` for any."""
    if name == 'leader' or HOPS in marks or COUNT in marks:
        return 0
    return NOBODY if ID in marks else None


def unmarked(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return a type without its marks, and the marks."""
    marks: tuple[Any, ...] = getattr(hint, '__metadata__', ())
    return (hint.__origin__ if marks else hint), marks


def change(fields: Sequence[Field], before: Any, after: Any) -> float:
    """
    Return the difference of two states, to decide whether it is worth a message.

    :return: the largest change of a distance [m, >= 0], infinite if another field differs;
        :data:`Ticks` and :data:`Kept` fields do not count, nor do decreasing :data:`Hops`.
    """
    most = 0.0
    for field, old, new in zip(fields, before, after):
        if old == new or field.ticks or field.kept:
            continue
        pairs = [(old, new)] if field.padding is None else list(zip(old, new))
        # More hops are news, so that a dead leader is forgotten at the speed of the network.
        # Fewer hops follow the loss of a message: they can wait for the period.
        if field.hops and all(b <= a for a, b in pairs):
            continue
        if not field.is_distance:
            return math.inf
        most = max([most, *(abs(b - a) for a, b in pairs if a != b)])
    return most


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


make_columns: Any = collections.namedtuple
"""Makes the columns of a state from its fields. Compiled code finds them by name and module."""


class Device(NamedTuple):
    """The device that a round runs on."""

    id: int  # noqa: A003
    """Unique in the network."""
    strength: float
    """The device with the largest strength leads."""
    chance: float = 0.0
    """
    A number in [0, 1) for each device and round
    (:func:`~leader_election.election.algorithms.algorithm.drawn`), 0 where no round reads it.
    """


BARRED = -sys.float_info.max
"""The strength of a device that may not lead: it is weaker than every other."""


@dataclass(frozen=True)
class Algorithm:
    """
    An election algorithm: the types of its state and messages, and its round.

    A round is a plain function of numbers, small arrays and named tuples, without input, output,
    clock, or chance but ``device.chance``. So the same function runs on a robot and is compiled by
    the laboratory. It may call other plain functions by name.
    The model is that of Pianini, Casadei, Viroli (ACSOS 2022), II-B.
    """

    name: str
    """The value of the parameter ``algorithm`` that selects it."""
    round: Callable[[Device, Any, Any, Any, Any], Any]  # noqa: A003
    """
    ``round(device, state, neighbours, metric, parameters) -> state``: the device's own previous
    state, the neighbours' exports (``columns``), the distance to each neighbour [m] in the same
    order, and what ``configure`` returned. The new state is also the export.

    There are ``len(metric)`` neighbours; in the laboratory, columns may be longer than that.
    A vector in the state is a tuple on a robot and a one-dimensional array in the laboratory. A
    round may return it as an array, and leave out entries that stand for nothing at the end of one
    with levels. In ``columns``, row j is the vector of neighbour j.
    """
    state: type[Any]
    """
    The named tuple of the state. Messages hold its fields in this order. A field is an ``int``, a
    ``float``, or a tuple of one of them (:class:`Field`). Two
    fields are required: ``leader``, an id, and ``distance`` to it along the path of the messages
    [m].
    """
    columns: type[Any]
    """The same fields, each as a sequence with one entry per neighbour."""
    start: Callable[[Device], Any]
    """
    Makes the initial state of a device. The vectors in it are the same on all devices: they have
    their final length, and all entries are padding, which stands for "nothing".
    """
    configure: Callable[..., Any]
    """
    Makes the parameters of the round from settings. The names of its arguments select them: those
    that all robots have (``radius``, ``ties``), and the algorithm's own.
    """
    parameters: type[Any] = NoParameters
    """
    The algorithm's own parameters: a frozen dataclass of :func:`leader_election.parameter` fields.
    A robot's node declares them as ``<algorithm>.<name>``. A scenario of the laboratory takes them
    beside the algorithm's name.
    """
    leaders_follow_themselves: bool = False
    """
    Whether a device that exports another leader than itself leads no other device: a robot
    then adopts no candidacy for it from others, since such a candidacy is outdated.
    """
    levels: int = 0
    """
    The number of levels of a recursive election, 0 for none. Its state has a field ``depth``, the
    present level of a device. A round reads entries of a neighbour's
    :data:`PerLevel` vectors only up to its depth. At
    the last level no leader is sought: a device that reaches it leads itself.
    """

    def __post_init__(self) -> None:
        """
        Refuse chance that no seed repeats.

        :raises LeaderElectionError: for such a round, with its file and line.
        """
        code = getattr(self.round, '__code__', None)
        # To look takes milliseconds, and tests have looked at the rounds of this package.
        if code is not None and is_own(code.co_filename) and (place := unseeded(self.round)):
            raise LeaderElectionError(
                f'{place} gives numbers that no seed repeats; a round takes device.chance')

    @cached_property
    def reads_chance(self) -> bool:
        """Return whether the round reads ``device.chance``."""
        return reads_chance(self.round)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """Return the fields of the state, in their order."""
        return fields_of(self.state, self.start(Device(0, 0.0)))

    @cached_property
    def takes(self) -> tuple[str, ...]:
        """Return the names of the settings that the round depends on."""
        return tuple(inspect.signature(self.configure).parameters)

    @cached_property
    def as_published(self) -> Mapping[str, Any]:
        """Return the settings with a default in ``configure``: that of the papers."""
        arguments = inspect.signature(self.configure).parameters.values()
        return {each.name: each.default for each in arguments
                if each.default is not inspect.Parameter.empty}

    @lru_cache(maxsize=64)  # noqa: B019 - the same one each time.
    def with_levels(self, levels: int) -> 'Algorithm':
        """
        Return the same algorithm with another number of levels.

        The laboratory's way to a recursion without an end. Robots have to agree on the length of
        their messages, so they all have :attr:`levels`.

        :param levels: >= 2.
        """
        longer = {field.name: field.padding[:1] * (len(field.padding) // self.levels * levels)
                  for field in self.fields if field.per_level and field.padding is not None}
        first = self.start

        def start(device: Device) -> Any:
            return first(device)._replace(**longer)
        return replace(self, levels=levels, start=start)

    def round_parameters(self, settings: Mapping[str, Any]) -> Any:
        """
        Return the parameters of the round.

        :param settings: values by name. Names that the algorithm does not take are ignored. A
            missing own parameter of the algorithm has its default, and so has an argument of
            ``configure``.
        :raises ParameterError: if ``configure`` takes a name that is not declared.
        """
        known = {**self.as_published,
                 **{p.name: p.default for p in table(self.parameters)}, **settings}
        for name in self.takes:
            if name not in known:
                raise ParameterError(
                    f'algorithm {self.name}: configure takes {name}, which is not declared; '
                    'declare it in the parameters of the algorithm')
        return self.configure(**{name: known[name] for name in self.takes})

    def compute(self, device: Device, state: Any, exports: Sequence[Any],
                metric: Sequence[float], parameters: Any) -> Any:
        """
        Run a round in plain Python.

        :param exports: the neighbours' states.
        :param metric: the distance to each of them [m].
        :param parameters: the result of :meth:`round_parameters`.
        :return: the new state, in numbers and tuples of numbers.
        """
        columns = zip(*exports) if exports else [()] * len(self.fields)
        return self.plain(self.round(device, state, self.columns(*columns), metric, parameters))

    def aged(self, export: Any, rounds: int) -> Any:
        """
        Return an export aged by a number of rounds, each of which counts as a hop.

        While newer messages are lost, an old message keeps its candidacy. If its age did not
        count, that of a dead leader would survive an expiry at each hop. An export of the leader
        itself, with no hop, does not age: it is valid until it expires.
        """
        if rounds == 0:
            return export

        def older(hops: int) -> int:
            return hops + rounds if hops > 0 else hops

        return export._replace(**{
            field.name: older(getattr(export, field.name)) if field.padding is None
            else tuple(map(older, getattr(export, field.name)))
            for field in self.fields if field.hops})

    def strengths(self, export: Any) -> Iterator[float]:
        """
        Yield the strengths of the devices that an export stands for.

        Left out are fields without a device, and devices that may not lead.

        >>> from leader_election.election.algorithms import BOUNDED, RECURSIVE
        >>> [list(BOUNDED.strengths(BOUNDED.start(Device(1, it)))) for it in (5.0, BARRED)]
        [[5.0], []]
        >>> list(RECURSIVE.strengths(RECURSIVE.start(Device(1, 5.0))))
        []
        """
        for field, value in zip(self.fields, export):
            if field.negated:
                values = (value,) if field.padding is None else value
                yield from (-number for number in values if number < -BARRED)

    def plain(self, state: Any) -> Any:
        """Return a state in numbers and tuples of numbers, which can be compared and sent."""
        return self.state(*(field.plain(value) for field, value in zip(self.fields, state)))


ALGORITHMS: Registry[Algorithm] = Registry('algorithm', 'leader_election.algorithms')


NO_HOP_LIMIT = 2**53 - 1
"""
The hop limit of the papers: the greatest number that a float counts exactly.

A candidacy counts the relays on its way: 0 on the leader, one more on each device that adopts
it. A device adopts none with more hops than the limit. The count needs no memory: a wrong count
also grows by one each time the candidacy is relayed. So after the last message of a dead leader
has expired, its candidacy survives at most ``hop_limit - 1`` rounds in lockstep, for any radius,
distances and lost messages.
"""
NONE = -1
"""The value of the parameter ``hop_limit`` that stands for :data:`NO_HOP_LIMIT`."""
AUTOMATIC = 0
"""The value of the parameter ``hop_limit`` that stands for :func:`automatic_hop_limit`."""
DEFAULT_HOP_LIMIT = 100
"""The automatic limit where radius and range do not bound the number of hops."""
MOST_AUTOMATIC, MOST_HOPS = 1000, 10000
"""The greatest limits, automatic and set: forged candidacies last no longer, at any radius."""


def automatic_hop_limit(radius: float, link_range: float) -> int:
    """
    Return about twice the largest number of hops to a leader in a swarm at rest.

    If robots hear each other within the range in a straight line, two successive links of a
    shortest path are together longer than the range: otherwise their ends would hear each other.
    So a path within the radius has at most ``floor(2 * radius / link_range) + 1`` hops. While
    robots move, the news of a shorter path is late, and paths are longer for a while: hence the
    factor of two.

    :param radius: the largest distance to a leader [m], >= 0, infinite for no radius.
    :param link_range: the greatest distance of a neighbour [m], > 0, infinite if unknown.

    >>> [automatic_hop_limit(*lengths) for lengths in ((10.0, 5.0), (10.0, math.inf), (1e6, 5.0))]
    [10, 100, 1000]
    >>> automatic_hop_limit(1.0, 0.5), automatic_hop_limit(1.0, 0.0)
    (10, 100)
    """
    if not (math.isfinite(radius) and math.isfinite(link_range) and link_range > 0.0):
        return DEFAULT_HOP_LIMIT
    return int(min(2 * (math.floor(2.0 * radius / link_range) + 1), MOST_AUTOMATIC))


def hop_limit(setting: int, radius: float, link_range: float) -> int:
    """
    Return the limit for a value of the parameter ``hop_limit``.

    :param setting: :data:`AUTOMATIC`, :data:`NONE`, or a number of hops.
    :param radius: the largest distance to a leader [m], infinite for no radius.
    :param link_range: the greatest distance of a neighbour [m], infinite if unknown.

    >>> hop_limit(7, 10.0, 5.0), hop_limit(AUTOMATIC, 10.0, 5.0), hop_limit(NONE, 10.0, 5.0)
    (7, 10, 9007199254740991)
    """
    if setting == NONE:
        return NO_HOP_LIMIT
    return automatic_hop_limit(radius, link_range) if setting == AUTOMATIC else setting
