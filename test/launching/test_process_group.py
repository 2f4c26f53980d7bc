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

"""A command in a process group of its own: all ends with the command, and with its parent."""

import os
from pathlib import Path
import signal
import subprocess
import sys
import time

import pytest

GROUP = [sys.executable, '-m', 'leader_election.launching.process_group']
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
def test_a_signal_to_it_alone_ends_all(tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / 'pid'
    with subprocess.Popen([*GROUP, sys.executable, '-c', FORKS + 'time.sleep(300)', str(file)],
                          stderr=subprocess.DEVNULL) as process:
        child = child_of(file)
        process.send_signal(number)
        assert process.wait(timeout=60) in (1, 128 + number)
    until_gone(child)


def test_what_the_command_leaves_ends_with_it(tmp_path: Path) -> None:
    file = tmp_path / 'pid'
    ran = subprocess.run([*GROUP, sys.executable, '-c', FORKS + 'sys.exit(3)', str(file)],
                         timeout=60)
    assert ran.returncode == 3
    until_gone(child_of(file))


def test_it_ends_with_what_has_started_it(tmp_path: Path) -> None:
    """Also where that was killed, as a shell between it and a launch."""
    file = tmp_path / 'pid'
    starts = ('import subprocess, sys; subprocess.Popen(sys.argv[1:]).wait()')
    with subprocess.Popen([sys.executable, '-c', starts, *GROUP, sys.executable, '-c',
                           FORKS + 'time.sleep(300)', str(file)],
                          stderr=subprocess.DEVNULL) as process:
        child = child_of(file)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=60)
    until_gone(child)
