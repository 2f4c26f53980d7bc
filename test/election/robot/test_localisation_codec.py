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
"""The part of messages about localisation: what is sent is read, and nothing else is."""

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.robot.localisation_codec import MOST_SIGHTINGS, read, write
from leader_election.election.robot.wire import RejectReason
from leader_election.localisation.localisation import Estimate
from leader_election.localisation.sighting import Sighting
import pytest

FAULT = RejectReason.LOCALISATION
GOOD: dict[str, Any] = {
    'id': 3, 'o': [1.0, 2.0, 0.5], 'e': [0.5, 0.1, 0.05], 'z': [[4, 1.25], [5, 2.5, -0.75]]}


def angles(largest: float = 3.14) -> st.SearchStrategy[float]:
    return st.floats(-largest, largest)


def test_the_example():
    estimate, faults = read(GOOD)
    assert faults == () and estimate == Estimate(
        (1.0, 2.0, 0.5), 0.5, 0.1, 0.05, estimate.sightings)
    assert [tuple(map(str, row[:3])) for row in estimate.sightings] == [
        ('4', '1.25', 'nan'), ('5', '2.5', '-0.75')]


@given(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), angles()), angles(),
       st.floats(1e-3, 1e6), st.floats(1e-3, 3.0),
       st.lists(st.tuples(st.integers(4, 1000), st.floats(0.01, 1e3),
                          st.one_of(st.just(math.nan), angles())), max_size=MOST_SIGHTINGS))
def test_round_trip_of_an_estimate_rounds_only(odometry, yaw, deviation, of_heading, seen):
    sent = Estimate(odometry, yaw, deviation, of_heading, tuple(Sighting(*row) for row in seen))
    got, faults = read(json.loads(json.dumps({'id': 3, **write(sent)})))
    assert faults == ()
    assert got.odometry == pytest.approx(odometry, abs=1e-4)
    assert (got.yaw, got.deviation, got.heading_deviation) == pytest.approx(
        (yaw, deviation, of_heading), abs=1e-3)
    for one, other in zip(got.sightings, sent.sightings, strict=True):
        assert one.id == other.id
        assert one[1:] == pytest.approx(other[1:], abs=1e-3, nan_ok=True)


def test_deviations_out_of_range_are_sent_as_the_limits():
    got, faults = read({'id': 3, **write(Estimate(None, 0.0, math.inf, 0.0))})
    assert faults == () and got.odometry is None
    assert (got.deviation, got.heading_deviation) == (1e9, 1e-3)


def test_a_heading_that_an_update_turned_beyond_half_a_turn_is_sent_within():
    got, faults = read({'id': 3, **write(Estimate(None, -4.5, 0.1, 0.1))})
    assert faults == () and got.yaw == pytest.approx(2.0 * math.pi - 4.5, abs=1e-4)


def test_a_message_without_the_part_says_nothing():
    assert read({'id': 3}) == (None, ())


NUMBERS = [None, 1, 'x', {}, [], [0.0], [0.0, 1.0], [0.0, 1.0, 1.0, 1.0], [0.0, '1', 1.0],
           [0.0, None, 1.0], [0.0, True, 1.0], [math.nan, 1.0, 1.0], [0.0, math.nan, 1.0],
           [0.0, math.inf, 1.0], [0.0, 1e300, 1.0], [0.0, 10 ** 400, 1.0]]


@pytest.mark.parametrize('wrong', [
    *NUMBERS, [5.0, 1.0, 1.0], [0.0, 0.0, 1.0], [0.0, -1.0, 1.0], [0.0, 1.0, 0.0],
    [0.0, 1e-9, 1.0], [0.0, 1.0, 1e-9], [0.0, 1e10, 1.0]])
def test_a_wrong_estimate_voids_the_part(wrong):
    assert read({**GOOD, 'e': wrong}) == (None, (FAULT,))


@pytest.mark.parametrize('wrong', [*NUMBERS, [0.0, 0.0, 5.0], [2e9, 0.0, 0.0]])
def test_wrong_odometry_voids_the_part(wrong):
    assert read({**GOOD, 'o': wrong}) == (None, (FAULT,))


@pytest.mark.parametrize('wrong', [None, 1, 'x', {}, [[4, 1.0]] * (MOST_SIGHTINGS + 1)])
def test_sightings_that_are_no_list_or_too_many_void_the_part(wrong):
    assert read({**GOOD, 'z': wrong}) == (None, (FAULT,))


def test_deviations_of_sightings_are_sent_where_a_sensor_states_them():
    seen = (Sighting(4, 1.25), Sighting(5, 2.5, -0.75, math.nan, 0.0216),
            Sighting(6, 1.0, math.nan, 0.3))
    document = write(Estimate(None, 0.0, 0.1, 0.1, seen))
    assert document['w'] == [[], [None, 0.022], [0.3]]
    assert 'w' not in write(Estimate(None, 0.0, 0.1, 0.1, seen[:1]))
    estimate, faults = read({'id': 3, **document})
    assert faults == ()
    assert [sighting[3:5] for sighting in estimate.sightings] == [
        pytest.approx(row, nan_ok=True)
        for row in ((math.nan, math.nan), (math.nan, 0.022), (0.3, math.nan))]


@pytest.mark.parametrize('wrong', [None, 1, {}, [[0.1]], [[0.1]] * 3])
def test_deviations_that_are_no_list_of_the_length_of_the_sightings_void_the_part(wrong):
    assert read({**GOOD, 'z': [[7, 1.0], [8, 1.0]], 'w': wrong}) == (None, (FAULT,))


@pytest.mark.parametrize('wrong', [4, 'x', [0.0], [-1.0], ['x'], [0.1, 0.1, 0.1], [math.inf]])
def test_a_sighting_with_a_wrong_deviation_is_left_out_and_counted(wrong):
    estimate, faults = read({**GOOD, 'z': [[7, 1.0], [8, 1.0]], 'w': [[], wrong]})
    assert faults == (FAULT,) and [seen.id for seen in estimate.sightings] == [7]


@pytest.mark.parametrize('key', ['o', 'z'])
def test_odometry_or_sightings_without_an_estimate_are_a_fault(key):
    assert read({'id': 3, key: GOOD[key]}) == (None, (FAULT,))


@pytest.mark.parametrize('wrong', [
    None, 4, 'x', {}, [], [4], [4, 1.0, 0.0, 0.0], ['4', 1.0], [4.5, 1.0], [-1, 1.0], [True, 1.0],
    [None, 1.0], [2 ** 80, 1.0], [4, '1'], [4, True], [4, None], [4, None, None], [4, 0.0],
    [4, -1.0], [4, 1e5], [4, 1e300], [4, 10 ** 400], [4, math.inf], [4, 1.0, 7.0],
    [4, 1.0, 'x'], [4, 1.0, math.inf], [3, 1.0]])
def test_a_wrong_sighting_is_left_out_and_counted(wrong):
    estimate, faults = read({**GOOD, 'z': [[7, 1.0], wrong, [8, 2.0]]})
    assert faults == (FAULT,)
    assert [sighting.id for sighting in estimate.sightings] == [7, 8]
