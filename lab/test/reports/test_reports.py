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

"""The report of a scenario's results."""

from pathlib import Path

from leader_election_lab.reports import report, write_report
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs.files import ResultError
import pytest
from small_scenario import load, TEXT, VARIED


def test_report_has_means_differences_figure_versions_and_text(tmp_path: Path) -> None:
    dataset = runs.run(load(tmp_path, TEXT.replace('title: Small', 'title: Small\nsource: own')),
                       range(5), tmp_path)
    text = write_report(dataset, tmp_path).read_text()
    assert text.startswith('# Small\n\nown.\n\n5 seeds of each algorithm.\n')
    for part in ('| bounded | 5 | 0.', '| bounded | classic | 5 | 0.', '(figures/small.png)',
                 'Paired differences: instability.', 'Paired differences: leaders.',
                 'Paired differences: led.', '- package: leader_election 0', '- seeds: 0 to 4\n',
                 '- machine: ', '- command: `', 'duration: 20\n',
                 # A default that the scenario does not mention.
                 'radius_hysteresis: 0.0', 'ties: nearest}'):
        assert text.count(part) == 1, part
    assert 'plug-in' not in text
    assert (tmp_path / 'figures' / 'small.png').stat().st_size > 10000
    alone = report(dataset.sel(algorithm=['bounded']), ['leaders'], 'small.png')
    assert '| bounded | 5 | 0.' in alone and 'differences' not in alone


def test_report_takes_measures_and_a_path(tmp_path: Path) -> None:
    dataset = runs.run(load(tmp_path, VARIED), range(2), tmp_path)
    out = tmp_path / 'elsewhere' / 'own.md'
    text = write_report(dataset, tmp_path, ['named'], out).read_text()
    assert 'Paired differences: named.' in text and 'differences: led' not in text
    assert '(../figures/small.png)' in text and '2 seeds of each algorithm and variant.' in text
    with pytest.raises(ResultError, match='it takes one of .md'):
        write_report(dataset, tmp_path, out=tmp_path / 'own.txt')
    with pytest.raises(ResultError, match="measure 'nix' is not allowed"):
        write_report(dataset, tmp_path, ['nix'])
