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

"""The documents are finished, what they link to is there, and Sphinx builds them."""

from importlib.util import find_spec
from pathlib import Path
import re
import subprocess
import sys

from leader_election.nodes.election_node import ElectionNode
from leader_election.nodes.monitor import Monitor
from leader_election.nodes.swarm_world import SwarmWorld
from leader_election.nodes.wander import WanderNode
import pytest
from rclpy.parameter import Parameter
from test_architecture import LEANS_ON

ROOT = Path(__file__).parents[1]
DOCUMENTS = (*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'doc').rglob('*.md')))


INSIDE = {'cli', 'config', '__main__', '__init__', 'demo', 'gazebo', 'lab', 'launching', 'nodes',
          'recording', 'view'}
"""Rooms that nobody builds upon: their docstrings are for who changes them."""


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_nothing_is_left_to_be_filled_in(document: Path) -> None:
    assert re.findall(r'@[A-Z_]+@', document.read_text()) == []


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_what_is_filled_in_by_sphinx_is_linked_to_where_it_is_not(document: Path) -> None:
    marks = re.findall(r'^<!-- made: .*-->\n?(.*)', document.read_text(), re.MULTILINE)
    assert [line for line in marks if '](' not in line] == []


@pytest.mark.parametrize('document', DOCUMENTS, ids=name)
def test_files_that_are_linked_to_exist(document: Path) -> None:
    targets = re.findall(r'\]\(([^)#\s]+)[^)]*\)', document.read_text())
    files = [target for target in targets if '://' not in target]
    assert [file for file in files if not (document.parent / file).exists()] == []


def test_every_room_has_a_page_or_needs_none() -> None:
    pages = {page.stem for page in (ROOT / 'doc' / 'reference' / 'api').glob('*.rst')}
    assert pages | INSIDE == set(LEANS_ON) and not pages & INSIDE


def test_topics_are_those_that_a_robot_has(ros: None) -> None:
    node = ElectionNode(parameter_overrides=[
        Parameter('robot_id', value=3), Parameter('tasks', value='patrol'),
        Parameter('metric', value='range'), Parameter('strength_source', value='topic')])
    page = (ROOT / 'doc' / 'reference' / 'topics.md').read_text()
    own = page.partition('## election_node')[2].partition('## Others')[0]
    heard, said = own.partition('Out:')[::2]
    for told, ask in ((heard, node.get_subscriber_names_and_types_by_node),
                      (said, node.get_publisher_names_and_types_by_node)):
        rows = dict(re.findall(r'^\| `([\w/]+)` \| `(\w+/\w+)`', told, re.MULTILINE))
        rows.pop('battery_state', None)
        there = {topic: kind for topic, [kind] in ask(node.get_name(), node.get_namespace())}
        assert {'/' + topic.lstrip('/'): kind for topic, kind in rows.items()} == {
            topic: kind.replace('/msg/', '/') for topic, kind in there.items()
            if topic not in ('/rosout', '/parameter_events')}
    node.destroy_node()


def test_topics_are_those_that_the_others_have(ros: None) -> None:
    page = (ROOT / 'doc' / 'reference' / 'topics.md').read_text().partition('## Others')[2]
    told: dict[str, set[tuple[str, str, str]]] = {}
    executable = ''
    for first, way, topic, kind in re.findall(
            r'^\| (?:`(\w+)` )?\| (\w+) \| `([^`]+)` \| `(\w+/\w+)`', page, re.MULTILINE):
        executable = first or executable
        name = re.sub('robot_N|<robot>', 'robot_3', topic).lstrip('/')
        told.setdefault(executable, set()).add((way, f'/{name}', kind))
    parameters = {
        SwarmWorld: {'robots': 1, 'first_id': 3, 'scan_rate': 5.0, 'reading_rate': 1.0,
                     'radio': 'relay', 'motion': 'cmd_vel', 'publish_clock': True},
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
    assert told == there


@pytest.mark.skipif(find_spec('myst_parser') is None, reason='Sphinx or MyST is not installed')
def test_they_are_built_without_a_warning(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, '-m', 'sphinx', '-q', '-W', '--keep-going', '-d', tmp_path / 'doctrees',
         ROOT / 'doc', tmp_path / 'docs'], cwd=tmp_path, timeout=300,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert (ran.returncode, ran.stdout) == (0, '')
    page = (tmp_path / 'docs' / 'reference' / 'parameters.html').read_text()
    assert 'communication_range' in page and 'made: parameters' not in page
    # What stands in its place elsewhere has given way.
    assert 'builds has' not in page
