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

``launch`` cannot end its processes when SIGKILL or SIGHUP ends it. When SIGTERM ends it, it ends
none. It signals only the process that it has started, so children of a shell, or of a program that
forks, go on: Gazebo's server is one. Such a command gets a process group of its own, which ends
with the command.

usage: ``python bound.py PARENT COMMAND [ARGUMENTS]``, for a group
"""

from collections.abc import Sequence
from contextlib import suppress
import os
import shutil
import signal
from subprocess import Popen, TimeoutExpired
import sys

BIND = ('setpriv', '--pdeathsig', 'TERM')
AWAITED = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
GRACE = 5.0
"""The time after a signal after which the group is killed [s]."""


def prefix() -> list[str]:
    """
    Return the words before the command of a child process that send SIGTERM to it at our end.

    On other systems than Linux there are none, and the child goes on.
    """
    # This process may have ended already, before the child is bound to it.
    return [*BIND, 'sh', '-c', 'test $PPID = $0 && exec "$@"', str(os.getpid())
            ] if shutil.which(BIND[0]) else []


def group_prefix() -> list[str]:
    """Return the words before a command that bind it and all processes that it starts."""
    # Without the site packages, which take longer to find than the rest of the start. Until Python
    # has started, a signal would print a traceback. launch passes words to a shell unquoted.
    return [*BIND, 'env', '--block-signal=INT', sys.executable, '-I', '-S', __file__,
            str(os.getpid())]


def run_group(command: Sequence[str]) -> int:
    """
    Run a command in a process group of its own to its end.

    The first SIGINT or SIGTERM goes to all of the group. When the command has ended, or the grace
    period after the signal, the rest of the group is killed.

    :param command: its words.
    :return: its exit status, as a shell would give it.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, AWAITED)
    with Popen([*prefix(), *command], start_new_session=True, preexec_fn=lambda: (
            signal.pthread_sigmask(signal.SIG_UNBLOCK, AWAITED))) as process:
        while process.poll() is None:
            if (number := signal.sigwait(AWAITED)) != signal.SIGCHLD:
                os.killpg(process.pid, number)
                with suppress(TimeoutExpired):
                    process.wait(GRACE)
                break
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


if __name__ == '__main__' and os.getppid() == int(sys.argv[1]):
    sys.exit(run_group(sys.argv[2:]))
