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

"""Metric ``range``: smoothing by odometry, ranges of either end, the communication range."""

import json
import math

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.robot.metrics import RangeSmoothing, REMEMBERED
from leader_election.election.robot.parameters import ElectionParameters
from leader_election.election.robot.robot import Robot
from leader_election.parameters import build, ParameterError
import pytest

LENGTHS = st.floats(0.1, 20.0)


def ranger(robot: int, at: tuple[float, float] | None = (0.0, 0.0), yaw: float | None = 0.0,
           **changes: object) -> Robot:
    """Return a robot that goes by ranges, at a place by its odometry."""
    made = Robot(build(ElectionParameters, {
        'robot_id': robot, 'metric': 'range', 'schedule': 'periodic', **changes}))
    drive(made, at, 0.0, yaw)
    return made


def drive(robot: Robot, at: tuple[float, float] | None, now: float,
          yaw: float | None = 0.0) -> None:
    if at is not None:
        robot.sensing.take_odometry((*at, 0.0), now, yaw=yaw)


def distances(robot: Robot, now: float) -> dict[int, float]:
    robot.round(now)
    return {near.message.id: near.distance for near in robot.neighbours}


# The history of ranges.

def test_the_last_of_each_by_hand() -> None:
    ranges = RangeSmoothing(smoothing=3, expiry=3.0)
    assert ranges.distance(7, 2.0, 0.0) is None
    for time, (measured, apart) in enumerate(((9.0, 2.0), (2.5, 2.0), (3.25, 3.0), (3.5, 3.0))):
        ranges.take(7, measured, apart, float(time))
    # Differences 0.5, 0.25, 0.5: the one of 7 is forgotten.
    assert ranges.distance(7, 4.0, 3.0) == 4.5
    # Where positions are missing, the median of the ranges.
    assert ranges.distance(7, None, 3.0) == 3.25
    assert ranges.distance(8, 4.0, 3.0) is None


def test_expired_ranges_give_no_distance() -> None:
    ranges = RangeSmoothing(smoothing=5, expiry=3.0)
    ranges.take(7, 2.5, 2.0, 0.0)
    assert ranges.distance(7, 2.0, 3.0) == 2.5
    assert ranges.distance(7, 2.0, 3.1) is None
    ranges.configure(expiry=5.0)
    assert ranges.distance(7, 2.0, 3.1) == 2.5


def test_old_differences_do_not_count() -> None:
    ranges = RangeSmoothing(smoothing=5, expiry=3.0)
    for time in (0.0, 0.5):
        ranges.take(7, 3.0, 2.0, time)
    later = REMEMBERED + 1.0
    ranges.take(7, 2.25, 2.0, later)
    assert ranges.distance(7, 2.0, later) == 2.25


def test_without_smoothing_the_last_range_counts_as_it_is() -> None:
    ranges = RangeSmoothing(smoothing=1, expiry=3.0)
    ranges.take(7, 2.5, 2.0, 0.0)
    ranges.take(7, 9.0, 2.0, 1.0)
    assert ranges.distance(7, 4.0, 1.5) == 9.0


def test_a_distance_is_positive() -> None:
    """Two that approach each other, while odometry was wrong by a metre."""
    ranges = RangeSmoothing(smoothing=5, expiry=3.0)
    ranges.take(7, 1.0, 2.0, 0.0)
    assert ranges.distance(7, 0.5, 0.0) == 1e-3


def test_neighbours_of_the_past_are_forgotten() -> None:
    ranges = RangeSmoothing(smoothing=5, expiry=3.0)
    for neighbour in range(1000):
        ranges.take(neighbour, 1.0, 1.0, 0.0)
    ranges.forget(REMEMBERED + 1.0)
    assert not ranges._measured


@given(st.lists(LENGTHS, min_size=5, max_size=9), LENGTHS, st.floats(-0.4, 2.0),
       st.sets(st.integers(0, 4), max_size=2), st.floats(3.0, 50.0))
def test_two_of_five_ranges_may_be_anything(
        path: list[float], now: float, drift: float, wrong: set[int], by: float) -> None:
    """Ranges tell odometry's error exactly, but for some that are too long."""
    ranges = RangeSmoothing(smoothing=5, expiry=30.0)
    drift = max(drift, 0.01 - min(*path, now))
    for k, apart in enumerate(path):
        ranges.take(7, apart + drift + (by if k in {len(path) - 5 + w for w in wrong} else 0.0),
                    apart, 0.1 * k)
    assert ranges.distance(7, now, 2.0) == pytest.approx(max(now + drift, 1e-3))


# On robots.

