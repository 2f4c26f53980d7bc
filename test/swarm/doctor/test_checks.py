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

"""The table of checks, and their findings."""

from pathlib import Path
import re

from leader_election.parameters import ParameterError
from leader_election.swarm.doctor import command
from leader_election.swarm.doctor.checks import about, CHECKS, examine
from leader_election.swarm.doctor.observations import Observations
import pytest
from swarm.doctor.scene import healthy, statuses, told


def test_checks_are_unique_with_question_meaning_and_remedy() -> None:
    assert len({check.name for check in CHECKS}) == len({check.look for check in CHECKS}) \
        == len(CHECKS)
    for check in CHECKS:
        assert check.question.endswith('?')
        assert check.meaning.endswith('.') and check.remedy.endswith('.')


def test_readme_has_the_number_of_checks() -> None:
    text = (Path(__file__).parents[3] / 'README.md').read_text()
    assert set(re.findall(r'(\d+)\s+questions', text)) == {str(len(CHECKS))}


def test_findings_about_one_robot_are_selected() -> None:
    warns = statuses('bob', 2, 1, 'task count fails: KeyError')
    found = examine(healthy(diagnostics=told('bob', *warns)))
    assert [f.check for f in about(found, 'bob')] == ['self_reported']
    assert about(found, 'alice') == []
    nobody = examine(Observations(10.0, 10.0, expected={'alice': None}))
    assert [f.check for f in about(nobody, 'alice')] == ['found']


def test_missing_fleet_file_is_refused_in_one_line() -> None:
    with pytest.raises(ParameterError) as refused:
        command.parse(['--fleet-file', 'nowhere.yaml'])
    error = str(refused.value)
    assert error.startswith("parameter fleet_file: 'nowhere.yaml' cannot be read")
    assert '\n' not in error
