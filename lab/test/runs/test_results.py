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

"""Results are labelled, and saved as a whole. Unusable files are reported."""

from pathlib import Path

from environment import disk_with_room
from example_results import present
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import kept, results, store
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.store import Key
from leader_election_lab.simulation.run import Run
from leader_election_lab.states import COLUMNS, COUNTERS, MEASURES, REGION_MEASURES
import numpy as np
import pytest
from small_scenario import load, TEXT, VARIED
import xarray

FILE = 'small.nc'


@pytest.fixture
def varied(tmp_path: Path) -> Scenario:
    return load(tmp_path, VARIED)


def made_up(times: int, number: int) -> Run:
    """Return a run whose numbers identify it and the measure."""
    samples = np.full((times, len(MEASURES)), float(number)) + np.arange(len(MEASURES)) / 10
    return Run(samples, np.full(len(COUNTERS), number), float(number))


def test_run_is_put_at_its_labels(varied: Scenario) -> None:
    # Variants count in the order of the keys, the last one fastest:
    # (0, random), (0, together), (0.5, random), (0.5, together).
    dataset = results.empty(varied, ['classic', 'bounded'], [3, 7])
    results.put(dataset, [(Key('bounded', 2, 7), made_up(20, 5))])
    values, variant = varied.variants()[2]
    assert values == {'messages.loss': 0.5, 'rounds.phase': 'random'}
    assert variant.messages.loss == 0.5
    one = dataset.sel(algorithm='bounded', seed=7, **values)
    assert one['changes'].values == pytest.approx(np.full(20, 5.1))
    assert one['counts'].sel(counter='sent') == 5 and one['message_bytes'] == 5
    assert int((dataset['counts'] != results.MISSING).sum()) == len(COUNTERS)
    assert int(dataset['instability'].notnull().sum()) == 20
    assert present(dataset) == {Key('bounded', 2, 7)}
    assert dataset['instability'].dtype == np.float64 and dataset['leaders'].dtype == np.float32
    assert dataset['time'].values.tolist() == list(range(1, 21))


def test_saved_results_load_unchanged(varied: Scenario, tmp_path: Path) -> None:
    dataset = results.empty(varied, ['bounded'], [0])
    results.put(dataset, [(Key('bounded', 3, 0), made_up(20, 2))])
    results.save(dataset, varied, tmp_path / FILE, store.digests(varied))
    loaded = results.load(tmp_path / FILE)
    assert loaded.drop_vars('fingerprint').equals(dataset)
    assert loaded.attrs['text'] == varied.text and loaded.attrs['title'] == 'Small'
    assert loaded['fingerprint'].values[0, 1, 1] == str(store.digests(varied)['bounded', 3])
    assert sorted(file.name for file in tmp_path.iterdir()) == [FILE, 'small.yaml']


def test_periods_and_windows_of_variants_are_in_the_results(tmp_path: Path) -> None:
    paces = 'vary: {pace: [{rounds.period: 1}, {rounds.period: 0.25, measure.window: 5}]}\n'
    dataset = results.empty(load(tmp_path, TEXT + paces), ['bounded'], [0])
    assert dataset['round_period'].sel(pace=0.25) == 0.25
    assert dataset['instability_window'].values.tolist() == [10, 5]


def test_results_of_another_scenario_are_refused(varied: Scenario, tmp_path: Path) -> None:
    path = tmp_path / FILE
    results.save(results.empty(varied, ['bounded'], [0]), varied, path, store.digests(varied))
    loaded = results.load(path)
    # Other algorithms and additional values do not matter.
    for change in (('radius: 30, wins', 'radius: 31, wins'), ('[0, 0.5]', '[0, 0.2, 0.5]')):
        other = load(tmp_path, VARIED.replace(*change))
        assert kept.check_current(loaded, other, path) is loaded
    for change in (('range: 40', 'range: 41'), ('[0, 0.5]', '[0, 0.6]'),
                   ('bounded, radius: 30, ties: nearest', 'colour, label: bounded')):
        with pytest.raises(ResultError, match=r'small\.nc holds runs of another .* lab run keeps'):
            kept.check_current(loaded, load(tmp_path, VARIED.replace(*change)), path)


@pytest.mark.parametrize('left', [0, 10, 0.5, -1])
def test_truncated_file_is_an_error(varied: Scenario, tmp_path: Path, left: float) -> None:
    path = tmp_path / FILE
    results.save(results.empty(varied, ['bounded'], [0]), varied, path, store.digests(varied))
    whole = path.read_bytes()
    path.write_bytes(whole[:int(left * len(whole)) if left == 0.5 else int(left)])
    with pytest.raises(ResultError, match=r'small\.nc cannot be read .* it again with --again'):
        results.load(path)


def test_file_without_results_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match=r'small\.nc is not there.* lab run small'):
        results.load(tmp_path / FILE)
    xarray.Dataset({'other': ('time', [1.0])}).to_netcdf(tmp_path / FILE, engine='netcdf4')
    with pytest.raises(ResultError, match=r'small\.nc holds no results'):
        results.load(tmp_path / FILE)
    (tmp_path / 'folder.nc').mkdir()
    with pytest.raises(ResultError, match=r'folder\.nc is a folder, .* move it away'):
        results.load(tmp_path / 'folder.nc')


@pytest.mark.parametrize('room', [0, 5000])
def test_older_file_is_kept_when_the_disk_is_full(
        varied: Scenario, tmp_path: Path, room: int) -> None:
    path = tmp_path / FILE
    path.write_bytes(b'of yesterday')
    with disk_with_room(room), pytest.raises(ResultError) as raised:
        results.save(results.empty(varied, ['bounded'], [0]), varied, path, store.digests(varied))
    assert f'{path} cannot be written' in str(raised.value)
    assert path.read_bytes() == b'of yesterday'
    assert sorted(file.name for file in tmp_path.iterdir()) == [FILE, 'small.yaml']


def test_measures_of_regions_are_stored_for_algorithms_that_have_regions(tmp_path: Path) -> None:
    plain = load(tmp_path, VARIED)
    assert not {*REGION_MEASURES} & set(results.empty(plain, ['bounded'], [0]))
    mixed = load(tmp_path, VARIED.replace('radius: 30, ties', 'radius: 30, regions: {}, ties'))
    dataset = results.empty(mixed, ['classic', 'bounded'], [0])
    samples = np.full((20, len(COLUMNS)), 7.0)
    results.put(dataset, [(Key('bounded', 0, 0), Run(samples, np.ones(len(COUNTERS)), 3.0))])
    results.save(dataset, mixed, tmp_path / FILE, store.digests(mixed))
    read = results.load(tmp_path / FILE)
    for measure in REGION_MEASURES:
        first = dict.fromkeys(results.varied(read), 0) | {'seed': 0}
        assert (read[measure].sel(algorithm='bounded').isel(first) == 7.0).all()
        assert read[measure].sel(algorithm='classic').isnull().all()
