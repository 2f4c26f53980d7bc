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

"""Paired differences between algorithms: their numbers, and their tables."""

from example_results import results as made_up
from hypothesis import given
from hypothesis import strategies as st
from leader_election_lab.analysis.measures import each_run, Estimate, estimate_mean, measures_of
from leader_election_lab.analysis.paired_differences import (
    count_tested,
    differences,
    estimate_ratio,
    estimate_text,
    holm,
    p_of_mean,
    pair_rows,
    to_first_rows,
)
from leader_election_lab.reports import TEMPLATES
from leader_election_lab.runs.files import ResultError
from leader_election_lab.terminal_output import terminal_table
import numpy as np
import pytest
from rich.console import Console
import xarray as xr

# The difference between seeds is large, that between algorithms within a seed small.
EFFECTS = np.array([1.0, 5.0, 9.0, 13.0])
MORE = np.array([0.1, 0.3, 0.2, 0.2])


def made(vary: dict[str, list[float]] | None = None) -> xr.Dataset:
    """Return results of ``first``, ``second`` (``MORE`` is added), and ``third`` (as first)."""
    values = np.array([EFFECTS, EFFECTS + MORE, EFFECTS])[..., None]
    if vary:
        values = np.stack([values, 2.0 * values], axis=1)
    return made_up(['first', 'second', 'third'], range(1, 7), 4, vary, instability=values)


def test_difference_is_free_of_the_effects_of_seeds() -> None:
    second, third, last = differences(made(), 'instability')
    assert (second.algorithm, second.other, second.varied, second.seeds) == (
        'second', 'first', (), 4)
    # Mean 0.2, squares 0.01 + 0.01 over 3: deviation 0.0816; t(3, 97.5 %) = 3.18245.
    half = 3.18245 * np.sqrt(0.02 / 3) / 2
    assert second.difference == pytest.approx((0.2, 0.2 - half, 0.2 + half), rel=1e-5)
    assert second.means == pytest.approx((7.2, 7.0))
    # 0.2 divided by 0.0408 is a t of 4.899 with 3 degrees of freedom.
    assert second.p == pytest.approx(0.01628, abs=1e-5)
    # Separate intervals overlap widely.
    assert estimate_mean(EFFECTS).high > 15.0 and estimate_mean(EFFECTS + MORE).low < 0.0
    assert (third.difference, third.p) == ((0.0, 0.0, 0.0), 1.0)
    assert last.difference == pytest.approx((-0.2, -0.2 - half, -0.2 + half), rel=1e-5)
    # Three tests: the least p is tripled, the next one is at least as large.
    assert [one.p_holm for one in (second, third, last)] == pytest.approx(
        [0.04885, 1.0, 0.04885], abs=1e-4)
    assert second.apart and second.apart_alone and not third.apart


def test_variants_with_the_same_runs_are_one_test() -> None:
    """The varied key affects only the third algorithm."""
    dataset = made({'messages.loss': [0.0, 0.5]})
    dataset['instability'][dict(zip(('algorithm', 'messages.loss'), (slice(2), 1)))] = dataset[
        'instability'][dict(zip(('algorithm', 'messages.loss'), (slice(2), 0)))].values
    found = differences(dataset, 'instability', [('second', 'first')])
    assert len(found) == 2 and count_tested(found) == 1 and found[0].p_holm == found[0].p
    assert count_tested(differences(dataset, 'instability')) == 5


def test_only_common_seeds_count() -> None:
    dataset = made()
    dataset['instability'][{'algorithm': 1, 'seed': 3}] = np.nan
    dataset['instability'][{'algorithm': 2}] = np.nan
    dataset['instability'][{'algorithm': 2, 'seed': 0}] = 4.0
    second, third, last = differences(dataset, 'instability')
    assert second.seeds == 3 and second.difference.value == pytest.approx(0.2)
    # One seed has a difference, but no interval.
    assert third.seeds == 1 and third.difference.value == 3.0
    assert np.isnan(third.p) and np.isnan(third.p_holm) and not third.apart
    assert not third.apart_alone and last.difference.value == pytest.approx(2.9)
    # It does not count as a test.
    assert second.p_holm == second.p
    dataset['instability'][{'algorithm': 2}] = np.nan
    assert [one.algorithm for one in differences(dataset, 'instability')] == ['second']


