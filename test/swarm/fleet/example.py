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

"""Fleet files for tests, and the errors of wrong ones."""

from typing import Any

from leader_election.parameters import ParameterError
from leader_election.swarm.fleet.fleet_file import read_fleet
import pytest
import yaml


def wrong(text: str) -> str:
    """Return the error text of a fleet file."""
    with pytest.raises(ParameterError) as caught:
        read_fleet(text, 'mine.yaml')
    said = str(caught.value)
    assert said.startswith('parameter fleet_file: mine.yaml: ') and '\n' not in said
    return said.removeprefix('parameter fleet_file: mine.yaml: ')


def robots(**given: Any) -> str:
    """Return a fleet file with one robot, alice, with an id and the given settings."""
    return yaml.safe_dump({'robots': {'alice': {'id': 1, **given}}})


def fleet(**others: Any) -> str:
    """Return a fleet file with two robots; bob has the given settings."""
    return yaml.safe_dump({'robots': {'alice': {'id': 1}, 'bob': {'id': 2, **others}}})
