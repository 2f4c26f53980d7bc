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

from leader_election.algorithms import ALGORITHMS
from leader_election.parameters import build, ParameterError, table
from leader_election.robot.parameters import ElectionParameters
import pytest


def parameters(**changes: Any) -> ElectionParameters:
    return build(ElectionParameters, {'robot_id': 1, **changes})


@pytest.mark.parametrize('changes, text', [
    ({'algorithm': 'classic', 'ties': 'nearest'},
     "parameter ties: 'nearest' is not allowed; algorithm classic takes no ties, but radius"),
    ({'algorithm': 'recursive', 'replicates': 4},
     'parameter replicates: 4 is not allowed; algorithm recursive takes no replicates, '
     'but radius'),
    ({'replicate_period': 5},
     'parameter replicate_period: 5 is not allowed; algorithm bounded takes no replicate_period, '
     'but radius, ties'),
    ({'algorithm': 'resilient', 'radius': 7.0},
     'parameter radius: 7 is not allowed; algorithm resilient takes no radius, '
     'but diameter_factor, radius_inclusive'),
    ({'algorithm': 'colour', 'radius': 7.5},
     'parameter radius: 7.5 is not allowed; algorithm colour takes no radius, '
     'nor any other setting'),
])
def test_what_the_algorithm_does_not_take(changes, text):
    with pytest.raises(ParameterError) as refused:
        parameters(**changes)
    assert str(refused.value) == text


def test_a_default_is_no_request():
    """Files of parameters name all of them, with whatever algorithm."""
    for name in ALGORITHMS.names():
        defaults = {p.name: p.default for p in table(ElectionParameters) if not p.required}
        assert parameters(**{**defaults, 'algorithm': name}).algorithm == name


def test_what_it_does_take():
    found = parameters(algorithm='recursive-replicated', radius=7.0, replicates=2,
                       replicate_period=5)
    assert ALGORITHMS.get(found.algorithm).parameters(vars(found)) == (7.0, 2, 5)


def test_each_setting_of_an_algorithm_is_a_parameter():
    known = {field.name for field in dataclasses.fields(ElectionParameters)}
    for name in ALGORITHMS.names():
        assert set(ALGORITHMS.get(name).takes) <= known


@pytest.mark.parametrize('changes', [
    {'replicates': 1}, {'replicates': 5}, {'replicate_period': 0}, {'replicates': 2.5}])
def test_ranges(changes):
    with pytest.raises(ParameterError, match=next(iter(changes))):
        parameters(algorithm='recursive-replicated', **changes)
