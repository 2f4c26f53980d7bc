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
The wire: one compact JSON document a message, defined by ``neighbourhood.schema.json``.

``{"v":1,"id":3,"frame":"map","p":[1.5,2.0],"c":[-7.0,3.25,8]}``: version, sender, frame,
the sender's position in it (left out by a robot that does not know it), and the fields of
the algorithm's export in their order. An algorithm other than ``bounded`` is named by ``"a"``.

The numbers of hops are not among these fields but in a key of their own, ``"h":[2]``,
because robots of earlier versions ignore unknown keys. A message without ``h`` comes from such a
robot: its hops count as the fewest possible, 0 where the distance is 0, else 1.

Where a field may be infinite, ``null`` stands for that. A vector is an array without the padding
at its end: ``[5,-1,-1]`` is sent as ``[5]`` if ``-1`` is the padding.

The namespaces of robots that are not the usual ones are in the key ``n``
(:mod:`leader_election.election.robot.naming`).

The sender's localisation, its heading, deviations and sightings, is in the members of
:mod:`leader_election.election.robot.localisation_codec`.

The signature ``"s"`` of a robot with a key (:mod:`leader_election.election.robot.swarm_key`) is
not part of the document that is encoded here, and is not read here.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
import json
import math
import re
from types import MappingProxyType
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.algorithms.fields import Field
from leader_election.election.robot import localisation_codec, naming, region_codec
from leader_election.election.robot.region_codec import RegionPart
from leader_election.election.robot.wire import dumps, is_whole, MAX_ID, RejectReason
from leader_election.localisation.localisation import Estimate

VERSION = 1
MAX_LENGTH = 4096
"""The longest payload that is decoded [characters]."""
MAX_COORDINATE = 1e9
"""The farthest from the frame's origin that a robot can be [m]; beyond, sums lose precision."""
DEFAULT_ALGORITHM = 'bounded'
MAIN = 'main'
"""The name of the first instance."""
MOST_READINGS = 64
"""The most numbers in a reading for the metric."""
MOST_INSTANCES = 16
"""The most further instances in a message."""

_START = re.compile(rf'{{"v":{VERSION},"id":([0-9]{{1,16}})[,}}]')

Position = tuple[float, float]


class InstancePart(NamedTuple):
    """The part of a message about an instance other than the sender's first."""

    algorithm: str
    export: Any
    region: RegionPart | None


NO_PARTS: Mapping[str, InstancePart] = MappingProxyType({})


class Message(NamedTuple):
    """The message that a robot broadcasts to its neighbours."""

    id: int  # noqa: A003
    frame: str
    position: Position | None
    """In the frame [m]; ``None`` if the robot does not know it."""
    export: Any
    """The state of the algorithm, its named tuple."""
    region: RegionPart | None = None
    """The part about its region, if it forms one."""
    others: Mapping[str, InstancePart] = NO_PARTS
    """Export and region of further instances, by their names."""
    reading: tuple[float, ...] = ()
    """The sender's own reading for the metric, where its metric has one."""
    localisation: Estimate | None = None
    """The sender's estimate of its own pose, and its sightings, where it sends them."""
    names: Mapping[int, str] = naming.NO_NAMES
    """The namespaces of the sender and its leaders by their ids, where they are not usual."""
    faults: tuple[RejectReason, ...] = ()
    """Why parts of the message were ignored."""

    def part(self, instance: str) -> tuple[str | None, Any, RegionPart | None]:
        """Return algorithm (``None``: the receiver's own), export and region of an instance."""
        if instance == MAIN:
            return None, self.export, self.region
        return self.others.get(instance, (None, None, None))


