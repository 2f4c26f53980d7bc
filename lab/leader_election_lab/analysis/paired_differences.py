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
Paired differences between algorithms, or between variants, and their tables.

They are over the seeds that both were run with. In a seed all algorithms have the same devices,
walks and losses, so random effects of the seed are common to both. The difference within each seed
is free of them. So its interval is narrower than the two separate intervals suggest.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from math import floor, isnan, log10
from typing import Any, NamedTuple

from leader_election_lab.analysis import measures
from leader_election_lab.analysis.measures import Estimate, Floats
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.results import varied
from leader_election_lab.terminal_output import Rows
import numpy as np
from scipy.special import stdtr  # type: ignore[import-untyped]
import xarray as xr

ALGORITHM = 'algorithm'
"""The key whose values are compared unless another one is named."""


class Difference(NamedTuple):
    """The difference of a measure between two algorithms, or two values of another key."""

    algorithm: str
    other: str
    """The algorithm whose values are subtracted."""
    varied: tuple[Any, ...]
    """The values of all other keys."""
    seeds: int
    """Seeds that both were run with."""
    means: tuple[float, float]
    difference: Estimate
    """Its interval is by Student's t over the differences of single seeds."""
    ratio: Estimate
    """The mean of the first divided by that of the other, as :func:`estimate_ratio` has it."""
    p: float
    """Probability of a difference at least this large by chance, nan for fewer than two seeds, and
    where both are the same runs."""
    p_holm: float
    """The same among all differences that are tested together (see :func:`holm`)."""

    @property
    def apart(self) -> bool:
        """Return whether all differences tested together make it distinguishable from chance."""
        return self.p_holm < 1.0 - measures.CONFIDENCE

    @property
    def apart_alone(self) -> bool:
        """Return whether its own interval, which fewer than six equal values lack, excludes 0."""
        return self.p < 1.0 - measures.CONFIDENCE


def to_first(labels: Sequence[str]) -> list[tuple[str, str]]:
    """
    Return the pairs of each algorithm with the first one, which is subtracted.

    >>> to_first(['classic', 'bounded', 'mine'])
    [('bounded', 'classic'), ('mine', 'classic')]
    """
    return [(label, labels[0]) for label in labels[1:]]


def all_pairs(labels: Sequence[str]) -> list[tuple[str, str]]:
    """
    Return all pairs of algorithms, the earlier one second, since it is subtracted.

    >>> all_pairs(['classic', 'bounded', 'mine'])
    [('bounded', 'classic'), ('mine', 'classic'), ('mine', 'bounded')]
    """
    return [(later, earlier) for earlier, later in combinations(labels, 2)]


def differences(results: xr.Dataset, measure: str,
                pairs: Sequence[tuple[str, str]] | None = None,
                key: str = ALGORITHM) -> list[Difference]:
    """
    Return the paired differences of a measure, one for each pair of algorithms and variant.

    All are tested together: :attr:`Difference.p_holm` is corrected for their number. Variants
    that do not affect two algorithms have the same runs, and count as one test.

    :param results: of a scenario (see :mod:`leader_election_lab.runs.results`).
    :param measure: one of :func:`measures_of`.
    :param pairs: labels of algorithms. The second one's values are subtracted. ``None`` selects
        all pairs, for another key each of its values with the first one.
    :param key: whose values are compared in place of algorithms: one that the scenario varies.
    :return: the differences of all pairs and variants with a common seed, by pair, then by
        variant.
    :raises ResultError: for an unknown measure, algorithm or key.
    """
    everything = (ALGORITHM, *varied(results))
    if key not in everything:
        raise ResultError(f'the results do not vary {key!r}; they vary {", ".join(everything)}')
    labels = [str(label) for label in results[key].values]
    check_labels(labels, [label for pair in pairs or () for label in pair], key)
    if pairs is None:
        pairs = all_pairs(labels) if key == ALGORITHM else to_first(labels)
    keys = [each for each in everything if each != key]
    of_runs = measures.each_run(results, measure).transpose(key, *keys, 'seed')
    values = of_runs.values.astype(float).reshape(len(labels), -1, results.sizes['seed'])
    variants = list(product(*(results[each].values.tolist() for each in keys)))
    prints = results['fingerprint'].transpose(key, *keys).values.reshape(
        len(labels), -1) if 'fingerprint' in results else None
    found, runs = [], []
    for algorithm, other in pairs:
        for k, variant in enumerate(variants):
            which = [labels.index(algorithm), labels.index(other)]
            both = values[which, k]
            both = both[:, ~np.isnan(both).any(axis=0)]
            if both.shape[1]:
                one = _difference(algorithm, other, variant, both)
                if prints is not None and len(set(prints[which, k])) == 1:
                    one = one._replace(p=np.nan)
                found.append(one)
                runs.append((algorithm, other, both.tobytes()))
    tests = dict(zip(runs, found))
    corrected = dict(zip(tests, holm(np.array([one.p for one in tests.values()]))))
    return [one._replace(p_holm=float(corrected[run])) for one, run in zip(found, runs)]


