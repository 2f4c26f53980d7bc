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

The part of devices whose leader leads itself belongs beside instability. Devices that name a
leader that is gone, or one that by now follows another, may all agree, and change nothing.
"""

from leader_election.lab.engine.network import COUNTERS, ROUNDS
from leader_election.lab.statistics import time_average
import xarray
import xarray as xr
import yaml


def running(results: xarray.Dataset) -> xarray.DataArray:
    """
    Return how many devices ran, as a mean over a run; nan where it is missing.

    It is told by how many rounds were run.

    :param results: of a scenario, as :mod:`leader_election.lab.results` says.
    """
    rounds = yaml.safe_load(results.attrs['text']).get('rounds') or {}
    period = results.coords.get('rounds.period', rounds.get('period', 1.0))
    counted = results['counts'].sel(counter=COUNTERS[ROUNDS], drop=True)
    mean: xarray.DataArray = counted.where(counted > 0) * period / results['time'].max().item()
    return mean


def following(results: xarray.Dataset) -> xarray.DataArray:
    """
    Return the part of devices, from 0 to 1, whose leader leads itself.

    Of the devices that run on average: where some die or join it is a little wrong at times.
    """
    # The mean size of regions is over leaders that lead, who are this many.
    part: xarray.DataArray = results['mean_size'] * results['correct'] / running(results)
    return part


def united(results: xarray.Dataset) -> xarray.DataArray:
    """Return the part of devices, from 0 to 1, that have the same leader, which leads itself."""
    part: xarray.DataArray = results['largest_size'] / running(results)
    return part


def counts_members(results: xr.Dataset) -> bool:
    """Say whether any algorithm of some results has regions in which something adds up."""
    return 'counted' in results and bool(results['counted'].notnull().any())


def counted_part(results: xr.Dataset) -> xr.DataArray:
    """Return what all leaders count as a part of what there is; 1 is right."""
    part: xr.DataArray = results['counted'] / results['present']
    return part


def bias(results: xr.Dataset) -> xr.DataArray:
    """
    Return by how much leaders count too many on average, as a part of what there is.

    >>> counted = xr.DataArray([0.0, 9.0, 12.0, 9.0, 10.0, 10.0], {'time': range(1, 7)})
    >>> results = xr.Dataset({'counted': counted, 'present': xr.full_like(counted, 10.0)})
    >>> bias(results).item(), error(results).round(9).item()
    (0.0, 0.08)
    """
    too_many: xr.DataArray = time_average(counted_part(results)) - 1.0
    return too_many


def error(results: xr.Dataset) -> xr.DataArray:
    """Return by how much leaders are off on average, as a part of what there is."""
    off: xr.DataArray = abs(counted_part(results) - 1.0)
    return time_average(off)
