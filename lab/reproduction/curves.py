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
Mean curves over seeds: their values with intervals, and comparisons of whole curves.

The largest difference of two mean curves is compared with the largest one that chance would make.
The interval is for the whole curve at once: 95 % of pairs of samples of one distribution stay
within it at all rounds.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from leader_election_lab.analysis import measures
from leader_election_lab.runs.results import MISSING
import numpy as np
from scipy.special import ndtri, stdtrit  # type: ignore[import-untyped]
import xarray as xr

RESAMPLES = 1000
"""Number of bootstrap samples of seeds for an interval of a value of the mean curve."""
SAMPLES = 2000
"""The number of random curves that tell what chance makes."""
INSIDE, OUTSIDE = 'inside', '**outside**'
Floats = measures.Floats
Values = TypeVar('Values', xr.DataArray, xr.Dataset)


def seeds_of(values: Values, counts: xr.DataArray) -> Values:
    """
    Return only the seeds that were run. In these, nan means that no device was left.

    :param counts: of the same runs (see :mod:`leader_election_lab.runs.results`).
    """
    return values.isel(seed=np.flatnonzero((counts != MISSING).all('counter')))


def estimate_of_curve(curves: Floats, read: Callable[[Floats], float]) -> measures.Estimate:
    """
    Return a value of the mean curve, and its bootstrap interval over seeds.

    :param curves: shape (seeds, times).
    :param read: computes the value of one curve, shape (times,), nan if it has none.
    :return: the interval is that of percentiles over ``RESAMPLES`` draws of seeds (always the same
        draws), nan where a draw has no value. With few seeds it is too narrow (see
        :data:`reproduction.COVERAGE`).
    """
    n = len(curves)
    value = read(curves.mean(axis=0)) if n > 0 else np.nan
    if n < 2:
        return measures.Estimate(value, np.nan, np.nan)
    weights = np.random.default_rng(0).multinomial(n, np.full(n, 1 / n), RESAMPLES) / n
    drawn = [read(curve) for curve in weights @ curves]
    low, high = np.quantile(drawn, [0.5 - measures.CONFIDENCE / 2, 0.5 + measures.CONFIDENCE / 2])
    return measures.Estimate(value, float(low), float(high))


def time_to_one_leader(times: Floats, named: Floats, correct: Floats, largest: Floats,
                       devices: int) -> float:
    """
    Return the time from which on all devices name one leader, which leads itself, until the end.

    :param times: of the samples [s], shape (n,), as have the next three.
    :param named: number of different leaders that are named.
    :param correct: number of these that lead themselves.
    :param largest: number of devices of the largest region.
    :param devices: number of all devices.
    :return: [s], or nan if this does not hold at the end.

    >>> times, named, correct = np.array([1.0, 2.0, 3.0, 4.0]), np.array([4, 1, 1, 1]), np.ones(4)
    >>> time_to_one_leader(times, named, correct, np.array([3, 9, 7, 9]), 9)
    4.0
    """
    return measures.start_of_final_run(times, (named == 1) & (correct == 1) & (largest == devices))


@dataclass(frozen=True)
class Curve:
    """The largest difference of a measured mean curve from the published one."""

    quantity: str
    difference: float
    """The measured mean less the published one, in the round in which they differ most."""
    at: float
    """That round."""
    chance: float
    """The largest difference in any round in 95 % of cases by chance, nan for a single seed."""
    met: None = None
    """A difference has no aim."""

    @property
    def inside(self) -> bool | None:
        """Return whether chance explains the difference, ``None`` for a single seed."""
        return None if np.isnan(self.chance) else bool(abs(self.difference) <= self.chance)

    def cells(self) -> tuple[str, ...]:
        """Return the row of a table, as :meth:`Number.cells` does."""
        verdict = '' if self.inside is None else INSIDE if self.inside else OUTSIDE
        chance = '' if np.isnan(self.chance) else f'chance: ± {self.chance:.2g}'
        return (self.quantity, f'{self.difference:+.2g} in round {self.at:g}', chance, '', '', '',
                '', verdict)


def largest_by_chance(curves: Floats, seeds: int) -> float:
    """
    Return the largest difference of two mean curves that chance makes in 95 % of cases.

    Random weights of the seeds' deviations from their mean give random curves with the same
    spread, and the same dependence between rounds (multiplier bootstrap: V. Chernozhukov, D.
    Chetverikov, K. Kato, Annals of Statistics 41, 2013).

    :param curves: the measured curves, shape (seeds, rounds).
    :param seeds: the number of seeds of the other mean curve, of the same spread.
    """
    count = len(curves)
    if count < 2:
        return np.nan
    deviations = (curves - curves.mean(axis=0)) / np.sqrt(count - 1.0)
    weights = np.random.default_rng(0).standard_normal((SAMPLES, count))
    largest = abs(weights @ deviations).max(axis=1) * np.sqrt(1.0 / count + 1.0 / seeds)
    # The spread of few seeds is uncertain, as for a mean of them.
    part = 0.5 + measures.CONFIDENCE / 2.0
    wider = stdtrit(count - 1, part) / ndtri(part)
    return float(np.quantile(largest, measures.CONFIDENCE) * wider)


def compare_curves(reference: xr.Dataset, results: xr.Dataset, seeds: int) -> Sequence[Curve]:
    """
    Compare the whole curve of each algorithm with the published one.

    :param reference: the published ``mean``, over ``algorithm`` and ``time``.
    :param seeds: the number of its seeds.
    """
    rows = []
    for algorithm in results['algorithm'].values.tolist():
        if algorithm not in reference['algorithm']:
            continue
        curves = seeds_of(results['instability'].sel(algorithm=algorithm),
                          results['counts'].sel(algorithm=algorithm))
        theirs = reference['mean'].sel(algorithm=algorithm)
        times = np.intersect1d(curves['time'].values, theirs['time'].values)
        ours = curves.sel(time=times).transpose('seed', 'time').values
        differences = ours.mean(axis=0) - theirs.sel(time=times).values
        at = int(np.argmax(abs(differences)))
        rows.append(Curve(
            f'{algorithm}: largest difference of the curves', float(differences[at]),
            float(times[at]), largest_by_chance(ours, seeds)))
    return rows