def test_ranges_correct_the_distance_by_odometry() -> None:
    """By odometry robots 1 and 2 are 3 m from each other; in truth they are 2 m and move on."""
    one, two = ranger(1), ranger(2, (3.0, 0.0))
    one.receive(two.round(0.0), 0.0)
    assert distances(one, 0.1) == {}
    assert one.counts['neighbours_unmeasured'] == 1
    for measured in (2.0, 2.0, 8.0):
        one.sensing.take_measurements([2.0, measured], 0.2)
    assert distances(one, 0.3) == {2: 2.0}
    drive(one, (-0.5, 0.0), 0.4)
    assert distances(one, 0.4) == {2: 2.5}


def test_ranges_measured_by_the_neighbour_are_used() -> None:
    """Robot 1 has no sensor."""
    one, two = ranger(1), ranger(2, (3.0, 0.0))
    two.sensing.take_measurements([1.0, 2.25], 0.0)
    payload = two.round(0.0)
    assert json.loads(payload)['z'] == [[1, 2.25]]
    one.receive(payload, 0.0)
    assert distances(one, 0.1) == {2: 2.25}


def test_without_smoothing_a_robot_goes_by_its_own_ranges() -> None:
    one, two = ranger(1, range_smoothing=1), ranger(2, (3.0, 0.0))
    two.sensing.take_measurements([1.0, 2.25], 0.0)
    one.sensing.take_measurements([2.0, 2.5], 0.0)
    one.receive(two.round(0.0), 0.0)
    assert distances(one, 0.1) == {2: 2.5}


def test_a_liar_changes_its_own_link_only() -> None:
    one, two, liar = ranger(1), ranger(2, (3.0, 0.0)), ranger(3, (0.0, 3.0))
    one.sensing.take_measurements([2.0, 2.5, 3.0, 3.5], 0.0)
    for _ in range(9):
        liar.sensing.take_measurements([1.0, 0.05, 2.0, 0.05], 0.0)
        one.receive(liar.round(0.0), 0.0)
    one.receive(two.round(0.0), 0.0)
    one.sensing.take_measurements([2.0, 2.5], 0.1)
    assert distances(one, 0.1)[2] == 2.5


@pytest.mark.parametrize(('measured', 'near'), [(2.4, True), (2.6, False)])
def test_the_communication_range_holds_for_what_is_measured(measured: float, near: bool) -> None:
    """By odometry it is 2 m away, or 3 m: what is measured decides."""
    for place in (2.0, 3.0):
        one, two = ranger(1, communication_range=2.5), ranger(2, (place, 0.0))
        one.sensing.take_measurements([2.0, measured], 0.0)
        for now in (0.0, 0.5):
            one.receive(two.round(now), now)
            one.sensing.take_measurements([2.0, measured], now)
        assert distances(one, 0.6) == ({2: pytest.approx(measured)} if near else {})


def test_robots_without_positions_have_a_range_too() -> None:
    """Their messages are no longer refused where a communication range is set."""
    one, two = ranger(1, None, communication_range=2.5), ranger(2, None)
    assert one.receive(two.round(0.0), 0.0)
    assert one.counts['rejected_no_position'] == 0
    for measured in (2.0, 2.25, 9.0):
        one.sensing.take_measurements([2.0, measured], 0.0)
    assert distances(one, 0.1) == {2: 2.25}
    for _ in range(3):
        one.sensing.take_measurements([2.0, 2.75], 0.2)
    assert distances(one, 0.2) == {}
    assert distances(one, 3.0) == {}


def test_one_has_a_position_and_the_other_has_none() -> None:
    one, two = ranger(1), ranger(2, None)
    one.receive(two.round(0.0), 0.0)
    one.sensing.take_measurements([2.0, 2.25], 0.0)
    assert distances(one, 0.1) == {2: 2.25}


@pytest.mark.parametrize('rows', [
    [2.0, math.nan], [2.0, -1.0], [2.0, 0.0], [2.0, 1e9], [1.0, 2.0], [2.5, 1.0], [2.0, math.inf]])
def test_bad_ranges_are_counted(rows: list[float]) -> None:
    one, two = ranger(1), ranger(2, (3.0, 0.0))
    one.sensing.take_measurements(rows, 0.0)
    one.receive(two.round(0.0), 0.0)
    assert one.counts['measurements_rejected'] == 1
    assert distances(one, 0.1) == {}


def test_the_number_of_ranges_is_checked() -> None:
    with pytest.raises(ParameterError, match='parameter range_smoothing: 0 is not allowed; it '
                       'takes 1 to 100'):
        ranger(1, range_smoothing=0)
