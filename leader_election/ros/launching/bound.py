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

"""
Bind a command to the process that starts it: the command ends with that process.

``launch`` cannot end its processes when SIGKILL or SIGHUP ends it. When SIGTERM ends it, it misses
processes whose start it has not reported yet. It signals only the process that it has started, so
children of a shell, or of a program that forks, go on: Gazebo's server is one. Such a command gets
a process group of its own, which ends with the command.

usage: ``python bound.py PARENT COMMAND [ARGUMENTS]``, for a group
``python bound.py group COMMAND [ARGUMENTS]``
"""

from collections.abc import Sequence
from contextlib import suppress
import ctypes
from functools import cache
import os
from pathlib import Path
import signal
import sys
import time
from typing import NoReturn, TYPE_CHECKING

if TYPE_CHECKING:
    from subprocess import Popen

_PARENT_DEATH_SIGNAL = 1
"""``PR_SET_PDEATHSIG`` of Linux."""
_PARENT_OF_ORPHANS = 36
"""``PR_SET_CHILD_SUBREAPER`` of Linux."""
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores, and a command would inherit as ignored."""
_GROUP = 'group'
"""The word in place of the parent for a command in a group of its own."""
PERIOD = 0.2
"""The time between two checks for a signal [s]."""
GRACE = 3.0
"""The time after which the remaining processes are sent the next, stronger signal [s]."""
_STRONGER = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


def prefix() -> list[str]:
    """
    Return the words before the command of a child process that bind it to this process.

    On other systems than Linux there are none, and the child goes on.
    """
    # Without the site packages, which take longer to find than the rest of the start.
    return ([*_blocking(), sys.executable, '-I', '-S', __file__, str(os.getpid())]
            if sys.platform == 'linux' else [])


@cache
def _blocking() -> list[str]:
    """Return the words that keep Ctrl-C from a process while Python starts, if ``env`` can."""
    from subprocess import DEVNULL, run
    words = ['env', '--block-signal=INT']
    return words if run([*words, 'true'], stderr=DEVNULL, check=False).returncode == 0 else []


def group_prefix() -> list[str]:
    """Return the words before a command that bind it and all processes that it starts."""
    return [*prefix(), *_blocking(), sys.executable, '-I', '-S', __file__, _GROUP]


def become(launch: int, command: Sequence[str]) -> NoReturn:
    """
    Replace this process by a command that receives SIGTERM at the end of its parent.

    :param launch: the id of the parent, which may have ended already.
    :param command: its words.
    """
    ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)
    if not _lives(launch):
        sys.exit(128 + signal.SIGTERM)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], list(command))
    except OSError as error:
        print(f'error: {command[0]}: {error.strerror}', file=sys.stderr)
        sys.exit(127)


def _lives(pid: int) -> bool:
    """Return whether a process runs. One that has ended may not have been waited for yet."""
    try:
        stat = Path(f'/proc/{pid}/stat').read_text(encoding='utf-8')
    except OSError:
        return False
    return stat.rpartition(')')[2].split()[0] not in 'ZX'


def run_group(command: Sequence[str]) -> int:
    """
    Run a command in a process group of its own to its end.

    SIGINT and SIGTERM go to all of the group. When the command has ended, the rest of the group is
    ended.

    :param command: its words.
    :return: its exit status, as a shell would give it.
    """
    # Imported here, since it would delay the start of each bound process.
    from subprocess import Popen, TimeoutExpired
    if sys.platform == 'linux':
        # The first process of a container often waits for no orphans: they would stay for ever.
        ctypes.CDLL(None).prctl(_PARENT_OF_ORPHANS, 1, 0, 0, 0)
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: received.append(number))
    with Popen([*prefix(), *command], start_new_session=True) as process:
        while process.poll() is None and not received:
            with suppress(TimeoutExpired):
                process.wait(PERIOD)
        if received:
            end_group(process, received[-1])
        end_group(process, signal.SIGTERM)
        status = process.wait()
    return status if status >= 0 else 128 - status


def end_group(process: 'Popen[bytes]', first: int) -> None:
    """
    End all processes of a group, with stronger and stronger signals.

    :param process: the leader of the group, which may have ended.
    :param first: the first signal, SIGINT or SIGTERM.
    """
    for number in _STRONGER[_STRONGER.index(signal.Signals(first)):]:
        deadline = time.monotonic() + GRACE
        try:
            os.killpg(process.pid, number)
            while time.monotonic() < deadline:
                # A process that nobody has waited for remains in the group.
                if process.poll() is not None:
                    _wait_for_ended(process.pid)
                os.killpg(process.pid, 0)
                time.sleep(PERIOD / 4)
        except ProcessLookupError:
            return


def _wait_for_ended(group: int) -> None:
    """Wait for those children of a process group that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-group, os.WNOHANG)[0]:
            pass


if __name__ == '__main__':
    # One that has arrived while Python started ends this process now, without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
    if sys.argv[1] == _GROUP:
        sys.exit(run_group(sys.argv[2:]))
    become(int(sys.argv[1]), sys.argv[2:])
