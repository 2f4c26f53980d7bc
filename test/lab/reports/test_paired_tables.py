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

"""Paired differences as tables."""

from lab.analysis.test_paired import made
from leader_election.lab.analysis.statistics import Estimate
from leader_election.lab.reports.paired_tables import (
    estimate_text,
    pair_rows,
    terminal_table,
    to_first_rows,
)
from leader_election.lab.reports.report import TEMPLATES
import numpy as np
from rich.console import Console


def test_below_the_means_each_algorithm_is_compared_with_the_first() -> None:
    rows = to_first_rows(made({'messages.loss': [0.0, 0.5]}))
    assert rows is not None and rows.title == 'Differences to first, over the same seeds'
    assert rows.columns == ('algorithm', 'messages.loss', 'seeds', 'instability', 'leaders', 'led')
    # Distinguishable from chance alone, but not among the four of the column.
    assert rows.rows[0] == ('second', '0.0', '4', '+0.20 ± 0.13 (*)', '+0.0 ± 0.0', '+0.0 ± 0.0%')
    assert [row[:2] for row in rows.rows] == [
        ('second', '0.0'), ('second', '0.5'), ('third', '0.0'), ('third', '0.5')]
    assert 'among the 4 of a column (Holm, 5 %)' in rows.notes[1]
    assert rows.notes[-1].startswith('fewer than 10 seeds')


def test_one_algorithm_has_no_differences() -> None:
    alone = made().sel(algorithm=['first'])
    assert to_first_rows(alone) is None and pair_rows(alone, 'instability').rows == []


def test_one_seed_gives_no_interval() -> None:
    rows = to_first_rows(made().sel(seed=[0]))
    assert rows is not None
    assert rows.rows[0][2] == '+0.1000' and 'one seed gives no interval' in rows.notes[-1]


def test_all_pairs_in_the_terminal_and_in_markdown() -> None:
    rows = pair_rows(made(), 'instability')
    second = ('second', 'first', '4', '7.2', '7', '+0.20 ± 0.13 *', '1.029 ± 0.033', '0.016',
              '0.049')
    assert rows.rows[0] == second and len(rows.rows) == 3
    console = Console(width=160)
    with console.capture() as captured:
        console.print(terminal_table(rows))
    assert [*' '.join(second).split()] in [line.split() for line in captured.get().splitlines()]
    lines = TEMPLATES.get_template('macros.md.j2').module.paired(rows).splitlines()
    assert lines[0] == 'Paired differences: instability.' and lines.pop(0) + lines.pop(0)
    assert lines[1].count('---') == lines[0].count('|') - 1
    assert lines[2].startswith('| second | first | 4 | 7.2 | 7 | +0.20 ± 0.13 \\* |')
    assert any('among the 3 of the table (Holm, 5 %)' in line for line in lines)


def test_numbers_have_the_digits_that_their_interval_justifies() -> None:
    assert estimate_text(Estimate(123.4, 111.4, 135.4), sign='+') == '+123 ± 12'
    assert estimate_text(Estimate(0.5, 0.5, 0.5)) == '0.5000 ± 0.0000'
    assert estimate_text(Estimate(0.0, np.nan, np.nan)) == '0.0'
    assert estimate_text(Estimate(np.nan, np.nan, np.nan)) == '-'
