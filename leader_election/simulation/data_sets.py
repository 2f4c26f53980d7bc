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
Read data sets of several robots, as their authors publish them.

MRCLAM: UTIAS Multi-Robot Cooperative Localization and Mapping (K. Leung, Y. Halpern, T. Barfoot,
H. Liu, IJRR 2011). A data set is a folder with tables of numbers between white space, and comments
that begin with ``#``:

- ``Robot<i>_Odometry.dat``: time [s], forward velocity [m/s], angular velocity [rad/s];
- ``Robot<i>_Groundtruth.dat``: time [s], x [m], y [m], orientation [rad];
- ``Robot<i>_Measurement.dat``: time [s], barcode, range [m], bearing [rad];
- ``Barcodes.dat``: subject, barcode. Subjects 1 to 5 are the robots, others are landmarks;
- ``Landmark_Groundtruth.dat``: subject, x, y [m], and their standard deviations [m].

MURP, three omnidirectional robots with six UWB antennas each: "MURP: Multi-Agent Ultra-Wideband
Relative Pose Estimation with Constrained Communications in 3D Environments" (A. Fishberg, B.
Quiter, J. How, RA-L 2024), github.com/mit-acl/murp-datasets. A trial is a folder of
``datasets/parsed``, 01 to 22, with a table for each robot and target:
``<trial>_base-<i>_targ-<j>_win-1_step-1.csv``. Each row is the mean over a second. Its columns:

- ``t`` [s];
- ``A_x``, ``A_y``, ``A_z`` [m], ``A_yaw`` [deg]: the true pose of the base;
- ``<i>_<j>`` [m]: the range from antenna i of the base to antenna j of the target, 1 to 6.

The antennas are the corners of a hexagon, 0.32 m from the middle of their robot, the first at 30
degrees to the left of straight ahead: with these places the true distances in the tables follow
from the true poses to within 3 mm (RMS, trial 17).

There is no odometry. The same trials are published as bags of ROS 1, which are not read.

TIERS's four TurtleBots that measure their ranges by UWB: "Fusing Odometry, UWB Ranging, and
Spatial Detections for Relative Multi-Robot Localization" (Xianjia Yu et al., arXiv 2304.06264),
github.com/TIERS/uwb-cooperative-mrs-localization. A run is one of two:

- a folder of ``recorded_data``, a bag of ROS 2 in SQLite, whose messages are in CDR. Its topics:
  ``/vrpn_client_node/turtlebot<i>_cap/pose`` (``geometry_msgs/PoseStamped``), the true pose;
  ``/turtle0<i>/odom`` or ``/cali/turtle0<i>/odom`` (``nav_msgs/Odometry``);
  ``/uwb/tof/n_<a>/n_<b>/distance`` (``sensor_msgs/Range``);
- ``script/data_fit/data/4robots_data_01.npz``, without times and odometry. Row by row:
  ``optitrack_turtle0<i>_pose_np`` (x, y [m]), ``optitrack_turtle0<i>_orientation_np`` (yaw [rad])
  and ``uwb_range_<i>_<j>_np`` [m], 0 before the first measurement. There is a row for each message
  of one topic of ranges.

The node of a robot has the robot's number, but robot 1 has node 7. Other nodes are no robots.
The true yaw differs from the direction of driving by up to 4 degrees.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import zip_longest
import math
from pathlib import Path
import re
import sqlite3
import struct
from typing import Any, NamedTuple

from leader_election.parameters import files, ParameterError
from leader_election.simulation.robot_logs import check_steps, read_number, read_table
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

UNKNOWN = -1
"""The subject of a sighting of neither a robot nor a landmark."""


class Recorded(NamedTuple):
    """The data of one robot. Times are those of the data set [s]."""

    truth: Array
    """Time, true x, y, yaw, z [s, m, rad, m], shape (n, 5), n > 0, times increasing."""
    odometry: Array
    """
    Time, linear, angular, sideways velocity by odometry [s, m/s, rad/s, m/s], shape (m, 4), times
    increasing. No rows: the data set has none.
    """
    sightings: Array
    """
    Time, subject, range, bearing [s, m, rad], NaN where not measured, and the places of the
    antennas on the robot and on the subject, x, y, x, y in their frames [m], shape (k, 8).
    """


class DataSet(NamedTuple):
    """The robots by their numbers, and the landmarks: id, x, y [m], shape (n, 3)."""

    robots: dict[int, Recorded]
    landmarks: Array


def in_order(table: Array) -> Array:
    """Return the rows in the order of their times, the last one of each time."""
    table = table[np.argsort(table[:, 0], kind='stable')]
    return table[np.diff(table[:, 0], append=np.inf) > 0.0]


