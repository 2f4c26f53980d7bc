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

"""Whole curves against published ones: inside is what chance makes, all else is outside."""

from leader_election_lab.published.whole_curves import (
    compare_curves,
    Curve,
    INSIDE,
    largest_by_chance,
    OUTSIDE,
)
import numpy as np
from numpy.typing import NDArray
import pytest
import xarray as xr

ROUNDS = np.arange(1.0, 61.0)


def drawn(seeds: int, stream: int) -> NDArray[np.float64]:
    """Draw curves whose rounds depend on each other, shape (seeds, 60)."""
    steps = np.random.default_rng(stream).normal(0.0, 0.01, (seeds, 64))
    return 0.2 + np.stack([steps[:, k:k + 60] for k in range(5)]).sum(axis=0)


def compared(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> Curve:
    reference = xr.Dataset({'mean': (('algorithm', 'time'), [theirs.mean(axis=0)])}, coords={
        'algorithm': ['bounded'], 'time': ROUNDS})
    results = xr.Dataset({
        'instability': (('algorithm', 'seed', 'time'), np.stack([ours, ours])),
        'counts': (('algorithm', 'seed', 'counter'), np.zeros((2, len(ours), 1), int))},
        coords={'algorithm': ['bounded', 'unpublished'], 'time': ROUNDS})
    [curve] = compare_curves(reference, results, len(theirs))
    return curve


@pytest.mark.parametrize('seeds', [2, 5, 40])
def test_curves_of_one_distribution_are_inside_in_95_of_100_cases(seeds: int) -> None:
    inside = [compared(drawn(seeds, 2 * k), drawn(200, 2 * k + 1)).inside for k in range(100)]
    assert 90 <= sum(inside) <= 100


@pytest.mark.parametrize('at', [0, 30, 59])
def test_curve_is_outside_when_three_rounds_of_it_are_shifted(at: int) -> None:
    ours, theirs = drawn(40, 2), drawn(200, 3)
    ours[:, max(at - 1, 0):at + 2] += 0.05
    curve = compared(ours, theirs)
    assert (curve.inside, curve.cells()[-1]) == (False, OUTSIDE)
    assert abs(curve.at - 1 - at) <= 1 and curve.difference == pytest.approx(0.05, abs=0.02)


def test_curve_of_one_seed_is_not_judged() -> None:
    curve = compared(drawn(1, 2), drawn(200, 3))
    assert (curve.inside, curve.cells()[-1], curve.cells()[2]) == (None, '', '')
    assert np.isnan(largest_by_chance(drawn(1, 2), 200))


def test_curve_shows_the_round_and_what_chance_makes() -> None:
    assert Curve('bounded: x', -0.0123, 7.0, 0.02).cells() == (
        'bounded: x', '-0.012 in round 7', 'chance: ± 0.02', '', '', '', '', INSIDE)
