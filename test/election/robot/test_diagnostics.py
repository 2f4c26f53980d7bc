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

"""The parsing of diagnostics, whatever is published on their topic."""

from leader_election.election.algorithms import Device, RECURSIVE
from leader_election.election.robot.diagnostics import (
    hardware_id,
    number,
    own_fields,
    parse_status,
    robot_statuses,
    Status,
    status_name,
)
import pytest


def test_published_status_is_parsed_back() -> None:
    status = Status(status_name('site/robot_3', 'regions'), hardware_id(3), {'members': '5'}, 1,
                    'task count fails')
    assert parse_status(status) == (
        'site/robot_3', 3, 'regions', 1, 'task count fails', {'members': '5'})


@pytest.mark.parametrize('name, hardware', [
    ('robot_3: election', ''), ('robot_3: election', 'robot -3'), ('robot_3', 'robot 3'),
    ('robot_3: election', 'robot ' + 5000 * '9'), ('robot_3: election', 'robot 3 '),
    ('motor: left', 'can0')])
def test_statuses_of_others_are_passed_over(name: str, hardware: str) -> None:
    own = Status('r1: election', 'robot 1')
    assert [found.id for found in robot_statuses([Status(name, hardware), own])] == [1]


@pytest.mark.parametrize('text', ['', 'far', 'nan', 'inf', '-inf', '1e999'])
def test_non_finite_number_is_parsed_as_none(text: str) -> None:
    assert number({'radius': text}, 'radius') is None


def test_vectors_are_without_padding_and_common_fields_left_out() -> None:
    start = RECURSIVE.start(Device(3, 2.0))
    fields = own_fields(RECURSIVE, start)
    assert not {'leader', 'distance', 'value'} & fields.keys()
    vectors = [field for field in RECURSIVE.fields if field.padding is not None]
    assert vectors and all(fields[field.name] == [] for field in vectors)
