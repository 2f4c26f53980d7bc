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

"""Measures of runs, and comparisons of them."""

import math

from example_results import results as made_up
from hypothesis import example, given
from hypothesis import strategies as st
from leader_election_lab.analysis.measures import (
    estimate_mean,
    led_part,
    settling_time,
    time_average,
    united_part,
)
import numpy as np
import pytest
import xarray as xr


def test_average_leaves_out_the_first_sixth_and_no_more():
    # The first 2 of 12 s are left out; 3 to 12 are ten samples with the sum 75.
    values = xr.DataArray([np.arange(1.0, 13.0), np.full(12, np.nan)],
                          {'seed': [0, 1], 'time': np.arange(1.0, 13.0)})
    averages = time_average(values)
    assert averages.sel(seed=0) == 7.5
    # A missing run is not zero, but missing.
    assert np.isnan(averages.sel(seed=1))


def test_mean_has_no_interval_when_there_is_one_seed():
    assert estimate_mean(np.array([4.0]))[0] == 4.0
    assert np.isnan(estimate_mean(np.array([4.0]))[1:]).all()
    assert np.isnan(estimate_mean(np.array([]))).all()


@given(st.lists(st.sampled_from([0.0, 1.0, 2.0, math.nan]), min_size=1, max_size=12),
       st.integers(0, 12), st.integers(0, 12))
@example([0.0, 0.0], 1, 2)
@example([0.0, 2.0], 0, 2)
def test_settling_time_is_the_first_with_all_later_samples_below(values, start, end):
    times, curve = np.arange(1.0, len(values) + 1), np.array(values)
    settled = settling_time(times, curve, 1.0, start, end)
    within = [value for time, value in zip(times, curve) if start < time <= end]
    if math.isnan(settled):
        assert not within or not within[-1] < 1.0
    else:
        # The sample at the start itself does not count.
        assert settled >= 1.0 and all(value < 1.0 for value in within[int(settled) - 1:])
        assert settled == 1.0 or not within[int(settled) - 2] < 1.0


def test_led_part_is_of_the_devices_that_run_at_each_time():
    running = np.array([0, 40, 100, 100])
    dataset = made_up(['bounded'], np.arange(1.0, 5.0), 1, running=running, correct=4,
                      mean_size=np.array([0, 10, 15, 25]), largest_size=20)
    assert led_part(dataset).values.ravel() == pytest.approx([np.nan, 1.0, 0.6, 1.0], nan_ok=True)
    assert united_part(dataset).values.ravel() == pytest.approx([np.nan, 0.5, 0.2, 0.2],
                                                                nan_ok=True)
