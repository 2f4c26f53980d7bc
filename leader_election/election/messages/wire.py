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
The grammar of messages: limits, reasons for rejection, compact JSON, and the kinds of values.

A part of a message is declared once, by the type hints of its fields: each names its
:class:`Sent`. Encoding, decoding with limits, the schema and the documentation follow from it.
The messages themselves are encoded in :mod:`leader_election.election.messages.codec`.
"""

import ast
from collections.abc import Callable, Mapping
from enum import Enum
import inspect
import json
import math
import re
import textwrap
from types import MappingProxyType
from typing import Any, get_type_hints, NamedTuple

MAX_ID = 2**53 - 1
"""The greatest integer that every JSON parser and every float64 holds exactly."""
MAX_NUMBER = 1e9
"""The greatest number that one robot may contribute. Sums may grow to ``MAX_ID``."""
MAX_DECISION = 1024
"""The longest decision [characters]."""
MAX_NAMES = 200
"""The longest list of task names [characters]."""
MOST_LEVELS = 32
MOST_NUMBERS = 1024


class RejectReason(str, Enum):
    """The reason for rejecting a message or a part of it. The value names its counter."""

    SIZE = 'rejected_size'
    MALFORMED = 'rejected_malformed'
    NON_FINITE = 'rejected_non_finite'
    NEGATIVE_DISTANCE = 'rejected_negative_distance'
    STRENGTH = 'rejected_strength'
    VERSION = 'rejected_version'
    ALGORITHM = 'rejected_algorithm'
    FRAME = 'rejected_frame'
    OWN_ID = 'rejected_own_id'
    NO_POSITION = 'rejected_no_position'
    LIMIT = 'rejected_neighbour_limit'
    IMPLAUSIBLE = 'rejected_implausible'
    SUMMARY = 'rejected_summary'
    DECISION = 'rejected_decision'
    TASKS = 'rejected_tasks'
    READING = 'rejected_reading'
    LOCALISATION = 'rejected_localisation'
    NAMES = 'rejected_names'
    MANDATE = 'rejected_mandate'
    UNSIGNED = 'rejected_unsigned'
    SIGNATURE = 'rejected_signature'
    REPLAY = 'rejected_replay'


dumps = json.JSONEncoder(separators=(',', ':'), allow_nan=False).encode
"""
Returns a value as compact JSON.

It raises a ``TypeError`` or ``ValueError`` for values that JSON cannot express, also infinities.
"""


def decision_text(decisions: Any) -> str:
    """
    Return a leader's decisions as sent: a JSON list with an entry for each task.

    :raises ValueError: for anything but a list, a text that is too long, a nesting that is too
        deep, or a value that JSON cannot express.
    """
    if type(decisions) is not list:
        raise ValueError('it is not a list')
    try:
        text = dumps(decisions)
    except (TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if len(text) > MAX_DECISION:
        raise ValueError(f'it has {len(text)} characters in JSON; it may have {MAX_DECISION}')
    brackets = text.count('[') + text.count('{')
    if brackets > MOST_LEVELS and not _within(decisions, MOST_LEVELS):
        raise ValueError(f'it has more than {MOST_LEVELS} levels')
    return text


def _within(value: Any, levels: int) -> bool:
    """Return whether lists and objects are nested no deeper than a number of levels."""
    if not isinstance(value, (list, tuple, dict)):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return levels > 0 and all(_within(part, levels - 1) for part in parts)


LARGEST = 1.7976931348623157e308
POSITIVE = math.ulp(0.0)
"""The least number greater than zero."""


class Rejected(Exception):
    """Carries the reason for rejecting a value out of nested calls."""

    def __init__(self, reason: RejectReason = RejectReason.MALFORMED) -> None:
        super().__init__(reason)
        self.reason = reason


class Kind(NamedTuple):
    """A kind of values."""

    read: Callable[[Any], Any]
    """Returns the value of a JSON value, or raises :class:`Rejected`."""
    schema: Mapping[str, Any]
    write: Callable[[Any], Any] = lambda value: value
    """Returns a value as JSON has it."""


class Sent(NamedTuple):
    """The member of a message that holds a field. It is left out where the field is empty."""

    key: str
    kind: Kind
    fault: RejectReason | None = None
    """Counted where the value is wrong, and ignored, ``None`` if the message is rejected."""
    required: bool = False


def members(part: type[Any]) -> dict[str, Sent]:
    """Return the members that hold the fields of a part, by the names of these."""
    return {name: mark for name, hint in get_type_hints(part, include_extras=True).items()
            for mark in getattr(hint, '__metadata__', ()) if isinstance(mark, Sent)}


def properties(part: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of the members that hold the fields of a part, by their keys."""
    described = descriptions(part)
    return {member.key: {'description': described[name], **member.kind.schema}
            for name, member in members(part).items()}


def descriptions(part: type[Any]) -> dict[str, str]:
    """Return the texts below the fields of a class, by the names of these."""
    body = ast.parse(textwrap.dedent(inspect.getsource(part))).body[0]
    assert isinstance(body, ast.ClassDef)
    return {field.target.id: ' '.join(str(text.value.value).split())
            for field, text in zip(body.body, body.body[1:])
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)}


class Shortening(NamedTuple):
    """A way to shorten a part of a message that would be too long."""

    rank: int
    """Shortenings are tried in the order of their ranks."""
    counter: str
    change: Callable[[Any], Any]
    """Returns the part without it, ``None`` if nothing is left."""
    repeats: int = 1
    """How often it may be tried, one time after the other."""


