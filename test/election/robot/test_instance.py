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

"""Regions on robots, by hand: the pattern, and each of its variants."""

from dataclasses import replace
import json
import math
from types import SimpleNamespace
from typing import Any

from election.robot.swarm import line, of_one, Swarm
from leader_election.election.regions.aggregate import top
from leader_election.election.regions.task import Task
import pytest

COLLECTIONS = pytest.mark.parametrize('collection', ['tree', 'multi-path', 'gossip'])
WEST_AND_EAST = ('{west: [[0, -1], [2, -1], [2, 1], [0, 1]], '
                 'east: [[2, -1], [4, -1], [4, 1], [2, 1]]}')


def first(i: int) -> dict[str, float]:
    """Robot 1 is the strongest."""
    return of_one(i, {1: 9.0})


@COLLECTIONS
def test_line_counts_its_members(collection):
    swarm = Swarm(line(4), first, tasks='count', collection=collection)
    swarm.sweep(12)
    assert swarm.members() == {1: 4.0}
    assert swarm.decisions() == {i: [{'members': 4, 'centre': [1.5, 0.0]}] for i in line(4)}
    assert [instance.distance for instance in swarm.instances().values()] == [0, 1, 2, 3]
    assert [instance.role for instance in swarm.instances().values()] == [
        'leader', 'worker', 'worker', 'worker']


def test_message_has_sum_parent_and_decision():
    """Robot 2 forwards three robots to robot 1: 4, 3 and itself. Their x add up to 3 + 2 + 1."""
    swarm = Swarm(line(4), first, tasks='count')
    swarm.sweep(12)
    document = json.loads(swarm.said[2])
    assert document['t'] == 'count'
    region = {'p': 1, 's': [3, 3, 6, 0], 'n': [1], 'f': [1000], 'v': 12}
    assert document['r'].items() >= region.items()
    assert document['d'] == [{'members': 4, 'centre': [1.5, 0.0]}]


def test_contribution_is_divided_between_equal_parents():
    """Robots 2 and 3 are equally far from 4, so each gets half of it, and forwards 1.5 robots."""
    places = {1: (0.0, 0.0), 2: (1.0, 0.5), 3: (1.0, -0.5), 4: (2.0, 0.0)}
    swarm = Swarm(places, first, regions=True, communication_range=1.2)
    swarm.sweep(10)
    regions = {i: instance.parts['regions'].region for i, instance in swarm.instances().items()}
    assert regions[4].recipients[:2] == (2, 3) and regions[4].shares[:2] == (0.5, 0.5)
    assert [regions[i].summary for i in places] == [(4.0,), (1.5,), (1.5,), (1.0,)]


# Roles.

def test_workers_and_relays_do_not_lead():
    """Robot 3, the strongest, is a worker. Robot 2 is a relay, and is not counted."""
    roles = {2: 'relay', 3: 'worker'}
    swarm = Swarm(line(4), lambda i: {'role': roles.get(i, 'candidate'),
                                      **of_one(i, {1: 5.0, 3: 99.0})}, tasks='count')
    swarm.sweep(12)
    assert swarm.leaders() == dict.fromkeys(line(4), 1)
    assert [instance.role for instance in swarm.instances().values()] == [
        'leader', 'relay', 'worker', 'worker']
    # x of 1, 3 and 4: 0 + 2 + 3 = 5.
    assert swarm.decisions() == {i: [{'members': 3, 'centre': [1.67, 0.0]}] for i in line(4)}


def test_nobody_leads_when_there_are_no_candidates():
    swarm = Swarm(line(2), tasks='count', role='worker')
    swarm.sweep(8)
    assert swarm.leaders() == {1: 1, 2: 1}, 'the lower id is named, for want of a candidate'
    assert swarm.members() == {} and swarm.decisions() == {1: [], 2: []}
    assert [instance.role for instance in swarm.instances().values()] == ['worker', 'worker']


# Regions fixed beforehand.

