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

"""The conversion of MRCLAM's own files to a folder of logs, and the command ``logs convert``."""

import math
from pathlib import Path

from environment import disk_with_room
from leader_election.parameters import ParameterError
from leader_election.simulation.log_conversion import convert, main
from leader_election.simulation.robot_logs import (
    read_landmarks,
    read_logs,
    read_sightings,
)
import numpy as np
import pytest

ORIGIN = 1248444191.0
"""Times in the data sets are seconds since 1970."""


def table(path: Path, columns: str, rows: list[tuple[float, ...]]) -> None:
    """Write a table as the authors do: comments, and values between tabs and spaces."""
    lines = ['# Made for a test', f'# {columns}',
             *('   '.join(f'{value:.4f}' if k else f'{value:.3f}\t'
                          for k, value in enumerate(row)) for row in rows)]
    path.write_text('\n'.join(lines) + '\n')


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a data set of 3 s of two robots and a landmark."""
    folder = tmp_path / 'MRCLAM_Dataset'
    folder.mkdir()
    for robot, late in ((1, 0.0), (2, 0.25)):
        table(folder / f'Robot{robot}_Odometry.dat', 'Time [s]  v [m/s]  w [rad/s]', [
            (ORIGIN + 0.5, 0.1, 0.0), (ORIGIN + 1.25, 0.2, -0.5), (ORIGIN + 2.0, 0.0, 0.0)])
        table(folder / f'Robot{robot}_Groundtruth.dat', 'Time  x [m]  y [m]  theta [rad]', [
            (ORIGIN + late, 1.0, 2.0, 3.0), (ORIGIN + 1.0 + late, 2.0, 2.0, 3.2 - 2 * np.pi),
            (ORIGIN + 3.0 + late, 2.0, 4.0, 3.2 - 2 * np.pi)])
    (folder / 'Barcodes.dat').write_text('# Subject #   Barcode #\n 1   5\n 2  14\n 6 72\n')
    (folder / 'Landmark_Groundtruth.dat').write_text(
        '# Subject # x y sigma sigma\n6  1.88032539 -5.57229508  0.00001974 0.00004067\n')
    table(folder / 'Robot1_Measurement.dat', 'Time  Subject #  range [m]  bearing [rad]', [
        (ORIGIN + 0.1, 14, 1.0, 0.1),   # before the logs begin
        (ORIGIN + 0.75, 14, 1.5, -0.25), (ORIGIN + 0.75, 72, 3.125, 0.5),
        (ORIGIN + 1.5, 99, 3.0, 0.0), (ORIGIN + 1.5, 5, 0.5, 0.0)])
    table(folder / 'Robot2_Measurement.dat', 'Time  Subject #  range [m]  bearing [rad]', [])
    return folder


def test_small_data_set_is_converted(source, tmp_path):
    """Logs begin at 0.25 s with the first true pose of robot 2. That of robot 1 ends at 3 s."""
    target = tmp_path / 'logs'
    done = convert(source, target, rate=2.0)
    assert done._replace(origin=0.0) == ([1, 2], 0.0, 2.5, 2, 1, 1, 2, 0, 0.0, done.errors, [])
    assert done.origin == pytest.approx(ORIGIN + 0.25)
    assert sorted(str(path.relative_to(target)) for path in target.rglob('*.csv')) == [
        'measurements/landmarks.csv', 'measurements/robot_1.csv', 'measurements/robot_2.csv',
        'robot_1.csv', 'robot_2.csv']
    one, two = read_logs(str(target))
    assert one.t.tolist() == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]
    # At 0.25 s nothing was logged yet; at 1.25 s the velocity of that very moment holds.
    assert not one.velocities[:, 2].any()
    assert one.velocities[:, :2].tolist() == [
        [0.0, 0.0], [0.1, 0.0], [0.2, -0.5], [0.2, -0.5], [0.0, 0.0], [0.0, 0.0]]
    assert one.poses[:, 0].tolist() == pytest.approx([1.25, 1.75, 2.0, 2.0, 2.0, 2.0])
    assert one.poses[:, 1].tolist() == pytest.approx([2.0, 2.0, 2.25, 2.75, 3.25, 3.75])
    # Through pi, not back around the circle.
    assert one.poses[:3, 2].tolist() == pytest.approx([3.05, 3.15, 3.2], abs=1e-4)
    assert two.poses[0].tolist() == [1.0, 2.0, 3.0]
    assert read_sightings(str(target), [1, 2]).tolist() == [
        [0.5, 0, 2, 1.5, -0.25], [0.5, 0, 6, 3.125, 0.5]]
    [(landmark, place)] = read_landmarks(target / 'measurements' / 'landmarks.csv').items()
    assert landmark == 6 and place == pytest.approx((1.88033, -5.5723, math.nan), nan_ok=True)


@pytest.mark.parametrize(('name', 'text', 'error'), [
    ('Barcodes.dat', None, 'Barcodes.dat: No such file or directory'),
    ('Robot2_Groundtruth.dat', None,
     'the true poses are missing, which logs need: Robot2_Groundtruth.dat'),
    ('Robot1_Odometry.dat', '# nothing\n', 'Robot1_Odometry.dat: no rows'),
    ('Robot1_Groundtruth.dat', '# x\n1 2 3\n',
     "Robot1_Groundtruth.dat: line 2: takes 4 numbers: '1 2 3'"),
    ('Robot1_Measurement.dat', '1 2 x 4\n',
     "Robot1_Measurement.dat: line 1: not a number: 'x'"),
    ('Robot1_Groundtruth.dat', '1 2 3 4\n\n1e15 2 3 4\n',
     'Robot1_Groundtruth.dat: line 3: t is 1e+15 after 1: 1e+15 s apart, more than 86400 s; times '
     'are in seconds (nanoseconds?)'),
    ('Robot1_Groundtruth.dat', '1 2 3 4\n', 'the robots have true poses at no common time'),
])
def test_wrong_file_is_refused_with_its_name(source, tmp_path, name, text, error):
    if text is None:
        (source / name).unlink()
    else:
        (source / name).write_text(text)
    with pytest.raises(ParameterError, match='^[^\n]*$') as raised:
        convert(source, tmp_path / 'logs')
    assert str(raised.value).endswith(error)
    assert not (tmp_path / 'logs').exists()


def test_folder_is_removed_when_logs_cannot_be_written(source, tmp_path):
    target = tmp_path / 'logs'
    with disk_with_room(10), pytest.raises(ParameterError, match='logs.*: File too large'):
        convert(source, target)
    assert not target.exists()


def test_conversion_is_refused_when_it_has_too_many_rows(source, tmp_path):
    with pytest.raises(ParameterError, match='2.75 s at 1e.09 rows a second are 2.75e.09 '):
        convert(source, tmp_path / 'logs', rate=1e9)


def test_existing_log_is_not_overwritten(source, tmp_path):
    with pytest.raises(ParameterError, match='is not empty; name a new folder'):
        convert(source, tmp_path)
    with pytest.raises(ParameterError, match='no data set: it takes the folder of MRCLAM'):
        convert(tmp_path, tmp_path / 'logs')


@pytest.mark.parametrize(('arguments', 'error'), [
    (['convert', '.', 'out'], '.: no data set: it takes the folder of MRCLAM with Robot1_'),
    (['convert', 'a', 'b', '--rate', '-1'], "'-1' is not allowed; it takes more than 0"),
    ([], 'required: COMMAND'),
])
def test_logs_command_prints_one_line_when_input_or_options_are_wrong(
        arguments, error, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    try:
        status = main(arguments)
    except SystemExit as ended:
        status = ended.code
    written = capsys.readouterr().err
    assert status == 2
    assert written.startswith('error: ') and error in written and written.count('\n') == 1
