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

"""Odometry, true poses and sightings of robots, from a folder of logs or a recording (MCAP)."""

from collections.abc import Iterable, Sequence
import math
from pathlib import Path
import re
from typing import Any, NamedTuple

from leader_election.election.robot.sighting_sources import columns_of
from leader_election.localisation.landmarks import read_landmarks
from leader_election.localisation.recorded_errors import Array, Recorded
from leader_election.localisation.sighting import rows_of
from leader_election.simulation.logged_sightings import FOLDER as SIGHTINGS
from leader_election.simulation.logged_sightings import Landmarks, landmarks_path, read_sightings
from leader_election.simulation.robot_logs import (
    log_paths,
    LogError,
    logs_folder,
    read_log,
    RobotLog,
)
from leader_election.swarm.recording.content import (
    CLOCK,
    Clocks,
    content,
    DIAGNOSTICS,
    DiagnosticsSummary,
    ids_of,
    NUMBERS,
    ODOMETRY,
    POSE,
    POSE_WITH_COVARIANCE,
)
from leader_election.swarm.recording.options import matches
import numpy as np

SLOW = 0.5
"""The interval of poses above which a warning is given: turns are interpolated badly [s]."""


class Topics(NamedTuple):
    """The topics to read from a recording: full names, their last parts, or patterns."""

    odometry: str = 'odom'
    reference: str = 'ground_truth'
    measurements: str = 'measurements'


class NoiseInput(NamedTuple):
    """The input of an estimation of noise."""

    robots: dict[int, Recorded]
    landmarks: Landmarks
    length: float
    """[s]."""
    warnings: tuple[str, ...] = ()


# Logs.

def from_logs(logs: str, landmarks: Path | None = None) -> NoiseInput:
    """
    Read a folder of logs, and its sightings and landmarks if there are any.

    :param logs: the folder, or ``physics5``.
    :param landmarks: their file, instead of the one in the folder.
    :raises LogError: for wrong or missing logs.
    """
    with logs_folder(logs) as folder:
        paths = log_paths(folder)
        tables = [read_log(path) for path in paths]
        some = any((folder / SIGHTINGS / path.name).is_file() for path in paths)
    ids = [_number(path, k) for k, path in enumerate(paths, 1)]
    sightings = read_sightings(logs, ids) if some else np.zeros((0, 5))
    places = landmarks or landmarks_path(logs)
    robots = {
        robot: Recorded(
            _integrated(log), np.column_stack((log.t, log.poses)),
            np.delete(sightings[sightings[:, 1] == row], 1, axis=1))
        for row, (robot, log) in enumerate(zip(ids, tables))}
    return NoiseInput(robots, {} if places is None else dict(read_landmarks(str(places))),
                      max(float(log.t[-1] - log.t[0]) for log in tables))


def _number(path: Path, otherwise: int) -> int:
    digits = re.search(r'\d+$', path.stem)
    return int(digits[0]) if digits else otherwise


def _integrated(log: RobotLog) -> Array:
    """Return t and the pose by the logged velocities, from the true pose at the begin."""
    dt = np.diff(log.t)
    forward, turns = log.velocities[:-1].T * dt
    yaw = log.poses[0, 2] + np.concatenate(([0.0], np.cumsum(turns)))
    middle = yaw[:-1] + 0.5 * turns
    x, y = (start + np.concatenate(([0.0], np.cumsum(forward * part)))
            for start, part in zip(log.poses[0, :2], (np.cos(middle), np.sin(middle))))
    return np.column_stack((log.t, x, y, yaw))


# Recordings.

class _Collected:
    """The rows of one kind of topic, by namespace."""

    def __init__(self) -> None:
        self.rows: dict[str, list[tuple[float, ...]]] = {}

    def add(self, topic: str, rows: Iterable[tuple[float, ...]]) -> None:
        self.rows.setdefault(topic.strip('/').rpartition('/')[0], []).extend(rows)

    def by_id(self, names: dict[str, int], width: int) -> dict[int, Array]:
        """Return the rows of each robot in the order of time, shape (n, width)."""
        found = {}
        for namespace, robot in ids_of(self.rows, names).items():
            table = np.reshape(self.rows[namespace], (-1, width)).astype(np.float64)
            found[robot] = table[np.argsort(table[:, 0], kind='stable')]
        return found


