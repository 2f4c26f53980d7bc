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

"""Odometry that is worse than its parameters say: more noise, and wheels that slip."""

from collections import Counter
import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.localisation.innovations import (
    FALL,
    GREATEST,
    INTERVAL,
    NoiseAdaptation,
    RISE,
    START,
)
from leader_election.localisation.localisation import Localisation
from leader_election.localisation.noise import odometry_covariance, PUSHED
from leader_election.localisation.odometry_errors import END, FRESH, SlipDetector
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.updates import Outcome
import pytest

ROBOTS, BEFORE = 5, 30.0


def outcome(error: float, accepted: bool = True) -> Outcome:
    """Return a range that tells of poses alone."""
    return Outcome(error, math.nan, accepted, 1.0)


def after(minutes: float, errors: dict[tuple[int, int], float],
          begin: float = 1.0) -> NoiseAdaptation:
    """Return factors after sightings with normalised errors, by observer and seen."""
    found = NoiseAdaptation(begin)
    for now in range(round(60.0 * minutes)):
        found.adapt(float(now))
        for pair, error in errors.items():
            found.note(*pair, outcome(error))
    found.adapt(60.0 * minutes + INTERVAL)
    return found


def test_errors_as_expected_leave_the_noise_as_it_is() -> None:
    found = after(10.0, {(2, 1): 1.0, (3, 1): -1.0, (4, 1): 1.0}, START)
    assert found.factor(1) == pytest.approx(START)


def test_small_errors_lower_the_noise_slowly_to_that_of_the_parameters() -> None:
    small = {(2, 1): 0.1, (3, 1): -0.1}
    assert after(INTERVAL / 60.0, small, START).factor(1) == pytest.approx(
        START * math.exp(-FALL))
    assert after(10.0, small, START).factor(1) == 1.0


def test_great_errors_raise_the_noise_step_by_step_to_a_bound() -> None:
    great = {(2, 1): 3.0, (3, 1): 3.0}
    once = after(INTERVAL / 60.0, great)
    assert once.factor(1) == pytest.approx(math.exp(RISE))
    assert after(30.0, great).factor(1) == pytest.approx(GREATEST)
    assert once.factor(77) == 1.0


def test_slip_that_one_robot_alone_measures_raises_the_noise_of_both() -> None:
    found = after(1.0, {(2, 1): 3.0})
    assert found.factor(1) == found.factor(2) > 1.0


@pytest.mark.parametrize(('successive', 'raised'), [(1, False), (4, True)])
def test_rejected_sightings_raise_the_noise_if_one_follows_another(
        successive: int, raised: bool) -> None:
    found = NoiseAdaptation(1.0)
    for now in range(600):
        accepted = now % (2 * successive) >= successive
        for observer in (2, 3, 4):
            found.note(observer, 1, outcome(1.0 if accepted else 20.0, accepted))
        found.adapt(float(now))
    assert (found.factor(1) > 1.0) == raised


def test_the_factor_is_of_distances_and_not_of_turns() -> None:
    table = LocalisationParameters()
    way, turn = (2.0, 0.0, 0.0), (0.0, 0.0, 2.0)
    assert odometry_covariance(way, 0.0, table, 4.0)[0, 0] == pytest.approx(
        4.0 * odometry_covariance(way, 0.0, table)[0, 0])
    assert (odometry_covariance(way, 0.0, table, 4.0)[2] == odometry_covariance(
        way, 0.0, table)[2]).all()
    assert (odometry_covariance(turn, 0.0, table, 4.0) == odometry_covariance(
        turn, 0.0, table)).all()


def test_one_wrong_sensor_does_not_raise_the_noise_of_those_that_it_sees() -> None:
    found = after(10.0, {(2, 1): 3.0, (2, 3): 3.0, (2, 4): 3.0,
                         (3, 1): 1.0, (4, 1): -1.0, (3, 4): 1.0})
    assert found.factor(1) == found.factor(3) == found.factor(4) == pytest.approx(1.0)
    assert found.factor(2) > 1.0


def test_noise_is_that_of_the_parameters_until_there_are_sightings() -> None:
    found = NoiseAdaptation()
    found.adapt(0.0)
    assert found.factor(1) == found.factor(2) == 1.0
    found.note(2, 1, outcome(1.0))
    assert found.factor(1) == found.factor(2) == pytest.approx(START)


def test_a_robot_that_is_forgotten_begins_anew() -> None:
    found = after(10.0, {(2, 1): 3.0, (3, 1): 3.0})
    found.forget(1)
    assert found.factor(1) == 1.0


# Slip: what shows it, how much odometry is doubted, and how ranges then locate the robot.

