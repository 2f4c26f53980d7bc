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

"""Ranges between the antennas of two robots: exact cases, mirror images, outliers, noise."""

from collections import Counter
from collections.abc import Sequence
import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.localisation.antennas import located, of_antennas, USEFUL
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.poses import compose, PlanePose
from leader_election.localisation.sighting import (
    ANTENNAS,
    checked,
    FARTHEST,
    FARTHEST_ANTENNA,
    Sighting,
)
from leader_election.localisation.source import PoseSource
import numpy as np
import pytest

NONE = math.nan
EXACT = LocalisationParameters(range_noise=0.01, range_noise_scale=0.0)
TRIANGLE = ((0.3, 0.0), (-0.15, 0.26), (-0.15, -0.26))
AXLE = ((0.0, 0.3), (0.0, -0.3))
Places = Sequence[tuple[float, float]]


def links(pose: PlanePose, here: Places = TRIANGLE, there: Places = TRIANGLE) -> list[Sighting]:
    """Return exact ranges of robot 2 at a pose, seen from the observer."""
    return [Sighting(2, math.dist(one, compose(pose, (*other, 0.0))[:2]), here=one, there=other)
            for one in here for other in there]


@given(st.floats(0.8, 20.0), st.floats(-3.1, 3.1), st.floats(-3.1, 3.1))
def test_middle_of_a_robot_is_found_when_three_antennas_measure(
        distance: float, bearing: float, turn: float) -> None:
    pose = distance * math.cos(bearing), distance * math.sin(bearing), turn
    seen = located(links(pose), EXACT)
    assert seen.range == pytest.approx(distance, abs=1e-3)
    assert math.remainder(seen.bearing - bearing, 2.0 * math.pi) == pytest.approx(0.0, abs=1e-3)
    assert 0.0 < seen.bearing_deviation <= USEFUL and not any((*seen.here, *seen.there))


@pytest.mark.parametrize('here', [AXLE, AXLE[:1]])
def test_robot_has_a_range_alone_when_its_mirror_image_fits(here: Places) -> None:
    seen = located(links((2.0, 1.0, 0.5), here, AXLE), EXACT)
    assert math.isnan(seen.bearing)
    # The middle may be as far from the measured range as the antennas are from theirs.
    assert abs(seen.range - math.hypot(2.0, 1.0)) < seen.range_deviation < 0.5


def test_bearing_is_left_out_when_its_deviation_is_great() -> None:
    few = [(0.02, 0.0), (-0.01, 0.02), (-0.01, -0.02)]
    assert math.isnan(located(links((2.0, 1.0, 0.5), few), LocalisationParameters()).bearing)


def test_outlier_changes_the_sighting_little() -> None:
    true = links((2.0, 1.0, 0.5))
    seen = located([true[0]._replace(range=true[0].range + 3.0), *true[1:]], EXACT)
    assert seen[1:3] == pytest.approx((math.hypot(2.0, 1.0), math.atan2(1.0, 2.0)), abs=0.01)


def test_deviation_of_the_bearing_is_that_of_its_errors() -> None:
    draw, errors = np.random.default_rng(1), []
    table = LocalisationParameters(range_noise=0.05, range_noise_scale=0.0)
    for _ in range(300):
        bearing, turn = draw.uniform(-3.0, 3.0, 2).tolist()
        seen = located([each._replace(range=each.range + float(draw.normal(0.0, 0.05)))
                        for each in links((3 * math.cos(bearing), 3 * math.sin(bearing), turn))],
                       table)
        if not math.isnan(seen.bearing):
            errors.append(math.remainder(seen.bearing - bearing, 2.0 * math.pi)
                          / seen.bearing_deviation)
    assert len(errors) > 200 and 0.6 < np.mean(np.square(errors)) < 1.4


_PLACE = st.tuples(*[st.floats(-FARTHEST_ANTENNA, FARTHEST_ANTENNA)] * 2)


@given(st.lists(st.tuples(st.floats(1e-3, FARTHEST), _PLACE, _PLACE), min_size=1, max_size=40))
def test_any_ranges_give_a_valid_sighting(rows: list[tuple[float, Places, Places]]) -> None:
    seen = located([Sighting(2, far, here=here, there=there) for far, here, there in rows],
                   LocalisationParameters())
    assert checked(seen) is not None and seen.id == 2


def test_each_robot_and_moment_has_one_sighting_and_others_stay() -> None:
    others = [Sighting(5, 1.5), Sighting(6, 1.0, 0.5, here=(0.1, 0.0)),
              Sighting(2, NONE, here=(0.1, 0.0)), Sighting(2, 1.0, here=(1e9, 0.0))]
    late = [each._replace(age=1.0) for each in links((2.0, 0.0, 0.0))]
    third = [each._replace(id=3) for each in links((0.0, 2.0, 0.0))]
    found = of_antennas([*others, *links((1.0, 0.0, 0.0)), *late, *third], EXACT)
    assert found[:4] == others
    assert [(each.id, each.age, round(each.range, 2), round(each.bearing, 2) + 0.0)
            for each in found[4:]] == [
        (2, 0.0, 1.0, 0.0), (2, 1.0, 2.0, 0.0), (3, 0.0, 2.0, 1.57)]


def test_heights_count_before_antennas() -> None:
    source = PoseSource(1, EXACT, expiry=3.0, top_speed=1.0, counts=Counter())
    source.height = 1.5
    slanted = [each._replace(range=math.hypot(each.range, 1.5)) for each in links((2.0, 1.0, 0.5))]
    source._heights[2] = 0.0
    assert source.take_sightings(slanted, 0.0)[0][:3] == (
        2, pytest.approx(math.hypot(2.0, 1.0), abs=1e-3),
        pytest.approx(math.atan2(1.0, 2.0), abs=1e-3))


def test_rows_with_antennas_reach_the_sensing_of_a_robot() -> None:
    robot = Robot(ElectionParameters(robot_id=1, metric='range'))
    rows = [value for each in links((2.0, 1.0, 0.5))
            for value in (2.0, each.range, *each.here, *each.there)]
    robot.sensing.take_odometry((0.0, 0.0, 0.0), 0.0)
    robot.sensing.take_measurements(rows, 0.0, ('id', 'range', *ANTENNAS))
    assert robot.sensing._measurements[2][0] == pytest.approx(math.hypot(2.0, 1.0), abs=0.01)
    robot.sensing.take_measurements([2.0, 1.0, NONE, 0.0, 0.0, 0.0], 0.0,
                                    ('id', 'range', *ANTENNAS))
    assert robot.counts['measurements_rejected'] == 1
