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

"""The walls between the rooms of the package, held by reading what each file imports."""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
import re
import subprocess
import sys
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = 'leader_election'
LABORATORY = 'leader_election_lab'
"""The package in lab/, a distribution of its own: the wing and room lab."""
REPRODUCTION = 'reproduction'
"""The folder in lab/ that is not installed, so that no room imports it."""

WINGS = ('parameters', 'localisation', 'election', 'simulation', 'swarm', 'lab', 'ros')
"""The folders at the top, each of which imports only itself and those before it."""

LEANS_ON = {
    'executables': set[str](),
    'parameters': set[str](),
    'localisation': {'parameters'},
    'election': set[str](),
    'election.part': set[str](),
    'election.algorithms': {'parameters'},
    'election.regions': {'election.algorithms', 'parameters'},
    'election.mandates': {'election.part', 'parameters'},
    'election.messages': {'election.part', 'election.mandates', 'election.regions',
                          'election.algorithms', 'localisation', 'parameters'},
    'election.robot': {'election.part', 'election.messages', 'election.mandates',
                       'election.regions', 'election.algorithms', 'localisation',
                       'parameters'},
    'election.tasks': {'election.messages', 'election.robot', 'election.regions',
                       'parameters'},
    'simulation': {'localisation', 'parameters'},
    'swarm': {'election.messages', 'election.robot', 'election.algorithms', 'localisation',
              'parameters'},
    'swarm.view': {'swarm', 'simulation', 'election.tasks', 'election.messages', 'election.robot',
                   'parameters'},
    'swarm.fleet': {'simulation', 'election.tasks', 'election.messages', 'election.robot',
                    'election.regions', 'localisation', 'parameters'},
    'swarm.recording': {'swarm.web', 'swarm.view', 'swarm', 'simulation', 'election.messages',
                        'election.mandates', 'election.robot', 'election.algorithms',
                        'localisation', 'parameters'},
    'swarm.web': {'swarm.view', 'swarm', 'election.messages', 'election.robot',
                  'parameters'},
    'swarm.doctor': {'swarm.fleet', 'election.messages', 'election.mandates', 'election.robot',
                     'election.algorithms', 'localisation', 'parameters'},
    'lab': {'swarm.web', 'swarm.view', 'swarm', 'simulation', 'election.messages',
            'election.robot', 'election.mandates', 'election.regions', 'election.algorithms',
            'localisation', 'parameters'},
    'ros': set[str](),
    'config': {'swarm.recording', 'swarm.fleet', 'swarm', 'simulation', 'election.tasks',
               'election.messages', 'election.robot', 'election.regions', 'localisation',
               'parameters'},
    'ros.gazebo': {'swarm.fleet', 'simulation', 'election.messages', 'election.robot',
                   'parameters'},
    'ros.launching': {'swarm.fleet', 'election.messages', 'election.robot', 'election.regions',
                      'parameters'},
    'ros.nodes': {'election.part', 'config', 'swarm.recording', 'swarm.doctor', 'swarm.fleet',
                  'swarm.web', 'swarm.view', 'swarm', 'simulation', 'election.tasks',
                  'election.messages', 'election.robot', 'election.mandates', 'election.regions',
                  'election.algorithms', 'localisation', 'parameters'},
    'ros.demo': {'ros.nodes', 'ros.leader_client', 'swarm.recording', 'swarm.fleet', 'swarm.web',
                 'swarm.view', 'swarm', 'simulation', 'election.tasks', 'election.messages',
                 'election.robot', 'election.mandates', 'election.regions',
                 'election.algorithms', 'localisation', 'parameters'},
    'ros.leader_client': {'ros.nodes', 'election.mandates', 'election.messages', 'election.robot'},
    'cli': {'config', 'executables', 'parameters'},
    '__main__': {'cli'},
    '__init__': {'ros.leader_client', 'election.mandates', 'election.messages', 'election.robot',
                 'election.regions', 'election.algorithms', 'localisation', 'parameters'},
}
"""What each room of a wing, wing without rooms, or file at the top may import of the others."""

