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

"""A robot's parameters and its instances, in an order in which each finds what it is over."""

from collections import Counter
import json
import math
from typing import Any

from election.robot.swarm import line, of_one, Swarm
from leader_election.election.algorithms import ALGORITHMS, BOUNDED, RESILIENT
from leader_election.election.algorithms.algorithm import DEFAULT_HOP_LIMIT
from leader_election.election.regions.aggregate import Aggregate, total, union
from leader_election.election.regions.collection import OWN
from leader_election.election.regions.task import Task
from leader_election.election.robot.instance import with_hop_limit
from leader_election.election.robot.instances import instance_parameters, parts_of, radii
from leader_election.election.robot.parameters import built, ElectionParameters, InstanceParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build, names_in, ParameterError, table
import pytest


def one(kinds: dict[str, type[Task]] | None = None, others: dict[str, Any] | None = None,
        **parameters: Any) -> Robot:
    """Return a robot with further instances."""
    return Swarm({1: (0.0, 0.0)}, lambda i: {'others': others or {}}, kinds or {},
                 **parameters).robots[1]


def test_main_instance_comes_first_and_levels_follow_the_instance_below():
    robot = one({}, {'rescue': {'over': 'level_1'}, 'charging': {}}, hierarchy='20, 50')
    assert list(robot.instances) == ['main', 'charging', 'level_1', 'rescue', 'level_2']
    below = {name: instance.below and instance.below.name
             for name, instance in robot.instances.items()}
    assert below == {'main': None, 'charging': None, 'level_1': 'main', 'rescue': 'level_1',
                     'level_2': 'level_1'}
    assert [robot.instances[name].parameters.radius for name in ('level_1', 'level_2')] == [20, 50]


def test_instance_forms_regions_when_another_one_is_over_it():
    parameters = build(ElectionParameters, {'robot_id': 1, 'hierarchy': '20'})
    found = instance_parameters(parameters, {})
    assert found['main'].forms_regions and found['level_1'].forms_regions
    robot = one({}, {'rescue': {'over': 'charging'}, 'charging': {}})
    assert robot.instances['charging'].parts['regions'].region is not None
    assert 'regions' not in robot.main.parts


def test_level_elects_among_the_leaders_below_by_its_own_radius():
    for own, algorithm in (({'algorithm': 'given', 'given.leaders': '1'}, 'bounded'),
                           ({'algorithm': 'classic', 'zones': ZONES}, 'classic')):
        first = {'robot_id': 1, 'tasks': 'count', 'hierarchy': '20', **own}
        level = instance_parameters(built(ElectionParameters, first), {})['level_1']
        assert (level.algorithm, level.radius, level.over, level.tasks, level.zones) == (
            algorithm, 20.0, 'main', '', '')


@pytest.mark.parametrize('text', ['20,x', 'nan', '-1', '0', 'inf', '1e7', ',', 'twenty', '20;50'])
def test_hierarchy_is_refused_when_wrong(text):
    with pytest.raises(ParameterError, match=f'^parameter hierarchy: {text!r} .* up to .* commas'):
        radii(text)


def test_hierarchy_and_number_of_instances_are_allowed_up_to_their_limits() -> None:
    assert radii('0.5, 1e6') == (0.5, 1e6)
    assert len(instance_parameters(parameters(), {
        f'i{k}': build(InstanceParameters, {}) for k in range(15)})) == 16


def test_feedback_is_allowed_when_levels_form_regions():
    robot = one(hierarchy='20', feedback_gain=1.0)
    assert robot.main.parameters.feedback_gain == 1.0
    assert robot.instances['level_1'].parameters.feedback_gain == 0.0


class Roll(Task):
    """Collects what every region does, by the same name."""

    collects = {'members': union()}


class Wide(Task):
    collects = {f'sum {k}': total(64) for k in range(17)}


class Mixing(Task):
    """Has an aggregate of a user's own that must not count twice."""

    collects = {'mix': Aggregate('mix', OWN, (0.0,), lambda _, reading: reading, list,
                                 combine=lambda a, b: (a[0] + b[0],), idempotent=False)}


KINDS = {'roll': Roll, 'wide': Wide, 'mixing': Mixing, 'other:Wide': Wide,
         **{f'{"x" * 30}{k}': Task for k in range(7)}, 'x' * 200: Task}


