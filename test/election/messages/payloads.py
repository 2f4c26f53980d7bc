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
Payloads for fuzzing: legal messages of every algorithm, mutations of them, and anything else.

``corpus.txt`` beside this file holds payloads that have found faults, or nearly, one a line. It is
part of what is drawn.
"""

from collections.abc import Iterator, Mapping
import copy
import json
import math
from pathlib import Path
import sys
from types import MappingProxyType
from typing import Any

from election.algorithms.states import states
from hypothesis import strategies as st
from leader_election.election.algorithms import Algorithm, ALGORITHMS
from leader_election.election.mandates.mandates import MandatePart, Notice
from leader_election.election.mandates.parameters import NO_MARK, RosterMark
from leader_election.election.messages.codec import (
    Codec,
    InstanceMessage,
    MAX_LENGTH,
    Message,
    NO_OTHERS,
)
from leader_election.election.messages.region_codec import region_part, RegionPart, whole_shares
from leader_election.election.messages.wire import decision_text, MAX_ID
from leader_election.localisation.sighting import MIDDLE, Sighting
from leader_election.localisation.source import Estimate

CORPUS = Path(__file__).with_name('corpus.txt')
INSTANCE = 'more'
"""The name of the further instance that fuzzed robots run."""

# Robots 1 to 4 are there, 0 and 7 are not.
IDS = st.integers(0, 5) | st.sampled_from([7, 2**31, MAX_ID - 1, MAX_ID])
WHOLE = st.integers(-2, 9) | st.sampled_from(
    [100, 2**31 - 1, 2**31, 2**32, 2**52, MAX_ID - 1, MAX_ID, -MAX_ID])
REAL = st.integers(-20, 20).map(lambda n: n / 4) | st.sampled_from(
    [1e9, -1e9, 1e300, -1e300, sys.float_info.max, -sys.float_info.max, 5e-324, 2.0**53])
PLACES = st.none() | st.tuples(
    st.integers(-2, 18).map(lambda n: n / 4), st.integers(-4, 4).map(lambda n: n / 4))
ODD = st.sampled_from([
    None, True, False, 0, 1, -1, 2, 0.5, -0.0, 2**31, MAX_ID, MAX_ID + 1, 2.0**53, 1e9, -1e9,
    1e300, -1e300, 10**400, '', 'bounded', 'colour', 'map', 'count', [], {}, [[]], [1, 2],
    [-4], [None], [0] * 20, {'c': []}, [-1e300, 0, 7]])


def milli(least: int, most: int) -> st.SearchStrategy[float]:
    """Return a strategy for numbers with three digits after the point, as the wire has them."""
    return st.integers(least, most).map(lambda n: n / 1000)


DEVIATIONS = st.just(math.nan) | milli(1, 10**4)
UNSENT = {'age': st.just(0.0), 'here': st.just(MIDDLE), 'there': st.just(MIDDLE)}
SIGHTINGS = st.builds(
    Sighting, id=IDS, range=milli(1, 10**7), bearing=st.just(math.nan) | milli(-3141, 3141),
    range_deviation=DEVIATIONS, bearing_deviation=DEVIATIONS, **UNSENT,
) | st.builds(Sighting, id=IDS, range=st.just(math.nan), bearing=milli(-3141, 3141),
              range_deviation=DEVIATIONS, bearing_deviation=DEVIATIONS, **UNSENT)
ESTIMATES = st.none() | st.builds(
    Estimate,
    odometry=st.none() | st.tuples(milli(-10**6, 10**6), milli(-10**6, 10**6), milli(-3141, 3141)),
    yaw=milli(-3141, 3141), deviation=milli(1, 10**6), heading_deviation=milli(1, 10**4),
    sightings=st.lists(SIGHTINGS, max_size=4).map(tuple),
    height=st.integers(-10**6, 10**6).map(lambda hundredths: hundredths / 100))

NOTICES = st.lists(st.builds(Notice, IDS, IDS, st.integers(0, 99)), max_size=3).map(tuple)
MANDATES = st.none() | st.builds(
    MandatePart, beat=st.integers(0, 99), number=st.integers(99, 2**50),
    grants=st.dictionaries(IDS, st.integers(0, 99), max_size=4), leaving=NOTICES,
    released=NOTICES, digest=st.integers(0, 2**30 - 1), proven=st.just(NO_MARK) | st.builds(
        RosterMark, st.integers(0, 2**20), st.integers(0, 2**30 - 1)))
NAMES = st.dictionaries(
    IDS, st.from_regex(r'(/[A-Za-z_][A-Za-z0-9_]{0,9}){1,3}', fullmatch=True), max_size=3,
).map(MappingProxyType)


ANY_ID = st.integers(0, MAX_ID)
REGION_NUMBERS = st.integers(-MAX_ID, MAX_ID).map(float) | st.floats(-1e9, 1e9) | st.just(math.inf)
REGION_ROWS = st.lists(REGION_NUMBERS, max_size=5).map(tuple)


@st.composite
def regions(draw) -> RegionPart:
    """Draw what a robot may tell of its region."""
    shares = whole_shares(draw(st.lists(st.floats(0.0, 1e6), max_size=4)))
    members = draw(st.lists(ANY_ID, max_size=4))
    decision = draw(st.none() | st.lists(st.none() | st.text(max_size=5) | st.integers(-9, 9),
                                         max_size=3))
    return region_part(
        tasks=draw(st.text(max_size=20)), parent=draw(st.integers(-1, MAX_ID)),
        reach=draw(st.floats(0.0, 1e9)), summary=draw(REGION_ROWS),
        recipients=tuple(draw(ANY_ID) for _ in shares), shares=shares,
        announcement=draw(REGION_ROWS),
        members=tuple(members), ages=tuple(draw(ANY_ID) for _ in members),
        contributions=tuple(draw(REGION_ROWS) for _ in members),
        decision_version=draw(st.just(0) | ANY_ID), decision_age=draw(st.just(0) | ANY_ID),
        decision='' if decision is None else decision_text(decision),
    )


def parts_of(**drawn: Any) -> Mapping[str, Any]:
    """Return the parts that were drawn, by their names."""
    return MappingProxyType({name: part for name, part in drawn.items() if part is not None})


PARTS_OF_INSTANCES = st.builds(parts_of, mandates=MANDATES, regions=st.none() | regions())
PARTS = st.builds(
    parts_of, localisation=ESTIMATES, mandates=MANDATES, regions=st.none() | regions())


def own_left_out(message: Message) -> Message:
    """Return a message without sightings of the sender itself, which are none."""
    told = message.parts.get('localisation')
    if told is None:
        return message
    told = told._replace(sightings=tuple(
        sighting for sighting in told.sightings if sighting.id != message.id))
    return message._replace(parts=MappingProxyType({**message.parts, 'localisation': told}))


def messages_with(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Message]:
    """Return a strategy for messages with these fields. All others are empty."""
    return st.fixed_dictionaries(fields).map(lambda given: own_left_out(Message(**given)))


def messages(algorithm: Algorithm) -> st.SearchStrategy[Message]:
    """Return a strategy for the legal messages of an algorithm."""
    def exports(of_it: Algorithm) -> Any:
        return states(of_it, IDS, WHOLE, REAL)

    instances = st.sampled_from(sorted(ALGORITHMS.names())).flatmap(lambda name: st.builds(
        InstanceMessage, st.just(name), exports(ALGORITHMS.get(name)), PARTS_OF_INSTANCES))
    return messages_with(
        id=IDS, frame=st.just('map'), position=PLACES, export=exports(algorithm), parts=PARTS,
        others=st.just(NO_OTHERS) | st.dictionaries(
            st.sampled_from([INSTANCE, 'x']), instances, max_size=2),
        reading=st.just(()) | st.lists(REAL.filter(lambda n: abs(n) < 1e10), max_size=3).map(
            tuple), names=NAMES)


def legal(algorithm: Algorithm) -> st.SearchStrategy[str]:
    """Return a strategy for the payloads of legal messages of an algorithm."""
    return messages(algorithm).map(Codec(algorithm).encode).filter(
        lambda payload: len(payload) <= MAX_LENGTH)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each place inside a JSON document: what holds it, and its key or index there."""
    keys = value.keys() if isinstance(value, dict) else range(
        len(value) if isinstance(value, list) else 0)
    for key in keys:
        yield value, key
        yield from places(value[key])


