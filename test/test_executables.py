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

"""The table of executables agrees with what is there: modules, files, scripts, documents."""

import ast
from importlib.util import find_spec
import os
from pathlib import Path
import signal
import subprocess
import sys
import venv
from xml.etree import ElementTree

from environment import variables
from leader_election.cli import DISTRIBUTIONS, keep_caches_of_matplotlib, main, usage
from leader_election.executables import EXECUTABLES
from leader_election.parameters.command_line import FOLDERS, how_to_install
from leader_election.ros.demo.main import parse
import pytest

ROOT = Path(__file__).parents[1]
NAMES = [executable.name for executable in EXECUTABLES]


def test_executables_have_main_functions_and_scripts_for_ros2_run() -> None:
    for executable in EXECUTABLES:
        spec = find_spec(executable.module)
        assert spec is not None and spec.origin is not None
        assert 'main' in [node.name for node in ast.parse(Path(spec.origin).read_text()).body
                          if isinstance(node, ast.FunctionDef)]
    scripts = ROOT / 'scripts'
    assert sorted(path.name for path in scripts.iterdir() if path.is_symlink()) == NAMES
    for name in NAMES:
        assert (scripts / name).resolve() == scripts / 'run.sh'
        assert os.access(scripts / name, os.X_OK)


def test_matplotlib_prints_nothing_when_the_home_cannot_be_written(tmp_path: Path) -> None:
    code = ('from leader_election.cli import keep_caches_of_matplotlib\n'
            'keep_caches_of_matplotlib()\n'
            'import matplotlib\n'
            'print(matplotlib.get_cachedir(), matplotlib.get_configdir())')
    kept = {key: value for key, value in os.environ.items()
            if key not in ('MPLCONFIGDIR', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME')}
    ran = subprocess.run(
        [sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True, timeout=60,
        env=kept | {'HOME': '/proc/nowhere', 'TMPDIR': str(tmp_path)})
    folder = tmp_path / f'leader_election-{os.getuid()}' / 'matplotlib'
    assert (ran.stdout, ran.stderr) == (f'{folder} {folder}\n', '')


def test_matplotlib_does_not_use_a_folder_of_another_user(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv('MPLCONFIGDIR', raising=False)
    for name in ('XDG_CONFIG_HOME', 'XDG_CACHE_HOME'):
        monkeypatch.setenv(name, '/proc/nowhere')
    monkeypatch.setattr('tempfile.gettempdir', lambda: str(tmp_path))
    (tmp_path / 'leader_election-4711' / 'matplotlib').mkdir(parents=True)
    monkeypatch.setattr(os, 'getuid', lambda: 4711)
    keep_caches_of_matplotlib()
    assert 'MPLCONFIGDIR' not in os.environ


def test_table_of_executables_is_read_without_the_package() -> None:
    """setup.py reads it before the package is installed."""
    ran = subprocess.run(
        [sys.executable, '-IS', '-c', 'import runpy, sys; print([each.name for each in '
         'runpy.run_path(sys.argv[1])["EXECUTABLES"]])',
         str(ROOT / 'leader_election' / 'executables.py')],
        capture_output=True, text=True, timeout=60)
    assert (ran.stdout.strip(), ran.stderr) == (str(NAMES), '')


@pytest.mark.parametrize('place', ['lib/leader_election', 'bin'])
def test_script_runs_the_command_beside_it_or_in_bin(place: str, tmp_path: Path) -> None:
    """It passes its name and its arguments, and is replaced by the command."""
    folder = tmp_path / 'lib' / 'leader_election'
    folder.mkdir(parents=True)
    (tmp_path / place).mkdir(exist_ok=True)
    (folder / 'fleet').write_text((ROOT / 'scripts' / 'run.sh').read_text())
    (folder / 'fleet').chmod(0o755)
    ran = subprocess.run([folder / 'fleet', 'a b'], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout, ran.stderr.count('\n')) == (2, '', 1)
    command = tmp_path / place / 'leader_election'
    command.write_text(f'#!{sys.executable}\nimport os, sys\nprint(os.getpid(), *sys.argv[1:])\n')
    command.chmod(0o755)
    process = subprocess.Popen([folder / 'fleet', 'a b'], stdout=subprocess.PIPE, text=True)
    assert process.communicate(timeout=60)[0] == f'{process.pid} fleet a b\n'


def test_signal_waits_for_the_command_when_python_starts(tmp_path: Path) -> None:
    """Otherwise a KeyboardInterrupt in an import would print a traceback."""
    (tmp_path / 'fleet').write_text((ROOT / 'scripts' / 'run.sh').read_text())
    (tmp_path / 'leader_election').write_text(
        f'#!{sys.executable}\nimport os\nos.write(1, b".")\nos.read(0, 1)\n'
        'from leader_election import cli\nraise SystemExit(cli.run("fleet"))\n')
    for name in ('fleet', 'leader_election'):
        (tmp_path / name).chmod(0o755)
    process = subprocess.Popen(
        [tmp_path / 'fleet'], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, env=os.environ | {'PYTHONPATH': str(ROOT)})
    assert process.stdout is not None and process.stdout.read(1) == b'.'
    process.send_signal(signal.SIGINT)
    assert process.communicate(b'.', timeout=60) == (b'', b'')
    assert process.returncode == 0


@pytest.mark.parametrize('has_system_packages', [True, False])
def test_script_in_a_workspace_uses_the_packages_of_an_active_environment(
        has_system_packages: bool, tmp_path: Path) -> None:
    """The environment has mcap beside a sourced ROS 2. Other environments have no ROS 2."""
    environment = tmp_path / 'environment'
    venv.create(environment, system_site_packages=has_system_packages, with_pip=False)
    folder = tmp_path / 'lib' / 'leader_election'
    folder.mkdir(parents=True)
    for name in ('fleet', 'leader_election'):
        (folder / name).write_text((ROOT / 'scripts' / 'run.sh').read_text()
                                   if name == 'fleet' else
                                   f'#!{sys.executable}\nimport sys\n'
                                   'print(*sys.argv[1:], sys.prefix)\n')
        (folder / name).chmod(0o755)
    ran = subprocess.run([folder / 'fleet', 'a b'], capture_output=True, text=True, timeout=60,
                         env=os.environ | {'VIRTUAL_ENV': str(environment)})
    assert (ran.stdout, ran.stderr) == (
        f'fleet a b {environment if has_system_packages else sys.prefix}\n', '')


@pytest.mark.parametrize('start', ['leader_election', 'ros2 run leader_election'])
def test_printed_command_starts_as_the_one_that_was_typed(start: str, tmp_path: Path) -> None:
    """Type a wrong option as a module, by pip, on the path, and with ROS 2."""
    for folder in ('bin', 'path', 'lib/leader_election'):
        (tmp_path / folder).mkdir(parents=True)
    command = (f'#!{sys.executable}\nfrom leader_election.__main__ import main\n'
               'raise SystemExit(main())\n')
    for file, text in {
            'bin/leader_election': command, 'lib/leader_election/leader_election': command,
            'lib/leader_election/swarm_doctor': (ROOT / 'scripts' / 'run.sh').read_text(),
            'path/ros2': f'#!/bin/sh\nexec {tmp_path}/lib/leader_election/$3 "$4"\n'}.items():
        (tmp_path / file).write_text(text)
        (tmp_path / file).chmod(0o755)
    bins = 'bin:path' if start == 'leader_election' else 'path'
    path = ''.join(f'{tmp_path / each}:' for each in bins.split(':')) + os.environ['PATH']

    refused = subprocess.run(
        f'{start} swarm_doctor --cure', shell=True, cwd=tmp_path, capture_output=True, text=True,
        timeout=60, env=variables(ROOT) | {'PATH': path})
    printed = refused.stderr.partition('; ')[2].partition(' shows')[0]
    assert printed == f'{start} swarm_doctor --help'


# The command ``leader_election``: its help, its executables, and what is said of a wrong name.


USAGES = {
    'replay': 'usage: leader_election replay [-h]',
    'lab run': 'usage: leader_election lab run [-h]',
    'demo': 'usage: leader_election demo [OPTIONS]',
    'monitor': 'usage: leader_election monitor [--ros-args',
}


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, 'argv', ['leader_election', *arguments])
    return main()


def test_help_lists_every_executable(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (), ('--help',), ('-h',):
        assert call(monkeypatch, *arguments) == 0
        assert capsys.readouterr() == (usage() + '\n', '')
    lines = usage().splitlines()
    for executable in EXECUTABLES:
        found = [line.split(maxsplit=1) for line in lines if line.startswith('  ')]
        assert [executable.name, executable.description] in found


def test_help_is_not_wider_than_the_terminal(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv('COLUMNS', '80')
    monkeypatch.setattr('sys.orig_argv', ['.venv/bin/python', '-m', 'leader_election'])
    monkeypatch.setattr('sys.stdout.isatty', lambda: True)
    assert call(monkeypatch, '--help') == 0
    with pytest.raises(SystemExit):
        parse(['--help'])
    printed = capsys.readouterr().out
    printed += subprocess.run(['make', 'help'], cwd=ROOT, capture_output=True, text=True,
                              check=True, timeout=60).stdout
    assert [line for line in printed.splitlines() if len(line) > 80] == []
    assert 'default: None' not in printed


def test_ending_process_ignores_a_signal() -> None:
    """Under ros2 launch the second signal of Ctrl-C may arrive while the interpreter ends."""
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
    process.send_signal(signal.SIGINT)
    process.communicate(b'.', timeout=60)
    assert process.returncode == 0


def test_signal_prints_no_traceback_when_modules_load(tmp_path: Path) -> None:
    """The first module that the command imports is slow."""
    (tmp_path / 'argparse.py').write_text('import os\nos.write(1, b".")\nos.read(0, 1)\n')
    process = subprocess.Popen(
        [sys.executable, '-c', 'import sys; from leader_election.__main__ import main; '
         f'sys.path.insert(0, {str(tmp_path)!r}); main()'], cwd=ROOT,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.read(1) == b'.'
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == b''
    assert process.returncode == 130


def test_command_ends_with_one_line_and_status_2_when_unknown(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, 'fleets', '--help') == 2
    assert capsys.readouterr() == (
        '', "error: 'fleets' is not an executable; did you mean fleet? leader_election --help "
        'lists them\n')


def ran(command: str, redirection: str, folder: Path) -> 'subprocess.CompletedProcess[str]':
    """Run a command in a shell, and return its end."""
    return subprocess.run(
        f'exec {sys.executable} -m leader_election {command} {redirection}', shell=True,
        cwd=folder, env=variables(), stderr=subprocess.PIPE, encoding='utf-8', timeout=100)


@pytest.mark.parametrize('command', ['gazebo_world --help', 'swarm_key new.key'])
def test_command_ends_with_one_line_when_the_disk_is_full(command: str, tmp_path: Path) -> None:
    process = ran(command, '> /dev/full', tmp_path)
    assert (process.returncode, process.stderr) == (2, 'error: No space left on device\n')


@pytest.mark.parametrize('closed', ['<&- >&-', '<&- >&- 2>&-'])
def test_command_prints_nothing_when_its_streams_are_closed(closed: str, tmp_path: Path) -> None:
    process = ran('swarm_key new.key', closed, tmp_path)
    assert (process.returncode, process.stderr) == (0, '')
    # What was printed did not get into the file.
    assert ran('swarm_key --show new.key', '> shown', tmp_path).returncode == 0
    assert len((tmp_path / 'shown').read_text(encoding='utf-8').splitlines()) == 1


@pytest.mark.parametrize(('command', 'error'), [
    ('play', 'error: this user has no home; set HOME to a folder that it can write'),
    ('election_node --ros-args -p robot_id:=1 -p metric:=hops -p communication_range:=.inf '
     '-p mandate:=3.0 -p quorum:=majority -p roster:=1,2,3 -p hop_limit:=2',
     'error: parameter quorum: promises are kept below ~/.local/state, and this user has no home'),
    ('swarm_world --ros-args -p logs:=~nobody_x/logs',
     'error: parameter logs: ~nobody_x/logs: ~ is no known home')])
def test_command_ends_with_one_line_when_the_user_has_no_home(
        command: str, error: str, tmp_path: Path) -> None:
    """As in a container that runs with the number of a user that it does not know."""
    code = f"""if True:
        import pwd, sys
        def unknown(*number): raise KeyError(number)
        pwd.getpwuid = unknown
        sys.argv = ['leader_election', *{command.split()!r}]
        from leader_election.cli import main
        sys.exit(main())"""
    kept = {name: text for name, text in variables().items() if name not in (
        'HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME')}
    process = subprocess.run([sys.executable, '-c', code], cwd=tmp_path, encoding='utf-8',
                             env={**kept, 'ROS_LOG_DIR': str(tmp_path / 'log')},
                             capture_output=True, timeout=100)
    assert process.returncode == 2 and process.stderr.startswith(error), process.stderr
    assert process.stderr.count('\n') == 1 and not [*tmp_path.glob('~*')]


def test_output_is_printed_when_its_encoding_lacks_a_character() -> None:
    process = subprocess.run(
        [sys.executable, '-c', 'from leader_election import cli\ncli.open_streams()\n'
         'print("m\u00b2")'], env={**variables(), 'PYTHONIOENCODING': 'ascii'},
        capture_output=True, timeout=100)
    assert (process.returncode, process.stdout, process.stderr) == (0, b'm?\n', b'')


def test_version_equals_that_of_the_manifest(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    number = ElementTree.parse(ROOT / 'package.xml').findtext('version')
    for arguments in ('--version',), ('fleet', '--version'):
        assert call(monkeypatch, *arguments) == 0
        assert capsys.readouterr() == (f'leader_election {number}\n', '')


@pytest.mark.parametrize(('word', 'hint'), [
    ('--raduis=3', 'did you mean radius? '), ('-p', '')])
def test_node_refuses_an_option_that_is_not_for_ros(
        word: str, hint: str, monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, 'election_node', word, '--ros-args', '-p', 'robot_id:=1') == 2
    assert capsys.readouterr() == (
        '', f'error: election_node has no option {word}; {hint}parameters come after --ros-args, '
        'as in --ros-args -p NAME:=VALUE; leader_election election_node --help lists them\n')


def test_help_is_printed_without_extras() -> None:
    """All commands run in one process without the packages of extras."""
    needed = {name for each in EXECUTABLES if each.requires for name in each.requires.modules}
    ran = subprocess.run([sys.executable, '-c', f"""
import sys
sys.modules.update(dict.fromkeys({sorted(needed - {'shapely', 'leader_election_lab'})}))
from leader_election.cli import main
for name in {list(USAGES)}:
    sys.argv = ['leader_election', *name.split(), '--help']
    try:
        status = main()
    except SystemExit as ended:
        status = ended.code
    print('status', status or 0)
"""], cwd=ROOT, capture_output=True, text=True, timeout=60, env=variables())
    assert (ran.returncode, ran.stderr) == (0, '')
    *helps, end = ran.stdout.split('status 0\n')
    assert [text.split('\n')[0][:len(usage)] for text, usage in zip(helps, USAGES.values())] == [
        *USAGES.values()] and end == ''


def test_command_for_missing_modules_installs_only_what_the_package_names() -> None:
    """No name that a stranger could register: an extra of this package is not on PyPI."""
    known = (ROOT / 'setup.py').read_text() + ''.join(
        path.read_text() for path in (ROOT / 'requirements').glob('*.txt'))
    for each in EXECUTABLES:
        for module in each.requires.modules if each.requires else ():
            name = DISTRIBUTIONS.get(module, module)
            said = how_to_install([name])
            assert 'leader_election[' not in said
            assert name in known or name in FOLDERS and (
                ROOT / FOLDERS[name] / 'pyproject.toml').exists()
