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
The kinds of values in a message: how each is checked, written, and described in the JSON Schema.

A part of a message is declared once, by the type hints of its fields: each names its
:class:`Sent`. Encoding, decoding with limits, the schema and the documentation follow from it.
"""

from collections.abc import Callable, Mapping
import math
import re
from typing import Any, get_type_hints, NamedTuple

from leader_election.election.robot.wire import is_whole, MAX_ID, MOST_NUMBERS, RejectReason

LARGEST = 1.7976931348623157e308
"""The largest finite number."""


class Rejected(Exception):
    """Carries the reason for rejecting a value out of nested calls."""

    def __init__(self, reason: RejectReason = RejectReason.MALFORMED) -> None:
        super().__init__(reason)
        self.reason = reason


class Kind(NamedTuple):
    """A kind of values."""

    read: Callable[[Any], Any]
    """Returns the value of a JSON value; raises :class:`Rejected`."""
    schema: Mapping[str, Any]
    """The JSON Schema."""
    write: Callable[[Any], Any] = lambda value: value
    """Returns a value as JSON has it."""


class Sent(NamedTuple):
    """The member of a message that holds a field; it is left out where the field is empty."""

    key: str
    kind: Kind
    fault: RejectReason | None = None
    """Counted where the value is wrong, and ignored; ``None``: the message is rejected."""
    required: bool = False


def members(part: type[Any]) -> dict[str, Sent]:
    """Return the members that hold the fields of a part, by the names of these."""
    return {name: mark for name, hint in get_type_hints(part, include_extras=True).items()
            for mark in getattr(hint, '__metadata__', ()) if isinstance(mark, Sent)}


def whole(least: int = 0, most: int = MAX_ID) -> Kind:
    """Return the kind of whole numbers in a range; 3.0 is one, as JSON Schema has it."""
    def read(value: Any) -> int:
        if type(value) is int and least <= value <= most:
            return value
        if not is_whole(value, least) or value > most:
            raise Rejected
        return int(value)
    return Kind(read, {'type': 'integer', 'minimum': least, 'maximum': most})


def number(least: float = -LARGEST, most: float = LARGEST, *, infinite: bool = False,
           otherwise: RejectReason = RejectReason.MALFORMED) -> Kind:
    """
    Return the kind of finite numbers in a range.

    :param infinite: whether it may be +infinity, which is ``null``.
    :param otherwise: the reason for rejecting a finite number out of range.
    """
    def read(value: Any) -> float:
        if type(value) is not float:
            if value is None and infinite:
                return math.inf
            if type(value) is not int:
                raise Rejected
            # An integer beyond float64 counts as not finite.
            value = float(value) if -LARGEST <= value <= LARGEST else math.inf
        if least <= value <= most:
            return float(value)
        raise Rejected(otherwise if math.isfinite(value) else RejectReason.NON_FINITE)

    def write(value: float) -> float | None:
        return None if value == math.inf else value

    limits = {name: bound for name, bound in (('minimum', least), ('maximum', most))
              if abs(bound) < LARGEST}
    kind = Kind(read, {'type': ['number', 'null'] if infinite else 'number', **limits})
    return kind._replace(write=write) if infinite else kind


def text(most: int = MAX_ID, least: int = 0, pattern: str = '') -> Kind:
    """Return the kind of texts of a length [characters], of which a pattern matches the whole."""
    matches = re.compile(pattern, re.ASCII).fullmatch

    def read(value: Any) -> str:
        if type(value) is not str or not least <= len(value) <= most or (
                pattern and not matches(value)):
            raise Rejected
        return value

    limits: dict[str, Any] = {'minLength': least} if least else {}
    limits |= {'maxLength': most} if most < MAX_ID else {}
    limits |= {'pattern': f'^({pattern})$'} if pattern else {}
    return Kind(read, {'type': 'string', **limits})


def row(kind: Kind, most: int = MOST_NUMBERS) -> Kind:
    """Return the kind of arrays of values of one kind, at most so many."""
    read_one, write_one = kind.read, kind.write

    def read(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or len(value) > most:
            raise Rejected
        return tuple([read_one(each) for each in value])

    return Kind(read, {'type': 'array', 'items': kind.schema, 'maxItems': most},
                lambda value: [write_one(each) for each in value])


def record(*kinds: Kind, least: int | None = None) -> Kind:
    """
    Return the kind of arrays with a kind for each place.

    :param least: the least number of values; by default all.
    """
    fewest, reads = len(kinds) if least is None else least, [kind.read for kind in kinds]

    def read(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or not fewest <= len(value) <= len(reads):
            raise Rejected
        return tuple([read_one(each) for read_one, each in zip(reads, value)])

    return Kind(read, {
        'type': 'array', 'prefixItems': [kind.schema for kind in kinds],
        'minItems': fewest, 'maxItems': len(kinds)},
        lambda value: [kind.write(each) for kind, each in zip(kinds, value)])
