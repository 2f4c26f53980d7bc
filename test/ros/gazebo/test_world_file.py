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
from leader_election.ros.gazebo.world_file import (
    add_robots,
    Equipment,
    is_user_world,
    ODOMETRY_RATE,
    read_world,
    robot_sdf,
    STEP,
    world_sdf,
)
from leader_election.simulation import robot_body
from leader_election.simulation.parameters import SceneParameters
from leader_election.simulation.scene import load_arena, make_scene
from leader_election.swarm.fleet.robot_list import RobotSpec, scene_robots
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


PLAIN_ROBOT = Equipment(bumper=False)
ALL = Equipment(36, ground_truth=True, bumper=False)


def made(world: str, robots: int, equipment: Equipment = ALL) -> str:
    scene = make_scene(SceneParameters(robots=robots, world=world))
    return world_sdf(load_arena(world), scene_robots(scene), equipment)


def world_in(text: str) -> ElementTree.Element:
    world = ElementTree.fromstring(text).find('world')
    assert world is not None
    return world


@pytest.mark.parametrize('world', ['blocks', 'rooms'])
def test_world_contains_arena_ground_and_robots_in_their_initial_poses(world):
    robots = scene_robots(make_scene(SceneParameters(robots=5, world=world)))
    models = {model.get('name'): model for model in world_in(made(world, 5)).findall('model')}
    assert list(models) == ['ground', 'arena', *(robot.name for robot in robots)]
    for robot in robots:
        x, y, *above, yaw = map(float, models[robot.name].findtext('pose', '').split())
        assert (x, y, yaw) == pytest.approx(robot.pose) and above == [0, 0, 0]


def test_gazebo_sim_has_every_needed_system():
    for equipment, further in (
            (PLAIN_ROBOT, []), (Equipment(), ['contact']),
            (Equipment(imu=True), ['contact', 'imu']), (ALL, ['sensors'])):
        assert systems(made('empty', 1, equipment)) == [
            *NEEDED, *(f'gz-sim-{name}-system' for name in further)]


def test_update_rate_gives_real_time():
    physics = world_in(made('empty', 1)).find('physics')
    assert physics is not None
    step, rate, factor = (float(physics.findtext(name, '')) for name in (
        'max_step_size', 'real_time_update_rate', 'real_time_factor'))
    assert (step, rate, factor) == (STEP, 1.0 / STEP, 1.0)


@needs_tool
@pytest.mark.parametrize(('world', 'robots'), [('blocks', 30), ('empty', 1)])
def test_world_file_is_valid_by_the_sdf_tool(tmp_path, world, robots):
    file = tmp_path / 'world.sdf'
    file.write_text(made(world, robots))
    assert verdict(file) == 'Valid.'


EQUIPPED = Equipment(36, ground_truth=True)


def robot(equipment: Equipment = EQUIPPED) -> ElementTree.Element:
    return ElementTree.fromstring(robot_sdf(RobotSpec('robot_1', 1, (1.0, -2.0, 0.5)), equipment))


def test_drive_plugin_matches_the_model():
    drive = robot().find('.//plugin[@filename="gz-sim-diff-drive-system"]')
    assert drive is not None
    values = {part.tag: part.text for part in drive}
    joints = {joint.get('name') for joint in robot().iter('joint')}
    assert {values['left_joint'], values['right_joint']} == joints
    assert float(values['wheel_separation'] or 0) == robot_body.WHEEL_SEPARATION
    assert float(values['wheel_radius'] or 0) == robot_body.WHEEL_RADIUS
    assert (values['frame_id'], values['child_frame_id']) == ('odom', 'base_link')
    assert 'topic' not in values and 'odom_topic' not in values


def test_bumper_is_a_contact_sensor_on_the_disc():
    (sensor,) = robot(Equipment()).iter('sensor')
    parts = {part.get('name') for part in robot().iter('collision')}
    assert sensor.get('type') == 'contact' and sensor.findtext('contact/collision') in parts
    assert sensor.findtext('contact/topic') == '/model/robot_1/contacts'


def test_sensors_measure_as_the_nodes_assume():
    """Beams are even over the full circle, and the IMU measures as often as wheels."""
    (beams,) = robot(Equipment(8)).iter('horizontal')
    low, high = (float(beams.findtext(f'{end}_angle', '')) for end in ('min', 'max'))
    assert beams.findtext('samples') == '8'
    assert (high - low) == pytest.approx(7 / 8 * 2 * math.pi)
    (imu,) = robot(Equipment(imu=True, bumper=False)).iter('sensor')
    assert (imu.get('type'), imu.findtext('topic')) == ('imu', '/model/robot_1/imu')
    assert float(imu.findtext('update_rate', '')) == ODOMETRY_RATE


def test_scanner_detects_other_robots_even_in_contact_and_not_its_own():
    body = robot(Equipment(36, bumper=False))
    (sensor,) = body.iter('sensor')
    height = float(sensor.findtext('pose', '').split()[2])
    begin = float(sensor.findtext('.//range/min', ''))
    assert sensor.findtext('topic') == '/model/robot_1/scan'
    for kind in ('collision', 'visual'):
        (radius,) = met(body, kind, height)
        # What is rendered begins nearer than the range, by a square root of three.
        assert radius < begin / math.sqrt(3) < begin < 2 * robot_body.RADIUS - radius


