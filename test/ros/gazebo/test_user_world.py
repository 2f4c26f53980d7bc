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

"""World files of users: their floor, and robots added to them."""

import math
from xml.etree import ElementTree

from leader_election.parameters import ParameterError
from leader_election.ros.gazebo.sdf import Equipment, NO_EQUIPMENT
from leader_election.ros.gazebo.user_world import (
    add_robots,
    floor_height,
    floor_slabs,
    is_user_world,
    read_world,
    UserWorld,
    world_name,
)
from leader_election.swarm.fleet.robot_list import RobotSpec
import pytest
from ros.gazebo.sdf_tool import needs_tool, verdict

PLAIN = ('<sdf version="1.9"><world name="depot"><!-- mine --><model name="shelf">'
         '<static>true</static><link name="l"/></model></world></sdf>')
ROBOTS = [RobotSpec('alice', 1, (1.0, 2.0, 0.0)), RobotSpec('bob', 2, (3.0, 2.0, 0.0))]
NEEDED = ['gz-sim-physics-system', 'gz-sim-user-commands-system',
          'gz-sim-scene-broadcaster-system']


def put(text: str, equipment: Equipment = NO_EQUIPMENT) -> UserWorld:
    return add_robots('depot.sdf', text, ROBOTS, equipment)


def systems(world: UserWorld) -> list[str | None]:
    found = ElementTree.fromstring(world.text).find('world')
    assert found is not None
    return [plugin.get('filename') for plugin in found.findall('plugin')]


def test_a_copy_contains_the_world_and_the_robots():
    world = put(PLAIN)
    models = ElementTree.fromstring(world.text).findall('world/model')
    assert world.name == 'depot'
    assert [model.get('name') for model in models] == ['shelf', 'alice', 'bob']
    assert 'version="1.9"' in world.text


FORMS = {
    'a comment with dashes': PLAIN.replace('mine', 'mine -- and <yours> & all --- of it'),
    'a prefix that is not declared': PLAIN.replace(
        '<link', '<gz:policies gz:a="1"><gz:b/></gz:policies><link'),
    'prefixes that are declared': PLAIN.replace(
        '<sdf', '<sdf xmlns:xacro="http://www.ros.org/wiki/xacro"').replace(
        '<link', '<xacro:x/><link'),
    'a free line before it': '\n <?xml version="1.0" ?>\n' + PLAIN,
    'lines as Windows has them': PLAIN.replace('><', '>\r\n\t<'),
    'letters of all kinds': PLAIN.replace('mine', 'mein Lager: größer ≥ 5 m²'),
    'a text that looks like a comment': PLAIN.replace('<link', '<d><![CDATA[<!-- ]]></d><link'),
    'a second world': PLAIN.replace('</sdf>', '<world name="other"></world></sdf>'),
}


@pytest.mark.parametrize('text', FORMS.values(), ids=FORMS)
def test_copy_keeps_all_else_byte_for_byte(text):
    """Also where Gazebo is more lenient than strict XML parsers."""
    world = put(text)
    begin, end = text.split('</world>', 1)
    assert world.name == 'depot'
    assert world.text.startswith(begin) and world.text.endswith(f'</world>{end}')
    inside = world.text[len(begin):-len(end) - len('</world>')]
    added = ElementTree.fromstring(f'<w>{inside}</w>')
    assert [part.get('name') for part in added if part.tag == 'model'] == ['alice', 'bob']
    assert [part.tag for part in added] == 3 * ['plugin'] + 2 * ['model']


@pytest.mark.parametrize('empty', ['<world name="depot"/>', "<world name='depot' />",
                                   '<world name="depot"></world>'])
def test_empty_world_is_copied(empty):
    world = ElementTree.fromstring(put(f'<sdf>{empty}<!-- end --></sdf>').text).find('world')
    assert world is not None and world.attrib == {'name': 'depot'}
    assert [model.get('name') for model in world.findall('model')] == ['alice', 'bob']


def test_relative_paths_of_existing_files_become_absolute(tmp_path):
    """A copy elsewhere would not find them; others may be found by Gazebo."""
    (tmp_path / 'meshes').mkdir()
    (tmp_path / 'meshes' / 'shelf.dae').touch()
    (tmp_path / 'wood.png').touch()
    text = ('<mesh><uri>{0}meshes/shelf.dae</uri></mesh><albedo_map>\n {0}wood.png</albedo_map>'
            '<include><uri>model://sun</uri></include><uri>no/such.dae</uri><uri/><uri></uri>'
            '<!-- <uri>wood.png</uri> --><diffuse>1 0 0 1</diffuse><name>meshes</name>\r\n'
            f'<normal>{999 * "n"}</normal>')
    file = tmp_path / 'depot.sdf'
    file.write_bytes(text.format('').encode())
    assert read_world(str(file)) == text.format(f'{tmp_path}/')


def test_the_name_of_a_world_is_read(tmp_path):
    file = tmp_path / 'depot.sdf'
    file.write_text(PLAIN)
    assert world_name(str(file)) == 'depot'


