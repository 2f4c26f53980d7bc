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

"""Recordings of robots whose noise is known, exactly as the filter takes it to be."""

from leader_election.localisation.noise import odometry_covariance
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import compose
from leader_election.localisation.recorded_errors import Recorded
import numpy as np

STEP = 1.0
"""Between two rows of the recording [s]."""
NOISE = LocalisationParameters(
    odometry_noise_position=0.04, odometry_noise_turn=0.12, odometry_noise_heading=0.05,
    odometry_noise_rest=0.005, range_noise=0.08, range_noise_scale=0.03, bearing_noise=0.02)


def recorded(noise: LocalisationParameters, seed: int = 0, robots: int = 5,
             length: int = 900, every: int = 1, outliers: float = 0.0,
             rest: float = 0.2, bias: float = 0.0) -> dict[int, Recorded]:
    """
    Return robots that drive, turn and rest, and see each other.

    :param noise: of their odometry and sightings.
    :param length: [s].
    :param every: each pair is seen at this interval [s].
    :param outliers: the part of sightings that is far off.
    :param rest: the part of the time at which a robot stands still.
    :param bias: of ranges [m].
    """
    rng = np.random.default_rng(seed)
    tracks = {robot: _track(rng, noise, length, rest) for robot in range(1, robots + 1)}
    found = {}
    for robot, (odometry, truth) in tracks.items():
        rows = []
        for second in range(1, length):
            for other, (_, there) in tracks.items():
                if other == robot or (second + robot + other) % every:
                    continue
                x, y = there[second, 1:3] - truth[second, 1:3]
                distance = float(np.hypot(x, y))
                deviation = np.hypot(noise.range_noise, noise.range_noise_scale * distance)
                measured = distance + bias + deviation * rng.normal()
                if rng.random() < outliers:
                    measured += 2.0 + rng.exponential(2.0)
                rows.append((float(second), float(other), measured,
                             np.arctan2(y, x) - truth[second, 3]
                             + noise.bearing_noise * rng.normal()))
        found[robot] = Recorded(odometry, truth, np.reshape(rows, (-1, 4)))
    return found


def _track(rng: np.random.Generator, noise: LocalisationParameters, length: int,
           rest: float) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of t, x, y, yaw by odometry, and of the true pose."""
    pose = by_odometry = (*rng.uniform(0.0, 10.0, 2).tolist(), rng.uniform(-3.0, 3.0))
    yaw = true_yaw = by_odometry[2]
    odometry, truth = [(0.0, *by_odometry)], [(0.0, *pose)]
    action = 0
    for second in range(1, length + 1):
        if second % 7 == 0:
            action = 0 if rng.random() < rest else int(rng.integers(1, 4))
        motion = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, 0.0, 0.6), (0.3, 0.0, 0.2)][action]
        error = rng.multivariate_normal(
            np.zeros(3), odometry_covariance(motion, STEP, noise), method='eigh')
        true_motion = tuple(np.add(motion, error).tolist())
        by_odometry, pose = compose(by_odometry, motion), compose(pose, true_motion)
        yaw, true_yaw = yaw + motion[2], true_yaw + true_motion[2]
        odometry.append((float(second), *by_odometry[:2], yaw))
        truth.append((float(second), *pose[:2], true_yaw))
    return np.array(odometry), np.array(truth)
