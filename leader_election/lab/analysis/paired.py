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
Paired differences between algorithms, over the seeds that both were run with.

In a seed all algorithms have the same devices, walks and losses, so random effects of the seed are
common to both. The difference within each seed is free of them: its interval is narrower than the
two separate intervals suggest.
"""

from collections.abc import Sequence
from itertools import combinations, product
from typing import Any, NamedTuple

from leader_election.lab.analysis.derived_metrics import (
    counting_bias,
    counting_error,
    DERIVED,
    has_counts,
)
from leader_election.lab.analysis.statistics import (
    are_equal,
    CONFIDENCE,
    Estimate,
    estimate_mean,
    Floats,
    time_average,
)
from leader_election.lab.engine.samples import COUNTERS, ROUNDS, SENT
from leader_election.lab.runs.results import ResultError, varied
from leader_election.parameters import did_you_mean
import numpy as np
from scipy.special import stdtr  # type: ignore[import-untyped]
import xarray as xr

LED, UNITED = DERIVED
RECEIVERS, BYTES, BIAS, OFF = 'receivers', 'bytes', 'bias', 'off'
"""Measures that are derived from others; ``off`` is the mean absolute deviation of counts."""
PERCENT = (LED, UNITED, 'informed', 'agreeing', BIAS, OFF)
"""Measures that are written in per cent."""
PARTS = ('instability', *PERCENT)
"""Measures that are parts of 1."""


class Difference(NamedTuple):
    """The difference of a measure between two algorithms in one variant."""

    algorithm: str
    other: str
    """The algorithm whose values are subtracted."""
    varied: tuple[Any, ...]
    """The values of the keys that vary."""
    seeds: int
    """Seeds that both were run with."""
    means: tuple[float, float]
    """Of both algorithms, over these seeds."""
    difference: Estimate
    """Its interval is by Student's t over the differences of single seeds."""
    ratio: Estimate
    """The mean of the first divided by that of the other; see :func:`estimate_ratio`."""
    p: float
    """Probability of a difference at least this large by chance; nan for fewer than two seeds."""
    p_holm: float
    """The same among all differences that are tested together (see :func:`holm`)."""

    @property
    def apart(self) -> bool:
        """Whether it is distinguishable from chance among all differences tested together."""
        return self.p_holm < 1.0 - CONFIDENCE

    @property
    def apart_alone(self) -> bool:
        """Whether its own interval excludes 0; fewer than six equal differences have none."""
        return self.p < 1.0 - CONFIDENCE


def measures_of(results: xr.Dataset) -> tuple[str, ...]:
    """Return the measures that have a number for each run of some results."""
    derived = [LED, UNITED, RECEIVERS, BYTES] + ([BIAS, OFF] if has_counts(results) else [])
    sampled = [str(name) for name, values in results.data_vars.items() if 'time' in values.dims]
    return (*sampled, *derived)


def measures_to_come(missing: xr.Dataset) -> tuple[str, ...]:
    """Return the measures that results may have once their missing runs are computed."""
    return measures_of(missing) + ((BIAS, OFF) if 'counted' in missing else ())


def check_measure(known: Sequence[str], measure: str) -> None:
    """Raise a :class:`ResultError` for a measure that is not among the known ones."""
    if measure not in known:
        raise ResultError(f'measure {measure!r} is not allowed; {did_you_mean(measure, known)}'
                          f'it takes one of {", ".join(known)}')


def each_run(results: xr.Dataset, measure: str) -> xr.DataArray:
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
        received: xr.DataArray = (counts.sel(counter=COUNTERS[SENT], drop=True)
                                  / counts.sel(counter=COUNTERS[ROUNDS], drop=True))
        return received
    if measure in (BIAS, OFF):
        return counting_bias(results) if measure == BIAS else counting_error(results)
    return time_average(DERIVED[measure](results) if measure in DERIVED else results[measure])


def to_first(labels: Sequence[str]) -> list[tuple[str, str]]:
    """
    Return the pairs of each algorithm with the first one, which is subtracted.

    >>> to_first(['classic', 'bounded', 'mine'])
    [('bounded', 'classic'), ('mine', 'classic')]
    """
    return [(label, labels[0]) for label in labels[1:]]


def all_pairs(labels: Sequence[str]) -> list[tuple[str, str]]:
    """
    Return all pairs of algorithms; the earlier one of each is subtracted.

    >>> all_pairs(['classic', 'bounded', 'mine'])
    [('bounded', 'classic'), ('mine', 'classic'), ('mine', 'bounded')]
    """
    return [(later, earlier) for earlier, later in combinations(labels, 2)]


