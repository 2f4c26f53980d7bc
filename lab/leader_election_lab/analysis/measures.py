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
Measures of runs, averages over time, settling times, and confidence intervals over seeds.

Measures are sampled, or derived from those. Instability is not sufficient: devices may agree
permanently on a leader that is gone, or that now follows another one. The part of devices whose
leader leads itself shows this.
"""

from typing import NamedTuple

from leader_election.parameters import did_you_mean
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.results import sampled
from leader_election_lab.states import COUNTERS, ROUNDS, SENT
import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit  # type: ignore[import-untyped]
import xarray as xr

CONFIDENCE = 0.95
EQUAL = 6
"""
With fewer samples, equal ones do not show that their mean differs from another value: five of a
symmetric distribution are on the same side of its mean in 6 % of cases (sign test).
"""
ROUNDING = 1e-6
"""Relative difference below which samples are equal. The rounding of float32 is 6e-8."""
WARM_UP = 1 / 6
"""The part of a run that averages over time exclude: 100 of 600 rounds in ACSOS 2022."""

Floats = NDArray[np.float64]


class Estimate(NamedTuple):
    """A number measured over seeds, with its 95 % interval (nan where it cannot be computed)."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Return half of the interval, or nan without an interval."""
        return (self.high - self.low) / 2.0

    def text(self, form: str) -> str:
        """
        Return the number, and half of its interval where it has one, as text.

        :param form: of the number, as of :func:`format`.

        >>> Estimate(0.05, 0.04, 0.06).text('.3f'), Estimate(0.5, 0.48, 0.52).text('+.1%')
        ('0.050 ± 0.010', '+50.0 ± 2.0%')
        >>> Estimate(0.5, np.nan, np.nan).text('.1%')
        '50.0%'
        """
        unit, factor = ('%', 100.0) if form.endswith('%') else ('', 1.0)
        plain = form.removesuffix('%') + ('f' if unit else '')
        half = '' if np.isnan(self.half_width) else (
            f' ± {factor * self.half_width:{plain.lstrip("+")}}')
        return f'{factor * self.value:{plain}}{half}{unit}'


def time_average(values: xr.DataArray) -> xr.DataArray:
    """
    Return the average over time of a run after its warm-up, or nan for a missing run.

    :param values: over ``time`` [s] and other dimensions, which the result keeps.

    >>> rounds = xr.DataArray([9.0, 1.0, 1.0, 1.0, 1.0, 4.0], {'time': [1, 2, 3, 4, 5, 6]})
    >>> time_average(rounds).item()
    1.6
    """
    time = values['time']
    return values.where(time > WARM_UP * time.max(), drop=True).mean('time')


def estimate_mean(samples: Floats) -> Estimate:
    """
    Return the mean of independent samples and its interval by Student's t.

    :param samples: shape (n,).

    >>> [round(number, 3) for number in estimate_mean(np.array([1.0, 2.0, 3.0]))]
    [2.0, -0.484, 4.484]
    """
    n = len(samples)
    mean = float(samples.mean()) if n > 0 else np.nan
    half = np.nan if n < 2 else float(
        stdtrit(n - 1, 0.5 + CONFIDENCE / 2) * samples.std(ddof=1) / np.sqrt(n))
    return Estimate(mean, mean - half, mean + half)


def are_equal(samples: Floats) -> bool:
    """
    Return whether samples are equal but for rounding, so that their spread is not known.

    :param samples: shape (n,).

    >>> are_equal(np.array([0.3, 0.1 + 0.2])), are_equal(np.array([0.3, 0.31]))
    (True, False)
    """
    return len(samples) > 1 and bool(np.ptp(samples) <= ROUNDING * float(abs(samples).max()))


def half_widths(values: xr.DataArray) -> xr.DataArray:
    """
    Return half of the 95 % interval of the mean over seeds, of many means at once.

    :param values: over ``seed`` and other dimensions, nan where a value is missing.
    :return: over the other dimensions, nan for fewer than two values.

    >>> half_widths(xr.DataArray([1.0, 2.0, 3.0], dims='seed')).round(3).item()
    2.484
    """
    n = values.count('seed')
    more = n.where(n > 1)
    return stdtrit(more - 1, 0.5 + CONFIDENCE / 2) * values.std('seed', ddof=1) / np.sqrt(more)