def test_each_zone_has_its_own_leader():
    """
    Each zone has two robots.

    The strongest robot is in no zone, so it leads and hears nobody.
    """
    places = {1: (0.5, 0.0), 2: (1.5, 0.0), 3: (2.5, 0.0), 4: (3.5, 0.0), 5: (1.5, 1.4)}
    swarm = Swarm(places, lambda i: {'strength': float(i)}, tasks='count', zones=WEST_AND_EAST,
                  radius=0.1)
    swarm.sweep(8)
    assert swarm.leaders() == {1: 2, 2: 2, 3: 4, 4: 4, 5: 5}
    assert swarm.members() == {2: 2.0, 4: 2.0}
    main = swarm.instances()
    assert [i.parts['zones'].zone for i in main.values()] == ['west', 'west', 'east', 'east', None]
    assert [main[i].role for i in (4, 5)] == ['leader', 'relay']
    outside = main[5].parts['regions'].task_runners[0].task.member
    assert main[5].leader == outside.leader == -1
    assert main[5].distance == outside.distance == math.inf
    assert swarm.decisions()[5] == [] and main[5].parts['regions'].summary['members'] == 0.0
    assert math.isinf(main[1].radius), 'a zone has no radius'
    # Who moves over belongs there.
    swarm.places[3] = (1.9, 0.0)
    swarm.sweep(8)
    assert swarm.leaders() == {1: 3, 2: 3, 3: 3, 4: 4, 5: 5}
    assert swarm.members() == {3: 3.0, 4: 1.0}


# Recursive never forgets who is gone, in zones or not.
@pytest.mark.parametrize('algorithm', [
    'bounded', 'classic', 'recursive-replicated', 'resilient', 'colour'])
def test_zone_elects_another_leader_when_its_leader_fails(algorithm):
    """
    Robot 1 falls silent.

    Then 2, the next leader, drives out of the zone, and is still heard.
    """
    swarm = Swarm(line(5), lambda i: {'strength': -float(i)}, regions=True, algorithm=algorithm,
                  zones='{hall: [[-1, -1], [4.5, -1], [4.5, 1], [-1, 1]]}')
    swarm.sweep(70)
    assert swarm.leaders() == dict.fromkeys(line(5), 1) and swarm.members() == {1: 5.0}
    swarm.silent.add(1)
    swarm.sweep(70)
    assert swarm.leaders() == dict.fromkeys(range(2, 6), 2) and swarm.members() == {2: 4.0}
    swarm.places[2] = (1.5, 1.1)
    swarm.sweep(70)
    assert swarm.leaders() == {2: 2, 3: 3, 4: 3, 5: 3} and swarm.members() == {3: 3.0}


class Surveyor(Task):
    """Decides on the corners of its leader's zone."""

    def decide(self, summary: Any) -> Any:
        return self.member.zone


def test_task_receives_the_zone_of_its_robot():
    swarm = Swarm({1: (0.5, 0.0), 2: (9.0, 0.0)}, first, {'surveyor': Surveyor},
                  tasks='surveyor', zones=WEST_AND_EAST)
    swarm.sweep(2)
    assert swarm.decisions() == {1: [[[0, -1], [2, -1], [2, 1], [0, 1]]], 2: []}
    assert swarm.instances()[2].parts['regions'].task_runners[0].task.member.zone is None


# Connected leaders.

def two_regions(**settings: Any) -> Swarm:
    """Return robots 1 to 6 in a line, that 2 and 5 lead, each with its two neighbours."""
    return Swarm(line(6), lambda i: of_one(i, {2: 2.0, 5: 3.0}), radius=1.0, **settings)


def test_leader_knows_position_and_size_of_neighbouring_regions():
    swarm = two_regions(connected=True)
    swarm.sweep(12)
    assert swarm.members() == {2: 3.0, 5: 3.0}
    found = {i: instance.parts['regions'].borders()
             for i, instance in swarm.instances().items() if instance.leads}
    assert found == {2: {5: (4.0, 0.0, 3.0)}, 5: {2: (1.0, 0.0, 3.0)}}
    # Robots 3 and 4 stand at the border.
    assert json.loads(swarm.said[3])['r']['s'][1:6] == [5, 5, 4, 0, 3]


class Speaker(Task):
    """Says something of its own."""

    collects = {'best': top(1)}
    known: dict[int, Any] = {}

    def announce(self) -> tuple[float, ...]:
        return (100.0 + self.member.id,)

    def act(self, decision: Any) -> None:
        self.known[self.member.id] = dict(self.member.borders)


def test_task_announces_to_neighbouring_leaders_and_receives_their_announcements():
    swarm = two_regions(connected=True, tasks='speaker', kinds={'speaker': Speaker})
    swarm.sweep(12)
    assert Speaker.known == {1: {}, 2: {5: (105.0, 0.0, 0.0)}, 3: {}, 4: {},
                             5: {2: (102.0, 0.0, 0.0)}, 6: {}}


def test_longest_id_is_exact_across_a_border():
    """An id is a whole number in a summary, so it is sent exactly."""
    far = 2**53 - 1
    places = {1: (0.0, 0.0), 2: (1.0, 0.0), far: (2.0, 0.0)}
    swarm = Swarm(places, lambda i: of_one(i, {1: 1.0, far: 2.0}), radius=0.5, connected=True)
    swarm.sweep(8)
    assert list(swarm.instances()[2].parts['regions'].borders()) == [1, far]


