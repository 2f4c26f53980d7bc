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

"""The conversion of data sets (TIERS, MURP, MRCLAM) to logs, and sideways motion."""

from contextlib import suppress
import csv
import math
from pathlib import Path
import sqlite3
from typing import Any

from environment import disk_with_room
from geometry_msgs.msg import PoseStamped
from leader_election.localisation.sighting import read_landmarks
from leader_election.parameters import ParameterError
from leader_election.simulation.log_conversion import convert, main
from leader_election.simulation.logged_sightings import read_sightings
from leader_election.simulation.motion import compose
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.robot_logs import read_log, read_logs
from leader_election.simulation.world import World
from nav_msgs.msg import Odometry
import numpy as np
import pytest
from rclpy.serialization import serialize_message
from sensor_msgs.msg import Range

ORIGIN = 1_665_477_204_000_000_000


def bag(folder: Path, messages: list[tuple[float, str, Any]]) -> Path:
    """Write a bag of ROS 2 in SQLite, with the tables of rosbag2."""
    folder.mkdir()
    file = sqlite3.connect(folder / 'run_0.db3')
    file.executescript(
        'CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,'
        ' serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);'
        'CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL,'
        ' timestamp INTEGER NOT NULL, data BLOB NOT NULL);')
    names = sorted({name for _, name, _ in messages})
    file.executemany("INSERT INTO topics VALUES(?, ?, '', 'cdr', '')", enumerate(names))
    file.executemany('INSERT INTO messages(topic_id, timestamp, data) VALUES(?, ?, ?)', [
        (names.index(name), ORIGIN + round(1e9 * t),
         each if isinstance(each, bytes) else serialize_message(each))
        for t, name, each in messages])
    file.commit()
    file.close()
    return folder


def pose(x: float, y: float, z: float, yaw: float) -> PoseStamped:
    message = PoseStamped()
    message.header.frame_id = 'world'
    place, turn = message.pose.position, message.pose.orientation
    place.x, place.y, place.z = x, y, z
    turn.z, turn.w = math.sin(yaw / 2), math.cos(yaw / 2)
    return message


def twist(forward: float, left: float, turn: float) -> Odometry:
    message = Odometry(child_frame_id='base_link')
    message.twist.twist.linear.x, message.twist.twist.linear.y = forward, left
    message.twist.twist.angular.z = turn
    return message


