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

"""The file of a robot in which the factors of its odometry are kept over a restart."""

import errno
import os
from pathlib import Path
import time

from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.wire import own_path
from leader_election.localisation.kept_factors import age, is_better, read_text, text_of
from leader_election.localisation.localisation import Localisation
from leader_election.localisation.scale_errors import Kept
from leader_election.parameters import ParameterError
import numpy as np
from rclpy.node import Node

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

    def restore(self, localisation: Localisation, now: float) -> None:
        """
        Give a localisation the factors of the file, before its first odometry.

        :param now: the time on the clock of the localisation [s].
        """
        if self._kept is not None:
            localisation.remember(self._kept._replace(time=now - age(self._kept, time.time())))

    def keep(self, localisation: Localisation) -> None:
        """Write the factors if they are better known than those in the file."""
        factors, deviations = localisation.odometry_factors
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