def from_recording(path: Path, topics: Topics, landmarks: Path | None = None) -> NoiseInput:
    """
    Read a recording.

    :param path: an MCAP file, or a folder of ``ros2 bag``.
    :param topics: names of topics, in the namespaces of robots.
    :param landmarks: the file of their places.
    :raises RecordingError: if there is no recording.
    :raises LogError: where no robot has both odometry and a reference, or for wrong landmarks.
    """
    # The reader of MCAP is not installed on every robot.
    from leader_election.swarm.recording.mcap_files import Reader
    kinds = {topics.odometry: (ODOMETRY,), topics.measurements: (NUMBERS,),
             topics.reference: (ODOMETRY, POSE, POSE_WITH_COVARIANCE)}
    collected = {name: _Collected() for name in kinds}
    clocks, diagnostics, unreadable = Clocks(), DiagnosticsSummary(), 0

    def is_relevant(topic: str, kind: str) -> bool:
        return (kind in (CLOCK, DIAGNOSTICS)
                or any(kind in of and matches(topic, [name]) for name, of in kinds.items()))
    reader = Reader(path)
    for entry in reader.entries(is_relevant):
        if entry.kind == CLOCK:
            clocks.tick(entry.time, content(CLOCK, entry.message) or 0.0)
            continue
        now = clocks.advance(entry.time)
        if entry.kind == DIAGNOSTICS:
            diagnostics.add(content(DIAGNOSTICS, entry.message) or (), {})
            continue
        for name, of in kinds.items():
            if entry.kind in of and matches(entry.topic, [name]):
                try:
                    collected[name].add(entry.topic, _rows(now, entry.kind, entry.message))
                except (AttributeError, TypeError, ValueError):
                    unreadable += 1
    names = diagnostics.names
    odometry = collected[topics.odometry].by_id(names, 4)
    reference = collected[topics.reference].by_id(names, 4)
    seen = collected[topics.measurements].by_id(names, 4)
    robots = {
        robot: Recorded(_continuous(odometry[robot]), _continuous(reference[robot]),
                        seen.get(robot, np.zeros((0, 4))))
        for robot in sorted(odometry.keys() & reference.keys())
        if min(len(odometry[robot]), len(reference[robot])) > 1}
    if not robots:
        raise LogError(f'{path}: no robot has both odometry ({topics.odometry}: '
                       f'{len(odometry)} robots) and a reference ({topics.reference}: '
                       f'{len(reference)} robots)')
    # Landmarks, and robots without odometry, may be seen, too.
    return NoiseInput(robots, {} if landmarks is None else dict(read_landmarks(str(landmarks))),
                      clocks.now, tuple(_warnings(robots, unreadable + reader.unreadable)))


def _rows(now: float, kind: str, message: Any) -> list[tuple[float, ...]]:
    """Return rows of t, x, y, yaw or t, id, range, bearing from a message."""
    if kind == NUMBERS:
        columns = columns_of(message.layout.dim, len(message.data))
        return [] if columns is None else [
            (now, float(seen.id), seen.range, seen.bearing)
            for seen in rows_of(message.data, columns)]
    pose = message.pose if kind == POSE else message.pose.pose
    at, q = pose.position, pose.orientation
    yaw = math.atan2(2.0 * (q.w * q.z + q.x * q.y), 1.0 - 2.0 * (q.y * q.y + q.z * q.z))
    row = (now, float(at.x), float(at.y), yaw)
    return [row] if all(map(math.isfinite, row)) else []


def _continuous(table: Array) -> Array:
    """Return poses at times that increase, with a continuous yaw."""
    table = table[np.append(np.diff(table[:, 0]) > 0.0, True)]
    table[:, 3] = np.unwrap(table[:, 3])
    return table


def _warnings(robots: dict[int, Recorded], unreadable: int) -> Sequence[str]:
    found = []
    slow = max(float(np.median(np.diff(table[:, 0]))) for robot in robots.values()
               for table in (robot.odometry, robot.reference) if len(table) > 1)
    if slow > SLOW:
        found.append(f'poses were recorded every {slow:.1f} s only, and turns in between are not '
                     'known; record with --odom-rate 10')
    if unreadable:
        found.append(f'messages that do not match their types were left out: {unreadable}')
    return found
