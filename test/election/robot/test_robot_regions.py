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

from dataclasses import replace
from importlib.resources import files
import json
import math
import random
import sys
from typing import Any

from budget import examples
from election.robot.swarm import line, of_one, Swarm
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from leader_election.election.messages.codec import codec_for, MAX_LENGTH, Message
from leader_election.election.messages.wire import MAX_DECISION, MAX_ID
from leader_election.election.regions.aggregate import histogram, mean, total
from leader_election.election.regions.task import Task
import pytest

SCHEMA = Draft202012Validator(json.loads(
    (files('leader_election.election.messages') / 'neighbourhood.schema.json').read_text()))


def first(i: int) -> dict[str, float]:
    """Robot 1 is the strongest."""
    return of_one(i, {1: 9.0})


def counts(swarm: Swarm, name: str) -> dict[int, int]:
    """Return a counter of each robot or of its first instance."""
    return {i: robot.counts[name] + robot.main.counts[name] for i, robot in swarm.robots.items()}


# Robots of all kinds.

def test_message_has_only_position_and_state_without_regions():
    swarm = Swarm(line(2), first)
    swarm.sweep(3)
    for robot, position, state in (
            (1, [0.0, 0.0], [-9.0, 0.0, 1, 0]), (2, [1.0, 0.0], [-9.0, 1.0, 1, 1])):
        document = json.loads(swarm.said[robot])
        assert (document['p'], document['c']) == (position, state)
        assert not document.keys() & {'r', 't', 'd'}


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


@pytest.mark.parametrize('collection', ['tree', 'multi-path'])
def test_member_is_counted_when_only_one_side_measures_the_range(collection):
    """Robot 3 measures 2 and forwards all to it. Robot 2 hears 3, and cannot measure it."""
    swarm = Swarm(line(4), first, metric='range', collection=collection, regions=True,
                  input_expiry=1e5)
    for i, robot in swarm.robots.items():
        for j in {i - 1, i + 1} & line(4).keys():
            if (i, j) != (2, 3):
                robot.sensing.take_measurements([j, 1.0], 0.0)
    swarm.sweep(20)
    assert swarm.leaders() == dict.fromkeys(line(4), 1) and swarm.members() == {1: 4.0}


def test_range_of_a_link_changes_at_run_time():
    """
    2 and 3 are 1 m from 1, and 1 m and 0.6 m from 4, which splits by 1.01 - apart / range.

    Of 1.1 m that is 0.1009 and 0.4645, of which 3 gets 0.822; of 1.5 m it is 0.3433 and 0.61.
    """
    places = {1: (0.0, 0.0), 2: (0.8, 0.6), 3: (1.0, 0.0), 4: (1.6, 0.0)}
    swarm = Swarm(places, first, regions=True, communication_range=1.1)
    swarm.sweep(6)
    assert swarm.instances()[4].parts['regions'].region.shares[:2] == (0.178, 0.822)
    for robot in swarm.robots.values():
        robot.configure(replace(robot.parameters, communication_range=1.5))
    swarm.sweep(1)
    assert swarm.instances()[4].parts['regions'].region.shares[:2] == (0.36, 0.64)


@pytest.mark.parametrize(('late', 'members'), [(1.0, 2.0), (2.0, 1.0)])
def test_robot_out_of_range_is_counted_until_it_has_missed_messages(
        late: float, members: float) -> None:
    """Other robots may have received its later messages, and count it."""
    swarm = Swarm(line(2), first, regions=True)
    swarm.sweep(6)
    assert swarm.members() == {1: 2.0}
    swarm.silent.add(2)
    swarm.places[1] = (-1.0, 0.0)
    swarm.now += late
    swarm.speak(1)
    assert swarm.robots[1].neighbours == [] and swarm.members() == {1: members}


