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
Logged sightings: what robots of logs saw of each other and of landmarks.

Beside the logs there is a folder ``measurements`` with a file of the same name for each robot that
has sightings. Its columns are ``t`` [s], the time of the logs; ``subject``, the number in the name
of the log of the robot seen, or that of a landmark; ``range`` [m]; and ``bearing`` [rad],
counter-clockwise of straight ahead. An empty or ``nan`` range or bearing was not measured.
Where robots have several antennas there are columns ``here_x``, ``here_y``, ``there_x``,
``there_y``: the places of the antennas on the observer and on the robot seen, in their own frames
[m]. Rows may be in any order. Subjects that are neither a robot nor a landmark are left out.

``landmarks.csv``, in the same folder or beside the logs, has the columns ``subject`` (or ``id``),
``x`` and ``y`` [m].
"""

from collections.abc import Sequence
from pathlib import Path
import re

from leader_election.localisation.sighting import ANTENNAS, read_landmarks
from leader_election.parameters import ParameterError
from leader_election.simulation.motion import Array
from leader_election.simulation.robot_logs import (
    first_time,
    LANDMARKS,
    log_paths,
    logs_folder,
    read_logs,
    read_table,
)
import numpy as np

SIGHTINGS_FOLDER = 'measurements'
SIGHTING_COLUMNS = ('t', 'subject', 'range', 'bearing')
Landmarks = dict[int, tuple[float, float]]
"""x, y of each landmark, by its id [m]."""
_SAME_TIME = 1e-9
"""The rounding of times [s]."""


def read_scene_landmarks(logs: str, path: str, ids: Sequence[int]) -> Landmarks:
    """
    Return the landmarks of a scene.

    :param logs: the replayed logs, empty for none. Their landmarks are used if the path is empty.
    :param path: of a file of landmarks, empty for none.
    :param ids: of the robots.
    :raises ParameterError: for a wrong file, and for a landmark with the id of a robot.
    """
    if logs and not path:
        folder = logs_folder(logs)
        path = next((str(file) for file in (
            folder / SIGHTINGS_FOLDER / LANDMARKS, folder / LANDMARKS) if file.is_file()), '')
    landmarks = {landmark: place[:2] for landmark, place in read_landmarks(path).items()}
    for landmark in landmarks:
        if landmark in ids:
            raise ParameterError(f'log {path}: landmark {landmark} has the id of a robot')
    return landmarks


def read_sightings(logs: str, ids: Sequence[int]) -> Array:
    """
    Read the sightings of all robots.

    :param logs: as :func:`leader_election.simulation.robot_logs.read_logs` takes it.
    :param ids: of the robots, in the order of their logs.
    :return: in the order of time: time [s], row of the observer, id of the target, range [m],
        bearing [rad], shape (m, 5), or (m, 9) with places of antennas [m].
    :raises ParameterError: if there are none, or a file is wrong.
    """
    names = {landmark: landmark for landmark in read_scene_landmarks(logs, '', ids)}
    folder = logs_folder(logs) / SIGHTINGS_FOLDER
    paths = log_paths(folder.parent)
    names |= _numbers(paths, ids)
    tables = [_read_file(folder / path.name, row, names) for row, path in enumerate(paths)
              if (folder / path.name).is_file()]
    if not tables:
        raise ParameterError('logged_sightings', problem=f': no sightings in {folder}: it takes '
                             f'files named as the logs, {paths[0].name} and so on')
    table = np.concatenate(tables)
    if not table[:, 5:].any():
        table = table[:, :5]
    logs_read = read_logs(logs)
    first, last = first_time(logs_read), max(float(log.t[-1]) for log in logs_read)
    if len(table) and not ((first <= table[:, 0]) & (table[:, 0] <= last)).any():
        raise ParameterError('logged_sightings', problem=': no sighting is within the time of the '
                             f'logs, {first:.12g} to {last:.12g} s; one is at '
                             f'{table[0, 0]:.12g} s (nanoseconds?)')
    return table[np.argsort(table[:, 0], kind='stable')]


def _numbers(paths: Sequence[Path], ids: Sequence[int]) -> dict[int, int]:
    """Return the ids of robots by the numbers in the names of their logs."""
    numbers: dict[int, int] = {}
    for path, robot in zip(paths, ids, strict=True):
        digits = re.search(r'\d+$', path.stem)
        if digits is None or int(digits[0]) in numbers:
            raise ParameterError(f'log {path}: sightings need a number of its own at the end of '
                                 'the name of each log, as in robot_1.csv')
        numbers[int(digits[0])] = robot
    return numbers


def _read_file(path: Path, row: int, names: dict[int, int]) -> Array:
    table, _ = read_table(path, (*SIGHTING_COLUMNS, *ANTENNAS),
                          may_lack=('range', 'bearing', *ANTENNAS))
    table = table[np.isin(table[:, 1], list(names))]
    table[:, 4:] = np.nan_to_num(table[:, 4:])
    seen = np.array([names[int(subject)] for subject in table[:, 1]])
    return np.column_stack((table[:, 0], np.full(len(table), row), seen, table[:, 2:]))


class LoggedSightings:
    """Replay of sightings. Those before the start of the replay are left out."""

    def __init__(self, sightings: Array, first: float) -> None:
        """
        Begin the replay.

        :param sightings: as :func:`read_sightings` returns them.
        :param first: the time of the logs at which the replay starts [s].
        """
        self._times = sightings[:, 0] - first
        self._rows = sightings[:, 1:]
        self._next = int(np.searchsorted(self._times, 0.0))

    def observe(self, now: float, poses: Array, observers: Sequence[int]) -> Array:
        """Return the sightings since the last call (``SightingSensor``)."""
        begin = self._next
        self._next = int(np.searchsorted(self._times, now + _SAME_TIME, side='right'))
        found = self._rows[begin:self._next]
        found = found[np.isin(found[:, 0], observers)]
        return found[np.argsort(found[:, 0], kind='stable')]
