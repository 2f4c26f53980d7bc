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

"""Numbers that decide statements of the papers, their intervals, and the verdicts."""

from collections.abc import Callable, Mapping, Sequence
from math import inf, isnan
from typing import Any, NamedTuple

from leader_election_lab.analysis import measures
from leader_election_lab.analysis.measures import Estimate, Floats
import numpy as np
from reproduction import coverage, ENOUGH
from reproduction.curves import estimate_of_curve
import xarray as xr

BOUNDED, ROBOTS = 'bounded', 'bounded-0.25'
"""The labels of Bounded Election as published, and with the robots' default hysteresis."""


class Reading(NamedTuple):
    """A number that a statement is about, and the range where the statement has it."""

    name: str
    value: Estimate
    form: str = '+.4f'
    least: float = 0.0
    most: float = inf
    runs: int = 0
    never: int = 0
    """How many of the runs have no number, since what is measured never happened in them."""
    resampled: int = 0
    """The number of seeds of a bootstrap interval, 0 for another interval."""

    @property
    def decides(self) -> bool:
        """Return whether the interval stands for all runs, and is not too narrow."""
        return not self.never and not 0 < self.resampled < ENOUGH

    def text(self) -> str:
        """
        Return the name, the number and its interval.

        >>> Reading('later:', Estimate(2.0, -1.0, 7.0), '+.1f').text()
        'later: +2.0 (-1.0 to +7.0)'
        >>> Reading('later:', Estimate(2.0, -1.0, 7.0), '.1f', runs=8, never=1).text()
        'later: 2.0 (-1.0 to 7.0), 1 of 8 never'
        """
        if isnan(self.value.value):
            return f'{self.name} never'
        number, low, high = (format(each, self.form) for each in self.value)
        covers = coverage(self.resampled) if self.resampled else ''
        interval = '' if isnan(self.value.low) else (
            f' ({low} to {high}{", " if covers else ""}{covers})')
        never = f', {self.never} of {self.runs} never' if self.never else ''
        return f'{self.name} {number}{interval}{never}'


def verdict(readings: Sequence[Reading]) -> str:
    """
    Return whether all intervals decide, and are within their ranges: yes, no, or open.

    >>> verdict([Reading('a', Estimate(2.0, 1.0, 3.0))])
    'yes'
    >>> verdict([Reading('a', Estimate(2.0, 1.0, 3.0)), Reading('b', Estimate(1.0, -1.0, 3.0))])
    'open'
    >>> verdict([Reading('a', Estimate(2.0, 1.0, 3.0)), Reading('b', Estimate(5.0, 4.0, 6.0),
    ...                                                         most=3.0)])
    'no'
    """
    if any(isnan(each.value.value) or each.decides and (
            each.value.high < each.least or each.value.low > each.most) for each in readings):
        return 'no'
    within = all(each.decides and each.value.low > each.least and each.value.high < each.most
                 for each in readings)
    return 'yes' if within else 'open'


Test = Callable[[xr.Dataset, str], list[Reading]]
"""``test(results, label)``: the numbers of one algorithm."""


class Statement(NamedTuple):
    """A sentence of a paper, and how it is measured."""

    paper: str
    section: str
    says: str
    scenario: str
    labels: tuple[str, ...]
    test: Test


def runs_of(results: xr.Dataset, measure: str, **at: Any) -> Floats:
    """Return a measure of each run at one place, averaged over time after the warm-up."""
    runs = measures.each_run(results, measure).sel(at).values
    return np.asarray(runs, np.float64)


def more_than(measure: str, others: Sequence[str]) -> Test:
    """Return the test that other algorithms have more of a measure, within seeds."""
    def test(results: xr.Dataset, label: str) -> list[Reading]:
        own = runs_of(results, measure, algorithm=label)
        return [over_runs(f'{other} - {label}:', runs_of(results, measure, algorithm=other) - own)
                for other in others]
    return test


def over_runs(name: str, samples: Floats, form: str = '+.4f', least: float = 0.0,
              most: float = inf) -> Reading:
    """
    Return the mean over runs, and how many of them have no number.

    :param samples: a number for each run, nan for never.
    """
    ended = samples[~np.isnan(samples)]
    return Reading(name, measures.estimate_mean(ended), form, least, most, len(samples),
                   len(samples) - len(ended))


def extreme(name: str, samples: Floats, form: str, least: float = 0.0) -> Reading:
    """
    Return the least number of any run, which has no interval: no run may be below a bound.

    :param samples: a number for each run, nan for never.
    """
    ended = samples[~np.isnan(samples)]
    lowest = float(ended.min()) if len(ended) else np.nan
    return Reading(name, Estimate(lowest, lowest, lowest), form, least, inf, len(samples),
                   len(samples) - len(ended))


def of_curves(name: str, results: xr.DataArray, read: Callable[..., float],
              *places: Mapping[str, Any], **others: Any) -> Reading:
    """
    Return a number of mean curves over seeds, with its bootstrap interval.

    :param results: a measure over ``seed``, ``time`` and the keys of the places.
    :param read: ``read(times, curve, ...)``, with the mean curve of each place.
    :param others: further fields of the reading.
    """
    curves = [results.sel(place).transpose('seed', 'time').values for place in places]
    times, length = results['time'].values, results.sizes['time']
    return Reading(name, estimate_of_curve(np.hstack(curves), lambda joined: read(
        times, *(joined[k * length:(k + 1) * length] for k in range(len(places))))),
        resampled=len(curves[0]), **{'form': '+.1f', **others})
