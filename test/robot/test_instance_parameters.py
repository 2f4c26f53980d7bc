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

"""What holds for an instance: what makes no sense together is refused by name."""

from leader_election.parameters import build, ParameterError
from leader_election.robot.instance_parameters import InstanceParameters, names_in
import pytest

ZONES = '{a: [[0, 0], [1, 0], [1, 1]]}'


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
     'colour takes no radius, nor any other setting'),
    ({'feedback_gain': 1.0}, 'parameter feedback_gain: 1 is not allowed; it takes tasks, or '
     'regions: true'),
    ({'feedback_gain': 1.0, 'regions': True, 'algorithm': 'colour'}, 'parameter feedback_gain: 1 '
     'is not allowed; algorithm colour takes no radius'),
    ({'feedback_gain': 1.0, 'regions': True, 'algorithm': 'resilient'}, 'parameter '
     'feedback_gain: 1 is not allowed; algorithm resilient takes no radius'),
    ({'feedback_gain': 1.0, 'regions': True, 'zones': ZONES}, 'parameter feedback_gain: 1 is not '
     'allowed; zones have no radius'),
    ({'feedback_gain': -1.0}, 'parameter feedback_gain: -1.0 is not allowed; it takes 0 to 100'),
    ({'over': 'main', 'tasks': 'count'}, "parameter tasks: 'count' is not allowed; over main it "
     'gathers what is collected there'),
    ({'over': 'main', 'outline': True}, 'parameter outline: true is not allowed; over main it '
     'gathers what is collected there'),
])
def test_what_is_refused(values, line):
    with pytest.raises(ParameterError) as error:
        build(InstanceParameters, values)
    assert str(error.value) == line


def test_feedback_with_any_algorithm_that_has_a_radius():
    for algorithm in ('bounded', 'classic', 'recursive', 'recursive-replicated'):
        build(InstanceParameters, {'algorithm': algorithm, 'regions': True, 'feedback_gain': 1.0})


def test_names_in_a_list():
    assert names_in(' count ,, my_robots.tasks:Find ') == ('count', 'my_robots.tasks:Find')
    assert names_in('') == names_in(' , ') == ()
