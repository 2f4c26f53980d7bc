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

"""The package builds as a user of ROS 2 builds it, and its tests run where extras are missing."""

import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

import pytest
from test_packaging import without

ROOT = Path(__file__).parents[1]
COLCON = shutil.which('colcon', path=os.pathsep.join(
    [str(Path(sys.executable).parent), os.environ.get('PATH', '')])) or ''


@pytest.mark.skipif(not COLCON, reason='colcon is not installed')
def test_colcon_builds_a_workspace_with_links(tmp_path: Path) -> None:
    """With links, setup.py is run by a link in the folder that colcon builds in."""
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


def test_plug_ins_of_ros_for_tests_are_off(pytestconfig: pytest.Config) -> None:
    """Those of Jazzy skip all tests where one module skips itself, and fail with pytest 9."""
    manager = pytestconfig.pluginmanager
    assert manager.is_blocked('launch_testing') and manager.is_blocked('launch_ros')


def test_files_that_need_a_missing_package_are_skipped_and_reported() -> None:
    ran = without(('numba', 'xarray'), """
import pytest
raise SystemExit(pytest.main([
    '-q', '--collect-only', '-p', 'no:cacheprovider', 'test/lab/engine',
    'test/election/algorithms/test_bounded.py']))
""")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    # Beside a sourced ROS 2 more may be missing.
    assert re.search('not tested, since .*numba.*, xarray are not installed: ', ran.stdout)
    assert 'of test/lab' in ran.stdout
    assert 'test/election/algorithms/' in ran.stdout and 'test/lab/engine/' not in ran.stdout