# Leaders of leaders.

def test_each_robot_is_counted_once_with_two_levels():
    """Robots 2 and 5 lead three robots each. The stronger 5 leads both and counts six above."""
    swarm = two_regions(hierarchy='10', tasks='count')
    swarm.sweep(30)
    assert swarm.members() == {2: 3.0, 5: 3.0}
    assert swarm.leaders('level_1') == dict.fromkeys(line(6), 5)
    assert swarm.members('level_1') == {5: 6.0}
    assert [i.role for i in swarm.instances('level_1').values()] == [
        'relay', 'worker', 'relay', 'relay', 'leader', 'relay']
    below = swarm.instances()
    above = below[1].parts['regions'].task_runners[0].task.member.above
    assert above == {'members': 6, 'centre': [2.5, 0.0]}
    assert below[1].parts['regions'].decision == [{'members': 3, 'centre': [1.0, 0.0]}]


def test_each_robot_is_counted_once_with_two_levels_without_tasks():
    swarm = two_regions(hierarchy='10', connected=True)
    swarm.sweep(30)
    assert swarm.members('level_1') == {5: 6.0}
    # What is told over borders is another matter on each level: above there is one region.
    assert swarm.instances('level_1')[5].parts['regions'].borders() == {}
    assert swarm.instances()[5].parts['regions'].borders() == {2: (1.0, 0.0, 3.0)}


def test_level_uses_the_strength_of_the_first_instance():
    """The strength comes from a topic to which level_1 does not subscribe."""
    swarm = two_regions(hierarchy='10', strength_source='topic', input_expiry=1e5)
    for i, robot in swarm.robots.items():
        robot.main.take_strength(SimpleNamespace(data={2: 5.0, 5: 4.0}.get(i, 0.0)), 0.0)
    swarm.sweep(30)
    assert swarm.members('level_1') == {2: 6.0}
    assert not swarm.robots[1].instances['level_1'].strength_missing


# Given leaders.

GIVEN = {'given.leaders': '1,4'}


def given(**common):
    """Return six robots in a line, of which some are told to lead, after enough rounds."""
    swarm = Swarm(line(6), algorithm='given', radius=10.0, **GIVEN, **common)
    swarm.sweep(25)
    return swarm


def test_given_leader_counts_its_cell():
    """Robot 3 is 2 m from 1 and 1 m from 4. The equal strengths do not matter."""
    swarm = given(tasks='count')
    assert swarm.leaders() == {1: 1, 2: 1, 3: 4, 4: 4, 5: 4, 6: 4}
    assert swarm.members() == {1: 2.0, 4: 4.0}
    assert [i.role for i in swarm.instances().values()] == [
        'leader', 'worker', 'worker', 'leader', 'worker', 'worker']
    assert swarm.decisions()[6] == [{'members': 4, 'centre': [3.5, 0.0]}]


def test_robot_follows_nobody_when_no_given_leader_is_in_reach():
    swarm = given(tasks='count')
    swarm.silent.add(4)
    swarm.sweep(25)
    assert swarm.leaders() == {1: 1, 2: 1, 3: 1, 5: 5, 6: 6}, '5 is cut off: the range is 1.5 m'
    assert [swarm.instances()[i].role for i in (5, 6)] == ['candidate'] * 2
    assert swarm.decisions()[5] == [] and math.isinf(swarm.instances()[5].state.distance)
    assert not swarm.instances()[5].leads


def test_worker_does_not_lead_when_given_as_leader():
    swarm = Swarm(line(6), lambda i: {'role': 'worker' if i == 4 else 'candidate'},
                  algorithm='given', radius=10.0, **GIVEN)
    swarm.sweep(25)
    assert set(swarm.leaders().values()) == {1}


def test_levels_work_above_given_leaders():
    own = {'algorithm': 'given', 'radius': 10.0, **GIVEN}
    swarm = Swarm(line(6), lambda i: {
        **own, 'others': {'top': {**own, 'over': 'main', 'given.leaders': '4'}}}, tasks='count')
    swarm.sweep(30)
    assert set(swarm.leaders('top').values()) == {4}
    assert swarm.members('top') == {4: 6.0}


# Several at once.

