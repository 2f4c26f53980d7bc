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

"""
Metrics derived from the results of runs: devices with a live leader, and errors of counting.

Instability is not sufficient: devices may agree permanently on a leader that is gone, or that now
follows another one. The part of devices whose leader leads itself shows this.
"""

from leader_election.lab.analysis.settings import period_of
from leader_election.lab.analysis.statistics import time_average
from leader_election.lab.engine.samples import COUNTERS, ROUNDS
import xarray


def mean_running(results: xarray.Dataset) -> xarray.DataArray:
    """
    Return the mean number of devices that ran, over a run; nan where the run is missing.

    It is derived from the number of rounds that were run, and from the period of each variant.

    :param results: of a scenario (see :mod:`leader_election.lab.runs.results`).
    """
    counted = results['counts'].sel(counter=COUNTERS[ROUNDS], drop=True)
    mean: xarray.DataArray = (
        counted.where(counted > 0) * period_of(results) / results['time'].max().item())
    return mean


def led_part(results: xarray.Dataset) -> xarray.DataArray:
    """
    Return the part of devices, 0 to 1, whose leader leads itself, over time.

    The reference is the mean number of running devices, so that it is not exact at each time
    where devices fail or join.
    """
    # The mean size of regions is taken over leaders that lead themselves; 'correct' counts these.
    part: xarray.DataArray = results['mean_size'] * results['correct'] / mean_running(results)
    return part


def united_part(results: xarray.Dataset) -> xarray.DataArray:
    """Return the part of devices, 0 to 1, in the largest region whose leader leads itself."""
    part: xarray.DataArray = results['largest_size'] / mean_running(results)
    return part


DERIVED = {'led': led_part, 'united': united_part}
"""The metrics over time that are derived from others, by name."""


def has_counts(results: xarray.Dataset) -> bool:
    """Return whether the regions of any algorithm collect a sum, such as a count."""
    return 'counted' in results and bool(results['counted'].notnull().any())


def counted_part(results: xarray.Dataset) -> xarray.DataArray:
    """Return the sum of all leaders' counts divided by the true value; 1 is exact."""
    part: xarray.DataArray = results['counted'] / results['present']
    return part


def counting_bias(results: xarray.Dataset) -> xarray.DataArray:
    """
    Return the mean deviation of leaders' counts over time, relative to the true value.

    >>> counted = xarray.DataArray([0.0, 9.0, 12.0, 9.0, 10.0, 10.0], {'time': range(1, 7)})
    >>> results = xarray.Dataset({'counted': counted, 'present': xarray.full_like(counted, 10.0)})
    >>> counting_bias(results).item(), counting_error(results).round(9).item()
    (0.0, 0.08)
    """
    deviation: xarray.DataArray = time_average(counted_part(results)) - 1.0
    return deviation


def counting_error(results: xarray.Dataset) -> xarray.DataArray:
    """Return the mean absolute deviation of leaders' counts, relative to the true value."""
    deviation: xarray.DataArray = abs(counted_part(results) - 1.0)
    return time_average(deviation)