@pytest.mark.parametrize(('silent', 'parent', 'least'), [(1, 3, 0.8), (2, 2, 0.99)])
def test_late_neighbour_is_parent_only_when_no_other_is_heard(
        silent: int, parent: int, least: float) -> None:
    """Robot 3 is the better parent of 4 until a message is missed. Then 2 gets nearly all."""
    places = {1: (0.0, 0.0), 2: (0.8, 0.6), 3: (1.0, 0.0), 4: (1.6, 0.0)}
    swarm = Swarm(places, first, regions=True, communication_range=1.1)
    swarm.sweep(6)
    swarm.silent.add(3)
    swarm.sweep(silent)
    region = swarm.instances()[4].parts['regions'].region
    shares = dict(zip(map(int, region.recipients), region.shares))
    assert 3 in shares and shares[parent] >= least
    assert region.parent == parent


def test_robot_is_counted_as_different_when_its_tasks_differ():
    """
    Robots 1 and 2 count, 3 and 4 have another task.

    Robots 2 and 3 hear each other once a round.
    """
    swarm = Swarm(line(4), lambda i: {**first(i), 'tasks': 'count' if i < 3 else 'other'},
                  {'other': Task})
    swarm.sweep(10)
    assert swarm.leaders() == dict.fromkeys(line(4), 1)
    assert swarm.members() == {1: 2.0}
    # 2 runs its first round before it has heard 3.
    assert counts(swarm, 'rejected_other_tasks') == {1: 0, 2: 9, 3: 10, 4: 0}


def test_robot_is_counted_as_different_when_it_collects_in_another_way():
    swarm = Swarm(line(2), lambda i: {
        **first(i), 'collection': 'tree' if i == 1 else 'multi-path'}, regions=True)
    swarm.sweep(5)
    assert swarm.leaders() == {1: 1, 2: 1} and swarm.members() == {1: 1.0}
    assert counts(swarm, 'rejected_other_summary')[1] > 0


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


def test_radius_of_a_region_is_the_one_that_feedback_sent():
    swarm = Swarm(line(1), first, regions=True, radius=3.0)
    swarm.sweep(1)
    part = swarm.instances()[1].parts['regions']
    for reach, radius in ((0.5, 0.5), (4.0, 4.0), (0.0, 3.0)):
        part.region = part.region._replace(reach=reach)
        assert part.radius(3.0) == radius


def test_region_announces_itself_without_a_position():
    swarm = Swarm(line(2), first, regions=True, connected=True, metric='hops',
                  communication_range=math.inf)
    for robot in swarm.robots.values():
        robot.sensing.configure(replace(robot.parameters, odometry_expiry=0.0))
    swarm.sweep(1)
    for robot in swarm.robots.values():
        robot.round(swarm.now + 5.0)
        own = robot.main.parts['regions'].region.own_announcement
        assert own[:2] == (0.0, 0.0)


class Opaque(Task):
    """Makes nothing of what it collects."""

    collects = {'sum': replace(total(), result=lambda row: row[9])}


def test_summary_is_evaluated_once_a_round():
    """It fails on the leader once in each of five rounds, although it is read more often."""
    swarm = Swarm(line(2), first, {'opaque': Opaque}, tasks='opaque')
    for _ in range(5):
        swarm.sweep()
        for instance in swarm.instances().values():
            summary = instance.parts['regions'].summary
            assert summary is instance.parts['regions'].summary and summary['opaque.sum'] is None
    assert counts(swarm, 'task_errors')[1] == 5


class Verbose(Task):
    """Decides as much as it may."""

    def decide(self, summary: Any) -> Any:
        return 'x' * (MAX_DECISION - 4)


def test_decisions_are_not_sent_when_too_long_together():
    kinds = {'verbose': Verbose, 'garrulous': Verbose}
    swarm = Swarm(line(2), first, kinds, tasks='verbose,garrulous')
    swarm.sweep(5)
    assert swarm.decisions() == {1: [], 2: []} and swarm.members() == {1: 2.0}
    assert counts(swarm, 'decisions_too_long') == {1: 5, 2: 0}


# Ways to collect.

