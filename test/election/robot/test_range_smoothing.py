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

"""Ranges to neighbours, smoothed by odometry."""

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.robot.range_smoothing import RangeSmoothing, REMEMBERED
import pytest

LENGTHS = st.floats(0.1, 20.0)


def test_distance_is_odometry_plus_the_median_difference() -> None:
    ranges = RangeSmoothing(expiry=3.0)
    assert ranges.distance(7, 2.0, 0.0) is None
    measured = [(9.0, 2.0)] * 5 + [(2.5, 2.0), (3.25, 3.0)] + [(3.5, 3.0)] * 3
    for k, (metres, apart) in enumerate(measured):
        ranges.take(7, metres, apart, 0.5 * k)
    # The last five differences are 0.5, 0.25, 0.5, 0.5, 0.5.
    assert ranges.distance(7, 4.0, 4.5) == 4.5
    # Where positions are missing, the median of the ranges.
    assert ranges.distance(7, None, 4.5) == 3.5
    assert ranges.distance(8, 4.0, 4.5) is None


def test_distance_is_unknown_when_ranges_have_expired() -> None:
    ranges = RangeSmoothing(expiry=3.0)
    ranges.take(7, 2.5, 2.0, 0.0)
    assert ranges.distance(7, 2.0, 3.0) == 2.5
    assert ranges.distance(7, 2.0, 3.1) is None
    ranges.configure(expiry=5.0)
    assert ranges.distance(7, 2.0, 3.1) == 2.5


def test_difference_is_remembered_up_to_its_age() -> None:
    ranges = RangeSmoothing(expiry=3.0)
    ranges.take(7, 3.0, 2.0, 10.0)
    later = 10.0 + REMEMBERED
    ranges.forget(later)
    ranges.take(7, 2.5, 2.0, later)
    assert ranges.distance(7, 2.0, later) == 2.75


def test_distance_stays_positive() -> None:
    """Two robots approach each other, and odometry is wrong by a metre."""
    ranges = RangeSmoothing(expiry=3.0)
    ranges.take(7, 1.0, 2.0, 0.0)
    assert ranges.distance(7, 0.5, 0.0) == 1e-3


def test_neighbours_are_forgotten_when_not_measured() -> None:
    ranges = RangeSmoothing(expiry=3.0)
    for neighbour in range(1000):
        ranges.take(neighbour, 1.0, 1.0, 0.0)
    ranges.forget(REMEMBERED + 1.0)
    assert not ranges._measured


@given(st.lists(LENGTHS, min_size=5, max_size=9), LENGTHS, st.floats(-0.4, 2.0),
       st.sets(st.integers(0, 4), max_size=2), st.floats(3.0, 50.0))
def test_distance_is_right_when_two_of_five_ranges_are_wrong(
        path: list[float], now: float, drift: float, wrong: set[int], by: float) -> None:
    """All other ranges show the error of odometry exactly."""
    ranges = RangeSmoothing(expiry=30.0)
    drift = max(drift, 0.01 - min(*path, now))
    for k, apart in enumerate(path):
        ranges.take(7, apart + drift + (by if k in {len(path) - 5 + w for w in wrong} else 0.0),
                    apart, 0.1 * k)
    assert ranges.distance(7, now, 2.0) == pytest.approx(max(now + drift, 1e-3))