def ranged(distance: float, frame: str = '') -> Range:
    message = Range(range=distance, min_range=0.5, max_range=50.0)
    message.header.frame_id = frame
    return message


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a bag of TIERS of two seconds: robots 1 and 3, with nodes 7 and 3."""
    cap = '/vrpn_client_node/turtlebot{}_cap/pose'
    return bag(tmp_path / 'run', [
        *((t, cap.format(1), pose(t, 0.0, 0.1, 3.0)) for t in (0.0, 1.0, 2.0)),
        *((t, cap.format(3), pose(0.0, 4.0, 0.1, 0.0)) for t in (0.0, 2.0)),
        (0.5, cap.format('_chair'), pose(9.0, 9.0, 0.0, 0.0)),
        (0.0, '/turtle01/odom', twist(1.0, 0.0, 0.0)),
        (1.0, '/turtle01/odom', twist(0.5, -0.25, 0.125)),
        *((1.0, '/uwb/tof/n_3/n_7/distance', ranged(4.5, 'n' * length)) for length in range(5)),
        (1.0, '/uwb/tof/n_3/n_8/distance', ranged(7.0))])


def test_bag_of_tiers_is_read_with_odometry_and_ranges(run, tmp_path, capsys):
    assert main(['convert', str(run), str(tmp_path / 'logs'), '--rate', '1']) == 0
    one, three = read_logs(str(tmp_path / 'logs'))
    assert one.velocities.tolist() == [
        [1.0, 0.0, 0.0], [0.5, 0.125, -0.25], [0.5, 0.125, -0.25]]
    assert one.poses.tolist() == [[0.0, 0.0, 3.0], [1.0, 0.0, 3.0], [2.0, 0.0, 3.0]]
    seen = read_sightings(str(tmp_path / 'logs'), [1, 2])
    assert seen[:, :4].tolist() == [[1.0, 1, 1, 4.5]] * 5 and np.isnan(seen[:, 4]).all()
    written = capsys.readouterr().out.splitlines()
    assert written[0].startswith(f'{tmp_path}/logs: robots 1, 3; 2.0 s from 1665477204.000 s')
    assert written[1:] == [
        'odometry of robots 3 is not in the data set: simulated, the true motion with errors',
        f'mean errors of ranges, by pairs of robots: {4.5 - math.hypot(1, 4):+.2f} to '
        f'{4.5 - math.hypot(1, 4):+.2f} m (range_offset)']


@pytest.mark.parametrize(('topic', 'data', 'error'), [
    ('/uwb/tof/n_3/n_7/distance', b'\0\1\0\0', 'run_0.db3: unpack_from requires a buffer'),
    ('/vrpn_client_node/turtlebot1_cap/pose', b'', 'run_0.db3: '),
])
def test_bag_is_refused_when_a_message_is_cut(run, tmp_path, topic, data, error):
    with sqlite3.connect(run / 'run_0.db3') as file:
        file.execute('UPDATE messages SET data = ? WHERE topic_id IN '
                     '(SELECT id FROM topics WHERE name = ?)', (data, topic))
    with pytest.raises(ParameterError, match=f'^[^\n]*{error}[^\n]*$'):
        convert(run, tmp_path / 'logs')


def test_bag_is_refused_when_its_file_holds_no_tables_or_no_poses(tmp_path):
    text = tmp_path / 'text'
    text.mkdir()
    (text / 'run_0.db3').write_text('no database, but text of a hundred bytes'.ljust(100))
    with pytest.raises(ParameterError, match='run_0.db3: file is not a database'):
        convert(text, tmp_path / 'logs')
    other = bag(tmp_path / 'other', [(0.0, '/scan', ranged(1.0))])
    with pytest.raises(ParameterError, match='a robot has no true poses'):
        convert(other, tmp_path / 'logs')


def arrays(path: Path, **more: Any) -> Path:
    """Write the arrays of TIERS: robot 3 drives 9 m ahead in 100 rows, robot 4 stands."""
    rows = 100
    np.savez(path, **{
        'optitrack_turtle03_pose_np': np.column_stack((np.linspace(0, 9, rows), np.zeros(rows))),
        'optitrack_turtle03_orientation_np': np.zeros(rows),
        'optitrack_turtle04_pose_np': np.tile((0.0, 4.0), (rows, 1)),
        'optitrack_turtle04_orientation_np': np.ones(rows),
        'uwb_range_4_3_np': np.concatenate(([0.0], np.full(rows - 1, 4.25))), **more})
    return path


def test_arrays_of_tiers_are_read_without_ranges_before_the_first(tmp_path):
    done = convert(arrays(tmp_path / '4robots_data_01.npz'), tmp_path / 'logs')
    # 100 rows take 13.57 s, and the logs at 10 Hz 13.5 s: the first and the last are left out.
    assert (done.robots, done.sightings, done.simulated) == ([3, 4], 98, [3, 4])
    assert done.length == 13.5
    seen = read_sightings(str(tmp_path / 'logs'), [1, 2])
    assert seen[0, :4].tolist() == [pytest.approx(0.137, abs=1e-3), 1, 1, 4.25]
    log = read_log(tmp_path / 'logs' / 'robot_3.csv')
    # Simulated odometry is near the true motion, not equal to it.
    assert 1e-3 < abs(log.travelled_at(13.5)[0] - 9.0) < 1.5


@pytest.mark.parametrize(('more', 'error'), [
    ({'optitrack_turtle05_pose_np': np.zeros((3, 2))}, 'are missing or differ in length'),
    ({'uwb_range_3_4_np': np.zeros(7)}, 'are missing or differ in length'),
    ({'uwb_range_9_4_np': np.zeros(100)}, 'are missing or differ in length'),
    ({f'optitrack_turtle05_{name}_np': np.zeros((0, 2)[:size]) for name, size in (
        ('pose', 2), ('orientation', 1))}, 'a robot has no true poses'),
])
def test_arrays_are_refused_when_they_do_not_fit(tmp_path, more, error):
    with pytest.raises(ParameterError, match=error):
        convert(arrays(tmp_path / 'a.npz', **more), tmp_path / 'logs')


def test_file_is_refused_when_it_holds_no_arrays(tmp_path):
    for path in (tmp_path / 'none.npz', tmp_path / 'text.npz'):
        (tmp_path / 'text.npz').write_text('no archive')
        with pytest.raises(ParameterError, match='^[^\n]*npz[^\n]*$'):
            convert(path, tmp_path / 'logs')
    packed = arrays(tmp_path / '4robots_data_01.npz')
    content = packed.read_bytes()
    for place in range(30, len(content), len(content) // 30):
        packed.write_bytes(content[:place] + b'\xff' + content[place + 1:])
        with suppress(ParameterError):
            convert(packed, tmp_path / f'logs_{place}')
    np.savez(tmp_path / 'other.npz', bias_np=np.zeros(3))
    with pytest.raises(ParameterError, match='a robot has no true poses'):
        convert(tmp_path / 'other.npz', tmp_path / 'logs')


HEIGHT = {1: 1.75, 2: 0.5, 3: 0.5}


def places(seconds: int) -> dict[int, np.ndarray]:
    """Return x, y, yaw of three robots, which turn while they drive on circles."""
    t = np.arange(seconds, dtype=float)
    return {robot: np.column_stack((
        center + 1.5 * np.cos(0.2 * t + robot), 1.5 * np.sin(0.2 * t + robot), 0.3 * t + robot))
        for robot, center in ((1, 0.0), (2, 4.0), (3, -4.0))}


CORNERS = [(0.32, math.radians(60.0 * number - 30.0)) for number in range(1, 7)]
"""The antennas of a robot of MURP: how far from its middle [m], and in which direction [rad]."""


def corner(pose: list[float], number: int) -> tuple[float, float]:
    """Return the place of an antenna, 0 to 5, of a robot."""
    far, direction = CORNERS[number]
    return (pose[0] + far * math.cos(pose[2] + direction),
            pose[1] + far * math.sin(pose[2] + direction))


PAIRS = [(here, there) for here in range(6) for there in range(6)]


def trial(folder: Path, seconds: int = 60) -> Path:
    """Write a trial of MURP without errors: a table a second, for each robot and target."""
    folder.mkdir()
    true = places(seconds)
    for base in true:
        for target in set(true) - {base}:
            path = folder / f'17_base-{base}_targ-{target}_win-1_step-1.csv'
            with path.open('w', newline='') as file:
                rows = csv.writer(file)
                rows.writerow(('t', 'x', 'A_x', 'A_y', 'A_z', 'A_roll', 'A_yaw', '1_1_std',
                               *(f'{here + 1}_{there + 1}' for here, there in PAIRS), 'r'))
                for t, (place, other) in enumerate(zip(
                        true[base].tolist(), true[target].tolist())):
                    yaw = math.degrees(math.remainder(place[2], 2 * math.pi))
                    apart = HEIGHT[base] - HEIGHT[target]
                    rows.writerow((float(t), 0.0, *place[:2], HEIGHT[base], 0.0, yaw, 3.0, *(
                        math.hypot(math.dist(corner(place, here), corner(other, there)), apart)
                        if t != 5 else 'nan' for here, there in PAIRS), 1.0))
    return folder


def test_trial_of_murp_is_read_with_antennas_and_ranges_in_the_plane(tmp_path, capsys):
    assert main(['convert', str(trial(tmp_path / '17')), str(tmp_path / 'logs')]) == 0
    true = places(60)
    seen = read_sightings(str(tmp_path / 'logs'), [1, 2, 3])
    assert len(seen) == 6 * 59 * 36
    for t, row, target, distance, bearing, *antennas in seen.tolist():
        here, there = true[int(row) + 1][int(t)], true[int(target)][int(t)]
        ends = [compose(pose[np.newaxis], np.array([[*place, 0.0]]))[0, :2] for pose, place in (
            (here, antennas[:2]), (there, antennas[2:]))]
        assert distance == pytest.approx(math.dist(*ends), abs=1e-3) and math.isnan(bearing)
    world = World(WorldParameters(logs=str(tmp_path / 'logs'), logged_sightings=True))
    world.step()
    assert world.sightings([0, 2]).shape == (4 * 36, 8)
    logs = read_logs(str(tmp_path / 'logs'))
    assert [log.pose_at(7.0).tolist() for log in logs] == [
        pytest.approx(true[robot][7], abs=1e-3) for robot in true]
    assert capsys.readouterr().out.replace('-0.00', '+0.00').splitlines()[1:] == [
        'odometry of robots 1, 2, 3 is not in the data set: simulated, the true motion with '
        'errors', 'heights of robots differ by up to 1.25 m: ranges projected to the plane',
        'mean errors of ranges, by pairs of robots: +0.00 to +0.00 m (range_offset)']


def test_range_is_left_out_when_it_is_shorter_than_the_difference_of_heights(tmp_path):
    folder = trial(tmp_path / '17')
    path = folder / '17_base-1_targ-2_win-1_step-1.csv'
    lines = path.read_text().splitlines()
    lines[1] = ','.join((*lines[1].split(',')[:-2], '1.0', '1.0'))
    path.write_text('\n'.join(lines))
    done = convert(folder, tmp_path / 'logs')
    assert (done.left_out, done.sightings) == (1, 6 * 59 * 36 - 1)


@pytest.mark.parametrize('columns', ['t,v,omega,x,y,theta,vy', 't,x,y,theta'])
def test_odometry_follows_the_true_path_when_a_robot_moves_sideways(tmp_path, columns):
    """An omnidirectional robot turns while it drives on a curve, with or without velocities."""
    velocity = np.array([[0.3, -0.4, 0.5]])
    path = [np.zeros((1, 3))]
    for _ in range(100):
        # Exact for constant velocities: one turn and the arcs of both ways.
        path.append(compose(path[-1], moved(velocity[0], 0.1)[np.newaxis]))
    rows = [(0.1 * row, 0.3, -0.4, *place[0], 0.5) for row, place in enumerate(path)]
    names = ('t', 'v', 'omega', 'x', 'y', 'theta', 'vy')
    wanted = columns.split(',')
    (tmp_path / 'robot_1.csv').write_text('\n'.join((columns, *(
        ','.join(repr(float(row[names.index(name)])) for name in wanted) for row in rows))))
    world = World(WorldParameters(logs=str(tmp_path)))
    for step in range(100):
        world.step()
        assert world.odometry[0] == pytest.approx(path[step + 1][0], abs=1e-6)
    assert world.measured[0] == pytest.approx(velocity[0], abs=1e-6)
    assert np.isfinite(world.covariance.poses).all()


def moved(velocity: np.ndarray, dt: float, pieces: int = 2000) -> np.ndarray:
    """Return x, y, yaw after some time, by many small steps in the middle of their turns."""
    forward, turn, left = velocity
    yaw = turn * dt * (np.arange(pieces) + 0.5) / pieces
    return np.array((np.mean(forward * np.cos(yaw) - left * np.sin(yaw)) * dt,
                     np.mean(forward * np.sin(yaw) + left * np.cos(yaw)) * dt, turn * dt))


# MRCLAM's own files, and the command logs convert.

BEGIN = 1248444191.0
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
            (BEGIN + 0.5, 0.1, 0.0), (BEGIN + 1.25, 0.2, -0.5), (BEGIN + 2.0, 0.0, 0.0)])
        table(folder / f'Robot{robot}_Groundtruth.dat', 'Time  x [m]  y [m]  theta [rad]', [
            (BEGIN + late, 1.0, 2.0, 3.0), (BEGIN + 1.0 + late, 2.0, 2.0, 3.2 - 2 * np.pi),
            (BEGIN + 3.0 + late, 2.0, 4.0, 3.2 - 2 * np.pi)])
    (folder / 'Barcodes.dat').write_text('# Subject #   Barcode #\n 1   5\n 2  14\n 6 72\n')
    (folder / 'Landmark_Groundtruth.dat').write_text(
        '# Subject # x y sigma sigma\n6  1.88032539 -5.57229508  0.00001974 0.00004067\n')
    table(folder / 'Robot1_Measurement.dat', 'Time  Subject #  range [m]  bearing [rad]', [
        (BEGIN + 0.1, 14, 1.0, 0.1),   # before the logs begin
        (BEGIN + 0.75, 14, 1.5, -0.25), (BEGIN + 0.75, 72, 3.125, 0.5),
        (BEGIN + 1.5, 99, 3.0, 0.0), (BEGIN + 1.5, 5, 0.5, 0.0)])
    table(folder / 'Robot2_Measurement.dat', 'Time  Subject #  range [m]  bearing [rad]', [])
    return folder


def test_small_data_set_is_converted(source, tmp_path):
    """Logs begin at 0.25 s with the first true pose of robot 2. That of robot 1 ends at 3 s."""
    target = tmp_path / 'logs'
    done = convert(source, target, rate=2.0)
    assert done._replace(origin=0.0) == ([1, 2], 0.0, 2.5, 2, 2, 0.0, done.errors, [])
    assert done.origin == pytest.approx(BEGIN + 0.25)
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
    ('Robot2_Groundtruth.dat', None, 'Robot2_Groundtruth.dat: No such file or directory'),
    ('Robot1_Groundtruth.dat', '# nothing\n', 'or rows of optitrack_turtle01_pose_np, and so on'),
    ('Robot1_Groundtruth.dat', '# x\n1 2 3\n',
     'Robot1_Groundtruth.dat: line 2: theta is not a finite number: None'),
    ('Robot1_Measurement.dat', '1 2 x 4\n',
     "Robot1_Measurement.dat: line 1: range is not a finite number: 'x'"),
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
