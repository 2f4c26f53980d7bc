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

"""Summaries of results, and the limit of the level."""

from pathlib import Path

from leader_election_lab.analysis.summary import (
    cells,
    level_lines,
    lines,
    REGION_COLUMNS,
    stability,
    table,
)
from leader_election_lab.experiment.scenario import parse, Scenario, ScenarioError
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs import results
from leader_election_lab.runs.store import Key
from leader_election_lab.simulation.run import Run, simulate
from leader_election_lab.states import COLUMNS, COUNTERS, MEASURES
import numpy as np
import pytest
from rich.console import Console
from small_scenario import load, TEXT
import xarray

SIX = TEXT.replace('duration: 20', 'duration: 6\nmeasure: {window: 1}')
SHORT = SIX + 'vary: {messages.loss: [0, 0.5]}\n'


def made(changes: list[int], instability: list[float], size: float) -> Run:
    samples = np.zeros((6, len(MEASURES)))
    samples[:, MEASURES.index('changes')] = changes
    samples[:, MEASURES.index('instability')] = instability
    samples[:, MEASURES.index('leaders')] = [9, 2, 2, 2, 2, 7]
    samples[:, MEASURES.index('correct')] = 2
    samples[:, MEASURES.index('mean_size')] = [5, 5, 5, 5, 5, 0]
    samples[:, MEASURES.index('running')] = 10
    counts = np.zeros(len(COUNTERS), np.int64)
    counts[COUNTERS.index('rounds')], counts[COUNTERS.index('sent')] = 60, 90
    return Run(samples, counts, size)


@pytest.fixture
def dataset(tmp_path: Path) -> xarray.Dataset:
    scenario = load(tmp_path, SHORT)
    made_up = results.empty(scenario, ['classic', 'bounded'], [0, 1, 2])
    high, low = [9.0, 0.5, 0.5, 0.5, 0.5, 0.5], [9.0, 0.1, 0.1, 0.1, 0.1, 0.1]
    results.put(made_up, [(Key('bounded', 1, 0), made([3, 0, 1, 0, 0, 0], high, 100.0))])
    results.put(made_up, [(Key('bounded', 1, 2), made([3, 1, 0, 0, 0, 0], low, 200.0))])
    results.put(made_up, [(Key('classic', 0, 0), made([1, 1, 1, 1, 1, 1], low, 50.0))])
    results.put(made_up, [(Key('classic', 0, 1), made([0, 0, 0, 0, 0, 0], low, 50.0))])
    made_up.attrs |= {'title': 'By hand', 'text': scenario.text}
    return made_up


def test_line_has_means_settling_and_lengths_by_hand(dataset: xarray.Dataset) -> None:
    classic, bounded = lines(dataset)
    assert (bounded.algorithm, bounded.varied, bounded.seeds) == ('bounded', (0.5,), 2)
    # The first of six samples is the warm-up: (0.5 + 0.1) / 2, and (2 + 2 + 2 + 2 + 7) / 5.
    assert bounded.means['instability'].value == pytest.approx(0.3)
    # Two values, 0.2 from their mean: deviation 0.4 / sqrt(2), and t(1, 97.5 %) = 12.7062.
    assert bounded.means['instability'].half_width == pytest.approx(12.7062 * 0.2, rel=1e-5)
    assert bounded.means['leaders'] == pytest.approx((3.0, 3.0, 3.0))
    # 2 leaders lead all of 10 devices, and none at the end.
    assert bounded.means['led'] == pytest.approx((0.8, 0.8, 0.8))
    # No change after second 3, and after second 2.
    assert (bounded.settled, bounded.settling) == (2, 2.5)
    # 90 receivers of 60 messages; (100 + 200) / 2.
    assert (bounded.receivers, bounded.message_bytes) == (1.5, 150.0)
    # One seed changed until the end, the other one never.
    assert (classic.varied, classic.seeds, classic.settled, classic.settling) == ((0.0,), 2, 1, 0)


@pytest.mark.parametrize(('windows', 'stable'), [
    ((1, 9), ['3', '12']), ((12, 12), ['never', '12'])])
def test_stability_is_in_rounds_of_each_variant(
        tmp_path: Path, windows: tuple[int, int], stable: list[str]) -> None:
    """The last change is in the second up to 3 s. It is calm for 3 s then: 3 rounds, and 12."""
    one, other = windows
    scenario = load(tmp_path, SIX + 'vary: {pace: [{rounds.period: 1, measure.window: '
                    f'{one}}}, {{rounds.period: 0.25, measure.window: {other}}}]}}\n')
    made_up = results.empty(scenario, ['bounded'], [0])
    for variant in range(2):
        results.put(made_up, [
            (Key('bounded', variant, 0), made([3, 0, 1, 0, 0, 0], [0.1] * 6, 1.0))])
    made_up.attrs |= {'title': 'By hand', 'text': scenario.text}
    columns, rows = cells(made_up)
    assert [row[columns.index('stable after')] for row in rows] == stable


def test_run_is_unstable_when_calm_for_less_than_a_sixth(tmp_path: Path) -> None:
    """Of 24 samples, a sixth is 4: the last change may be in the 20th, but not in the 21st."""
    scenario = load(tmp_path, SIX.replace('duration: 6', 'duration: 24'))
    made_up = results.empty(scenario, ['bounded'], [0, 1, 2])
    for seed, last in enumerate((20, 21, 23)):
        samples = np.zeros((24, len(MEASURES)))
        samples[:last, MEASURES.index('changes')] = 1
        results.put(made_up, [
            (Key('bounded', 0, seed), Run(samples, np.ones(len(COUNTERS), int), 1))])
    made_up.attrs['text'] = scenario.text
    [line] = lines(made_up)
    assert (line.settled, line.settling) == (1, 20)
    # Two seeds of three are not stable, despite one sample without changes.
    [line] = lines(made_up.isel(seed=[1, 2]))
    assert stability(line) == 'never'
    # Nor if it is calm for less than the window.
    for window, settled in ((4, 1), (5, 0)):
        made_up[results.WINDOW] = window
        assert lines(made_up)[0].settled == settled


