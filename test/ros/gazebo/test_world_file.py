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

"""World files and robot models: geometry, plugins, systems, valid SDF."""

from functools import cache
import math
from pathlib import Path
import re
import shutil
import subprocess
from xml.etree import ElementTree

from leader_election.parameters import ParameterError
from leader_election.ros.gazebo.sdf import Equipment, NO_EQUIPMENT, ODOMETRY_RATE, robot_colour
from leader_election.ros.gazebo.user_world import (
    add_robots,
    floor_height,
    floor_slabs,
    is_user_world,
    read_world,
    UserWorld,
    world_name,
)
from leader_election.ros.gazebo.world_file import robot_sdf, world_sdf
from leader_election.simulation import robot_body
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import load_arena, make_scene, shipped_worlds
from leader_election.swarm.fleet.hosting import scene_robots
from leader_election.swarm.fleet.robot_list import RobotSpec
import pytest

TOOL = shutil.which('ign') or shutil.which('gz')
SPECIFICATION = max(Path('/usr/share').glob('sdformat*/1.7'), default=None)
needs_tool = pytest.mark.skipif(
    TOOL is None, reason='neither ign nor gz is installed (Debian 12: ignition-tools, '
                         'libsdformat-dev, sdformat-sdf)')
needs_specification = pytest.mark.skipif(
    SPECIFICATION is None, reason='no /usr/share/sdformat*/1.7 (Debian 12: libsdformat-dev)')


def verdict(file: Path) -> str:
    """Return the output of the tool for a file, ``Valid.`` if it is."""
    assert TOOL is not None
    ran = subprocess.run([TOOL, 'sdf', '-k', file], capture_output=True, text=True, timeout=60)
    # The tool may lack what draws its own backtraces.
    return re.sub(r'Library error: .*\n', '', ran.stdout + ran.stderr).strip()


@cache
def _description(name: str) -> ElementTree.Element:
    """Return the description of an element in a file of the specification."""
    assert SPECIFICATION is not None
    return ElementTree.parse(SPECIFICATION / name).getroot()


def misspelled(element: ElementTree.Element, description: ElementTree.Element | None = None,
               ) -> list[str]:
    """Return the elements and attributes that the specification does not describe."""
    if description is None:
        description = _description('root.sdf')
    if element.tag == 'plugin':
        return []
    known = {child.get('name', ''): child for child in description.findall('element')}
    for include in description.findall('include'):
        name = include.get('filename', '')
        # The specification names some files that are not there yet.
        if SPECIFICATION is not None and (SPECIFICATION / name).exists():
            included = _description(name)
            known[included.get('name', '')] = included
    attributes = {child.get('name') for child in description.findall('attribute')}
    found = [f'{element.tag}/@{name}' for name in element.attrib if name not in attributes]
    for child in element:
        if child.tag in known:
            found += misspelled(child, known[child.tag])
        else:
            found.append(f'{element.tag}/{child.tag}')
    return found


ALL = Equipment(36, ground_truth=True)
CASES = [(world, robots) for world in shipped_worlds() for robots in (1, 30)]


def made(world: str, robots: int, equipment: Equipment = ALL) -> str:
    scene = make_scene(SceneParameters(robots=robots, world=world))
    return world_sdf(load_arena(world), scene_robots(scene), equipment)


def world_in(text: str) -> ElementTree.Element:
    world = ElementTree.fromstring(text).find('world')
    assert world is not None
    return world


@pytest.mark.parametrize(('world', 'robots'), CASES)
def test_world_contains_arena_ground_and_robots(world, robots):
    names = [model.get('name') for model in world_in(made(world, robots))
             if model.tag == 'model']
    assert names == ['ground', 'arena', *(f'robot_{i}' for i in range(1, robots + 1))]


def test_robots_have_their_initial_poses():
    robots = scene_robots(make_scene(SceneParameters(robots=5)))
    text = world_sdf(load_arena('blocks'), robots)
    models = {model.get('name'): model for model in world_in(text).iter('model')}
    for robot in robots:
        x, y, *above, yaw = map(float, models[robot.name].findtext('pose', '').split())
        assert (x, y, yaw) == pytest.approx(robot.pose) and above == [0, 0, 0]


def test_gazebo_sim_gets_the_systems_that_it_needs():
    def systems(equipment: Equipment) -> list[str]:
        return [plugin.get('filename', '')
                for plugin in world_in(made('empty', 1, equipment)).findall('plugin')]

    needed = [f'gz-sim-{name}-system' for name in
              ('physics', 'user-commands', 'scene-broadcaster')]
    assert systems(Equipment()) == needed
    assert systems(Equipment(bumper=True)) == [*needed, 'gz-sim-contact-system']
    assert systems(Equipment(imu=True)) == [*needed, 'gz-sim-imu-system']
    assert systems(Equipment(36)) == [*needed, 'gz-sim-sensors-system']


def test_the_update_rate_gives_real_time_at_any_step():
    text = world_sdf(load_arena('empty'), [], step=0.004)
    physics = world_in(text).find('physics')
    assert physics is not None
    step, rate = (float(physics.findtext(name, ''))
                  for name in ('max_step_size', 'real_time_update_rate'))
    assert (step, rate) == (0.004, 250.0)
    assert '<real_time_factor>1<' in text


