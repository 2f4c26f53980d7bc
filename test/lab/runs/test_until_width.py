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

"""More seeds until intervals are as narrow as wanted."""

from collections.abc import Sequence

from lab.figures.example_results import results
from leader_election.lab.analysis.measures import estimate_mean
from leader_election.lab.commands import LEAST, parse_width, Width
from leader_election.lab.runs.results import ResultError
from leader_election.lab.runs.until_width import (
    conclusion,
    EQUAL_LEAST,
    intervals,
    run_until,
    seeds_for,
)
import numpy as np
import pytest
import xarray as xr

MOST = 400
SAMPLES = np.random.default_rng(0).normal(1.0, [[0.3], [0.6]], (2, MOST))
"""Of two algorithms; the deviation of their difference is 0.67."""


class Laboratory:
    """A laboratory with invented runs, which records the requested numbers of seeds."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def compute(self, seeds: Sequence[int]) -> xr.Dataset:
        self.asked.append(len(seeds))
        # Results also include seeds of earlier commands.
        return results(['first', 'second'], range(1, 7), MOST,
                       instability=SAMPLES[..., None])


def test_it_stops_when_the_interval_of_the_difference_is_narrow() -> None:
    laboratory, notes = Laboratory(), list[str]()
    width = Width(0.1, True)
    outcome = run_until(laboratory.compute, range(MOST), 'instability', width,
                        ['first', 'second'], notes.append)
    assert outcome.reached and laboratory.asked[0] == LEAST
    assert laboratory.asked[-1] == outcome.seeds
    assert all(later <= 2 * earlier
               for earlier, later in zip(laboratory.asked, laboratory.asked[1:]))
    # 1.96 * 0.67 / 0.1, squared, is 173.
    assert 120 < outcome.seeds < 250
    [interval] = outcome.intervals
    samples = (SAMPLES[1] - SAMPLES[0])[:outcome.seeds]
    assert interval.name == 'second - first'
    assert interval.half == pytest.approx(estimate_mean(samples).half_width)
    assert interval.half <= interval.wanted == pytest.approx(
        0.1 * SAMPLES[0][:outcome.seeds].mean())
    assert len(notes) == len(laboratory.asked) - 1 and notes[0].startswith(
        f'{LEAST} seeds: second - first: instability ± 0.')
    assert f'narrower with {outcome.seeds} seeds' in conclusion(outcome, 'instability', width)


def test_at_the_limit_the_needed_number_of_seeds_is_reported() -> None:
    laboratory, width = Laboratory(), Width(0.02, False)
    outcome = run_until(laboratory.compute, range(50), 'instability', width, ['first', 'second'])
    assert not outcome.reached and outcome.seeds == 50
    line = conclusion(outcome, 'instability', width)
    deviation = (SAMPLES[1] - SAMPLES[0])[:50].std(ddof=1)
    needed = seeds_for(float(deviation), 0.02)
    assert needed is not None and 2000 < needed < 8000
    assert line.endswith(f'wanted ± 0.02; it takes about {needed} seeds')
    assert 'is not reached with 50 seeds' in line


def test_the_interval_of_a_single_algorithm_is_that_of_its_mean() -> None:
    [interval] = intervals(Laboratory().compute([]), 'instability', Width(0.1, False), ['second'],
                           range(30))
    assert interval.name == 'second'
    assert interval.half == pytest.approx(estimate_mean(SAMPLES[1, :30]).half_width)


def test_variants_without_values_have_no_interval() -> None:
    values = np.full((2, 2, 12, 1), np.nan)
    values[0], values[1, 0] = 1.0, SAMPLES[1, :12, None]
    dataset = results(['first', 'second'], range(1, 7), 12, {'messages.loss': [0.0, 0.5]},
                      instability=values, counted=np.nan)
    [found] = intervals(dataset, 'instability', Width(1.0, False), ['first', 'second'], range(12))
    assert found.name == 'second - first, messages.loss=0.0' and found.narrow
    with pytest.raises(ResultError, match="measure 'counted' has no values in these results"):
        intervals(dataset, 'counted', Width(1.0, False), ['first', 'second'], range(12))


def test_one_seed_gives_no_estimate() -> None:
    outcome = run_until(Laboratory().compute, [0], 'instability', Width(9.0, False), ['first'])
    assert not outcome.reached
    assert 'one seed gives no estimate of the number that it takes' in conclusion(
        outcome, 'instability', Width(9.0, False))


def test_a_constant_measure_stops_at_twice_the_least_and_is_no_interval() -> None:
    dataset, notes = results(['first'], range(1, 7), 100, instability=0.5), list[str]()
    width = Width(1e-9, True)
    outcome = run_until(lambda seeds: dataset, range(100), 'instability', width, ['first'],
                        notes.append)
    assert outcome.reached and outcome.seeds == EQUAL_LEAST == 2 * LEAST
    equal = 'instability is the same in all {} seeds of first: that is no interval'
    assert len(notes) == 1 and equal.format(LEAST) in notes[0]
    _, line = conclusion(outcome, 'instability', width).split('\n')
    # 0.93 to the power of 40 is 5 %.
    assert line == equal.format(EQUAL_LEAST) + ', as up to 7% of seeds may have another value'
    # The limit of seeds is one for these, too.
    outcome = run_until(lambda seeds: dataset, range(25), 'instability', width, ['first'])
    assert outcome.seeds == 25 and equal.format(25) in conclusion(outcome, 'instability', width)


def test_an_event_in_few_seeds_is_not_missed_by_equal_first_seeds() -> None:
    """It is in seed 30, and in every tenth from then on."""
    values = (np.arange(MOST) % 10 == 0) & (np.arange(MOST) >= 30)
    dataset = results(['first'], range(1, 7), MOST, instability=values[:, None])
    outcome = run_until(lambda seeds: dataset, range(MOST), 'instability', Width(0.04, False),
                        ['first'])
    assert outcome.reached and outcome.seeds > 150 and not outcome.equal
    assert '\n' not in conclusion(outcome, 'instability', Width(0.04, False))


@pytest.mark.parametrize(('deviation', 'half'), [(1.0, 0.9), (0.3, 0.05), (2.0, 0.11)])
def test_the_number_of_seeds_is_the_least_that_suffices(deviation: float, half: float) -> None:
    n = seeds_for(deviation, half)
    assert n is not None

    def of(count: int) -> float:
        samples = np.resize([-1.0, 1.0], count)
        return estimate_mean(samples * deviation / samples.std(ddof=1)).half_width
    assert of(n) <= half < of(n - 1)


@pytest.mark.parametrize('text', ['0', '0%', '-1', 'x', '5 percent', '', '1e', 'nan', '1e999',
                                  '1.2.3'])
def test_invalid_widths(text: str) -> None:
    with pytest.raises(ValueError):
        parse_width(text)


def test_widths() -> None:
    assert parse_width('2.5 %') == pytest.approx((0.025, True))
    assert parse_width('1E-3') == (0.001, False)
