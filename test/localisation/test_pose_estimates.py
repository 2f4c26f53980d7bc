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

"""Estimates of poses: scale errors of odometry, kept over a restart, slip, and mirrored poses."""

from collections import Counter
import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.localisation.cooperative import CooperativeSource
from leader_election.localisation.neighbourhood_filter import NeighbourhoodFilter
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.pose_estimates import (
    corrected,
    Factors,
    slopes,
    START,
    WALK,
)
from leader_election.localisation.poses import compose, PlanePose
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.slip import END, FRESH, PUSHED, SlipDetector
from localisation.simulation import Neighbourhood
import numpy as np
import pytest

ORIGIN = (0.0, 0.0, 0.0)
CERTAIN = (1e-3, 1e-3)
LANDMARKS = {8: (0.0, 3.0), 9: (6.0, -3.0)}
numbers = st.floats(-1.0, 1.0)


@given(st.tuples(numbers, numbers, numbers), st.tuples(
    st.floats(0.6, 1.5), st.floats(0.6, 1.5), st.floats(-0.3, 0.3), numbers))
def test_slopes_equal_numeric_derivatives(motion: PlanePose, factors: tuple[float, ...]) -> None:
    def at(values: np.ndarray) -> np.ndarray:
        return np.array(corrected(motion, Factors(*values)))

    small, given_at = 1e-6, np.array(factors)
    numeric = np.column_stack([(at(given_at + small * axis) - at(given_at - small * axis))
                               / (2.0 * small) for axis in np.eye(4)])
    np.testing.assert_allclose(slopes(motion, Factors(*factors)), numeric, atol=1e-8)


def drive(own: NeighbourhoodFilter, factors: Factors, motion: PlanePose, seconds: int,
          bearings: bool) -> PlanePose:
    """Drive robot 1 with these motions by odometry, let it see landmarks, and return its pose."""
    truth = reported = ORIGIN
    for now in range(1, seconds + 1):
        reported = compose(reported, motion)
        truth = compose(truth, corrected(motion, factors))
        own.move(1, reported, float(now))
        own.see([
            (1, Sighting(
                landmark, math.dist(truth[:2], place),
                math.remainder(math.atan2(place[1] - truth[1], place[0] - truth[0]) - truth[2],
                               2.0 * math.pi) if bearings else math.nan))
            for landmark, place in LANDMARKS.items()], float(now))
    return truth


def alone() -> NeighbourhoodFilter:
    """Return a filter with robot 1, which knows where it starts."""
    own = NeighbourhoodFilter(LocalisationParameters(), 3.0, LANDMARKS, Counter())
    own.add(1, ORIGIN, CERTAIN, ORIGIN, 0.0)
    return own


def test_distance_factor_is_found_by_ranges_on_a_straight_line() -> None:
    own = alone()
    # A minute: the noise of distances begins high.
    truth = drive(own, Factors(distance=0.8), (0.2, 0.0, 0.0), 60, bearings=False)
    assert own.factors(1).distance == pytest.approx(0.8, abs=0.03), 'half a prior deviation of 0.1'
    assert own.factors(1).turn == 1.0, 'nothing is said of turns on a straight line'
    assert own.pose(1)[:2] == pytest.approx(truth[:2], abs=0.1), 'the noise of one range'
    deviation = math.sqrt(own.factor_variances(1)[0])
    assert abs(own.factors(1).distance - 0.8) < 3.0 * deviation < 3.0 * START.distance / 2.0


@pytest.mark.parametrize('factors, motion, error', [
    (Factors(turn=0.74), (0.0, 0.0, 0.4), (0.01, 0.03, 0.02, 1e-9)),
    (Factors(trim=0.1), (0.2, 0.0, 0.0), (0.03, 0.03, 0.02, 1e-9))])
def test_bearings_separate_turn_factor_and_trim(factors, motion, error) -> None:
    own = alone()
    drive(own, factors, motion, 60, bearings=True)
    assert (np.abs(np.subtract(own.factors(1), factors)) < error).all()


def test_factors_return_less_certain_when_a_robot_was_dropped() -> None:
    own = alone()
    drive(own, Factors(distance=0.8), (0.2, 0.0, 0.0), 30, bearings=False)
    factors, variances = own.factors(1), own.factor_variances(1)
    own.add(2, ORIGIN, CERTAIN, ORIGIN, 30.0)
    own.drop(1)
    own.add(1, ORIGIN, CERTAIN, ORIGIN, 40.0)
    assert own.factors(1) == factors and own.factors(2) == Factors()
    np.testing.assert_allclose(
        own.factor_variances(1),
        np.minimum(variances + 10.0 * np.square(WALK), np.square(START)), rtol=1e-12)


