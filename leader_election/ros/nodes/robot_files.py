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

"""The files of a robot: the log of its events, and the factors of its odometry."""

import errno
import json
import math
import os
from pathlib import Path
import sys
import time
from typing import Any, IO

from leader_election.election.messages.codec import MAIN
from leader_election.election.messages.wire import own_path
from leader_election.election.robot.leadership import events, LeadershipStatus, status_of
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.localisation.odometry_errors import age, is_better, Kept, read_text, text_of
from leader_election.localisation.source import PoseSource
from leader_election.parameters import ParameterError
import numpy as np
from rclpy.node import Node

STDOUT = '-'


class EventLog:
    """
    Writes a line for each event: ``{"t":12.5,"robot":3,"event":"leader_gained","leader":8}``.

    Events that cannot be written, for example on a full disk, are counted; the robot continues.

    :ivar path: the path of the file; ``-``: standard output.
    :ivar lost: the number of events that could not be written.
    :ivar last_error: the reason of the last loss; empty: none.
    """

    def __init__(self, node: Node, robot: Robot, template: str) -> None:
        """
        Open the file to append events.

        :param template: the path; ``{id}`` and ``{name}`` stand for the robot's id and namespace.
        :raises ParameterError: when the file cannot be opened.
        """
        self._clock = node.get_clock()
        self._robot = robot
        self._last: dict[str, LeadershipStatus] = {}
        self.lost = 0
        self.last_error = ''
        self.path = own_path(template, robot.parameters.robot_id, node.get_namespace())
        try:
            # Unbuffered: a reader, also after a crash, sees all events so far.
            self._file: IO[bytes] = open(
                sys.stdout.fileno() if self.path == STDOUT else self.path, 'ab', buffering=0,
                closefd=self.path != STDOUT)
        except OSError as error:
            raise ParameterError('event_log', problem=f': {self.path!r} is not allowed: '
                                 f'{error.strerror}; it takes a file in a folder that exists, or '
                                 '- for standard output') from None
        self._is_torn = self.path != STDOUT and _is_cut_off(self.path)

    def update(self) -> None:
        """Write the events since the last call."""
        for name, instance in self._robot.instances.items():
            now = status_of(self._robot, instance)
            for event in events(self._last.get(name), now):
                self._write(name, event)
            self._last[name] = now

    def _write(self, instance: str, event: dict[str, Any]) -> None:
        line = {'t': round(self._clock.now().nanoseconds * 1e-9, 3),
                'robot': self._robot.parameters.robot_id,
                **({} if instance == MAIN else {'instance': instance}),
                # JSON has no infinity.
                **{name: None if isinstance(value, float) and not math.isfinite(value) else value
                   for name, value in event.items()}}
        try:
            self._put(json.dumps(line, separators=(',', ':'), allow_nan=False).encode() + b'\n')
        except OSError as error:
            self.lost += 1
            self.last_error = str(error.strerror)

    def _put(self, line: bytes) -> None:
        """Write a line; a line that was only partly written before is ended first."""
        left = b'\n' * self._is_torn + line
        while left:
            # A full disk accepts the beginning of a line only.
            written = self._file.write(left)
            if not written:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            self._is_torn = not left[:written].endswith(b'\n')
            left = left[written:]

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _is_cut_off(path: str) -> bool:
    """Return whether a file ends within a line; a pipe, or a device, has no end."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return False
    try:
        with open(path, 'rb') as file:
            file.seek(-1, os.SEEK_END)
            return file.read() != b'\n'
    except OSError:
        # The file may be append-only.
        return False


PERIOD = 60.0
"""The time between two looks whether there is anything new to write [s]."""
MOST_CHARACTERS = 10000
"""The longest file that is read."""


class FactorsFile:
    """
    Reads the factors at the start, and writes them seldom, atomically, when they are better known.

    A file that is not this robot's own is neither used nor overwritten.

    :ivar fault: why factors are not kept; empty: they are.
    """

    def __init__(self, node: Node, parameters: ElectionParameters) -> None:
        """
        Read the file, if there is one.

        :raises ParameterError: if its folder cannot be written.
        """
        self._log, self._robot = node.get_logger(), parameters.robot_id
        self._path = Path(own_path(parameters.odometry_factors_file, self._robot,
                                   node.get_namespace()))
        self._kept: Kept | None = None
        self.fault = ''
        try:
            self._path = self._path.expanduser()
            self._new = self._path.with_name(f'.{self._path.name}.{self._robot}')
            self._new.touch()
            self._new.unlink()
            if self._path.is_dir():
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        except (OSError, RuntimeError, ValueError) as error:
            raise ParameterError('odometry_factors_file', problem=f': {str(self._path)!r} is not '
                                 f'allowed: {_reason(error)}; it takes a file in a folder that '
                                 'can be written') from None
        try:
            self._kept = self._read()
        except (OSError, ValueError) as error:
            self._tell(error)

    def restore(self, source: PoseSource, now: float) -> None:
        """
        Give a pose source the factors of the file, before its first odometry.

        :param now: the time on the clock of the source [s].
        """
        if self._kept is not None:
            source.restore_factors(self._kept._replace(time=now - age(self._kept, time.time())))

    def keep(self, source: PoseSource) -> None:
        """Write the factors if they are better known than those in the file."""
        factors, deviations = source.odometry_factors
        found = Kept(factors, np.square(deviations), time.time())
        if not is_better(found, self._kept):
            return
        try:
            # Without {id} in the path, another robot may have written it meanwhile.
            self._read()
            with self._new.open('w', encoding='utf-8') as file:
                file.write(text_of(self._robot, found))
                file.flush()
                os.fsync(file.fileno())
            self._new.replace(self._path)
        except (OSError, ValueError) as error:
            self._tell(error)
            return
        self._kept, self.fault = found, ''

    def _read(self) -> Kept | None:
        """
        Return what the file holds; ``None``: there is no file.

        :raises ValueError: if it is not this robot's own.
        """
        if not self._path.exists():
            return None
        if not self._path.is_file():
            raise ValueError('is not a file')
        with self._path.open(encoding='utf-8', errors='replace') as file:
            return read_text(file.read(MOST_CHARACTERS), self._robot)

    def _tell(self, error: Exception) -> None:
        """Log a fault, once."""
        fault = f'odometry_factors_file {str(self._path)!r} {_reason(error)}'
        if isinstance(error, ValueError):
            fault += (': it is neither used nor overwritten; remove it, or give each robot its '
                      'own file, with {id} in the path')
        if fault != self.fault:
            self.fault = fault
            self._log.warning(fault)


def _reason(error: Exception) -> str:
    return str(getattr(error, 'strerror', None) or error)
