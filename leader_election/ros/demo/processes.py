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
Processes, ROS domain and results folder that belong to one demonstration.

Two demonstrations at the same time would otherwise hear each other's robots, which have the same
ids, and overwrite each other's files.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
import ctypes
import fcntl
from itertools import chain, count
import json
import math
import os
from pathlib import Path
import random
import shlex
import signal
import socket
import subprocess
import sys
import time
from types import MappingProxyType
from typing import Any

from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import how_to_run
from leader_election.ros.nodes.process import spin, StopRequest
from rclpy.node import Node

_GRACE, AT_ONCE = 30.0, 1.5
"""The times that processes have to end after SIGINT: usually, and if a user waits for it [s]."""


class ProcessDied(RuntimeError):
    """A process that ended unexpectedly. The message is one line."""


def end_with_parent() -> None:
    """Make Linux terminate this process when its parent dies, even by SIGKILL."""
    # PR_SET_PDEATHSIG.
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Processes:
    """
    Runs executables of this package, each with a log file. A context manager that stops all.

    Methods return the command lines that do the same in a shell.

    :param folder: for the log files. Created if it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def pids(self) -> dict[str, int]:
        """Return the ids of the processes that were not killed, by name."""
        return {name: child.pid for name, child in self._running.items()}

    def run(self, name: str, executable: str, parameters: Mapping[str, Any],
            remaps: Mapping[str, str] = MappingProxyType({})) -> str:
        """
        Start an executable.

        :param name: of its node, of the process, and of the log file. An earlier log is continued.
        :param executable: of this package.
        :param parameters: by name.
        :param remaps: further remappings.
        """
        words = arguments(parameters, {'__node': name, **remaps})
        with self._log(name).open('ab') as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, '-m', 'leader_election', executable, *words],
                stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                # What robots keep over a restart belongs to the run.
                env={**os.environ, 'XDG_STATE_HOME': str(self._folder / 'state')},
                preexec_fn=end_with_parent, start_new_session=True)
        return f'{how_to_run(executable)} {shlex.join(words)}'

    def kill(self, name: str) -> str:
        """Kill a process without warning, by SIGKILL, like a power failure."""
        child = self._running.pop(name)
        child.kill()
        child.wait()
        return f'kill -KILL {child.pid}'

    def pause(self, name: str) -> str:
        """Stop a process by SIGSTOP: it neither computes nor answers until :meth:`go_on`."""
        self._running[name].send_signal(signal.SIGSTOP)
        return f'kill -STOP {self.pids[name]}'

    def go_on(self, name: str) -> str:
        """Resume a paused process by SIGCONT."""
        self._running[name].send_signal(signal.SIGCONT)
        return f'kill -CONT {self.pids[name]}'

    def check(self) -> None:
        """
        Check that all processes run.

        :raises ProcessDied: if one has ended. The message has the last line of its log.
        """
        for name, status in self.ended().items():
            text = self._log(name).read_text(encoding='utf-8', errors='replace')
            last = text.strip().splitlines()[-1:]
            raise ProcessDied(f'{name} ended with status {status}: '
                              f'{"".join(last) or "no output"} (see {self._log(name)})')

    def ended(self) -> dict[str, int]:
        """Return the exit status of each process that has ended by itself, or by a signal."""
        return {name: status for name, child in self._running.items()
                if (status := child.poll()) is not None}

    def stop(self, grace: float = _GRACE) -> dict[str, int]:
        """
        Stop all processes at once by SIGINT. Those that do not end in time are killed.

        :param grace: the time that they have [s].
        :return: the exit status of each, negative for the signal that ended it.
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

    def __exit__(self, *_: object) -> None:
        """Stop all processes."""
        self.stop()


def arguments(parameters: Mapping[str, Any], remaps: Mapping[str, str]) -> list[str]:
    """
    Return the arguments of a node.

    >>> arguments({'radius': 3.0}, {'__node': 'one'})
    ['--ros-args', '-p', 'radius:=3.0', '-r', '__node:=one']
    """
    pairs = [*(('-p', f'{name}:={argument(value)}') for name, value in parameters.items()),
             *(('-r', f'{old}:={new}') for old, new in remaps.items())]
    return ['--ros-args', *chain.from_iterable(pairs)]


