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

"""Levy walks."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
from lab.motions.walks import begin, compiled_walk, Dice, step_lengths, walk
from leader_election.lab.motions import LEVY
from leader_election.lab.motions.levy import leg_end, pareto
import numpy as np
import pytest
import scipy.stats
from scipy.stats import kstest, uniform

WALLS = [0, 0, 10, 10]


def test_legs_by_hand():
    """Walls 0 to 10, speed 3, legs of 4 m and more; two legs with given draws."""
    values = {'speed': 3.0, 'scale': 4.0, 'shape': 1.0, 'walls': WALLS}
    state, position, _ = begin(LEVY, values, [[8.0, 5.0]])
    # Due east, 4 / (1 - 0) = 4 m: to (12, 5), which the wall cuts to (10, 5), 2 m from here.
    # Then due north, 4 / (1 - 0.5) = 8 m, from the place before the last stride: from (8, 5) to
    # (8, 13), cut to (8, 10).
    dice = Dice(0.0, 0.0, math.pi / 2, 0.5)
    LEVY.step(state, 0, position, 1.0, dice)
    assert position.tolist() == [[8.0, 5.0]]  # drawn now, walked from the next tick on
    LEVY.step(state, 0, position, 2.0, dice)
    assert position.tolist() == [[10.0, 5.0]]
    assert state.target[0].tolist() == pytest.approx([8.0, 10.0])
    assert dice.numbers == []
    LEVY.step(state, 0, position, 3.0, dice)  # 3 of sqrt(2 * 2 + 5 * 5) m
    assert position[0].tolist() == pytest.approx(
        [10.0 - 2 * 3 / math.sqrt(29), 5.0 + 5 * 3 / math.sqrt(29)])
    LEVY.step(state, 0, position, 4.0, Dice(0.0, 0.0))
    assert position[0].tolist() == pytest.approx([8.0, 10.0])


def test_a_device_that_cannot_move_draws_again():
    """In a corner, a leg into it has no length; the next draw leads out of it."""
    values = {'speed': 3.0, 'scale': 2.0, 'shape': 1.0, 'walls': WALLS}
    state, position, _ = begin(LEVY, values, [[10.0, 10.0]])
    for _ in range(2):
        dice = Dice(math.pi / 4, 0.0)
        LEVY.step(state, 0, position, 1.0, dice)
        assert position.tolist() == [[10.0, 10.0]] and dice.numbers == []
    LEVY.step(state, 0, position, 3.0, Dice(math.pi, 0.0))
    LEVY.step(state, 0, position, 4.0, Dice(0.0, 0.0))
    assert position[0].tolist() == pytest.approx([8.0, 10.0])


def test_directions_are_uniform_and_lengths_pareto():
    """The ends of 5000 first legs, without walls."""
    state, position, random = begin(LEVY, {'scale': 2.0, 'shape': 1.5}, np.zeros((5000, 2)))
    for i in range(5000):
        LEVY.step(state, i, position, 1.0, random)
    x, y = state.target.T
    assert kstest(np.arctan2(y, x), uniform(-math.pi, 2 * math.pi).cdf).pvalue > 0.01
    assert kstest(np.hypot(x, y), scipy.stats.pareto(1.5, scale=2.0).cdf).pvalue > 0.01


def test_a_leg_ends_at_the_wall():
    """From (8, 5) due south west: 5 m and 5 m, to the wall in the south."""
    end = leg_end((0.0, 0.0, 10.0, 10.0), 8.0, 5.0, -0.75 * math.pi, 50.0)
    assert end == pytest.approx((3.0, 0.0))


@given(st.floats(0.01, 100), st.floats(0.2, 5), st.floats(0, 1, exclude_max=True))
def test_the_quantiles_of_leg_lengths(scale, shape, chance):
    """The Pareto distribution: longer than a length are (scale / length) ^ shape of the legs."""
    assert (scale / pareto(scale, shape, chance)) ** shape == pytest.approx(1 - chance)


@given(speed=st.floats(0.01, 20), scale=st.floats(0.01, 100), shape=st.floats(0.2, 5),
       tick=st.sampled_from([0.1, 1.0, 3.0]), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_devices_stay_within_the_walls_and_the_speed(speed, scale, shape, tick, seed):
    values = {'speed': speed, 'scale': scale, 'shape': shape, 'walls': WALLS}
    start = [[0.0, 0.0], [10.0, 5.0], [3.0, 4.0]]
    places = walk(LEVY, values, start, 60, seed, tick)
    rounding = 1e-9
    assert np.all((places >= -rounding) & (places <= 10 + rounding))
    assert np.all(step_lengths(places) <= speed * tick * (1 + rounding))
    assert np.array_equal(places, walk(LEVY, values, start, 60, seed, tick))


def test_without_speed_devices_stay():
    start = [[1.0, 2.0]]
    assert np.all(walk(LEVY, {'speed': 0.0, 'walls': WALLS}, start, 9) == start)


def test_compiled_code_walks_identically():
    values = {'speed': 0.7, 'scale': 1.0, 'shape': 1.2, 'walls': WALLS}
    start = np.random.default_rng(1).uniform(0, 10, (20, 2))
    assert np.array_equal(compiled_walk(LEVY, values, start, 500), walk(LEVY, values, start, 500))
