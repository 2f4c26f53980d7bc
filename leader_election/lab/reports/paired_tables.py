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

"""Paired differences as tables: in the terminal, and in Markdown for reports."""

from collections.abc import Sequence
from math import floor, isnan, log10
from typing import NamedTuple

from leader_election.lab.analysis.paired import (
    count_tested,
    Difference,
    differences,
    each_run,
    LED,
    PERCENT,
    to_first,
)
from leader_election.lab.analysis.statistics import Estimate
from leader_election.lab.runs.results import varied
from rich.box import SIMPLE_HEAD
from rich.table import Table
import xarray as xr

SHOWN = ('instability', 'leaders', LED)
"""The measures of the table below the means of ``lab run``."""
FEW = 10
"""With fewer seeds, intervals rely on normally distributed differences."""
APART, APART_ALONE = '*', '(*)'
"""The marks of differences that are distinguishable from chance among all that are tested
together, and of those that are so only if tested alone."""


class Rows(NamedTuple):
    """A table as texts."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]
    notes: list[str]
    """Lines below it: the meaning of the numbers, and their correction."""


def to_first_rows(results: xr.Dataset, measures: Sequence[str] = SHOWN) -> Rows | None:
    """
    Return the differences of each algorithm to the first one, with a column for each measure.

    :return: ``None`` if no two algorithms have a seed in common.
    """
    labels = [str(label) for label in results['algorithm'].values]
    columns = {measure: differences(results, measure, to_first(labels)) for measure in measures
               if each_run(results, measure).notnull().any()}
    found = {(one.algorithm, one.varied): one for of_measure in columns.values()
             for one in of_measure}
    if not found:
        return None
    by_place = {measure: {(one.algorithm, one.varied): one for one in of_measure}
                for measure, of_measure in columns.items()}
    rows = [(label, *map(str, values), str(one.seeds), *(
        difference_text(of.get((label, values)), measure) for measure, of in by_place.items()))
        for (label, values), one in found.items()]
    most = max(count_tested(of_measure) for of_measure in columns.values())
    return Rows(f'Differences to {labels[0]}, over the same seeds',
                ('algorithm', *varied(results), 'seeds', *columns), rows,
                notes(most, min(one.seeds for one in found.values()), 'a column'))


def pair_rows(results: xr.Dataset, measure: str,
              pairs: Sequence[tuple[str, str]] | None = None) -> Rows:
    """
    Return the differences of pairs of algorithms in a measure, a row for each pair and variant.

    :param pairs: of labels; ``None``: all.
    """
    found = differences(results, measure, pairs)
    rows = [(one.algorithm, one.other, *map(str, one.varied), str(one.seeds),
             *(number_text(mean, measure) for mean in one.means),
             difference_text(one, measure), estimate_text(one.ratio), p_text(one.p),
             p_text(one.p_holm)) for one in found]
    tested = count_tested(found)
    return Rows(
        f'Paired differences: {measure}',
        ('algorithm', 'minus', *varied(results), 'seeds', 'mean', 'of other', 'difference',
         'ratio', 'p', 'p (Holm)'), rows,
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


def mark(one: Difference) -> str:
    """Return the mark of a difference; empty if it is not distinguishable from chance."""
    return APART if one.apart else APART_ALONE if one.apart_alone else ''


def difference_text(one: Difference | None, measure: str) -> str:
    """Return a difference with its interval and its mark; empty for none."""
    if one is None:
        return ''
    return f'{estimate_text(one.difference, measure in PERCENT, "+")} {mark(one)}'.strip()


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
    return f'{value:.1%}' if measure in PERCENT else f'{value:.4g}'


def p_text(p: float) -> str:
    """
    Return a probability as text.

    >>> p_text(0.0312), p_text(1e-9), p_text(float('nan'))
    ('0.031', '<0.001', '-')
    """
    return '-' if isnan(p) else '<0.001' if p < 0.001 else f'{p:.3f}'


def terminal_table(rows: Rows) -> Table:
    """Return a table for the terminal."""
    shown = Table(box=SIMPLE_HEAD, title=rows.title, title_justify='left',
                  caption='\n'.join(rows.notes), caption_justify='left')
    texts = ('algorithm', 'minus')
    for column in rows.columns:
        shown.add_column(column, justify='left' if column in texts else 'right')
    for row in rows.rows:
        shown.add_row(*row)
    return shown
