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

"""The schedule of faults: the seed decides, every fault that lasts ends, nothing impossible."""

from collections.abc import Iterator
from itertools import islice
import random

from benchmarks.chaos import schedule as of
from benchmarks.chaos.attacks import ATTACKS, Target, WEAK_IDS
from benchmarks.chaos.schedule import Change, Plan, Schedule
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import BOUNDED
from leader_election.election.robot.codec import codec_for, MAX_LENGTH, Message
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.simulation.parameters import WorldParameters
import pytest

HOSTS = {'robot_9': (9,), 'robot_4': (4,), 'robot_5': (5,), 'fleet_1': (1, 2, 3)}
JOINING = {'robot_7': (7,), 'robot_8': (8,)}
PLAN = Plan(HOSTS, JOINING, ('one', 'two', 'three', 'four'), 8.0, 1.5, 1.0, True)
ROUND = 20
"""More faults than a round of all kinds has."""


def changes(seed: int, faults: int = 5 * ROUND, plan: Plan = PLAN) -> list[Change]:
    return [change for fault in islice(Schedule(plan, seed).faults(), faults) for change in fault]


def test_seed_determines_the_schedule() -> None:
    assert changes(1) == changes(1) != changes(2)


@given(st.integers(0, 1000))
def test_all_kinds_of_faults_happen_soon(seed: int) -> None:
    found = changes(seed)
    assert {change.kind for change in found} == {
        of.KILL, of.START, of.PAUSE, of.GO_ON, of.RADIO, of.SPLIT, of.HEAL, of.ODOMETRY,
        of.STRENGTH, of.CLOCK, of.ATTACK, of.ATTACK_OVER}
    assert {change.settings['name'] for change in found if change.kind == of.ATTACK} == {
        'one', 'two', 'three', 'four'}


def test_no_clock_leaps_without_simulated_time() -> None:
    assert of.CLOCK not in {
        change.kind for change in changes(1, plan=PLAN._replace(simulated_clock=False))}


@given(st.integers(0, 1000), st.integers(0, 60))
def test_only_living_processes_are_harmed_and_only_dead_ones_start(seed: int, faults: int) -> None:
    schedule = Schedule(PLAN, seed)
    living, paused = set(HOSTS), ''
    done = [change for fault in islice(schedule.faults(), faults) for change in fault]
    for change in [*done, *schedule.calm()]:
        if change.kind == of.KILL:
            assert change.process in living and len(change.robots) == 1
            living.discard(change.process)
            assert any(len({**HOSTS, **JOINING}[name]) == 1 for name in living)
        elif change.kind == of.START:
            assert change.process not in living
            living.add(change.process)
        elif change.kind == of.PAUSE:
            assert change.process in living
            paused = change.process
        elif change.kind == of.GO_ON:
            assert change.process == paused
            paused = ''
        else:
            assert not paused
    assert not paused and living == {*HOSTS, *JOINING}


def lasting(found: list[Change]) -> Iterator[bool]:
    """Yield for each fault that lasts whether its end follows."""
    ends = {of.SPLIT: of.HEAL, of.ATTACK: of.ATTACK_OVER, of.PAUSE: of.GO_ON}
    for change, after in zip(found, found[1:]):
        if change.kind in ends:
            yield after.kind == ends[change.kind]


@given(st.integers(0, 1000))
def test_faults_that_last_end_and_parameters_are_in_range(seed: int) -> None:
    schedule = Schedule(PLAN, seed)
    done = [change for fault in islice(schedule.faults(), 2 * ROUND) for change in fault]
    found = [*done, *schedule.calm()]
    assert all(lasting(found))
    world = WorldParameters(radio='relay')
    for change in found:
        if change.kind in (of.RADIO, of.SPLIT, of.HEAL, of.ODOMETRY):
            # The world refuses what is out of range.
            world = WorldParameters(**{**vars(world), **change.settings})
            assert world.radio_loss <= of.MOST_LOSS
    assert world == WorldParameters(radio='relay')


def test_attacks_are_judged_from_their_end_on_and_each_change_has_time_to_recover() -> None:
    for change in changes(3):
        assert change.judged == (change.kind != of.ATTACK)
        assert change.lasts >= (8.0 + change.extra if change.judged else of.ATTACK_LASTS)


# Attacks: what is to be believable is, what is too long is not sent, nothing raises.

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
def test_believable_messages_are_understood(name: str) -> None:
    for number in range(20):
        assert isinstance(CODEC.decode(ATTACKS[name].payload(number, target())), Message)


def test_a_forged_candidacy_is_followed_while_it_is_sent() -> None:
    victim = robot()
    victim.round(0.0)
    victim.receive(ATTACKS['forged candidacies'].payload(0, target()), 0.1)
    victim.round(0.2)
    assert victim.state.leader == 99


def test_dead_leaders_are_replayed() -> None:
    attack = ATTACKS['replayed messages']
    assert {attack.payload(i, target((4,))) for i in range(20)} == {target().sent[4]}


def test_floods_and_sybils_have_their_sizes() -> None:
    assert 3000 < len(ATTACKS['a flood of long messages'].payload(1, target())) <= MAX_LENGTH
    weak = {ATTACKS['many weak robots'].payload(i, target()) for i in range(2 * WEAK_IDS)}
    assert len(weak) == WEAK_IDS


@pytest.mark.parametrize('name', ATTACKS)
def test_robot_survives_all_attacks(name: str) -> None:
    victim = robot()
    for number in range(200):
        now = 0.1 * number
        victim.sensing.take_odometry((1.0, 2.0, 0.0), now)
        victim.receive(ATTACKS[name].payload(number, target()), now)
        victim.round(now)
    victim.sensing.take_odometry((1.0, 2.0, 0.0), 100.0)
    victim.round(100.0)
    assert victim.state.leader == 3
