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
from leader_election.election.regions.task import Task
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
    # In each of ten rounds all fail to sense, act and speak, and robot 1, which leads, to decide.
    assert counts(swarm, 'task_errors') == {1: 40, 2: 30, 3: 30}
    assert all('RuntimeError: sense' in robot.main.parts['regions'].task_runners[0].first_error
               for robot in swarm.robots.values())


def test_first_failing_task_is_reported_with_its_traceback_once():
    swarm = Swarm(line(1), first, {'broken': Broken}, tasks='count,broken')
    swarm.sweep(1)
    part = swarm.instances()[1].parts['regions']
    fault, summary, values = part.concern()
    assert (fault, summary) == ('task broken fails: RuntimeError: sense', '1 members known')
    assert (values['count.errors'], values['broken.errors']) == (0, 3)
    assert values['broken.traceback'].endswith('RuntimeError: sense\n')
    again, _, values = part.concern()
    assert again == fault and 'broken.traceback' not in values


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
