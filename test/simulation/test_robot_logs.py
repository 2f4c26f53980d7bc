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

"""Logs of robots, and their replay."""

import math
from pathlib import Path

from leader_election.parameters import ParameterError
from leader_election.simulation.robot_logs import read_log, read_logs, read_table
import numpy as np
import pytest

LOG_HEADER = 't,v,omega,x,y,theta\n'


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_poses_are_interpolated_and_velocities_held_between_rows(tmp_path):
    log = read_log(write(tmp_path / 'a.csv', LOG_HEADER + (
        '10,1,0.5,0,0,3.0\n'
        '12,3,0,4,2,-3.0\n'
        '13,9,9,4,2,-3.0\n')))
    x, y, yaw = log.pose_at(11.0)
    assert (x, y) == (2.0, 1.0)
    assert math.isclose(yaw, math.pi)  # the short way round
    assert log.travelled_at(11.0).tolist() == [1.0, 0.5, 0.0]
    assert log.travelled_at(12.5).tolist() == [3.5, 1.0, 0.0]
    assert log.pose_at(0.0)[0] == 0.0
    assert log.pose_at(99.0)[0] == 4.0
    assert log.travelled_at(99.0).tolist() == [5.0, 1.0, 0.0]


# A quarter turn to the left about z is (0, 0, sqrt 1/2, sqrt 1/2), half a turn (0, 0, 1, 0).
TRAJECTORY = """# timestamp tx ty tz qx qy qz qw
100.0 1 2 0.5 0 0 0 1
101.0 3 2 0.5 0 0 0.70710678 0.70710678

102.5 3 5 0.5 0 0 2 0  # not of length 1
"""


def test_trajectory_is_a_log_whose_velocities_follow_from_its_poses(tmp_path: Path) -> None:
    log = read_log(write(tmp_path / 'a.csv', TRAJECTORY))
    assert log.t.tolist() == [100.0, 101.0, 102.5]
    assert log.poses[:, :2].tolist() == [[1, 2], [3, 2], [3, 5]]
    assert log.poses[:, 2] == pytest.approx([0.0, math.pi / 2, math.pi])
    # A quarter turn in 1 s, then in 1.5 s.
    assert log.velocities[:, 1] == pytest.approx([math.pi / 2, math.pi / 3, 0.0])
    # A pitch of 90 degrees, and a roll of 180, turn the robot, but not its heading.
    for quaternion in ('0 0.1 0 0.995', '1 0 0 0'):
        assert read_log(write(tmp_path / 'b.csv', f'0 0 0 0 {quaternion}\n')).poses[0, 2] == 0.0


def test_trajectories_are_found_by_name_where_there_is_no_csv(tmp_path: Path) -> None:
    for name, x in (('robot_2.tum', 2), ('robot_10.txt', 10)):
        write(tmp_path / name, f'0 {x} 0 0 0 0 0 1\n')
    assert [log.poses[0, 0] for log in read_logs(str(tmp_path))] == [2.0, 10.0]
    write(tmp_path / 'robot_1.csv', 't,x,y\n0,1,0\n')
    assert [log.poses[0, 0] for log in read_logs(str(tmp_path))] == [1.0]


@pytest.mark.parametrize(('text', 'problem'), [
    (TRAJECTORY + '103 3 5\n', 'line 6: 3 values; it takes t x y z qx qy qz qw'),
    (TRAJECTORY + '103 3 5 0 0 0 nan 1\n', "line 6: qz is not a finite number: 'nan'"),
    (TRAJECTORY + '103 3 5 0 0 0 0 0\n', 'line 6: qx qy qz qw are no orientation'),
    (TRAJECTORY + '101 3 5 0 0 0 0 1\n', 'line 6: time does not increase: t is 101 after 102.5'),
    ('0 1 2\n', 'line 1: missing columns t, x, y; it takes names between commas: ')])
def test_wrong_trajectory_is_refused_with_file_and_line(
        tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=f'log .*a.txt: {problem}'):
        read_log(write(tmp_path / 'a.txt', text))


def test_logs_are_in_the_order_of_their_numbers(tmp_path):
    for number in (10, 9, 1):
        write(tmp_path / f'robot_{number}.csv', f'{LOG_HEADER}0,0,0,{number},0,0\n')
    assert [log.poses[0, 0] for log in read_logs(str(tmp_path))] == [1.0, 9.0, 10.0]


