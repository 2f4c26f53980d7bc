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
Logs of robots: their paths, read from files and replayed.

A log is a CSV file with the columns ``t,v,omega,x,y,theta``: the time [s]; the linear and
angular velocity by odometry, valid until the next row [m/s, rad/s]; the true pose [m, rad].
``t,x,y`` suffice: the rest then follows from them. Column ``vy`` is the velocity of
omnidirectional robots to their left, by odometry [m/s]. Further columns are ignored.

A trajectory in the format of the TUM RGB-D benchmark (J. Sturm et al., IROS 2012) is a log, too:
``t x y z qx qy qz qw`` between spaces, in a ``.csv``, ``.txt`` or ``.tum`` file. The content
decides.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
import math
from pathlib import Path
import re
from typing import NamedTuple

from leader_election.localisation.poses import yaw_of
from leader_election.parameters import files, ParameterError
from leader_election.simulation.motion import Array, compose, planar_velocities_between, relative
import numpy as np

SAMPLE = 'physics5'
"""The name of the logs included in the package: five robots with contact physics."""
COLUMNS = ('t', 'v', 'omega', 'x', 'y', 'theta')
DERIVED = ('v', 'omega', 'theta')
"""Columns that a log may lack. They follow from the positions."""
SIDEWAYS = 'vy'
"""A column that logs have of robots that move sideways."""
TRAJECTORY = ('t', 'x', 'y', 'z', 'qx', 'qy', 'qz', 'qw')
"""The values of a line of a trajectory: time [s], position [m], and orientation (quaternion)."""
TRAJECTORY_SUFFIXES = ('.txt', '.tum')
"""The names of trajectories end so, where a folder has no ``.csv`` file."""
GREATEST = 1e100
"""The greatest value: with greater ones, distances would overflow."""
LONGEST_STEP = 86400.0
"""The longest time between two rows [s]. Longer ones come from clocks that were set."""
USUAL_STEP = 600.0
"""The longest median of the times between rows [s]."""
LEAST_ROWS = 10
"""The least number of rows that have a usual time between them."""
LANDMARKS = 'landmarks.csv'
"""The file of landmarks, which may lie beside the logs."""


@dataclass(frozen=True, eq=False)
class RobotLog:
    """The log of one robot."""

    t: Array
    """Time [s], shape (n,), increasing."""
    velocities: Array
    """Linear, angular and sideways velocity by odometry [m/s, rad/s, m/s], shape (n, 3)."""
    poses: Array
    """True x, y, yaw [m, rad], shape (n, 3). Yaw is continuous."""

    @cached_property
    def _travelled(self) -> Array:
        """Return the integrals of the velocities at each row, shape (n, 3)."""
        steps = self.velocities[:-1] * np.diff(self.t)[:, np.newaxis]
        return np.vstack((np.zeros((1, 3)), np.cumsum(steps, axis=0)))

    def pose_at(self, t: float) -> Array:
        """
        Return the true x, y, yaw at a time, interpolated linearly [m, rad].

        :param t: [s]. Before the first and after the last row, the values of that row.
        """
        return self._at(self.poses, t)

    def travelled_at(self, t: float) -> Array:
        """
        Return the integrals of the velocities since the first row [m, rad, m], shape (3,).

        :param t: [s].
        """
        return self._at(self._travelled, t)

    def _at(self, table: Array, t: float) -> Array:
        """Return a table's row at a time, interpolated linearly: one search for all columns."""
        row = int(np.searchsorted(self.t, t, side='right')) - 1
        if not 0 <= row < len(self.t) - 1:
            return np.array(table[max(row, 0)])
        share = (t - self.t[row]) / (self.t[row + 1] - self.t[row])
        return np.asarray(table[row] + share * (table[row + 1] - table[row]))