DT = 0.1
AHEAD = (0.05, 0.0, 0.0)


def doubted(detector: SlipDetector, motion: tuple[float, float, float], begin: float,
            seconds: float, touched: bool = False, rate: float = math.nan,
            ) -> tuple[float, float]:
    """Return the sums of the variances over a time of equal motions."""
    found = [0.0, 0.0]
    for k in range(1, round(seconds / DT) + 1):
        now = begin + k * DT
        detector.touch(touched, now)
        detector.turn(rate, now)
        for i, variance in enumerate(detector.doubt(motion, DT, now)):
            found[i] += variance
    return found[0], found[1]


@pytest.mark.parametrize(('motion', 'touched', 'slips'), [
    (AHEAD, True, True), (AHEAD, False, False), ((-0.05, 0.0, 0.0), True, False),
    ((0.0, 0.0, 0.2), True, False), ((0.001, 0.0, 0.0), True, False)])
def test_touching_while_wheels_drive_forward_is_slip(
        motion: tuple[float, float, float], touched: bool, slips: bool) -> None:
    detector = SlipDetector()
    assert (doubted(detector, motion, 0.0, 2.0, touched)[0] > 0.0) == slips
    assert detector.count == slips


@given(st.lists(st.floats(0.003, 0.1), min_size=1, max_size=30))
def test_the_deviation_of_a_slip_is_its_whole_way(ways: list[float]) -> None:
    detector = SlipDetector()
    position = heading = 0.0
    for k, way in enumerate(ways):
        detector.touch(True, k * DT)
        one, other = detector.doubt((way, 0.0, 0.01), DT, k * DT)
        assert one >= 0.0 and other >= 0.0
        position, heading = position + one, heading + other
    assert math.sqrt(position) == pytest.approx(sum(ways))
    assert math.sqrt(heading) == pytest.approx(0.01 * len(ways) + PUSHED * sum(ways))


def test_an_old_bumper_does_not_count_and_two_slips_do_not_add_up() -> None:
    detector = SlipDetector()
    one, _ = doubted(detector, AHEAD, 0.0, 1.0, touched=True)
    assert detector.doubt(AHEAD, DT, 1.0 + FRESH + 0.1) == (0.0, 0.0)
    assert doubted(detector, AHEAD, 1.6, END + 0.1) == (0.0, 0.0)
    other, _ = doubted(detector, AHEAD, 4.0, 1.0, touched=True)
    assert other == pytest.approx(one) and detector.count == 2


@pytest.mark.parametrize(('turn', 'rate', 'slips'), [
    (0.1, 1.0, False), (0.1, 0.95, False), (0.1, 0.0, True), (0.0, -0.5, True),
    (0.1, math.nan, False), (0.0, 0.05, False)])
def test_wheels_that_turn_as_the_gyroscope_does_do_not_slip(
        turn: float, rate: float, slips: bool) -> None:
    detector = SlipDetector()
    _, heading = doubted(detector, (0.0, 0.0, turn), 0.0, 5.0, rate=rate)
    assert (detector.count == 1) == slips == (heading > 0.0)
    if slips:
        assert math.sqrt(heading) > 0.8 * 4.0 * abs(turn)


def pushing(knows: bool) -> tuple[Localisation, Counter[str]]:
    """Return robot 1 after it pushed against a wall, with exact ranges of landmarks."""
    counts = Counter[str]()
    places = {10: (3.0, 0.0), 11: (0.0, 3.0), 12: (-3.0, -1.0)}
    robot = Localisation(1, LocalisationParameters(), cooperates=True, expiry=3.0, top_speed=1.0,
                         counts=counts, landmarks=places)
    for k in range(100):
        now = k * DT
        # Between 2 and 6 s wheels turn at 1 m/s, and the robot stands at the origin all the time.
        robot.slip.touch(knows and 20 <= k < 60, now)
        robot.take_odometry((0.1 * min(max(k - 20, 0), 40), 0.0, 0.0), now)
        robot.take_sightings([Sighting(i, math.hypot(x, y) + 0.001 * (k % 2))
                              for i, (x, y) in places.items()], now)
        if k % 10 == 0:
            robot.begin_round(now)
    return robot, counts


def test_ranges_that_contradict_odometry_are_believed_after_a_slip() -> None:
    robot, counts = pushing(knows=True)
    assert counts['sightings_rejected'] == 0 and counts['slips'] == 1
    assert robot.pose is not None and math.hypot(*robot.pose[:2]) < 0.15
    blind, counts = pushing(knows=False)
    assert counts['sightings_rejected'] > 3