def argument(value: Any) -> str:
    """Format a value as a ROS argument: YAML contains JSON, which has no infinity."""
    return '.inf' if value == math.inf else json.dumps(value)


DOMAIN = 'ROS_DOMAIN_ID'
# Domains whose UDP ports are above the ephemeral ones of Linux: seldom chosen by hand, since those
# from 0 to 101, whose ports are below, are easier to remember.
DOMAINS = range(215, 232)
UNKNOWN = '_NODE_NAME_UNKNOWN_'
DISCOVERY = 5.0
"""The time to discover the publishers of a domain that the user has set [s]. A participant that
has missed the first announcements hears the next ones after 3 s (Fast DDS)."""
PICTURES = ('partition.png', 'run.gif', 'agreement.png', 'gate.png')
LOG = 'log'
"""The folder of the processes' output, in the folder of its results."""


def own_place(wanted: Path) -> tuple[Path, bool, str]:
    """
    Reserve a folder and a ROS domain until the end of this process.

    :param wanted: the path of the folder (:func:`own_folder`).
    :return: the path. Whether the user has set the domain, which others may use; and a line that
        names the domain.
    :raises ParameterError: for a folder that cannot be written.
    """
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    try:
        folder = own_folder(wanted)
    except OSError as error:
        raise ParameterError('--output', problem=f': {wanted} cannot be written: '
                             f'{error.strerror}; it takes a folder', kind='argument') from error
    if own := own_domain():
        os.environ[DOMAIN] = str(own)
    domain = os.environ.get(DOMAIN) or '0'
    return folder, own is None, (
        f'ROS domain {domain}{", this run alone" if own else ""}; look on with:\n'
        f'  {DOMAIN}={domain} {how_to_run("monitor")}')


def own_domain() -> int | None:
    """
    Reserve a ROS domain that nothing on this machine uses, until the end of this process.

    :return: the domain; ``None`` if the user has set ``ROS_DOMAIN_ID``, or if all are in use.
    """
    if os.environ.get(DOMAIN):
        return None
    # At random: what a killed process has left in shared memory belongs to another domain.
    for domain in random.sample(DOMAINS, len(DOMAINS)):
        reservation = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with suppress(OSError):
            # An abstract address: no file, free again at the end of the process.
            reservation.bind(f'\0leader_election/ros/demo/{domain}')
            if not _in_use(domain):
                reservation.detach()
                return domain
        reservation.close()
    return None


def _in_use(domain: int) -> bool:
    """Return whether a DDS participant of this machine is in a domain, by the ports of RTPS."""
    for offset in (0, 10):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            try:
                probe.bind(('', 7400 + 250 * domain + offset))
            except OSError:
                return True
    return False


def stop_request(node: Node, topics: Sequence[str], shared: bool) -> StopRequest:
    """
    Return the request to stop by a signal. In a shared domain check that no robots send in it yet.

    :param node: of this process.
    :param topics: of the messages between robots.
    :param shared: whether the user has set the domain (:func:`own_place`).
    :raises ParameterError: if there are some, after the time that discovery takes.
    """
    stop = StopRequest()
    stop.listen()
    if not shared:
        return stop

    def names() -> list[str]:
        return [f'{each.node_namespace.rstrip("/")}/{each.node_name}' for topic in topics
                for each in node.get_publishers_info_by_topic(topic)]

    # Publishers are discovered before the names of their nodes.
    spin([node], lambda: stop.made or any(UNKNOWN not in name for name in names()),
         deadline=DISCOVERY)
    if found := sorted(names()):
        raise ParameterError(
            f'{DOMAIN} {os.environ.get(DOMAIN)}: robots run in this domain already, among them '
            f'{found[0]}; stop them, or unset {DOMAIN}: the demonstration '
            'then takes a domain of its own')
    return stop


def own_folder(wanted: Path) -> Path:
    """
    Reserve the folder of the results, without files of an earlier run.

    :param wanted: its path. While another demonstration writes to it, ``_2`` and so on is added.
    :raises OSError: if it cannot be written.
    """
    for number in count(1):
        folder = wanted if number == 1 else wanted.with_name(f'{wanted.name}_{number}')
        (folder / LOG).mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            break
        except BlockingIOError:
            os.close(descriptor)
    for file in (*(folder / name for name in PICTURES), *(folder / LOG).glob('*.log')):
        file.unlink(missing_ok=True)
    return folder
