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

from collections import Counter
from collections.abc import Iterator
from functools import cache
import math
import random
from typing import Any

from election.robot.test_robot import ME, neighbours, robot, says
from leader_election.election.algorithms import BOUNDED, GIVEN
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.messages.codec import (
    codec_for,
    InstanceMessage,
    MAX_LENGTH,
    Message,
)
from leader_election.election.messages.wire import RejectReason
from leader_election.election.robot.mailbox import ObservationClock
from leader_election.election.robot.neighbourhood import OUT_OF_RANGE
from leader_election.election.robot.reception import (
    DROPPED,
    HEARD,
    HearingBudget,
    NeighbourhoodWatch,
    SHARES,
)
from leader_election.election.robot.robot import LEADER_CHANGES, Robot
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

def test_sender_is_not_evicted_when_a_forged_message_is_from_far_away():
    me = follower()
    changes = me.counts[LEADER_CHANGES]
    for tenth in range(300, 400):
        now = tenth / 10
        if tenth % 10 == 0:
            me.receive(says(7), now)
        assert not me.receive(says(7, at=(999.0, 0.0)), now)
        me.round(now)
        assert me.state.leader == 7
    assert counted(me, RejectReason.IMPLAUSIBLE) == 100
    assert me.counts[OUT_OF_RANGE] == 0 and me.counts[LEADER_CHANGES] == changes


def test_message_is_rejected_when_its_sender_cannot_have_reached_the_position():
    me = follower(top_speed=1.0)
    me.receive(says(7, at=(-4.0, 0.0), strength=0.0), 30.5)
    assert counted(me, RejectReason.IMPLAUSIBLE) == 1
    assert neighbours(me, 30.5) == {7: 1.0} and me.state.leader == 7


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


def test_messages_at_top_speed_are_accepted_when_late():
    """Odometry comes once a second, and messages are up to half a second late."""
    draw = random.Random(1)
    me = follower(top_speed=2.0, communication_range=1e3)
    for second in range(31, 130):
        at = (1.0 + 2.0 * (second - 31), 0.0)
        me.receive(says(7, at=at), second + draw.uniform(0.0, 0.5))
    assert counted(me, RejectReason.IMPLAUSIBLE) == 0


@pytest.mark.parametrize('changes', [{'top_speed': math.inf}, {
    'metric': 'hops', 'communication_range': math.inf, 'radius': 3.0}])
def test_any_step_is_accepted_without_a_top_speed_or_position(changes):
    me = follower(**changes)
    place = None if 'metric' in changes else (1e8, 0.0)
    me.receive(says(7, at=place), 30.0)
    me.receive(says(7), 30.0)
    assert counted(me, RejectReason.IMPLAUSIBLE) == 0
    assert 7 in neighbours(me, 30.0)


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


def test_candidacy_is_refused_when_it_has_as_many_hops_as_the_limit():
    me = robot(hop_limit=4)
    me.receive(follows(9, leader=8, strength=99.0, hops=4), 0.0)
    me.round(0.0)
    assert me.state.leader == ME
    me.receive(follows(9, leader=8, strength=99.0, hops=3), 0.1)
    me.round(0.1)
    assert me.state.leader == 8


# Many ids.

def weak(n: int, at: tuple[float, float] = (3.0, 3.0)) -> str:
    return says(1000 + n, at=at, strength=-1.0)


def test_leader_is_heard_again_when_600_ids_flooded_its_silence():
    """300 messages a second arrive while the leader's messages are lost for four seconds."""
    me = follower(neighbour_limit=500)
    sent = 0
    for tenth in range(300, 440):
        now = tenth / 10
        for _ in range(30):
            me.receive(weak(sent % 600), now)
            sent += 1
        if tenth % 10 == 0:
            if not 360 < tenth <= 400:
                me.receive(says(7), now)
            me.round(now)
            assert len(me.neighbours) <= 500
    assert me.state.leader == 7
    assert counted(me, RejectReason.LIMIT) > 0


# Many messages.

@cache
def _crowded() -> str:
    export = BOUNDED.state(-1.0, 0.0, 9999)
    parts = {f'instance_{k}': InstanceMessage('bounded', export) for k in range(16)}
    payload = codec_for(BOUNDED).encode(Message(9999, 'map', (1.0, 0.0), export, others=parts))
    return payload[:-1] + ',"x":"' + 'x' * (MAX_LENGTH - len(payload) - 20) + '"}'


def crowded(sender: int) -> str:
    """Return a long message of 16 instances, none of which the receiver runs."""
    return _crowded().replace('9999', str(sender))


