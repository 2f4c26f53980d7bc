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
Fuzzing of codec, mailbox and round: nothing raises, and no message does lasting harm.

The budget here is small; ``make fuzz`` runs the same properties for as long as is asked for.
"""

import math
import random
from typing import Any

from budget import examples
from election.messages.payloads import corpus, INSTANCE, payloads
from election.robot.swarm import line, Swarm
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.messages.codec import algorithm_of, Codec, Message, whereabouts
from leader_election.election.messages.wire import RejectReason
from leader_election.swarm.reference_partition import partition
import pytest

ALL = pytest.mark.parametrize('name', ALGORITHMS.names())
FEW = settings(max_examples=examples(4))
STRENGTHS = {1: 9.0, 2: 1.0, 3: 2.0, 4: 5.0}
RADIUS, RANGE, EXPIRY, HOP_LIMIT = 1.5, 1.5, 3, 8
REPLICATES, REPLICATE_PERIOD = 2, 6

REGIONS = st.sampled_from([
    {}, {'tasks': 'count', 'connected': True},
    {'regions': True, 'collection': 'gossip', 'gossip_members': 2, 'spreading': 'gossip'}])
"""Parameters of robots without regions, and with each way to collect and to spread."""
RECOVERY = {
    'bounded': EXPIRY + 2 * (2 * HOP_LIMIT + 1),
    'classic': EXPIRY + 5 * HOP_LIMIT,
    'colour': EXPIRY + HOP_LIMIT + 6 * 4 + 10,
    'given': EXPIRY + 2 * HOP_LIMIT + 1,
    'recursive-replicated': EXPIRY + 2 * len(STRENGTHS) + 2 * (
        (REPLICATES + 1) * REPLICATE_PERIOD + HOP_LIMIT),
    'resilient': EXPIRY + 2 * HOP_LIMIT + 3 * 3 + 5,
}
"""
The most rounds from an attacker's last message until the robots' own partition stands.

For ``bounded`` the bound of two leaders one after the other (doc/architecture.md); for the others
those of their property tests, and what is remembered of the attacker. ``recursive`` is not
self-stabilising, as it is published.
"""


@ALL
@given(st.data())
def test_decoding_never_raises_and_is_idempotent(name, data):
    codec = Codec(ALGORITHMS.get(name))
    payload = data.draw(payloads(codec.algorithm))
    check_decoding(codec, payload)


@ALL
def test_corpus_is_decoded_without_an_error(name):
    for payload in corpus():
        check_decoding(Codec(ALGORITHMS.get(name)), payload)


def check_decoding(codec: Codec, payload: str) -> None:
    found = codec.decode(payload)
    assert isinstance(found, (Message, RejectReason))
    assert whereabouts(payload) is None or len(whereabouts(payload)) == 3
    if isinstance(found, Message):
        # Numbers of regions are written with fewer digits, so the second time nothing changes.
        again = codec.decode(codec.encode(found))
        if again is RejectReason.SIZE:
            return
        assert isinstance(again, Message) and again.faults == ()
        assert repr(again[:4]) == repr(found[:4]) and again.others.keys() == found.others.keys()
        assert repr(codec.decode(codec.encode(again))) == repr(again)


@ALL
@FEW
@given(st.data())
def test_swarm_recovers_within_the_bound_after_an_attack(name, data):
    """
    Check that attacked robots run rounds, read each other, and recover within the bound.

    Four robots in a line form two regions. The attacker sends up to four messages to all of
    them in each of up to six rounds.
    """
    algorithm = ALGORITHMS.get(name)
    attack = data.draw(st.lists(st.lists(payloads(algorithm), max_size=4), min_size=1, max_size=6))
    check_recovery(name, attack, data.draw(REGIONS), random.Random(data.draw(st.integers())))


@ALL
def test_swarm_recovers_after_the_payloads_of_the_corpus(name):
    """Each is sent in three rounds."""
    attack = [[payload] for payload in corpus() if algorithm_of(payload) == name for _ in range(3)]
    check_recovery(name, attack, {}, random.Random(0))


def test_check_of_recovery_detects_lasting_harm():
    """Without hop limit and radius, a forged leader persists."""
    radius = next(payload for payload in corpus() if algorithm_of(payload) == 'resilient')
    check_recovery('resilient', [[radius]], {}, random.Random(0))
    with pytest.raises(AssertionError):
        check_recovery('resilient', [[radius]], {}, random.Random(0), hop_limit=-1)


def check_recovery(name: str, attack: list[list[str]], regions: dict[str, Any],
                   draw: random.Random, hop_limit: int = HOP_LIMIT) -> None:
    """Let robots be attacked, and check them during the attack and after it."""
    swarm = robots(name, regions, hop_limit)
    rounds = RECOVERY.get(name, 3 * EXPIRY)
    swarm.sweep(min(rounds, 40), draw)
    check_partition(name, swarm)
    for sent in attack:
        for payload in sent:
            swarm.tell(-1, payload)
            for robot in swarm.robots.values():
                robot.would_change(swarm.now)
        swarm.sweep(1, draw)
        for robot in swarm.robots.values():
            found = Codec(ALGORITHMS.get(name)).decode(swarm.said[robot.parameters.robot_id])
            assert isinstance(found, Message) and not found.faults, 'it cannot be read'
            members = {} if not regions else robot.main.parts['regions'].summary
            assert 0.0 <= members.get('members', 0.0) < math.inf
    swarm.sweep(rounds, draw)
    if name in RECOVERY:
        check_partition(name, swarm)


def robots(name: str, regions: dict[str, Any], hop_limit: int) -> Swarm:
    """Return robots 1 m apart that run two instances of an algorithm."""
    own = {'algorithm': name, 'hop_limit': hop_limit}
    if 'radius' in ALGORITHMS.get(name).takes:
        own['radius'] = RADIUS
    if name == 'recursive-replicated':
        own |= {'recursive_replicated.replicates': REPLICATES,
                'recursive_replicated.replicate_period': REPLICATE_PERIOD}
    if name == 'given':
        # Those that are elected without an attacker.
        own['given.leaders'] = '1,4'
    return Swarm(line(4), lambda i: {
        **own, 'strength': STRENGTHS[i],
        'others': {INSTANCE: {**own, 'strength': STRENGTHS[i]}}},
        **regions, communication_range=RANGE)


def check_partition(name: str, swarm: Swarm) -> None:
    """Check that each robot is led as it is without an attacker."""
    takes = ALGORITHMS.get(name).takes
    graph = {i: {j: 1.0 for j in (i - 1, i + 1) if j in STRENGTHS} for i in STRENGTHS}
    expected = partition(graph, STRENGTHS, RADIUS if 'radius' in takes else 1e9, 'id')
    for instance in ('main', INSTANCE):
        states = {i: each.state for i, each in swarm.instances(instance).items()}
        if name == 'classic':
            # Which devices lead depends on the history.
            for i, state in states.items():
                assert states[state.leader].leader == state.leader
                assert state.distance == abs(i - state.leader) <= RADIUS
        else:
            assert {i: (state.leader, state.distance) for i, state in states.items()} == {
                i: found[:2] for i, found in expected.items()}
