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

"""Odometry with errors, of robots of the embedded world and of a simulator."""

import math

from leader_election.simulation.motion import advance
from leader_election.simulation.odometry import (
    ErroneousOdometry,
    Odometry,
    velocities_between,
)
from leader_election.simulation.parameters import (
    GazeboOdometryParameters,
    OdometryErrorParameters,
)
import numpy as np
import pytest

DT = 0.1


def path(steps: int = 200) -> list[tuple[float, float, float]]:
    """Return the poses of a robot that drives and turns, also backwards and through pi."""
    pose, poses = np.array([[0.3, -0.2, 3.0]]), []
    for k in range(steps):
        poses.append(tuple(pose[0].tolist()))
        pose = advance(pose, np.array([[0.4 * math.cos(k / 9), 0.8 + math.sin(k / 30)]]), DT)
        pose[:, 2] = (pose[:, 2] + math.pi) % (2 * math.pi) - math.pi
    return poses


def driven(parameters: OdometryErrorParameters, robot: str = 'robot_1',
           seed: int = 0) -> list[tuple[float, float, float]]:
    odometry = ErroneousOdometry(parameters, seed, robot)
    made = []
    for k, pose in enumerate(path()):
        assert odometry.take(k * DT, pose)
        made.append(tuple(odometry.poses[0].tolist()))
    return made


def test_received_odometry_has_the_errors_of_the_embedded_world() -> None:
    """The seed and the true motion are equal."""
    parameters = OdometryErrorParameters(
        linear_scale_error=0.1, angular_scale_error=0.1, angular_bias=0.02, linear_noise=0.03,
        angular_noise=0.02)
    import zlib
    world = Odometry(1, parameters, np.random.default_rng([7, 2, zlib.crc32(b'alice')]))
    poses = np.array(path())[:, np.newaxis]
    world.poses = poses[0].copy()
    for before, after in zip(poses, poses[1:]):
        world.step(velocities_between(before, after, DT), DT)
    assert driven(parameters, 'alice', 7)[-1] == pytest.approx(tuple(world.poses[0]))


def test_errors_differ_between_robots_and_seeds() -> None:
    drift = GazeboOdometryParameters()
    assert driven(drift) == driven(drift)
    ends = {driven(drift)[-1], driven(drift, 'robot_2')[-1], driven(drift, seed=1)[-1]}
    assert len(ends) == 3
    off = math.dist(driven(drift)[-1][:2], path()[-1][:2])
    assert 0.01 < off < 2.0


def test_message_of_the_same_time_is_ignored_and_time_may_go_back() -> None:
    odometry = ErroneousOdometry(GazeboOdometryParameters(), 0, 'robot_1')
    assert odometry.take(5.0, (1.0, 2.0, 0.5))
    assert odometry.poses.tolist() == [[1.0, 2.0, 0.5]]
    assert odometry.take(5.1, (1.1, 2.0, 0.5))
    assert not odometry.take(5.1, (1.1, 2.0, 0.5))
    assert odometry.take(0.1, (0.0, 0.0, 0.0))
    assert odometry.poses.tolist() == [[0.0, 0.0, 0.0]]
