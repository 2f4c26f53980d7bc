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

"""The laboratory in Python, as notebooks use it."""

from dataclasses import replace

from lab.small_scenario import TEXT, VARIED, write
from leader_election import ALGORITHMS, lab
from leader_election.lab.analysis.measures import estimate_mean
from leader_election.lab.analysis.paired_differences import differences
from leader_election.lab.experiment.scenario import ScenarioError
from leader_election.lab.runs.results import ResultError
import pytest
import yaml


def test_the_package_has_all_names_and_no_other():
    assert all(callable(getattr(lab, name)) for name in lab.__all__)
    with pytest.raises(AttributeError, match="module 'leader_election.lab' has no attr"):
        lab.nix  # noqa: B018


def test_a_scenario_by_name_path_and_content(tmp_path):
    content = lab.load(yaml.safe_load(TEXT), name='mine')
    read = lab.load(write(tmp_path), values={'algorithms.bounded.radius': '2e1'})
    assert (content.name, read.name) == ('mine', 'small')
    assert [entrant.parameters.radius for entrant in read.entrants] == [30.0, 20.0]
    assert lab.load('border').name == 'border'
    with pytest.raises(ScenarioError, match='unknown scenario'):
        lab.load('nix')


def test_from_runs_to_means_and_differences(tmp_path, capsys):
    scenario = lab.load(write(tmp_path, VARIED))
    lab.run(scenario, 5, tmp_path)
    results = lab.run(scenario, range(1, 4), tmp_path, ['bounded', 'classic'])
    assert capsys.readouterr().out == ''
    assert results['seed'].values.tolist() == [1, 2, 3]
    assert results['algorithm'].values.tolist() == ['classic', 'bounded']
    assert lab.load_results('small', tmp_path).sizes['seed'] == 5
    found = lab.means(results, ['leaders'])
    of_seeds = results['leaders'].sel({
        'algorithm': 'bounded', 'messages.loss': 0.5, 'rounds.phase': 'together'})
    # The first three of 20 s are left out.
    wanted = estimate_mean(of_seeds.sel(time=slice(3.5, None)).mean('time').values.astype(float))
    assert found.loc[('bounded', 0.5, 'together'), 'leaders'].tolist() == pytest.approx([*wanted])
    compared = lab.compare(results, 'leaders')
    assert len(compared) == 4 and compared['seeds'].tolist() == [3] * 4
    assert compared['difference'].tolist() == [
        one.difference.value for one in differences(results, 'leaders')]
    assert len(lab.figure(results, 'leaders').axes) == 2
    assert lab.write_report(results, tmp_path).name == 'small.md'
    with pytest.raises(ResultError, match="measure 'nix' is not allowed"):
        lab.means(results, ['nix'])


def test_without_varied_keys_the_index_has_one_level(tmp_path):
    results = lab.run(lab.load(write(tmp_path)), 2, tmp_path)
    assert lab.means(results).index.tolist() == ['classic', 'bounded']


def test_seeds_until_a_width(tmp_path, capsys):
    results = lab.run_until(lab.load(write(tmp_path)), '50', 'leaders', 30, tmp_path)
    assert results.sizes['seed'] == 20
    assert 'every interval is ± 50 or narrower with 20 seeds' in capsys.readouterr().out


def test_a_name_of_the_package_is_not_replaced():
    with pytest.raises(ValueError, match="algorithm 'bounded' is registered already"):
        lab.register(replace(ALGORITHMS.get('classic'), name='bounded'))