def read_logs(logs: str) -> tuple[RobotLog, ...]:
    """
    Read the logs of a folder, in natural order of their names: robot_2 before robot_10.

    :param logs: the path of the folder, or ``physics5`` for the logs included in the package.
    :raises ParameterError: if there are no logs or one of them is wrong.

    >>> len(read_logs('physics5'))
    5
    """
    read = {path: read_log(path) for path in log_paths(logs_folder(logs))}
    (_, first), *others = sorted(read.items(), key=lambda item: float(item[1].t[0]))
    last = float(first.t[-1])
    for path, log in others:
        if log.t[0] - last > LONGEST_STEP:
            raise ParameterError(
                f'log {path}: begins at {log.t[0]:.10g} s, when the others have ended at '
                f'{last:.10g} s; times of all logs are of one clock, in seconds')
        last = max(last, float(log.t[-1]))
    return tuple(read.values())


def first_time(logs: Sequence[RobotLog]) -> float:
    """Return the time of the earliest row of all logs [s], at which a replay starts."""
    return float(min(log.t[0] for log in logs))


def logs_folder(logs: str) -> Path:
    """
    Return the folder of logs.

    :param logs: as :func:`read_logs` takes it.
    """
    if logs == SAMPLE:
        return Path(__file__).with_name('logs') / SAMPLE
    try:
        return files.expanded(logs)
    except ValueError as error:
        raise ParameterError('logs', problem=f': {logs}: {error}') from None


def log_paths(folder: Path) -> list[Path]:
    """
    Return the logs in a folder, in natural order of their names.

    :raises ParameterError: if there are none.
    """
    found = [path for path in folder.glob('*') if path.name != LANDMARKS]
    for suffixes in (('.csv',), TRAJECTORY_SUFFIXES):
        if paths := [path for path in found if path.suffix in suffixes]:
            return sorted(paths, key=_natural)
    raise ParameterError('logs', problem=f': no folder with .csv, .txt or .tum files: {folder}')


def _natural(path: Path) -> list[tuple[int, str]]:
    return [(int(digits or 0), text) for text, digits in re.findall(r'(\D*)(\d*)', path.name)]


def read_log(path: Path) -> RobotLog:
    """
    Read one log, CSV or a trajectory.

    :raises ParameterError: for a missing column, a value that is missing or not finite, time that
        does not increase, no rows, or an unreadable file.
    """
    table, lines = read_trajectory(path) or read_table(
        path, (*COLUMNS, SIDEWAYS), may_lack=(*DERIVED, SIDEWAYS))
    if not lines:
        raise ParameterError(f'log {path}: line 2: no rows')
    late = np.flatnonzero(np.diff(table[:, 0]) <= 0.0) + 1
    if len(late):
        row = int(late[0])
        raise ParameterError(f'log {path}: line {lines[row]}: time does not increase: '
                             f't is {table[row, 0]:.12g} after {table[row - 1, 0]:.12g}')
    check_steps(path, table[:, 0], lines)
    for name in DERIVED:
        lacks = np.isnan(table[:, COLUMNS.index(name)])
        if lacks.any() and not lacks.all():
            raise ParameterError(f'log {path}: line {lines[int(np.argmax(lacks))]}: {name} is not '
                                 'a finite number')
    derive(table)
    table[:, 5] = np.unwrap(table[:, 5])
    return RobotLog(table[:, 0], table[:, [1, 2, 6]], table[:, 3:6])


