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

"""A region's summary as numbers with names, whatever a task makes of its own."""

import math

from leader_election.parameters import ParameterError
from leader_election.ros.nodes.state_publishers import named
import pytest
from ros.nodes.bench import robot


def test_nested_numbers_are_named_by_their_path():
    assert named({'members': 3.0, 'top': [[9.5, 7], [8.0, 2]], 'any': True, 'at': {'x': 1}}) == {
        'members': 3.0, 'top.0.0': 9.5, 'top.0.1': 7.0, 'top.1.0': 8.0, 'top.1.1': 2.0,
        'any': 1.0, 'at.x': 1.0}


def test_missing_number_is_nan_and_compares_equal():
    """So that the same summary is not published twice, though NaN is not equal to itself."""
    odd = {'none': None, 'text': 'far', 'nan': float('nan'), 'object': object(), 'empty': [],
           'huge': 10**400}
    nothing = dict.fromkeys(('none', 'text', 'nan', 'object', 'huge'), math.nan)
    assert named(odd) == named(odd) == nothing
    assert named({'inf': math.inf}) == {'inf': math.inf}


def test_output_namespace_moves_all_generic_outputs(ros: None) -> None:
    """No generic name is left; commands, messages and diagnostics are where they were."""
    node = robot(1, output_namespace='election', instances='rescue', metrics_period=1.0,
                 pose_source='cooperative', tasks='patrol', **{'rescue.tasks': 'count'})
    topics = {topic for topic, _ in node.get_publisher_names_and_types_by_node(
        'election_node', '/r1')}
    assert {'/r1/election/leader', '/r1/election/rescue/role', '/r1/election/metrics/rounds',
            '/r1/election/odometry/cooperative', '/r1/election/decision'} <= topics
    elsewhere = {topic for topic in topics if not topic.startswith('/r1/election/')}
    assert elsewhere <= {'/r1/neighbourhood', '/neighbourhood', '/r1/cmd_vel', '/diagnostics',
                         '/rosout', '/parameter_events'}


def test_absolute_output_namespace_is_refused(ros: None) -> None:
    with pytest.raises(ParameterError, match="output_namespace: '/election' is not allowed"):
        robot(1, output_namespace='/election')