@pytest.fixture
def decoded(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Count the payloads that robots decode."""
    found: list[str] = []

    class Counting:
        def __init__(self, codec: Any) -> None:
            self._codec = codec

        def __getattr__(self, name: str) -> Any:
            return getattr(self._codec, name)

        def decode(self, payload: str) -> Any:
            found.append(payload)
            return self._codec.decode(payload)

    init = Robot.__init__

    def counting(self: Robot, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self.reception._codec = Counting(self._codec)
    monkeypatch.setattr(Robot, '__init__', counting)
    yield found


@pytest.mark.parametrize('senders', [1, 40, 5000])
def test_neighbours_are_heard_when_a_flood_exceeds_the_budget(decoded, senders):
    me = follower(hearing_budget=320)
    decoded.clear()
    for n in range(12_500):
        now = 31.0 + n / 2500
        me.receive(crowded(100 + n % senders), now)
        if n % 2500 == 1700:
            me.receive(says(7), now)
            me.round(now)
            assert me.state.leader == 7, now
    most = 320 // SHARES if senders == 1 else 320
    assert len(decoded) <= 6 * (most + min(senders, 1500) + 1)
    assert me.counts[HEARD] == 31 + 12_505
    assert me.counts[DROPPED] >= me.counts[HEARD] - len(decoded) - 31


def test_new_robot_is_heard_during_a_flood():
    """One message in eight is decoded. The new robot sends forty a second."""
    draw = random.Random(3)
    me = follower(hearing_budget=320)
    for n in range(12_500):
        now = 31.0 + n / 2500
        me.receive(crowded(100 + n), now)
        if draw.randrange(60) == 0:
            me.receive(says(8, strength=50.0), now + draw.uniform(0.0, 4e-4))
    assert me.counts[DROPPED] > 8000
    me.round(36.0)
    assert me.state.leader == 8


def test_instance_is_not_decoded_when_the_robot_does_not_run_it():
    me = robot()
    me.receive(crowded(7), 0.0)
    message = me.mailbox.entry(7).message
    assert message is not None and dict(message.others) == {}
    assert len(codec_for(BOUNDED).decode(crowded(7)).others) == 16  # type: ignore[union-attr]


def test_robots_with_equal_instances_decode_a_message_once():
    one, other = robot(), robot(robot_id=9)
    assert one._codec is other._codec
    payload = says(77, at=(0.5, 0.25))
    one.receive(payload, 0.0)
    other.receive(payload, 0.0)
    assert one.mailbox.entry(77).message is other.mailbox.entry(77).message


# News.

def test_position_alone_triggers_no_round():
    me = robot()
    assert me.receive(says(7), 0.0)
    assert not any(me.receive(says(7, at=(1.0 + 0.125 * n, 0.0)), 0.1 * n) for n in range(1, 9))
    assert me.receive(says(7, at=(2.0, 0.0), strength=5.0), 0.9), 'another strength'
    assert not me.receive(says(7, at=(2.0, 0.0), strength=5.0), 0.9)
    assert not me.receive(says(7, at=(2.25, 0.0), strength=5.0), 0.9)


def test_round_is_triggered_when_the_distance_changes_by_half_a_metre():
    me, distances = robot(), [1.0 + 0.125 * n for n in range(9)]
    assert [n for n, far in enumerate(distances)
            if me.receive(says(7, far=far, leader=9), 0.1)] == [0, 4, 8]
    assert me.receive(says(7, far=distances[-1], leader=8), 0.9), 'another leader'


# Clocks and ids.

@pytest.mark.parametrize('by', [1e6, -1e6, 30.0])
@pytest.mark.parametrize('use_sim_time', [True, False])
def test_neighbours_are_kept_over_a_clock_jump_under_simulated_time_only(by, use_sim_time):
    """Under simulated time neighbours are kept, but they expire after any jump."""
    clock = ObservationClock(1.25 if use_sim_time else math.inf)
    me = robot(odometry_expiry=2.0, message_expiry=3.0)
    start = 2e6
    for second in range(5):
        now = clock.observe(start + second)
        me.sensing.take_odometry((0.0, 0.0, 0.0), now)
        me.receive(says(7), now)
        me.round(now)
    after = start + 5 + by
    now = clock.observe(after)
    me.round(now)
    assert (me.state.leader == 7) == (use_sim_time or by < 0)
    assert ('"p"' in me.round(now)) == (use_sim_time or by < 0)
    me.round(clock.observe(after + 1.0))
    for second in range(2, 6):
        me.round(clock.observe(after + second))
    assert me.state.leader == ME and me.position is None
    now = clock.observe(after + 6.0)
    me.sensing.take_odometry((0.0, 0.0, 0.0), now)
    me.receive(says(7), now)
    me.round(now)
    assert me.state.leader == 7


def test_third_robot_keeps_its_leader_when_two_robots_share_an_id():
    """Each robot reports the duplicate id."""
    twins = [robot(at=(0.0, 0.0), odometry_expiry=1e6), robot(at=(0.5, 0.0), odometry_expiry=1e6)]
    third = robot(at=(1.0, 0.0), robot_id=9, odometry_expiry=1e6)
    for second in range(1, 20):
        for speaker in (*twins, third):
            payload = speaker.round(float(second))
            for listener in (*twins, third):
                listener.receive(payload, float(second))
    assert all(counted(twin, RejectReason.OWN_ID) == 19 for twin in twins)
    assert {r.state.leader for r in (*twins, third)} == {ME}
    assert counted(third, RejectReason.IMPLAUSIBLE) == 0, 'half a metre from each other'


# The hearing budget by itself.

BUDGET = 160
EACH = BUDGET // SHARES


def admitted(budget: HearingBudget, sender: int | None, times: int, now: float,
             known: bool = False) -> int:
    return sum(budget.admit(sender, known, now, period=1.0) for _ in range(times))


def test_message_is_decoded_with_the_smallest_budget():
    budget = HearingBudget(1)
    assert [admitted(budget, 7, 5, float(second)) for second in (10, 11, 12)] == [1, 1, 1]


# The watch over a neighbourhood: what it reports, and when it is content again.

EXPIRY = 3.0


def test_no_silence_is_reported_before_the_first_round():
    """The managed node is inactive."""
    watch = NeighbourhoodWatch()
    assert {watch.fault(Counter(), EXPIRY, 10.0 * k) for k in range(9)} == {''}
