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

"""The covariance of odometry, against the errors of many robots on one path."""

import math
from typing import Any

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.simulation.motion import advance
from leader_election.simulation.odometry import (
    ErroneousOdometry,
    Odometry,
    OdometryCovariance,
    velocities_between,
)
from leader_election.simulation.parameters import (
    GazeboOdometryParameters,
    OdometryErrorParameters,
    WorldParameters,
)
from leader_election.simulation.world import World
import numpy as np
import pytest

ROBOTS = 1000
DT = 0.1


def after(seconds: float, **errors: Any) -> tuple[np.ndarray, np.ndarray]:
    """
    Return the errors of poses after a path with turns, and their covariances.

    The last covariance is that along the true path, the others are along each robot's own.
    """
    parameters = OdometryErrorParameters(**errors)
    odometry = Odometry(ROBOTS, parameters, np.random.default_rng(4))
    covariance = OdometryCovariance(ROBOTS + 1, parameters)
    true = np.zeros((1, 3))
    for step in range(round(seconds / DT)):
        velocities = np.array([[0.5, 0.8 * np.sin(step / 40) + 0.1]])
        headings = odometry.poses[:, 2]
        odometry.step(np.repeat(velocities, ROBOTS, axis=0), DT)
        covariance.step(np.append(headings, true[:, 2]),
                        np.vstack((odometry.velocities, velocities)), DT)
        true = advance(true, velocities, DT)
    return odometry.poses - true, covariance.poses


@pytest.mark.parametrize('errors', [
    {'linear_scale_error': 0.05}, {'angular_scale_error': 0.01}, {'angular_bias': 0.001},
    {'linear_noise': 0.05}, {'angular_noise': 0.02},
    {'linear_scale_error': 0.03, 'angular_scale_error': 0.01, 'angular_bias': 0.002,
     'linear_noise': 0.02, 'angular_noise': 0.01}])
def test_covariances_equal_the_errors(errors: dict[str, Any]) -> None:
    found, covariances = after(30.0, **errors)
    expected = covariances[-1]
    true = np.cov(found.T)
    deviations = np.sqrt(np.diag(expected))
    # 1000 robots tell a variance to 4 %. The first order costs some more.
    assert np.sqrt(np.diag(true)) == pytest.approx(deviations, rel=0.1, abs=1e-3)
    assert true == pytest.approx(expected, rel=0.2, abs=0.05 * np.max(expected))


def test_normalised_error_has_three_degrees_of_freedom() -> None:
    found, covariances = after(30.0, linear_scale_error=0.03, angular_scale_error=0.01,
                               angular_bias=0.002, linear_noise=0.02, angular_noise=0.01)
    normalised = np.einsum('ni,nij,nj->n', found, np.linalg.inv(covariances[:-1]), found)
    assert np.mean(normalised) == pytest.approx(3.0, rel=0.15)


def test_velocities_have_variances() -> None:
    covariance = OdometryCovariance(1, OdometryErrorParameters(
        linear_scale_error=0.1, angular_bias=0.2, linear_noise=0.3))
    covariance.step(np.zeros(1), np.array([[2.0, 1.0]]), 0.25)
    assert covariance.velocities.tolist() == [pytest.approx([0.04 + 0.09 / 0.25, 0.04])]


def test_odometry_from_logs_has_the_noise_that_robots_assume() -> None:
    covariance = OdometryCovariance(1, OdometryErrorParameters(), LocalisationParameters())
    assert not covariance.exact
    for _ in range(40):
        covariance.step(np.zeros(1), np.array([[-1.0, 0.0]]), 0.1)
    (found,) = covariance.poses
    # After four metres straight back: twice the deviation of one.
    assert np.sqrt(np.diag(found)[[0, 2]]) == pytest.approx([0.12, 0.06])


@pytest.mark.parametrize(('source', 'exact'), [('truth', True), ('odometry', False)])
def test_replay_of_true_poses_is_exact(source: str, exact: bool) -> None:
    world = World(WorldParameters(logs='physics5', odom_source=source, linear_noise=0.1))
    world.step()
    assert world.covariance.exact == exact


def test_odometry_is_exact_without_errors() -> None:
    covariance = OdometryCovariance(2, OdometryErrorParameters())
    covariance.step(np.zeros(2), np.ones((2, 2)), 0.1)
    assert covariance.exact and not covariance.poses.any() and not covariance.velocities.any()


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
