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
Convert a data set of MRCLAM, as its authors publish it, to a folder of logs (command ``logs``).

UTIAS Multi-Robot Cooperative Localization and Mapping (K. Leung, Y. Halpern, T. Barfoot, H. Liu,
IJRR 2011). A data set is a folder with tables of numbers between white space, and comments that
begin with ``#``:

- ``Robot<i>_Odometry.dat``: time [s], forward velocity [m/s], angular velocity [rad/s];
- ``Robot<i>_Groundtruth.dat``: time [s], x [m], y [m], orientation [rad];
- ``Robot<i>_Measurement.dat``: time [s], barcode, range [m], bearing [rad];
- ``Barcodes.dat``: subject, barcode. Subjects 1 to 5 are the robots, others are landmarks;
- ``Landmark_Groundtruth.dat``: subject, x, y [m], and their standard deviations [m].
"""

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
import re
from typing import NamedTuple

from leader_election.parameters import ParameterError
from leader_election.parameters.command_line import (
    CommandLineParser,
    ExitStatus,
    POSITIVE,
    print_error,
)
from leader_election.simulation.robot_logs import (
    COLUMNS,
    LANDMARKS,
    SIGHTING_COLUMNS,
    SIGHTINGS_FOLDER,
)
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BARCODES, PLACES = 'Barcodes.dat', 'Landmark_Groundtruth.dat'
GAP = 1.0
"""The length of a gap in a true path above which it is reported. Gaps are interpolated [s]."""
ROUNDING = 1e-6
"""The rounding error of times in seconds since 1970 [s]."""


class Conversion(NamedTuple):
    """The result of a conversion, with counts of omitted data."""

    robots: list[int]
    origin: float
    """The time of the data set at which the logs begin [s]."""
    length: float
    """The duration of the logs [s]."""
    sightings: int
    unknown_barcodes: int
    """The number of sightings left out, since their barcode belongs to no subject."""
    of_itself: int
    """The number of sightings left out, since robot and subject are the same."""
    gaps: int
    """The number of gaps in true paths longer than :data:`GAP`."""


class Robot(NamedTuple):
    """The files of one robot."""

    odometry: Array
    truth: Array
    measurements: Array


def convert(source: Path, target: Path, rate: float = 10.0) -> Conversion:
    """
    Write the logs of a data set, its sightings in ``measurements`` and its ``landmarks.csv``.

    The logs begin when all robots have a true pose, and end with the first true path.

    :param source: the folder of the data set.
    :param target: the folder to be made. An existing one has to be empty.
    :param rate: rows a second [Hz].
    :raises ParameterError: for files that are missing or wrong, and a target that is not empty.
    """
    robots = _read_robots(source)
    subjects = _subjects(source / BARCODES)
    places = _read(source / PLACES, 5)
    begin = max(robot.truth[0, 0] for robot in robots.values())
    latest = min(robot.truth[-1, 0] for robot in robots.values())
    if begin >= latest:
        raise ParameterError(f'{source}: the robots have true poses at no common time')
    times = np.arange(int((latest - begin) * rate + ROUNDING) + 1) / rate
    try:
        if target.is_dir() and any(target.iterdir()):
            raise ParameterError(f'{target} is not empty; name a new folder')
        (target / SIGHTINGS_FOLDER).mkdir(parents=True, exist_ok=True)
        counted = [0, 0, 0]
        for number, robot in robots.items():
            rows = _resampled(robot, begin + times)
            _write(target / f'robot_{number}.csv', COLUMNS, (
                f'{t:.10g},' + ','.join(f'{value:.4f}' for value in row)
                for t, row in zip(times.tolist(), rows.tolist())))
            sightings, counts = _sightings(
                robot.measurements, number, subjects, begin, float(times[-1]))
            counted = [before + count for before, count in zip(counted, counts)]
            _write(target / SIGHTINGS_FOLDER / f'robot_{number}.csv', SIGHTING_COLUMNS, (
                f'{t:.4f},{subject:.0f},{distance:.4f},{bearing:.4f}'
                for t, subject, distance, bearing in sightings.tolist()))
        _write(target / SIGHTINGS_FOLDER / LANDMARKS, ('id', 'x', 'y'), (
            f'{subject:.0f},{x:.5f},{y:.5f}' for subject, x, y in places[:, :3].tolist()))
    except OSError as error:
        raise ParameterError(f'{error.filename or target}: {error.strerror}') from None
    gaps = sum(int((np.diff(robot.truth[:, 0]) > GAP).sum()) for robot in robots.values())
    return Conversion(list(robots), float(begin), float(times[-1]), counted[0], counted[1],
                      counted[2], gaps)


def _read_robots(source: Path) -> dict[int, Robot]:
    """Return the tables of all robots, by their numbers."""
    found: dict[str, set[int]] = {'Odometry': set(), 'Groundtruth': set()}
    for path in source.glob('Robot*'):
        matched = re.fullmatch(r'Robot(\d+)_(Odometry|Groundtruth)\.dat', path.name)
        if matched:
            found[matched[2]].add(int(matched[1]))
    numbers = sorted(set.union(*found.values()))
    if not numbers:
        raise ParameterError(f'{source}: no data set of MRCLAM: Robot1_Odometry.dat is missing')
    if found['Groundtruth'] < set(numbers):
        missing = ', '.join(f'Robot{number}_Groundtruth.dat' for number in numbers
                            if number not in found['Groundtruth'])
        raise ParameterError(f'{source}: the true poses are missing, which logs need: {missing}')
    robots = {}
    for number in numbers:
        odometry, truth, measurements = (
            _read(source / f'Robot{number}_{name}.dat', columns) for name, columns in (
                ('Odometry', 3), ('Groundtruth', 4), ('Measurement', 4)))
        for name, table in (('Odometry', odometry), ('Groundtruth', truth)):
            if not len(table):
                raise ParameterError(f'{source / f"Robot{number}_{name}.dat"}: no rows')
        robots[number] = Robot(_in_order(odometry), _in_order(truth), measurements)
    return robots


def _in_order(table: Array) -> Array:
    """Return the rows in the order of their times, the last one of each time."""
    table = table[np.argsort(table[:, 0], kind='stable')]
    return table[np.append(np.diff(table[:, 0]) > 0.0, True)]


def _subjects(path: Path) -> dict[int, int]:
    """Return the subjects by their barcodes."""
    return {int(barcode): int(subject) for subject, barcode in _read(path, 2).tolist()}


def _read(path: Path, columns: int) -> Array:
    """Return the first columns of a table."""
    rows = []
    try:
        for line, text in enumerate(path.read_text(encoding='utf-8').splitlines(), 1):
            values = text.partition('#')[0].split()
            if not values:
                continue
            numbers = [float(value) for value in values[:columns]]
            if len(numbers) < columns or not np.isfinite(numbers).all():
                raise ParameterError(
                    f'{path}: line {line}: takes {columns} numbers: {text[:60]!r}')
            rows.append(numbers)
    except OSError as error:
        raise ParameterError(f'{path}: {error.strerror}') from None
    except ValueError as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f'{path}: line {line}: {error}') from None
    return np.array(rows, dtype=np.float64).reshape(len(rows), columns)


def _resampled(robot: Robot, times: Array) -> Array:
    """Return v, omega, x, y, theta at some times, theta in [-pi, pi)."""
    odometry, truth = robot.odometry, robot.truth
    pose = np.stack([np.interp(times, truth[:, 0], values) for values in (
        truth[:, 1], truth[:, 2], np.unwrap(truth[:, 3]))], axis=-1)
    pose[:, 2] = (pose[:, 2] + np.pi) % (2.0 * np.pi) - np.pi
    # Rounding puts a row sometimes before, sometimes after its time.
    last = np.searchsorted(odometry[:, 0], times + ROUNDING, side='right') - 1
    velocities = np.where((last >= 0)[:, np.newaxis], odometry[last.clip(0), 1:], 0.0)
    return np.concatenate((velocities, pose), axis=1)


def _sightings(table: Array, number: int, subjects: dict[int, int], begin: float,
               length: float) -> tuple[Array, Sequence[int]]:
    """Return t, subject, range, bearing; and the counts: written, unknown, of itself."""
    table = table[np.argsort(table[:, 0], kind='stable')]
    t = table[:, 0] - begin
    table = table[(-ROUNDING <= t) & (t <= length + ROUNDING)]
    seen = np.array([subjects.get(int(barcode), -1) for barcode in table[:, 1]], dtype=np.int64)
    good = (seen >= 0) & (seen != number)
    rows = np.column_stack((np.abs(table[:, 0] - begin), seen, table[:, 2:]))[good]
    return rows, (len(rows), int((seen < 0).sum()), int((seen == number).sum()))


def _write(path: Path, header: Iterable[str], lines: Iterable[str]) -> None:
    path.write_text('\n'.join((','.join(header), *lines)) + '\n', encoding='utf-8')


CONVERT = """
Convert a data set of MRCLAM, as its authors publish it (Robot<i>_Odometry.dat and so on), to a
folder of logs with sightings and landmarks, for demo --logs and swarm_world.
"""


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = CommandLineParser(
        prog='leader_election logs', description='Convert logs of real robots.')
    commands = parser.add_subparsers(dest='command', required=True, metavar='COMMAND')
    one = commands.add_parser('convert', help='convert a data set of MRCLAM', description=CONVERT)
    one.add_argument('source', metavar='FOLDER', type=Path, help='the data set')
    one.add_argument('target', metavar='OUT', type=Path, help='the folder to be made')
    one.add_argument('--rate', type=POSITIVE, default=10.0, metavar='HZ',
                     help='rows a second (default: %(default)g)')
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """
    Execute the command line.

    :param arguments: of the command line, by default those of this process.
    :return: the exit status.
    """
    chosen = options().parse_args(arguments)
    try:
        print(_summary(convert(chosen.source, chosen.target, chosen.rate), chosen.target))
    except ParameterError as error:
        return print_error(error)
    return ExitStatus.OK


def _summary(done: Conversion, target: Path) -> str:
    """Return the report of a conversion: what was written, and what was left out."""
    lines = [f'{target}: robots {", ".join(map(str, done.robots))}; {done.length:.1f} s from '
             f'{done.origin:.3f} s of the data set on; {done.sightings} sightings']
    for count, what in (
            (done.unknown_barcodes, 'sightings of unknown barcodes left out'),
            (done.of_itself, 'sightings of a robot by itself left out'),
            (done.gaps, 'gaps of more than a second in true paths, interpolated')):
        if count:
            lines.append(f'{count} {what}')
    return '\n'.join(lines)
