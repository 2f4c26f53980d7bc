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

"""Motion between random waypoints, and between two fixed places."""

from hypothesis import given, settings
from hypothesis import strategies as st
from lab.motions.walks import begin, compiled_walk, Dice, step_lengths, walk
from leader_election.lab.motions import SHUTTLE, WAYPOINT
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
def test_devices_stay_within_the_walls_and_the_speed(least, more, pause, tick, seed):
    values = {'speed': [least, least + more], 'pause': pause, 'walls': WALLS}
    start = [[0.0, 20.0], [3.0, 4.0]]
    places = walk(WAYPOINT, values, start, 60, seed, tick)
    rounding = 1e-9
    assert np.all((places >= -rounding) & (places <= np.array([10, 20]) + rounding))
    assert np.all(step_lengths(places) <= (least + more) * tick * (1 + rounding))
    assert np.array_equal(places, walk(WAYPOINT, values, start, 60, seed, tick))


def test_pauses_have_their_length():
    """Walls so near that each leg is one stride: a walk is one tick, and a pause of 3 follows."""
    values = {'speed': [9.0, 9.0], 'pause': 3.0, 'walls': [0, 0, 1, 1]}
    moved = step_lengths(walk(WAYPOINT, values, [[0.5, 0.5]], 41))[:, 0] > 0
    # The first tick draws.
    assert moved.tolist() == [False] + [True, False, False, False] * 10


def test_compiled_code_walks_identically():
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
def test_invalid_parameters_are_refused(values, named):
    with pytest.raises(ParameterError, match=named):
        build(WAYPOINT.parameters, values)


VALUES = {'start': [0.0, 0.0], 'end': [3.0, 4.0], 'speed': 2.0}


def test_there_and_back_by_hand():
    """5 m in strides of 2 m: two whole ones and one of 1 m, each way."""
    places = walk(SHUTTLE, VALUES, [[0.0, 0.0]], 8)[:, 0]
    assert places == pytest.approx(np.array([
        [0.0, 0.0],
        [0.0, 0.0],                          # sets out
        [1.2, 1.6], [2.4, 3.2], [3.0, 4.0],  # there
        [1.8, 2.4], [0.6, 0.8], [0.0, 0.0],  # back
        [1.2, 1.6],
    ]))


def test_a_device_elsewhere_first_goes_to_the_end():
    """From (3, 0) straight up, 4 m in two strides, and then to and fro as the others."""
    places = walk(SHUTTLE, VALUES, [[3.0, 0.0]], 6)[:, 0]
    assert places == pytest.approx(np.array([
        [3.0, 0.0], [3.0, 0.0], [3.0, 2.0], [3.0, 4.0], [1.8, 2.4], [0.6, 0.8], [0.0, 0.0]]))


def test_a_tick_of_half_a_second_takes_half_the_stride():
    places = walk(SHUTTLE, VALUES, [[0.0, 0.0]], 3, tick=0.5)[:, 0]
    assert places[-1] == pytest.approx([1.2, 1.6])


def test_devices_of_no_speed_stay():
    places = walk(SHUTTLE, {**VALUES, 'speed': 0.0}, [[1.0, 1.0]], 5)
    assert np.all(places == 1.0) and SHUTTLE.speed(build(SHUTTLE.parameters, {
        **VALUES, 'speed': 0.0})) == 0.0


def test_nothing_is_drawn():
    _, _, random = begin(SHUTTLE, VALUES, [[0.0, 0.0]])
    before = random.bit_generator.state
    state, position, random = begin(SHUTTLE, VALUES, [[0.0, 0.0]])
    for now in range(10):
        SHUTTLE.step(state, 0, position, float(now), random)
    assert random.bit_generator.state == before


def test_compiled_code_shuttles_identically():
    start = np.random.default_rng(1).uniform(0, 10, (20, 2))
    assert np.array_equal(
        compiled_walk(SHUTTLE, VALUES, start, 200), walk(SHUTTLE, VALUES, start, 200))


@pytest.mark.parametrize('values', [
    {'end': [1.0, 1.0]},
    {'start': [1.0, 1.0]},
    {'start': [1.0], 'end': [1.0, 1.0]},
    {**VALUES, 'speed': -1.0},
])
def test_a_shuttle_with_wrong_values_is_refused(values):
    with pytest.raises(ParameterError):
        build(SHUTTLE.parameters, values)