class Weighing(Task):
    """Adds up numbers of many digits."""

    collects = {'sum': total(2), 'mean': mean(), 'bins': histogram(0.0, 30.0, 4)}

    def sense(self) -> Any:
        i = self.member.id
        return {'sum': (math.pi * 1e5 * i, -math.e * i * i), 'mean': math.sqrt(i), 'bins': i}


@settings(max_examples=examples(2))
@given(st.integers(0, 999))
def test_sum_is_equal_by_tree_and_in_shares_to_the_sent_digits(seed):
    """Numbers are sent with eight digits, and rounded at each hop."""
    draw = random.Random(seed)
    places = {i: (draw.random() * 4, draw.random() * 4) for i in range(1, 26)}
    by: dict[str, Any] = {}
    for collection in ('tree', 'multi-path'):
        swarm = Swarm(places, first, {'weighing': Weighing}, tasks='weighing', radius=100.0,
                      collection=collection)
        swarm.sweep(30, random.Random(seed))
        by[collection] = {i: instance.parts['regions'].summary
                          for i, instance in swarm.instances().items() if instance.leads}
    assert by['tree'].keys() == by['multi-path'].keys()
    for leader, summary in by['tree'].items():
        other = by['multi-path'][leader]
        for name in ('weighing.sum', 'weighing.mean', 'weighing.bins'):
            assert other[name] == pytest.approx(summary[name], rel=1e-6, abs=1e-6)


# Sizes.

def longest(ids: int = 900_000, **settings: Any) -> tuple[Swarm, int]:
    """Return a swarm of robots with strengths of many digits, and its longest message."""
    draw = random.Random(3)
    places = {ids + i: (-100.0 + draw.random() * 5, -100.0 + draw.random() * 5)
              for i in range(20)}
    others = settings.pop('others', {})
    swarm = Swarm(places, lambda i: {'strength': draw.random() * math.pi, 'others': {
        name: {**values, 'strength': draw.random()} for name, values in others.items()}},
        communication_range=3.0, radius=6.0, **settings)
    swarm.sweep(10, draw)
    return swarm, max(map(len, swarm.said.values()))


@pytest.mark.parametrize('further, ids, most', [
    ({'regions': True}, 900_000, 160), ({'regions': True, 'collection': 'tree'}, 900_000, 120),
    # The number of its decision included: 15 characters.
    ({'tasks': 'count'}, 900_000, 265), ({'regions': True}, 100, 150),
    ({'regions': True, 'feedback_gain': 0.1}, 100, 150)])
def test_message_length_is_bounded_with_regions_and_instances(further, ids, most):
    """Ids have six digits, and a region holds six or three ids."""
    alone = longest(ids, tasks='count')[1]
    assert alone < 310
    assert longest(ids, tasks='count', others={'charging': further})[1] - alone < most


class Chatty(Task):
    """Collects as much as there is room for, of numbers with many digits."""

    def __init__(self, member: Any, settings: Any) -> None:
        super().__init__(member, settings)
        self.collects = {f's{k}': total(64) for k in range(10)}

    def sense(self) -> Any:
        return {f's{k}': [math.pi * 1e5] * 64 for k in range(10)}

    def decide(self, summary: Any) -> Any:
        return 'x' * 1000


def test_message_is_shortened_when_beyond_the_limit():
    """A summary has 640 numbers of nine characters, too many even without the decision."""
    swarm = Swarm(line(2), first, {'chatty': Chatty}, tasks='chatty')
    swarm.sweep(4)
    assert swarm.leaders() == {1: 1, 2: 1}, 'the election goes on'
    assert max(map(len, swarm.said.values())) < MAX_LENGTH
    assert counts(swarm, 'regions_left_out') == {1: 4, 2: 4}
    assert counts(swarm, 'decisions_left_out') == {1: 4, 2: 0}, 'none arrives'
    assert counts(swarm, 'instances_left_out') == {1: 0, 2: 0}