class Codec:
    """
    Encodes and decodes the messages of one algorithm.

    :param instances: the further instances that are decoded; ``None``: all of them.
    """

    def __init__(self, algorithm: Algorithm, instances: frozenset[str] | None = None) -> None:
        self.algorithm = algorithm
        self._instances = instances

    def encode(self, message: Message) -> str:
        """
        Return the payload of a message; :meth:`decode` returns an equal message.

        >>> from leader_election.election.algorithms import BOUNDED
        >>> Codec(BOUNDED).encode(Message(3, 'map', (1.5, 2.0), BOUNDED.state(-7.0, 3.25, 8, 1)))
        '{"v":1,"id":3,"frame":"map","p":[1.5,2.0],"c":[-7.0,3.25,8],"h":[1]}'
        """
        document: dict[str, Any] = {'v': VERSION, 'id': message.id, 'frame': message.frame}
        if self.algorithm.name != DEFAULT_ALGORITHM:
            document['a'] = self.algorithm.name
        if message.position is not None:
            document['p'] = message.position
        document.update(localisation_codec.write(message.localisation))
        document.update(_part(self.algorithm, message.export, message.region))
        if message.names:
            document['n'] = dict(message.names)
        if message.reading:
            document['m'] = message.reading
        if message.others:
            document['i'] = {
                name: ({} if part.algorithm == DEFAULT_ALGORITHM else {'a': part.algorithm})
                | _part(ALGORITHMS.get(part.algorithm), part.export, part.region)
                for name, part in message.others.items()}
        return dumps(document)

    def decode(self, payload: str) -> Message | RejectReason:
        """Return the message, or the reason for rejecting it; raises for no payload."""
        if len(payload) > MAX_LENGTH:
            return RejectReason.SIZE
        return _decode(self, payload)

    def _read(self, payload: str) -> Message:
        document = _signed(payload)
        frame = document.get('frame')
        _require(type(frame) is str and frame != '', RejectReason.MALFORMED)
        name = document.get('a', DEFAULT_ALGORITHM)
        _require(type(name) is str, RejectReason.MALFORMED)
        _require(name == self.algorithm.name, RejectReason.ALGORITHM)
        position = _position(document)
        region, faults = region_codec.read(document)
        others, more = _others(document.get('i', {}), self._instances)
        reading = _reading(document.get('m', []))
        if reading is None:
            more += (RejectReason.READING,)
        localisation, wrong = localisation_codec.read(document)
        names, misnamed = naming.read(document)
        return Message(
            id=int(document['id']), frame=frame, position=position,
            export=_export(self.algorithm, document), region=region, others=others,
            reading=reading or (), localisation=localisation, names=names,
            faults=faults + more + wrong + misnamed)


@lru_cache
def codec_for(algorithm: Algorithm, instances: frozenset[str] | None = None) -> Codec:
    """
    Return the codec of an algorithm, the same one for all robots of a process.

    :param instances: the further instances that are decoded; ``None``: all of them.
    """
    return Codec(algorithm, instances)


def sender_at_start(payload: str) -> int | None:
    """
    Return the sender's id where the payload begins with it, as :meth:`Codec.encode` writes it.

    The rest is not read, so the decoded id may differ; for uses that must cost almost nothing.

    >>> sender_at_start('{"v":1,"id":3,"frame":"map"}'), sender_at_start('{"id":3,"v":1}')
    (3, None)
    """
    found = _START.match(payload)
    return int(found[1]) if found else None


def sender(payload: str) -> int | None:
    """
    Return the sender's id, for a carrier that does not read the rest of the message.

    ``None`` where the payload does not hold it in this version of the wire format.

    >>> sender('{"v":1,"id":3}'), sender('{"v":2,"id":3}'), sender('nonsense')
    (3, None, None)
    """
    if len(payload) > MAX_LENGTH:
        return None
    try:
        return int(_signed(payload)['id'])
    except _Rejected:
        return None


def whereabouts(payload: str) -> tuple[int, str, Position] | None:
    """
    Return the sender's id, frame and position [m], for any algorithm of the election.

    ``None`` where the payload does not hold it in this version of the wire format.

    >>> whereabouts('{"v":1,"id":3,"frame":"map","p":[1.5,2]}')
    (3, 'map', (1.5, 2.0))
    >>> whereabouts('{"v":1,"id":3,"frame":"map"}'), whereabouts('{"v":1,"id":3,"p":[1,2]}')
    (None, None)
    """
    if len(payload) > MAX_LENGTH:
        return None
    try:
        document = _signed(payload)
        frame, position = document.get('frame'), _position(document)
    except _Rejected:
        return None
    if type(frame) is not str or position is None:
        return None
    return int(document['id']), frame, position


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


class _Rejected(Exception):
    """Carries the reason for a rejection out of nested calls."""


@lru_cache(maxsize=1024)
def _decode(codec: Codec, payload: str) -> Message | RejectReason:
    """Decode; cached, since all robots of one process receive the same payloads."""
    try:
        return codec._read(payload)
    except _Rejected as rejected:
        reason: RejectReason = rejected.args[0]
        return reason


def _position(document: Any) -> Position | None:
    """Return the sender's position, ``None`` where it does not know it."""
    if 'p' not in document:
        return None
    listed = document['p']
    _require(type(listed) is list and len(listed) == 2, RejectReason.MALFORMED)
    position = (_number(listed[0]), _number(listed[1]))
    _require(is_place(position), RejectReason.MALFORMED)
    return position


def _reading(values: Any) -> tuple[float, ...] | None:
    """Return the sender's reading for the metric, ``None`` for an invalid one."""
    if type(values) is not list or len(values) > MOST_READINGS:
        return None
    if not all(type(value) in (int, float) and abs(value) <= MAX_ID for value in values):
        return None
    return tuple(map(float, values))


def _part(algorithm: Algorithm, export: Any, region: RegionPart | None) -> dict[str, Any]:
    """Return the document of one instance, without its algorithm."""
    document: dict[str, Any] = {'c': [
        _written(field, value) for field, value in zip(algorithm.fields, export)
        if not field.hops]}
    hops = [_written(field, value) for field, value in zip(algorithm.fields, export) if field.hops]
    if hops:
        document['h'] = hops
    return document if region is None else document | region_codec.write(region)


