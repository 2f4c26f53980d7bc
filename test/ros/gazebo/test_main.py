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
import signal
import subprocess
import sys

from leader_election.ros.gazebo.main import main
import pytest
import yaml


def run(*arguments: str) -> 'subprocess.CompletedProcess[str]':
    return subprocess.run(
        [sys.executable, '-m', 'leader_election', 'gazebo_world', *arguments],
        capture_output=True, text=True, timeout=60)


def test_command_writes_world_bridge_and_robots(tmp_path: Path) -> None:
    ran = run('--robots', '3', '--world', 'rooms', '--output', str(tmp_path / 'new'))
    assert (ran.returncode, ran.stderr) == (0, '')
    assert sorted(file.name for file in (tmp_path / 'new').iterdir()) == [
        'bridge.yaml', 'clock.yaml', 'robots.yaml', 'world.sdf']
    assert '3 robots in world swarm' in ran.stdout and 'gz sim -r' in ran.stdout
    nodes = yaml.safe_load((tmp_path / 'new' / 'robots.yaml').read_text())
    roster = nodes['/**']['ros__parameters']
    assert roster['roster'].startswith("{name: 'robot_1', id: 1") and roster['use_sim_time']
    for node in ('wander', 'gazebo_odometry'):
        assert nodes[node]['ros__parameters']['robots'] == 'robot_1,robot_2,robot_3'
        # Without them the robots stand still.
        assert f'ros2 run leader_election {node} ' in ran.stdout
    assert nodes['wander']['ros__parameters']['world'] == 'rooms'


def test_the_printed_commands_are_complete_and_in_order(
        tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The clock has a bridge of its own, and the robots' one is started when time passes."""
    folder = tmp_path / 'a b'
    assert main(['--robots', '2', '--output', str(folder), '--bumper', 'false']) == 0
    lines = capsys.readouterr().out.splitlines()[1:]
    assert [line.partition(' --ros-args')[0] for line in lines] == [
        f"gz sim -r '{folder}/world.sdf'", 'ros2 run ros_gz_bridge parameter_bridge',
        'ros2 run leader_election await_clock && ros2 run ros_gz_bridge parameter_bridge',
        'ros2 run leader_election fleet', 'ros2 run leader_election wander']
    assert f"config_file:='{folder}/clock.yaml'" in lines[1]
    assert all(f"'{folder}/robots.yaml'" in line for line in lines[3:])


def test_closed_output_pipe_is_no_error(tmp_path: Path) -> None:
    """As ``gazebo_world ... | head -1``."""
    command = [sys.executable, '-m', 'leader_election', 'gazebo_world', '--robots', '2',
               '--output', str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ''
        assert process.wait(timeout=60) == 128 + signal.SIGPIPE


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
