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

"""The documents are complete, agree with the code, and are built by Sphinx without warnings."""

from importlib.util import find_spec
from pathlib import Path
import re
import subprocess
import sys

from leader_election.ros.nodes.election_node import ElectionNode
from leader_election.ros.nodes.gazebo_odometry import GazeboOdometry
from leader_election.ros.nodes.monitor import Monitor
from leader_election.ros.nodes.swarm_world import SwarmWorld
from leader_election.ros.nodes.wander import WanderNode
import pytest
from rclpy.parameter import Parameter
from test_architecture import LEANS_ON, WINGS

ROOT = Path(__file__).parents[1]
NOT_ON_PYPI = {'tf2_msgs', 'vision_msgs'}
"""Messages of topics that a robot has only in a full ROS 2."""
DOCUMENTS = (*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'doc').rglob('*.md')))


INTERNAL = {'cli', 'executables', '__main__', '__init__', 'election', 'lab', 'ros', 'config',
            'ros.demo', 'ros.gazebo', 'ros.launching', 'ros.nodes', 'swarm.recording',
            'swarm.view'}
"""Rooms without a reference page: no other code builds upon them."""


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_no_placeholder_is_left(document: Path) -> None:
    assert re.findall(r'@[A-Z_]+@', document.read_text()) == []


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_generated_tables_have_links_outside_of_sphinx(document: Path) -> None:
    marks = re.findall(r'^<!-- made: .*-->\n?(.*)', document.read_text(), re.MULTILINE)
    assert [line for line in marks if '](' not in line] == []


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_files_that_are_linked_to_exist(document: Path) -> None:
    text = re.sub(r'^```.*?^```', '', document.read_text(), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r'\]\(([^)#\s]+)[^)]*\)', text)
    files = [target for target in targets if '://' not in target]
    assert [file for file in files if not (document.parent / file).exists()] == []


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_examples_import_public_names_only(document: Path) -> None:
    blocks = re.findall('```python\n(.*?)```', document.read_text(), re.DOTALL)
    deep = re.compile(r'import leader_election|leader_election\.\w+ import|leader_election\.\w+\.')
    assert [line for block in blocks for line in block.splitlines() if deep.search(line)] == []


def test_every_room_has_a_page_or_needs_none() -> None:
    pages = {page.stem for page in (ROOT / 'doc' / 'reference' / 'api').glob('*.rst')}
    assert pages == {room.rpartition('.')[2] for room in LEANS_ON.keys() - INTERNAL}


def test_the_table_of_rooms_is_that_of_the_package() -> None:
    text = (ROOT / 'doc' / 'architecture.md').read_text().partition('## A round')[0]
    wings, rooms = list[str](), set[str]()
    for wing, room in re.findall(r'^\| (?:`(\w+)` )?\|(?: `([\w.]+)`)?', text, re.MULTILINE):
        wings += [wing] if wing else []
        rooms |= {f'{wings[-1]}.{room.removesuffix(".py")}'} if room else set()
    assert wings == list(reversed(WINGS))
    assert rooms == {room for room in LEANS_ON if '.' in room}


def test_the_picture_of_wings_is_that_of_the_package() -> None:
    picture = (ROOT / 'doc' / 'images' / 'architecture.svg').read_text()
    assert re.findall(r'font-weight="bold"[^>]*>(\w+)</text>', picture) == list(reversed(WINGS))
    assert {room for room in LEANS_ON if '.' in room and not re.search(
        rf'>[^<]*\b{room.rpartition(".")[2]}\b[^<]*<', picture)} == {
            'election.registry'}


