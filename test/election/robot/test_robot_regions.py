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

"""Robots with regions among robots without, with other tasks, and out of their mind."""

import json
import math
import random
import sys
from typing import Any

from election.robot.swarm import line, of_one, Swarm
from leader_election.election.algorithms import BOUNDED, Device
from leader_election.election.messages.codec import Message
from leader_election.election.messages.region_codec import region_part, WRONG_SUMMARY
from leader_election.election.messages.wire import MAX_DECISION
from leader_election.election.part import ElectionOutcome
from leader_election.election.regions.aggregate import top
from leader_election.election.regions.region import CANDIDATE, RELAY
from leader_election.election.regions.task import Task
from leader_election.election.robot.membership import Membership
from leader_election.election.robot.neighbourhood import no_view
import pytest


def first(i: int) -> dict[str, float]:
    """Robot 1 is the strongest."""
    return of_one(i, {1: 9.0})


def counts(swarm: Swarm, name: str) -> dict[int, int]:
    """Return a counter of each robot or of its first instance."""
    return {i: robot.counts[name] + robot.main.counts[name] for i, robot in swarm.robots.items()}


# Robots of all kinds.

def test_robots_elect_together_when_some_form_no_regions():
    """
    Robot 2 forms none.

    All follow 1, which counts itself. Robots 3 and 4 forward what 2 does not receive.
    """
    swarm = Swarm(line(4), lambda i: {**first(i), 'tasks': '' if i == 2 else 'count'})
    swarm.sweep(12)
    assert swarm.leaders() == dict.fromkeys(line(4), 1)
    assert swarm.decisions() == {1: [{'members': 1, 'centre': [0.0, 0.0]}], 2: [], 3: [], 4: []}
    assert json.loads(swarm.said[1])['r'].keys() == {'s', 'v'}, 'without feedback no radius'
    document = json.loads(swarm.said[2])
    assert document['c'] == [-9.0, 1.0, 1, 1] and not document.keys() & {'r', 't', 'd'}
    assert all(n == 0 for robot in swarm.robots.values()
               for name, n in {**robot.counts, **robot.main.counts}.items() if 'reject' in name)


# Tasks that fail.

class Broken(Task):
    """Fails in everything that it is asked for."""

    def sense(self) -> Any:
        raise RuntimeError('sense')

    def decide(self, summary: Any) -> Any:
        return {1, 2}

    def act(self, decision: Any) -> None:
        raise KeyError(decision)

    def announce(self) -> Any:
        return ['x']


def test_robot_elects_counts_and_relays_when_a_task_fails():
    """Robot 2, in the middle, has the failing task beside one that works."""
    kinds = {'broken': Broken, 'idle': Task}
    swarm = Swarm(line(3), lambda i: {**first(i), 'tasks': 'broken,count'}, kinds, connected=True)
    swarm.sweep(10)
    assert swarm.members() == {1: 3.0}
    assert swarm.decisions() == {i: [None, {'members': 3, 'centre': [1.0, 0.0]}] for i in line(3)}
    assert json.loads(swarm.said[1])['t'] == 'broken,count'
    # In each of ten rounds all fail to sense, act and speak, and robot 1, which leads, to decide.
    assert counts(swarm, 'task_errors') == {1: 40, 2: 30, 3: 30}
    assert all('RuntimeError: sense' in robot.main.parts['regions'].task_runners[0].first_error
               for robot in swarm.robots.values())


# Sizes.

def longest(**settings: Any) -> int:
    """Return the length of the longest message of robots with strengths of many digits."""
    draw = random.Random(3)
    places = {900_000 + i: (-100.0 + draw.random() * 5, -100.0 + draw.random() * 5)
              for i in range(20)}
    others = settings.pop('others', {})
    swarm = Swarm(places, lambda i: {'strength': draw.random() * math.pi, 'others': {
        name: {**values, 'strength': draw.random()} for name, values in others.items()}},
        communication_range=3.0, radius=6.0, **settings)
    swarm.sweep(6, draw)
    return max(map(len, swarm.said.values()))


def test_message_length_is_bounded_with_regions_and_instances():
    """Ids have six digits. The number of a decision needs 15 characters."""
    alone = longest(tasks='count')
    assert alone < 310
    for further, most in (({'regions': True}, 160), ({'tasks': 'count'}, 265)):
        assert longest(tasks='count', others={'charging': further}) - alone < most