def differences(results: xr.Dataset, measure: str,
                pairs: Sequence[tuple[str, str]] | None = None) -> list[Difference]:
    """
    Return the paired differences of a measure, one for each pair of algorithms and variant.

    All are tested together: :attr:`Difference.p_holm` is corrected for their number. Variants
    that do not affect two algorithms have the same runs, and count as one test.

    :param results: of a scenario (see :mod:`leader_election.lab.runs.results`).
    :param measure: one of :func:`measures_of`.
    :param pairs: labels of algorithms; the second one's values are subtracted. ``None``: all
        pairs.
    :return: the differences of all pairs and variants with a common seed, by pair, then by
        variant.
    :raises ResultError: for an unknown measure or algorithm.
    """
    labels = [str(label) for label in results['algorithm'].values]
    for label in (label for pair in pairs or () for label in pair):
        if label not in labels:
            raise ResultError(f'algorithm {label!r} is not in the results; they have '
                              f'{", ".join(labels)}')
    keys = varied(results)
    values = each_run(results, measure).transpose('algorithm', *keys, 'seed').values.astype(float)
    values = values.reshape(len(labels), -1, results.sizes['seed'])
    variants = list(product(*(results[key].values.tolist() for key in keys)))
    found, runs = [], []
    for algorithm, other in all_pairs(labels) if pairs is None else pairs:
        for k, variant in enumerate(variants):
            both = values[[labels.index(algorithm), labels.index(other)], k]
            both = both[:, ~np.isnan(both).any(axis=0)]
            if both.shape[1]:
                found.append(_difference(algorithm, other, variant, both))
                runs.append((algorithm, other, both.tobytes()))
    tests = dict(zip(runs, found))
    corrected = dict(zip(tests, holm(np.array([one.p for one in tests.values()]))))
    return [one._replace(p_holm=float(corrected[run])) for one, run in zip(found, runs)]


def count_tested(found: Sequence[Difference]) -> int:
    """
    Return the number of differences that were tested together.

    :param found: all that :func:`differences` returned; those of the same runs count as one.
    """
    return len({one._replace(varied=()) for one in found if not np.isnan(one.p)})


def _difference(algorithm: str, other: str, variant: tuple[Any, ...],
                both: Floats) -> Difference:
    """Return the difference of two rows of values, shape (2, seeds), that are not missing."""
    of_seeds = both[0] - both[1]
    p = p_of_mean(of_seeds)
    return Difference(
        algorithm, other, variant, both.shape[1],
        (float(both[0].mean()), float(both[1].mean())), estimate_mean(of_seeds),
        estimate_ratio(both[0], both[1]), p, p)


def p_of_mean(samples: Floats) -> float:
    """
    Return the two-sided probability of a mean at least this far from 0, by Student's t.

    :param samples: shape (n,).
    :return: nan for fewer than two samples. If all are equal, their spread is not known: 1 if
        they are 0, else the probability of the same sign in all of them (sign test).

    >>> round(p_of_mean(np.array([1.0, 2.0, 3.0])), 4)
    0.0742
    >>> p_of_mean(np.array([1.0, 1.0, 1.0])), p_of_mean(np.zeros(3))
    (0.25, 1.0)
    """
    n = len(samples)
    if n < 2:
        return np.nan
    mean, error = float(samples.mean()), float(samples.std(ddof=1) / np.sqrt(n))
    if are_equal(samples):
        return 1.0 if mean == 0.0 else 0.5 ** (n - 1)
    return 2.0 * float(stdtr(n - 1, -abs(mean) / error))


def estimate_ratio(above: Floats, below: Floats) -> Estimate:
    """
    Return the ratio of two means over the same seeds, and its interval.

    :param above: shape (n,).
    :param below: shape (n,); if its mean is not greater than 0, the result is nan.
    :return: the interval is by Student's t over ``above - ratio * below``, a first-order
        approximation (the ratio estimator of Cochran, Sampling Techniques, section 6).

    >>> [round(x, 3) for x in estimate_ratio(np.array([2.0, 4.0, 7.0]), np.array([1.0, 2.0, 3.0]))]
    [2.167, 1.619, 2.714]
    """
    scale = float(below.mean()) if len(below) else 0.0
    if scale <= 0.0:
        return Estimate(np.nan, np.nan, np.nan)
    ratio = float(above.mean()) / scale
    deviation = estimate_mean((above - ratio * below) / scale)
    return Estimate(ratio, ratio + deviation.low, ratio + deviation.high)


def holm(p: Floats) -> Floats:
    """
    Return probabilities corrected for the number of tests, by Holm's step-down method.

    The probability that any of the marked differences is due to chance is at most
    1 - ``CONFIDENCE``, for any dependence between the tests (S. Holm, A Simple Sequentially
    Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979).

    :param p: shape (tests,); nan, for differences without a test, stays nan and does not count.

    >>> holm(np.array([0.01, 0.04, 0.03])).tolist()
    [0.03, 0.06, 0.06]
    """
    corrected = np.full(len(p), np.nan)
    order = [k for k in np.argsort(p) if not np.isnan(p[k])]
    worst = 0.0
    for rank, k in enumerate(order):
        worst = max(worst, min(1.0, (len(order) - rank) * float(p[k])))
        corrected[k] = worst
    return corrected