def test_topics_are_those_that_a_robot_has(ros: None) -> None:
    page = (ROOT / 'doc' / 'reference' / 'topics.md').read_text()
    own = page.partition('## election_node')[2].partition('## Others')[0]
    there: tuple[dict[str, str], dict[str, str]] = {}, {}
    for values in ({'metric': 'range', 'strength_source': 'topic', 'slip_sources': 'imu'},
                   {'metric': 'sensor_difference', 'strength_source': 'battery'},
                   {'pose_source': 'cooperative', 'sighting_sources': 'measurements,ranges',
                    'range_ids': '7', 'strength_source': 'data_rate'}):
        node = ElectionNode(parameter_overrides=[
            Parameter(key, value=value) for key, value in {
                'robot_id': 3, 'tasks': 'patrol', **values}.items()])
        for found, ask in zip(there, (node.get_subscriber_names_and_types_by_node,
                                      node.get_publisher_names_and_types_by_node)):
            found.update({topic: kind.replace('/msg/', '/')
                          for topic, [kind] in ask(node.get_name(), node.get_namespace())
                          if topic not in ('/rosout', '/parameter_events')})
        node.destroy_node()
    for text, found in zip(own.partition('Out:')[::2], there):
        rows = re.findall(r'^\| `([\w/]+)` \| `(\w+/\w+)`', text, re.MULTILINE)
        assert {'/' + topic.lstrip('/').replace('_N', '_7'): kind for topic, kind in rows
                if kind.partition('/')[0] not in NOT_ON_PYPI} == found


def test_topics_are_those_that_the_others_have(ros: None) -> None:
    page = (ROOT / 'doc' / 'reference' / 'topics.md').read_text().partition('## Others')[2]
    listed: dict[str, set[tuple[str, str, str]]] = {}
    executable = ''
    for first, way, topic, kind in re.findall(
            r'^\| (?:`(\w+)` )?\| (\w+) \| `([^`]+)` \| `(\w+/\w+)`', page, re.MULTILINE):
        executable = first or executable
        name = re.sub('robot_N|<robot>', 'robot_3', topic).lstrip('/')
        # A robot's commands are only listened to while its wheels stand still.
        passing = executable == 'gazebo_odometry' and topic.endswith('cmd_vel')
        if not passing and (find_spec('tf2_msgs') or not kind.startswith('tf2_msgs/')):
            listed.setdefault(executable, set()).add((way, f'/{name}', kind))
    assert listed.pop('await_clock') == {('in', '/clock', 'rosgraph_msgs/Clock')}
    parameters = {
        SwarmWorld: {'robots': 1, 'first_id': 3, 'scan_rate': 5.0, 'reading_rate': 1.0,
                     'ranging_rate': 1.0, 'radio': 'relay', 'motion': 'cmd_vel',
                     'publish_clock': True},
        GazeboOdometry: {'robots': 'robot_3', 'ground_truth': True, 'bumper': True,
                         'contacts_type': 'std_msgs/msg/Empty'},
        WanderNode: {'robots': 'robot_3', 'world': 'empty'}, Monitor: {'live': False}}
    there = {}
    for make, values in parameters.items():
        node = make(parameter_overrides=[
            Parameter(key, value=value) for key, value in values.items()])
        there[node.get_name()] = {
            (way, topic, re.sub('/msg/|/srv/', '/', kind))
            for way, ask in (('in', node.get_subscriber_names_and_types_by_node),
                             ('out', node.get_publisher_names_and_types_by_node),
                             ('asks', node.get_client_names_and_types_by_node))
            for topic, [kind] in ask(node.get_name(), node.get_namespace())
            if topic not in ('/rosout', '/parameter_events')}
        node.destroy_node()
    assert listed == there


@pytest.mark.skipif(find_spec('myst_parser') is None, reason='Sphinx or MyST is not installed')
def test_documents_build_without_warnings(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, '-m', 'sphinx', '-q', '-W', '--keep-going', '-d', tmp_path / 'doctrees',
         ROOT / 'doc', tmp_path / 'docs'], cwd=tmp_path, timeout=900,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert (ran.returncode, ran.stdout) == (0, '')
    page = (tmp_path / 'docs' / 'reference' / 'parameters.html').read_text()
    assert 'communication_range' in page and 'made: parameters' not in page
    # The paragraph for readers of the source is removed from the built page.
    assert 'builds has' not in page
