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

from functools import partial
import math

from leader_election_lab.analysis.measures import settling_time
import numpy as np
from numpy.typing import NDArray
import pytest
from reproduction.curves import (
    compare_curves,
    Curve,
    estimate_of_curve,
    INSIDE,
    largest_by_chance,
    OUTSIDE,
    seeds_of,
    time_to_one_leader,
)
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


@pytest.mark.parametrize('seeds', [2, 40])
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


def test_seed_was_run_if_it_has_counts():
    # Seed 1 is missing; in seed 2 all devices died, after which there is nothing to measure.
    values = xr.DataArray([[1.0, 2.0], [np.nan, np.nan], [1.0, np.nan]],
                          {'seed': [0, 1, 2], 'time': [1.0, 2.0]})
    counts = xr.DataArray([[9, 0], [-1, -1], [4, 0]], {'seed': [0, 1, 2], 'counter': ['a', 'b']})
    assert seeds_of(values, counts)['seed'].values.tolist() == [0, 2]


def test_value_of_the_mean_curve_is_not_the_mean_of_values():
    read = partial(settling_time, np.array([1.0, 2.0, 3.0]), below=6.0, start=0.0, end=3.0)
    # One settles at 1, one at 3. Their mean, 5 at 2, is below 6 already at 1.
    curves = np.array([[0.0, 0.0, 0.0], [10.0, 10.0, 0.0]])
    # Some draws have one seed only: the interval is from the first's time to the second's.
    assert estimate_of_curve(curves, read) == (1.0, 1.0, 3.0)
    # Equal seeds have an interval of width 0.
    assert estimate_of_curve(np.tile(curves[1], (4, 1)), read) == (3.0, 3.0, 3.0)
    assert np.isnan(estimate_of_curve(np.empty((0, 5)), np.max)).all()


def test_time_to_one_leader_is_the_start_of_the_final_run():
    times = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    size = np.full(5, 10)
    one = np.ones(5)
    # One leader is named, but at 3 it does not lead.
    assert time_to_one_leader(times, np.array([2, 1, 1, 1, 1]), np.array([1, 1, 0, 1, 1]),
                              size, 10) == 4.0
    # One existing leader is named, but until 4 some devices follow one that does not exist.
    assert time_to_one_leader(times, one, one, np.array([5, 10, 10, 8, 10]), 10) == 5.0
    assert time_to_one_leader(times, one, one, size, 10) == 1.0
    assert math.isnan(time_to_one_leader(times, np.array([1, 1, 1, 1, 2]), one, size, 10))
