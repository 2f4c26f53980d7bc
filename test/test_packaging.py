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

import os
from pathlib import Path
import re
from runpy import run_path
import shutil
import subprocess
import sys
from typing import Any
from unittest.mock import patch
import xml.etree.ElementTree as ElementTree

from environment import LABORATORY, needs_laboratory, without
import leader_election
from leader_election import cli
from leader_election.parameters.command_line import how_to_install
import pytest

ROOT = Path(__file__).parents[1]
MANIFEST = ElementTree.parse(ROOT / 'package.xml')
OTHER_NAMES = {'matplotlib': 'python3-matplotlib', 'pillow': 'python3-pil',
               'pyserial': 'python3-serial', 'PyYAML': 'python3-yaml', 'ros-jazzy-rclpy': 'rclpy',
               'opencv-python-headless': 'python3-opencv'}
"""Distributions of PyPI that rosdep has under another name."""


def pinned(name: str) -> set[str]:
    """Return the names in a file of requirements. Each has to have one exact version."""
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


def arguments_of_setup() -> dict[str, Any]:
    with patch('setuptools.setup') as setup, patch('sys.path', [*sys.path]):
        run_path(str(ROOT / 'setup.py'))
    return setup.call_args.kwargs


def test_manifest_names_every_pinned_requirement() -> None:
    # Not on PyPI, or in what is pinned: launch, ros2, tf2_ros, vision_msgs, what rclpy brings.
    with_ros = {'action_msgs', 'launch', 'launch_ros', 'ament_index_python', 'builtin_interfaces',
                'rcl_interfaces', 'ros2launch', 'ros2run', 'tf2_msgs', 'tf2_ros_py',
                'unique_identifier_msgs', 'vision_msgs'}
    names = pinned('ros') | pinned('run')
    assert {rosdep(name) for name in names} | with_ros == depends('exec_depend')
    linters = {'ament_copyright', 'ament_flake8', 'ament_pep257', 'ament_xmllint'}
    tests = pinned('test') | pinned('view')
    assert {rosdep(name) for name in tests} | linters == depends('test_depend')


def test_pinned_requirements_equal_those_of_the_package() -> None:
    declared = {name for file in ('setup.py', 'lab/pyproject.toml')
                for name in re.findall(r"'([\w-]+)>=", (ROOT / file).read_text())
                if name != 'setuptools'}
    assert declared == set().union(*map(pinned, (
        'run', 'view', 'web', 'lab', 'record', 'cluster', 'physics', 'link', 'test')))


def test_links_of_the_page_on_pypi_exist() -> None:
    page = arguments_of_setup()['long_description']
    targets = re.findall(r'\]\(([^)\s]+)\)', page)
    repository = next(url.text for url in MANIFEST.iter('url') if url.get('type') == 'repository')
    paths = [re.fullmatch(rf'{re.escape((repository or "").removesuffix(".git"))}/(?:raw|blob)/'
                          r'main/([^#]+)(?:#.*)?', target) for target in targets]
    assert all(path or re.match('https?:|#', target) for path, target in zip(paths, targets))
    assert [path[1] for path in paths if path and not (ROOT / path[1]).exists()] == []
    assert re.search(r'!\[[^][]*\]\(https://[^)]*/raw/main/doc/images/', page)


def test_kilted_is_pinned_like_jazzy_and_only_the_extra_wheels_requires_ros() -> None:
    """Beside a sourced ROS 2 the wheels would be a second one."""
    assert {name.replace('kilted', 'jazzy') for name in pinned('ros-kilted')} == pinned('ros')
    arguments = arguments_of_setup()
    extras = arguments['extras_require']
    assert {re.split(r'[\[=]', line)[0] for line in extras.pop('wheels')} == pinned('ros')
    for lines in (arguments['install_requires'], *extras.values()):
        assert [line for line in lines if line.startswith('ros-')
                and not line.startswith('ros-jazzy-ament-')] == []


