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

"""A robot's parameters: what an algorithm cannot do is refused by name."""

import dataclasses
from typing import Any

from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.robot.parameters import (
    ElectionParameters,
    InstanceParameters,
    names_in,
)
from leader_election.parameters import build, ParameterError, table
import pytest

ZONES = '{a: [[0, 0], [1, 0], [1, 1]]}'


def parameters(**changes: Any) -> ElectionParameters:
    return build(ElectionParameters, {'robot_id': 1, **changes})


@pytest.mark.parametrize('changes, text', [
    ({'algorithm': 'classic', 'ties': 'nearest'},
     "parameter ties: 'nearest' is not allowed; algorithm classic takes no ties, but radius, "
     'hop_limit'),
    ({'algorithm': 'recursive', 'replicates': 4},
     'parameter replicates: 4 is not allowed; algorithm recursive takes no replicates, '
     'but radius, hop_limit'),
    ({'replicate_period': 5},
     'parameter replicate_period: 5 is not allowed; algorithm bounded takes no replicate_period, '
     'but radius, ties, hop_limit, radius_hysteresis'),
    ({'algorithm': 'resilient', 'radius': 7.0},
     'parameter radius: 7 is not allowed; algorithm resilient takes no radius, '
     'but diameter_factor, radius_inclusive, hop_limit'),
    ({'algorithm': 'colour', 'radius': 7.5},
     'parameter radius: 7.5 is not allowed; algorithm colour takes no radius, '
     'but hop_limit'),
])
def test_parameter_of_another_algorithm_is_refused(changes, text):
    with pytest.raises(ParameterError) as refused:
        parameters(**changes)
    assert str(refused.value) == text


def test_a_default_is_no_request():
    """Files of parameters name all of them, with whatever algorithm."""
    for name in ALGORITHMS.names():
        defaults = {p.name: p.default for p in table(ElectionParameters) if not p.required}
        assert parameters(**{**defaults, 'algorithm': name}).algorithm == name


def test_parameter_of_the_algorithm_is_accepted():
    found = parameters(algorithm='recursive-replicated', radius=7.0, replicates=2,
                       replicate_period=5)
    assert ALGORITHMS.get(found.algorithm).round_parameters(vars(found)) == (7.0, 2, 5, 0)


def test_each_setting_of_an_algorithm_is_a_parameter():
    known = {field.name for field in dataclasses.fields(ElectionParameters)}
    for name in ALGORITHMS.names():
        assert set(ALGORITHMS.get(name).takes) <= known


@pytest.mark.parametrize('changes', [
    {'replicates': 1}, {'replicates': 5}, {'replicate_period': 0}, {'replicates': 2.5}])
def test_ranges(changes):
    with pytest.raises(ParameterError, match=next(iter(changes))):
        parameters(algorithm='recursive-replicated', **changes)


# Of an instance.

@pytest.mark.parametrize('values, forms', [
    ({}, False), ({'regions': True}, True), ({'tasks': 'count'}, True), ({'outline': True}, True),
    ({'connected': True}, True), ({'over': 'main'}, True), ({'zones': ZONES}, False)])
def test_when_there_are_regions(values, forms):
    assert build(InstanceParameters, values).forms_regions is forms


@pytest.mark.parametrize('values, line', [
    ({'collection': 'none'}, "parameter collection: 'none' is not allowed; it takes one of tree, "
     'multi-path, gossip'),
    ({'role': 'boss'}, "parameter role: 'boss' is not allowed; it takes one of candidate, worker, "
     'relay'),
    ({'gossip_members': 0}, 'parameter gossip_members: 0 is not allowed; it takes 1 to 256'),
    ({'algorithm': 'colour', 'radius': 3.0}, 'parameter radius: 3 is not allowed; algorithm '
     'colour takes no radius, but hop_limit'),
    ({'feedback_gain': 1.0}, 'parameter feedback_gain: 1 is not allowed; it takes tasks, or '
     'regions: true'),
    ({'feedback_gain': 1.0, 'regions': True, 'algorithm': 'colour'}, 'parameter feedback_gain: 1 '
     'is not allowed; algorithm colour takes no radius'),
    ({'feedback_gain': 1.0, 'regions': True, 'algorithm': 'resilient'}, 'parameter '
     'feedback_gain: 1 is not allowed; algorithm resilient takes no radius'),
    ({'feedback_gain': 1.0, 'regions': True, 'zones': ZONES}, 'parameter feedback_gain: 1 is not '
     'allowed; zones have no radius'),
    ({'leaders': '3'}, "parameter leaders: '3' is not allowed; algorithm bounded takes no "
     'leaders, but radius, ties, hop_limit, radius_hysteresis'),
    ({'leaders': '3;4', 'algorithm': 'given'}, "parameter leaders: '3;4' is not allowed; it takes "
     "ids and ranges of ids, for example '1-20,25'"),
    ({'feedback_gain': -1.0}, 'parameter feedback_gain: -1.0 is not allowed; it takes 0 to 100'),
    ({'over': 'main', 'tasks': 'count'}, "parameter tasks: 'count' is not allowed; over main it "
     'gathers what is collected there'),
    ({'over': 'main', 'outline': True}, 'parameter outline: true is not allowed; over main it '
     'gathers what is collected there'),
])
def test_wrong_value_is_refused_with_the_allowed_range(values, line):
    with pytest.raises(ParameterError) as error:
        build(InstanceParameters, values)
    assert str(error.value) == line


def test_feedback_with_any_algorithm_that_has_a_radius():
    for algorithm in ('bounded', 'classic', 'recursive', 'recursive-replicated'):
        build(InstanceParameters, {'algorithm': algorithm, 'regions': True, 'feedback_gain': 1.0})


def test_names_in_a_list():
    assert names_in(' count ,, my_robots.tasks:Find ') == ('count', 'my_robots.tasks:Find')
    assert names_in('') == names_in(' , ') == ()
