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

"""Random waypoints."""

from hypothesis import given, settings
from hypothesis import strategies as st
from lab.motions.walking import begin, compiled_walk, Dice, step_lengths, walk
from leader_election.lab.motions import WAYPOINT
from leader_election.parameters import build, ParameterError
import numpy as np
import pytest

WALLS = [0, 0, 10, 20]


def test_two_legs_and_a_pause_by_hand():
    """From (1, 1) to (4, 5), 5 m away, in strides of 2 m; two ticks of pause; then to (4, 8)."""
    values = {'speed': [1.0, 4.0], 'pause': 1.5, 'walls': WALLS}
    state, position, _ = begin(WAYPOINT, values, [[1.0, 1.0]])
    dice = Dice(4.0, 5.0, 2.0, 4.0, 8.0, 3.0)
    places = []
    for now in range(8):
        WAYPOINT.step(state, 0, position, float(now), dice)
        places.append(position[0].tolist())
    assert places == [pytest.approx(place) for place in [
        [1.0, 1.0],              # drawn
        [2.2, 2.6], [3.4, 4.2],  # 2 m each, 0.4 and 0.8 of the way
        [4.0, 5.0],              # there, after 1 m
        [4.0, 5.0], [4.0, 5.0],  # pause; the next leg is drawn
        [4.0, 8.0],
        [4.0, 8.0],
    ]]


@given(least=st.floats(0.01, 5), more=st.floats(0, 5), pause=st.floats(0, 3),
       tick=st.sampled_from([0.5, 1.0]), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_nobody_leaves_the_walls_or_is_too_fast(least, more, pause, tick, seed):
    values = {'speed': [least, least + more], 'pause': pause, 'walls': WALLS}
    start = [[0.0, 20.0], [3.0, 4.0]]
    places = walk(WAYPOINT, values, start, 60, seed, tick)
    rounding = 1e-9
    assert np.all((places >= -rounding) & (places <= np.array([10, 20]) + rounding))
    assert np.all(step_lengths(places) <= (least + more) * tick * (1 + rounding))
    assert np.array_equal(places, walk(WAYPOINT, values, start, 60, seed, tick))


def test_pauses_last_as_told():
    """Walls so near that each leg is one stride: a walk is one tick, and a pause of 3 follows."""
    values = {'speed': [9.0, 9.0], 'pause': 3.0, 'walls': [0, 0, 1, 1]}
    moved = step_lengths(walk(WAYPOINT, values, [[0.5, 0.5]], 41))[:, 0] > 0
    # The first tick draws.
    assert moved.tolist() == [False] + [True, False, False, False] * 10


def test_compiled_code_walks_the_very_same():
    values = {'speed': [0.5, 2.0], 'pause': 2.0, 'walls': WALLS}
    start = np.random.default_rng(1).uniform(0, 10, (20, 2))
    assert np.array_equal(
        compiled_walk(WAYPOINT, values, start, 500), walk(WAYPOINT, values, start, 500))


@pytest.mark.parametrize(('values', 'named'), [
    ({'walls': WALLS, 'speed': [0.0, 1.0]}, 'speed'),  # a leg might never end
    ({'walls': WALLS, 'speed': [2.0, 1.0]}, 'speed'),
    ({'walls': []}, 'walls'),
    ({}, 'walls'),
])
def test_what_makes_no_sense_is_refused(values, named):
    with pytest.raises(ParameterError, match=named):
        build(WAYPOINT.parameters, values)