def test_package_tells_type_checkers_of_its_types() -> None:
    assert 'py.typed' in arguments_of_setup()['package_data']['leader_election']
    assert (ROOT / 'leader_election' / 'py.typed').exists()


def test_node_without_ros_names_the_remedy() -> None:
    ran = without(('rclpy',),
                  'from leader_election import cli\nraise SystemExit(cli.run("fleet"))')
    assert (ran.returncode, ran.stdout, ran.stderr.count('\n')) == (2, '', 1)
    assert 'source /opt/ros/' in ran.stderr and "pip install '.[wheels]'" in ran.stderr


VIEW = ('matplotlib', 'PIL', 'rich')


def test_robots_and_their_world_run_without_the_extras() -> None:
    ran = without((*VIEW, *LABORATORY, 'mujoco'),
                  'from leader_election.ros.nodes import election, robot_host, swarm_world\n'
                  'import shapely\nprint("here")')
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, 'here\n', '')


@pytest.mark.parametrize(('lacking', 'name', 'said'), [
    (VIEW, 'monitor', how_to_install(['matplotlib', 'pillow', 'rich'])),
    (('bokeh',), 'web', 'the page of a swarm needs bokeh; install it with: pip install'),
    (('leader_election_lab',), 'lab', 'install it with: pip install ./lab (beside a sourced ')])
def test_missing_packages_are_named_in_one_line(
        lacking: tuple[str, ...], name: str, said: str, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    for module in lacking:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr(sys, 'argv', [name])
    assert cli.run(name) == 2
    out, err = capsys.readouterr()
    assert (out, err.count('\n')) == ('', 1) and said in err


@needs_laboratory
def test_laboratory_runs_without_ros() -> None:
    ran = without(('rclpy', 'std_msgs'),
                  'import sys\nfrom leader_election import cli\nsys.argv = ["lab", "--help"]\n'
                  'sys.exit(cli.run("lab"))')
    assert (ran.returncode, ran.stderr) == (0, '')
    assert 'compare' in ran.stdout


# The conditions of a release by bloom: one version, a changelog in catkin's form, one address.

VERSION = MANIFEST.findtext('version')
TEXTS = ('*.py', '*.md', '*.toml', '*.cfg', '*.xml', '*.rst', 'leader_election/**/*.py',
         'lab/**/*.py', 'lab/**/*.toml', 'lab/**/*.md', 'doc/**/*.md', 'doc/**/*.rst', 'doc/*.py',
         'launch/*', 'config/**/*.*', 'requirements/*')


def test_environment_behind_a_link_is_not_emptied(tmp_path: Path) -> None:
    others = tmp_path / 'others'
    others.mkdir()
    (others / 'precious').touch()
    (tmp_path / '.venv').symlink_to(others)
    (tmp_path / 'Makefile').write_text((ROOT / 'Makefile').read_text())

    def make() -> 'subprocess.CompletedProcess[str]':
        return subprocess.run(['make', f'PYTHON={sys.executable}', '.venv/.uv'], cwd=tmp_path,
                              text=True, capture_output=True)

    refused = make()
    assert refused.returncode == 2 and refused.stderr.splitlines()[0] == (
        f'error: .venv is a link, and {others} would be emptied; remove the link')
    assert [path.name for path in others.iterdir()] == ['precious']
    (others / '.uv').touch()
    assert make().returncode == 0


def test_versions_of_files_are_equal() -> None:
    assert leader_election.__version__ == VERSION
    assert f'\nversion: {VERSION}\n' in (ROOT / 'CITATION.cff').read_text()
    # catkin_prepare_release replaces a literal of exactly this form.
    assert re.findall(r"version='(\d+\.\d+\.\d+)',", (ROOT / 'setup.py').read_text()) == [VERSION]
    assert f"\nversion = '{VERSION}'\n" in (ROOT / 'lab' / 'pyproject.toml').read_text()


def test_address_is_only_in_the_manifest() -> None:
    maintainer = MANIFEST.find('maintainer')
    assert maintainer is not None
    email = maintainer.get('email') or ''
    urls = {url.get('type'): url.text for url in MANIFEST.iter('url')}
    assert urls.keys() == {'website', 'repository', 'bugtracker'} and all(urls.values())
    arguments = arguments_of_setup()
    assert [arguments[name] for name in ('maintainer', 'maintainer_email', 'url')] == [
        maintainer.text, email, urls['website']]
    others = {path for pattern in TEXTS for path in ROOT.glob(pattern) if path.is_file()
              and path.name != 'package.xml'}
    for address in (email, *urls.values()):
        assert not [path for path in others
                    if re.search(rf'{re.escape(address or "")}(?!\w)', path.read_text())]


def test_all_licences_are_listed_with_their_texts() -> None:
    licences = {licence.text or '': licence.get('file') or ''
                for licence in MANIFEST.iter('license')}
    assert arguments_of_setup()['license'] == ' AND '.join(licences)
    for name, file in licences.items():
        assert {'Apache-2.0': 'Apache License', 'MIT': 'MIT License'}[name] in (
            ROOT / file).read_text()
    # Texts of licences elsewhere in the package would be licences that are not listed.
    found = {str(path.relative_to(ROOT)) for pattern in ('LICEN*', 'leader_election/**/LICEN*')
             for path in ROOT.glob(pattern)}
    assert found == set(licences.values())


def test_changelog_is_read_by_catkin() -> None:
    """The test needs catkin_pkg, which colcon and bloom install."""
    changelog = pytest.importorskip('catkin_pkg.changelog')
    pytest.importorskip('docutils')
    found = changelog.get_changelog_from_path(str(ROOT))
    assert [version for version, _, _ in found.foreach_version()] == [VERSION]
    (content,) = found.get_content_of_version(VERSION)
    assert len(content.bullets) > 10


def test_manifest_is_read_by_catkin() -> None:
    package = pytest.importorskip('catkin_pkg.package')
    warnings: list[str] = []
    package.parse_package(str(ROOT / 'package.xml'), warnings=warnings)
    assert warnings == []


# The package builds as a user of ROS 2 builds it, and its tests run where extras are missing.

COLCON = shutil.which('colcon', path=os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get('PATH', '')])) or ''