def _mrclam(source: Path) -> DataSet | None:
    """
    Return a data set of MRCLAM, ``None`` if the folder holds none.

    :raises ParameterError: for files that are missing or wrong.
    """
    numbers = sorted({int(found[1]) for path in source.glob('Robot*') if (
        found := re.fullmatch(r'Robot(\d+)_(?:Odometry|Groundtruth)\.dat', path.name))})
    if not numbers:
        return None
    subjects = {int(barcode): int(subject) for subject, barcode in _read(
        source / 'Barcodes.dat', 'subject', 'barcode').tolist()}
    robots = {}
    for number in numbers:
        # There is no height and no sideways motion.
        truth, odometry = (in_order(np.insert(table, table.shape[1], 0.0, axis=1)) for table in (
            _read(source / f'Robot{number}_Groundtruth.dat', 't', 'x', 'y', 'theta'),
            _read(source / f'Robot{number}_Odometry.dat', 't', 'v', 'omega')))
        sightings = _read(
            source / f'Robot{number}_Measurement.dat', 't', 'barcode', 'range', 'bearing')
        sightings[:, 1] = [subjects.get(int(barcode), UNKNOWN) for barcode in sightings[:, 1]]
        robots[number] = Recorded(truth, odometry, _in_the_middle(sightings))
    return DataSet(robots, _read(source / 'Landmark_Groundtruth.dat', 'subject', 'x', 'y'))


def _read(path: Path, *columns: str) -> Array:
    """Return the first columns of a table between white space. Column ``t`` is a time [s]."""
    rows, lines = [], []
    try:
        for line, words in files.words_of(files.read_text(path)):
            rows.append([read_number(name, word, False, line) for name, word in zip_longest(
                columns, words[:len(columns)])])
            lines.append(line)
    except ValueError as error:
        raise ParameterError(f'log {path}: {error}') from None
    table = np.reshape(rows, (-1, len(columns)))
    if columns[0] == 't':
        check_steps(path, table[:, 0], lines)
    return table


NO_SIGHTINGS: Array = np.empty((0, 8))
HEXAGON = {number: (0.32 * math.cos(angle), 0.32 * math.sin(angle))
           for number, angle in enumerate(np.radians(range(30, 390, 60)).tolist(), 1)}
"""The places of the antennas of a robot of MURP: x, y in its frame, by their numbers [m]."""
PAIRS = [(here, there) for here in HEXAGON for there in HEXAGON]
PLACES: Array = np.array([(*HEXAGON[here], *HEXAGON[there]) for here, there in PAIRS])
RANGES = [f'{here}_{there}' for here, there in PAIRS]
COLUMNS = ('t', 'A_x', 'A_y', 'A_yaw', 'A_z')


def _in_the_middle(sightings: Array) -> Array:
    """Return sightings, shape (n, 4), with antennas in the middle of robots, shape (n, 8)."""
    return np.pad(sightings, ((0, 0), (0, 4)))


def _murp(source: Path) -> DataSet | None:
    """
    Return a trial, ``None`` if the folder holds none.

    :raises ParameterError: for files that are missing or wrong.
    """
    robots: dict[int, Recorded] = {}
    for path in sorted(source.glob('*.csv')):
        found = re.fullmatch(r'\d+_base-(\d+)_targ-(\d+)_win-1_step-1\.csv', path.name)
        if found is None:
            continue
        base, target = int(found[1]), int(found[2])
        table, lines = read_table(path, (*COLUMNS, *RANGES), may_lack=RANGES)
        check_steps(path, table[:, 0], lines)
        truth = in_order(table[:, :5])
        truth[:, 3] = np.radians(truth[:, 3])
        rows, pairs = np.nonzero(np.isfinite(table[:, 5:]))
        sightings = np.column_stack((
            table[rows, 0], np.full(len(rows), target), table[rows, 5 + pairs],
            np.full(len(rows), np.nan), PLACES[pairs]))
        before = robots[base].sightings if base in robots else NO_SIGHTINGS
        robots[base] = Recorded(truth, np.empty((0, 4)), np.vstack((before, sightings)))
    return DataSet(robots, np.empty((0, 3))) if robots else None


PERIOD = 0.13705
"""
The time between two rows of the file without times [s]: that of the same ranges in the bag
``shortbag``, a part of the same run.
"""
ROBOT_OF_NODE = {7: 1, 2: 2, 3: 3, 4: 4, 5: 5}
_QUERY = """
SELECT messages.timestamp, messages.data FROM messages JOIN topics ON topics.id = messages.topic_id
WHERE topics.name = ? ORDER BY messages.timestamp
"""
_POSE = r'/vrpn_client_node/turtlebot(\d+)_cap/pose'
_RANGE = r'/uwb/tof/n_(\d+)/n_(\d+)/distance'
_ODOMETRY = '/turtle{:02}/odom', '/cali/turtle{:02}/odom'


def _tiers(source: Path) -> DataSet | None:
    """
    Return a run, ``None`` if there is none in the folder or file.

    :raises ParameterError: for files that are wrong.
    """
    if source.suffix == '.npz':
        return _of_arrays(source)
    bags = sorted(source.glob('*.db3'))
    try:
        return _of_bags(bags) if bags else None
    except (sqlite3.Error, struct.error, ValueError, TypeError) as error:
        raise ParameterError(f'{source}: {bags[0].name}: {error}') from None


