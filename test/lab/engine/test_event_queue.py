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

"""The queue of events, and the conservation of messages."""


from hypothesis import given, settings
from hypothesis import strategies as st
from lab.simulations import begun, counts, held, in_flight, played, rounds, scene, WALK
from leader_election.lab.engine import OLDER, slots
from leader_election.lab.engine.event_queue import event_queue, sift_down
from numba import njit
import numpy as np
import pytest

TIMES = st.lists(st.integers(0, 20).map(lambda n: n / 4), min_size=1, max_size=40)


@njit
def sift_first(order, time):  # type: ignore[no-untyped-def]
    sift_down(order, time)


def test_the_order_is_that_of_the_times():
    # Devices 1 and 3 are not in the queue; of equal times the lower index comes first.
    made = event_queue(np.array([3.0, 0.0, 1.0, 0.0, 1.0]), np.array([0, 2, 4]), True)
    assert made.order.tolist() == [2, 4, 0]
    assert (made.head.tolist(), made.ring) == ([0], True)


@given(TIMES)
def test_a_new_queue_is_a_heap(times):
    order = event_queue(np.array(times), np.arange(len(times)), False).order.tolist()
    assert [times[i] for i in order] == sorted(times)
    assert sorted(order) == list(range(len(times)))


@settings(deadline=None)
@given(TIMES, st.data())
def test_the_first_of_the_heap_is_the_earliest(times, data):
    time = np.array(times)
    order = event_queue(time, np.arange(len(times)), False).order
    for _ in range(15):
        first = order[0]
        assert time[first] == min(time)
        time[first] += data.draw(st.integers(0, 8)) / 4
        sift_first(order, time)
        assert sorted(order.tolist()) == list(range(len(times)))
    assert time[order[0]] == min(time)


def test_a_ring_repeats_its_order():
    scenario = scene(rounds={'period': 0.7})
    order = [i for i, _ in rounds(begun(scenario), 7.0)]
    times = [now for _, now in rounds(begun(scenario), 7.0)]
    # Ten periods of 14 devices, in the same order each time.
    assert len(order) == 140 and order == 10 * order[:14]
    assert sorted(order[:14]) == list(range(14))
    assert times == sorted(times)
    assert np.allclose(np.diff(np.reshape(times, (10, 14)), axis=0), 0.7, rtol=0, atol=1e-12)


def test_rounds_of_a_heap_are_in_order_of_time():
    scenario = scene(rounds={'spread': 0.9, 'jitter': 0.9})
    stage = begun(scenario)
    assert not stage.network.rounds.ring
    times = [now for _, now in rounds(stage, 30.0)]
    assert times == sorted(times) and len(set(times)) == len(times) > 300


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
def test_conservation(messages, motion, events, acquainted):
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