@pytest.mark.skipif(not COLCON, reason='colcon is not installed')
def test_colcon_builds_a_workspace_with_links(tmp_path: Path) -> None:
    """With links setup.py is run by a link in colcon's build folder."""
    (tmp_path / 'src').mkdir()
    (tmp_path / 'src' / 'leader_election').symlink_to(ROOT)
    ran = subprocess.run(
        [COLCON, 'build', '--symlink-install', '--packages-select', 'leader_election'],
        cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    installed = tmp_path / 'install' / 'leader_election'
    launched = installed / 'share' / 'leader_election' / 'launch' / 'swarm.launch.py'
    assert launched.resolve() == ROOT / 'launch' / 'swarm.launch.py'
    ran = subprocess.run(
        ['sh', '-c', '. install/setup.sh && exec "$0" --help',
         installed / 'lib' / 'leader_election' / 'swarm_doctor'],
        cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, '') and '--fleet-file' in ran.stdout


def test_pytest_plug_ins_of_ros_are_off(pytestconfig: pytest.Config) -> None:
    """Those of Jazzy skip all tests if one module skips itself, and fail with pytest 9."""
    manager = pytestconfig.pluginmanager
    assert manager.is_blocked('launch_testing') and manager.is_blocked('launch_ros')


def test_files_that_need_a_missing_package_are_skipped_and_reported() -> None:
    ran = without(('numba', 'xarray'), """
import pytest
raise SystemExit(pytest.main([
    '-q', '--collect-only', '-p', 'no:cacheprovider', 'lab/test/engine',
    'test/election/algorithms/test_bounded.py']))
""")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert 'lab/test/engine/test_advance.py:1: not installed: numba' in ran.stdout
    assert 'test/election/algorithms/test_bounded.py::' in ran.stdout
    assert 'lab/test/engine/test_advance.py::' not in ran.stdout
