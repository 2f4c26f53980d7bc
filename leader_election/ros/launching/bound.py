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
A command that ends with the process that has started it, also where that is killed.

``launch`` that is ended at once, as by SIGKILL or SIGHUP, cannot end its processes; nor does it
know, when it is ended by SIGTERM, those whose start it has not yet reported.

usage: ``python bound.py PARENT COMMAND [ARGUMENTS]``
"""

from collections.abc import Sequence
import ctypes
import os
from pathlib import Path
import signal
import sys
from typing import NoReturn

_PARENT_DEATH_SIGNAL = 1
"""``PR_SET_PDEATHSIG`` of Linux."""
_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores, and a command would inherit as ignored."""


def prefix() -> list[str]:
    """
    Return the words to put before the command of a child process, to bind it to this one.

    Linux only; elsewhere there are none, and the child goes on.
    """
    # Without the site packages, which take longer to find than the rest of the start.
    return ([sys.executable, '-I', '-S', __file__, str(os.getpid())]
            if sys.platform == 'linux' else [])


def become(launch: int, command: Sequence[str]) -> NoReturn:
    """
    Replace this process by a command that receives SIGTERM at the end of its parent.

    :param launch: the process to which it is bound: the parent, which may have ended already.
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
    """Return whether a process runs; one that has ended may not have been waited for yet."""
    try:
        stat = Path(f'/proc/{pid}/stat').read_text()
    except OSError:
        return False
    return stat.rpartition(')')[2].split()[0] not in 'ZX'


if __name__ == '__main__':
    become(int(sys.argv[1]), sys.argv[2:])
