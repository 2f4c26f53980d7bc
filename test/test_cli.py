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

"""The command ``leader_election``: its help, its executables, and what is said of a wrong name."""

from pathlib import Path
import signal
import subprocess
import sys
from xml.etree import ElementTree

from leader_election.cli import main, usage
from leader_election.executables import EXECUTABLES
import pytest

ROOT = Path(__file__).parents[1]


USAGES = {
    'replay': 'usage: leader_election replay [-h]',
    'record': 'usage: leader_election record [-h]',
    'lab': 'usage: leader_election lab [-h] COMMAND',
    'lab run': 'usage: leader_election lab run [-h]',
    'demo': 'usage: leader_election demo [-h]',
    'gazebo_world': 'usage: leader_election gazebo_world [-h]',
    'monitor': 'usage: leader_election monitor [--ros-args',
    'fleet': 'usage: leader_election fleet [--ros-args',
}


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, 'argv', ['leader_election', *arguments])
    return main()


@pytest.mark.parametrize('arguments', [(), ('--help',), ('-h',)])
def test_help_lists_all_executables(
        arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, *arguments) == 0
    assert capsys.readouterr() == (usage() + '\n', '')
    lines = usage().splitlines()
    for executable in EXECUTABLES:
        found = [line.split(maxsplit=1) for line in lines if line.startswith('  ')]
        assert [executable.name, executable.description] in found


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_a_signal_does_not_kill_a_process_that_is_ending(number: signal.Signals) -> None:
    """The second signal of a Ctrl-C under ros2 launch may arrive when the interpreter ends."""
    process = subprocess.Popen([sys.executable, '-c', """
import os, sys
from leader_election import cli

class Late:
    def __del__(self, write=os.write, read=os.read):
        write(2, b'ending')
        read(0, 1)

late = Late()
sys.argv[1:] = ['--help']
raise SystemExit(cli.run('gazebo_world'))
"""], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stdin is not None and process.stderr is not None
    assert process.stderr.read(6) == b'ending'
    process.send_signal(number)
    process.communicate(b'.', timeout=60)
    assert process.returncode == 0


def test_a_signal_while_modules_load_is_no_traceback(tmp_path: Path) -> None:
    """The first module that the command imports takes long here."""
    (tmp_path / 'argparse.py').write_text('import os\nos.write(1, b".")\nos.read(0, 1)\n')
    process = subprocess.Popen(
        [sys.executable, '-c', 'import sys; from leader_election.__main__ import main; '
         f'sys.path.insert(0, {str(tmp_path)!r}); main()'], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.read(1) == b'.'
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == b''
    assert process.returncode == 130


def test_an_unknown_name_is_one_line_and_status_2(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, 'fleets', '--help') == 2
    assert capsys.readouterr() == (
        '', "error: 'fleets' is not an executable; did you mean fleet? leader_election --help "
        'lists them\n')


@pytest.mark.parametrize('arguments', [('--version',), ('fleet', '--version'), (
    'lab', '--version')])
def test_the_version_is_that_of_the_manifest(
        arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, *arguments) == 0
    number = ElementTree.parse(ROOT / 'package.xml').findtext('version')
    assert capsys.readouterr() == (f'leader_election {number}\n', '')


@pytest.mark.parametrize(('word', 'hint'), [
    ('--raduis=3', 'did you mean radius? '), ('radius:=3', 'did you mean radius? '), ('-p', '')])
def test_an_option_of_a_node_that_is_not_for_ros_is_an_error(
        word: str, hint: str, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, 'election_node', word, '--ros-args', '-p', 'robot_id:=1') == 2
    assert capsys.readouterr() == (
        '', f'error: election_node has no option {word}; {hint}parameters come after --ros-args, '
        'as in --ros-args -p NAME:=VALUE; leader_election election_node --help lists them\n')


def test_help_of_executables_needs_no_extra() -> None:
    """All in one process, which finds none of the packages of extras."""
    needed = {name for each in EXECUTABLES if each.requires for name in each.requires.modules}
    ran = subprocess.run([sys.executable, '-c', f"""
import sys
sys.modules.update(dict.fromkeys({sorted(needed - {'shapely'})}))
from leader_election.cli import main
for name in {list(USAGES)}:
    sys.argv = ['leader_election', *name.split(), '--help']
    try:
        status = main()
    except SystemExit as ended:
        status = ended.code
    print('status', status or 0)
"""], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stderr) == (0, '')
    *helps, end = ran.stdout.split('status 0\n')
    assert [text.split('\n')[0][:len(usage)] for text, usage in zip(helps, USAGES.values())] == [
        *USAGES.values()] and end == ''


def test_each_extra_that_is_required_exists() -> None:
    extras = {each.requires.extra for each in EXECUTABLES if each.requires}
    assert all(f"        '{extra}': " in (ROOT / 'setup.py').read_text() for extra in extras)


def test_help_of_a_node_is_its_parameter_file(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, 'swarm_world', '--help') == 0
    text, _ = capsys.readouterr()
    assert text.startswith('usage: leader_election swarm_world [--ros-args')
    assert text.endswith((ROOT / 'config' / 'world.yaml').read_text())
