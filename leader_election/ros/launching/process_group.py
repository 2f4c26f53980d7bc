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
A command in its own process group, which ends with the command and with this process.

``launch`` signals only the process that it has started. A shell, or a program that forks, then
leaves its children running: Gazebo's server went on after a signal to ``ros2 launch``.

usage: ``python -m leader_election.ros.launching.process_group COMMAND [ARGUMENTS]``
"""

from collections.abc import Sequence
import os
import signal
import subprocess
import sys
import time
from types import FrameType

from leader_election.ros.launching.bound import prefix

PERIOD = 0.2
"""The time between two checks for a signal [s]."""
GRACE = 3.0
"""The time after which the remaining processes are sent the next, stronger signal [s]."""
_STRONGER = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)


def run(command: Sequence[str]) -> int:
    """
    Run a command to its end.

    SIGINT and SIGTERM go to all of its group. When the command has ended, the rest of the group is
    ended.

    :param command: its words.
    :return: its exit status, as a shell would give it.
    """
    stop = _Stop()
    process = subprocess.Popen([*prefix(), *command], start_new_session=True)
    while process.poll() is None:
        if stop.number:
            end_group(process, stop.number)
            break
        try:
            process.wait(PERIOD)
        except subprocess.TimeoutExpired:
            continue
    end_group(process, signal.SIGTERM)
    status = process.wait()
    return status if status >= 0 else 128 - status


class _Stop:
    """The last signal to this process, 0 if there was none."""

    def __init__(self) -> None:
        self.number = 0
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._take)

    def _take(self, number: int, frame: FrameType | None) -> None:
        self.number = number


def end_group(process: 'subprocess.Popen[bytes]', first: int) -> None:
    """
    End all processes of a group, with stronger and stronger signals.

    :param process: the leader of the group, which may have ended.
    :param first: the first signal.
    """
    for number in (first, *(each for each in _STRONGER if each > first or each is _STRONGER[2])):
        try:
            os.killpg(process.pid, number)
        except ProcessLookupError:
            return
        deadline = time.monotonic() + GRACE
        while time.monotonic() < deadline and _lives(process):
            time.sleep(PERIOD / 4)


def _lives(process: 'subprocess.Popen[bytes]') -> bool:
    """Return whether any process of the group lives; the leader is waited for."""
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return False
    return True


if __name__ == '__main__':
    sys.exit(run(sys.argv[1:]))
