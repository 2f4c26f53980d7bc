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

"""The configuration files are what the declarations say, and are what nodes can read."""

from pathlib import Path

from leader_election.config import FILES, write
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.parameters import build, table
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
import pytest
import yaml

CONFIG = Path(__file__).parents[1] / 'config'


def test_the_files_are_as_written(tmp_path: Path) -> None:
    write(tmp_path)
    for name in FILES:
        assert (CONFIG / name).read_text() == (tmp_path / name).read_text(), 'run make config'


@pytest.mark.parametrize(('name', 'robots'), [('barriers', 5), ('drift', 20)])
def test_a_scenario_sets_parameters_of_world_and_robots(name: str, robots: int) -> None:
    values = yaml.safe_load((CONFIG / f'{name}.yaml').read_text())['/**']['ros__parameters']
    world = {p.name for p in table(WorldParameters)}
    of_robots = {p.name for p in table(ElectionParameters)}
    assert not values.keys() - world - of_robots
    found = World(build(WorldParameters, {k: v for k, v in values.items() if k in world}))
    assert len(found.poses) == robots
    build(ElectionParameters, {'robot_id': 1, **{
        k: v for k, v in values.items() if k in of_robots}})


@pytest.mark.parametrize('name', FILES)
def test_a_file_holds_the_defaults(name: str) -> None:
    parameters = FILES[name][0]
    values = yaml.safe_load((CONFIG / name).read_text())['/**']['ros__parameters']
    required = {p.name: 1 for p in table(parameters) if p.required}
    assert build(parameters, required | values) == build(parameters, required)
    assert required.keys() | values.keys() == {p.name for p in table(parameters)}
