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

"""The figure and tables of the effect of position errors."""

from typing import Any

from example_results import results
from leader_election_lab.experiment import scenario
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.figures.localisation_error import (
    draw_localisation_error,
    drift_rows,
    estimates,
    exact_twin,
    same_leader_part,
    table_rows,
)
import numpy as np
import pytest
import xarray as xr
import yaml

# Five devices 10 m apart, each in range of the next: the strongest leads one more, and so on from
# that end. A device with an error of kilometres has no neighbours, and leads itself.
LINE = """
duration: 30
algorithms:
  - {name: bounded, radius: 11, hop_limit: 0}
  - {name: bounded, label: wide, radius: 100, hop_limit: 0}
devices:
  - {kind: line, count: 5, first: [0, 0], step: [10, 0], linked: false}
messages: {range: 50}
localisation: {model: cooperative, communication_range: 12, deviation: 1.0e+5}
strength: {cycle: [id]}
"""
ERRORS: dict[str, list[Any]] = {
    'localisation.deviation': [0.0, 1e5], 'localisation.correlation_time': [0.0, 1e9]}
MODELS: dict[str, list[Any]] = {'localisation.model': ['exact', 'drift', 'cooperative']}
LABELS = ['bounded', 'wide']


def line(vary: dict[str, list[Any]]) -> Scenario:
    return scenario.parse({**yaml.safe_load(LINE), 'vary': vary}, 'line')


def made(vary: dict[str, list[Any]], **values: Any) -> xr.Dataset:
    dataset: xr.Dataset = results(LABELS, np.arange(1.0, 31.0), 3, vary, **values)
    return dataset


def test_the_exact_scenario_keeps_the_communication_range() -> None:
    twin = exact_twin(line(ERRORS))
    assert twin.localisation.model == 'exact' and twin.localisation.communication_range == 12.0
    assert len(twin.variants()) == 1
    settings: list[Any] = [each.entrants[1].parameters for each in (twin, line(ERRORS))]
    assert settings[0].hop_limit == settings[1].hop_limit


def test_the_same_leader_by_hand() -> None:
    same = same_leader_part(line(ERRORS), [0, 4]).isel(time=slice(10, None))
    assert same.dims == ('algorithm', *ERRORS, 'seed', 'time')
    assert (same.sel({'localisation.deviation': 0.0}) == 1.0).all()
    far = same.sel({'localisation.deviation': 1e5})
    # Leaders are 0, 2, 2, 4, 4; alone, devices 0, 2 and 4 lead themselves as well.
    assert (far.sel(algorithm='bounded') == 0.6).all()
    # Device 4 leads all; alone, it leads itself.
    assert (far.sel(algorithm='wide') == 0.2).all()


def test_the_interval_is_over_the_seeds_that_were_run() -> None:
    values = xr.DataArray([[1.0, 2.0, 3.0], [1.0, 1.0, np.nan]], dims=('time', 'seed'))
    several, two = estimates(values)
    assert (several.value, two.value) == (2.0, 1.0)
    assert several.low == pytest.approx(2.0 - 2.484, abs=1e-3) and two.high == 1.0


def test_the_table_has_a_row_for_each_error() -> None:
    rows = table_rows(made(ERRORS, instability=0.1, correct=3, mean_size=30), line(ERRORS))
    assert [row[:3] for row in rows] == [
        (label, error, lasting) for label in LABELS for lasting in ('0', '1e+09')
        for error in ('0', '100000')]
    assert rows[0][3:] == ('.1000 ± .0000', '100.0 ± 0.0 %', '90.0 ± 0.0 %')
    assert rows[1][4].startswith('6') and rows[-1][4].startswith('2')


def test_the_table_over_time_has_begin_middle_and_end() -> None:
    rows = drift_rows(made(MODELS, instability=np.arange(30.0) / 100.0), line(MODELS))
    assert [row[:3] for row in rows[:6]] == [
        ('bounded', name, time) for name in ('exact', 'odometry')
        for time in ('0.1', '0.2', '0.5')]
    # Samples 3 and 4, 15 and 16, 29 and 30.
    assert [row[3] for row in rows[:3]] == [
        '.0250 ± .0000', '.1450 ± .0000', '.2850 ± .0000']
    assert {row[4] for row in rows[:3]} == {'100.0 ± 0.0 %'}


def test_curves_against_errors_and_over_time() -> None:
    lasting = np.reshape([0.1, 0.3], (2, 1, 1))
    figure = draw_localisation_error(made(ERRORS, instability=lasting), made(MODELS),
                                     line(ERRORS), line(MODELS))
    changes, drifting, same, over_time = figure.axes
    # The first axes' further lines are those of the legend.
    curves = [each.get_ydata() for each in changes.lines[:4]]
    assert [list(np.asarray(curve)) for curve in curves] == [
        pytest.approx([value] * 2) for value in (0.1, 0.3) * 2]
    assert len({each.get_color() for each in changes.lines[:4]}) == 2
    assert [each.get_linestyle() for each in drifting.lines[:3]] == ['-', '--', ':']
    assert np.asarray(same.lines[0].get_ydata())[0] == 1.0
    assert len(over_time.lines) == 6 and len(np.asarray(over_time.lines[0].get_ydata())) == 15
    legend = drifting.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        *LABELS, 'exact', 'odometry', 'with the filter']
