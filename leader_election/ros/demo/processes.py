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

"""Processes of a demonstration: executables of this package, started, killed and stopped."""

import ctypes
import math
from pathlib import Path
import signal
import subprocess
import sys
import time
from types import TracebackType
from typing import Any

_PR_SET_PDEATHSIG = 1
_GRACE = 30.0
"""The time that a process has to end after SIGINT before it is killed [s]."""
AT_ONCE = 1.5
"""The same after a Ctrl-C, for which somebody waits [s]."""


class ProcessDied(RuntimeError):
    """A process that ended unexpectedly; the message is one line."""


def end_with_parent() -> None:
    """Make Linux terminate this process when its parent dies, even by SIGKILL."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


class Processes:
    """
    Runs executables of this package, each with a log file; a context manager that stops all.

    :param folder: for the log files; created if it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, executable: str, parameters: dict[str, Any],
              remaps: dict[str, str] | None = None) -> int:
        """
        Start an executable.

        :param name: of its node, of the process, and of the log file.
        :param executable: of this package.
        :param parameters: by name.
        :param remaps: further remappings.
        :return: the id of the process.
        """
        command = [sys.executable, '-m', 'leader_election', executable, '--ros-args']
        for parameter, value in parameters.items():
            command += ['-p', f'{parameter}:={_yaml(value)}']
        for old, new in {'__node': name, **(remaps or {})}.items():
            command += ['-r', f'{old}:={new}']
        with self._log(name).open('wb') as log:
            self._running[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                preexec_fn=end_with_parent, start_new_session=True)
        return self._running[name].pid

    def kill(self, name: str) -> None:
        """Kill a process without warning, by SIGKILL, like a power failure."""
        child = self._running.pop(name)
        child.kill()
        child.wait()

    def check(self) -> None:
        """
        Check that all processes run.

        :raises ProcessDied: if one has ended; the message has the last line of its log.
        """
        for name, child in self._running.items():
            if child.poll() is not None:
                last = self._log(name).read_text(errors='replace').strip().splitlines()[-1:]
                raise ProcessDied(f'{name} ended with status {child.returncode}: '
                                  f'{"".join(last) or "no output"} (see {self._log(name)})')

    def pause(self, name: str) -> None:
        """Stop a process by SIGSTOP: it neither computes nor answers until :meth:`go_on`."""
        self._running[name].send_signal(signal.SIGSTOP)

    def go_on(self, name: str) -> None:
        """Resume a paused process by SIGCONT."""
        self._running[name].send_signal(signal.SIGCONT)

    def stop(self, grace: float = _GRACE) -> dict[str, int]:
        """
        Stop all processes at once by SIGINT; those that do not end in time are killed.

        :param grace: the time that they have [s].
        :return: the exit status of each; negative: the signal that ended it.
        """
        running, self._running = self._running, {}
        for child in running.values():
            child.send_signal(signal.SIGINT)
            # A paused process receives the signal when it resumes.
            child.send_signal(signal.SIGCONT)
        end = time.monotonic() + grace
        for child in running.values():
            try:
                child.wait(max(end - time.monotonic(), 0.0))
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        return {name: child.returncode for name, child in running.items()}

    def _log(self, name: str) -> Path:
        return self._folder / f'{name}.log'

    def __enter__(self) -> 'Processes':
        """Return itself."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        """Stop all processes."""
        self.stop()


def _yaml(value: Any) -> str:
    """Format a value as a ROS argument; texts are quoted, since some look like numbers."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and math.isinf(value):
        return '.inf' if value > 0 else '-.inf'
    return f"'{value}'" if isinstance(value, str) else repr(value)