@st.composite
def mutated(draw, algorithm: Algorithm) -> str:
    """Draw a legal message in which values are changed, left out, doubled or swapped."""
    document = json.loads(draw(legal(algorithm)))
    for _ in range(draw(st.integers(1, 3))):
        found = list(places(document))
        if not found:
            break
        holder, key = found[draw(st.integers(0, len(found) - 1))]
        how = draw(st.sampled_from(('change', 'change', 'leave out', 'double', 'swap')))
        if how == 'change':
            holder[key] = copy.deepcopy(draw(ODD))
        elif how == 'leave out':
            del holder[key]
        elif how == 'double' and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif how == 'swap':
            other, its = found[draw(st.integers(0, len(found) - 1))]
            holder[key] = copy.deepcopy(other[its])
    return json.dumps(document)


@st.composite
def damaged(draw, algorithm: Algorithm) -> str:
    """Draw a legal message in whose text characters are lost or put in."""
    text = draw(legal(algorithm))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(text)))
        until = at + draw(st.integers(0, 3))
        put_in = draw(st.text(max_size=2) | st.sampled_from('[]{}",:-.e0'))
        text = text[:at] + put_in + text[until:]
    return text


def corpus() -> list[str]:
    """Return the payloads that are kept."""
    return [line for line in CORPUS.read_text().splitlines() if line and line[0] != '#']


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(['v', 'id', 'frame', *'pchairtdmeozwnu'])
        | st.text(max_size=3), inner, max_size=6)).map(json.dumps)


def payloads(algorithm: Algorithm) -> st.SearchStrategy[str]:
    """Return a strategy for whatever a robot may receive."""
    return st.one_of(legal(algorithm), mutated(algorithm), damaged(algorithm), ANY_JSON,
                     st.sampled_from(corpus()))