def test_missing_systems_are_added():
    assert systems(put(PLAIN)) == NEEDED
    assert systems(put(PLAIN, equipment=Equipment(36))) == [*NEEDED, 'gz-sim-sensors-system']


@pytest.mark.parametrize('name', ['gz-sim-physics-system', 'libgz-sim-physics-system.so',
                                  'gz-sim8-physics-system', 'ignition-gazebo-physics-system'])
def test_a_system_that_exists_is_not_added_again(name):
    text = PLAIN.replace('<!-- mine -->', f'<plugin filename="{name}" name="p"/>')
    assert systems(put(text)) == [name, *NEEDED[1:]]


@pytest.mark.parametrize(('text', 'line'), [
    ('<sdf><world><light/></world></sdf>', '<world> has no name'),
    ('<sdf><world name=" "/></sdf>', '<world> has no name'),
    ('<sdf version="1.7"/>', 'is not a world'),
    ('<robot name="arm"/>', 'is not a world'),
    ('<sdf><world name="w">', 'is no XML'),
    ('', 'is no XML'),
    ('walls: 4', 'is no XML'),
    # Nor does Gazebo read this one.
    ('<!-- mine -->\n<?xml version="1.0" ?>\n' + PLAIN, 'is no XML'),
    (PLAIN.replace('shelf', 'bob'), 'there is a model bob already'),
    ('<sdf><world name="w"><include><name>alice</name></include></world></sdf>',
     'there is a model alice already'),
])
def test_a_wrong_world_is_refused_in_one_line(text, line):
    with pytest.raises(ParameterError, match=line) as caught:
        put(text)
    assert '\n' not in str(caught.value) and 'file depot.sdf' in str(caught.value)


def test_a_missing_file_is_refused_by_name(tmp_path):
    assert is_user_world(str(tmp_path / 'no.sdf')) and not is_user_world('blocks')
    for path in (tmp_path / 'no.sdf', tmp_path):
        with pytest.raises(ParameterError, match='parameter world: .* cannot be read'):
            read_world(str(path))


@needs_tool
def test_the_sdf_tool_finds_the_copy_valid(tmp_path):
    file = tmp_path / 'depot.sdf'
    for text in (PLAIN, *FORMS.values()):
        file.write_bytes(put(text, equipment=Equipment(36, ground_truth=True)).text.encode())
        assert verdict(file) == 'Valid.'


def height(models: str, place: tuple[float, float] = (0.0, 0.0)) -> float | None:
    return floor_height(floor_slabs(ElementTree.fromstring(f'<world>{models}</world>')), place)


def model(shape: str, pose: str = '', static: str = 'true', link: str = '') -> str:
    def place(text: str) -> str:
        return f'<pose>{text}</pose>' if text else ''
    return (f'<model><static>{static}</static>{place(pose)}<link>{place(link)}<collision>'
            f'<geometry>{shape}</geometry></collision></link></model>')


PLANE = '<plane><normal>0 0 1</normal><size>1 1</size></plane>'
GROUND = model(PLANE)
FLAT = '<box><size>4 2 0.2</size></box>'


@pytest.mark.parametrize(('models', 'place', 'found'), [
    ('', (0.0, 0.0), None), (GROUND, (50.0, 0.0), 0.0),
    (model(PLANE, '0 0 -1 0 0 0', link='0 0 0.25 0 0 0'), (0.0, 0.0), -0.75),
    (model(FLAT), (1.9, 0.9), 0.1), (model(FLAT), (0.9, 1.9), None),
    (model(FLAT, f'0 0 0 0 0 {math.pi / 2}'), (0.9, 1.9), 0.1),
    (model(FLAT, '1 0 0 0 0 1.5708', link='2 0 0.3 0 0 0'), (1.0, 2.0), 0.4),
    # What moves, walls, what is tilted, and other shapes are no floor.
    (model(FLAT, static='false'), (0.0, 0.0), None),
    (model('<box><size>4 0.1 2</size></box>'), (0.0, 0.0), None),
    (model(FLAT, '0 0 0 0.2 0 0'), (0.0, 0.0), None),
    (model('<mesh><uri>floor.dae</uri></mesh>'), (0.0, 0.0), None),
    (model(PLANE.replace('0 0 1', '1 0 0')), (0.0, 0.0), None),
    (model(FLAT).replace('<static>', '<pose relative_to="a">0 0 1 0 0 0</pose><static>'),
     (0.0, 0.0), None),
    # A slab on the ground, one in it, a table above it.
    (GROUND + model(FLAT, '0 0 0.1 0 0 0'), (0.0, 0.0), 0.2),
    (GROUND + model(FLAT, '0 0 -0.5 0 0 0'), (0.0, 0.0), 0.0),
    (GROUND + model(FLAT, '0 0 0.8 0 0 0'), (0.0, 0.0), 0.0)])
def test_the_floor_is_the_lowest_slab_and_what_lies_on_it(models, place, found):
    assert height(models, place) == (None if found is None else pytest.approx(found))
