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

from leader_election.config import FILES
from leader_election.executables import Executable, EXECUTABLES
import pytest

ROOT = Path(__file__).parents[1]
NAMES = [executable.name for executable in EXECUTABLES]


def test_executables_are_sorted_and_unique() -> None:
    assert sorted(set(NAMES)) == NAMES


@pytest.mark.parametrize('executable', EXECUTABLES, ids=lambda each: each.name)
def test_module_of_an_executable_has_a_main(executable: Executable) -> None:
    spec = find_spec(executable.module)
    assert spec is not None and spec.origin is not None
    functions = [node.name for node in ast.parse(Path(spec.origin).read_text()).body
                 if isinstance(node, ast.FunctionDef)]
    assert 'main' in functions
    assert executable.stop_status in (0, 130)


def test_all_nodes_without_options_have_a_parameter_file() -> None:
    files = {executable.parameter_file for executable in EXECUTABLES} - {''}
    # The recorder's parameters are options, too.
    assert files == FILES.keys() - {'record.yaml'}


def test_table_is_read_without_the_package() -> None:
    """setup.py does so, where nothing is installed yet."""
    ran = subprocess.run(
        [sys.executable, '-IS', '-c', 'import runpy, sys; print([each.name for each in '
         'runpy.run_path(sys.argv[1])["EXECUTABLES"]])',
         str(ROOT / 'leader_election' / 'executables.py')],
        capture_output=True, text=True, timeout=60)
    assert (ran.stdout.strip(), ran.stderr) == (str(NAMES), '')


def test_executables_have_scripts_for_ros2_run() -> None:
    scripts = ROOT / 'scripts'
    assert sorted(path.name for path in scripts.iterdir() if path.is_symlink()) == NAMES
    for name in NAMES:
        assert (scripts / name).resolve() == scripts / 'run.sh'
        assert os.access(scripts / name, os.X_OK)


@pytest.mark.parametrize('place', ['lib/leader_election', 'bin'])
def test_a_script_runs_the_command_beside_it_or_in_bin(place: str, tmp_path: Path) -> None:
    """It passes its name and its arguments on, and is replaced by what it runs."""
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


def test_a_signal_while_python_starts_waits_for_the_command(tmp_path: Path) -> None:
    """It would be a KeyboardInterrupt in an import, with a traceback."""
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
def test_a_script_in_a_workspace_takes_the_packages_of_an_active_environment(
        has_system_packages: bool, tmp_path: Path) -> None:
    """That is where mcap is, beside a sourced ROS 2; any other environment has no ROS 2 in it."""
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
