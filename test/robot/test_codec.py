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
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from leader_election.algorithms import BOUNDED
from leader_election.robot.codec import (
    Codec,
    MAX_COORDINATE,
    MAX_ID,
    MAX_LENGTH,
    Message,
    Reason,
    sender,
    VERSION,
)
import pytest

CODEC = Codec(BOUNDED)
SCHEMA = Draft202012Validator(json.loads(
    (files('leader_election.robot') / 'neighbourhood.schema.json').read_text()))
GOOD = {'v': 1, 'id': 3, 'frame': 'map', 'p': [1.5, 2.0], 'c': [-7.0, 3.25, 8]}

IDS = st.integers(0, MAX_ID)
COORDINATES = st.floats(-MAX_COORDINATE, MAX_COORDINATE)
FINITE = st.floats(allow_nan=False, allow_infinity=False)
MESSAGES = st.builds(
    Message, id=IDS, frame=st.text(min_size=1, max_size=50),
    position=st.none() | st.tuples(COORDINATES, COORDINATES),
    export=st.builds(BOUNDED.state, FINITE, FINITE.map(abs), IDS))


def payload(**changes: Any) -> str:
    """Return a good message with these members changed, or left out where ``...``."""
    document = {key: value for key, value in {**GOOD, **changes}.items() if value is not ...}
    return json.dumps(document)


@given(MESSAGES)
def test_round_trip(message):
    wire = CODEC.encode(message)
    # By their texts, which tell -0.0 from 0.0 and 3 from 3.0.
    assert repr(CODEC.decode(wire)) == repr(message)
    SCHEMA.validate(json.loads(wire))


@pytest.mark.parametrize('number', [-0.0, 5e-324, -5e-324, 1.7976931348623157e308, 0.1, 1 / 3])
def test_round_trip_of_odd_numbers(number):
    message = Message(0, 'map', (math.copysign(0.0, number), 0.1),
                      BOUNDED.state(number, abs(number), MAX_ID))
    assert repr(CODEC.decode(CODEC.encode(message))) == repr(message)


@pytest.mark.parametrize('number', [math.nan, math.inf, -math.inf])
def test_what_could_not_be_read_is_not_written(number):
    with pytest.raises(ValueError):
        CODEC.encode(Message(1, 'map', (0.0, 0.0), BOUNDED.state(number, 0.0, 1)))


def test_whole_numbers_may_be_written_either_way():
    assert CODEC.decode(payload(v=1.0, id=3.0, p=[1, 2], c=[-7, 3, 8.0])) == Message(
        3, 'map', (1.0, 2.0), BOUNDED.state(-7.0, 3.0, 8))
    message = CODEC.decode(payload(v=1.0, id=3.0, p=[1, 2], c=[-7, 3, 8.0]))
    assert repr(message) == repr(CODEC.decode(payload(p=[1.0, 2.0], c=[-7.0, 3.0, 8])))


def test_members_not_known_are_ignored():
    assert CODEC.decode(payload(x=[{'deep': None}], s='text')) == CODEC.decode(payload())
    assert CODEC.decode(payload(a='bounded')) == CODEC.decode(payload())