def test_factors_and_pose_are_loosened_when_implausible() -> None:
    own = alone()
    own.state[3] = 0.4
    own.move(1, (0.1, 0.0, 0.0), 1.0)
    assert own.factors(1) == Factors()
    assert own.covariance_of(1)[0, 0] > 1.0


def test_factors_are_at_most_as_uncertain_as_at_the_start() -> None:
    own = alone()
    own.move(1, (2e4, 0.0, 0.0), 1e6)
    np.testing.assert_allclose(np.sqrt(own.factor_variances(1)), START)


@pytest.mark.parametrize('noise', [0.0, 0.002])
def test_factors_stay_for_ten_minutes_when_parked(noise: float) -> None:
    own = alone()
    drive(own, Factors(turn=0.8), (0.0, 0.0, 0.4), 30, bearings=True)
    factors, variances, (x, y, yaw) = own.factors(1), own.factor_variances(1), own.odometry(1)
    for second in range(600):
        own.move(1, (x + noise * (second % 2), y, yaw), 31.0 + second)
    assert own.factors(1) == factors
    np.testing.assert_array_equal(own.factor_variances(1), variances)


def test_offsets_of_radios_are_found_when_all_ranges_are_too_long() -> None:
    swarm = Neighbourhood(4, 1, bias=0.4)
    errors: list[float] = []
    for now in swarm.run(60):
        errors += swarm.errors([1, 2, 3, 4])[0] if now > 30.0 else []
    assert abs(np.mean(errors)) < 0.1, 'a quarter of the error of ranges'
    for robot in swarm.robots.values():
        factors, deviations = robot.odometry_factors
        assert factors.offset == pytest.approx(0.2, abs=3.0 * deviations.offset)
        assert deviations.offset < START.offset / 2.0


def test_common_turn_of_the_frame_stays_unobserved_by_mutual_sightings() -> None:
    """Two robots drive round each other."""
    own = NeighbourhoodFilter(LocalisationParameters(), 3.0, {}, Counter())
    rng = np.random.default_rng(4)
    heading = 0.1
    truth = {1: (0.0, 0.0, 0.0), 2: (2.0, 0.0, 2.0)}
    for robot, pose in truth.items():
        own.add(robot, pose, (1e-3, 1e-3), pose, 0.0)
    # Both are turned by the same unknown angle.
    common = np.zeros(len(own.state))
    common[[2, 8]] = heading
    own.covariance += np.outer(common, common)
    reported = dict(truth)
    for now in range(1, 61):
        for robot, turn in ((1, 0.2), (2, -0.3)):
            motion = (0.1, 0.0, turn)
            truth[robot] = compose(truth[robot], motion)
            noisy = (0.1 + rng.normal(0.0, 0.02), 0.0, turn + rng.normal(0.0, 0.08))
            reported[robot] = compose(reported[robot], noisy)
            own.move(robot, reported[robot], float(now))
        for one, other in ((1, 2), (2, 1)):
            (x, y, yaw), there = truth[one], truth[other]
            own.see([(one, Sighting(
                other, math.dist((x, y), there[:2]) + rng.normal(0.0, 0.1),
                math.remainder(math.atan2(there[1] - y, there[0] - x) - yaw
                               + rng.normal(0.0, 0.04), 2.0 * math.pi)))], float(now))
    assert min(own.covariance_of(robot)[2, 2] for robot in (1, 2)) > heading ** 2


# Slip: its signs, the variances that it adds, and the correction by ranges.

DT = 0.1
AHEAD = (0.05, 0.0, 0.0)


def slip_variances(detector: SlipDetector, motion: tuple[float, float, float], begin: float,
                   seconds: float, touched: bool = False, rate: float = math.nan,
                   ) -> tuple[float, float]:
    """Return the sums of the variances over a time of equal motions."""
    found = [0.0, 0.0]
    for k in range(1, round(seconds / DT) + 1):
        now = begin + k * DT
        detector.touch(touched, now)
        detector.turn(rate, now)
        for i, variance in enumerate(detector.variances(motion, DT, now)):
            found[i] += variance
    return found[0], found[1]


@pytest.mark.parametrize(('motion', 'touched', 'slips'), [
    (AHEAD, True, True), (AHEAD, False, False), ((-0.05, 0.0, 0.0), True, False),
    ((0.0, 0.0, 0.2), True, False), ((0.001, 0.0, 0.0), True, False)])
