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
Read a data set of MRCLAM, as its authors publish it.

UTIAS Multi-Robot Cooperative Localization and Mapping (K. Leung, Y. Halpern, T. Barfoot, H. Liu,
IJRR 2011). A data set is a folder with tables of numbers between white space, and comments that
begin with ``#``:

- ``Robot<i>_Odometry.dat``: time [s], forward velocity [m/s], angular velocity [rad/s];
- ``Robot<i>_Groundtruth.dat``: time [s], x [m], y [m], orientation [rad];
- ``Robot<i>_Measurement.dat``: time [s], barcode, range [m], bearing [rad];
- ``Barcodes.dat``: subject, barcode. Subjects 1 to 5 are the robots, others are landmarks;
- ``Landmark_Groundtruth.dat``: subject, x, y [m], and their standard deviations [m].
"""

from pathlib import Path
import re

from leader_election.parameters import files, ParameterError
from leader_election.simulation.data_set import Array, DataSet, in_order, Recorded, UNKNOWN
from leader_election.simulation.robot_logs import check_steps, GREATEST
import numpy as np

FILES = 'the folder of MRCLAM with Robot1_Odometry.dat and so on'
BARCODES, PLACES = 'Barcodes.dat', 'Landmark_Groundtruth.dat'


def read(source: Path) -> DataSet | None:
    """
    Return a data set of MRCLAM, ``None`` if the folder holds none.

    :raises ParameterError: for files that are missing or wrong.
    """
    numbers = _numbers(source)
    if not numbers:
        return None
    robots = {number: _read_robot(source, number) for number in numbers}
    subjects = _subjects(source / BARCODES)
    for robot in robots.values():
        robot.sightings[:, 1] = [
            subjects.get(int(barcode), UNKNOWN) for barcode in robot.sightings[:, 1]]
    return DataSet(robots, _read(source / PLACES, 5)[:, :3])


def _numbers(source: Path) -> list[int]:
    """Return the numbers of the robots."""
    found: dict[str, set[int]] = {'Odometry': set(), 'Groundtruth': set()}
    for path in source.glob('Robot*'):
        matched = re.fullmatch(r'Robot(\d+)_(Odometry|Groundtruth)\.dat', path.name)
        if matched:
            found[matched[2]].add(int(matched[1]))
    numbers = sorted(set.union(*found.values()))
    if found['Groundtruth'] < set(numbers):
        missing = ', '.join(f'Robot{number}_Groundtruth.dat' for number in numbers
                            if number not in found['Groundtruth'])
        raise ParameterError(f'{source}: the true poses are missing, which logs need: {missing}')
    return numbers


def _read_robot(source: Path, number: int) -> Recorded:
    odometry, truth, measurements = (
        _read(source / f'Robot{number}_{name}.dat', columns, timed=True) for name, columns in (
            ('Odometry', 3), ('Groundtruth', 4), ('Measurement', 4)))
    for name, table in (('Odometry', odometry), ('Groundtruth', truth)):
        if not len(table):
            raise ParameterError(f'{source / f"Robot{number}_{name}.dat"}: no rows')
    # No height and no sideways motion.
    truth, odometry = (np.column_stack((table, np.zeros(len(table)))) for table in (
        truth, odometry))
    return Recorded(in_order(truth), in_order(odometry), measurements)


def _subjects(path: Path) -> dict[int, int]:
    """Return the subjects by their barcodes."""
    return {int(barcode): int(subject) for subject, barcode in _read(path, 2).tolist()}


def _read(path: Path, columns: int, timed: bool = False) -> Array:
    """Return the first columns of a table. The first one of a timed table is the time [s]."""
    rows, lines = [], []
    try:
        for line, text in enumerate(files.read_text(path).splitlines(), 1):
            values = text.partition('#')[0].split()
            if values:
                rows.append(_numbers_in(text, values[:columns], columns, line))
                lines.append(line)
        table = np.array(rows, dtype=np.float64).reshape(len(rows), columns)
        if timed:
            check_steps(table[:, 0], lines)
    except ValueError as error:
        raise ParameterError(f'{path}: {error}') from None
    return table


def _numbers_in(text: str, values: list[str], columns: int, line: int) -> list[float]:
    try:
        numbers = [files.number(value) for value in values]
    except ValueError as error:
        raise ValueError(f'line {line}: {error}') from None
    if len(numbers) < columns or not (np.abs(numbers) <= GREATEST).all():
        raise ValueError(f'line {line}: takes {columns} numbers: {files.shortened(text)!r}')
    return numbers
