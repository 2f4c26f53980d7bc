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

"""The commands of Gazebo: a world written, and a robot put into a running one."""

import os
from pathlib import Path
import signal
import subprocess
import sys

from leader_election.parameters import ParameterError
from leader_election.ros.gazebo.main import main
from leader_election.ros.gazebo.running_world import spawn
import pytest
import yaml


def run(*arguments: str) -> 'subprocess.CompletedProcess[str]':
    return subprocess.run(
        [sys.executable, '-m', 'leader_election', 'gazebo_world', *arguments],
        capture_output=True, text=True, timeout=60)


def test_command_writes_world_bridge_and_robots(tmp_path):
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


def test_the_printed_commands_are_complete_and_in_order(tmp_path, capsys):
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


def test_closed_output_pipe_is_no_error(tmp_path):
    """As ``gazebo_world ... | head -1``."""
    command = [sys.executable, '-m', 'leader_election', 'gazebo_world', '--robots', '2',
               '--output', str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ''
        assert process.wait(timeout=60) == 128 + signal.SIGPIPE


def test_the_same_options_write_the_same_files(tmp_path):
    for folder in ('a', 'b'):
        assert main(['--robots', '4', '--seed', '3', '--output', str(tmp_path / folder)]) == 0
    for file in (tmp_path / 'a').iterdir():
        assert file.read_text() == (tmp_path / 'b' / file.name).read_text()


@pytest.mark.parametrize('arguments', [
    ['--robots', '1000', '--layout', 'grid'], ['--world', 'no.sdf'], ['--step', 'long'],
    ['--output', '/dev/null/a']])
def test_a_wrong_option_is_one_line_and_status_2(tmp_path, arguments, capsys):
    assert main(['--output', str(tmp_path / 'made'), *arguments]) == 2
    out, error = capsys.readouterr()
    assert out == '' and error.startswith('error: ') and error.count('\n') == 1
    assert not (tmp_path / 'made').exists()


GZ = """#!/bin/sh
# As gz service: exit status 0 in any case.
service=$3 request=$(eval echo \\"\\${11}\\" ) folder=$(dirname "$0")
echo "$3 $5 $7" >> "$folder/log"
case $service in
/gazebo/worlds) printf 'data: "my depot"\\n\\n' ;;
/world/my_depot/scene/info) cat "$folder/scene" ;;
/world/my_depot/create) printf '%s\\n' "${11}" > "$folder/request"
    printf 'model {\\n  name: "late"\\n}\\n' >> "$folder/scene"; printf 'data: true\\n\\n' ;;
*) echo 'Service call timed out' >&2 ;;
esac
"""
SCENE = 'name: "my depot"\nmodel {\n  name: "ground"\n  link {\n    name: "late"\n  }\n}\n'


@pytest.fixture
def gz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a command ``gz`` whose world is ``my depot``; return its folder."""
    (tmp_path / 'gz').write_text(GZ)
    (tmp_path / 'gz').chmod(0o755)
    (tmp_path / 'scene').write_text(SCENE)
    monkeypatch.setenv('PATH', f'{tmp_path}:{os.environ["PATH"]}')
    return tmp_path


def spawned(*arguments: str) -> 'subprocess.CompletedProcess[str]':
    return subprocess.run(
        [sys.executable, '-m', 'leader_election', 'gazebo_spawn', *arguments],
        capture_output=True, text=True, timeout=60)


def test_a_model_is_put_into_a_world_whose_name_has_spaces(gz):
    ran = spawned(
        '--world', 'my depot', '--name', 'late', '--file', '/tmp/late robot.sdf', '--x', '2.5',
        '--y', '-1', '--z', '0.3', '--yaw', '0', '--ros-args', '-r', 'a:=b')
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, '', '')
    request = (gz / 'request').read_text()
    assert 'sdf_filename: "/tmp/late robot.sdf", name: "late", allow_renaming: false' in request
    assert 'position: {x: 2.5, y: -1.0, z: 0.3}, orientation: {z: 0.0, w: 1.0}' in request
    assert (gz / 'log').read_text().splitlines() == [
        '/world/my_depot/scene/info gz.msgs.Empty gz.msgs.Scene',
        '/world/my_depot/create gz.msgs.EntityFactory gz.msgs.Boolean',
        '/world/my_depot/scene/info gz.msgs.Empty gz.msgs.Scene']


def test_failed_spawn_is_one_line_and_status_2(gz):
    again = ['--name', 'ground', '--file', 'x.sdf']
    for world, line in (
            ('depot', "error: parameter world_name: no world 'depot' answers; these run: my d"),
            ('my depot', 'error: parameter name: there is a model ground in world')):
        ran = spawned('--world', world, *again)
        assert (ran.returncode, ran.stdout) == (2, '')
        assert ran.stderr.startswith(line) and ran.stderr.count('\n') == 1
    assert not (gz / 'request').exists()


def test_missing_gazebo_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv('PATH', str(tmp_path))
    ran = spawned('--world', 'w', '--name', 'late', '--file', 'x.sdf')
    assert (ran.returncode, ran.stderr.count('\n')) == (2, 1)
    assert 'command gz of Gazebo Sim is not installed' in ran.stderr


def test_spawn_of_an_existing_name_is_refused():
    """As where there is an entity of that name already, which only its log says."""
    def request(service: str, kind: str, reply: str, text: str) -> str | None:
        return {'Scene': '', 'Boolean': 'data: false\n'}[reply]

    with pytest.raises(ParameterError, match='Gazebo did not put late into world'):
        spawn('w', 'late', Path('x.sdf'), (0.0, 0.0, 0.0, 0.0), request)
    with pytest.raises(ParameterError, match='none runs on this computer'):
        spawn('w', 'late', Path('x.sdf'), (0.0, 0.0, 0.0, 0.0), lambda *_: None)


def test_one_of_two_simultaneous_spawns_fails():
    """Gazebo itself says true to both."""
    asked = 'w', 'late', Path('x.sdf'), (0.0, 0.0, 0.0, 0.0)
    created = []

    def request(service: str, kind: str, reply: str, text: str) -> str | None:
        if kind == 'Empty':
            return ''.join(f'model {{\n  name: "{name}"\n}}\n' for name in created)
        with pytest.raises(ParameterError, match='late is being put into world'):
            spawn(*asked, request)
        created.append('late')
        return 'data: true\n'

    spawn(*asked, request)
    assert created == ['late']