def _of_bags(bags: list[Path]) -> DataSet:
    names = {name for bag in bags for name, in _rows(bag, 'SELECT name FROM topics')}

    def doubles(topic: str, count: int) -> Array:
        """Return the time and the last numbers of each message."""
        rows = [(stamp / 1e9, *_last(data, count))
                for bag in bags for stamp, data in _rows(bag, _QUERY, topic)]
        return in_order(np.reshape(rows, (-1, count + 1)))

    robots = {}
    for number in sorted(int(found[1]) for name in names if (found := re.fullmatch(_POSE, name))):
        poses = doubles(f'/vrpn_client_node/turtlebot{number}_cap/pose', 7)
        if not len(poses):
            continue
        t, x, y, z, *quaternion = poses.T
        # The twist and its covariance are last: 6 and 36 numbers.
        odometry = np.empty((0, 43))
        for topic in _ODOMETRY:
            odometry = odometry if len(odometry) else doubles(topic.format(number), 42)
        robots[number] = Recorded(np.column_stack((t, x, y, _yaw(*quaternion), z)),
                                  odometry[:, [0, 1, 6, 2]], NO_SIGHTINGS)
    for name in sorted(names):
        found = re.fullmatch(_RANGE, name)
        nodes = [int(node) for node in found.groups()] if found else []
        here, there = [ROBOT_OF_NODE.get(node, 0) for node in nodes] or (0, 0)
        if here in robots and there in robots:
            rows = [(stamp / 1e9, there, _range(data), np.nan)
                    for bag in bags for stamp, data in _rows(bag, _QUERY, name)]
            robots[here] = _with(robots[here], rows)
    return DataSet(robots, np.empty((0, 3)))


def _rows(bag: Path, query: str, *values: str) -> Iterator[tuple[Any, ...]]:
    with closing(sqlite3.connect(f'{bag.resolve().as_uri()}?mode=ro', uri=True)) as file:
        yield from file.execute(query, values)


def _last(data: bytes, count: int) -> tuple[float, ...]:
    """Return the last doubles of a message. Before them are names of variable length."""
    return struct.unpack_from(f'<{count}d', data, len(data) - 8 * count)


def _range(data: bytes) -> float:
    """Return the range in a message, which follows a name, a byte, and three floats."""
    (length,) = struct.unpack_from('<I', data, 12)
    # A float begins at a multiple of four bytes, counted without the first four of the message.
    (found,) = struct.unpack_from('<f', data, 16 + (16 + length) // 4 * 4)
    return float(found)


def _yaw(x: Array, y: Array, z: Array, w: Array) -> Array:
    return np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def _with(robot: Recorded, rows: Sequence[tuple[float, ...]]) -> Recorded:
    """Return a robot with more sightings."""
    return robot._replace(sightings=np.vstack((
        robot.sightings, _in_the_middle(np.array(rows).reshape(-1, 4)))))


def _of_arrays(source: Path) -> DataSet:
    try:
        with np.load(source) as file:
            arrays = {name: np.asarray(file[name], dtype=np.float64) for name in file.files}
    except Exception as error:  # noqa: BLE001 - any error of the library on a damaged file
        raise ParameterError(f'{source}: {" ".join(str(error).split())}') from None
    robots = {}
    try:
        for name, place in arrays.items():
            if found := re.fullmatch(r'optitrack_turtle0*(\d+)_pose_np', name):
                yaw = arrays[name.replace('pose', 'orientation')]
                zeros = np.zeros(len(yaw))
                truth = np.column_stack((PERIOD * np.arange(len(yaw)), place, yaw, zeros))
                robots[int(found[1])] = Recorded(truth, np.empty((0, 4)), NO_SIGHTINGS)
        for name, distances in arrays.items():
            if found := re.fullmatch(r'uwb_range_(\d+)_(\d+)_np', name):
                here, there = int(found[1]), int(found[2])
                robots[here] = _with(robots[here], [
                    (t, there, distance, np.nan) for t, distance
                    in zip(robots[here].truth[:, 0], distances, strict=True) if distance > 0.0])
    except (KeyError, ValueError) as error:
        raise ParameterError(
            f'{source}: arrays are missing or differ in length: {error}') from None
    return DataSet(dict(sorted(robots.items())), np.empty((0, 3)))


def read_data_set(source: Path) -> DataSet:
    """
    Read a data set of any known kind.

    :param source: the folder of the data set, or its file.
    :raises ParameterError: for files that are missing or wrong.
    """
    found = _mrclam(source) or _tiers(source) or _murp(source)
    if found is None:
        raise ParameterError(
            f'{source}: no data set: it takes the folder of MRCLAM with Robot1_Odometry.dat and '
            'so on; or the folder of a bag of TIERS, with a file *.db3, or the file '
            '4robots_data_01.npz of TIERS; or the folder of a trial of MURP, parsed/01 to 22')
    if not found.robots or not all(len(robot.truth) for robot in found.robots.values()):
        raise ParameterError(
            f'{source}: a robot has no true poses: rows of Robot1_Groundtruth.dat, messages on '
            '/vrpn_client_node/turtlebot1_cap/pose, or rows of optitrack_turtle01_pose_np, and so '
            'on')
    return found
