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

"""Conservation of messages: each is counted exactly once."""

from typing import Any

from lab.simulations import counts, held, in_flight, played, scene, WALK
from leader_election.lab.engine import OLDER, slots
import pytest

EVENTS = [
    {'kind': 'join', 'at': 5, 'first': 11, 'last': 13},
    {'kind': 'corrupt', 'at': 7.5, 'share': 0.5},
    {'kind': 'die', 'at': 9.3, 'first': 0, 'last': 1},
    {'kind': 'die', 'at': 12, 'first': 2, 'last': 3, 'linger': True},
    {'kind': 'split', 'at': 15, 'line': 30},
    {'kind': 'join', 'at': 17, 'first': 11, 'last': 12},
    {'kind': 'state', 'at': 18, 'claim': 'random', 'heard': True},
    {'kind': 'heal', 'at': 20},
    {'kind': 'die', 'at': 25, 'share': 0.2},
]


@pytest.mark.parametrize('events', [[], EVENTS], ids=['peace', 'events'])
@pytest.mark.parametrize('motion', [{'kind': 'static'}, WALK], ids=['static', 'walk'])
@pytest.mark.parametrize('messages', [
    {}, {'expiry': 1.5}, {'loss': 0.4, 'expiry': 2.5}, {'loss': 1}, {'delay': [0.5, 0.5]},
    {'delay': [0.1, 4], 'loss': 0.2, 'duplication': 0.3, 'expiry': 2}],
    ids=['plain', 'expiry', 'loss', 'all lost', 'delay', 'everything'])
@pytest.mark.parametrize('acquainted', [False, True])
def test_conservation(messages: dict[str, Any], motion: dict[str, Any],
                      events: list[dict[str, Any]], acquainted: bool) -> None:
    stage = played(scene(motion=motion, messages={'range': 25, **messages}, events=events,
                         rounds={'acquainted': acquainted, 'jitter': 0.2}), 2)
    number, network = counts(stage), stage.network
    flying = len(in_flight(network, stage.entrant.algorithm))
    # Each message sent is lost, delivered, undelivered or in flight.
    assert number['sent'] + number['duplicated'] == (
        number['lost'] + number['delivered'] + number['undelivered'] + flying)
    # Each message delivered is overwritten, expired, departed with its sender or in a mailbox.
    boxes = held(network, stage.entrant.algorithm)
    assert number['delivered'] == (
        number['overwritten'] + number['expired'] + number['departed'] + len(boxes))
    # The pool contains only older messages and those in flight.
    older = network.links.flags[slots(network.links)[0]] & OLDER != 0
    assert len(network.pool.time) - network.pool.top[0] == flying + sum(older)
    assert number['sent'] > 500
    assert (number['lost'] > 0) == ('loss' in messages)
    assert (number['duplicated'] > 0) == ('duplication' in messages)
    assert (number['expired'] > 0) <= ('expiry' in messages)
    assert (number['moves'] > 0) == (motion is WALK)
