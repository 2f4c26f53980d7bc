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

"""Slip: what shows it, how much odometry is doubted, and how ranges then locate the robot."""

from collections import Counter
import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.localisation.localisation import Localisation
from leader_election.localisation.noise import PUSHED
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.sighting import Sighting
from leader_election.localisation.slip import END, FRESH, SlipDetector
import pytest

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


def test_by_odometry_alone_the_deviation_grows() -> None:
    robot = Localisation(1, LocalisationParameters(), cooperates=False, expiry=3.0, top_speed=1.0,
                         counts=Counter())
    for k in range(21):
        robot.slip.touch(True, k * DT)
        robot.take_odometry((0.05 * k, 0.0, 0.0), k * DT)
    robot.begin_round(2.0)
    assert robot.deviation > 1.0
