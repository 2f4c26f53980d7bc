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

"""The commands of a user of ROS 2, where they are installed: build, launch, inspect."""

import os
from pathlib import Path
import shutil
import signal
import subprocess

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = [name for name in ('ros2', 'colcon') if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(
    bool(NEEDED), reason=f'not installed: {", ".join(NEEDED)}; source a ROS 2')


@pytest.fixture(scope='module')
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a workspace in which the package is built."""
    folder = tmp_path_factory.mktemp('workspace')
    (folder / 'src').mkdir()
    (folder / 'src' / 'leader_election').symlink_to(ROOT)
    subprocess.run(['colcon', 'build', '--packages-select', 'leader_election'], cwd=folder,
                   check=True, capture_output=True, timeout=120)
    return folder


def typed(workspace: Path, command: str) -> 'subprocess.CompletedProcess[str]':
    """Run a command in a terminal in which the workspace is sourced."""
    return subprocess.run(
        ['sh', '-c', f'. install/setup.sh && {command}'], cwd=workspace, capture_output=True,
        text=True, timeout=120, env=os.environ)


def test_ros2_run_finds_the_executables(workspace: Path) -> None:
    ran = typed(workspace, 'ros2 run leader_election swarm_doctor --help')
    assert ran.returncode == 0 and '--fleet-file' in ran.stdout
    assert str(workspace) in typed(workspace, 'ros2 pkg prefix leader_election').stdout


def test_swarm_is_launched_inspected_and_stopped(workspace: Path) -> None:
    launch = subprocess.Popen(
        ['sh', '-c', '. install/setup.sh && exec ros2 launch leader_election swarm.launch.py '
         'robots:=3 radius:=6.0'], cwd=workspace, text=True, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True)
    try:
        assert launch.stdout is not None
        assert any('monitor' in line and ' 3 robots' in line for line in launch.stdout)
        node = '--no-daemon --spin-time 5 /robot_2/election_node radius'
        assert typed(workspace, f'ros2 param get {node}').stdout == 'Double value is: 6.0\n'
        assert 'successful' in typed(workspace, f'ros2 param set {node} 7.0').stdout
        assert 'out of range' in typed(workspace, f'ros2 param set {node} -- -1.0').stderr
        topics = typed(workspace, 'ros2 topic list --no-daemon --spin-time 5').stdout.split()
        assert {'/robot_1/leader', '/neighbourhood'} <= {*topics}
    finally:
        os.killpg(launch.pid, signal.SIGINT)
        rest, _ = launch.communicate(timeout=60)
    assert launch.returncode == 0, rest
    assert rest.count('process has finished cleanly') == 3, rest
