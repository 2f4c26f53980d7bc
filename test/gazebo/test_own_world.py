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

"""Robots in a user's own world."""

from pathlib import Path
from xml.etree import ElementTree

from gazebo.sdf_tool import needs_tool, verdict
from leader_election.gazebo.own_world import into_world, is_own, OwnWorld, read_world
from leader_election.gazebo.simulator import BARE, Extras, Lidar, Simulator
from leader_election.parameters import ParameterError
from leader_election.roster.entry import Entry
import pytest

PLAIN = ('<sdf version="1.9"><world name="depot"><!-- mine --><model name="shelf">'
         '<static>true</static><link name="l"/></model></world></sdf>')
ROBOTS = [Entry('alice', 1, (1.0, 2.0, 0.0)), Entry('bob', 2, (3.0, 2.0, 0.0))]
NEEDED = ['gz-sim-physics-system', 'gz-sim-user-commands-system',
          'gz-sim-scene-broadcaster-system']


def put(text: str, simulator: Simulator = Simulator.GZ_SIM,
        extras: Extras = BARE) -> OwnWorld:
    return into_world('depot.sdf', text, ROBOTS, simulator, extras)


def systems(world: OwnWorld) -> list[str | None]:
    found = ElementTree.fromstring(world.text).find('world')
    assert found is not None
    return [plugin.get('filename') for plugin in found.findall('plugin')]


def test_a_copy_holds_what_was_there_and_the_robots() -> None:
    world = put(PLAIN)
    models = ElementTree.fromstring(world.text).findall('world/model')
    assert world.name == 'depot'
    assert [model.get('name') for model in models] == ['shelf', 'alice', 'bob']
    assert 'version="1.9"' in world.text


def test_systems_that_are_missing_are_named() -> None:
    assert systems(put(PLAIN)) == NEEDED
    assert systems(put(PLAIN, extras=Extras(Lidar()))) == [*NEEDED, 'gz-sim-sensors-system']
    assert systems(put(PLAIN, Simulator.GZ_CLASSIC)) == []


@pytest.mark.parametrize('name', ['gz-sim-physics-system', 'libgz-sim-physics-system.so',
                                  'gz-sim8-physics-system', 'ignition-gazebo-physics-system'])
def test_a_system_that_is_there_is_not_named_again(name: str) -> None:
    text = PLAIN.replace('<!-- mine -->', f'<plugin filename="{name}" name="p"/>')
    assert systems(put(text)) == [name, *NEEDED[1:]]


@pytest.mark.parametrize(('text', 'line'), [
    ('<sdf><world><light/></world></sdf>', '<world> has no name'),
    ('<sdf><world name=" "/></sdf>', '<world> has no name'),
    ('<sdf version="1.7"/>', 'is no world'),
    ('<robot name="arm"/>', 'is no world'),
    ('<sdf><world name="w">', 'is no XML'),
    ('', 'is no XML'),
    ('walls: 4', 'is no XML'),
    (PLAIN.replace('shelf', 'bob'), 'there is a model bob already'),
    ('<sdf><world name="w"><include><name>alice</name></include></world></sdf>',
     'there is a model alice already'),
])
def test_what_is_no_world_for_these_robots_is_named_in_one_line(text: str, line: str) -> None:
    with pytest.raises(ParameterError, match=line) as caught:
        put(text)
    assert '\n' not in str(caught.value) and 'file depot.sdf' in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert is_own(str(tmp_path / 'no.sdf')) and not is_own('blocks')
    for path in (tmp_path / 'no.sdf', tmp_path):
        with pytest.raises(ParameterError, match='parameter world: .* cannot be read'):
            read_world(str(path))


@needs_tool
def test_the_tool_finds_the_copy_valid(tmp_path: Path) -> None:
    file = tmp_path / 'depot.sdf'
    file.write_text(put(PLAIN, extras=Extras(Lidar(), ground_truth=True)).text)
    assert verdict(file) == 'Valid.'