@pytest.mark.parametrize('others, parameters, line', [
    ({'rescue': {'over': 'rescue'}}, {}, "rescue.over: 'rescue' .* in turn: main$"),
    ({'rescue': {'over': 'none'}}, {}, "rescue.over: 'none' .* in turn: main$"),
    ({'a': {'over': 'b'}, 'b': {'over': 'a'}}, {}, "a.over: 'b' .* in turn: main, b$"),
    ({}, {'over': 'main'}, "over: 'main' .* in turn: there is none$"),
    ({'level_1': {}}, {'hierarchy': '20'}, "instances: 'level_1' .* makes one of that name$"),
    ({f'i{k}': {} for k in range(16)}, {}, 'instances: 17 .* up to 16$'),
    ({}, {'hierarchy': ','.join(['20'] * 16)}, 'instances: 17 .* up to 16$'),
    ({}, {'hierarchy': '20', 'algorithm': 'colour'}, 'hierarchy: level_1: radius: 20 .*limit'),
    ({}, {'zones': '{a: 5}'}, 'zones: a .* three or more points'),
    ({'rescue': {'zones': '{a: 5}'}}, {}, 'rescue.zones: a .* three or more points'),
    ({}, {'tasks': 'count, count'}, "tasks: 'count' .* there are two called count$"),
    ({'rescue': {'tasks': 'wide,other:Wide'}}, {}, "rescue.tasks: 'wide' .* two called wide$"),
    ({}, {'tasks': 'wide'}, "tasks: 'wide' .* would hold 1089 numbers, and it may hold 1024$"),
    ({}, {'tasks': 'count', 'collection': 'gossip', 'gossip_members': 256, 'connected': True},
     'gossip_members: 256 .* would hold 11264 numbers, and it may hold 1024$'),
    ({}, {'tasks': 'wide', 'collection': 'gossip', 'gossip_members': 2}, 'gossip_members: 2 .*'),
    ({}, {'tasks': ','.join(f'{"x" * 30}{k}' for k in range(7))}, 'tasks: names of 223 .* 200$'),
    ({}, {'tasks': 'roll'}, "tasks: 'roll' .* collects 'members', and so does every region"),
    ({}, {'tasks': 'mixing'}, "collection: 'multi-path' .* for mixing.mix, .* tree or gossip$"),
])
def test_parameters_of_instances_are_refused_in_one_line(others, parameters, line):
    with pytest.raises(ParameterError, match=f'^parameter {line}'):
        one(KINDS, others, **parameters)


@pytest.mark.parametrize('parameters', [
    {'tasks': 'x' * 200}, {'tasks': 'mixing', 'collection': 'tree'},
    {'tasks': 'count', 'collection': 'gossip', 'gossip_members': 256}])
def test_longest_messages_and_an_own_aggregate_on_a_tree_are_allowed(parameters):
    assert one(KINDS, **parameters).main.parameters.tasks == parameters['tasks']


def test_tasks_are_refused_when_the_node_runs_none():
    with pytest.raises(ParameterError, match="parameter tasks: 'count' is not allowed"):
        Robot(build(ElectionParameters, {'robot_id': 1, 'tasks': 'count'}))


def test_tool_of_a_part_is_made_for_each_instance_by_its_name() -> None:
    names: list[str] = []
    Robot(parameters(regions=True), {'rescue': build(InstanceParameters, {'regions': True})},
          {'regions': names.append})
    assert names == ['main', 'rescue']


# The settings of an election's round on a robot.

def settings(algorithm=BOUNDED, link_range=5.0, counts_links=False, **values):
    """Return the settings that the parts of an instance make of its parameters."""
    parameters = build(InstanceParameters, {'algorithm': algorithm.name, **values})
    found = {**vars(parameters)}
    for part in parts_of('main', 1, parameters, Counter(), None, {}, 1).values():
        found = part.settings(found)
    return with_hop_limit(found, algorithm, link_range, counts_links)


def test_hop_limit_follows_from_radius_and_range():
    assert settings(radius=10.0)['hop_limit'] == 10
    assert settings(radius=10.0, hop_limit=7)['hop_limit'] == 7
    assert settings(radius=10.0, link_range=math.inf)['hop_limit'] == DEFAULT_HOP_LIMIT
    assert settings(RESILIENT)['hop_limit'] == DEFAULT_HOP_LIMIT


def test_hop_limit_grows_when_feedback_may_enlarge_the_radius():
    grown = settings(radius=10.0, regions=True, feedback_gain=1.0, feedback_most=2.0)
    assert (grown['hop_limit'], grown['radius']) == (18, 10.0)


def test_zones_have_a_radius_and_no_hysteresis():
    found = settings(radius=1.0, radius_hysteresis=0.5,
                     zones='{hall: [[0, 0], [6, 0], [6, 4], [0, 4]]}')
    assert (found['radius'], found['radius_hysteresis'], found['hop_limit']) == (20.0, 0.0, 18)


@pytest.mark.parametrize('radius, joining', [(1.0, 1.0), (2.0, 2.0), (4.0, 3.0), (10.0, 8.0)])
def test_joining_radius_is_rounded_up_to_whole_hops(radius, joining):
    found = settings(radius=radius, radius_hysteresis=0.25, counts_links=True)
    assert radius * (1.0 - found['radius_hysteresis']) == pytest.approx(joining)
    assert settings(radius=0.0, counts_links=True)['radius'] == 0.0
    made = one(metric='hops', radius=radius, radius_hysteresis=0.25)
    assert made.main.round_parameters.joining_radius == pytest.approx(joining)


