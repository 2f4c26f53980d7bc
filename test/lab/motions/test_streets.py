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

"""Walks through streets."""

from hypothesis import given, settings
from hypothesis import strategies as st
from lab.motions.walking import begin, compiled_walk, Dice, step_lengths, walk
from leader_election.lab.motions import STREETS
from leader_election.lab.motions.streets import street_map
from leader_election.parameters import build, ParameterError
import numpy as np
import pytest
import shapely

SQUARE = {'columns': 2, 'rows': 2, 'block': 10.0}
"""Crossings 0 (0, 0), 1 (10, 0), 2 (0, 10), 3 (10, 10)."""


def test_a_walk_round_corners_by_hand():
    """From (4, 0) by crossing 1 to crossing 3 in strides of 4 m, and back to crossing 1."""
    state, position, _ = begin(STREETS, {**SQUARE, 'speed': 4.0}, [[4.0, 0.0]])
    state.ahead[0], state.goal[0] = 1, 3
    places = []
    for now in range(5):
        STREETS.step(state, 0, position, float(now), Dice(1))
        places.append(position[0].tolist())
    # 2 m to the corner and 2 m on; 10 m further the goal is reached, and the way back begun.
    assert places == [[8, 0], [10, 2], [10, 6], [10, 10], [10, 6]]


def test_the_next_goal_is_another_crossing():
    """Of the crossings that are not 1 the second one is 2: its number counts on past 1."""
    state, position, _ = begin(STREETS, {**SQUARE, 'speed': 4.0}, [[10.0, 0.0]])
    state.ahead[0] = state.goal[0] = 1
    STREETS.step(state, 0, position, 0.0, Dice(1))
    assert state.goal[0] == 2


def test_devices_begin_in_the_street_nearest_to_them():
    _, position, _ = begin(STREETS, SQUARE, [[4.0, 1.0], [9.5, 7.0], [-3.0, 12.0]])
    assert position.tolist() == [[4, 0], [10, 7], [0, 10]]


@given(speed=st.floats(0.0, 300), irregularity=st.floats(0, 0.4), missing=st.floats(0, 0.9),
       seed=st.integers(0, 99))
@settings(max_examples=30)
def test_nobody_leaves_the_streets_or_is_too_fast(speed, irregularity, missing, seed):
    values = {'columns': 4, 'rows': 3, 'block': 50.0, 'speed': speed,
              'irregularity': irregularity, 'missing': missing}
    start = [[0.0, 0.0], [60.0, 20.0], [500.0, 500.0]]
    places = walk(STREETS, values, start, 30, seed)
    town = street_map(build(STREETS.parameters, values), np.random.default_rng(seed))
    streets = shapely.MultiLineString(list(town.crossing[town.street]))
    rounding = 1e-9
    assert np.all(shapely.distance(streets, shapely.points(places)) <= rounding)
    assert np.all(step_lengths(places) <= speed * (1 + rounding) + rounding)
    assert np.array_equal(places, walk(STREETS, values, start, 30, seed))


def test_compiled_code_walks_the_very_same():
    values = {'columns': 5, 'rows': 4, 'irregularity': 0.3, 'missing': 0.2, 'speed': 37.0}
    start = np.random.default_rng(1).uniform(0, 400, (20, 2))
    assert np.array_equal(
        compiled_walk(STREETS, values, start, 500), walk(STREETS, values, start, 500))


@pytest.mark.parametrize(('values', 'named'), [
    ({'columns': 100, 'rows': 21}, 'rows'),  # 2100 crossings
    ({'positions': 'there.txt'}, 'positions'),
    ({'missing': 1.0}, 'missing'),
    ({'path': 'nowhere.graphml'}, 'path'),
])
def test_what_makes_no_sense_is_refused(values, named):
    with pytest.raises(ParameterError, match=f'parameter {named}'):
        begin(STREETS, values, [[0.0, 0.0]])
