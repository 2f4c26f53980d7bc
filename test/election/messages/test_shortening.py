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

"""What a message loses, and in which order, where it would be too long."""

from collections import Counter

from leader_election.election.algorithms import BOUNDED
from leader_election.election.mandates.mandates import MandatePart
from leader_election.election.messages.codec import (
    Codec,
    counters,
    InstanceMessage,
    Message,
    shortened,
)
from leader_election.election.messages.region_codec import region_part
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.source import Estimate

CODEC = Codec(BOUNDED)
STATE = BOUNDED.state(-7.0, 3.25, 8, 2)
ALONE = Message(3, 'map', (1.5, 2.0), STATE)
ESTIMATE = Estimate(None, 0.0, 0.1, 0.1)
SEEN = ESTIMATE._replace(sightings=(Sighting(4, 1.0, 0.5, 0.1, 0.1),))
REGION = region_part('count', decision='"go"', decision_version=8)
MANDATES = MandatePart(5, 9, {3: 6, 4: 9, 5: 8})
NEWER = MandatePart(5, 9, {4: 9, 5: 8})
NEWEST = MandatePart(5, 9, {4: 9})
PLAIN = InstanceMessage('bounded', STATE)
FULL = ALONE._replace(
    names={3: '/alice'},
    parts={'localisation': SEEN, 'regions': REGION, 'mandates': MANDATES},
    others={'charging': InstanceMessage('bounded', STATE, {'regions': REGION}),
            'plain': PLAIN})


def fitted(message: Message, room: int) -> tuple[str, Message, Counter[str]]:
    """Return the shortened message as text and decoded, and the names of omitted parts."""
    counts: Counter[str] = Counter()
    return *shortened(message, CODEC.encode, room, counts), counts


def test_message_loses_one_thing_after_the_other_and_elections_last() -> None:
    """Each time there is room for a character less than the message before has."""
    found, before, room = [], Counter[str](), len(CODEC.encode(FULL)) - 1
    for _ in range(7):
        payload, message, counts = fitted(FULL, room)
        assert payload == CODEC.encode(message) and len(payload) <= room
        assert fitted(FULL, len(payload))[1] == message, 'it just fits'
        found.append((dict(counts - before), message))
        before, room = counts, len(payload) - 1
    unseen = {**FULL.parts, 'localisation': ESTIMATE}
    short = FULL._replace(names={}, parts={**unseen, 'mandates': NEWER})
    undecided = {'regions': region_part('count')}
    without = {'localisation': ESTIMATE, 'mandates': NEWER}
    assert found == [
        ({'sightings_left_out': 1}, FULL._replace(parts=unseen)),
        ({'names_left_out': 1}, FULL._replace(parts=unseen, names={})),
        ({'grants_left_out': 1}, short),
        ({'decisions_left_out': 1}, short._replace(parts={**short.parts, **undecided}, others={
            'charging': InstanceMessage('bounded', STATE, undecided), 'plain': PLAIN})),
        ({'regions_left_out': 1},
         short._replace(parts=without, others={'charging': PLAIN, 'plain': PLAIN})),
        ({'instances_left_out': 1}, short._replace(parts=without, others={})),
        ({'grants_left_out': 1},
         short._replace(parts={**without, 'mandates': NEWEST}, others={})),
    ]


def test_newest_grants_stay_when_there_is_room_for_no_more() -> None:
    """A robot without a further instance leaves out none."""
    message = ALONE._replace(parts={'mandates': MandatePart(5, 9000, dict.fromkeys(
        range(900_000, 900_512), 8000) | {7: 8500})})
    payload, sent, counts = fitted(message, 150)
    assert len(payload) <= 150 and len(sent.parts['mandates'].grants) == 9
    assert sent.parts['mandates'].grants[7] == 8500
    assert counts == {'grants_left_out': 6}


def test_nothing_is_left_out_when_the_message_just_fits() -> None:
    payload = CODEC.encode(FULL)
    assert fitted(FULL, len(payload)) == (payload, FULL, Counter())


def test_counters_are_of_the_parts_that_a_robot_sends_least_important_first() -> None:
    assert counters(()) == ('names_left_out', 'instances_left_out')
    assert counters(FULL.parts) == (
        'sightings_left_out', 'names_left_out', 'grants_left_out', 'decisions_left_out',
        'regions_left_out', 'instances_left_out')