def test_two_instances_elect_by_their_own_parameters():
    """The first elects 1 within 2 m. ``rescue`` elects 4 by hops for all robots."""
    swarm = Swarm(line(4), lambda i: {**first(i), 'others': {'rescue': {
        'algorithm': 'resilient', 'strength': float(i), 'tasks': 'count'}}},
        radius=2.0, regions=True, collection='tree')
    swarm.sweep(40)
    assert swarm.leaders() == {1: 1, 2: 1, 3: 1, 4: 4}
    assert swarm.members() == {1: 3.0, 4: 1.0}
    assert swarm.leaders('rescue') == dict.fromkeys(line(4), 4)
    assert swarm.decisions('rescue') == {i: [{'members': 4, 'centre': [1.5, 0.0]}]
                                         for i in line(4)}
    assert swarm.decisions() == {i: [] for i in line(4)}
    document = json.loads(swarm.said[3])
    assert list(document['i']) == ['rescue'] and document['i']['rescue']['a'] == 'resilient'


def test_instance_is_ignored_and_counted_when_its_algorithm_differs():
    swarm = Swarm(line(2), lambda i: {'others': {'rescue': {
        'algorithm': 'bounded' if i == 1 else 'classic'}}})
    swarm.sweep(3)
    assert swarm.leaders() == {1: 1, 2: 1} and swarm.leaders('rescue') == {1: 1, 2: 2}
    assert swarm.instances('rescue')[1].counts['rejected_other_algorithm'] == 2


def test_parameters_of_an_instance_change_at_run_time():
    """With a radius of 1 m robot 3 leads itself, until the radius is 5 m again."""
    swarm = Swarm(line(3), lambda i: {**first(i), 'others': {'rescue': {
        'strength': of_one(i, {1: 9.0})['strength'], 'radius': 1.0, 'regions': True}}})
    swarm.sweep(10)
    assert swarm.leaders() == {1: 1, 2: 1, 3: 1}
    assert swarm.leaders('rescue') == {1: 1, 2: 1, 3: 3}
    for robot in swarm.robots.values():
        robot.configure_instance('rescue', replace(
            robot.instances['rescue'].parameters, radius=5.0))
    swarm.robots[2].configure_instance('rescue', replace(
        swarm.robots[2].instances['rescue'].parameters, strength=10.0))
    swarm.sweep(10)
    assert swarm.leaders('rescue') == {1: 2, 2: 2, 3: 2} and swarm.members('rescue') == {2: 3.0}


# Feedback.

def test_members_know_the_radius_that_feedback_reduced():
    """
    The target is two of four members.

    The radius becomes 10 m * (1 + 0.1 * (1 - 4 / 2)) = 9 m. In units of that radius the
    farthest member is 3 m * 10 / 9 away. In metres it stays 3 m away.
    """
    swarm = Swarm(line(4), first, regions=True, radius=10.0, feedback_gain=0.1,
                  feedback_alpha=1.0, feedback_target=2.0)
    swarm.sweep(20)
    main = swarm.instances()
    assert [instance.radius for instance in main.values()] == [9.0] * 4
    assert main[4].state.distance == pytest.approx(30 / 9, abs=4e-4)
    assert main[4].distance == pytest.approx(3.0, abs=4e-4)
    assert json.loads(swarm.said[4])['r']['r'] == 9


def test_distance_stays_when_the_radius_changes_without_feedback():
    swarm = Swarm(line(2), first, regions=True, radius=10.0)
    swarm.sweep(5)
    robot = swarm.robots[2]
    robot.configure(replace(robot.parameters, radius=5.0))
    assert robot.main.distance == 1.0


def test_feedback_keeps_a_radius_of_zero():
    swarm = Swarm(line(2), first, regions=True, radius=0.0, feedback_gain=1.0)
    swarm.sweep(3)
    assert swarm.leaders() == {1: 1, 2: 2} and swarm.instances()[1].distance == 0.0


def test_candidacy_is_refused_when_its_leader_contradicts_it():
    """
    Robot 3 follows 4 now.

    Robot 2 hears 3 directly, and 1 has lost that message and follows 3.
    """
    swarm = Swarm({1: (0.9, 0.0), 2: (1.0, 0.0), 3: (2.0, 0.0), 4: (3.4, 0.0)},
                  lambda i: of_one(i, {3: 3.0, 4: 4.0}), radius=2.0)
    swarm.silent.add(4)
    swarm.sweep(3)
    assert swarm.leaders() == {1: 3, 2: 3, 3: 3}
    stale = swarm.said[1]
    swarm.silent.clear()
    for i in (4, 3, 2):
        swarm.speak(i)
        swarm.tell(i)
    swarm.tell(1, stale)
    swarm.speak(2)
    assert swarm.robots[3].state.leader == 4
    assert swarm.robots[2].state.leader == 2