def test_message_is_shortened_to_the_length_that_a_modem_takes():
    """The candidacies need 63 characters, and the regions more than the rest of 150."""
    swarm = Swarm(line(2), first, tasks='count', message_length=150)
    swarm.sweep(4)
    assert swarm.leaders() == {1: 1, 2: 1}
    assert max(map(len, swarm.said.values())) <= 150
    assert counts(swarm, 'decisions_left_out')[1] > 0


# News, and what a round costs.

class Restless(Task):
    """Decides otherwise in each round."""

    rounds = 0

    def decide(self, summary: Any) -> int:
        self.rounds += 1
        return self.rounds


@pytest.mark.parametrize('more', [
    {}, {'connected': True}, {'hierarchy': '20'}, {'collection': 'gossip'}])
def test_changing_decision_triggers_no_round(more):
    swarm = Swarm(line(5), first, {'restless': Restless}, schedule='reactive', tasks='restless',
                  **more)
    swarm.sweep(20)
    decided = swarm.decisions()[5]
    for _ in range(5):
        swarm.now += 1.0
        for i in swarm.robots:
            before = swarm.said[i]
            swarm.speak(i)
            assert swarm.said[i] != before
            for j, robot in swarm.robots.items():
                if j != i:
                    assert not (robot.receive(swarm.said[i], swarm.now)
                                and robot.would_change(swarm.now) is not None)
    assert swarm.decisions()[5][0] == decided[0] + 5, 'news of the leader arrives all the same'


def calls(neighbours: int, **settings: Any) -> int:
    """Return the number of function calls of a round by the number of neighbours."""
    places = {i: (0.0, 0.01 * i) for i in range(neighbours + 1)}
    swarm = Swarm(places, lambda i: {'strength': float(i == 1)}, **settings)
    swarm.sweep(3)
    number = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal number
        number += event in ('call', 'c_call')
    sys.setprofile(count)
    try:
        swarm.robots[neighbours].round(swarm.now)
    finally:
        sys.setprofile(None)
    return number


@pytest.mark.parametrize('settings', [
    {'tasks': 'count', 'connected': True}, {'regions': True, 'hierarchy': '20'}])
def test_cost_of_a_round_is_linear_in_the_neighbours(settings):
    few, some, many = (calls(neighbours, **settings) for neighbours in (6, 12, 24))
    assert many - some == pytest.approx(2 * (some - few), rel=0.1)


# The regions of one robot, as it takes part in them.

STATE = BOUNDED.state(-9.0, 2.0, 8, 2)


class Warm(Task):
    """Finds the warmest robot."""

    collects = {'best': top(1)}
    seen: dict[int, Any] = {}

    def sense(self) -> Any:
        return {'best': 3.0}

    def act(self, decision: Any) -> None:
        self.seen[self.member.id] = (self.member.neighbours, self.member.borders)


def alone(rounds: int = 1, instance: str = 'main', **settings: Any) -> Membership:
    """Return the regions of robot 1, which is at (1, 2)."""
    robots = Swarm({1: (1.0, 2.0)}, kinds={'warm': Warm}, **settings)
    robots.sweep(rounds)
    part: Membership = robots.instances(instance)[1].parts['regions']
    return part


def test_region_without_a_round_has_no_decision_and_no_errors() -> None:
    part = alone(0, tasks='warm')
    assert part.region.decision == alone(1, role='relay', regions=True).region.decision == ''
    assert part.decision == [] and part.concern() == ('', '0 members known', {
        'members': '0', 'task_errors': 0, 'rejected_other_tasks': 0, 'rejected_other_summary': 0,
        'decisions_too_long': 0, 'rejected_other_algorithm': 0, 'warm.errors': 0})


def test_first_failing_task_is_the_fault_and_each_is_told_once() -> None:
    part = alone(0, tasks='warm,count')
    warm, count = part.task_runners
    for runner, text in ((count, 'no hands'), (warm, 'no sun')):
        runner.first_error = f'Traceback:\n  File\nLookupError: {text}\n'
    fault, _, values = part.concern() or ('', '', {})
    assert fault == 'task warm fails: LookupError: no sun'
    assert [values[f'{name}.traceback'] for name in ('warm', 'count')] == [
        f'Traceback:\n  File\nLookupError: {text}\n' for text in ('no sun', 'no hands')]
    fault, _, values = part.concern() or ('', '', {})
    assert fault == 'task warm fails: LookupError: no sun' and 'warm.traceback' not in values