def settling_time(times: Floats, curve: Floats, below: float, start: float, end: float) -> float:
    """
    Return the time after ``start`` from which on a curve stays below a bound until ``end``.

    :param times: of the samples [s], shape (n,), as has the curve.
    :param below: the bound, in the unit of the curve.
    :param start: exclusive [s], whereas ``end`` is inclusive.
    :return: the time from ``start`` to the first sample from which on all are below [s], nan if
        the last sample is not below, or there are no samples.

    >>> times, curve = np.arange(8.0), np.array([0.0, 0.0, 5.0, 3.0, 0.0, 0.0, 9.0, 0.0])
    >>> settling_time(times, curve, 1.0, 0.0, 5.0)
    4.0
    >>> settling_time(times, curve, 1.0, 0.0, 6.0)
    nan
    """
    within = (times > start) & (times <= end)
    return start_of_final_run(times[within], curve[within] < below) - start


def start_of_final_run(times: Floats, good: NDArray[np.bool_]) -> float:
    """Return the time from which on all samples are good, or nan if the last one is not."""
    bad = np.flatnonzero(~good)
    first = bad[-1] + 1 if len(bad) else 0
    return float(times[first]) if first < len(times) else float('nan')


def led_part(results: xr.Dataset) -> xr.DataArray:
    """Return the part of the running devices, 0 to 1, whose leader leads itself, over time."""
    # The mean size of regions is taken over leaders that lead themselves; 'correct' counts these.
    return results['mean_size'] * results['correct'] / running(results)


def united_part(results: xr.Dataset) -> xr.DataArray:
    """Return the part of running devices, 0 to 1, in the largest region of a true leader."""
    return results['largest_size'] / running(results)


def running(results: xr.Dataset) -> xr.DataArray:
    """Return the number of devices that run, nan while none does and for a missing run."""
    number = results['running']
    return number.where(number > 0)


DERIVED = {'led': led_part, 'united': united_part}
"""The metrics over time that are derived from others, by name."""


def has_counts(results: xr.Dataset) -> bool:
    """Return whether the regions of any algorithm collect a sum, such as a count."""
    return 'counted' in results and bool(results['counted'].notnull().any())


def counted_part(results: xr.Dataset) -> xr.DataArray:
    """Return the sum of all leaders' counts, relative to the true value."""
    return results['counted'] / results['present']


def counting_bias(results: xr.Dataset) -> xr.DataArray:
    """
    Return the mean deviation of leaders' counts over time, relative to the true value.

    >>> counted = xr.DataArray([0.0, 9.0, 12.0, 9.0, 10.0, 10.0], {'time': range(1, 7)})
    >>> results = xr.Dataset({'counted': counted, 'present': xr.full_like(counted, 10.0)})
    >>> counting_bias(results).item(), counting_error(results).round(9).item()
    (0.0, 0.08)
    """
    return time_average(counted_part(results)) - 1.0


def counting_error(results: xr.Dataset) -> xr.DataArray:
    """Return the mean absolute deviation of leaders' counts, relative to the true value."""
    deviation: xr.DataArray = abs(counted_part(results) - 1.0)
    return time_average(deviation)


LED, UNITED = DERIVED
RECEIVERS, BYTES, BIAS, OFF = 'receivers', 'bytes', 'bias', 'off'
"""Measures that are derived from others. ``off`` is the mean absolute deviation of counts."""
PERCENT = (LED, UNITED, 'informed', 'agreeing', BIAS, OFF)
"""Measures that are written in per cent."""
PARTS = ('instability', *PERCENT)
"""Measures that are parts of 1."""


def measures_of(results: xr.Dataset) -> tuple[str, ...]:
    """Return the measures that have a number for each run of some results."""
    derived = [LED, UNITED, RECEIVERS, BYTES] + ([BIAS, OFF] if has_counts(results) else [])
    return (*sampled(results), *derived)


def each_run(results: xr.Dataset, measure: str) -> xr.DataArray:
    """
    Return a number for each run, for sampled measures their average after the warm-up.

    :param measure: one of :func:`measures_of`.
    :return: over ``algorithm``, the keys that vary and ``seed``, nan for missing runs.
    :raises ResultError: for an unknown measure.
    """
    known = measures_of(results)
    if measure not in known:
        raise ResultError(f'measure {measure!r} is not allowed; {did_you_mean(measure, known)}'
                          f'it takes one of {", ".join(known)}')
    if measure == BYTES:
        return results['message_bytes']
    if measure == RECEIVERS:
        counts = results['counts'].where(results['counts'] >= 0)
        return (counts.sel(counter=COUNTERS[SENT], drop=True)
                / counts.sel(counter=COUNTERS[ROUNDS], drop=True))
    if measure in (BIAS, OFF):
        return counting_bias(results) if measure == BIAS else counting_error(results)
    return time_average(DERIVED[measure](results) if measure in DERIVED else results[measure])
