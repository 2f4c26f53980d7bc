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

"""Numbers of runs: those from curves, and the part of devices that are led, computed by hand."""

from functools import partial
import math

from hypothesis import given
from hypothesis import strategies as st
from lab.figures.example_results import results
from leader_election.lab.analysis.measures import (
    estimate_mean,
    estimate_of_curve,
    led_part,
    mean_running,
    seeds_of,
    settling_time,
    time_average,
    time_to_one_leader,
    united_part,
)
from leader_election.lab.runs.results import PERIOD
import numpy as np
import pytest
import xarray as xr


def test_the_average_leaves_out_the_first_sixth_and_no_more():
    # The first 2 of 12 s are left out; 3 to 12 are ten samples with the sum 75.
    values = xr.DataArray([np.arange(1.0, 13.0), np.full(12, np.nan)],
                          {'seed': [0, 1], 'time': np.arange(1.0, 13.0)})
    averages = time_average(values)
    assert averages.sel(seed=0) == 7.5
    # A missing run is not zero, but missing.
    assert np.isnan(averages.sel(seed=1))


def test_a_seed_was_run_if_it_has_counts():
    # Seed 1 is missing; in seed 2 all devices died, after which there is nothing to measure.
    values = xr.DataArray([[1.0, 2.0], [np.nan, np.nan], [1.0, np.nan]],
                          {'seed': [0, 1, 2], 'time': [1.0, 2.0]})
    counts = xr.DataArray([[9, 0], [-1, -1], [4, 0]], {'seed': [0, 1, 2], 'counter': ['a', 'b']})
    assert seeds_of(values, counts)['seed'].values.tolist() == [0, 2]


def test_the_interval_of_a_mean_by_student():
    # Mean 5, deviation 2 (squares 4 + 4 + 0 + 0 + 8 = 16 over 4), t(4, 97.5 %) = 2.776445:
    # half a width of 2.776445 * 2 / sqrt(5) = 2.483328.
    samples = np.array([3.0, 7.0, 5.0, 5.0 - math.sqrt(4.0), 5.0 + math.sqrt(4.0)])
    assert np.square(samples - 5.0).sum() == 16.0
    assert estimate_mean(samples) == pytest.approx((5.0, 5.0 - 2.483328, 5.0 + 2.483328), abs=1e-6)


def test_one_seed_has_no_interval_and_none_no_mean():
    assert estimate_mean(np.array([4.0]))[0] == 4.0
    assert np.isnan(estimate_mean(np.array([4.0]))[1:]).all()
    assert np.isnan(estimate_mean(np.array([]))).all()
    assert np.isnan(estimate_of_curve(np.empty((0, 5)), np.max)).all()


def test_the_settling_time_counts_from_the_switch():
    times = np.arange(1.0, 11.0)
    # Switch at 4: below at 5, up again at 6 and 7, below from 8 on; at 11 there is nothing.
    curve = np.array([0.0, 0.0, 0.0, 9.0, 0.0, 5.0, 1.0, 0.9, 0.0, 0.0])
    assert settling_time(times, curve, 1.0, 4.0, 10.0) == 4.0
    # Samples at the switch itself, and after the end, do not count.
    assert settling_time(times, curve, 1.0, 7.0, 10.0) == 1.0
    assert settling_time(times, curve, 1.0, 0.0, 3.0) == 1.0
    assert math.isnan(settling_time(times, curve, 1.0, 4.0, 7.0))
    assert math.isnan(settling_time(times, curve, 1.0, 10.0, 20.0))


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, math.nan]), min_size=1, max_size=12),
       st.integers(0, 12), st.integers(0, 12))
def test_the_settling_time_is_the_first_with_all_later_samples_below(values, start, end):
    times, curve = np.arange(1.0, len(values) + 1), np.array(values)
    settled = settling_time(times, curve, 1.0, start, end)
    within = [value for time, value in zip(times, curve) if start < time <= end]
    if math.isnan(settled):
        assert not within or not within[-1] < 1.0
    else:
        assert all(value < 1.0 for value in within[int(settled) - 1:])
        assert settled == 1.0 or not within[int(settled) - 2] < 1.0


def test_nan_is_not_settled():
    assert settling_time(np.array([1.0, 2.0, 3.0]), np.array([0.0, np.nan, 0.0]),
                         1.0, 0.0, 3.0) == 3.0


def test_the_value_of_the_mean_curve_is_not_the_mean_of_values():
    # One settles at 1, one at 3; their mean, 5 at 2, is below 6 already at 1.
    curves = np.array([[0.0, 0.0, 0.0], [10.0, 10.0, 0.0]])
    read = partial(settling_time, np.array([1.0, 2.0, 3.0]), below=6.0, start=0.0, end=3.0)
    estimate = estimate_of_curve(curves, read)
    # Some draws have one seed only: the interval is from the first's time to the second's.
    assert estimate == (1.0, 1.0, 3.0)


def test_equal_seeds_have_an_interval_of_width_0():
    curves = np.tile([10.0, 10.0, 0.0], (4, 1))
    read = partial(settling_time, np.array([1.0, 2.0, 3.0]), below=6.0, start=0.0, end=3.0)
    assert estimate_of_curve(curves, read) == (3.0, 3.0, 3.0)


def test_the_time_from_which_all_devices_have_one_leader():
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


TIMES = np.arange(1.0, 5.0)


def test_the_number_of_running_devices_follows_from_their_rounds():
    """100 devices run a round a second for 4 s; the second seed has no results."""
    dataset = results(['bounded'], TIMES, 2)
    dataset['counts'][0, 1, 0] = -1
    assert mean_running(dataset).values == pytest.approx(np.array([[100.0, np.nan]]), nan_ok=True)


def test_the_period_may_be_another_one_and_may_vary():
    dataset = results(['bounded'], TIMES, 1)
    dataset[PERIOD] = 0.5
    assert mean_running(dataset).values == pytest.approx(50.0)
    varied = results(['bounded'], TIMES, 1, {'rounds.period': [0.5, 2.0]})
    varied[PERIOD] = 'rounds.period', [0.5, 2.0]
    assert mean_running(varied).values.ravel() == pytest.approx([50.0, 200.0])


def test_the_period_may_vary_under_a_name_of_the_users_own():
    dataset = results(['bounded'], TIMES, 1, {'pace': ['1', 'slow'], 'messages.loss': [0.0, 0.5]},
                      correct=4, mean_size=15, largest_size=30)
    dataset[PERIOD] = 'pace', [1.0, 2.0]
    dataset['counts'].loc[{'pace': 'slow'}] = 200
    assert mean_running(dataset).dims == ('algorithm', 'pace', 'messages.loss', 'seed')
    # 400 rounds in 4 s at one a second; 200 rounds at one in 2 s.
    assert (mean_running(dataset) == 100.0).all()
    assert led_part(dataset).values == pytest.approx(0.6)
    assert united_part(dataset).values == pytest.approx(0.3)
    # The results of one variant.
    slow = dataset.isel(pace=1)
    assert mean_running(slow).dims == ('algorithm', 'messages.loss', 'seed')
    assert (mean_running(slow) == 100.0).all()


def test_devices_whose_leader_does_not_lead_are_not_led():
    """5 leaders are named. 4 lead, 15 devices each and 30 at most: 60 and 30 of 100."""
    dataset = results(['bounded'], TIMES, 1, named=5, correct=4, mean_size=15, largest_size=30)
    assert led_part(dataset).dims == ('algorithm', 'seed', 'time')
    assert led_part(dataset).values == pytest.approx(0.6)
    assert united_part(dataset).values == pytest.approx(0.3)
