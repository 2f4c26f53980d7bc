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

"""The numbers of the table, worked by hand."""

from pathlib import Path

from lab.small_scenario import load, TEXT
from leader_election.lab import results
from leader_election.lab.engine.samples import COLUMNS, COUNTERS, MEASURES
from leader_election.lab.results import Key
from leader_election.lab.simulate import Run
from leader_election.lab.summary import lines, stability, table
import numpy as np
import pytest
from rich.console import Console
import xarray

SHORT = TEXT.replace('duration: 20', 'duration: 6') + 'vary: {messages.loss: [0, 0.5]}\n'


def made(changes: list[int], instability: list[float], size: float) -> Run:
    samples = np.zeros((6, len(MEASURES)))
    samples[:, MEASURES.index('changes')] = changes
    samples[:, MEASURES.index('instability')] = instability
    samples[:, MEASURES.index('leaders')] = [9, 2, 2, 2, 2, 7]
    samples[:, MEASURES.index('correct')] = 2
    samples[:, MEASURES.index('mean_size')] = [5, 5, 5, 5, 5, 0]
    counts = np.zeros(len(COUNTERS), np.int64)
    counts[COUNTERS.index('rounds')], counts[COUNTERS.index('sent')] = 60, 90
    return Run(samples, counts, size)


@pytest.fixture
def dataset(tmp_path: Path) -> xarray.Dataset:
    scenario = load(tmp_path, SHORT)
    made_up = results.empty(scenario, ['classic', 'bounded'], [0, 1, 2])
    high, low = [9.0, 0.5, 0.5, 0.5, 0.5, 0.5], [9.0, 0.1, 0.1, 0.1, 0.1, 0.1]
    results.put(made_up, Key('bounded', 1, 0), made([3, 0, 1, 0, 0, 0], high, 100.0))
    results.put(made_up, Key('bounded', 1, 2), made([3, 1, 0, 0, 0, 0], low, 200.0))
    results.put(made_up, Key('classic', 0, 0), made([1, 1, 1, 1, 1, 1], low, 50.0))
    results.put(made_up, Key('classic', 0, 1), made([0, 0, 0, 0, 0, 0], low, 50.0))
    made_up.attrs |= {'title': 'By hand', 'text': scenario.text}
    return made_up


def test_lines(dataset: xarray.Dataset) -> None:
    classic, bounded = lines(dataset)
    assert (bounded.algorithm, bounded.varied, bounded.seeds) == ('bounded', (0.5,), 2)
    # The first of six samples is the warm-up: (0.5 + 0.1) / 2, and (2 + 2 + 2 + 2 + 7) / 5.
    assert bounded.instability.value == pytest.approx(0.3)
    # Two values, 0.2 from their mean: deviation 0.4 / sqrt(2), and t(1, 97.5 %) = 12.7062.
    assert bounded.instability.half_width == pytest.approx(12.7062 * 0.2, rel=1e-5)
    assert bounded.leaders == pytest.approx((3.0, 3.0, 3.0))
    # 60 rounds in 6 s are 10 devices: 2 leaders lead all of them, and at the end none.
    assert bounded.led == pytest.approx((0.8, 0.8, 0.8))
    # From second 4 on nothing changed, and from second 3 on.
    assert (bounded.settled, bounded.settling) == (2, 3.5)
    # 90 receivers of 60 messages; (100 + 200) / 2.
    assert (bounded.receivers, bounded.message_bytes) == (1.5, 150.0)
    # One seed changed to the end, the other one never.
    assert (classic.varied, classic.seeds, classic.settled, classic.settling) == ((0.0,), 2, 1, 1)


def test_stability_is_told_in_rounds(dataset: xarray.Dataset) -> None:
    classic, bounded = lines(dataset)
    assert stability(bounded, period=0.5) == '7'
    assert stability(classic, period=0.5) == '2 (1 of 2)'
    assert stability(classic._replace(settled=0), period=0.5) == 'never'