# The namespaces of robots in messages, and how those of leaders spread.

def named(swarm: Swarm) -> dict[int, str]:
    """Return the name of each robot's leader."""
    return {i: robot.leader_name(robot.main) for i, robot in swarm.robots.items()}


def test_robot_sends_no_name_when_it_is_the_default() -> None:
    swarm = Swarm(line(3), lambda i: of_one(i, {3: 9.0}), radius=9.0)
    swarm.sweep(3)
    assert all('n' not in json.loads(payload) for payload in swarm.said.values())
    assert named(swarm) == dict.fromkeys(swarm.robots, '')


def test_name_of_a_leader_spreads_with_its_candidacy_and_changes_with_it() -> None:
    """Robot 4 leads a line, is renamed, gets the default name, and dies."""
    swarm = Swarm(line(4), lambda i: of_one(i, {4: 9.0}), radius=9.0)
    for name in ('/tb3_3', '/alice', ''):
        swarm.robots[4].name = name
        swarm.sweep(6)
        assert named(swarm) == dict.fromkeys(swarm.robots, name)
    swarm.robots[4].name = '/alice'
    swarm.robots[1].name = '/bob'
    swarm.sweep(6)
    assert json.loads(swarm.said[1])['n'] == {'4': '/alice', '1': '/bob'}
    swarm.silent.add(4)
    swarm.sweep(12)
    assert {i: name for i, name in named(swarm).items() if i != 4} == {
        i: '/bob' if leader == 1 else '' for i, leader in swarm.leaders().items()}


# A robot's parameters: what an algorithm cannot do is refused by name.

ZONES = '{a: [[0, 0], [1, 0], [1, 1]]}'


def parameters(**changes: Any) -> ElectionParameters:
    return build(ElectionParameters, {'robot_id': 1, **changes})


@pytest.mark.parametrize(('changes', 'text'), [
    ({'algorithm': 'classic', 'ties': 'nearest'}, "ties: 'nearest' .* but radius, hop_limit$"),
    ({'algorithm': 'resilient', 'radius': 7.0}, 'radius: 7 .* resilient.diameter_factor'),
    ({'algorithm': 'colour', 'radius': 7.5}, 'radius: 7.5 .* takes no radius, but hop_limit$'),
    ({'output_namespace': '1a'}, "output_namespace: '1a'"),
    ({'output_namespace': 'a b'}, "output_namespace: 'a b'"),
    ({'output_namespace': 'b\xe4r'}, 'output_namespace'),
    ({'message_expiry': 1.0}, 'message_expiry: 1 is not allowed'),
    ({'send_transform': True}, 'send_transform: true')])
def test_contradicting_parameters_are_refused(changes, text):
    with pytest.raises(ParameterError, match=f'^parameter {text}'):
        parameters(**changes)


def test_default_value_is_allowed_for_each_algorithm():
    """Parameter files name all parameters with any algorithm."""
    for name in ALGORITHMS.names():
        defaults = {p.name: p.default for p in table(ElectionParameters) if not p.required}
        assert parameters(**{**defaults, 'algorithm': name}).algorithm == name


# Of an instance.

@pytest.mark.parametrize('values, line', [
    ({'collection': 'none'}, "collection: 'none' .* one of tree, multi-path, gossip$"),
    ({'role': 'boss'}, "role: 'boss' .* one of candidate, worker, relay$"),
    ({'gossip_members': 0}, 'gossip_members: 0 .* takes 1 to 256$'),
    ({'feedback_gain': 1.0}, 'feedback_gain: 1 .* takes tasks, or regions: true$'),
    *(({'feedback_gain': 1.0, 'regions': True, 'algorithm': name},
       f'feedback_gain: 1 .* {name} takes no radius$') for name in ('colour', 'resilient')),
    ({'feedback_gain': 1.0, 'regions': True, 'zones': ZONES}, 'feedback_gain: 1 .* no radius$'),
    ({'given.leaders': '3'}, "given.leaders: '3' is not allowed; given is not chosen$"),
    ({'given.leaders': '3;4', 'algorithm': 'given'}, "given.leaders: '3;4' .* ranges of ids"),
    ({'feedback_gain': -1.0}, 'feedback_gain: -1.0 .* takes 0 to 100$'),
    ({'over': 'main', 'tasks': 'count'}, "tasks: 'count' .* over main it gathers"),
])
def test_wrong_value_is_refused_with_the_allowed_range(values, line):
    with pytest.raises(ParameterError, match=f'^parameter {line}'):
        built(InstanceParameters, values)


def test_names_are_read_from_a_list():
    assert names_in(' count ,, my_robots.tasks:Find ') == ('count', 'my_robots.tasks:Find')
    assert names_in('') == names_in(' , ') == ()
