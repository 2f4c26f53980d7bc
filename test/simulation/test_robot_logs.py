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

"""Logs of robots: the sample, interpolation, and wrong files."""

import math
from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.simulation.robot_logs import LogError, read_log, read_logs, read_table
import numpy as np
import pytest

HEADER = 't,v,omega,x,y,theta\n'


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_the_sample_is_120_s_of_five_robots() -> None:
    logs = read_logs('physics5')
    assert len(logs) == 5
    for log in logs:
        assert (log.t[0], log.t[-1], len(log.t)) == (0.0, 120.0, 1201)
        assert np.abs(np.diff(log.poses[:, 2])).max() < 0.2  # unwrapped
        assert log.velocities[-1].tolist() == [0.0, 0.0]


def test_real_logs_are_756_s_of_five_robots(real_logs: str) -> None:
    logs = read_logs(real_logs)
    assert len(logs) == 5
    for log in logs:
        assert (log.t[0], log.t[-1]) == (0.0, pytest.approx(756.0, abs=1.0))
    assert logs[4].velocities[0] == pytest.approx([0.067, 0.0], abs=1e-3)


def test_between_rows_poses_are_interpolated_and_velocities_hold(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / 'a.csv', HEADER + (
        '10,1,0.5,0,0,3.0\n'
        '12,3,0,4,2,-3.0\n'
        '13,9,9,4,2,-3.0\n')))
    x, y, yaw = log.pose_at(11.0)
    assert (x, y) == (2.0, 1.0)
    assert math.isclose(yaw, math.pi)  # the short way round
    assert log.travelled_at(11.0).tolist() == [1.0, 0.5]
    assert log.travelled_at(12.5).tolist() == [3.5, 1.0]
    assert log.pose_at(0.0)[0] == 0.0
    assert log.pose_at(99.0)[0] == 4.0
    assert log.travelled_at(99.0).tolist() == [5.0, 1.0]


def test_further_columns_and_any_order_are_allowed(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / 'a.csv', 'x,y,note,theta,omega,v,t\n1,2,hm,3,4,5,6\n'))
    assert log.poses.tolist() == [[1.0, 2.0, 3.0]]
    assert log.velocities.tolist() == [[5.0, 4.0]]


def test_logs_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        write(tmp_path / f'robot_{number}.csv', f'{HEADER}0,0,0,{number},0,0\n')
    assert [log.poses[0, 0] for log in read_logs(str(tmp_path))] == [1.0, 9.0, 10.0]


@pytest.mark.parametrize(('text', 'problem'), [
    ('', 'line 1: missing columns t, v, omega, x, y, theta'),
    ('t,v,x,y\n0,0,0,0\n', 'line 1: missing columns omega, theta'),
    (HEADER, 'line 2: no rows'),
    (HEADER + '0,0,0,0,0,0\n1,0,0,nan,0,0\n', "line 3: x is not a finite number: 'nan'"),
    (HEADER + '0,0,0,0,inf,0\n', "line 2: y is not a finite number: 'inf'"),
    (HEADER + '0,fast,0,0,0,0\n', "line 2: v is not a finite number: 'fast'"),
    (HEADER + '0,0,0,0,0,0\n1,0,0\n', 'line 3: x is not a finite number: None'),
    (HEADER + '0,0,0,0,0,\n', "line 2: theta is not a finite number: ''"),
    (HEADER + '0,0,0,0,0,0\n2,0,0,0,0,0\n1,0,0,0,0,0\n',
     'line 4: time does not increase: t is 1 after 2'),
    (HEADER + '0,0,0,0,0,0\n0,0,0,0,0,0\n', 'line 3: time does not increase'),
])
def test_a_wrong_log_is_refused_with_file_and_line(
        tmp_path: Path, text: str, problem: str) -> None:
    path = write(tmp_path / 'robot_1.csv', text)
    with pytest.raises(LogError) as error:
        read_logs(str(tmp_path))
    assert f'log {path}: {problem}' in str(error.value)


def test_a_binary_file_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LogError, match='no folder with .csv files'):
        read_logs(str(tmp_path / 'nowhere'))
    (tmp_path / 'a.csv').write_bytes(b'\xff\xfe\x81\n')
    with pytest.raises(LogError, match='a.csv'):
        read_logs(str(tmp_path))


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / 'table.csv'
    path.write_text(text)
    return path


def test_rows_have_their_columns_and_lines(tmp_path: Path) -> None:
    path = table(tmp_path, 'b,more,a\n2,x,1\n\n4,y,3\n')
    values, lines = read_table(path, ('a', 'b'))
    assert values.tolist() == [[1.0, 2.0], [3.0, 4.0]] and lines == [2, 4]
    assert read_table(table(tmp_path, 'a\n'), ('a',)).values.shape == (0, 1)


def test_values_that_may_lack_are_nan(tmp_path: Path) -> None:
    path = table(tmp_path, 'a,b\n1,\n2,nan\n3\n')
    values, _ = read_table(path, ('a', 'b', 'c'), may_lack=('b', 'c'))
    np.testing.assert_equal(values, [[i, np.nan, np.nan] for i in (1.0, 2.0, 3.0)])
    with pytest.raises(LogError, match='line 1: missing columns c$'):
        read_table(path, ('a', 'b', 'c'), may_lack=('b',))
    with pytest.raises(LogError, match="line 2: b is not a finite number: ''"):
        read_table(path, ('a', 'b'))


def test_errors_are_errors_of_parameters_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=f'^log {tmp_path}/none.csv: ') as error:
        read_table(tmp_path / 'none.csv', ('a',))
    assert len(str(error.value).splitlines()) == 1
