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
The swarm time of a robot, kept beside its key file over restarts.

A robot whose clock is lost with its power would believe what an attacker recorded before. So it
keeps a swarm time in the file ``<key file>.<robot_id>.time``, one that it will not pass before the
file is written again, and starts later than that by the window of replays: then nothing that it
may have accepted is new. What is written seldom is a leap at a start: others follow it.
"""

import contextlib
import os
from pathlib import Path

from leader_election.election.robot.swarm_key import ahead, RING

RESERVED = 30_000
"""The time between two writings: how far the kept time is ahead of the swarm time [ms]."""
_MOST_DIGITS = 32


class SwarmTimeFile:
    """
    Keeps the swarm time of one robot in a file.

    :ivar fault: the reason why it is not kept; empty: it is.
    :ivar doubt: the reason why replays may be believed after this start; empty: none is known.
    """

    def __init__(self, key_file: str, robot_id: int, period: float = 1.0) -> None:
        """
        Read the file.

        :param key_file: the path of the robot's key file, which exists.
        :param robot_id: robots that share a key file each have a time of their own.
        :param period: between two calls of :meth:`keep` [s].
        """
        key = Path(key_file).expanduser()
        self._path = key.with_name(f'{key.name}.{robot_id}.time')
        self._new = self._path.with_name(f'.{self._path.name}')
        self.fault = self.doubt = ''
        # Written before it is passed, also if a call is late.
        self._lead = int(2e3 * period)
        self._kept = self._read()
        self._key_date = int(key.stat().st_mtime * 1e3)

    def _read(self) -> int | None:
        try:
            with self._path.open(encoding='ascii', errors='replace') as file:
                text = file.read(_MOST_DIGITS)
        except OSError:
            return None
        return int(text) if text.strip().isdecimal() and int(text) < RING else None

    def start(self, wall: int, window: float) -> int:
        """
        Return the swarm time to start with, and keep it [ms].

        :param wall: the wall clock [ms since 1970].
        :param window: of replays [s].
        """
        start = wall
        if self._kept is not None:
            passed = (self._kept + int(window * 1e3) + 1) % RING
            start = passed if ahead(passed, wall) > 0 else wall
        elif wall < self._key_date:
            self.doubt = ('the clock is behind the date of the key file, and no swarm time was '
                          'kept: recorded messages may be believed; set the clock, then restart')
        self.keep(start)
        return start

    def keep(self, swarm_time: int) -> None:
        """
        Write the file if the swarm time is about to pass the kept one.

        :param swarm_time: of the robot now [ms].
        """
        if self._kept is not None and ahead(self._kept, swarm_time) > self._lead:
            return
        kept = (swarm_time + RESERVED + self._lead) % RING
        try:
            with self._new.open('w', encoding='ascii') as file:
                file.write(f'{kept}\n')
                file.flush()
                os.fsync(file.fileno())
            self._new.replace(self._path)
            self.fault = ''
        except OSError as error:
            self.fault = (f'the swarm time cannot be kept in {str(self._path)!r}: '
                          f'{error.strerror}; let the user of the robot write to this folder')
            with contextlib.suppress(OSError):
                self._new.unlink()
        self._kept = kept
