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

"""The statements of the papers, and the numbers that decide them."""

from math import inf
from pathlib import Path

from leader_election_lab.analysis.measures import Estimate
from leader_election_lab.experiment import scenario
import numpy as np
import pytest
from reproduction import FOLDER, statements
from reproduction.acsos2022 import central, steadier
from reproduction.coordination2019 import stabilises
from reproduction.ifac2020 import one_leader
from reproduction.readings import of_curves, over_runs, Reading, verdict
from reproduction.statements import STATEMENTS
import xarray as xr


@pytest.mark.parametrize('statement', STATEMENTS, ids=lambda each: each.says[:30])
def test_each_statement_has_its_scenario_and_is_in_the_document(
        statement: statements.Statement) -> None:
    loaded = scenario.load(statement.scenario)
    assert set(statement.labels) <= {entrant.label for entrant in loaded.entrants}
    assert f'| {statement.says} |' in (FOLDER / 'statements.md').read_text()


def test_rows_without_results_name_the_run_that_they_take(tmp_path: Path) -> None:
    rows = list(statements.rows(tmp_path))
    assert len(rows) == len(STATEMENTS) and all(len(row) == 5 for row in rows)
    assert [row[2] for row in rows] == [f'takes `lab run {each.scenario}`' for each in STATEMENTS]
    assert not list(statements.hysteresis_rows(tmp_path))


@pytest.mark.parametrize(('low', 'high', 'least', 'most', 'wanted'), [
    (1.0, 2.0, 0.0, inf, 'yes'), (-1.0, 2.0, 0.0, inf, 'open'), (-2.0, -1.0, 0.0, inf, 'no'),
    (-2.0, -1.0, -inf, inf, 'yes'), (1.0, 2.0, 0.0, 1.5, 'open'), (2.0, 3.0, 0.0, 1.5, 'no'),
    (np.nan, np.nan, 0.0, inf, 'open')])
def test_verdict_follows_from_the_interval(
        low: float, high: float, least: float, most: float, wanted: str) -> None:
    value = Estimate(1.0 if np.isnan(low) else (low + high) / 2.0, low, high)
    assert verdict([Reading('x', value, '.1f', least, most)]) == wanted


def test_reading_of_never_is_no_agreement() -> None:
    never = Reading('x', Estimate(np.nan, np.nan, np.nan))
    assert verdict([never]) == 'no' and never.text() == 'x never'


def test_number_with_a_run_that_never_got_there_is_no_yes() -> None:
    """Of eight runs seven recover within 20 to 26 s, far below 30 s."""
    seven = over_runs('x', np.arange(20.0, 27.0), '.1f', most=30.0)
    eight = over_runs('x', np.append(np.arange(20.0, 27.0), np.nan), '.1f', most=30.0)
    assert (verdict([seven]), verdict([eight])) == ('yes', 'open')
    assert seven.text() == 'x 23.0 (21.0 to 25.0)'
    assert eight.text() == 'x 23.0 (21.0 to 25.0), 1 of 8 never'
    assert verdict([over_runs('x', np.full(8, np.nan))]) == 'no'


@pytest.mark.parametrize(('seeds', 'text', 'wanted'), [
    (8, 'x 3.0 (3.0 to 3.0, covers less than 73%)', 'open'),
    (20, 'x 3.0 (3.0 to 3.0, covers about 80%)', 'open'),
    (50, 'x 3.0 (3.0 to 3.0, covers about 90%)', 'yes'), (200, 'x 3.0 (3.0 to 3.0)', 'yes')])
def test_bootstrap_interval_says_what_it_covers(seeds: int, text: str, wanted: str) -> None:
    curves = xr.DataArray(np.full((seeds, 2), 3.0), dims=('seed', 'time'), coords={
        'time': [1.0, 2.0]})
    reading = of_curves('x', curves, lambda times, curve: float(curve[0]), {}, form='.1f')
    assert (reading.text(), verdict([reading])) == (text, wanted)


def test_time_to_stabilise_is_as_computed_by_hand() -> None:
    """After 600 s values are 0 for 10 s, 2 for 10 s, then 1. A peak of a second is smoothed."""
    times = np.arange(501.0, 901.0)
    values = np.ones(400)
    values[100:110], values[110:120], values[130] = 0.0, 2.0, 1.2
    # The mean over five seconds is 1.2 at 622 s, of which one second has 2, and 1 at 623 s.
    assert stabilises(times, values) == 23.0
    # 1.2, over five seconds, is 4 % more, from 629 to 633 s.
    assert stabilises(times, values, part=0.03) == 34.0
    values[-1] = 50.0
    values[::7] = 9.0
    assert np.isnan(stabilises(times, values))


def test_central_compares_places_within_seeds() -> None:
    """Two seeds of 6 s, of which the first is the warm-up. Each has 0.1 more at the wall."""
    instability = xr.DataArray(
        np.zeros((1, 4, 2, 6)), dims=('algorithm', 'place', 'seed', 'time'), coords={
            'algorithm': ['bounded'], 'place': ['middle', 'wall', 'corner', 'walking'],
            'time': np.arange(1.0, 7.0)})
    instability.loc[{'seed': 1}] = 0.5
    instability.loc[{'place': 'wall'}] += 0.1
    instability.loc[{'place': 'corner', 'seed': 1}] += 0.2
    wall, corner, walking = central(xr.Dataset({'instability': instability}), 'bounded')
    assert wall.value == pytest.approx((0.1, 0.1, 0.1))
    # Student's t for two seeds: 12.7.
    assert corner.value == pytest.approx((0.1, 0.1 - 1.2706, 0.1 + 1.2706), abs=1e-4)
    assert walking.value == (0.0, 0.0, 0.0)


def test_steadier_compares_spreads_over_seeds() -> None:
    values = {'classic': [0.2, 0.4], 'recursive': [0.1, 0.5]}
    instability = xr.DataArray(
        np.array(list(values.values()))[:, :, None] * np.ones(6),
        dims=('algorithm', 'seed', 'time'),
        coords={'algorithm': list(values), 'time': np.arange(1.0, 7.0)})
    [reading] = steadier(xr.Dataset({'instability': instability}), 'classic')
    assert reading.value.value == pytest.approx(0.1)


def test_time_to_one_leader_ignores_the_lost_device() -> None:
    times = np.array([449.0, 450.0, 451.0, 452.0, 453.0])
    base = {'algorithm': ['resilient-2'], 'seed': [0], 'time': times}

    def over(values: list[float]) -> xr.DataArray:
        return xr.DataArray([[values]], dims=('algorithm', 'seed', 'time'), coords=base)

    results = xr.Dataset({'named': over([1, 1, 2, 1, 1]), 'correct': over([1, 1, 0, 1, 1]),
                          'largest_size': over([500, 500, 0, 499, 499])})
    assert one_leader(results, 'resilient-2', 450.0).tolist() == [2.0]
