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

"""Commands that end with the process that has started them, one in a group of its own."""

import os
from pathlib import Path
import signal
import subprocess
import sys
import time

from leader_election.ros.launching.bound import group_prefix, prefix
import pytest

GROUP = group_prefix()[len(prefix()):]
FORKS = """
import os, pathlib, subprocess, sys, time
# As a shell that starts a program: it does not hand signals on.
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)'])
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
"""


def alive(pid: int) -> bool:
    """Return whether a process lives, and is not only not yet waited for."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


def until_gone(pid: int) -> None:
    end = time.monotonic() + 60.0
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not alive(pid)


def child_of(file: Path) -> int:
    end = time.monotonic() + 60.0
    while not (file.exists() and file.read_text()) and time.monotonic() < end:
        time.sleep(0.05)
    return int(file.read_text())


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_signal_to_the_wrapper_ends_the_command(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / 'pid'
    with subprocess.Popen([*GROUP, sys.executable, '-c', FORKS + 'time.sleep(300)', str(file)],
                          stderr=subprocess.DEVNULL) as process:
        child = child_of(file)
        process.send_signal(number)
        assert process.wait(timeout=60) in (1, 128 + number)
    until_gone(child)


def test_remains_of_the_command_end_with_it(tmp_path: Path) -> None:
    file = tmp_path / 'pid'
    ran = subprocess.run([*GROUP, sys.executable, '-c', FORKS + 'sys.exit(3)', str(file)],
                         timeout=60)
    assert ran.returncode == 3
    until_gone(child_of(file))


@pytest.mark.parametrize('killed', ['parent', 'group'])
def test_command_ends_with_the_process_that_started_it(tmp_path: Path, killed: str) -> None:
    """Also where that was killed, or the process at the head of the group was."""
    file = tmp_path / 'pid'
    starts = ('import subprocess, sys\nfrom leader_election.ros.launching.bound import prefix\n'
              'started = subprocess.Popen([*prefix(), *sys.argv[1:]])\n'
              'print(started.pid, flush=True)\nstarted.wait()')
    waits = ('import os, pathlib, sys, time\n'
             'pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))\ntime.sleep(300)')
    with subprocess.Popen([sys.executable, '-c', starts, *GROUP, sys.executable, '-c',
                           waits, str(file)], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        group = int(process.stdout.readline())
        command = child_of(file)
        os.kill(process.pid if killed == 'parent' else group, signal.SIGKILL)
        process.wait(timeout=60)
    until_gone(group)
    until_gone(command)


def test_command_of_an_ended_launch_does_not_start(tmp_path: Path) -> None:
    """Its interpreter may have been slow to start."""
    with subprocess.Popen([sys.executable, '-c', '']) as launch:
        launch.wait(timeout=60)
    *words, _ = prefix()
    ran = subprocess.run([*words, str(launch.pid), 'touch', str(tmp_path / 'file')], timeout=60)
    assert ran.returncode == 128 + signal.SIGTERM
    assert not (tmp_path / 'file').exists()


def test_a_bound_command_has_its_own_status_and_default_signals() -> None:
    """Python ignores SIGPIPE, which a command would inherit."""
    ran = subprocess.run([*prefix(), 'sh', '-c', 'kill -s PIPE $$; exit 3'], timeout=60)
    assert ran.returncode == -signal.SIGPIPE
    ran = subprocess.run([*prefix(), 'no-such-program'], capture_output=True, text=True,
                         timeout=60)
    assert (ran.returncode, ran.stderr) == (
        127, 'error: no-such-program: No such file or directory\n')
