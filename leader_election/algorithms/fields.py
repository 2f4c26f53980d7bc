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

"""The fields of a state, read off the type hints of its named tuple."""

from collections.abc import Sequence
import math
from typing import Annotated, Any, get_args, get_origin, get_type_hints, NamedTuple, TypeVar

INFINITE = 'may be infinite'
TICKS = 'ticks'
KEPT = 'kept'

T = TypeVar('T')

Unbounded = Annotated[float, INFINITE]
"""A number that may be +infinity; a plain ``float`` is always finite."""
Ticks = Annotated[int, TICKS]
"""A count that goes on by itself: that it has is no news to anybody."""
Kept = Annotated[T, KEPT]
"""What a device keeps for itself and tells nobody."""


class Field(NamedTuple):
    """What is known of one field of a state."""

    name: str
    """``leader`` and ``distance`` are required; ``..._distance`` is one by the metric, too."""
    type: type[int] | type[float]
    """Of the number, or of each number of a vector."""
    padding: tuple[int, ...] | tuple[float, ...] | None
    """A vector as it is at the start: so long are all, and this is what "nothing" looks like."""
    infinite: bool
    """Whether it may be +infinity."""
    ticks: bool
    """Whether it goes on by itself."""
    kept: bool = False
    """Whether nobody is told."""

    @property
    def is_distance(self) -> bool:
        """Whether it is a distance: not negative, and on the move a little different each time."""
        return self.name == 'distance' or self.name.endswith('_distance')

    def plain(self, value: Any) -> Any:
        """Return a value in plain Python: a number, or a tuple of numbers."""
        return self.type(value) if self.padding is None else tuple(map(self.type, value))


def fields_of(state: type[Any], start: Any) -> tuple[Field, ...]:
    """
    Return the fields of a state in their order.

    :param state: the named tuple; its type hints are ``int``, ``float``, :data:`Unbounded`,
        :data:`Ticks`, or a tuple of any number of these.
    :param start: any device's first state, where a vector is the same for all devices.
    :raises TypeError: for a field of another type.

    >>> class Heights(NamedTuple):
    ...     heights: tuple[Unbounded, ...]
    >>> fields_of(Heights, Heights((math.inf, math.inf)))[0][:4]
    ('heights', <class 'float'>, (inf, inf), True)
    """
    hints = get_type_hints(state, include_extras=True)
    return tuple(_field(name, hint, getattr(start, name)) for name, hint in hints.items())


def _field(name: str, hint: Any, start: Any) -> Field:
    kind, marks = unmarked(hint)
    vector = get_origin(kind) is tuple and get_args(kind)[1:] == (...,)
    if vector:
        kind, more = unmarked(get_args(kind)[0])
        marks += more
    if kind not in (int, float):
        raise TypeError(f'field {name} of a state cannot be {hint}')
    return Field(name, kind, tuple(map(kind, start)) if vector else None,
                 INFINITE in marks, TICKS in marks, KEPT in marks)


def unmarked(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return a type without its marks, and the marks."""
    marks: tuple[Any, ...] = getattr(hint, '__metadata__', ())
    return (hint.__origin__ if marks else hint), marks


def change(fields: Sequence[Field], before: Any, after: Any) -> float:
    """
    Return by how much two states differ, as far as it is news.

    :return: the most that one of the distances has changed [m, >= 0]; infinite where
        anything else is different, but for what only ticks.
    """
    most = 0.0
    for field, old, new in zip(fields, before, after):
        if old == new or field.ticks or field.kept:
            continue
        if not field.is_distance:
            return math.inf
        pairs = [(old, new)] if field.padding is None else zip(old, new)
        most = max([most, *(abs(b - a) for a, b in pairs if a != b)])
    return most
