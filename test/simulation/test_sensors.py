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

"""Scalar sensors and their rates."""

import math

from leader_election.parameters import ParameterError
from leader_election.simulation.parameters import WorldParameters
from leader_election.simulation.sensors import RateLimiter, ScalarField
import numpy as np
import pytest


@pytest.mark.parametrize(('rate', 'expected'), [
    (0.0, []),
    # Periods begin at 0, 0.2, 0.4 ... s; 3 * 0.2 is not quite 0.6 and must not be missed.
    (5.0, [1, 2, 4, 6, 8, 10]),
    # Periods begin at 0, 1/3, 2/3, 1 s: the first steps in them.
    (3.0, [1, 4, 7, 10]),
    (10.0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    # More than once a step is once.
    (99.0, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    # Ten seconds: once in the first.
    (0.1, [1]),
])
def test_due_steps_follow_the_rate(rate: float, expected: list[int]) -> None:
    one = RateLimiter(rate)
    assert [step for step in range(1, 11) if one.due(step * 0.1)] == expected


def test_missed_periods_are_skipped() -> None:
    one = RateLimiter(5.0)
    assert [now for now in (0.2, 1.7, 1.7, 1.75, 1.8) if one.due(now)] == [0.2, 1.7, 1.8]


def field(seed: int = 1, **settings: object) -> ScalarField:
    parameters = WorldParameters(**settings)  # type: ignore[arg-type]
    return ScalarField(parameters, np.random.default_rng(seed))


def test_reading_of_a_peak_at_centre_width_and_far_away() -> None:
    # One width away a Gaussian has fallen to exp(-1/2) of its height, two away to exp(-2).
    one = field(reading_base=20.0, reading_peaks=(1.0, 2.0, 10.0, 3.0))
    places = np.array([[1.0, 2.0, 0.5], [4.0, 2.0, 0.0], [1.0, -4.0, 0.0], [900.0, 0.0, 0.0]])
    expected = [30.0, 20.0 + 10.0 * math.exp(-0.5), 20.0 + 10.0 * math.exp(-2.0), 20.0]
    assert np.allclose(one.value(places), expected)
    assert one.read(places).tolist() == one.value(places).tolist()


def test_peaks_add_up_and_may_be_negative() -> None:
    # In the middle between two bumps of width 1 at distance 2: exp(-1/2) of each.
    two = field(reading_peaks=(-1.0, 0.0, 4.0, 1.0, 1.0, 0.0, -1.0, 1.0))
    assert two.value(np.zeros((1, 2))) == pytest.approx([3.0 * math.exp(-0.5)])
    assert field(reading_base=7.0, reading_peaks=()).value(np.zeros((2, 2))).tolist() == [7.0, 7.0]


def test_noise_is_drawn_for_each_reading_by_the_seed() -> None:
    places = np.zeros((2000, 2))
    noisy = {'reading_base': 5.0, 'reading_peaks': (), 'reading_noise': 0.5}
    first = field(**noisy)
    read, again = first.read(places), first.read(places)
    assert np.array_equal(field(**noisy).read(places), read)
    assert not np.array_equal(read, again)
    # Of 2000 readings the mean lies within four of its own deviations, 0.5 / sqrt(2000).
    assert abs(read.mean() - 5.0) < 4 * 0.5 / math.sqrt(2000)
    assert 0.46 < read.std() < 0.54


@pytest.mark.parametrize('peaks', [(1.0, 2.0, 3.0), (0.0, 0.0, 1.0, 0.0), (0.0,) * 3 + (-1.0,)])
def test_incomplete_peaks_are_refused(peaks: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match='parameter reading_peaks'):
        WorldParameters(reading_peaks=peaks)