def test_leader_knows_its_radius_and_announces_the_origin_without_a_position() -> None:
    robot = Swarm(line(1), metric='hops', regions=True, connected=True, radius=1.0).robots[1]
    part = robot.main.parts['regions']
    robot.round(1.0)
    assert part.radius(5.0) == 1.0 and part.region.own_announcement == (0.0, 0.0, 0.0)


class Wordy(Task):
    """Decides on what fits into a message alone, but not twice."""

    def decide(self, summary: Any) -> str:
        return 'x' * (MAX_DECISION * 2 // 3)


def test_decisions_that_are_too_long_together_are_not_sent_and_counted() -> None:
    robots = Swarm({1: (1.0, 2.0)}, kinds={'wordy': Wordy, 'other': Wordy}, tasks='wordy,other')
    part: Membership = robots.instances('main')[1].parts['regions']
    for rounds in (1, 2):
        robots.sweep(1)
        concern = part.concern()
        assert part.region.decision == ''
        assert concern is not None and concern[2]['decisions_too_long'] == rounds
    assert part.leadership(0.0, None, True) == {'tasks': 'wordy,other'}


def test_contribution_counts_one_robot_and_on_a_level_those_of_a_region() -> None:
    for members, fault, above in ((1.0, None, None), (2.0, WRONG_SUMMARY, None)):
        sent = region_part(members=(7,), ages=(0,), contributions=((members,),))
        for instance, expected in (('main', fault), ('level_1', above)):
            part = alone(0, instance, hierarchy='20', collection='gossip')
            assert part.read(7, STATE, sent, 0)[1] == expected


@pytest.mark.parametrize(('number', 'age'), [(0, 0), (1, 3)])
def test_decision_ages_by_missed_messages(number: int, age: int) -> None:
    sent = region_part(summary=(1.0,), decision_version=number)
    assert alone(0, regions=True).read(7, STATE, sent, 3)[0].decision_age == age


def test_task_knows_the_neighbours_in_its_region_and_a_leader_the_borders() -> None:
    """Robots 1 and 2 follow 1, and robot 3 leads alone."""
    robots = Swarm(line(3), lambda i: of_one(i, {1: 9.0, 3: 8.0}), {'warm': Warm}, radius=1.0,
                   connected=True, tasks='warm')
    robots.sweep(8)
    seen = Warm.seen
    assert seen[1] == ({2: (1.0, 0.0)}, {3: (2.0, 0.0, 1.0)})
    assert seen[2] == ({1: (0.0, 0.0)}, {})
    assert seen[3] == ({}, {1: (0.0, 0.0, 2.0)})


@pytest.mark.parametrize(('mandate', 'role', 'counted', 'spreading'), [
    (0.0, RELAY, 0.0, 'gradient'), (5.0, CANDIDATE, 1.0, 'gradient'),
    (0.0, CANDIDATE, 1.0, 'gossip')])
def test_robot_without_a_position_keeps_the_newest_decision_of_its_leader(
        mandate: float, role: int, counted: float, spreading: str) -> None:
    """Robot 8 is nearer to the leader, but late, so it is not the parent."""
    part = alone(0, regions=True, mandate=mandate, spreading=spreading)
    leader = BOUNDED.state(-9.0, 0.0, 7, 0)
    near, state = (leader._replace(distance=far, hops=1) for far in (0.2, 1.0))
    if mandate:
        part._mandates.mandates.number = 100
    for number, text in ((10, '["new"]'), (9, '["old"]')):
        sent = region_part(summary=(1.0,), decision_version=number, decision=text)
        view = no_view()._replace(
            messages=[Message(7, 'map', None, leader), Message(8, 'map', None, near)],
            exports=[leader, near], metric=[1.0, 0.5], missed=[0, 1], read={'regions': [
                part.read(7, leader, sent, 0)[0], part.read(8, near, region_part(), 1)[0]]})
        part.round(ElectionOutcome(
            Device(1, 0.0), role, role == RELAY, False, 7, 1.0, 9.0, state, state, view,
            no_view()._replace(read={'regions': []}), None, float(20 - number)))
        assert (part.decision, part.region.decision_version) == (['new'], 10)
        assert (part.region.role, part.region.contribution[0]) == (role, counted)
        assert part.region.parent == 7


def test_decision_of_a_leader_has_the_number_of_its_beat_with_mandates() -> None:
    robots = Swarm({1: (1.0, 2.0)}, tasks='count', mandate=5.0)
    parts = robots.instances()[1].parts
    parts['mandates'].mandates.number = 50
    robots.sweep(1)
    assert parts['regions'].region.decision_version == parts['mandates'].mandates.part.beat == 51
