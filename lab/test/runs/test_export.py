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

"""Results as tables: the same numbers, their units, and one-line errors."""

from leader_election_lab.analysis.measures import time_average
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs import results
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.results import attributes, LABELS
from leader_election_lab.states import COLUMNS, COUNTERS, MEASURES
from leader_election_lab.subcommands import RUNS, TIMES, write_table
import numpy as np
import pandas
import pytest
from small_scenario import load, VARIED
import xarray


@pytest.fixture(scope='module')
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Scenario, xarray.Dataset]:
    """Return a scenario, and results of which some runs are missing."""
    folder = tmp_path_factory.mktemp('ran')
    scenario = load(folder, VARIED)
    runs.run(scenario, range(2), folder, ['bounded'])
    return scenario, runs.run(scenario, [1], folder)


def test_table_has_a_row_a_run_and_time(ran, tmp_path):
    scenario, dataset = ran
    # 4 variants and 20 times; bounded with two seeds, classic with one.
    assert write_table(dataset, scenario, tmp_path / 'x.csv', TIMES) == 240
    table = pandas.read_csv(tmp_path / 'x.csv')
    assert list(table) == ['algorithm', 'messages.loss', 'rounds.phase', 'seed', 'time', *MEASURES]
    indexed = table.set_index(list(table)[:5]).sort_index()
    assert len(indexed) == 240 and indexed.index.is_unique
    for place in ({'algorithm': 'bounded', 'messages.loss': 0.5, 'rounds.phase': 'together',
                   'seed': 0}, {'algorithm': 'classic', 'messages.loss': 0.0,
                                'rounds.phase': 'random', 'seed': 1}):
        for measure in MEASURES:
            values = indexed.loc[tuple(place.values())][measure]
            assert np.array_equal(values.to_numpy().astype(np.float32), dataset[measure].sel(
                place).values.astype(np.float32), equal_nan=True)


def test_summary_has_a_row_a_run(ran, tmp_path):
    scenario, dataset = ran
    assert write_table(dataset, scenario, tmp_path / 'x.csv', RUNS) == 4 * 3
    table = pandas.read_csv(tmp_path / 'x.csv')
    assert list(table) == ['algorithm', 'messages.loss', 'rounds.phase', 'seed', *MEASURES,
                           'led', 'united', *COUNTERS, 'message_bytes']
    one = table[(table['algorithm'] == 'bounded') & (table['messages.loss'] == 0.5)
                & (table['rounds.phase'] == 'random') & (table['seed'] == 1)]
    place = {'algorithm': 'bounded', 'messages.loss': 0.5, 'rounds.phase': 'random', 'seed': 1}
    assert one['instability'].item() == pytest.approx(
        time_average(dataset['instability']).sel(place).item())
    assert one['sent'].item() == dataset['counts'].sel(place | {'counter': 'sent'}).item()
    assert one['message_bytes'].item() == dataset['message_bytes'].sel(place).item()
    assert 0.0 < one['led'].item() <= 1.0


def test_all_variables_have_labels(ran, tmp_path):
    scenario, dataset = ran
    assert {*COLUMNS, *COUNTERS, *dataset.variables} - {*scenario.vary} <= set(LABELS)
    # As they are read from the file without this package.
    for name, variable in dataset.variables.items():
        texts = variable.dtype.kind in 'UO'
        assert {'long_name', 'description'} <= set(variable.attrs), name
        assert ('units' in variable.attrs) != texts, name
    assert dataset['time'].attrs['units'] == 's'
    assert dataset['message_bytes'].attrs['units'] == 'byte'
    assert dataset['messages.loss'].attrs['units'] == '1'
    everything = load(tmp_path, VARIED.replace(
        'radius: 30, ties', 'radius: 30, regions: {}, ties'))
    empty = results.empty(everything, ['bounded'], [0])
    assert all(empty[name].attrs['long_name'] for name in COLUMNS)


def test_results_have_the_units_of_the_scenario(ran):
    scenario, _ = ran
    hops = scenario.replaced({'messages.metric': 'hops'})
    assert attributes('mean_radius', scenario)['units'] == 'm'
    assert attributes('mean_radius', hops)['units'] == '1'
    together = scenario.replaced({'vary': {
        'size': [{'devices.count': 9}, {'devices.count': 10}], 'rounds.period': [1, 2]}})
    assert attributes('size', together) == {
        'long_name': 'size', 'units': '1',
        'description': 'Key devices.count of the scenario: Number of devices.'}
    assert attributes('rounds.period', together)['units'] == 's'
    # Own parameters of a metric.
    own = scenario.replaced({
        'messages.metric': 'look_ahead',
        'messages.metric_parameters': {'look_ahead': 2.0},
        'vary': {'messages.metric_parameters.look_ahead': [1.0, 2.0]}})
    assert 'velocities' in attributes('messages.metric_parameters.look_ahead', own)['description']


def test_table_that_cannot_be_written_is_an_error(ran, tmp_path):
    scenario, dataset = ran
    (tmp_path / '.y.csv.writing').symlink_to('/dev/full')
    with pytest.raises(ResultError, match=r'y\.csv cannot be written'):
        write_table(dataset, scenario, tmp_path / 'y.csv', TIMES)
    with pytest.raises(ResultError, match=r'x\.txt cannot be written: it takes one of \.csv'):
        write_table(dataset, scenario, tmp_path / 'x.txt', TIMES)
    assert not list(tmp_path.iterdir())