class ReplayMotion:
    """Replay of logs, from the earliest row of all logs to the last. Then robots stand still."""

    def __init__(self, logs: Sequence[RobotLog]) -> None:
        """
        Find the common beginning of the logs.

        :param logs: one for each robot, at least one.
        """
        self._logs = logs
        self._first = first_time(logs)
        self.duration = float(max(log.t[-1] for log in logs) - self._first)
        """Time from the first row to the last [s]."""
        sideways = any(log.velocities[:, 2].any() for log in logs)
        self._columns = 3 if sideways else 2

    def carry(self, rows: Sequence[int], at: float, by: Array) -> None:
        """
        Carry robots once. They drive on from their new place.

        :param rows: of these robots.
        :param at: when [s].
        :param by: as in :func:`carried_log`.
        """
        self._logs = [carried_log(log, self._first + at, by) if row in rows else log
                      for row, log in enumerate(self._logs)]

    def step(self, poses: Array, now: float, dt: float) -> tuple[Array, Array]:
        """Return the logged poses and the reported velocities (:class:`Motion`)."""
        t = self._first + now
        velocities = np.array(
            [(log.travelled_at(t + dt) - log.travelled_at(t)) / dt for log in self._logs])
        return np.array([log.pose_at(t + dt) for log in self._logs]), velocities[:, :self._columns]


def carried_log(log: RobotLog, at: float, by: Array) -> RobotLog:
    """
    Return the log of a robot that is carried.

    :param log: of the robot.
    :param at: when it is carried, the time of the log [s]. A time after the last row means never.
    :param by: how far it is moved: x, y in the shared frame and the turn [m, rad], shape (3,).

    >>> straight = RobotLog(np.array([0.0, 2.0]), np.zeros((2, 3)),
    ...                     np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]]))
    >>> carried = carried_log(straight, 1.0, np.array([0.0, 5.0, np.pi / 2]))
    >>> [carried.pose_at(t).round(6).tolist() for t in (1.0, 2.0)]
    [[1.0, 5.0, 1.570796], [1.0, 6.0, 1.570796]]
    >>> carried.pose_at(0.999).round(6).tolist()
    [0.999, 0.0, 0.0]
    """
    if at > log.t[-1]:
        return log
    at = max(at, float(log.t[0]))
    before, after = log.t < at, log.t > at
    here = log.pose_at(at)[np.newaxis]
    path = relative(here, log.poses[after])
    last = log.velocities[log.t <= at][-1:]
    # At the time itself there are two rows, with the place before and the place after.
    return replace(
        log,
        t=np.concatenate((log.t[before], [np.nextafter(at, -np.inf), at], log.t[after])),
        velocities=np.vstack((log.velocities[before], last, last, log.velocities[after])),
        poses=np.vstack((log.poses[before], here, here + by, compose(here + by, path))))


def read_trajectory(path: Path) -> 'Table | None':
    """
    Read a trajectory in the format of the TUM RGB-D benchmark.

    :return: the columns of a log, without velocities, or ``None`` for a file of another format.
    :raises ParameterError: for a line of other values, or an unreadable file.
    """
    rows: list[list[float]] = []
    lines: list[int] = []
    try:
        for line, words in files.words_of(files.read_text(path)):
            if len(words) != len(TRAJECTORY) or any(',' in word for word in words):
                if not rows:
                    return None
                raise ValueError(f'line {line}: {len(words)} values; it takes '
                                 f'{" ".join(TRAJECTORY)}')
            t, x, y, _, *turn = (
                read_number(name, word, False, line) for name, word in zip(TRAJECTORY, words))
            yaw = yaw_of(turn)
            if yaw is None:
                raise ValueError(f'line {line}: qx qy qz qw are no orientation')
            rows.append([t, math.nan, math.nan, x, y, yaw, math.nan])
            lines.append(line)
    except ValueError as error:
        raise ParameterError(f'log {path}: {error}') from None
    return Table(np.array(rows), lines) if rows else None