def test_message_is_shortened_to_the_length_that_a_modem_takes():
    """The candidacies need 63 characters, and the regions more than the rest of 150."""
    swarm = Swarm(line(2), first, tasks='count', message_length=150)
    swarm.sweep(4)
    assert swarm.leaders() == {1: 1, 2: 1}
    assert max(map(len, swarm.said.values())) <= 150
    assert counts(swarm, 'decisions_left_out')[1] > 0


# Robots out of their mind.

def liar(swarm: Swarm, **changes: Any) -> str:
    """Return a changed message of robot 3 under the id of robot 9 at the same place."""
    document = {**json.loads(swarm.said[3]), 'id': 9, **changes}
    return json.dumps(document).replace('"1e999"', '1e999')


def with_liar(**changes: Any) -> Swarm:
    """Return a line of three that counts itself, with a liar who hands all it says to robot 2."""
    swarm = Swarm(line(3), first, tasks='count')
    swarm.sweep(10)
    for _ in range(6):
        swarm.tell(3, liar(swarm, **changes))
        swarm.sweep(1)
    return swarm


@pytest.mark.parametrize('summary', [
    [1e9, 1, 2, 0], [100_001], [-1], [None, 1, 2, 0], ['1e999', 1, 2, 0], [1, '1e999'], [1] * 5,
    [1, None], [], 7, ['many'], [[1]], [1] * 1100])
def test_summary_is_rejected_when_invalid(summary):
    swarm = with_liar(r={'p': 2, 's': summary, 'n': [2], 'f': [1000]})
    assert swarm.members() == {1: 3.0}
    known = counts(swarm, 'rejected_summary')[2] + counts(swarm, 'rejected_other_summary')[2]
    assert known >= 6
    assert swarm.decisions()[1] == [{'members': 3, 'centre': [1.0, 0.0]}]


def test_false_summary_within_the_limits_counts_until_its_sender_is_silent():
    """A false count of a thousand cannot be detected. It expires with its sender."""
    swarm = with_liar(r={'p': 2, 's': [1000, 0, 0, 0], 'n': [2], 'f': [1000]})
    assert swarm.members() == {1: 1003.0}
    swarm.sweep(7)
    assert swarm.members() == {1: 3.0}


def test_sender_is_ignored_when_its_summary_is_beyond_the_limit():
    """Robot 2 sends a sum of 100,002. Robot 1 ignores the message, and leads itself."""
    swarm = with_liar(r={'p': 2, 's': [100_000, 0, 0, 0], 'n': [2], 'f': [1000]})
    assert swarm.members() == {1: 1.0}
    assert counts(swarm, 'rejected_other_summary')[1] >= 3


@pytest.mark.parametrize('decision', ['go', {}, 7, ['x' * 2000], ['1e999']])
def test_decision_is_counted_as_a_fault_when_invalid(decision):
    swarm = with_liar(d=decision)
    assert swarm.decisions()[2] == [{'members': 4, 'centre': [1.25, 0.0]}], 'it counts, too'
    assert counts(swarm, 'rejected_decision')[2] == 6


# Spreading by gossip.

def test_decision_by_gossip_has_version_and_age():
    swarm = Swarm(line(3), first, tasks='count', spreading='gossip')
    swarm.sweep(10)
    assert swarm.decisions() == {i: [{'members': 3, 'centre': [1.0, 0.0]}] for i in (1, 2, 3)}
    told = {i: json.loads(text)['r'] for i, text in swarm.said.items()}
    assert {i: (region['v'], region.get('w')) for i, region in told.items()} == {
        1: (10, None), 2: (10, 1), 3: (10, 2)}
    for text in swarm.said.values():
        SCHEMA.validate(json.loads(text))


def test_decision_by_gossip_ages_by_the_missed_rounds():
    """Robot 2 falls silent while its message is valid. Robot 3 counts the missed rounds."""
    swarm = Swarm(line(3), first, tasks='count', spreading='gossip', message_expiry=5.0)
    swarm.sweep(10)
    swarm.silent.add(2)
    swarm.sweep(3)
    # The message of age 1 is on time once, then one and two are missed: 2, 3, 4.
    assert swarm.robots[3].main.parts['regions'].region.decision_age == 4


