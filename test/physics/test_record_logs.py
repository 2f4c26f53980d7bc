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

"""The recorder of the package's logs."""

from pathlib import Path

from benchmarks.record_logs import landmarks, record, ROBOTS
from leader_election.simulation.kinematics import advance
from leader_election.simulation.logged_sightings import read_landmarks, read_sightings
from leader_election.simulation.robot_logs import read_logs
import numpy as np


def test_landmarks_are_on_the_walls_and_are_not_robots() -> None:
    places = np.array(list(landmarks().values()))
    assert min(landmarks()) == ROBOTS + 1 and len(np.unique(places, axis=0)) == len(places)
    assert np.all(np.isclose(np.abs(places), [2.5, 3.5]).any(axis=1))


def test_recorded_folder_holds_logs_with_sightings(tmp_path: Path) -> None:
    record(10.0, 1, tmp_path)
    logs = read_logs(str(tmp_path))
    assert len(logs) == ROBOTS and all(len(log.t) == 101 for log in logs)
    for log in logs:
        reckoned = log.poses[:1]
        for velocity in log.velocities[:-1]:
            reckoned = advance(reckoned, velocity[np.newaxis], 0.1)
        error = np.hypot(*(reckoned - log.poses[-1])[0, :2])
        assert 0.0 < error < 0.3 and np.hypot(*(log.poses[-1] - log.poses[0])[:2]) > 0.1
    assert read_landmarks(str(tmp_path / 'measurements' / 'landmarks.csv')).keys() == \
        landmarks().keys()
    seen = read_sightings(str(tmp_path), range(1, ROBOTS + 1))
    assert set(seen[:, 1].tolist()) <= set(range(5)) and seen[:, 2].max() > ROBOTS
