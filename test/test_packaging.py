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

"""What is said of the package in more than one place is the same."""

from pathlib import Path
import re
import xml.etree.ElementTree as ElementTree

import leader_election

ROOT = Path(__file__).parents[1]
MANIFEST = ElementTree.parse(ROOT / 'package.xml')
OTHER_NAMES = {'matplotlib': 'python3-matplotlib', 'pillow': 'python3-pil',
               'PyYAML': 'python3-yaml', 'ros-jazzy-rclpy': 'rclpy'}
"""How rosdep calls what PyPI calls otherwise."""


def pinned(name: str) -> set[str]:
    """Return the names in a file of requirements; each has to have one exact version."""
    lines = (ROOT / 'requirements' / f'{name}.txt').read_text().splitlines()
    found = [re.fullmatch(r'([\w-]+)(\[\w+\])?==[\w.]+(;.*)?', line)
             for line in lines if not line.startswith('#')]
    assert None not in found
    return {match[1] for match in found if match}


def rosdep(name: str) -> str:
    if name in OTHER_NAMES:
        return OTHER_NAMES[name]
    if name.startswith('ros-'):
        return name.removeprefix('ros-').replace('-', '_')
    return f'python3-{name}'


def depends(kind: str) -> set[str]:
    return {element.text or '' for element in MANIFEST.iter(kind)}


def test_one_version() -> None:
    assert MANIFEST.findtext('version') == leader_election.__version__


def test_the_manifest_names_what_is_pinned() -> None:
    # Not on PyPI, or in what is pinned: launch, and what comes with rclpy.
    with_ros = {'launch', 'launch_ros', 'ament_index_python', 'builtin_interfaces',
                'rcl_interfaces'}
    assert {rosdep(name) for name in pinned('ros') | pinned('run')} | with_ros == (
        depends('exec_depend'))
    assert {rosdep(name) for name in pinned('test')} == depends('test_depend')


def test_what_builds_and_reads_is_pinned() -> None:
    assert 'setuptools' in pinned('build') and 'mypy' in pinned('lint')
