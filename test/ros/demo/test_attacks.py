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

"""Attacks: believable messages are decoded, long ones are not sent, and nothing raises."""

import random

from leader_election.election.algorithms import BOUNDED
from leader_election.election.messages.codec import codec_for, MAX_LENGTH, Message
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.ros.demo.attacks import ATTACKS, Target, WEAK_IDS
import pytest

CODEC = codec_for(BOUNDED)


def robot() -> Robot:
    made = Robot(ElectionParameters(robot_id=3, strength=5.0))
    made.sensing.take_odometry((1.0, 2.0, 0.0), 0.0)
    return made


def target(dead: tuple[int, ...] = ()) -> Target:
    sent = {3: robot().round(0.0), 4: robot().round(0.0).replace('"id":3', '"id":4')}
    return Target(3, (1.0, 2.0), sent, dead, random.Random(1))


@pytest.mark.parametrize('name', [
    'forged candidacies', 'replayed messages', 'a flood of long messages', 'many weak robots',
    "robots' ids from far away", 'decisions dear to follow'])
def test_messages_of_an_attack_are_decoded(name: str) -> None:
    for number in range(20):
        assert isinstance(CODEC.decode(ATTACKS[name].payload(number, target())), Message)


def test_forged_candidacy_is_followed_while_sent() -> None:
    victim = robot()
    victim.round(0.0)
    victim.receive(ATTACKS['forged candidacies'].payload(0, target()), 0.1)
    victim.round(0.2)
    assert victim.state.leader == 99


def test_replay_sends_messages_of_a_dead_leader() -> None:
    attack = ATTACKS['replayed messages']
    assert {attack.payload(i, target((4,))) for i in range(20)} == {target().sent[4]}


def test_floods_and_sybil_attacks_have_their_sizes() -> None:
    assert 3000 < len(ATTACKS['a flood of long messages'].payload(1, target())) <= MAX_LENGTH
    weak = {ATTACKS['many weak robots'].payload(i, target()) for i in range(2 * WEAK_IDS)}
    assert len(weak) == WEAK_IDS


@pytest.mark.parametrize('name', ATTACKS)
def test_robot_survives_every_attack(name: str) -> None:
    victim = robot()
    for number in range(200):
        now = 0.1 * number
        victim.sensing.take_odometry((1.0, 2.0, 0.0), now)
        victim.receive(ATTACKS[name].payload(number, target()), now)
        victim.round(now)
    victim.sensing.take_odometry((1.0, 2.0, 0.0), 100.0)
    victim.round(100.0)
    assert victim.state.leader == 3