class WirePart(NamedTuple):
    """
    A part of messages that only some robots send, such as that about regions.

    Its value is in ``Message.parts`` under its name, of further instances in
    ``InstanceMessage.parts``.
    """

    name: str
    read: Callable[[Mapping[str, Any]], tuple[Any, tuple[RejectReason, ...]]]
    """Returns the value in a document, ``None`` without one, and the faults in it."""
    write: Callable[[Any], dict[str, Any]]
    """Returns the members of a document."""
    properties: Callable[[], dict[str, Any]]
    """Returns the JSON Schema of its members, by their keys."""
    shortenings: tuple[Shortening, ...] = ()
    is_of_robot: bool = False
    """Whether a robot sends one, otherwise each of its instances does."""


def whole(least: int = 0, most: int = MAX_ID) -> Kind:
    """
    Return the kind of whole numbers in a range; 3.0 is one, as JSON Schema has it.

    >>> whole().read(3.0)
    3
    """
    def read(value: Any) -> int:
        if type(value) is int and least <= value <= most:
            return value
        if type(value) is float and least <= value <= most and value.is_integer():
            return int(value)
        raise Rejected
    return Kind(read, {'type': 'integer', 'minimum': least, 'maximum': most})


def number(least: float = -LARGEST, most: float = LARGEST, *, null: float | None = None,
           decimals: int | None = None,
           otherwise: RejectReason = RejectReason.MALFORMED) -> Kind:
    """
    Return the kind of finite numbers in a range.

    :param least: :data:`POSITIVE`: greater than zero.
    :param null: the value that is ``null``, infinity or nan, ``None`` if there is none.
    :param decimals: to which it is rounded when it is sent, after a value out of range has become
        the nearest in it, ``None`` if it is sent as it is.
    :param otherwise: the reason for rejecting a finite number out of range.
    """
    unknown = null is not None and math.isnan(null)

    def read(value: Any) -> float:
        if type(value) is not float:
            if value is None and null is not None:
                return null
            if type(value) is not int:
                raise Rejected
            # An integer beyond float64 counts as not finite.
            value = float(value) if -LARGEST <= value <= LARGEST else math.inf
        if least <= value <= most:
            return value
        raise Rejected(otherwise if math.isfinite(value) else RejectReason.NON_FINITE)

    def write(value: float) -> float | None:
        if value == null or unknown and math.isnan(value):
            return None
        if decimals is None:
            return value
        floor = 10.0 ** -decimals if least == POSITIVE else least
        return round(min(max(value, floor), most), decimals)

    schema: dict[str, Any] = {'type': 'number' if null is None else ['number', 'null']}
    if least == POSITIVE:
        schema['exclusiveMinimum'] = 0
    elif least > -LARGEST:
        schema['minimum'] = least
    if most < LARGEST:
        schema['maximum'] = most
    kind = Kind(read, schema)
    return kind if null is None and decimals is None else kind._replace(write=write)


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
        return tuple(map(read_one, value))

    return Kind(read, {'type': 'array', 'items': kind.schema, 'maxItems': most},
                lambda value: list(map(write_one, value)))


def record(*kinds: Kind, least: int | None = None) -> Kind:
    """
    Return the kind of arrays with a kind for each place.

    :param least: the least number of values, by default all. Those at the end that would be
        ``null`` are left out.
    """
    fewest, reads = len(kinds) if least is None else least, [kind.read for kind in kinds]
    first, second, third = (*reads, *reads, *reads)[:3]

    def read(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or not fewest <= len(value) <= len(reads):
            raise Rejected
        # Nearly all are pairs and triples: a loop takes twice as long.
        if len(value) == 3:
            return first(value[0]), second(value[1]), third(value[2])
        if len(value) == 2:
            return first(value[0]), second(value[1])
        return tuple([read_one(each) for read_one, each in zip(reads, value)])

    def write(value: Any) -> list[Any]:
        written = [kind.write(each) for kind, each in zip(kinds, value)]
        while len(written) > fewest and written[-1] is None:
            written.pop()
        return written

    return Kind(read, {
        'type': 'array', 'prefixItems': [kind.schema for kind in kinds],
        'minItems': fewest, 'maxItems': len(kinds)}, write)


NO_NAMES: Mapping[int, str] = MappingProxyType({})
MOST_NAMES = 17
"""The most namespaces in a message: the sender's, and a leader's for each further instance."""
LONGEST = 128
"""The longest namespace [characters]."""
_NAMESPACE = text(LONGEST, pattern='/|(/[A-Za-z_][A-Za-z0-9_]*)+')
_ID = text(16, pattern='[0-9]+')


def usual_namespace(topic: str, robot_id: int) -> str:
    """
    Return the namespace of a robot whose messages give no other one.

    :param topic: the full name of the topic on which robots send.

    >>> usual_namespace('/neighbourhood', 7), usual_namespace('/red/neighbourhood', 7)
    ('/robot_7', '/red/robot_7')
    """
    return f'{topic.rpartition("/")[0]}/robot_{robot_id}'


def _read(listed: Any) -> Mapping[int, str]:
    if type(listed) is not dict or len(listed) > MOST_NAMES:
        raise Rejected
    names = {int(_ID.read(key)): _NAMESPACE.read(name) for key, name in listed.items()}
    if max(names, default=0) > MAX_ID:
        raise Rejected
    return MappingProxyType(names)


NAMES = Kind(_read, {
    'type': 'object', 'maxProperties': MOST_NAMES, 'propertyNames': {'pattern': '^[0-9]{1,16}$'},
    'additionalProperties': _NAMESPACE.schema}, dict)
"""
The kind of namespaces by ids in a message: that of the sender and those of its leaders, where they
are not the usual ones, so that the name of a leader spreads with its candidacy.
"""