@needs_tool
@pytest.mark.parametrize(('world', 'robots'), [
    case for case in CASES if case in (('blocks', 30), ('rooms', 1), ('empty', 1))])
def test_the_sdf_tool_finds_it_valid(tmp_path, world, robots):
    file = tmp_path / 'world.sdf'
    file.write_text(made(world, robots))
    assert verdict(file) == 'Valid.'


@needs_specification
def test_every_element_is_in_the_sdf_specification():
    assert misspelled(ElementTree.fromstring(made('blocks', 2))) == []


EQUIPPED = Equipment(36, ground_truth=True, bumper=True)


def robot(equipment: Equipment = EQUIPPED) -> ElementTree.Element:
    text = robot_sdf('robot_1', (1.0, -2.0, 0.5), (1.0, 0.0, 0.0), equipment)
    return ElementTree.fromstring(text)


def test_the_drive_plugin_matches_the_model():
    drive = robot().find('.//plugin[@filename="gz-sim-diff-drive-system"]')
    assert drive is not None
    values = {part.tag: part.text for part in drive}
    joints = {joint.get('name') for joint in robot().iter('joint')}
    assert {values['left_joint'], values['right_joint']} == joints
    assert float(values['wheel_separation'] or 0) == robot_body.WHEEL_SEPARATION
    assert float(values['wheel_radius'] or 0) == robot_body.WHEEL_RADIUS
    assert (values['frame_id'], values['child_frame_id']) == ('odom', 'base_link')
    assert 'topic' not in values and 'odom_topic' not in values


def test_the_torque_of_the_wheels_is_limited():
    efforts = [limit.findtext('effort', '') for limit in robot().iter('limit')]
    assert list(map(float, efforts)) == [robot_body.WHEEL_TORQUE] * 2


def test_a_bumper_is_a_contact_sensor_on_the_disc():
    (sensor,) = robot(Equipment(bumper=True)).iter('sensor')
    parts = {part.get('name') for part in robot().iter('collision')}
    assert sensor.get('type') == 'contact' and sensor.findtext('contact/collision') in parts
    assert sensor.findtext('contact/topic') == '/model/robot_1/contacts'


def test_an_imu_measures_as_often_as_wheels():
    (sensor,) = robot(Equipment(imu=True)).iter('sensor')
    assert (sensor.get('type'), sensor.findtext('topic')) == ('imu', '/model/robot_1/imu')
    assert float(sensor.findtext('update_rate', '')) == ODOMETRY_RATE


def test_a_robot_has_the_plugins_and_sensors_of_its_equipment():
    assert {plugin.get('filename') for plugin in robot().iter('plugin')} == {
        'gz-sim-diff-drive-system', 'gz-sim-pose-publisher-system'}
    assert [sensor.get('type') for sensor in robot().iter('sensor')] == ['gpu_lidar', 'contact']
    assert robot(Equipment()).find('.//sensor') is None


def test_beams_are_even_over_the_full_circle():
    (sensor,) = robot(Equipment(8)).iter('horizontal')
    low, high = (float(sensor.findtext(f'{end}_angle', '')) for end in ('min', 'max'))
    assert sensor.findtext('samples') == '8'
    assert (high - low) == pytest.approx(7 / 8 * 2 * math.pi)


def test_a_scanner_detects_other_robots_even_in_contact_and_not_its_own():
    body = robot(Equipment(36))
    (sensor,) = body.iter('sensor')
    height = float(sensor.findtext('pose', '').split()[2])
    begin = float(sensor.findtext('.//range/min', ''))
    for kind in ('collision', 'visual'):
        (radius,) = met(body, kind, height)
        # What is rendered begins nearer than the range, by a square root of three.
        assert radius < begin / math.sqrt(3) < begin < 2 * robot_body.RADIUS - radius


def met(body: ElementTree.Element, kind: str, height: float) -> list[float]:
    """Return the radii of cylinders that a plane intersects; it may intersect nothing else."""
    found = []
    for link in body.iter('link'):
        foot = float((link.findtext('pose') or '0 0 0').split()[2])
        for part in link.findall(kind):
            middle = foot + float((part.findtext('pose') or '0 0 0').split()[2])
            tall = part.findtext('.//length') or (part.findtext('.//size') or '0').split()[-1]
            half = float(part.findtext('.//sphere/radius') or float(tall) / 2)
            assert half > 0
            if abs(height - middle) <= half:
                found.append(float(part.findtext('.//cylinder/radius', 'nan')))
    return found


def test_robots_have_different_colours():
    assert len({robot_colour(i) for i in range(200)}) == 200
    assert all(0 <= part <= 1 for i in range(200) for part in robot_colour(i))


@needs_tool
def test_the_sdf_tool_finds_a_robot_valid(tmp_path):
    file = tmp_path / 'robot.sdf'
    file.write_text(robot_sdf('robot_1', (1.0, 2.0, 0.5), (1.0, 0.0, 0.0), EQUIPPED))
    assert verdict(file) == 'Valid.'


@needs_specification
def test_every_element_of_a_robot_is_in_the_sdf_specification():
    """The tool does not check this: it ignores unknown elements."""
    assert misspelled(robot()) == []
    broken = robot()
    next(broken.iter('inertia')).tag = 'inertai'
    assert misspelled(broken) == ['inertial/inertai']


# World files of users: their floor, and robots added to them.


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
