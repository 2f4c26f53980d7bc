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

"""Metrics: their floor, what is missing, and ranges smoothed by odometry."""

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.robot.metrics import (
    distance,
    look_ahead,
    LookAheadParameters,
    Metric,
    METRICS,
    RangingInput,
    ReadingInput,
    ReceivedReading,
    round_trip,
    time_stamps,
)
import pytest


def ranging(own=(0.0, 0.0), neighbour=(3.0, 4.0), measurement=None) -> RangingInput:
    return RangingInput(own, neighbour, measurement, None)


@pytest.mark.parametrize('name, seen, expected', [
    ('odometry', ranging(), 5.0),
    ('odometry', ranging(own=None), None),
    ('odometry', ranging(neighbour=None), None),
    ('odometry', ranging(neighbour=(0.0, 0.005)), 0.01),
    ('hops', ranging(own=None, neighbour=None), 1.0),
    ('range', ranging(measurement=0.5), 0.5),
    ('range', ranging(measurement=0.0), None),
    ('range', ranging(measurement=None), None),
])
def test_metric_distance_is_that_of_positions(name, seen, expected):
    assert distance(METRICS.get(name), seen, floor=0.01) == expected


def test_cost_gets_the_parameters_of_its_metric():
    told = Metric('told', cost=lambda *given: given[-1])
    assert distance(told, ranging()._replace(parameters=7.0), floor=0.01) == 7.0


def test_sender_is_no_neighbour_when_the_metric_gives_no_number():
    broken = Metric('broken', lambda seen: math.nan)
    assert distance(broken, ranging(), floor=0.01) is None


@pytest.mark.parametrize('functions', [{}, {'measure': lambda _: 1.0, 'cost': lambda *_: 1.0}])
def test_metric_is_refused_unless_it_has_one_function(functions):
    with pytest.raises(ValueError, match='metric mine: takes either measure, cost or course'):
        Metric('mine', **functions)


@pytest.mark.parametrize('velocity, ahead, expected', [
    # The neighbour is 3 m east and 4 m north.
    ((0.0, 0.0), 3.0, 5.0), ((1.0, 0.0), 0.0, 5.0),
    # Away from it, and across. It comes nearer, and passes.
    ((3.0, 4.0), 1.0, 10.0), ((-4.0, 3.0), 1.0, math.sqrt(50.0)), ((-3.0, -4.0), 1.0, 5.0),
    ((-3.0, -4.0), 3.0, 10.0)])
def test_predicted_distance_is_the_greatest_within_the_look_ahead(velocity, ahead, expected):
    link = ranging()._replace(own=(1.0, 1.0), neighbour=(4.0, 5.0), velocity=velocity,
                              parameters=LookAheadParameters(ahead))
    found = distance(METRICS.get('look_ahead'), link, floor=0.01)
    assert found == pytest.approx(expected, abs=1e-12)
    assert distance(METRICS.get('look_ahead'), link._replace(own=None), 0.01) is None


@given(st.lists(st.tuples(*[st.floats(-100.0, 100.0)] * 4), min_size=3, max_size=3),
       st.floats(0.0, 60.0))
def test_predicted_distance_is_symmetric_and_obeys_the_triangle_inequality(robots, ahead):
    """It is also at least the present distance."""
    def between(a, b):
        return look_ahead(*(there - here for here, there in zip(a, b)),
                          LookAheadParameters(ahead))
    a, b, c = robots
    assert between(a, b) == between(b, a) >= math.dist(a[:2], b[:2]) - 1e-9
    assert between(a, c) <= between(a, b) + between(b, c) + 1e-6


@pytest.mark.parametrize('own, neighbour, expected', [
    ((20.0,), (21.5,), 1.5), ((21.5,), (20.0,), 1.5), ((20.0,), (20.0,), 0.01),
    ((), (20.0,), None), ((20.0,), (), None)])
def test_sensor_metric_is_the_difference_of_two_readings(own, neighbour, expected):
    link = ranging()._replace(own_reading=own, neighbour_reading=neighbour)
    assert distance(METRICS.get('sensor_difference'), link, floor=0.01) == expected


def answered(reading, received, previous=None):
    return RangingInput(None, None, None, None, id=1,
                        neighbour_reading=reading, received=received, previous=previous)


@pytest.mark.parametrize('reading, received, previous, expected', [
    ((0.0, 1.0, 10.0, 0.25), 10.75, None, 500.0),
    ((0.0, 1.0, 10.0, 0.25), 10.75, 300.0, 340.0),
    ((0.0, 2.0, 10.0, 0.25), 10.75, None, None),
    ((0.0, 2.0, 10.0, 0.25), 10.75, 300.0, 300.0),
    ((0.0, 2.0, 9.0, 0.0, 1.0, 10.0, 0.25), 10.75, None, 500.0),
    ((0.0, 1.0, 999.5, 0.25), 1000.25, None, 500.0),
    ((0.0, 2.0, 1.0, 0.25, 1.0, 10.0, 0.25), 10.75, None, 500.0),
    ((0.0, 1.0, 10.0, 0.75), 10.75, None, 0.0), ((0.0, 1.0, 10.0, 0.0), 70.0, None, 60000.0),
    # A clock that was set, an answer from the future, a reading that is cut off.
    ((0.0, 1.0, 10.0, 0.25), 9.0, 300.0, 300.0),
    ((0.0, 1.0, 10.0, 5.0), 10.75, 300.0, 300.0),
    ((0.0, 1.0, 10.0), 10.75, 300.0, 300.0), ((), 10.75, None, None)])
def test_round_trip_returns_the_smoothed_time(reading, received, previous, expected):
    assert round_trip(answered(reading, received, previous)) == (
        None if expected is None else pytest.approx(expected))


@pytest.mark.parametrize(('now', 'number', 'answered'), [
    (1000.1234567, 8, range(8)), (1000.0, 9, [1, 2, 3, 4, 5, 6, 7, 8]),
    (0.95, 10, [9, *range(7)])])
def test_eight_answers_are_sent_from_a_beginning_that_moves_ten_times_a_second(
        now: float, number: int, answered: Any) -> None:
    heard = [ReceivedReading(i, (float(i),), now - 0.1234567) for i in range(number)]
    stamp, *answers = time_stamps(ReadingInput(now, None, heard, None))
    assert stamp == round(now % 1000.0, 5)
    assert answers == [number for i in answered for number in (i, i, 0.12346)]


# Ranges on robots.
