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

"""A robot put into a running world, with a ``gz`` that answers as the real one."""

import os
from pathlib import Path
import subprocess
import sys

from leader_election.parameters import ParameterError
from leader_election.ros.gazebo.running_world import spawn
import pytest

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


def run(*arguments: str) -> 'subprocess.CompletedProcess[str]':
    return subprocess.run(
        [sys.executable, '-m', 'leader_election', 'gazebo_spawn', *arguments],
        capture_output=True, text=True, timeout=60)


def test_a_model_is_put_into_a_world_whose_name_has_spaces(gz: Path) -> None:
    ran = run('--world', 'my depot', '--name', 'late', '--file', '/tmp/late robot.sdf',
              '--x', '2.5', '--y', '-1', '--z', '0.3', '--yaw', '0', '--ros-args', '-r', 'a:=b')
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, '', '')
    request = (gz / 'request').read_text()
    assert 'sdf_filename: "/tmp/late robot.sdf", name: "late", allow_renaming: false' in request
    assert 'position: {x: 2.5, y: -1.0, z: 0.3}, orientation: {z: 0.0, w: 1.0}' in request
    assert (gz / 'log').read_text().splitlines() == [
        '/world/my_depot/scene/info gz.msgs.Empty gz.msgs.Scene',
        '/world/my_depot/create gz.msgs.EntityFactory gz.msgs.Boolean',
        '/world/my_depot/scene/info gz.msgs.Empty gz.msgs.Scene']


def test_failed_spawn_is_one_line_and_status_2(gz: Path) -> None:
    again = ['--name', 'ground', '--file', 'x.sdf']
    for world, line in (
            ('depot', "error: parameter world_name: no world 'depot' answers; these run: my d"),
            ('my depot', 'error: parameter name: there is a model ground in world')):
        ran = run('--world', world, *again)
        assert (ran.returncode, ran.stdout) == (2, '')
        assert ran.stderr.startswith(line) and ran.stderr.count('\n') == 1
    assert not (gz / 'request').exists()


def test_missing_gazebo_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('PATH', str(tmp_path))
    ran = run('--world', 'w', '--name', 'late', '--file', 'x.sdf')
    assert (ran.returncode, ran.stderr.count('\n')) == (2, 1)
    assert 'command gz of Gazebo Sim is not installed' in ran.stderr


def test_spawn_of_an_existing_name_is_refused() -> None:
    """As where there is an entity of that name already, which only its log says."""
    def request(service: str, kind: str, reply: str, text: str) -> str | None:
        return {'Scene': '', 'Boolean': 'data: false\n'}[reply]

    with pytest.raises(ParameterError, match='Gazebo did not put late into world'):
        spawn('w', 'late', Path('x.sdf'), (0.0, 0.0, 0.0, 0.0), request)
    with pytest.raises(ParameterError, match='none runs on this computer'):
        spawn('w', 'late', Path('x.sdf'), (0.0, 0.0, 0.0, 0.0), lambda *_: None)


def test_one_of_two_simultaneous_spawns_fails() -> None:
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
