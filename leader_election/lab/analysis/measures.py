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
The measures of runs: those that are sampled, and those that are derived from them.

Instability is not sufficient: devices may agree permanently on a leader that is gone, or that now
follows another one. The part of devices whose leader leads itself shows this.
"""

from collections.abc import Sequence

from leader_election.lab.analysis.statistics import time_average
from leader_election.lab.engine.samples import COUNTERS, ROUNDS, SENT
from leader_election.lab.runs.results import PERIOD, ResultError
from leader_election.parameters import did_you_mean
import xarray


def mean_running(results: xarray.Dataset) -> xarray.DataArray:
    """
    Return the mean number of devices that ran, over a run; nan where the run is missing.

    It is derived from the number of rounds that were run, and from their period.

    :param results: of a scenario (see :mod:`leader_election.lab.runs.results`).
    """
    counted = results['counts'].sel(counter=COUNTERS[ROUNDS], drop=True)
    mean: xarray.DataArray = (
        counted.where(counted > 0) * results[PERIOD] / results['time'].max().item())
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


LED, UNITED = DERIVED
RECEIVERS, BYTES, BIAS, OFF = 'receivers', 'bytes', 'bias', 'off'
"""Measures that are derived from others; ``off`` is the mean absolute deviation of counts."""
PERCENT = (LED, UNITED, 'informed', 'agreeing', BIAS, OFF)
"""Measures that are written in per cent."""
PARTS = ('instability', *PERCENT)
"""Measures that are parts of 1."""


def measures_of(results: xarray.Dataset) -> tuple[str, ...]:
    """Return the measures that have a number for each run of some results."""
    derived = [LED, UNITED, RECEIVERS, BYTES] + ([BIAS, OFF] if has_counts(results) else [])
    sampled = [str(name) for name, values in results.data_vars.items() if 'time' in values.dims]
    return (*sampled, *derived)


def measures_to_come(missing: xarray.Dataset) -> tuple[str, ...]:
    """Return the measures that results may have once their missing runs are computed."""
    return measures_of(missing) + ((BIAS, OFF) if 'counted' in missing else ())


def check_measure(known: Sequence[str], measure: str) -> None:
    """Raise a :class:`ResultError` for a measure that is not among the known ones."""
    if measure not in known:
        raise ResultError(f'measure {measure!r} is not allowed; {did_you_mean(measure, known)}'
                          f'it takes one of {", ".join(known)}')


def each_run(results: xarray.Dataset, measure: str) -> xarray.DataArray:
    """
    Return a number for each run; sampled measures are averaged over time after the warm-up.

    :param measure: one of :func:`measures_of`.
    :return: over ``algorithm``, the keys that vary and ``seed``; nan for missing runs.
    :raises ResultError: for an unknown measure.
    """
    check_measure(measures_of(results), measure)
    if measure == BYTES:
        return results['message_bytes']
    if measure == RECEIVERS:
        counts = results['counts'].where(results['counts'] >= 0)
        received: xarray.DataArray = (counts.sel(counter=COUNTERS[SENT], drop=True)
                                      / counts.sel(counter=COUNTERS[ROUNDS], drop=True))
        return received
    if measure in (BIAS, OFF):
        return counting_bias(results) if measure == BIAS else counting_error(results)
    return time_average(DERIVED[measure](results) if measure in DERIVED else results[measure])
