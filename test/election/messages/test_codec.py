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

"""The wire: what goes in comes out, what is wrong is told by its reason, nothing raises."""

from importlib.resources import files
import json
import math
from types import MappingProxyType
from typing import Any

from budget import examples
from election.algorithms.states import states
from election.messages.payloads import messages_with, NAMES, PARTS, PARTS_OF_INSTANCES
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from leader_election.election.algorithms import (
    ALGORITHMS,
    BOUNDED,
    CLASSIC,
    Device,
    RECURSIVE,
    REPLICATED,
)
from leader_election.election.algorithms.fields import Field
from leader_election.election.messages.codec import (
    algorithm_of,
    Codec,
    InstanceMessage,
    is_place,
    MAX_COORDINATE,
    MAX_LENGTH,
    Message,
    MOST_INSTANCES,
    VERSION,
    whereabouts,
)
from leader_election.election.messages.region_codec import region_part, WHOLE_SHARE
from leader_election.election.messages.wire import MAX_ID, RejectReason
from made.schema import schema
import pytest

CODEC = Codec(BOUNDED)
DOCUMENT = json.loads(
    (files('leader_election.election.messages') / 'neighbourhood.schema.json').read_text())
SCHEMA = Draft202012Validator(DOCUMENT)
ALL = pytest.mark.parametrize('algorithm', [ALGORITHMS.get(name) for name in ALGORITHMS.names()],
                              ids=ALGORITHMS.names())
GOOD = {'v': 1, 'id': 3, 'frame': 'map', 'p': [1.5, 2.0], 'c': [-7.0, 3.25, 8, 2]}

IDS = st.integers(0, MAX_ID)
COORDINATES = st.floats(-MAX_COORDINATE, MAX_COORDINATE)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
MESSAGES = messages_with(
    id=IDS, frame=st.text(min_size=1, max_size=50).filter(lambda name: name[0] != '/'),
    position=st.none() | st.tuples(COORDINATES, COORDINATES),
    export=st.builds(BOUNDED.state, FINITE, FINITE.map(abs), IDS, IDS),
    parts=PARTS, names=NAMES)


def payload(**changes: Any) -> str:
    """Return a good message with these members changed, or left out where ``...``."""
    document = {key: value for key, value in {**GOOD, **changes}.items() if value is not ...}
    return json.dumps(document)


def heard(algorithm, *fields: Any) -> Any:
    """Decode a state. Hops are at its end, none by default."""
    hops = [0 if field.padding is None else [] for field in algorithm.fields if field.hops]
    given = len(algorithm.fields) - len(fields)
    return Codec(algorithm).decode(payload(
        a=algorithm.name, c=[*fields, *hops[len(hops) - given:]] if given > 0 else fields))


@given(MESSAGES)
def test_message_is_decoded_as_it_was_encoded(message):
    # Numbers of regions are rounded.
    parts = {name: part for name, part in message.parts.items() if name != 'regions'}
    message = message._replace(parts=MappingProxyType(parts))
    wire = CODEC.encode(message)
    # By their texts, which tell -0.0 from 0.0 and 3 from 3.0.
    assert repr(CODEC.decode(wire)) == repr(message)
    SCHEMA.validate(json.loads(wire))


@pytest.mark.parametrize('state', [
    *(BOUNDED.state(number, 0.0, 1) for number in (math.nan, math.inf, -math.inf)),
    *(CLASSIC.state(number, 1, 0.0, 0.0, 1) for number in (math.nan, -math.inf))])
def test_non_finite_number_is_not_encoded(state):
    with pytest.raises(ValueError):
        Codec(CLASSIC if len(state) > 4 else BOUNDED).encode(Message(1, 'map', (0.0, 0.0), state))


def test_unknown_key_is_ignored():
    assert CODEC.decode(payload(x=[{'deep': None}], s='text')) == CODEC.decode(payload())
    assert CODEC.decode(payload(a='bounded')) == CODEC.decode(payload())


