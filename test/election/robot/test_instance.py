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
from typing import Any

from election.robot.swarm import line, of_one, Swarm
from leader_election.election.messages.region_codec import TASKS_DIFFER
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


def test_neighbour_with_other_tasks_is_counted_in_each_round() -> None:
    swarm = Swarm(line(2), lambda i: {'tasks': 'count' if i == 1 else ''}, regions=True)
    swarm.sweep(3)
    assert swarm.robots[1].main.counts[TASKS_DIFFER] == 2


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
    assert (outside.zone, outside.decided) == (None, None)
    inside = main[1].parts['regions'].task_runners[0].task.member
    assert set(inside.zone) == {(0.0, -1.0), (2.0, -1.0), (2.0, 1.0), (0.0, 1.0)}
    assert swarm.decisions()[5] == [] and main[5].parts['regions'].summary['members'] == 0.0
    assert math.isinf(main[1].radius), 'a zone has no radius'
    # Who moves over belongs there.
    swarm.places[3] = (1.9, 0.0)
    swarm.sweep(8)
    assert swarm.leaders() == {1: 3, 2: 3, 3: 3, 4: 4, 5: 5}
    assert swarm.members() == {3: 3.0, 4: 1.0}


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


# Leaders of leaders.

def test_each_robot_is_counted_once_with_two_levels():
    """Robots 2 and 5 lead three robots each. The stronger 5 leads both and counts six above."""
    swarm = two_regions(hierarchy='10', tasks='count', connected=True)
    swarm.sweep(30)
    assert swarm.members() == {2: 3.0, 5: 3.0}
    assert swarm.leaders('level_1') == dict.fromkeys(line(6), 5)
    assert swarm.members('level_1') == {5: 6.0}
    assert [swarm.instances(name)[5].parts['regions'].borders().keys()
            for name in ('main', 'level_1')] == [{2}, set()], 'of its own level'
    assert [i.role for i in swarm.instances('level_1').values()] == [
        'relay', 'worker', 'relay', 'relay', 'leader', 'relay']
    below = swarm.instances()
    above = below[1].parts['regions'].task_runners[0].task.member.above
    assert above == {'members': 6, 'centre': [2.5, 0.0]}
    assert below[1].parts['regions'].decision == [{'members': 3, 'centre': [1.0, 0.0]}]


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
