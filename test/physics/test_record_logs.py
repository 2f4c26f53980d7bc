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

"""Results of a recording in Gazebo, without Gazebo: logs, sightings, landmarks."""

from pathlib import Path

from leader_election.world.kinematics import advance
from leader_election.world.logged_sightings import read_landmarks, read_sightings
from leader_election.world.logs import read_logs
import numpy as np
from physics.record_logs import landmarks, RATE, Recorder, ROBOTS, TOPICS, velocities, write
import pytest

SECONDS = 20.0


@pytest.fixture
def poses() -> np.ndarray:
    """Return poses on a curved path, shape (rows, 3), one row more than a log has."""
    rng = np.random.default_rng(0)
    made = [np.zeros((1, 3))]
    for v, omega in rng.uniform((0.0, -1.0), (0.3, 1.0), (round(SECONDS * RATE) + 10, 2)):
        made.append(advance(made[-1], np.array([[v, omega]]), 1.0 / RATE))
    return np.concatenate(made)


def test_velocities_lead_along_the_path_of_the_wheels(poses: np.ndarray) -> None:
    there = poses[:1]
    for velocity in velocities(poses)[:-1]:
        there = advance(there, velocity[np.newaxis], 1.0 / RATE)
    assert there[0] == pytest.approx(poses[-1], abs=0.01)
    assert velocities(poses)[-1].tolist() == [0.0, 0.0]


def test_landmarks_are_on_the_walls_and_no_robots() -> None:
    places = np.array(list(landmarks().values()))
    assert min(landmarks()) == ROBOTS + 1 and len(np.unique(places, axis=0)) == len(places)
    assert np.all(np.isclose(np.abs(places), [2.5, 3.5]).any(axis=1))


def test_what_is_written_are_logs_with_sightings(
        ros: None, poses: np.ndarray, tmp_path: Path) -> None:
    recorder = Recorder([f'robot_{robot}' for robot in range(1, ROBOTS + 1)])
    times = 7.0 + np.arange(len(poses)) / RATE
    for topic in TOPICS:
        for robot, rows in enumerate(recorder.rows[topic]):
            apart = poses + [0.5 * robot, 0.0, 0.0]
            # As quaternions have it, yaw jumps by whole turns.
            apart[:, 2] = np.remainder(apart[:, 2] + np.pi, 2 * np.pi) - np.pi
            rows += map(tuple, np.column_stack((times, apart)).tolist())
    recorder.destroy_node()
    write(recorder, 7.0, SECONDS, tmp_path, seed=1)
    logs = read_logs(str(tmp_path))
    assert len(logs) == ROBOTS and all(len(log.t) == SECONDS * RATE + 1 for log in logs)
    assert logs[2].poses[:, :2] == pytest.approx(poses[:len(logs[2].t), :2] + [1.0, 0.0], abs=1e-4)
    assert read_landmarks(str(tmp_path / 'measurements' / 'landmarks.csv')).keys() == \
        landmarks().keys()
    seen = read_sightings(str(tmp_path), range(1, ROBOTS + 1))
    assert {1, 2, 3, 4, 5} & set(seen[:, 2].tolist()) and set(seen[:, 1].tolist()) <= set(range(5))
