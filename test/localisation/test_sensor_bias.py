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

"""Constant errors of sensors, in simulated swarms whose truth is known."""

from collections import Counter
import math

from leader_election.localisation.block import from_invariant, POSE, SIZE
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import compose, wrap
from leader_election.localisation.sensor_bias import BiasEstimate, SensorBias
from leader_election.localisation.sighting import Sighting
from localisation.drifting import Swarm
import numpy as np
import pytest


def of_ranges(biases: list[SensorBias]) -> tuple[SensorBias, SensorBias]:
    """Return the errors of ranges: the own sensor's, the others'."""
    own, others, *bearings = biases
    assert (own.bearing, own.own, others.bearing, others.own) == (False, True, False, False)
    assert [b.bearing for b in bearings] == [True, True]
    return own, others


@pytest.mark.parametrize('bias', [0.2, -0.2])
def test_an_error_of_all_ranges_is_found_within_five_minutes(bias: float) -> None:
    """The geometry of the swarm absorbs most of it: means of innovations hardly show it."""
    swarm = Swarm(4, seed=1, sensor=lambda i, j, distance, bearing: (distance + bias, bearing))
    swarm.run(300.0)
    for robot in swarm.robots.values():
        for found in of_ranges(robot.biases):
            assert found.significant and found.error == pytest.approx(bias, abs=0.1)
        assert abs(robot.statistics.mean) < 0.3


def test_a_single_wrong_sensor_is_told_from_the_others() -> None:
    swarm = Swarm(4, seed=2, sensor=lambda i, j, distance, bearing: (
        distance + (0.2 if i == 3 else 0.0), bearing))
    swarm.run(120.0)
    for i, robot in swarm.robots.items():
        own, others = of_ranges(robot.biases)
        if i == 3:
            assert own.significant and own.error == pytest.approx(0.2, abs=0.1)
        else:
            assert abs(own.error) < 0.1
        # The mean of three others, of which one may be the wrong one.
        assert others.error == pytest.approx(0.0 if i == 3 else 0.2 / 3.0, abs=0.1)


def test_a_camera_that_is_turned_is_measured_within_five_minutes() -> None:
    found = 0
    for seed in (3, 4, 5):
        swarm = Swarm(3, seed=seed, bearings=True, sensor=lambda i, j, distance, bearing: (
            distance, bearing + (0.2 if i == 2 else 0.0)))
        swarm.run(300.0)
        turned = swarm.robots[2].biases[2]
        assert turned.own and turned.bearing
        assert turned.error == pytest.approx(0.2, abs=0.05)
        assert not swarm.robots[1].biases[2].significant
        found += turned.significant
    # The noise of its own odometry, which grows by the same innovations, hides it for a time.
    assert found >= 2


def test_honest_sensors_are_not_suspected_in_twelve_minutes() -> None:
    """Asked every ten seconds."""
    swarm = Swarm(3, seed=4)
    for _ in range(72):
        swarm.run(10.0)
        for robot in swarm.robots.values():
            assert [each for each in robot.biases
                    if each.significant and abs(each.error) > 0.1] == []


def test_without_sightings_nothing_is_known() -> None:
    for found in BiasEstimate().estimates():
        assert (found.error, found.deviation, found.significant) == (0.0, 1.0, False)


def test_updates_by_a_sensor_soon_after_each_other_count_once() -> None:
    """One measurement of what is known exactly: innovation and error are the same."""
    def after(*times: float) -> SensorBias:
        estimate = BiasEstimate()
        estimate.add()
        for now in times:
            estimate.begin(1, now)
            # A deviation of 0.1 m.
            estimate.take(np.array([[10.0, 0.0, 0.0, 0.0]]), np.array([5.0]), np.zeros((1, SIZE)))
        return estimate.estimates()[0]

    once, soon, later = after(0.0), after(0.0, 1.0, 4.9), after(0.0, 5.0)
    assert once.error == pytest.approx(0.5, abs=0.01)
    assert once.deviation == pytest.approx(0.1, rel=0.01)
    assert soon.deviation == pytest.approx(once.deviation, rel=0.03)
    assert later.deviation == pytest.approx(once.deviation / 2 ** 0.5, rel=0.03)


def test_a_robot_that_goes_leaves_the_others_rows() -> None:
    estimate = BiasEstimate()
    for _ in range(3):
        estimate.add()
    estimate.sensitivity[:] = np.arange(3.0 * SIZE)[:, np.newaxis]
    estimate.drop(2, np.r_[:SIZE, 2 * SIZE:3 * SIZE])
    assert estimate.sensitivity[:, 0].tolist() == [
        *range(SIZE), *range(2 * SIZE, 3 * SIZE)]


def test_a_factor_that_is_off_carries_the_place_along() -> None:
    estimate = BiasEstimate()
    estimate.add()
    estimate.sensitivity[3] = 2.0
    estimate.move(0, np.array(((0.5, 0.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 0.0))))
    assert estimate.sensitivity[:, 0].tolist() == [1.0, -2.0, 0.0, 2.0, 0.0, 0.0]


@pytest.mark.parametrize('bearings', [False, True])
@pytest.mark.parametrize('kind', [0, 1, 2, 3])
def test_the_sensitivity_is_by_how_much_an_error_pulls_the_filter(
        kind: int, bearings: bool) -> None:
    """The same sightings without noise, and with a small error of one kind: the difference."""
    if kind >= 2 and not bearings:
        pytest.skip('there is no error of bearings without bearings')

    def after(error: float) -> tuple[np.ndarray, np.ndarray]:
        counts = Counter[str]()
        estimate = NeighbourhoodFilter(LocalisationParameters(), 3.0, {9: (5.0, 4.0)}, counts)
        truth = {1: (0.0, 0.0, 0.3), 2: (2.0, 0.5, -1.0), 3: (0.5, 2.5, 2.0), 4: (3.0, 3.0, 0.5)}
        for i, pose in truth.items():
            estimate.add(i, pose, (0.2, 0.1), pose, 0.0)
        for now in range(1, 12):
            for i, pose in truth.items():
                truth[i] = compose(pose, (0.2, 0.0, 0.1 * i))
                estimate.move(i, truth[i], float(now))
            if now == 6:
                estimate.drop(3)
                del truth[3]
            for i, (x, y, yaw) in truth.items():
                off = error * (kind % 2 == (i != 1))
                estimate.see([(i, Sighting(
                    j, math.dist((x, y), there) + off * (kind < 2),
                    wrap(math.atan2(there[1] - y, there[0] - x) - yaw + off * (kind >= 2))
                    if bearings else math.nan))
                    for j, there in {**{j: p[:2] for j, p in truth.items()}, 9: (5.0, 4.0)}.items()
                    if j != i], float(now))
        assert counts['sightings_rejected'] == 0
        # Sensitivities are of invariant errors; those of the state are wanted.
        errors = estimate.bias.sensitivity[:, kind].reshape(-1, SIZE, 1)
        for block, first in zip(errors, range(0, len(estimate.state), SIZE)):
            block[:POSE] = from_invariant(*estimate.state[first:first + 2]) @ block[:POSE]
        return estimate.state, errors.ravel()

    exact, sensitivity = after(0.0)
    pulled, _ = after(1e-6)
    assert np.abs(sensitivity).max() > 0.05
    assert (exact - pulled) / 1e-6 == pytest.approx(sensitivity, abs=5e-3)
