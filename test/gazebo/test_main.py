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

"""The command ``gazebo_world``, as a process."""

from pathlib import Path
import subprocess
import sys

from leader_election.gazebo.main import main
import pytest
import yaml


def run(*arguments: str) -> 'subprocess.CompletedProcess[str]':
    return subprocess.run(
        [sys.executable, '-m', 'leader_election', 'gazebo_world', *arguments],
        capture_output=True, text=True, timeout=60)


def test_it_writes_world_bridge_and_robots(tmp_path: Path) -> None:
    ran = run('--robots', '3', '--world', 'rooms', '--output', str(tmp_path / 'new'))
    assert (ran.returncode, ran.stderr) == (0, '')
    assert sorted(file.name for file in (tmp_path / 'new').iterdir()) == [
        'bridge.yaml', 'robots.yaml', 'world.sdf']
    assert '3 robots in world swarm' in ran.stdout and 'gz sim -r' in ran.stdout
    roster = yaml.safe_load((tmp_path / 'new' / 'robots.yaml').read_text())
    assert roster['/**']['ros__parameters']['roster'].startswith("{name: 'robot_1', id: 1")


def test_the_same_options_write_the_same_files(tmp_path: Path) -> None:
    for folder in ('a', 'b'):
        assert main(['--robots', '4', '--seed', '3', '--output', str(tmp_path / folder)]) == 0
    for file in (tmp_path / 'a').iterdir():
        assert file.read_text() == (tmp_path / 'b' / file.name).read_text()


@pytest.mark.parametrize('arguments', [
    ['--robots', '1000', '--layout', 'grid'], ['--world', 'no.sdf'], ['--step', 'long'],
    ['--output', '/dev/null/a']])
def test_a_wrong_option_is_one_line_and_status_2(
        tmp_path: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(['--output', str(tmp_path / 'made'), *arguments]) == 2
    out, error = capsys.readouterr()
    assert out == '' and error.startswith('error: ') and error.count('\n') == 1
    assert not (tmp_path / 'made').exists()
