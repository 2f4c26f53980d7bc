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
Read a run of TIERS's four TurtleBots that measure their ranges by UWB, as its authors publish it.

"Fusing Odometry, UWB Ranging, and Spatial Detections for Relative Multi-Robot Localization"
(Xianjia Yu et al., arXiv 2304.06264), github.com/TIERS/uwb-cooperative-mrs-localization. A run is
one of two:

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
from pathlib import Path
import re
import sqlite3
import struct
from typing import Any

from leader_election.parameters import ParameterError
from leader_election.simulation.data_set import Array, DataSet, in_order, Recorded
from leader_election.simulation.robot_logs import check_steps
import numpy as np

FILES = 'the folder of a bag of TIERS, with a file *.db3, or the file 4robots_data_01.npz of TIERS'
LARGEST = 2**28
"""The greatest size of all arrays of a file [bytes]."""
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


def read(source: Path) -> DataSet | None:
    """
    Return a run, ``None`` if there is none in the folder or file.

    :raises ParameterError: for files that are wrong.
    """
    if source.suffix == '.npz':
        return _of_arrays(source)
    bags = sorted(source.glob('*.db3'))
    try:
        return _of_bags(source, bags) if bags else None
    except (sqlite3.Error, struct.error, ValueError, TypeError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(f'{source}: {bags[0].name}: {error}') from None


def _of_bags(source: Path, bags: list[Path]) -> DataSet:
    names = {name for bag in bags for name, in _rows(bag, 'SELECT name FROM topics')}

    def doubles(topic: str, count: int) -> Array:
        """Return the time and the last numbers of each message."""
        rows = [(stamp / 1e9, *_last(data, count))
                for bag in bags for stamp, data in _rows(bag, _QUERY, topic)]
        if not rows:
            return np.empty((0, count + 1))
        table = np.array(rows, dtype=np.float64)
        check_steps(table[:, 0], range(1, len(rows) + 1), f'message on {topic}')
        return in_order(table)

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
                                  odometry[:, [0, 1, 6, 2]], np.empty((0, 4)))
    if not robots:
        raise ParameterError(f'{source}: the bag has no topic of poses {_POSE}')
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
    return robot._replace(
        sightings=np.vstack((robot.sightings, np.array(rows).reshape(-1, 4))))


def _of_arrays(source: Path) -> DataSet:
    try:
        with np.load(source) as file:
            if sum(part.file_size for part in file.zip.infolist()) > LARGEST:
                raise ValueError(f'its arrays are larger than {LARGEST} bytes')
            arrays = {name: np.asarray(file[name], dtype=np.float64) for name in file.files}
    except Exception as error:  # noqa: BLE001 - any error of the library on a damaged file
        raise ParameterError(f'{source}: {" ".join(str(error).split())}') from None
    robots = {}
    try:
        for name, place in arrays.items():
            if found := re.fullmatch(r'optitrack_turtle0*(\d+)_pose_np', name):
                yaw = arrays[name.replace('pose', 'orientation')]
                if not len(yaw):
                    raise ParameterError(f'{source}: {name}: no rows')
                zeros = np.zeros(len(yaw))
                truth = np.column_stack((PERIOD * np.arange(len(yaw)), place, yaw, zeros))
                robots[int(found[1])] = Recorded(truth, np.empty((0, 4)), np.empty((0, 4)))
        for name, distances in arrays.items():
            if found := re.fullmatch(r'uwb_range_(\d+)_(\d+)_np', name):
                here, there = int(found[1]), int(found[2])
                robots[here] = _with(robots[here], [
                    (t, there, distance, np.nan) for t, distance
                    in zip(robots[here].truth[:, 0], distances, strict=True) if distance > 0.0])
    except (KeyError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(
            f'{source}: arrays are missing or differ in length: {error}') from None
    if not robots:
        raise ParameterError(f'{source}: no arrays optitrack_turtle01_pose_np and so on')
    return DataSet(dict(sorted(robots.items())), np.empty((0, 3)))
