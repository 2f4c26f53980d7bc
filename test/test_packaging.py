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

"""The metadata of the package agree: setup.py, package.xml, the files of requirements, modules."""

from pathlib import Path
import re
from runpy import run_path
import subprocess
import sys
from unittest.mock import patch
import xml.etree.ElementTree as ElementTree

from environment import LABORATORY, needs_laboratory
import pytest

ROOT = Path(__file__).parents[1]
MANIFEST = ElementTree.parse(ROOT / 'package.xml')
OTHER_NAMES = {'matplotlib': 'python3-matplotlib', 'pillow': 'python3-pil',
               'PyYAML': 'python3-yaml', 'ros-jazzy-rclpy': 'rclpy',
               'opencv-python-headless': 'python3-opencv'}
"""Distributions of PyPI that rosdep has under another name."""


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


def test_the_manifest_names_what_is_pinned() -> None:
    # Not on PyPI, or in what is pinned: launch, ros2, tf2_ros, and what comes with rclpy.
    with_ros = {'launch', 'launch_ros', 'ament_index_python', 'builtin_interfaces',
                'rcl_interfaces', 'ros2launch', 'ros2run', 'tf2_msgs', 'tf2_ros_py'}
    names = pinned('ros') | pinned('run') | pinned('view')
    assert {rosdep(name) for name in names} | with_ros == depends('exec_depend')
    linters = {'ament_copyright', 'ament_flake8', 'ament_pep257'}
    assert {rosdep(name) for name in pinned('test')} | linters == depends('test_depend')


def test_pinned_requirements_are_those_of_the_package() -> None:
    declared = set(re.findall(r"'([\w-]+)>=", (ROOT / 'setup.py').read_text()))
    assert declared == set().union(*map(pinned, (
        'run', 'view', 'lab', 'record', 'cluster', 'notebook', 'physics', 'test')))


def test_links_of_the_page_on_pypi_lead_to_files_of_the_repository() -> None:
    with patch('setuptools.setup') as setup, patch('sys.path', [*sys.path]):
        run_path(str(ROOT / 'setup.py'))
    page = setup.call_args.kwargs['long_description']
    targets = re.findall(r'\]\(([^)\s]+)\)', page)
    repository = next(url.text for url in MANIFEST.iter('url') if url.get('type') == 'repository')
    paths = [re.fullmatch(rf'{re.escape((repository or "").removesuffix(".git"))}/(?:raw|blob)/'
                          r'main/([^#]+)(?:#.*)?', target) for target in targets]
    assert all(path or re.match('https?:|#', target) for path, target in zip(paths, targets))
    assert [path[1] for path in paths if path and not (ROOT / path[1]).exists()] == []
    assert re.search(r'!\[[^][]*\]\(https://[^)]*/raw/main/doc/images/', page)


def test_kilted_is_pinned_like_jazzy() -> None:
    assert {name.replace('kilted', 'jazzy') for name in pinned('ros-kilted')} == pinned('ros')


def test_types_are_installed() -> None:
    with patch('setuptools.setup') as setup, patch('sys.path', [*sys.path]):
        run_path(str(ROOT / 'setup.py'))
    assert 'py.typed' in setup.call_args.kwargs['package_data']['leader_election']
    assert (ROOT / 'leader_election' / 'py.typed').is_file()


def test_only_the_extra_wheels_brings_ros() -> None:
    """Where a ROS 2 is sourced, its wheels beside it would be a second one."""
    with patch('setuptools.setup') as setup, patch('sys.path', [*sys.path]):
        run_path(str(ROOT / 'setup.py'))
    extras = setup.call_args.kwargs['extras_require']
    assert {re.split(r'[\[=]', line)[0] for line in extras.pop('wheels')} == pinned('ros')
    for lines in (setup.call_args.kwargs['install_requires'], *extras.values()):
        assert [line for line in lines if line.startswith('ros-')
                and not line.startswith('ros-jazzy-ament-')] == []


def test_node_without_ros_names_the_remedy() -> None:
    ran = without(('rclpy',),
                  'from leader_election import cli\nraise SystemExit(cli.run("fleet"))')
    assert (ran.returncode, ran.stdout, ran.stderr.count('\n')) == (2, '', 1)
    assert 'source /opt/ros/' in ran.stderr and "pip install '.[wheels]'" in ran.stderr


WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, *others):
        if name.split('.')[0] not in MISSING:
            return self.finder.find_spec(name, *others)

    def __getattr__(self, name):
        return getattr(self.finder, name)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""
"""Code that hides the modules MISSING from imports."""
VIEW = ('matplotlib', 'PIL', 'rich')


def without(missing: tuple[str, ...], code: str) -> 'subprocess.CompletedProcess[str]':
    return subprocess.run(
        [sys.executable, '-c', f'MISSING = {missing}\n{WITHOUT}\n{code}'], cwd=ROOT, timeout=60,
        capture_output=True, text=True)


def test_robots_and_their_world_run_without_the_extras() -> None:
    ran = without((*VIEW, *LABORATORY, 'mujoco'),
                  'from leader_election.ros.nodes import election_node, robot_host, swarm_world\n'
                  'import shapely\nprint("here")')
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, 'here\n', '')


@pytest.mark.parametrize('script', ['monitor', 'demo'])
def test_view_without_its_packages_names_them(script: str) -> None:
    ran = without(VIEW, f'from leader_election import cli\nraise SystemExit(cli.run({script!r}))')
    assert (ran.returncode, ran.stdout, len(ran.stderr.splitlines())) == (2, '', 1)
    assert 'matplotlib, pillow, rich' in ran.stderr
    assert "pip install 'leader_election[view]' (beside a sourced ROS 2" in ran.stderr


@needs_laboratory
@pytest.mark.parametrize('missing', [('numba',), ('xarray', 'netCDF4'), ('rich',)])
def test_laboratory_without_its_packages_names_them(missing: tuple[str, ...]) -> None:
    ran = without(missing, 'from leader_election import cli\nraise SystemExit(cli.run("lab"))')
    assert (ran.returncode, ran.stdout) == (2, '')
    assert ran.stderr == (
        f'error: the laboratory needs {", ".join(missing)}; install it with: pip install '
        "'leader_election[lab]' (beside a sourced ROS 2, in python3 -m venv "
        '--system-site-packages)\n')


@needs_laboratory
def test_the_laboratory_runs_without_ros() -> None:
    ran = without(('rclpy', 'std_msgs'),
                  'import sys\nfrom leader_election import cli\nsys.argv = ["lab", "--help"]\n'
                  'sys.exit(cli.run("lab"))')
    assert (ran.returncode, ran.stderr) == (0, '')
    assert 'reproduce' in ran.stdout


def test_tools_to_build_and_check_are_pinned() -> None:
    assert 'setuptools' in pinned('build') and 'mypy' in pinned('lint')
