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
A robot under attack, without ROS: whatever is received, it goes on, and knows its neighbours.

``ME`` leads itself or follows 7, a stronger robot beside it. The attacker may send anything.
"""

import math
from typing import Any

from election.robot.test_robot import ME, neighbours, robot, says
from leader_election.election.algorithms import BOUNDED, GIVEN
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.messages.codec import codec_for, Message
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.reception import DROPPED, HEARD, SHARES
from leader_election.election.robot.robot import Robot
import pytest


def follower(**changes: Any) -> Robot:
    """Return a robot that has followed 7, at (1, 0), for half a minute."""
    me = robot(odometry_expiry=1e6, **changes)
    for second in range(31):
        me.receive(says(7), float(second))
        me.round(float(second))
    assert me.state.leader == 7
    return me


def counted(me: Robot, reason: RejectReason) -> int:
    return me.counts[reason.value]


# Places that are not plausible.

def test_carried_robot_is_accepted_when_its_last_message_has_expired():
    me = follower(top_speed=1.0, message_expiry=3.0)
    heard = [second for second in range(31, 40)
             if me.receive(says(7, at=(0.0, 4.9)), float(second)) or me.round(float(second)) == '']
    assert heard[0] == 34, 'the last one at (1, 0) was received at 30 s'
    assert counted(me, RejectReason.IMPLAUSIBLE) == 3
    assert neighbours(me, 39.0) == {7: 4.9}


def test_many_small_steps_are_limited_by_the_top_speed():
    """A hundred messages a second move by half a metre each. Beyond 1 m/s only 1 m is accepted."""
    me = follower(top_speed=1.0, communication_range=50.0)
    for n in range(1, 101):
        me.receive(says(7, at=(1.0 + 0.5 * n, 0.0)), 30.0 + n / 100)
    assert neighbours(me, 31.0)[7] <= 1.0 + 1.0 + 1.0


# Candidacies for robots that do not lead, or are too far away.

def follows(sender: int, leader: int, strength: float, hops: int = 1) -> str:
    """Return the message of a robot at (1, 0) that follows another one."""
    return codec_for(BOUNDED).encode(Message(
        sender, 'map', (1.0, 0.0), BOUNDED.state(-strength, 1.0, leader, hops)))


def test_candidacy_is_refused_when_its_leader_is_in_reach_and_follows_another():
    me = robot()
    me.receive(follows(9, leader=8, strength=99.0), 0.0)
    me.round(0.0)
    assert me.state.leader == 8, 'nothing contradicts it'
    me.receive(follows(8, leader=7, strength=2.0), 0.1)
    me.round(0.1)
    assert me.state.leader == 7


@pytest.mark.parametrize('strength', [99.0, 1e300])
def test_candidacy_is_refused_when_its_leader_is_in_reach_and_barred(strength):
    me = robot()
    me.receive(says(8, strength=BARRED), 0.0)
    me.receive(follows(9, leader=8, strength=strength), 0.0)
    me.round(0.0)
    assert me.state.leader == ME


def test_candidacy_is_refused_when_its_leader_is_in_reach_and_has_no_leader():
    me = robot(algorithm='given')
    told = [GIVEN.state(math.inf, 8, 0), GIVEN.state(1.0, 8, 1)]
    for sender, state in zip((8, 9), told):
        me.receive(codec_for(GIVEN).encode(Message(sender, 'map', (1.0, 0.0), state)), 0.0)
    me.round(0.0)
    assert me.state == GIVEN.state(math.inf, ME, 0)


# Many messages.

@pytest.mark.parametrize('senders', [1, 40, 5000])
def test_neighbours_are_heard_when_a_flood_exceeds_the_budget(senders):
    me = follower(hearing_budget=320)
    for n in range(5000):
        now = 31.0 + n / 2500
        me.receive(says(100 + n % senders, strength=-1.0), now)
        if n % 2500 == 1700:
            me.receive(says(7), now)
            me.round(now)
            assert me.state.leader == 7, now
    most = 320 // SHARES if senders == 1 else 320
    assert me.counts[HEARD] == 31 + 5002
    assert me.counts[HEARD] - me.counts[DROPPED] - 31 <= 3 * (most + min(senders, 1500) + 1)


# Clocks and ids.