@pytest.mark.parametrize('reason, wire', [
    (Reason.SIZE, ' ' * (MAX_LENGTH + 1)),
    (Reason.SIZE, payload(frame='x' * 1_000_000)),
    (Reason.SIZE, '[' * 1_000_000),
    (Reason.MALFORMED, ''),
    (Reason.MALFORMED, '\x00'),
    (Reason.MALFORMED, '\ud800'),
    (Reason.MALFORMED, payload()[:-1]),
    (Reason.MALFORMED, payload() + 'x'),
    (Reason.MALFORMED, '[' * MAX_LENGTH),
    (Reason.MALFORMED, '[' * (MAX_LENGTH // 2) + ']' * (MAX_LENGTH // 2)),
    (Reason.MALFORMED, '{"x":' * 800),
    (Reason.MALFORMED, 'null'),
    (Reason.MALFORMED, '"text"'),
    (Reason.MALFORMED, '{}'),
    (Reason.MALFORMED, payload(v=...)),
    (Reason.MALFORMED, payload(v='1')),
    (Reason.MALFORMED, payload(v=True)),
    (Reason.MALFORMED, payload(id=...)),
    (Reason.MALFORMED, payload(id=-1)),
    (Reason.MALFORMED, payload(id=1.5)),
    (Reason.MALFORMED, payload(id=True)),
    (Reason.MALFORMED, payload(id=MAX_ID + 1)),
    (Reason.MALFORMED, payload(id=10**400)),
    (Reason.MALFORMED, payload(frame=...)),
    (Reason.MALFORMED, payload(frame='')),
    (Reason.MALFORMED, payload(frame=7)),
    (Reason.MALFORMED, payload(a=None)),
    (Reason.MALFORMED, payload(p=None)),
    (Reason.MALFORMED, payload(p=[1.0])),
    (Reason.MALFORMED, payload(p=[1.0, 2.0, 3.0])),
    (Reason.MALFORMED, payload(p=['1', 2.0])),
    (Reason.MALFORMED, payload(p=[1e300, 2.0])),
    (Reason.MALFORMED, payload(c=...)),
    (Reason.MALFORMED, payload(c={})),
    (Reason.MALFORMED, payload(c=[-7.0, 3.25])),
    (Reason.MALFORMED, payload(c=[-7.0, 3.25, 8, 1])),
    (Reason.MALFORMED, payload(c=[-7.0, 3.25, -8])),
    (Reason.MALFORMED, payload(c=[-7.0, True, 8])),
    (Reason.NON_FINITE, payload(c=[math.nan, 3.25, 8])),
    (Reason.NON_FINITE, payload(c=[-7.0, math.inf, 8])),
    (Reason.NON_FINITE, payload(p=[-math.inf, 2.0])),
    (Reason.NON_FINITE, payload(x=math.nan)),
    (Reason.NON_FINITE, payload().replace('-7.0', '-1e400')),
    (Reason.NON_FINITE, payload(c=[10**400, 3.25, 8])),
    (Reason.NEGATIVE_DISTANCE, payload(c=[-7.0, -0.01, 8])),
    (Reason.NEGATIVE_DISTANCE, payload(c=[-7.0, -5e-324, 8])),
    (Reason.VERSION, payload(v=VERSION + 1)),
    (Reason.VERSION, '{"v":2}'),
    (Reason.ALGORITHM, payload(a='other', c=[])),
])
def test_reasons(reason, wire):
    assert CODEC.decode(wire) is reason


def test_greatest_that_is_read():
    padding = ' ' * (MAX_LENGTH - len(payload()))
    assert isinstance(CODEC.decode(payload() + padding), Message)
    assert CODEC.decode(payload() + padding + ' ') is Reason.SIZE


def test_worst_realistic_message_is_short():
    """Ids of six digits, as far as a swarm goes, numbers of all their digits: under 150 bytes."""
    wire = CODEC.encode(Message(
        999999, 'map', (-99999.9999, -99999.9999),
        BOUNDED.state(-0.12345678901234568, 12345.678901234568, 999999)))
    assert len(wire.encode()) < 150


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from([*GOOD, 'a', 'x']) | st.text(max_size=3), inner, max_size=6))


@given(st.text(st.characters(), max_size=200) | ANY_JSON.map(json.dumps))
def test_anything_is_survived(wire):
    assert isinstance(CODEC.decode(wire), (Message, Reason))
    assert sender(wire) is None or type(sender(wire)) is int


@given(MESSAGES, st.data())
def test_damage_is_survived(message, data):
    wire = CODEC.encode(message)
    for _ in range(data.draw(st.integers(1, 4))):
        at, until = data.draw(st.integers(0, len(wire))), data.draw(st.integers(0, len(wire)))
        wire = wire[:at] + data.draw(st.text(max_size=3) | st.sampled_from('[]{}",:-.e0')) + wire[
            min(at, until):]
        wire = wire[:MAX_LENGTH]
    assert isinstance(CODEC.decode(wire), (Message, Reason))


# Values of which each is right in some place and wrong in others.
ODD = st.sampled_from([
    None, True, False, 0, 1, 1.0, 2, 3.5, -1, -0.0, MAX_ID, MAX_ID + 1, 2.0**53, 1e9, -1e9, 1.1e9,
    1e300, '', 'bounded', 'map', [], {}, [1, 2], [1.0, -2.0], [1, 2, 3], [-1.0, 2.5, 3],
    [-1, -1, 3], [1, 2, 3.0], [1, 2, 3.5], [1, 2, 3, 4], [1, '2', 3], [None, 2], [True, 1]])


@settings(max_examples=300)
@given(st.dictionaries(st.sampled_from(['v', 'id', 'frame', 'a', 'p', 'c', 'x']), ODD, max_size=3),
       st.sets(st.sampled_from([*GOOD]), max_size=1))
def test_accepts_what_the_schema_does(changes, left_out):
    document = {k: v for k, v in {**GOOD, **changes}.items() if k not in left_out}
    found = CODEC.decode(json.dumps(document))
    if document.get('a', 'bounded') != 'bounded':
        assert isinstance(found, Reason), 'another algorithm, or none'
    else:
        assert isinstance(found, Message) == SCHEMA.is_valid(document), found
    if isinstance(found, Message):
        assert repr(sender(json.dumps(document))) == repr(found.id)


@pytest.mark.parametrize('wire', [
    payload(v=VERSION + 1), payload(v=...), payload(id=...), payload(id=True), payload(id='3'),
    payload(id=-1), payload(x=math.nan), '[3]', '[' * MAX_LENGTH, payload(x='x' * MAX_LENGTH)])
def test_a_carrier_drops_what_no_robot_would_read(wire):
    assert sender(wire) is None and isinstance(CODEC.decode(wire), Reason)


def test_a_carrier_does_not_mind_the_rest():
    assert sender(payload(a='other', c=['anything'], id=3.0)) == 3