def test_slip_is_found_when_the_bumper_touches_while_driving_forward(
        motion: tuple[float, float, float], touched: bool, slips: bool) -> None:
    detector = SlipDetector()
    assert (slip_variances(detector, motion, 0.0, 2.0, touched)[0] > 0.0) == slips
    assert detector.count == slips


@given(st.lists(st.floats(0.003, 0.1), min_size=1, max_size=30))
def test_slip_adds_the_whole_way_to_the_deviation(ways: list[float]) -> None:
    detector = SlipDetector()
    position = heading = 0.0
    for k, way in enumerate(ways):
        detector.touch(True, k * DT)
        one, other = detector.variances((way, 0.0, 0.01), DT, k * DT)
        assert one >= 0.0 and other >= 0.0
        position, heading = position + one, heading + other
    assert math.sqrt(position) == pytest.approx(sum(ways))
    assert math.sqrt(heading) == pytest.approx(0.01 * len(ways) + PUSHED * sum(ways))


def test_slip_ends_when_the_bumper_is_silent() -> None:
    detector = SlipDetector()
    one, _ = slip_variances(detector, AHEAD, 0.0, 1.0, touched=True)
    assert detector.variances(AHEAD, DT, 1.0 + FRESH + 0.1) == (0.0, 0.0)
    assert slip_variances(detector, AHEAD, 1.6, END + 0.1) == (0.0, 0.0)
    other, _ = slip_variances(detector, AHEAD, 4.0, 1.0, touched=True)
    assert other == pytest.approx(one) and detector.count == 2


@pytest.mark.parametrize(('turn', 'rate', 'slips'), [
    (0.1, 1.0, False), (0.1, 0.95, False), (0.1, 0.0, True), (0.0, -0.5, True),
    (0.1, math.nan, False), (0.0, 0.05, False)])
def test_slip_is_found_when_the_gyroscope_contradicts_the_wheels(
        turn: float, rate: float, slips: bool) -> None:
    detector = SlipDetector()
    _, heading = slip_variances(detector, (0.0, 0.0, turn), 0.0, 5.0, rate=rate)
    assert (detector.count == 1) == slips == (heading > 0.0)
    if slips:
        assert math.sqrt(heading) > 0.8 * 4.0 * abs(turn)


def pushing(knows: bool) -> tuple[CooperativeSource, Counter[str]]:
    """Return robot 1 after it pushed against a wall, with exact ranges of landmarks."""
    counts = Counter[str]()
    places = {10: (3.0, 0.0, 0.0), 11: (0.0, 3.0, 0.0), 12: (-3.0, -1.0, 0.0)}
    robot = CooperativeSource(1, LocalisationParameters(), expiry=3.0, top_speed=1.0,
                              counts=counts, landmarks=places)
    for k in range(100):
        now = k * DT
        # Between 2 and 6 s wheels turn at 1 m/s, and the robot stands at the origin all the time.
        robot.slip.touch(knows and 20 <= k < 60, now)
        robot.take_odometry((0.1 * min(max(k - 20, 0), 40), 0.0), 0.0, now)
        robot.take_sightings([Sighting(i, math.hypot(x, y) + 0.001 * (k % 2))
                              for i, (x, y, _) in places.items()], now)
        if k % 10 == 0:
            robot.begin_round(now)
    return robot, counts


def test_ranges_are_used_when_they_contradict_odometry_after_a_slip() -> None:
    robot, counts = pushing(knows=True)
    assert counts['sightings_rejected'] == 0 and counts['slips'] == 1
    assert robot.pose is not None and math.hypot(*robot.pose[:2]) < 0.15
    blind, counts = pushing(knows=False)
    assert counts['sightings_rejected'] > 3


@pytest.mark.parametrize(('robots', 'camera', 'ambiguous'), [
    (3, False, True), (4, False, False), (3, True, False)])
def test_poses_are_ambiguous_when_three_robots_have_ranges_alone(
        robots: int, camera: bool, ambiguous: bool) -> None:
    swarm = Neighbourhood(robots, 4, camera=camera, reach=8.0, odometry_noise_turn=1.2)
    own = swarm.robots[1]
    now = next((now for now in swarm.run(60) if own.is_ambiguous), None)
    assert (now is not None) == ambiguous and math.isfinite(own.deviation)
    if now is not None:
        assert own.claimed(now) is None and own.values(now)['pose_covariance'] == 'ambiguous'
        assert own.text(now).endswith('a fourth robot, bearings or motion decide')
