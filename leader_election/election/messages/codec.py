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
The wire: one compact JSON document a message, described by ``neighbourhood.schema.json``.

``{"v":1,"id":3,"frame":"map","p":[1.5,2.0],"c":[-7.0,3.25,8,1]}``: the version, the fields of
:class:`Message` that are not empty, by their keys, and those of the algorithm's export in their
order. A further field of the header is a declaration in ``Message``. Robots that do not know its
key ignore it. An algorithm other than ``bounded`` is named by ``"a"``.

Where a field may be infinite, ``null`` stands for that. A vector is an array without the padding
at its end: ``[5,-1,-1]`` is sent as ``[5]`` if ``-1`` is the padding.

The signature ``"s"`` of a robot with a key (:mod:`leader_election.election.messages.swarm_key`) is
not part of the document that is encoded here, and is not read here.

A message that would be longer than the limit is shortened part by part (:func:`shortened`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
import json
import math
import re
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.algorithms.fields import Field
from leader_election.election.messages import wire
from leader_election.election.messages.wire import Rejected, RejectReason
from leader_election.election.part import PARTS
from leader_election.parameters import frame_name

VERSION = 1
MAX_LENGTH = 4096
"""The longest payload that is decoded [characters]."""
MAX_COORDINATE = 1e9
"""The farthest from the frame's origin that a robot can be [m]; beyond, sums lose precision."""
DEFAULT_ALGORITHM = 'bounded'
MAIN = 'main'
MOST_READINGS = 64
"""The most numbers in a reading for the metric."""
MOST_INSTANCES = 16

_START = re.compile(rf'{{"v":{VERSION},"id":([0-9]{{1,16}})[,}}]')

Position = tuple[float, float]


Parts = Mapping[str, Any]
"""The parts of a message by their names (:data:`~leader_election.election.part.PARTS`)."""
NO_PARTS: Parts = MappingProxyType({})


class InstanceMessage(NamedTuple):
    """The message of an instance other than the sender's first."""

    algorithm: Annotated[str, wire.Sent('a', wire.text())]
    """The election algorithm that c belongs to, bounded if left out."""
    export: Any
    parts: Parts = NO_PARTS


NO_OTHERS: Mapping[str, InstanceMessage] = MappingProxyType({})
_COORDINATE = wire.number(-MAX_COORDINATE, MAX_COORDINATE)
_FRAME = wire.text(least=1)
_READING = wire.row(wire.number(-wire.MAX_ID, wire.MAX_ID), MOST_READINGS)


class Message(NamedTuple):
    """The message that a robot broadcasts to its neighbours."""

    id: Annotated[int, wire.Sent('id', wire.whole(), required=True)]  # noqa: A003
    """The sender."""
    frame: Annotated[str, wire.Sent('frame', _FRAME._replace(
        read=lambda value: frame_name(_FRAME.read(value))), required=True)]
    """The frame of the position."""
    position: Annotated[Position | None, wire.Sent('p', wire.record(_COORDINATE, _COORDINATE))]
    """
    The sender's position x, y in the frame [m], left out by a robot that does not know it.
    """
    export: Any
    """The state of the algorithm, its named tuple."""
    parts: Parts = NO_PARTS
    """The parts of the sender and of its first instance, by their names."""
    others: Mapping[str, InstanceMessage] = NO_OTHERS
    """The messages of further instances, by their names."""
    reading: Annotated[
        tuple[float, ...], wire.Sent('m', _READING, RejectReason.READING)] = ()
    """
    The sender's own reading for the metric, where its metric has one: the sensed value
    (sensor_difference), or its time stamp and its answers to those of its neighbours (round_trip).
    A wrong reading is ignored. The message counts.
    """
    names: Annotated[
        Mapping[int, str], wire.Sent('n', wire.NAMES, RejectReason.NAMES)] = wire.NO_NAMES
    """
    The namespaces of the sender and of its leaders by their ids, where they are not robot_<id>
    beside the topic on which robots send. Wrong names are ignored. The message counts.
    """
    faults: tuple[RejectReason, ...] = ()
    """Why parts of the message were ignored."""

    @property
    def further(self) -> dict[str, Any]:
        """Return the fields of the header that are not of the robot itself, for observers."""
        return {name: getattr(self, name) for name in _FURTHER
                if getattr(self, name) != self._field_defaults[name]}

    def of_instance(self, instance: str) -> tuple[str | None, Any, Parts]:
        """Return algorithm (``None``: the receiver's own), export and parts of an instance."""
        if instance == MAIN:
            return None, self.export, self.parts
        return self.others.get(instance, (None, None, NO_PARTS))


class Codec:
    """
    Encodes and decodes the messages of one algorithm.

    :param instances: the further instances that are decoded, ``None`` for all of them.
    :param parts: the names of the parts that are decoded, ``None`` for all of them.
    """

    def __init__(self, algorithm: Algorithm, instances: frozenset[str] | None = None,
                 parts: frozenset[str] | None = None) -> None:
        self.algorithm = algorithm
        self._instances = instances
        self._kinds = state_kinds(algorithm)
        self._parts = tuple(each for each in wire_parts() if each.name in parts) if (
            parts is not None) else wire_parts()

    def encode(self, message: Message) -> str:
        """
        Return the payload of a message. :meth:`decode` returns an equal message.

        >>> from leader_election.election.algorithms import BOUNDED
        >>> Codec(BOUNDED).encode(Message(3, 'map', (1.5, 2.0), BOUNDED.state(-7.0, 3.25, 8, 1)))
        '{"v":1,"id":3,"frame":"map","p":[1.5,2.0],"c":[-7.0,3.25,8,1]}'
        """
        return wire.dumps(self.document(message))

    def document(self, message: Message) -> dict[str, Any]:
        """Return the payload of a message as JSON has it."""
        document: dict[str, Any] = {'v': VERSION}
        for at, key, write, empty in _WRITERS:
            value = message[at]
            if value is not None and value != empty:
                document[key] = write(value)
        document |= self._written(message.export, message.parts)
        if message.others:
            document['i'] = {
                name: codec_for(ALGORITHMS.get(other.algorithm))._written(
                    other.export, other.parts)
                for name, other in message.others.items()}
        return document

    def _written(self, export: Any, parts: Parts) -> dict[str, Any]:
        """Return the members of one instance."""
        name = self.algorithm.name
        document: dict[str, Any] = {} if name == DEFAULT_ALGORITHM else {'a': name}
        document['c'] = [kind.write(value) for kind, value in zip(self._kinds, export)]
        for name, part in parts.items():
            document |= wire_part(name).write(part)
        return document

    def decode(self, payload: str) -> Message | RejectReason:
        """Return the message, or the reason for rejecting it; raises for no payload."""
        if len(payload) > MAX_LENGTH:
            return RejectReason.SIZE
        try:
            return self._read(payload)
        except Rejected as rejected:
            return rejected.reason

    @lru_cache(maxsize=1024)  # noqa: B019 - all robots of one process receive the same payloads.
    def _read(self, payload: str) -> Message:
        document = _document(payload)
        name = document.get('a', DEFAULT_ALGORITHM)
        if name != self.algorithm.name:
            raise Rejected(RejectReason.ALGORITHM if type(name) is str else RejectReason.MALFORMED)
        header: dict[str, Any] = {'position': None}
        faults: tuple[RejectReason, ...] = ()
        for field, key, read, fault, required in _READERS:
            if key in document:
                try:
                    header[field] = read(document[key])
                except Rejected:
                    if fault is None:
                        raise
                    faults += (fault,)
            elif required:
                raise Rejected
        parts, wrong = _parts(document, self._parts)
        others, more = self._others(document['i']) if 'i' in document else (NO_OTHERS, ())
        return Message(**header, export=self._export(document), parts=parts, others=others,
                       faults=wrong + more + faults)

    def _others(self, document: Any,
                ) -> tuple[Mapping[str, InstanceMessage], tuple[RejectReason, ...]]:
        """Return the messages of further instances. Invalid ones are left out."""
        if type(document) is not dict or len(document) > MOST_INSTANCES:
            return NO_OTHERS, (RejectReason.MALFORMED,)
        others: dict[str, InstanceMessage] = {}
        faults: tuple[RejectReason, ...] = ()
        expected = tuple(each for each in self._parts if not each.is_of_robot)
        for name, value in document.items():
            if self._instances is not None and name not in self._instances:
                continue
            try:
                if type(value) is not dict:
                    raise Rejected
                algorithm = value.get('a', DEFAULT_ALGORITHM)
                if type(algorithm) is not str or algorithm not in ALGORITHMS.names():
                    raise Rejected(RejectReason.ALGORITHM)
                export = codec_for(ALGORITHMS.get(algorithm))._export(value)
                parts, wrong = _parts(value, expected)
                others[name] = InstanceMessage(algorithm, export, parts)
                faults += wrong
            except Rejected as rejected:
                faults += (rejected.reason,)
        return (MappingProxyType(others) if others else NO_OTHERS), faults

    def _export(self, document: Any) -> Any:
        """Return the state in the document of one instance."""
        listed = document.get('c')
        if type(listed) is not list or len(listed) != len(self._kinds):
            raise Rejected
        return self.algorithm.state(*[kind.read(value)
                                      for kind, value in zip(self._kinds, listed)])


@lru_cache
def codec_for(algorithm: Algorithm, instances: frozenset[str] | None = None,
              parts: frozenset[str] | None = None) -> Codec:
    """
    Return the codec of an algorithm, the same one for all robots of a process.

    :param instances: the further instances that are decoded, ``None`` for all of them.
    :param parts: the names of the parts that are decoded, ``None`` for all of them.
    """
    return Codec(algorithm, instances, parts)


@cache
def wire_part(name: str) -> wire.WirePart:
    """Return the declaration of a part of messages, by its name."""
    found: wire.WirePart = next(each for each in PARTS if each.name == name).load('wire')
    return found


@cache
def wire_parts() -> tuple[wire.WirePart, ...]:
    """Return the declarations of all parts of messages."""
    return tuple(wire_part(each.name) for each in PARTS if each.wire)


def _parts(document: Mapping[str, Any], expected: Iterable[wire.WirePart],
           ) -> tuple[Parts, tuple[RejectReason, ...]]:
    """Return the parts in a document, and the faults in them."""
    found: dict[str, Any] = {}
    faults: tuple[RejectReason, ...] = ()
    for part in expected:
        value, wrong = part.read(document)
        if value is not None:
            found[part.name] = value
        faults += wrong
    return (MappingProxyType(found) if found else NO_PARTS), faults


def sender_at_start(payload: str) -> int | None:
    """
    Return the sender's id where the payload begins with it, as :meth:`Codec.encode` writes it.

    The rest is not read, so the decoded id may differ; for uses that must cost almost nothing.

    >>> sender_at_start('{"v":1,"id":3,"frame":"map"}'), sender_at_start('{"id":3,"v":1}')
    (3, None)
    """
    found = _START.match(payload)
    return int(found[1]) if found else None


def whereabouts(payload: str) -> tuple[int, str, Position] | None:
    """
    Return the sender's id, frame and position [m], for any algorithm of the election.

    ``None`` if the payload does not hold it in this version of the wire format.

    >>> whereabouts('{"v":1,"id":3,"frame":"map","p":[1.5,2]}')
    (3, 'map', (1.5, 2.0))
    >>> whereabouts('{"v":1,"id":3,"frame":"map"}'), whereabouts('{"v":1,"id":3,"p":[1,2]}')
    (None, None)
    """
    if len(payload) > MAX_LENGTH:
        return None
    try:
        document = _document(payload)
        robot, frame, place = (_HEADER[name].kind.read(document[_HEADER[name].key])
                               for name in ('id', 'frame', 'position'))
    except (Rejected, KeyError):
        return None
    return robot, frame, place


def algorithm_of(payload: str) -> str:
    """
    Return the name of the algorithm of a message; without one, or without a message, the default.

    >>> algorithm_of('{"v":1,"id":3,"a":"colour"}'), algorithm_of('nonsense')
    ('colour', 'bounded')
    """
    if len(payload) > MAX_LENGTH:
        return DEFAULT_ALGORITHM
    try:
        return str(json.loads(payload)['a'])
    except (ValueError, TypeError, LookupError, RecursionError):
        return DEFAULT_ALGORITHM


@lru_cache
def state_kinds(algorithm: Algorithm) -> tuple[wire.Kind, ...]:
    """Return the kind of values of each field of a state, in their order."""
    return tuple(map(_kind, algorithm.fields))


def _kind(field: Field) -> wire.Kind:
    """Return the kind of values of a field of a state."""
    none = math.inf if field.infinite else None
    if field.type is int:
        one = wire.whole(-wire.MAX_ID if field.least is None else field.least)
    elif field.is_distance:
        one = wire.number(0.0, null=none, otherwise=RejectReason.NEGATIVE_DISTANCE)
    else:
        one = wire.number(null=none)
    padding = field.padding
    if padding is None:
        return one
    vector = wire.row(one, len(padding))

    def write(values: Any) -> list[Any]:
        return [one.write(value) for value in field.trimmed(values)]

    def read(value: Any) -> tuple[Any, ...]:
        values: tuple[Any, ...] = vector.read(value)
        return values + padding[len(values):]

    return wire.Kind(read, vector.schema, write)


def _non_finite(constant: str) -> float:
    raise Rejected(RejectReason.NON_FINITE)


_load = json.JSONDecoder(parse_constant=_non_finite)
_WHOLE = wire.whole()


def _document(payload: str) -> Any:
    """Return the document, of this version."""
    try:
        # decode() searches for spaces around the document, which takes a third of its time.
        document, end = _load.raw_decode(payload) if payload[:1] == '{' else (None, 0)
        if end != len(payload):
            document = _load.decode(payload)
    except (ValueError, RecursionError):
        raise Rejected from None
    if type(document) is not dict:
        raise Rejected
    if _WHOLE.read(document.get('v')) != VERSION:
        raise Rejected(RejectReason.VERSION)
    return document


def is_place(position: Position) -> bool:
    """Return whether coordinates are a possible position: finite, and not too far away."""
    return all(abs(coordinate) <= MAX_COORDINATE for coordinate in position)


_HEADER = wire.members(Message)
_FURTHER = _HEADER.keys() - {'id', 'frame', 'position', 'reading', 'names'}
_READERS = tuple((name, member.key, member.kind.read, member.fault, member.required)
                 for name, member in _HEADER.items())
_WRITERS = tuple(
    (Message._fields.index(name), member.key, member.kind.write, Message._field_defaults.get(name))
    for name, member in _HEADER.items())


def _in_part(name: str, shortening: wire.Shortening) -> Callable[[Message], Message]:
    """Return a function that shortens a part in all instances of a message."""
    def shorter(parts: Parts) -> Parts:
        if name not in parts:
            return parts
        less = shortening.change(parts[name])
        others = {other: part for other, part in parts.items() if other != name}
        return (others if less is None else others | {name: less}) or NO_PARTS

    def change(message: Message) -> Message:
        return message._replace(parts=shorter(message.parts), others={
            other: each._replace(parts=shorter(each.parts))
            for other, each in message.others.items()})
    return change


_OWN = (
    wire.Shortening(2, 'names_left_out', lambda message: message._replace(names=wire.NO_NAMES)),
    wire.Shortening(6, 'instances_left_out', lambda message: message._replace(others=NO_OTHERS)))
"""The namespaces of robots, and all instances but the first."""


@cache
def shortenings(parts: frozenset[str]) -> tuple[wire.Shortening, ...]:
    """
    Return what may be left out of a message, in its order. Elections come last.

    :param parts: the names of the parts that the robot sends.
    """
    found = [each._replace(change=_in_part(name, each))
             for name in parts for each in wire_part(name).shortenings
             for _ in range(each.repeats)]
    return tuple(sorted((*_OWN, *found), key=lambda step: step.rank))


def counters(parts: Iterable[str]) -> tuple[str, ...]:
    """Return the counters of what is left out."""
    return tuple(dict.fromkeys(step.counter for step in shortenings(frozenset(parts))))


def shortened(message: Message, encode: Callable[[Message], str], room: int,
              counts: Counter[str]) -> tuple[str, Message]:
    """
    Return the payload of a message with as many of its parts as fit, and that message.

    :param room: the greatest length [characters].
    :param counts: the counters of what is left out.
    """
    payload = encode(message)
    if len(payload) > room:
        names = frozenset(message.parts).union(*(each.parts for each in message.others.values()))
        for step in shortenings(names):
            less = step.change(message)
            if less != message:
                counts[step.counter] += 1
                payload, message = encode(less), less
            if len(payload) <= room:
                break
    return payload, message