def shown(dataset: xarray.Dataset) -> list[list[str]]:
    """Return the words of each line of the table."""
    console = Console(width=160)
    with console.capture() as captured:
        console.print(table(dataset))
    return [line.split() for line in captured.get().splitlines()]


def test_table_has_a_row_for_each_line(dataset: xarray.Dataset) -> None:
    columns, rows = cells(dataset)
    found = {(row[0], row[1]): dict(zip(columns, row)) for row in rows}
    assert found['classic', '0.0'].items() >= {
        'seeds': '2', 'instability': '0.1000 ± 0.0000', 'leaders': '3.0 ± 0.0',
        'led': '80.0 ± 0.0%', 'stable after': '0 (1 of 2)', 'receivers': '1.5',
        'bytes': '50'}.items()
    assert found['bounded', '0.5'].items() >= {
        'instability': '0.3000 ± 2.5412', 'stable after': '2', 'bytes': '150'}.items()
    words = ['classic', '0.0', '2', '0.1000', '±', '0.0000']
    assert words in [line[:len(words)] for line in shown(dataset)]


def test_line_has_the_counting_errors_of_regions(tmp_path: Path) -> None:
    scenario = load(tmp_path, SIX.replace('radius: 30, ties', 'radius: 30, regions: {}, ties'))
    made_up = results.empty(scenario, ['classic', 'bounded'], [0])
    samples = np.ones((6, len(COLUMNS)))
    # The first of six samples is the warm-up. Two of the others are right, one is off by 4 of 20.
    samples[:, COLUMNS.index('counted')] = [99, 20, 16, 20, 22, 22]
    samples[:, COLUMNS.index('present')] = 20
    samples[:, COLUMNS.index('informed')] = [0, 1, 1, 1, 1, 0.5]
    samples[:, COLUMNS.index('agreeing')] = [0, 0.5, 0.5, 0.5, 0.5, 0.5]
    counts = np.full(len(COUNTERS), 60)
    results.put(made_up, [(Key('bounded', 0, 0), Run(samples.copy(), counts, 100.0))])
    samples[:, len(MEASURES):] = np.nan
    results.put(made_up, [(Key('classic', 0, 0), Run(samples, counts, 50.0))])
    made_up.attrs |= {'title': 'By hand', 'text': scenario.text}
    classic, bounded = lines(made_up)
    of_regions = [bounded.means[measure] for measure in REGION_COLUMNS]
    assert [each.value for each in of_regions] == pytest.approx([0.0, 0.08, 0.9, 0.5])
    # One seed has no interval.
    assert np.isnan([each.half_width for each in of_regions]).all()
    assert not classic.means.keys() & REGION_COLUMNS.keys()
    rows = shown(made_up)
    cells = {row[0]: row[-4:] for row in rows if row}
    assert cells['algorithm'] == ['bias', 'off', 'informed', 'agreeing']
    assert cells['bounded'] == ['+0.0%', '8.0%', '90.0%', '50.0%']
    assert cells['classic'][-1] == '50' and ['informed,', 'agreeing:', 'devices'] in [
        row[:3] for row in rows]


def line(levels: int | None, **more: object) -> Scenario:
    """Return a line of 33 devices, 1 m apart, in descending strength. A level has two of them."""
    own = {} if levels is None else {'levels': levels}
    return parse({
        'duration': 60, 'strength': {'cycle': ['lower_id']}, 'messages': {'range': 1.5},
        'algorithms': [{'name': 'recursive', 'radius': 1, **own},
                       {'name': 'bounded', 'radius': 1}],
        'devices': [{'kind': 'line', 'count': 33, 'step': [1, 0]}], **more}, 'line')


def test_results_do_not_depend_on_levels_that_no_device_reaches() -> None:
    few, many = (simulate(line(levels), 'recursive', 0) for levels in (17, 64))
    assert np.array_equal(few.samples, many.samples, equal_nan=True)
    # At the last of 17 levels devices lead themselves, as the last device does anyway.
    assert few.counts[:-1].tolist() == many.counts[:-1].tolist()
    assert many.counts[-1] == 0 < few.counts[-1]


def test_line_states_whether_the_last_level_was_reached(tmp_path: Path) -> None:
    def lines(levels: int | None) -> list[str]:
        return list(level_lines(runs.run(line(levels), range(2), folder=tmp_path, workers=1,
                                         again=True)))
    assert lines(64) == ['recursive: no round reached the last of its 64 levels; the result is '
                         'that of an endless recursion']
    [text] = lines(None)
    hit, _, rest = text.removeprefix('recursive: ').partition(' of ')
    assert int(hit) > 2 * 3 * 10 and rest.startswith(f'{2 * 33 * 60} rounds (')
    assert 'reached the last of its 16 levels, where a device leads itself' in text


@pytest.mark.parametrize(('entry', 'message'), [
    ({'levels': 1}, 'algorithms.levels: 1 is not allowed; it takes a whole number from 2 to 1000'),
    ({'levels': 'endless'}, "algorithms.levels: 'endless' is not allowed"),
    ({'name': 'bounded', 'levels': 8}, 'algorithms.levels: algorithm bounded takes no levels')])
def test_levels_out_of_range_are_refused(entry: dict[str, object], message: str) -> None:
    with pytest.raises(ScenarioError, match=f'^scenario line: {message}'):
        line(None, algorithms=[{'name': 'recursive', 'radius': 1, **entry}])
