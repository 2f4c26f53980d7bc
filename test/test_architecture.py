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
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = 'leader_election'

LEANS_ON = {
    'command_line': {'parameters'},
    'executables': set[str](),
    'registry': {'parameters'},
    'parameters': set[str](),
    'algorithms': {'registry', 'parameters'},
    'coordination': {'algorithms', 'registry', 'parameters'},
    'localisation': {'parameters'},
    'robot': {'localisation', 'coordination', 'algorithms', 'registry', 'parameters'},
    'swarm': {'robot', 'localisation', 'algorithms', 'registry', 'parameters'},
    'world': {'localisation', 'parameters'},
    'tasks': {'coordination', 'robot', 'parameters', 'registry'},
    'view': {'swarm', 'tasks', 'world', 'robot'},
    'fleet': {'command_line', 'tasks', 'coordination', 'robot', 'world', 'parameters'},
    'gazebo': {'command_line', 'fleet', 'robot', 'world', 'parameters'},
    'recording': {'command_line', 'view', 'swarm', 'robot', 'world', 'localisation', 'algorithms',
                  'parameters'},
    'doctor': {'command_line', 'fleet', 'robot', 'localisation', 'algorithms', 'parameters'},
    'launching': {'command_line', 'fleet', 'robot', 'coordination', 'parameters'},
    'nodes': {'command_line', 'config', 'coordination', 'localisation', 'recording', 'doctor',
              'fleet', 'view', 'tasks', 'swarm', 'world', 'robot', 'algorithms', 'registry',
              'parameters'},
    'demo': {'command_line', 'coordination', 'localisation', 'nodes', 'fleet', 'view',
             'swarm', 'world', 'robot', 'algorithms', 'registry', 'parameters'},
    'lab': {'command_line', 'coordination', 'localisation', 'algorithms', 'robot', 'parameters',
            'registry', 'view', 'world'},
    'config': {'coordination', 'localisation', 'recording', 'fleet', 'swarm', 'tasks', 'world',
               'robot', 'parameters'},
    'cli': {'executables', 'command_line', 'config', 'parameters'},
    '__main__': {'cli'},
    '__init__': {'robot', 'coordination', 'algorithms', 'parameters'},
}
"""What each room, or file at the top, may import of the others."""

NODES = {'rclpy', 'tf2_ros'}
LAUNCH = {'launch', 'launch_ros', 'ament_index_python'}
MAY_KNOW = {'nodes': NODES, 'demo': NODES, 'launching': LAUNCH}
"""Rooms at the edge know ROS: a node's part or that of launch files, never both."""
MAY_KNOW_MESSAGES = {'nodes', 'demo', 'tasks'}
HEAVY = {'matplotlib', 'PIL', 'numba', 'xarray', 'networkx', 'scipy', 'netCDF4', 'pandas',
         'pyarrow', 'distributed', 'dask'}
MAY_BE_HEAVY = {'view', 'lab'}

HEADER = ('# Copyright 2026 The leader_election authors\n#\n'
          '# Licensed under the Apache License, Version 2.0')


def room(file: Path) -> str:
    return file.relative_to(ROOT / PACKAGE).parts[0].removesuffix('.py')


def imports(text: str) -> Iterator[list[str]]:
    """Yield each module that is imported anywhere in a file, as the parts of its name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.split('.') for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None and node.level == 0, 'imports name the whole module'
            if node.module == PACKAGE:
                yield from ([PACKAGE, alias.name] for alias in node.names)
            else:
                yield node.module.split('.')


def faults(own: str, text: str) -> list[str]:
    """Return what a file in a room imports that it may not."""
    found = []
    for module in imports(text):
        top = module[0]
        messages = top.endswith('_msgs') or top.endswith('_interfaces')
        if (messages and own not in MAY_KNOW_MESSAGES
                or top in (NODES | LAUNCH) - MAY_KNOW.get(own, set())
                or top in HEAVY and own not in MAY_BE_HEAVY):
            found.append('.'.join(module))
        if top == PACKAGE and len(module) > 1 and module[1] not in LEANS_ON[own] | {own}:
            found.append('.'.join(module))
    return found


FILES = sorted((ROOT / PACKAGE).rglob('*.py'))


@pytest.mark.parametrize('file', FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_file_imports_what_its_room_may(file: Path) -> None:
    assert room(file) in LEANS_ON, 'a new room: say above what it may lean on'
    assert faults(room(file), file.read_text()) == []


@pytest.mark.parametrize(('own', 'text'), [
    ('robot', 'import rclpy'),
    ('tasks', 'import rclpy'),
    ('world', 'def f():\n    from geometry_msgs.msg import Pose'),
    ('world', 'from leader_election.robot.pose import IDENTITY'),
    ('swarm', 'from leader_election import nodes'),
    ('nodes', 'from matplotlib import pyplot'),
    ('nodes', 'from launch_ros.actions import Node'),
    ('launching', 'def f():\n    from rclpy.node import Node'),
    ('launching', 'from std_msgs.msg import String'),
    ('gazebo', 'from launch.logging import launch_config'),
])
def test_a_wrong_import_would_be_found(own: str, text: str) -> None:
    assert len(faults(own, text)) == 1


def test_arrows_make_no_circle() -> None:
    left = dict(LEANS_ON)
    while left:
        free = {name for name, below in left.items() if not below & left.keys()}
        assert free, f'a circle among {sorted(left)}'
        left = {name: below for name, below in left.items() if name not in free}


def test_every_file_has_the_licence() -> None:
    files = [file for folder in (PACKAGE, 'benchmarks', 'launch', 'test', '.ci')
             for file in (ROOT / folder).rglob('*.py')]
    assert len(files) > len(FILES)
    assert [str(f) for f in [*files, ROOT / 'setup.py']
            if not f.read_text().startswith(HEADER)] == []
