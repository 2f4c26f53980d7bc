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

"""The fields of a state, and their changes: the type hints of a named tuple define them."""

import collections
from collections.abc import Sequence
import math
from typing import Annotated, Any, get_args, get_origin, get_type_hints, NamedTuple, TypeVar

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
"""The number of hops, >= 0: ``hops`` of field ``distance``, ``x_hops`` of ``x_distance``."""
NO_HOP_LIMIT = 2**53 - 1
"""
The hop limit of the papers: the greatest number that a float counts exactly.

A candidacy counts the relays on its way: 0 on the leader, one more on each device that adopts
it. A device adopts none with more hops than the limit. The count needs no memory: a wrong count
also grows by one each time the candidacy is relayed. So after the last message of a dead leader
has expired, its candidacy survives at most ``hop_limit - 1`` rounds in lockstep, for any radius,
distances and lost messages.
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


make_columns: Any = collections.namedtuple
"""
Makes the columns of all neighbours' states, one per field. Compiled code finds them by name and
module.
"""