NODES = {'rclpy', 'tf2_ros'}
LAUNCH = {'launch', 'launch_ros', 'ament_index_python'}
MAY_KNOW = {'ros.nodes': NODES, 'ros.demo': NODES, 'ros.leader_client': NODES,
            'ros.launching': LAUNCH}
"""Rooms at the edge know ROS: a node's part or that of launch files, never both."""
MAY_KNOW_MESSAGES = {'ros.nodes', 'ros.demo', 'ros.leader_client', 'election.tasks'}
HEAVY = {'matplotlib', 'PIL', 'numba', 'xarray', 'networkx', 'scipy', 'netCDF4', 'pandas',
         'distributed', 'dask', 'bokeh', 'tornado'}
MAY_BE_HEAVY = {'swarm.view', 'swarm.web', 'lab'}

HEADER = ('# Copyright 2026 The leader_election authors\n#\n'
          '# Licensed under the Apache License, Version 2.0')


def room(parts: Sequence[str]) -> str:
    """Return the room of a module, given by the parts of its name below the package's."""
    inner = '.'.join(parts[:2])
    return inner if inner in LEANS_ON else parts[0]


def imports(text: str) -> Iterator[list[str]]:
    """Yield each module that is imported anywhere in a file, as the parts of its name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split('.') for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None and node.level == 0, 'imports name the whole module'
            yield from ([*node.module.split('.'), alias.name] for alias in node.names)


def faults(own: str, text: str) -> list[str]:
    """Return the forbidden imports of a file in a room."""
    found = []
    for module in imports(text):
        top = module[0]
        messages = top.endswith('_msgs') or top.endswith('_interfaces')
        if (messages and own not in MAY_KNOW_MESSAGES
                or top in (NODES | LAUNCH) - MAY_KNOW.get(own, set())
                or top in HEAVY and own not in MAY_BE_HEAVY):
            found.append('.'.join(module))
        if top == REPRODUCTION:
            found.append('.'.join(module))
        other = 'lab' if top == LABORATORY else room(
            module[1:]) if top == PACKAGE and len(module) > 1 else own
        if other not in LEANS_ON[own] | {own}:
            found.append('.'.join(module))
    return found


FILES = sorted((ROOT / PACKAGE).rglob('*.py'))
LABORATORY_FILES = sorted((ROOT / 'lab' / LABORATORY).rglob('*.py'))


def test_room_imports_only_allowed_rooms() -> None:
    rooms = {file: room(file.relative_to(ROOT / PACKAGE).with_suffix('').parts) for file in FILES}
    rooms |= dict.fromkeys(LABORATORY_FILES, 'lab')
    assert {*rooms.values()} <= LEANS_ON.keys(), 'a new room: say above what it may lean on'
    assert {str(file): found for file, own in rooms.items()
            if (found := faults(own, file.read_text()))} == {}


@pytest.mark.parametrize(('own', 'text'), [
    ('election.robot', 'import rclpy'),
    ('simulation', 'def f():\n    from geometry_msgs.msg import Pose'),
    ('simulation', 'from leader_election.election.robot.robot import Robot'),
    ('swarm', 'from leader_election.ros import nodes'),
    ('swarm', 'from leader_election.swarm.view import colours'),
    ('ros.nodes', 'from leader_election_lab.engine import network'),
    ('lab', 'from reproduction import statements'),
    ('ros.nodes', 'from matplotlib import pyplot'),
    ('ros.nodes', 'from launch_ros.actions import Node'),
    ('ros.launching', 'def f():\n    from rclpy.node import Node'),
])
def test_check_finds_a_wrong_import(own: str, text: str) -> None:
    assert len(faults(own, text)) == 1


def test_rooms_have_no_import_cycle() -> None:
    left = dict(LEANS_ON)
    while left:
        free = {name for name, below in left.items() if not below & left.keys()}
        assert free, f'a circle among {sorted(left)}'
        left = {name: below for name, below in left.items() if name not in free}


def test_wing_imports_only_earlier_wings() -> None:
    for own, below in LEANS_ON.items():
        wing = own.split('.')[0]
        if wing in WINGS:
            allowed = WINGS[:WINGS.index(wing) + 1]
            assert {other.split('.')[0] for other in below} <= {*allowed, 'config'}, own


def test_every_file_has_the_licence() -> None:
    files = [file for folder in (PACKAGE, 'benchmarks', 'lab', 'launch', 'test', '.ci')
             for file in (ROOT / folder).rglob('*.py')]
    assert len(files) > len(FILES)
    assert [str(f) for f in [*files, ROOT / 'setup.py']
            if not f.read_text().startswith(HEADER)] == []


@pytest.mark.parametrize('file', [
    'election/messages/codec.py', 'election/robot/robot.py', 'election/robot/instance.py',
    'ros/nodes/election.py'])
def test_core_names_no_option(file: str) -> None:
    text = re.sub(r'"""(.|\n)*?"""|#.*', '', (ROOT / PACKAGE / file).read_text())
    assert re.findall(r'(?i)mandate|zone|\btasks?\b|localisation|sighting', text) == []


@pytest.mark.parametrize(('parameters', 'absent'), [
    ({}, {'robot.membership', 'robot.zones', 'mandates.part', 'cooperative'}),
    ({'regions': True}, {'robot.zones', 'mandates.part'}),
    ({'mandate': 3.0}, {'robot.membership', 'robot.zones'})])
def test_robot_imports_only_its_configured_parts(
        parameters: dict[str, Any], absent: set[str]) -> None:
    code = ('import sys\n'
            'from leader_election.election.robot.parameters import ElectionParameters\n'
            'from leader_election.election.robot.robot import Robot\n'
            'from leader_election.parameters import build\n'
            f'Robot(build(ElectionParameters, {{"robot_id": 1, **{parameters}}})).round(0.0)\n'
            f'print({absent} & {{name.split(".", 2)[-1] for name in sys.modules}})')
    ran = subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout == 'set()\n', ran.stdout + ran.stderr


OPENING = {'read_text', 'write_text', 'open', 'fdopen', 'NamedTemporaryFile', 'run', 'Popen',
           'check_output'}
"""Names of functions that may open a text file or stream."""


def calls_without_encoding(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of calls that open a text file in the encoding of the locale."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or any(
                keyword.arg in ('encoding', None) for keyword in call.keywords):
            continue
        name = getattr(call.func, 'attr', getattr(call.func, 'id', ''))
        if name not in OPENING:
            continue
        owner = ast.unparse(getattr(call.func, 'value', ast.Name('')))
        modes = [*call.args, *(keyword.value for keyword in call.keywords
                               if keyword.arg == 'mode')]
        binary = any(isinstance(mode, ast.Constant) and re.fullmatch(r'[rwxa+]*b[+]?', str(
            mode.value)) for mode in modes)
        of_module = owner in ('os', 'Image', 'zenoh', 'super()') or owner.endswith('files')
        if name in ('read_text', 'write_text') and owner and not of_module or (
                name in ('open', 'fdopen', 'NamedTemporaryFile') and not binary
                and not of_module) or (name in ('run', 'Popen', 'check_output') and any(
                    keyword.arg in ('text', 'universal_newlines') for keyword in call.keywords)):
            yield call.lineno


def test_timers_are_made_in_one_place() -> None:
    """Others are silenced by a busy moment of the process."""
    found = [path.name for path in (ROOT / PACKAGE).rglob('*.py')
             for call in ast.walk(ast.parse(path.read_text(encoding='utf-8')))
             if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
             and call.func.attr == 'create_timer' and ast.unparse(call.func.value) != 'clock']
    # The process looks ten times a second, by a steady clock, whether it is over.
    assert sorted(found) == ['clock.py', 'process.py']


def test_text_files_are_opened_with_an_encoding() -> None:
    assert [*calls_without_encoding(ast.parse(
        'open(p)\nopen(p, "rb")\npath.read_text()\npath.open("w")\nopen(p, encoding=e)'))] == [
            1, 3, 4]
    for folder in (PACKAGE, f'lab/{LABORATORY}', f'lab/{REPRODUCTION}', 'launch', 'benchmarks',
                   'doc/made'):
        for path in (ROOT / folder).rglob('*.py'):
            lines = [*calls_without_encoding(ast.parse(path.read_text(encoding='utf-8')))]
            assert not lines, f'{path.relative_to(ROOT)}: lines {lines} name no encoding'
