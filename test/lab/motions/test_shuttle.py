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

"""To and fro."""

from lab.motions.walking import begin, compiled_walk, walk
from leader_election.lab.motions import SHUTTLE
from leader_election.parameters import build, ParameterError
import numpy as np
import pytest

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


def test_who_is_elsewhere_first_goes_to_the_end():
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


def test_compiled_code_walks_the_very_same():
    start = np.random.default_rng(1).uniform(0, 10, (20, 2))
    assert np.array_equal(
        compiled_walk(SHUTTLE, VALUES, start, 200), walk(SHUTTLE, VALUES, start, 200))


@pytest.mark.parametrize('values', [
    {'end': [1.0, 1.0]},
    {'start': [1.0, 1.0]},
    {'start': [1.0], 'end': [1.0, 1.0]},
    {**VALUES, 'speed': -1.0},
])
def test_what_makes_no_sense_is_refused(values):
    with pytest.raises(ParameterError):
        build(SHUTTLE.parameters, values)
