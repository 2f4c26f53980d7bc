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

"""The log of the events of a robot, in a file."""

import errno
import json
import math
import os
import sys
from typing import Any, IO

from leader_election.election.messages.codec import MAIN
from leader_election.election.messages.wire import own_path
from leader_election.election.robot.leadership import events, LeadershipStatus, status_of
from leader_election.election.robot.robot import Robot
from leader_election.parameters import ParameterError
from rclpy.node import Node

STDOUT = '-'


class EventLog:
    """
    Writes a line for each event: ``{"t":12.5,"robot":3,"event":"leader_gained","leader":8}``.

    Events that cannot be written, for example on a full disk, are counted; the robot continues.

    :ivar path: the path of the file, ``-`` for standard output.
    :ivar lost: the number of events that could not be written.
    :ivar last_error: the reason of the last loss, empty for none.
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
        """Write a line. A line that was only partly written before is ended first."""
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
    """Return whether a file ends within a line. A pipe, or a device, has no end."""
    if not os.path.isfile(path) or not os.path.getsize(path):
        return False
    try:
        with open(path, 'rb') as file:
            file.seek(-1, os.SEEK_END)
            return file.read() != b'\n'
    except OSError:
        # The file may be append-only.
        return False
