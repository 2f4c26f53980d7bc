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
import random

from leader_election.localisation.block import from_invariant, POSE, SIZE
from leader_election.localisation.estimate import Estimate
from leader_election.localisation.localisation import Localisation
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.plane import compose, wrap
from leader_election.localisation.rejections import Rejections, SensorTrust
from leader_election.localisation.repeated_sightings import StillReadings
from leader_election.localisation.sensor_bias import BiasEstimate, SensorBias
from leader_election.localisation.sighting import Sighting
from localisation.drifting import Swarm
from localisation.simulation import Neighbourhood
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


# Sensors that contradict the others: noisy readings that stay the same, and trust.

HERE = (0.0, 0.0, 0.0)


def judged(turn: float, way: float, gap: float = 1.0, bearing: float = 0.0) -> list[bool]:
    """Return when readings of one place count as still, of an observer that turns."""
    sensor = StillReadings(LocalisationParameters())
    return [sensor.pose_without(
        Sighting(2, 2.0 + 0.1 * (k % 2), bearing * k), (0.0, 0.0, turn * k), HERE, way * k,
        gap * k) is not None for k in range(12)]


def test_readings_that_do_not_follow_a_turn_are_still():
    assert judged(0.3, 0.1)[:4] == [False] * 4
    assert all(judged(0.3, 0.1)[8:])


@pytest.mark.parametrize('setting', [
    {'turn': 0.0, 'way': 0.1}, {'turn': 0.3, 'way': 0.7}, {'turn': 0.3, 'way': 0.1, 'gap': 4.0},
    {'turn': 0.3, 'way': 0.1, 'bearing': -0.3}])
def test_readings_with_a_reason_to_stay_the_same_or_that_change_are_not(setting):
    assert not any(judged(**setting))


def test_a_robot_beyond_the_filter_may_keep_pace():
    """How far it drives is not known: it is not heard, or farther than the localised ones."""
    draw = random.Random(0)
    robot = Localisation(1, LocalisationParameters(), cooperates=True, expiry=3.0, top_speed=1.0,
                         counts=Counter())
    for k in range(60):
        robot.take_odometry((0.3 * k, 0.0, 0.0), 1.0 * k)
        robot.take_sightings([Sighting(9, draw.gauss(1.0, 0.02), 1.5)], 1.0 * k)
        robot.begin_round(1.0 * k)
        assert robot.distrusted == []


def test_a_robot_that_is_localised_again_may_have_driven_meanwhile():
    sensor = StillReadings(LocalisationParameters())
    assert not any(sensor.pose_without(
        Sighting(2, 1.0, 1.5 + 0.01 * (k % 2)), (0.3 * k, 0.0, 0.0), HERE,
        0.3 * (k % 6), 1.0 * k) for k in range(24))


def test_a_sensor_is_wrong_where_others_see_its_robot_as_expected():
    rejections, trust = Rejections(), SensorTrust()
    for k in range(4):
        rejections.note(1, 2, k, True)
        assert not rejections.is_of_sensor(1)
    for k in range(2):
        rejections.note(3, 1, 4.0 + k, False)
    assert rejections.is_of_sensor(1) and not rejections.is_of_sensor(2)
    trust.distrust(1)
    for k in range(8):
        assert trust.distrusted == [1]
        trust.judge(1, k > 1)
    assert trust.distrusted == []


def test_a_sensor_is_believed_again_by_right_readings_that_change_not_by_one_that_stays():
    robot = Localisation(1, LocalisationParameters(), cooperates=True, expiry=3.0, top_speed=1.0,
                         counts=Counter())

    def hear(k: int, y: float) -> None:
        robot.take_odometry(HERE, 1.0 * k)
        robot.hear(2, (2.0, y), Estimate((2.0, y, 0.0), 0.0, 0.1, 0.1, (Sighting(
            1, math.hypot(2.0, y) + 0.01 * (k % 2), math.atan2(-y, -2.0)),)), 1.0 * k)

    hear(0, 0.0)
    robot._filter.trust.distrust(2)
    for k in range(1, 30):
        hear(k, 0.0)
        assert robot.distrusted == [2]
    for k in range(30, 38):
        hear(k, 0.6 * (k % 2))
    assert robot.distrusted == []


class Noisy(Neighbourhood):
    """Robots with cameras; from 60 s to 160 s the last one repeats a frame, with noise on it."""

    def sightings(self, robot: int) -> list[Sighting]:
        """Return what a robot sees now, or what its sensor repeats."""
        seen = super().sightings(robot)
        if robot == self.liar:
            frame = self.__dict__.setdefault('frame', [])
            if self.now < 60.0:
                frame[:] = seen or frame
            elif self.now < 160.0:
                return [each._replace(range=each.range + float(self.rng.normal(0.0, 0.05)),
                                      bearing=each.bearing + float(self.rng.normal(0.0, 0.02)))
                        for each in frame]
        return seen


def test_the_damage_of_a_noisy_frozen_camera_stays_with_its_robot():
    errors, swarm = [], Noisy(5, 0, camera=True)
    for now in swarm.run(200):
        if 60.0 < now:
            errors += swarm.errors(range(1, 5))[0]
    assert math.sqrt(sum(error ** 2 for error in errors) / len(errors)) < 0.3
    assert swarm.counts[1]['sightings_distrusted'] > 30