def check_labels(known: Sequence[str], labels: Sequence[str], key: str = ALGORITHM) -> None:
    """Raise a :class:`ResultError` for a label that is not among the known ones."""
    for label in labels:
        if label not in known:
            raise ResultError(f'{key} {label!r} is not in the results; they have '
                              f'{", ".join(known)}')


def count_tested(found: Iterable[Difference]) -> int:
    """
    Return the number of differences that were tested together.

    :param found: the return value of :func:`differences`. Those of the same runs count as one.
    """
    return len({one._replace(varied=()) for one in found if not np.isnan(one.p)})


def _difference(algorithm: str, other: str, variant: tuple[Any, ...],
                both: Floats) -> Difference:
    """Return the difference of two rows of values, shape (2, seeds), that are not missing."""
    of_seeds = both[0] - both[1]
    p = p_of_mean(of_seeds)
    return Difference(
        algorithm, other, variant, both.shape[1],
        (float(both[0].mean()), float(both[1].mean())), measures.estimate_mean(of_seeds),
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
    if measures.are_equal(samples):
        return 1.0 if mean == 0.0 else 0.5 ** (n - 1)
    return 2.0 * float(stdtr(n - 1, -abs(mean) / error))


def estimate_ratio(above: Floats, below: Floats) -> Estimate:
    """
    Return the ratio of two means over the same seeds, and its interval.

    :param above: shape (n,).
    :param below: shape (n,). If its mean is not greater than 0, the result is nan.
    :return: the interval is by Student's t over ``above - ratio * below``, a first-order
        approximation (the ratio estimator of Cochran, Sampling Techniques, section 6).

    >>> [round(x, 3) for x in estimate_ratio(np.array([2.0, 4.0, 7.0]), np.array([1.0, 2.0, 3.0]))]
    [2.167, 1.619, 2.714]
    """
    scale = float(below.mean()) if len(below) else 0.0
    if scale <= 0.0:
        return Estimate(np.nan, np.nan, np.nan)
    ratio = float(above.mean()) / scale
    deviation = measures.estimate_mean((above - ratio * below) / scale)
    return Estimate(ratio, ratio + deviation.low, ratio + deviation.high)


def holm(p: Floats) -> Floats:
    """
    Return probabilities corrected for the number of tests, by Holm's step-down method.

    The probability that any of the marked differences is due to chance is at most
    1 - ``CONFIDENCE``, for any dependence between the tests (S. Holm, A Simple Sequentially
    Rejective Multiple Test Procedure, Scandinavian Journal of Statistics 6, 1979).

    :param p: shape (tests,). A difference without a test has nan, which stays and does not count.

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


SHOWN = ('instability', 'leaders', measures.LED)
"""The measures of the table below the means of ``lab run``."""
FEW = 10
"""With fewer seeds, intervals rely on normally distributed differences."""
APART, APART_ALONE = '*', '(*)'
"""The marks of differences that are distinguishable from chance among all that are tested
together, and of those that are so only if tested alone."""


def to_first_rows(results: xr.Dataset) -> Rows | None:
    """
    Return the differences of each algorithm to the first one, with a column for each measure.

    :return: ``None`` if no two algorithms have a seed in common.
    """
    labels = [str(label) for label in results['algorithm'].values]
    columns = {measure: {(one.algorithm, one.varied): one
                         for one in differences(results, measure, to_first(labels))}
               for measure in SHOWN if measures.each_run(results, measure).notnull().any()}
    found = {place: one for of_measure in columns.values() for place, one in of_measure.items()}
    if not found:
        return None
    rows = [(label, *map(str, values), str(one.seeds), *(
        difference_text(of.get((label, values)), measure) for measure, of in columns.items()))
        for (label, values), one in found.items()]
    most = max(count_tested(of_measure.values()) for of_measure in columns.values())
    return Rows(f'Differences to {labels[0]}, over the same seeds',
                ('algorithm', *varied(results), 'seeds', *columns), rows,
                notes(most, min(one.seeds for one in found.values()), 'a column'))


def pair_rows(results: xr.Dataset, measure: str,
              pairs: Sequence[tuple[str, str]] | None = None, key: str = ALGORITHM) -> Rows:
    """
    Return the differences of pairs of algorithms in a measure, a row for each pair and variant.

    :param pairs: of labels, as of :func:`differences`, which also has the key.
    """
    found = differences(results, measure, pairs, key)
    rows = [(one.algorithm, one.other, *map(str, one.varied), str(one.seeds),
             *(number_text(mean, measure) for mean in one.means),
             difference_text(one, measure), estimate_text(one.ratio), p_text(one.p),
             p_text(one.p_holm)) for one in found]
    tested = count_tested(found)
    return Rows(
        f'Paired differences: {measure}',
        (key, 'minus', *(each for each in (ALGORITHM, *varied(results)) if each != key), 'seeds',
         'mean', 'of other', 'difference', 'ratio', 'p', 'p (Holm)'), rows,
        [*notes(tested, min((one.seeds for one in found), default=0), 'the table'),
         'ratio: of the two means; its 95 % interval over the same seeds, to first order'])


def notes(tested: int, seeds: int, where: str) -> list[str]:
    """
    Return the lines that explain the numbers of a table.

    :param tested: number of differences that are tested together.
    :param seeds: the least number of seeds of any difference.
    :param where: the place of these differences: ``a column``, or ``the table``.
    """
    lines = ["±: 95 % interval of the mean difference within a seed, by Student's t; each by "
             'itself',
             f'{APART}: distinguishable from chance among the {tested} of {where} (Holm, 5 %); '
             f'{APART_ALONE}: only by itself' if tested > 1 else
             f'{APART}: distinguishable from chance (5 %)']
    if seeds == 1:
        lines.append('one seed gives no interval; no difference is distinguishable from chance')
    elif seeds < FEW:
        lines.append(f'fewer than {FEW} seeds: the intervals hold where differences are spread '
                     'about normally')
    return lines


def difference_text(one: Difference | None, measure: str) -> str:
    """Return a difference with its interval and its mark, or no text without a difference."""
    if one is None:
        return ''
    mark = APART if one.apart else APART_ALONE if one.apart_alone else ''
    return f'{estimate_text(one.difference, measure in measures.PERCENT, "+")} {mark}'.strip()


def estimate_text(estimate: Estimate, percent: bool = False, sign: str = '') -> str:
    """
    Return a number with half of its interval, to two digits of the latter.

    >>> estimate_text(Estimate(0.01574, 0.0136, 0.0178), sign='+')
    '+0.0157 ± 0.0021'
    >>> estimate_text(Estimate(0.12, 0.1, 0.14), percent=True)
    '12.0 ± 2.0%'
    """
    if isnan(estimate.value):
        return '-'
    factor, unit = (100.0, '%') if percent else (1.0, '')
    half = factor * estimate.half_width
    known = not isnan(half) and half > 0.0
    scale = half if known else abs(factor * estimate.value) / 100.0
    decimals = min(8, max(0, 1 - floor(log10(scale)))) if scale > 0.0 else 1
    interval = '' if isnan(half) else f' ± {half:.{decimals}f}'
    return f'{factor * estimate.value:{sign}.{decimals}f}{interval}{unit}'


def number_text(value: float, measure: str) -> str:
    """
    Return a mean as text.

    >>> number_text(0.0716, 'instability'), number_text(0.915, 'led'), number_text(8.1, 'leaders')
    ('0.0716', '91.5%', '8.1')
    """
    return f'{value:.1%}' if measure in measures.PERCENT else f'{value:.4g}'


def p_text(p: float) -> str:
    """
    Return a probability as text.

    >>> p_text(0.0312), p_text(1e-9), p_text(float('nan'))
    ('0.031', '<0.001', '-')
    """
    return '-' if isnan(p) else '<0.001' if p < 0.001 else f'{p:.3f}'
