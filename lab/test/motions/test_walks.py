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

"""Walks on straight legs: strides and walls, Levy walks, waypoints and the shuttle."""

import math
from typing import NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.parameters import build, ParameterError
from leader_election_lab.engine.device_round import call_step
from leader_election_lab.engine.entry_points import step_entry
from leader_election_lab.motions import LEVY, SHUTTLE, WAYPOINT
from leader_election_lab.motions.walks import box, check_walls, confine, set_out
from numba import njit
import numpy as np
import pytest
import scipy.stats
from scipy.stats import kstest, uniform


class Legs(NamedTuple):
    target: np.ndarray
    left: np.ndarray
    stride: np.ndarray


def legs():
    return Legs(np.zeros((1, 2)), np.zeros(1, np.int64), np.zeros((1, 2)))


def test_leg_of_astronomic_length_has_a_finite_number_of_strides():
    walk = legs()
    set_out(walk, 0, 0.0, 0.0, 1e90, 0.0, 1e-3)
    assert walk.left[0] > 10**17
    assert walk.stride[0].tolist() == pytest.approx([1e-3, 0.0])


BOX = (0.0, 0.0, 10.0, 20.0)


@pytest.mark.parametrize(('start', 'wanted', 'end'), [
    ((4.0, 4.0), (7.0, 8.0), (7.0, 8.0)),        # nothing in the way
    ((8.0, 5.0), (12.0, 7.0), (10.0, 6.0)),      # half of it, up to the wall in the east
    ((2.0, 5.0), (-2.0, 9.0), (0.0, 7.0)),       # west
    ((5.0, 18.0), (1.0, 26.0), (4.0, 20.0)),     # north, after a quarter
    ((5.0, 2.0), (5.0, -2.0), (5.0, 0.0)),       # south
    ((9.0, 18.0), (13.0, 22.0), (10.0, 19.0)),   # past a corner: the wall that it meets first
    ((10.0, 5.0), (12.0, 7.0), (10.0, 7.0)),     # at the wall: slides along it
    ((10.0, 15.0), (12.0, 25.0), (10.0, 20.0)),  # slides as far as the corner
    ((10.0, 20.0), (11.0, 21.0), (10.0, 20.0)),  # into the corner: stays
    ((10.000001, 5.0), (12.0, 7.0), (10.0, 7.0)),  # beyond a wall by rounding: slides, too
    ((4.0, -0.000001), (5.0, -3.0), (5.0, 0.0)),
    ((10.0, 5.0), (6.0, 5.0), (6.0, 5.0)),       # away from the wall
])
def test_walk_ends_at_its_end_or_at_a_wall(start, wanted, end):
    assert confine(BOX, *start, *wanted) == end


@given(st.tuples(st.floats(-1e-9, 10 + 1e-9), st.floats(-1e-9, 20 + 1e-9)),
       st.tuples(*[st.floats(-1e9, 1e9)] * 2))
def test_no_walk_passes_a_wall(start, wanted):
    x, y = confine(BOX, *start, *wanted)
    assert 0 <= x <= 10 and 0 <= y <= 20


def test_bounds_are_infinite_when_there_are_no_walls():
    bounds = box((), np.array([[1e300, -1e300]]))
    assert confine(bounds, 0.0, 0.0, 1e300, -1e300) == (1e300, -1e300)


def test_wrong_walls_are_refused():
    with pytest.raises(ParameterError, match='walls'):
        check_walls((0.0, 0.0, 10.0, 0.0))
    with pytest.raises(ParameterError, match='a device starts outside of them, at 11, 3'):
        box(BOX, np.array([[1.0, 1.0], [11.0, 3.0]]))


WALLS = [0, 0, 10, 10]


def test_levy_walk_has_the_legs_computed_by_hand():
    """Walls 0 to 10, speed 3, legs of 4 m and more. Two legs with given draws."""
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


def test_device_draws_another_leg_when_it_cannot_move():
    """In a corner, a leg into it has no length. The next draw leads out of it."""
    values = {'speed': 3.0, 'scale': 2.0, 'shape': 1.0, 'walls': WALLS}
    state, position, _ = begin(LEVY, values, [[10.0, 10.0]])
    for now, angle, place in ((1, 1, 10), (2, 1, 10), (3, 4, 10), (4, 4, 8)):
        LEVY.step(state, 0, position, float(now), Dice(angle * math.pi / 4, 0.0))
        assert position[0].tolist() == pytest.approx([place, 10.0])


def test_directions_are_uniform_and_lengths_pareto():
    """The ends of 5000 first legs, without walls."""
    state, position, random = begin(LEVY, {'scale': 2.0, 'shape': 1.5}, np.zeros((5000, 2)))
    for i in range(5000):
        LEVY.step(state, i, position, 1.0, random)
    x, y = state.target.T
    assert kstest(np.arctan2(y, x), uniform(-math.pi, 2 * math.pi).cdf).pvalue > 0.01
    assert kstest(np.hypot(x, y), scipy.stats.pareto(1.5, scale=2.0).cdf).pvalue > 0.01


def test_waypoint_walk_has_the_legs_and_pause_computed_by_hand():
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


VALUES = {'start': [0.0, 0.0], 'end': [3.0, 4.0], 'speed': 2.0}


@pytest.mark.parametrize(('start', 'places'), [
    # 5 m in strides of 2 m: two whole ones and one of 1 m, each way. It sets out in the first.
    ((0.0, 0.0), [[0.0, 0.0], [1.2, 1.6], [2.4, 3.2], [3.0, 4.0],
                  [1.8, 2.4], [0.6, 0.8], [0.0, 0.0], [1.2, 1.6]]),
    # From elsewhere straight up first, 4 m in two strides.
    ((3.0, 0.0), [[3.0, 0.0], [3.0, 2.0], [3.0, 4.0], [1.8, 2.4], [0.6, 0.8], [0.0, 0.0]])])