def _others(document: Any, wanted: frozenset[str] | None,
            ) -> tuple[Mapping[str, InstancePart], tuple[RejectReason, ...]]:
    """
    Return the parts of further instances; invalid parts are left out.

    :param wanted: the names of those that are read; ``None``: all.
    """
    if type(document) is not dict or len(document) > MOST_INSTANCES:
        return NO_PARTS, (RejectReason.MALFORMED,)
    parts: dict[str, InstancePart] = {}
    faults: tuple[RejectReason, ...] = ()
    for name, value in document.items():
        if wanted is not None and name not in wanted:
            continue
        try:
            parts[name], wrong = _other(value)
            faults += wrong
        except _Rejected as rejected:
            faults += rejected.args
    return (MappingProxyType(parts) if parts else NO_PARTS), faults


def _other(value: Any) -> tuple[InstancePart, tuple[RejectReason, ...]]:
    """Return the part of one further instance, and the faults in it."""
    _require(type(value) is dict, RejectReason.MALFORMED)
    name = value.get('a', DEFAULT_ALGORITHM)
    _require(type(name) is str and name in ALGORITHMS.names(), RejectReason.ALGORITHM)
    export = _export(ALGORITHMS.get(name), value)
    region, faults = region_codec.read(value)
    return InstancePart(name, export, region), faults


def _export(algorithm: Algorithm, document: Any) -> Any:
    """Return the state in the document of one instance."""
    values: dict[str, Any] = {}
    for key, hops in (('c', False), ('h', True)):
        known = [field for field in algorithm.fields if field.hops == hops]
        listed = document.get(key)
        if hops and (listed is None or not known):
            values.update((field.name, _fewest_hops(field, values)) for field in known)
            continue
        _require(type(listed) is list and len(listed) == len(known), RejectReason.MALFORMED)
        values.update(
            (field.name, _one(field, value) if field.padding is None
             else _vector(field, field.padding, value)) for field, value in zip(known, listed))
    return algorithm.state(**values)


def _fewest_hops(field: Field, values: Mapping[str, Any]) -> Any:
    """Return the least number of hops for a distance; see the description of this module."""
    distance = values[field.distance_name]
    if field.padding is None:
        return int(distance != 0.0)
    return tuple(int(0.0 < each < math.inf) for each in distance)


def _written(field: Field, value: Any) -> Any:
    """Return the value of a field as JSON has it."""
    if field.padding is None:
        return None if field.infinite and value == math.inf else value
    length = len(value)
    while length > 0 and value[length - 1] == field.padding[length - 1]:
        length -= 1
    return [None if field.infinite and number == math.inf else number
            for number in value[:length]]


def _vector(field: Field, padding: tuple[Any, ...], values: Any) -> tuple[Any, ...]:
    """Return a vector in its full length."""
    _require(type(values) is list and len(values) <= len(padding), RejectReason.MALFORMED)
    return tuple(_one(field, value) for value in values) + padding[len(values):]


def _one(field: Field, value: Any) -> Any:
    """Return the number of a field, or one of its numbers."""
    if field.type is int:
        return _integer(value, -MAX_ID if field.least is None else field.least)
    number = math.inf if value is None and field.infinite else _number(value)
    _require(number >= 0.0 or not field.is_distance, RejectReason.NEGATIVE_DISTANCE)
    return number


def _require(condition: bool, otherwise: RejectReason) -> None:
    if not condition:
        raise _Rejected(otherwise)


def _non_finite(constant: str) -> float:
    raise _Rejected(RejectReason.NON_FINITE)


_load: Callable[[str], Any] = json.JSONDecoder(parse_constant=_non_finite).decode


def _parse(payload: str) -> Any:
    try:
        return _load(payload)
    except (ValueError, RecursionError):
        raise _Rejected(RejectReason.MALFORMED) from None


def _signed(payload: str) -> Any:
    """Return the document, of this version and with a sender."""
    document = _parse(payload)
    _require(type(document) is dict and is_whole(document.get('v')), RejectReason.MALFORMED)
    _require(document['v'] == VERSION, RejectReason.VERSION)
    _require(is_whole(document.get('id')), RejectReason.MALFORMED)
    return document


def _number(value: Any) -> float:
    """Return a finite float; an integer beyond float64 counts as not finite."""
    _require(type(value) in (int, float), RejectReason.MALFORMED)
    try:
        number = float(value)
    except OverflowError:
        raise _Rejected(RejectReason.NON_FINITE) from None
    _require(math.isfinite(number), RejectReason.NON_FINITE)
    return number


def is_place(position: Position) -> bool:
    """Return whether coordinates are a possible position: finite, and not too far away."""
    return all(abs(coordinate) <= MAX_COORDINATE for coordinate in position)


def _integer(value: Any, least: int) -> int:
    _require(is_whole(value, least), RejectReason.MALFORMED)
    return int(value)
