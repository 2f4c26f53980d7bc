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
Logs of robots: CSV files with the columns ``t,v,omega,x,y,theta``.

``t`` is time [s]; ``v`` and ``omega`` are the linear and angular velocity reported by the robot's
odometry [m/s, rad/s], valid until the next row; ``x, y, theta`` is the true pose [m, rad]. Further
columns are ignored. :mod:`.logged_sightings` reads the robots' sightings of each other.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
import csv
from dataclasses import dataclass, field
from importlib.resources import as_file, files
import math
from pathlib import Path
import re
from typing import NamedTuple

from leader_election.parameters import ParameterError
import numpy as np
from numpy.typing import NDArray

SAMPLE = 'physics5'
"""The name of the logs included in the package: five robots with contact physics."""
_FORMER_SAMPLE = 'gazebo5'
"""Their former name, which is still accepted."""
COLUMNS = ('t', 'v', 'omega', 'x', 'y', 'theta')
LANDMARKS = 'landmarks.csv'
"""The file of landmarks, which may lie beside the logs."""


@dataclass(frozen=True, eq=False)
class RobotLog:
    """The log of one robot."""

    t: NDArray[np.float64]
    """Time [s], shape (n,), increasing."""
    velocities: NDArray[np.float64]
    """Linear and angular velocity by odometry [m/s, rad/s], shape (n, 2)."""
    poses: NDArray[np.float64]
    """True x, y, yaw [m, rad], shape (n, 3); yaw is continuous."""
    _travelled: NDArray[np.float64] = field(init=False, repr=False)

    def pose_at(self, t: float) -> NDArray[np.float64]:
        """
        Return the true x, y, yaw at a time, interpolated linearly [m, rad].

        :param t: [s]; before the first and after the last row, the values of that row.
        """
        return self._at(self.poses, t)

    def travelled_at(self, t: float) -> NDArray[np.float64]:
        """
        Return the distance driven and the angle turned by odometry since the first row [m, rad].

        :param t: [s].
        """
        return self._at(self._travelled, t)

    def _at(self, table: NDArray[np.float64], t: float) -> NDArray[np.float64]:
        """Return a table's row at a time, interpolated linearly: one search for all columns."""
        row = int(np.searchsorted(self.t, t, side='right')) - 1
        if not 0 <= row < len(self.t) - 1:
            return np.array(table[max(row, 0)])
        share = (t - self.t[row]) / (self.t[row + 1] - self.t[row])
        return np.asarray(table[row] + share * (table[row + 1] - table[row]))

    def __post_init__(self) -> None:
        """Integrate the velocities once."""
        steps = self.velocities[:-1] * np.diff(self.t)[:, np.newaxis]
        travelled = np.vstack((np.zeros((1, 2)), np.cumsum(steps, axis=0)))
        object.__setattr__(self, '_travelled', travelled)


def read_logs(logs: str) -> tuple[RobotLog, ...]:
    """
    Read the logs of a folder, in natural order of their names: robot_2 before robot_10.

    :param logs: the path of the folder, or ``physics5`` for the logs included in the package.
    :raises LogError: if there are no logs or one of them is wrong.

    >>> len(read_logs('physics5'))
    5
    """
    with logs_folder(logs) as folder:
        return tuple(read_log(path) for path in log_paths(folder))


def first_time(logs: Sequence[RobotLog]) -> float:
    """Return the time of the earliest row of all logs [s], at which a replay starts."""
    return float(min(log.t[0] for log in logs))


@contextmanager
def logs_folder(logs: str) -> Iterator[Path]:
    """
    Provide the folder of logs.

    :param logs: as :func:`read_logs` takes it.
    """
    if logs in (SAMPLE, _FORMER_SAMPLE):
        with as_file(files('leader_election.simulation') / 'logs' / SAMPLE) as folder:
            yield folder
    else:
        yield Path(logs)


def log_paths(folder: Path) -> list[Path]:
    """
    Return the logs in a folder, in natural order of their names.

    :raises LogError: if there are none.
    """
    paths = sorted((path for path in folder.glob('*.csv') if path.name != LANDMARKS), key=_natural)
    if not paths:
        raise LogError('logs', problem=f': no folder with .csv files: {folder}')
    return paths


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(digits or 0), text) for text, digits in re.findall(r'(\D*)(\d*)', path.name)]


def read_log(path: Path) -> RobotLog:
    """
    Read one log.

    :param path: of a CSV file.
    :raises LogError: for a missing column, a value that is missing or not finite, time that does
        not increase, no rows, or an unreadable file.
    """
    table, lines = read_table(path, COLUMNS)
    if not lines:
        raise LogError(f'log {path}: line 2: no rows')
    late = np.flatnonzero(np.diff(table[:, 0]) <= 0.0) + 1
    if len(late):
        row = int(late[0])
        raise LogError(f'log {path}: line {lines[row]}: time does not increase: '
                       f't is {table[row, 0]:g} after {table[row - 1, 0]:g}')
    table[:, 5] = np.unwrap(table[:, 5])
    return RobotLog(table[:, 0], table[:, 1:3], table[:, 3:])


class LogError(ParameterError):
    """An unusable log; the message is one line that names the file and the line in it."""


class Table(NamedTuple):
    """The rows of a file."""

    values: NDArray[np.float64]
    """Shape (rows, columns)."""
    lines: list[int]
    """The line of each row in the file."""


def read_table(path: Path, columns: Sequence[str],
               may_lack: Collection[str] = ()) -> Table:
    """
    Read columns of a CSV file with a header; further columns are ignored.

    :param path: of the file.
    :param columns: the names of the columns.
    :param may_lack: columns whose values may be empty or ``nan``, or that may be missing; such
        values are NaN.
    :raises LogError: for a missing column, a value that is missing or not finite, or an
        unreadable file.
    """
    rows: list[list[float]] = []
    lines: list[int] = []
    try:
        with path.open(newline='', encoding='utf-8-sig') as file:
            reader = csv.DictReader(file)
            missing = [name for name in columns
                       if name not in (reader.fieldnames or ()) and name not in may_lack]
            if missing:
                raise ValueError(f'line 1: missing columns {", ".join(missing)}')
            for values in reader:
                rows.append([_number(name, values.get(name), name in may_lack, reader.line_num)
                             for name in columns])
                lines.append(reader.line_num)
    except (OSError, ValueError, csv.Error) as error:
        raise LogError(f'log {path}: {error}') from error
    return Table(np.reshape(rows, (len(rows), len(columns))), lines)


def _number(name: str, text: str | None, may_lack: bool, line: int) -> float:
    try:
        value = float(text or 'nan')
    except ValueError:
        value = math.inf
    if not math.isfinite(value) and not (may_lack and math.isnan(value)):
        raise ValueError(f'line {line}: {name} is not a finite number: {text!r}')
    return value