def test_what_is_calm_for_less_than_a_sixth_never_is_stable(tmp_path: Path) -> None:
    """Of 24 samples, a sixth is 4: the last change may be in the 20th, but not in the 21st."""
    scenario = load(tmp_path, TEXT.replace('duration: 20', 'duration: 24'))
    made_up = results.empty(scenario, ['bounded'], [0, 1, 2])
    for seed, last in enumerate((20, 21, 23)):
        samples = np.zeros((24, len(MEASURES)))
        samples[:last, MEASURES.index('changes')] = 1
        results.put(made_up, Key('bounded', 0, seed), Run(samples, np.ones(len(COUNTERS), int), 1))
    made_up.attrs['text'] = scenario.text
    [line] = lines(made_up)
    assert (line.settled, line.settling) == (1, 21)
    assert lines(made_up, window=4)[0].settled == 1
    # Nor is what is calm for less than the window.
    assert stability(lines(made_up, window=5)[0], 1.0) == 'never'
    # Two seeds of three are not stable, and one sample that is calm changes nothing.
    [line] = lines(made_up.isel(seed=[1, 2]))
    assert stability(line, 1.0) == 'never'


def test_the_table_has_a_row_for_each_line(dataset: xarray.Dataset) -> None:
    console = Console(width=160)
    with console.capture() as shown:
        console.print(table(dataset, 1.0, 1))
    rows = [line.split() for line in shown.get().splitlines()]
    assert ['classic', '0.0', '2', '0.1000', '±', '0.0000', '3.0', '±', '0.0', '80.0', '±', '0.0%',
            '1', '(1', 'of', '2)', '1.5', '50'] in rows
    assert ['bounded', '0.5', '2', '0.3000', '±', '2.5412', '3.0', '±', '0.0', '80.0', '±', '0.0%',
            '4', '1.5', '150'] in rows


def test_of_regions_it_is_told_how_right_leaders_count(tmp_path: Path) -> None:
    text = TEXT.replace('radius: 30, ties', 'radius: 30, regions: {}, ties')
    scenario = load(tmp_path, text.replace('duration: 20', 'duration: 6'))
    made_up = results.empty(scenario, ['classic', 'bounded'], [0])
    samples = np.ones((6, len(COLUMNS)))
    # The first of six samples is the warm-up; of the others two are right, and one of 20 is 4 off.
    samples[:, COLUMNS.index('counted')] = [99, 20, 16, 20, 22, 22]
    samples[:, COLUMNS.index('present')] = 20
    samples[:, COLUMNS.index('informed')] = [0, 1, 1, 1, 1, 0.5]
    samples[:, COLUMNS.index('agreeing')] = [0, 0.5, 0.5, 0.5, 0.5, 0.5]
    counts = np.full(len(COUNTERS), 60)
    results.put(made_up, Key('bounded', 0, 0), Run(samples, counts, 100.0))
    samples = samples.copy()
    samples[:, len(MEASURES):] = np.nan
    results.put(made_up, Key('classic', 0, 0), Run(samples, counts, 50.0))
    made_up.attrs |= {'title': 'By hand', 'text': scenario.text}
    classic, bounded = lines(made_up)
    assert [each.value for each in bounded[-4:]] == pytest.approx([0.0, 0.08, 0.9, 0.5])
    # Of one seed there is no interval.
    assert np.isnan([each.half_width for each in bounded[-4:]]).all()
    assert np.isnan(classic[-4:]).all()
    console = Console(width=160)
    with console.capture() as captured:
        console.print(table(made_up, 1.0, 1))
    cells = {line.split()[0]: line.split()[-4:] for line in captured.get().splitlines()
             if line.split()[:1] in (['bounded'], ['classic'], ['algorithm'])}
    assert cells['algorithm'] == ['bias', 'off', 'informed', 'agree']
    assert cells['bounded'] == ['+0.0%', '8.0%', '90.0%', '50.0%']
    assert cells['classic'][-1] == '50' and 'informed, agree: devices' in captured.get()