def met(body: ElementTree.Element, kind: str, height: float) -> list[float]:
    """Return the radii of cylinders that a plane intersects. It may intersect nothing else."""
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


@needs_specification
def test_every_element_is_in_the_sdf_specification():
    """The tool does not check this: it ignores unknown elements."""
    world = ElementTree.fromstring(made('blocks', 2))
    assert misspelled(world) == []
    next(world.iter('inertia')).tag = 'inertai'
    assert misspelled(world) == ['inertial/inertai']


# World files of users.


PLAIN = ('<sdf version="1.9"><world name="depot"><!-- mine --><model name="shelf">'
         '<static>true</static><link name="l"/></model></world></sdf>')
ROBOTS = [RobotSpec('alice', 1, (1.0, 2.0, 0.0)), RobotSpec('bob', 2, (3.0, 2.0, 0.0))]
NEEDED = ['gz-sim-physics-system', 'gz-sim-user-commands-system',
          'gz-sim-scene-broadcaster-system']


def test_robot_keeps_its_model_when_it_is_called_as_a_sensor_is():
    [model] = ElementTree.fromstring(robot_sdf(RobotSpec('survey_imu', 1), Equipment()))
    assert model.get('name') == 'survey_imu' and model.find(".//sensor[@type='imu']") is None


@pytest.fixture
def put(tmp_path):
    """Return a function that puts two robots into a world file with some text."""
    def make(text: str, equipment: Equipment = PLAIN_ROBOT) -> str:
        file = tmp_path / 'depot.sdf'
        file.write_bytes(text.encode())
        return add_robots(read_world(str(file)), ROBOTS, equipment)
    return make


def systems(text: str) -> list[str | None]:
    return [plugin.get('filename') for plugin in world_in(text).findall('plugin')]


@pytest.mark.parametrize('text', [
    PLAIN, PLAIN.replace('mine', 'mine -- and <yours> & größer ≥ 5 m²'),
    PLAIN.replace('<link', '<gz:policies gz:a="1"><gz:b/></gz:policies><link'),
    PLAIN.replace('><', '>\r\n\t<')])
def test_copy_of_a_world_keeps_its_text_and_adds_robots(put, text):
    begin, end = text.split('</world>', 1)
    copy = put(text)
    assert copy.startswith(begin) and copy.endswith(f'</world>{end}')
    added = ElementTree.fromstring(f'<w>{copy[len(begin):-len(end) - len("</world>")]}</w>')
    assert [part.get('name') for part in added if part.tag == 'model'] == ['alice', 'bob']
    assert [part.tag for part in added] == 3 * ['plugin'] + 2 * ['model']


def test_relative_paths_become_absolute_when_their_files_exist(tmp_path):
    (tmp_path / 'meshes').mkdir()
    (tmp_path / 'meshes' / 'shelf.dae').touch()
    (tmp_path / 'wood.png').touch()
    text = ('<world name="depot"><mesh><uri>{0}meshes/shelf.dae</uri></mesh><albedo_map>\n '
            '{0}wood.png</albedo_map><include><uri>model://sun</uri></include>'
            '<uri>no/such.dae</uri><uri/><uri></uri><name>meshes</name></world>')
    file = tmp_path / 'depot.sdf'
    file.write_text(text.format(''))
    assert read_world(str(file)) == ('depot', text.format(f'{tmp_path}/'))


def test_missing_systems_are_added(put):
    assert systems(put(PLAIN, Equipment(36, bumper=False))) == [*NEEDED, 'gz-sim-sensors-system']


@pytest.mark.parametrize('name', [
    'libgz-sim-physics-system.so', 'gz-sim8-physics-system', 'ignition-gazebo-physics-system'])
def test_system_that_exists_is_not_added_again(put, name):
    text = PLAIN.replace('<!-- mine -->', f'<plugin filename="{name}" name="p"/>')
    assert systems(put(text)) == [name, *NEEDED[1:]]


@pytest.mark.parametrize(('text', 'line'), [
    ('<sdf><world><light/></world></sdf>', 'is not a world'), ('', 'is not a world'),
    (PLAIN.replace('shelf', 'bob'), 'there is a model bob already'),
    ('<sdf><world name="w"><include><name>alice</name></include></world></sdf>',
     'there is a model alice already')])
def test_wrong_world_file_is_refused_in_one_line(put, text, line):
    with pytest.raises(ParameterError, match=line) as caught:
        put(text)
    assert '\n' not in str(caught.value)


def test_missing_world_file_is_refused_by_name(tmp_path):
    assert is_user_world(str(tmp_path / 'no.sdf')) and not is_user_world('blocks')
    for path in (tmp_path / 'no.sdf', tmp_path):
        with pytest.raises(ParameterError, match='parameter world: .* cannot be read'):
            read_world(str(path))


@needs_tool
def test_sdf_tool_finds_the_copy_of_a_world_valid(put, tmp_path):
    file = tmp_path / 'copy.sdf'
    file.write_text(put(PLAIN, ALL))
    assert verdict(file) == 'Valid.'