WRONG_MEMBERS = {
    'v': (..., '1', True), 'id': (..., -1, 1.5, True, MAX_ID + 1, 10**400), 'frame': (..., '', 7),
    'a': (None,), 'p': (None, [1.0], [1.0, 2.0, 3.0], ['1', 2.0], [1e300, 2.0]),
    'c': (..., {}, [-7.0, 3.25], [-7.0, 3.25, 8], [-7.0, 3.25, -8, 1], [-7.0, True, 8, 1],
          [None, 3.25, 8, 1], [-7.0, None, 8, 1], [-7.0, 3.25, 8, 1, 1], [-7.0, 3.25, 8, -1],
          [-7.0, 3.25, 8, 0.5], [-7.0, 3.25, 8, None], [-7.0, 3.25, 8, 2.0**60])}
WRONG = {
    RejectReason.SIZE: [' ' * (MAX_LENGTH + 1), payload(frame='x' * 1_000_000), '[' * 1_000_000],
    RejectReason.MALFORMED: [
        '', '\x00', '\ud800', payload()[:-1], payload() + 'x', '[' * MAX_LENGTH,
        '[' * (MAX_LENGTH // 2) + ']' * (MAX_LENGTH // 2), '{"x":' * 800, 'null', '"text"', '{}',
        *(payload(**{key: value}) for key, values in WRONG_MEMBERS.items() for value in values)],
    RejectReason.NON_FINITE: [
        payload(c=[math.nan, 3.25, 8, 2]), payload(c=[-7.0, math.inf, 8, 2]),
        payload(p=[-math.inf, 2.0]), payload(x=math.nan),
        payload().replace('-7.0', '-1e400'), payload(c=[10**400, 3.25, 8, 2])],
    RejectReason.NEGATIVE_DISTANCE: [payload(c=[-7.0, far, 8, 2]) for far in (-0.01, -5e-324)],
    RejectReason.VERSION: [payload(v=VERSION + 1), '{"v":2}'],
    RejectReason.ALGORITHM: [payload(a='other', c=[])]}


@pytest.mark.parametrize('reason, wire', [
    (reason, wire) for reason, wires in WRONG.items() for wire in wires])
def test_wrong_message_is_rejected_with_its_reason(reason, wire):
    assert CODEC.decode(wire) is reason


def test_message_of_the_maximum_length_is_decoded():
    padding = ' ' * (MAX_LENGTH - len(payload()))
    for longest in (payload() + padding, padding + payload()):
        assert isinstance(CODEC.decode(longest), Message)
    assert CODEC.decode(payload() + padding + ' ') is RejectReason.SIZE


def test_header_of_a_message_of_the_maximum_length_is_read():
    document = payload(a='colour', x='')
    longest = document.replace('"x": ""', f'"x": "{"y" * (MAX_LENGTH - len(document))}"')
    assert len(longest) == MAX_LENGTH
    assert whereabouts(longest) == (3, 'map', (1.5, 2.0))
    assert algorithm_of(longest) == 'colour'
    for longer in (longest + ' ', longest + '\n'):
        assert whereabouts(longer) is None
        assert algorithm_of(longer) == 'bounded'


@pytest.mark.parametrize(('position', 'possible'), [
    ((MAX_COORDINATE, -MAX_COORDINATE), True), ((0.0, 1.001 * MAX_COORDINATE), False),
    ((-1.001 * MAX_COORDINATE, 0.0), False), ((math.nan, 0.0), False), ((0.0, math.inf), False)])
def test_position_is_possible_up_to_the_largest_coordinate(position, possible):
    assert is_place(position) == possible


# Values of which each is right in some place and wrong in others.
ODD = st.sampled_from([
    None, True, False, 0, 1, 1.0, 2, 3.5, -1, -0.0, MAX_ID, MAX_ID + 1, 2.0**53, 1e9, -1e9, 1.1e9,
    1e300, '', 'bounded', 'map', [], {}, [1, 2], [1.0, -2.0], [1, 2, 3], [-1.0, 2.5, 3],
    [-1, -1, 3], [1, 2, 3.0], [1, 2, 3.5], [1, 2, 3, 4], [1, '2', 3], [None, 2], [True, 1]])


@pytest.mark.parametrize('wire', [
    payload(v=VERSION + 1), payload(v=...), payload(id=...), payload(id=True), payload(id='3'),
    payload(id=-1), payload(x=math.nan), '[3]', '[' * MAX_LENGTH, payload(x='x' * MAX_LENGTH),
    payload(p=[1.0]), payload(p=[1.0, 'x']), payload(p=[1e10, 0.0]), payload(frame=5)])
def test_unreadable_message_is_rejected(wire):
    assert whereabouts(wire) is None and isinstance(CODEC.decode(wire), RejectReason)


@given(MESSAGES)
def test_sender_and_position_are_read_without_decoding_the_message(message):
    told = None if message.position is None else (message.id, message.frame, message.position)
    assert whereabouts(CODEC.encode(message)) == told


# What other algorithms than bounded add: vectors, infinities, numbers below zero.

def wire_of(algorithm, export: Any) -> str:
    """Return the longest message with this export that a swarm of frame ``map`` sees."""
    return Codec(algorithm).encode(
        Message(MAX_ID, 'map', (-123456789.12345678, -987654321.1234567), export))


@ALL
@given(st.data())
def test_state_of_any_algorithm_is_decoded_as_it_was_encoded(algorithm, data):
    export = data.draw(states(algorithm, IDS, st.integers(-MAX_ID, MAX_ID), FINITE))
    message = Message(3, 'map', None, export)
    wire = Codec(algorithm).encode(message)
    if len(wire) <= MAX_LENGTH:
        assert repr(Codec(algorithm).decode(wire)) == repr(message)
    SCHEMA.validate(json.loads(wire))


def longest(field: Field) -> Any:
    """Return a value of a field than which none is longer on the wire."""
    if field.type is int:
        number: Any = -MAX_ID if field.least is None else MAX_ID
    else:
        number = 1.2345678901234567e-300 * (1 if field.is_distance else -1)
    return number if field.padding is None else (number,) * len(field.padding)


@ALL
def test_longest_message_of_an_algorithm_is_decoded(algorithm):
    """Vectors are full, and numbers have as many digits as possible."""
    export = algorithm.state(*(longest(field) for field in algorithm.fields))
    wire = wire_of(algorithm, export)
    assert len(wire) <= MAX_LENGTH
    message = Codec(algorithm).decode(wire)
    assert isinstance(message, Message) and message.export == export


def test_written_schema_equals_the_declarations():
    """``make config`` writes it."""
    assert DOCUMENT == json.loads(json.dumps(schema()))


def test_infinity_is_encoded_as_null_and_the_end_of_a_vector_is_left_out():
    assert json.loads(wire_of(CLASSIC, CLASSIC.state(math.inf, -1, 2.0, math.inf, 8)))['c'] == [
        None, -1, 2.0, None, 8, 0, 0]
    device = Device(8, 2.0)
    started = RECURSIVE.start(device)
    assert json.loads(wire_of(RECURSIVE, started))['c'] == [-1, 2.0, [], [], [], 0.0, 8, []]
    # At level 0 no gossip, at level 1 there is some: only what is behind it can be left out.
    deeper = started._replace(
        depth=1, best_value=(math.inf, -9.0, *started.best_value[2:]),
        best=(-1, 7, *started.best[2:]), best_distance=(3.0, *started.best_distance[1:]))
    assert json.loads(wire_of(RECURSIVE, deeper))['c'] == [
        1, 2.0, [None, -9.0], [-1, 7], [3.0], 0.0, 8, []]


@pytest.mark.parametrize('reason, algorithm, states', [
    (RejectReason.MALFORMED, RECURSIVE, [
        *((1, 2.0, vector, [], [], 0.0, 8) for vector in ([None] * 17, None, ['9'])),
        *((1, 2.0, [], ids, [], 0.0, 8) for ids in ([-1] * 17, [1.5], [None], [-4])),
        ([1], 2.0, [], [], [], 0.0, 8), (1, None, [], [], [], 0.0, 8),
        (1, 2.0, [], [], [], None, 8), (1, 2.0, [], [], [], 0.0, -1)]),
    (RejectReason.MALFORMED, CLASSIC, [(None, None, 0.0, 0.0, 8), (-9.0, -2, 0.0, 4.0, 8)]),
    (RejectReason.MALFORMED, REPLICATED, [
        (0, 0, 0, [-9.0], [-4], [4.0], 4.0, 8), (-1, 0, 0, [-9.0], [4], [4.0], 4.0, 8)]),
    (RejectReason.NON_FINITE, RECURSIVE, [
        (1, 2.0, [value], [], [], 0.0, 8) for value in (math.inf, 10**400)]),
    (RejectReason.NON_FINITE, CLASSIC, [
        (value, -1, 0.0, 0.0, 8) for value in (math.inf, -math.inf, math.nan)]),
    (RejectReason.NEGATIVE_DISTANCE, RECURSIVE, [(1, 2.0, [], [], [-1.0], 0.0, 8)]),
    (RejectReason.NEGATIVE_DISTANCE, CLASSIC, [(None, -1, -1.0, 0.0, 8)])])
def test_wrong_state_is_rejected_with_its_reason(reason, algorithm, states):
    for fields in states:
        assert heard(algorithm, *fields) is reason, fields


VECTORS = [[], [1.0, None], [-1, 2.0], [1.5], [[1]], ['1'], [0.0] * 16, [3] * 17, [3] * 65]


@ALL
@given(st.data())
def test_codec_accepts_the_states_that_the_schema_accepts(algorithm, data):
    """Replace fields of a valid export by values that may be valid in other fields."""
    document = json.loads(wire_of(algorithm, algorithm.start(Device(3, 2.0))))
    fields = document['c']
    for at in data.draw(st.sets(st.integers(0, len(fields) - 1), max_size=2)):
        fields[at] = data.draw(ODD | st.sampled_from(VECTORS))
    fields = data.draw(st.sampled_from([fields, fields[:-1], [*fields, 1]])
                       if data.draw(st.integers(0, 9)) == 0 else st.just(fields))
    document['c'] = fields
    found = Codec(algorithm).decode(json.dumps(document))
    assert isinstance(found, Message) == SCHEMA.is_valid(document), (found, fields)


# Regions, and further instances.

INSTANCES = st.builds(
    InstanceMessage, algorithm=st.just('bounded'),
    export=st.builds(BOUNDED.state, FINITE, FINITE.map(abs), IDS, IDS), parts=PARTS_OF_INSTANCES)


@given(MESSAGES, st.dictionaries(st.text(max_size=8), INSTANCES, max_size=3))
def test_parts_and_instances_are_decoded_as_they_were_encoded(message, others):
    """The first encoding rounds numbers, so a second one must change nothing."""
    first = CODEC.decode(CODEC.encode(message._replace(others=others)))
    assert isinstance(first, Message) and first.faults == ()
    assert first.parts.keys() == message.parts.keys() and list(first.others) == list(others)
    wire = CODEC.encode(first)
    assert CODEC.decode(wire) == first
    SCHEMA.validate(json.loads(wire))


def test_codec_reads_only_the_requested_parts():
    wire = payload(e=[0.0, 0.1, 0.1], t='count', r={'p': 5}, i={'a': {**CANDIDACY, 'r': {}}})
    found = Codec(BOUNDED, parts=frozenset({'mandates', 'localisation'})).decode(wire)
    assert isinstance(found, Message) and list(found.parts) == ['localisation']
    assert found.others['a'].parts == {}


def test_codec_reads_only_the_requested_instances():
    found = Codec(BOUNDED, frozenset({'b'})).decode(payload(i={'a': CANDIDACY, 'b': CANDIDACY}))
    assert isinstance(found, Message) and list(found.others) == ['b']


def with_instances(**parts: Any) -> Any:
    return CODEC.decode(payload(i=parts))


def test_message_with_instances_is_decoded():
    found = with_instances(rescue={'a': 'classic', 'c': [None, -1, 0.0, 2.0, 8, 0, 1]},
                           charging={**CANDIDACY, 't': 'count', 'r': {'p': 5, 's': [3]},
                                     'd': [9]})
    assert isinstance(found, Message) and found.faults == ()
    assert found.of_instance('main') == (None, BOUNDED.state(-7.0, 3.25, 8, 2), {})
    assert found.of_instance('rescue') == (
        'classic', CLASSIC.state(math.inf, -1, 0.0, 2.0, 8, 0, 1), {})
    assert found.of_instance('charging') == (
        'bounded', BOUNDED.state(-1.0, 2.0, 3, 1),
        {'regions': region_part('count', parent=5, summary=(3.0,), decision='[9]')})
    assert found.of_instance('none') == (None, None, {})
    most = with_instances(**{f'i{k}': CANDIDACY for k in range(MOST_INSTANCES)})
    assert len(most.others) == MOST_INSTANCES


CANDIDACY = {'c': [-1, 2, 3, 1]}


@pytest.mark.parametrize('instances', [
    None, [], {'rescue': None}, {'rescue': {}}, {'rescue': {'c': [1, 2, '3', 1]}},
    {f'i{k}': CANDIDACY for k in range(MOST_INSTANCES + 1)}])
def test_instances_are_left_out_and_counted_when_unreadable(instances):
    found = CODEC.decode(payload(i=instances))
    assert isinstance(found, Message) and found.faults == (RejectReason.MALFORMED,)
    assert found.others == {} and found.export == BOUNDED.state(-7.0, 3.25, 8, 2)


@pytest.mark.parametrize('algorithm', ['none', None, 5, ['bounded']])
def test_instance_is_left_out_when_its_algorithm_is_unknown(algorithm):
    found = with_instances(rescue={'a': algorithm, 'c': []}, charging=CANDIDACY)
    assert isinstance(found, Message)
    assert list(found.others) == ['charging'] and found.faults == (RejectReason.ALGORITHM,)


def test_faults_of_all_parts_and_instances_are_told():
    found = CODEC.decode(payload(e=None, r=None, g='', i={'a': {}, 'b': CANDIDACY, 'c': {}}))
    assert isinstance(found, Message) and list(found.others) == ['b']
    assert sorted(found.faults) == sorted([
        RejectReason.LOCALISATION, RejectReason.SUMMARY, RejectReason.MANDATE,
        RejectReason.MALFORMED, RejectReason.MALFORMED])


# Rows, each right in some place of a region and wrong in others.
ROWS = st.sampled_from([
    [], [0], [7], [7.0], [-1], [1.5], [None], ['7'], [True], [1000], [400, 600], [400.0, 600],
    [1001], [3, 9], [1e9, None], [1e16], [10**400], [0] * 1024, [0] * 1025])
REGIONS = st.dictionaries(
    st.sampled_from('psrnfamgcvwx'), ODD | ROWS | st.lists(ROWS, max_size=2), max_size=6) | ODD


def expressible(region: Any) -> bool:
    """Say whether a region is right in what a schema cannot say: how rows go together."""
    if type(region) is not dict:
        return True
    recipients, shares, members, ages, contributions = (region.get(key, []) for key in 'nfmgc')
    lists = all(type(row) is list for row in (recipients, shares, members, ages, contributions))
    return not lists or not all(type(s) in (int, float) for s in shares) or (
        len(recipients) == len(shares) and len(members) == len(ages) == len(contributions)
        and sum(shares) in (0, WHOLE_SHARE))


@settings(max_examples=examples(200))
@given(REGIONS, st.none() | ODD, st.none() | ODD, st.booleans())
def test_codec_accepts_the_regions_that_the_schema_accepts(rows, tasks, decision, inside):
    region = {'r': rows} | ({} if tasks is None else {'t': tasks}) | (
        {} if decision is None else {'d': decision})
    document = {**GOOD, 'i': {'rescue': {**CANDIDACY, **region}}} if inside else {**GOOD, **region}
    found = CODEC.decode(json.dumps(document))
    clean = isinstance(found, Message) and not found.faults
    if clean:
        assert SCHEMA.is_valid(document)
    elif SCHEMA.is_valid(document):
        assert len(json.dumps(document)) > MAX_LENGTH or not expressible(rows), found