@pytest.mark.parametrize(('text', 'problem'), [
    ('t,v,x\n0,0,0\n', 'line 1: missing columns y'),
    (LOG_HEADER, 'line 2: no rows'),
    (LOG_HEADER + '0,0,0,0,0,0\n1,0,0,nan,0,0\n', "line 3: x is not a finite number: 'nan'"),
    (LOG_HEADER + '0,fast,0,0,0,0\n', "line 2: v is not a finite number: 'fast'"),
    (LOG_HEADER + '0,0,0,0,0,0\n1,0,0\n', 'line 3: x is not a finite number: None'),
    (LOG_HEADER + '0,0,0,0,0,0\n1,0,0,0,0,\n', 'line 3: theta is not a finite number'),
    (LOG_HEADER + '0,0,0,0,0,0\n2,0,0,0,0,0\n1,0,0,0,0,0\n',
     'line 4: time does not increase: t is 1 after 2'),
    (LOG_HEADER + '0,0,0,0,0,0\n1700000001,0,0,0,0,0\n1700000002,0,0,0,0,0\n',
     'line 3: t is 1700000001 after 0: 1.7e+09 s apart, more than 86400 s; times are in seconds '
     '(nanoseconds?)'),
    ('t,x,y\n1403636579763555584,0,0\n1403636579863555584,0,0\n', 'line 3: t is 1.4036'),
    ('t,x,y\n' + ''.join(f'{t * 50_000},0,0\n' for t in range(10)),
     'line 2: the median time between rows is 5e+04 s, more than 600 s; times are in seconds'),
    (LOG_HEADER + '0,0,0,1e200,0,0\n', "line 2: x is beyond ±1e+100: '1e200'"),
])
def test_log_is_refused_with_file_and_line_when_wrong(tmp_path, text, problem):
    path = write(tmp_path / 'robot_1.csv', text)
    with pytest.raises(ParameterError) as error:
        read_logs(str(tmp_path))
    assert f'log {path}: {problem}' in str(error.value)


def test_logs_are_refused_when_their_times_are_of_two_clocks(tmp_path):
    for number, begin in ((1, 1.7e9), (2, 0.0), (3, 5e4)):
        write(tmp_path / f'robot_{number}.csv', f't,x,y\n{begin},0,0\n{begin + 9},0,0\n')
    with pytest.raises(ParameterError, match=(
            'robot_1.csv: begins at 1700000000 s, when the others have ended at 50009 s; times')):
        read_logs(str(tmp_path))


def test_log_is_refused_when_binary_or_missing(tmp_path):
    with pytest.raises(ParameterError, match='no folder with .csv, .txt or .tum files'):
        read_logs(str(tmp_path / 'nowhere'))
    (tmp_path / 'a.csv').write_bytes(b'\xff\xfe\x81\n')
    with pytest.raises(ParameterError, match='a.csv'):
        read_logs(str(tmp_path))


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / 'table.csv'
    path.write_text(text)
    return path


def test_rows_are_read_with_columns_and_line_numbers(tmp_path):
    path = table(tmp_path, 'b,more,a\n2,x,1\n\n4,y,3\n')
    values, lines = read_table(path, ('a', 'b'))
    assert values.tolist() == [[1.0, 2.0], [3.0, 4.0]] and lines == [2, 4]
    assert read_table(table(tmp_path, 'a\n'), ('a',)).values.shape == (0, 1)


def test_missing_values_are_nan(tmp_path):
    path = table(tmp_path, 'a,b\n1,\n2,nan\n3\n')
    values, _ = read_table(path, ('a', 'b', 'c'), may_lack=('b', 'c'))
    np.testing.assert_equal(values, [[i, np.nan, np.nan] for i in (1.0, 2.0, 3.0)])
    with pytest.raises(ParameterError, match='line 1: missing columns c; it takes '):
        read_table(path, ('a', 'b', 'c'), may_lack=('b',))
    with pytest.raises(ParameterError, match="line 2: b is not a finite number: ''"):
        read_table(path, ('a', 'b'))


def test_log_error_is_a_parameter_error_in_one_line(tmp_path):
    with pytest.raises(ParameterError, match=f'^log {tmp_path}/none.csv: ') as error:
        read_table(tmp_path / 'none.csv', ('a',))
    assert len(str(error.value).splitlines()) == 1


def test_heading_follows_the_motion_when_a_log_has_only_positions(tmp_path: Path) -> None:
    path = tmp_path / 'robot_1.csv'
    path.write_text('t,x,y\n0,0,0\n1,0,0\n2,2,0\n4,2,2\n5,2,2\n')
    log = read_log(path)
    assert log.poses[:, 2].tolist() == pytest.approx([0, 0, np.pi / 2, np.pi / 2, np.pi / 2])
    assert log.velocities[:, 0].tolist() == [0, 2, 1, 0, 0]
    assert log.velocities[:, 1].tolist() == pytest.approx([0, np.pi / 2, 0, 0, 0])