def derive(table: Array) -> None:
    """
    Fill in, in place, the columns of a log that are nan.

    A robot without headings looks where it drives. One with headings may drive backwards or
    sideways. One with velocities but without :data:`SIDEWAYS` does not move sideways.

    :param table: the columns of a log, in the order of :data:`COLUMNS`, and :data:`SIDEWAYS`,
        shape (n, 7).
    """
    along = np.diff(table[:, 3:5], axis=0)
    far, time = np.hypot(*along.T), np.diff(table[:, 0])
    if np.isnan(table[:, 1]).any() and not np.isnan(table[:, 5]).any():
        velocities = planar_velocities_between(table[:-1, 3:6], table[1:, 3:6], time)
        table[:, [1, 6]] = np.vstack((velocities[:, [0, 2]], (0.0, 0.0)))
    table[np.isnan(table[:, 6]), 6] = 0.0
    if np.isnan(table[:, 5]).any():
        moved = np.flatnonzero(far > 0.0)
        # At rest it keeps its heading. Before its first step it has that of the step.
        last = np.searchsorted(moved, np.arange(len(table)), side='right') - 1
        headings = np.arctan2(along[moved, 1], along[moved, 0])
        table[:, 5] = headings[np.maximum(last, 0)] if len(moved) else 0.0
    turned = np.diff(np.unwrap(table[:, 5]))
    for column, rate in ((1, far / time), (2, turned / time)):
        if np.isnan(table[:, column]).any():
            table[:, column] = [*rate, 0.0]


class Table(NamedTuple):
    """The rows of a file."""

    values: Array
    """Shape (rows, columns)."""
    lines: list[int]
    """The line of each row in the file."""


def read_table(path: Path, columns: Sequence[str],
               may_lack: Collection[str] = ()) -> Table:
    """
    Read columns of a CSV file with a header. Further columns are ignored.

    :param path: of the file.
    :param columns: the names of the columns.
    :param may_lack: columns whose values may be empty or ``nan``, or that may be missing. Such
        values are NaN.
    :raises ParameterError: for a missing column, a value that is missing or not finite, or an
        unreadable file.
    """
    rows: list[list[float]] = []
    lines: list[int] = []
    try:
        for line, values in files.rows_of(files.read_text(path), columns, may_lack):
            rows.append([read_number(name, values.get(name), name in may_lack, line)
                         for name in columns])
            lines.append(line)
    except ValueError as error:
        raise ParameterError(f'log {path}: {error}') from error
    return Table(np.reshape(rows, (len(rows), len(columns))), lines)


def read_number(name: str, text: str | None, may_lack: bool, line: int) -> float:
    """
    Return the number in a cell.

    :param name: of its column.
    :param may_lack: whether it may be empty or ``nan``.
    :raises ValueError: for another text, and a number that is not finite.
    """
    try:
        value = files.number(text or 'nan')
    except ValueError:
        value = math.inf
    if not abs(value) <= GREATEST and not (may_lack and math.isnan(value)):
        what = f'beyond ±{GREATEST:g}' if math.isfinite(value) else 'not a finite number'
        raise ValueError(f'line {line}: {name} is {what}: {text!r}')
    return value


def check_steps(path: Path, t: Array, lines: Sequence[int],
                longest: float = LONGEST_STEP, usual: float = USUAL_STEP) -> None:
    """
    Check that no two successive rows are so far apart that their times are no seconds.

    :param path: of the file.
    :param t: the times [s].
    :param lines: the line of each row.
    :param longest: the longest time between two rows [s].
    :param usual: the longest median time between rows [s].
    :raises ParameterError: for such rows. The text names the line.
    """
    steps = np.abs(np.diff(t))
    far = np.flatnonzero(steps > longest) + 1
    if len(far):
        row = int(far[0])
        raise ParameterError(
            f'log {path}: line {lines[row]}: t is {t[row]:.10g} after {t[row - 1]:.10g}: '
            f'{steps[row - 1]:.3g} s apart, more than {longest:g} s; times are in seconds '
            '(nanoseconds?)')
    if len(t) >= LEAST_ROWS and (step := float(np.median(steps))) > usual:
        raise ParameterError(
            f'log {path}: line {lines[0]}: the median time between rows is {step:.3g} s, '
            f'more than {usual:g} s; times are in seconds (milliseconds?)')