def test_shuttle_drives_there_and_back_as_computed_by_hand(start, places):
    state, position, _ = begin(SHUTTLE, VALUES, [start])
    for now, place in enumerate(places):
        # Nothing is drawn.
        SHUTTLE.step(state, 0, position, float(now), Dice())
        assert position[0] == pytest.approx(np.array(place))


@given(motion=st.sampled_from([LEVY, WAYPOINT]), least=st.floats(0.01, 20), more=st.floats(0, 5),
       scale=st.floats(0.01, 100), shape=st.floats(0.2, 5), pause=st.floats(0, 3),
       tick=st.sampled_from([0.1, 1.0, 3.0]), seed=st.integers(0, 99))
@settings(max_examples=60)
def test_devices_stay_within_the_walls_and_the_speed(
        motion, least, more, scale, shape, pause, tick, seed):
    own = {'speed': least + more, 'scale': scale, 'shape': shape} if motion is LEVY else {
        'speed': [least, least + more], 'pause': pause}
    start, values, rounding = [[0.0, 0.0], [10.0, 5.0], [3.0, 4.0]], {**own, 'walls': WALLS}, 1e-9
    places = walk(motion, values, start, 60, seed, tick)
    assert np.all((places >= -rounding) & (places <= 10 + rounding))
    assert np.all(step_lengths(places) <= (least + more) * tick * (1 + rounding))
    assert np.array_equal(places, walk(motion, values, start, 60, seed, tick))


@pytest.mark.parametrize(('motion', 'values'), [
    (LEVY, {'speed': 0.7, 'scale': 1.0, 'shape': 1.2, 'walls': WALLS}),
    (WAYPOINT, {'speed': [0.5, 2.0], 'pause': 2.0, 'walls': WALLS}), (SHUTTLE, VALUES)])
def test_compiled_code_walks_identically(motion, values):
    start = np.random.default_rng(1).uniform(0, 10, (20, 2))
    places = walk(motion, values, start, 300)
    assert np.array_equal(compiled_walk(motion, values, start, 300), places)


@pytest.mark.parametrize(('motion', 'values'), [(LEVY, {'walls': WALLS}), (SHUTTLE, VALUES)])
def test_device_stays_when_it_has_no_speed(motion, values):
    values = {**values, 'speed': 0.0}
    assert np.all(walk(motion, values, [[1.0, 2.0]], 9) == [1.0, 2.0])
    assert motion.speed(build(motion.parameters, values)) == 0.0


@pytest.mark.parametrize(('motion', 'values', 'named'), [
    (WAYPOINT, {'walls': WALLS, 'speed': [0.0, 1.0]}, 'speed'),  # a leg might never end
    (WAYPOINT, {'walls': WALLS, 'speed': [2.0, 1.0]}, 'speed'),
    (WAYPOINT, {'walls': []}, 'walls'), (WAYPOINT, {}, 'walls'),
    (SHUTTLE, {'end': [1.0, 1.0]}, 'start'), (SHUTTLE, {'start': [1.0, 1.0]}, 'end'),
    (SHUTTLE, {'start': [1.0], 'end': [1.0, 1.0]}, 'start'),
    (SHUTTLE, {**VALUES, 'speed': -1.0}, 'speed')])
def test_invalid_parameters_are_refused(motion, values, named):
    with pytest.raises(ParameterError, match=named):
        build(motion.parameters, values)


# Walks of some devices: as plain Python, and as the laboratory compiles them.


class Dice:
    """Replaces a generator where a case is computed by hand: returns the given numbers."""

    def __init__(self, *numbers):
        self.numbers = list(numbers)

    def uniform(self, low, high):
        return self.numbers.pop(0)

    def random(self):
        return self.numbers.pop(0)

    def integers(self, low, high):
        return self.numbers.pop(0)


def begin(motion, values, position, seed=0, tick=1.0):
    """Return the state, the positions and the generator that a walk begins with."""
    random = np.random.default_rng(seed)
    position = np.array(position, float)
    return motion.begin(build(motion.parameters, values), position, tick, random), position, random


def walk(motion, values, position, ticks, seed=0, tick=1.0):
    """Return the places of all devices at the start and after each tick: (ticks + 1, n, 2)."""
    state, position, random = begin(motion, values, position, seed, tick)
    places = [position.copy()]
    for t in range(1, ticks + 1):
        for i in range(len(position)):
            motion.step(state, i, position, t * tick, random)
        places.append(position.copy())
    return np.array(places)


def compiled_walk(motion, values, position, ticks, seed=0, tick=1.0):
    """Return the same, walked by compiled code."""
    state, position, random = begin(motion, values, position, seed, tick)
    places = np.empty((ticks + 1, *position.shape))
    entry = step_entry(motion.name, motion.step, state, position, random)
    _walk(*entry.addresses, position, tick, places)
    return places


@njit
def _walk(step, given, position, tick, places):
    # To assign whole rows takes numba seconds to compile.
    for t in range(len(places)):
        for i in range(len(position)):
            if t > 0:
                call_step(step, given, np.uint32(i), t * tick, np.uint32(i))
            places[t, i, 0], places[t, i, 1] = position[i, 0], position[i, 1]


def step_lengths(places):
    """Return the length of each device's step in each tick."""
    return np.hypot(*np.moveaxis(np.diff(places, axis=0), -1, 0))
