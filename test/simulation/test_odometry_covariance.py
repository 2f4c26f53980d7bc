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

from typing import Any

from leader_election.localisation.parameters import LocalisationParameters
from leader_election.simulation.kinematics import advance, Odometry
from leader_election.simulation.odometry_covariance import OdometryCovariance
from leader_election.simulation.odometry_parameters import OdometryErrorParameters
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.world import World
import numpy as np
import pytest

ROBOTS = 2000
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
    {'linear_noise': 0.05}, {'angular_noise': 0.02}, {'distance_factor': (0.9, 1.1)},
    {'turn_factor': (0.98, 1.02)},
    {'linear_scale_error': 0.03, 'angular_scale_error': 0.01, 'angular_bias': 0.002,
     'linear_noise': 0.02, 'angular_noise': 0.01}])
def test_covariances_are_what_the_errors_are(errors: dict[str, Any]) -> None:
    found, covariances = after(30.0, **errors)
    expected = covariances[-1]
    true = np.cov(found.T)
    deviations = np.sqrt(np.diag(expected))
    # 2000 robots tell a variance to 3 %; the first order costs some more.
    assert np.sqrt(np.diag(true)) == pytest.approx(deviations, rel=0.1, abs=1e-3)
    assert true == pytest.approx(expected, rel=0.2, abs=0.05 * np.max(expected))


def test_the_normalised_error_is_that_of_three_degrees_of_freedom() -> None:
    found, covariances = after(30.0, linear_scale_error=0.03, angular_scale_error=0.01,
                               angular_bias=0.002, linear_noise=0.02, angular_noise=0.01)
    normalised = np.einsum('ni,nij,nj->n', found, np.linalg.inv(covariances[:-1]), found)
    assert np.mean(normalised) == pytest.approx(3.0, rel=0.15)


def test_velocities_have_variances() -> None:
    covariance = OdometryCovariance(1, OdometryErrorParameters(
        linear_scale_error=0.1, angular_bias=0.2, linear_noise=0.3))
    covariance.step(np.zeros(1), np.array([[2.0, 1.0]]), 0.25)
    assert covariance.velocities.tolist() == [pytest.approx([0.04 + 0.09 / 0.25, 0.04])]


def test_odometry_out_of_logs_has_the_noise_that_robots_assume() -> None:
    covariance = OdometryCovariance(1, OdometryErrorParameters(), LocalisationParameters())
    assert not covariance.exact
    for _ in range(40):
        covariance.step(np.zeros(1), np.array([[-1.0, 0.0]]), 0.1)
    (found,) = covariance.poses
    # After four metres straight back: twice the deviation of one.
    assert np.sqrt(np.diag(found)[[0, 2]]) == pytest.approx([0.12, 0.06])


@pytest.mark.parametrize(('source', 'exact'), [('truth', True), ('odometry', False)])
def test_a_replay_of_true_poses_is_exact(source: str, exact: bool) -> None:
    world = World(WorldParameters(logs='physics5', odom_source=source, linear_noise=0.1))
    world.step()
    assert world.covariance.exact == exact


def test_without_errors_odometry_is_exact() -> None:
    covariance = OdometryCovariance(2, OdometryErrorParameters())
    covariance.step(np.zeros(2), np.ones((2, 2)), 0.1)
    assert covariance.exact and not covariance.poses.any() and not covariance.velocities.any()