def test_equal_differences_of_few_seeds_are_not_apart() -> None:
    """Each seed has 0.3 more. Up to rounding the differences are equal."""
    assert p_of_mean(np.array([0.3, 0.3])) == 0.5
    assert p_of_mean(np.array([0.3, 0.1 + 0.2, 0.3])) == 0.25
    for seeds, apart in ((2, False), (5, False), (6, True)):
        values = np.stack([np.arange(seeds), np.arange(seeds) + 0.3])[..., None]
        [one] = differences(made_up(['first', 'second'], range(1, 7), seeds, instability=values),
                            'instability')
        assert one.apart is one.apart_alone is apart


def test_ratio_is_that_of_the_means() -> None:
    # The ratio of proportional values has no error.
    below = np.array([1.0, 2.0, 4.0])
    assert estimate_ratio(3.0 * below, below) == pytest.approx((3.0, 3.0, 3.0))
    assert np.isnan(estimate_ratio(below, np.zeros(3))).all()
    assert np.isnan(estimate_ratio(np.empty(0), np.empty(0))).all()


def test_measures_have_a_number_for_each_run() -> None:
    dataset = made().assign(message_bytes=(('algorithm', 'seed'), np.full((3, 4), 80.0)))
    assert {'instability', 'leaders', 'led', 'bytes'} < set(measures_of(dataset))
    assert (each_run(dataset, 'bytes') == 80.0).all()
    with pytest.raises(ResultError, match="measure 'nix' is not allowed; it takes one of insta"):
        differences(dataset, 'nix')
    with pytest.raises(ResultError, match="algorithm 'nobody' is not in the results; they have f"):
        differences(dataset, 'leaders', [('first', 'nobody')])


def test_receivers_are_messages_by_rounds() -> None:
    dataset = made().drop_dims('counter')
    dataset['counts'] = ('algorithm', 'seed', 'counter'), np.full((3, 4, 2), [10, 25])
    dataset['counts'][{'algorithm': 0, 'seed': 0}] = -1
    each = each_run(dataset.assign_coords(counter=['rounds', 'sent']), 'receivers')
    assert np.isnan(each[0, 0]) and (each.values[1:] == 2.5).all()


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=9))
def test_holm_corrects_upwards_and_keeps_the_order(p: list[float]) -> None:
    values = np.array(p)
    corrected = holm(values)
    assert (corrected >= values).all() and (corrected <= 1.0).all()
    assert (corrected <= np.minimum(1.0, len(p) * values)).all()
    order = np.argsort(values, kind='stable')
    assert (np.diff(corrected[order]) >= 0.0).all()


def test_table_compares_each_algorithm_with_the_first() -> None:
    rows = to_first_rows(made({'messages.loss': [0.0, 0.5]}))
    assert rows is not None and rows.title == 'Differences to first, over the same seeds'
    assert rows.columns == ('algorithm', 'messages.loss', 'seeds', 'instability', 'leaders', 'led')
    # Distinguishable from chance alone, but not among the four of the column.
    assert rows.rows[0] == ('second', '0.0', '4', '+0.20 ± 0.13 (*)', '+0.0 ± 0.0', '+0.0 ± 0.0%')
    assert [row[:2] for row in rows.rows] == [
        ('second', '0.0'), ('second', '0.5'), ('third', '0.0'), ('third', '0.5')]
    assert 'among the 4 of a column (Holm, 5 %)' in rows.notes[1]
    assert rows.notes[-1].startswith('fewer than 10 seeds')


def test_table_has_no_interval_when_there_is_one_seed() -> None:
    alone = made().sel(algorithm=['first'])
    assert to_first_rows(alone) is None and pair_rows(alone, 'instability').rows == []
    rows = to_first_rows(made().sel(seed=[0]))
    assert rows is not None
    assert rows.rows[0][2] == '+0.1000' and 'one seed gives no interval' in rows.notes[-1]


def test_table_has_all_pairs() -> None:
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