NUMBERS = st.sampled_from([0, 1, -1, 2, 3, 7, 0.5, 1000, 1e5, 1e9, -1e9, MAX_ID, -MAX_ID, 1e308])
ROW = st.lists(NUMBERS | st.none(), max_size=60)
REGION = st.tuples(
    st.integers(-1, 9), ROW, st.sampled_from([0, 1e-9, 3, 1e9]), st.lists(st.integers(0, 9),
                                                                          max_size=2),
    st.sampled_from([[], [1000], [400, 600], [0, 1000]]), ROW, st.lists(st.integers(0, 9),
                                                                        max_size=3),
    st.lists(st.integers(0, 9), max_size=3), st.lists(ROW, max_size=3)).map(list)
CANDIDACIES = st.tuples(NUMBERS, NUMBERS.map(abs), st.integers(0, 9)).map(list)
KINDS = st.sampled_from([
    {'tasks': 'count'}, {'tasks': 'count', 'collection': 'tree'},
    {'regions': True, 'collection': 'gossip', 'gossip_members': 2},
    {'tasks': 'count', 'connected': True},
    {'regions': True, 'feedback_gain': 2.0, 'feedback_alpha': 1.0},
    {'regions': True, 'hierarchy': '20', 'connected': True},
    {'regions': True, 'zones': '{a: [[0, 0], [9, 0], [9, 9]]}'}])


@settings(max_examples=examples(60))
@given(KINDS, st.lists(st.tuples(st.integers(2, 9), CANDIDACIES, REGION, REGION, st.lists(
    ROW | st.none() | st.text(max_size=3), max_size=2)), min_size=1, max_size=4))
def test_sent_message_is_valid_after_any_received_message(kind, heard):
    """The number of known members is also finite and not negative."""
    me = Swarm({1: (0.0, 0.0)}, lambda i: {'strength': 1.0}, **kind)
    me.sweep(1)
    robot = me.robots[1]
    for sender, candidacy, region, other, decision in heard:
        tasks = {'t': 'count'} if 'tasks' in kind else {}
        document = {'v': 1, 'id': sender, 'frame': 'map', 'p': [1.0, 0.0], 'c': candidacy,
                    'r': region, 'd': decision, **tasks, 'i': {'level_1': {
                        'c': candidacy, 'r': other, 'd': decision}}}
        robot.receive(json.dumps(document), me.now)
        me.sweep(2)
        robot.would_change(me.now)
        said = codec_for(robot.main.algorithm).decode(me.said[1])
        assert isinstance(said, Message) and said.faults == ()
        SCHEMA.validate(json.loads(me.said[1]))
        for instance in robot.instances.values():
            assert 0.0 <= instance.parts['regions'].summary.get('members', 0.0) < math.inf
            assert instance.counts['task_errors'] == 0 and instance.distance >= 0.0


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
                                and robot.would_change(swarm.now))
    assert swarm.decisions()[5][0] == decided[0] + 5, 'news of the leader arrives all the same'


def test_round_is_triggered_by_the_election_of_any_instance():
    swarm = Swarm(line(2), lambda i: {'others': {'rescue': {'strength': 2.0 - i}}})
    swarm.sweep(5)
    document = json.loads(swarm.said[1])
    document['i']['rescue']['c'] = [-99, 0, 1]
    assert swarm.robots[2].receive(json.dumps(document), swarm.now)
    assert swarm.robots[2].would_change(swarm.now)


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
    {'tasks': 'count'}, {'tasks': 'count', 'collection': 'tree'},
    {'regions': True, 'connected': True}, {'regions': True, 'feedback_gain': 1.0},
    {'regions': True, 'hierarchy': '20'}])
def test_cost_of_a_round_is_linear_in_the_neighbours(settings):
    few, some, many = (calls(neighbours, **settings) for neighbours in (10, 20, 40))
    assert many - some == pytest.approx(2 * (some - few), rel=0.1)
