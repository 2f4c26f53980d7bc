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

"""Factors of odometry over a restart: their text, their age, and when new ones are written."""

from collections import Counter
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from leader_election.localisation.kept_factors import age, is_better, LONGEST, read_text, text_of
from leader_election.localisation.localisation import Localisation
from leader_election.localisation.parameters import LocalisationParameters
from leader_election.localisation.scale_errors import Factors, Kept, START, WALK
import numpy as np
import pytest

FOUND = Kept(Factors(0.8, 1.2, -0.1), np.array((1e-4, 4e-4, 1e-5)), 1000.0)
variances = st.floats(1e-12, 1.0)


@given(st.tuples(st.floats(0.56, 1.59), st.floats(0.51, 1.59), st.floats(-0.39, 0.39)),
       st.tuples(variances, variances, variances), st.floats(0.0, 1e10))
def test_round_trip_of_factors(
        factors: tuple[float, ...], spread: tuple[float, ...], time: float) -> None:
    found = read_text(text_of(7, Kept(Factors(*factors), np.array(spread), time)), 7)
    assert found.factors == factors and found.time == time
    assert found.variances.tolist() == list(spread)


def changed(**values: Any) -> str:
    return json.dumps(json.loads(text_of(7, FOUND)) | values)


@pytest.mark.parametrize(('text', 'reason'), [
    ('', 'holds no factors of odometry'), ('{"radius": 3.0}', 'holds no factors of odometry'),
    ('[' * 100000, 'holds no factors of odometry'), ('7', 'holds no factors of odometry'),
    (text_of(7, FOUND)[:-20], 'holds no factors of odometry'),
    (changed(factors=[0.8, 1.2, 0.0]), 'holds no factors of odometry'),
    (changed(time=10 ** 400), 'holds no factors of odometry'),
    (text_of(8, FOUND), 'holds those of robot 8'),
    (changed(time=float('nan')), 'holds factors that no odometry has'),
    (changed(factors={'distance': 7.0, 'turn': 1.0, 'trim': 0.0}),
     'holds factors that no odometry has'),
    (changed(variances={'distance': 0.0, 'turn': 1.0, 'trim': 1.0}),
     'holds factors that no odometry has'),
    (changed(variances={'distance': 1.0, 'turn': float('inf'), 'trim': 1.0}),
     'holds factors that no odometry has')])
def test_a_text_that_is_not_the_robots_own_is_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f'^{reason}$'):
        read_text(text, 7)


@given(st.text() | st.recursive(
    st.none() | st.floats() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(
        st.sampled_from(['robot_id', 'time', 'factors', 'variances', 'distance']), inner)).map(
            json.dumps))
def test_any_other_text_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match='^holds '):
        read_text(text, 7)


def test_a_time_off_counts_up_to_a_bound_and_a_wrong_clock_as_the_bound() -> None:
    assert [age(FOUND, FOUND.time + off) for off in (0.0, 30.0, 1e6, -1.0)] == [
        0.0, 30.0, LONGEST, LONGEST]


def test_factors_are_written_when_something_was_learnt_not_when_they_only_age() -> None:
    later = FOUND._replace(time=FOUND.time + 60.0)
    aged = later._replace(variances=FOUND.aged(60.0))
    assert not is_better(aged, FOUND)
    assert is_better(aged._replace(variances=aged.variances * (1.0, 0.9, 1.0)), FOUND)
    assert is_better(FOUND, None)
    assert not is_better(Kept(Factors(), np.square(START), 0.0), None), 'nothing is known yet'
    assert not is_better(FOUND._replace(factors=Factors(distance=2.0)), None)


def test_a_robot_begins_with_what_is_kept_less_certain_by_the_time_since() -> None:
    own = Localisation(7, LocalisationParameters(), cooperates=True, expiry=3.0, top_speed=10.0,
                       counts=Counter())
    own.remember(FOUND)
    own.take_odometry((1.0, 2.0, 0.0), FOUND.time + 60.0)
    factors, deviations = own.odometry_factors
    assert factors == FOUND.factors
    np.testing.assert_allclose(np.square(deviations),
                               FOUND.variances + 60.0 * np.square(WALK), rtol=1e-9)
