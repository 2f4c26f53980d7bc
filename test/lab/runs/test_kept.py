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

"""Kept results of a scenario: found by path and name, and refused if they are of another text."""

from pathlib import Path

from lab.small_scenario import load, TEXT, VARIED, write
from leader_election.lab.runs import computation as runs
from leader_election.lab.runs.results import ResultError
from leader_election.lab.runs.store import kept, UnknownResultsError
import pytest


def test_results_are_found_by_path_and_by_name(tmp_path: Path) -> None:
    dataset = runs.run(load(tmp_path, VARIED), [0, 1], tmp_path)
    assert kept(str(tmp_path / 'small.yaml'), tmp_path).identical(dataset)
    assert kept('small', tmp_path).identical(dataset)


def test_results_of_another_text_are_refused_with_the_command_to_run(tmp_path: Path) -> None:
    runs.run(load(tmp_path), [0], tmp_path)
    path = write(tmp_path, TEXT.replace('count: 30', 'count: 31'))
    with pytest.raises(ResultError, match='small.nc holds runs of another text of the scenario, '
                       'or of other code; lab run '):
        kept(str(path), tmp_path)
    # A further algorithm does not invalidate results.
    more = TEXT.replace('algorithms:', 'algorithms:\n  - {name: colour}')
    assert kept(str(write(tmp_path, more)), tmp_path).sizes['algorithm'] == 2


def test_numbers_are_not_given_to_another_label(tmp_path: Path) -> None:
    text = TEXT.replace('  - {name: classic, radius: 30, wins: weakest}\n', '').replace(
        'bounded, radius: 30', 'bounded, label: wide, radius: 30') + ''
    text = text.replace('devices:', '  - {name: bounded, label: narrow, radius: 9}\ndevices:')
    runs.run(load(tmp_path, text), [0], tmp_path)
    for label, other in (('narrow', 'wide'), ('wide', 'slim')):
        changed = text.replace(f'label: {label}', 'label: x').replace(
            f'label: {other}', f'label: {label}').replace('label: x', f'label: {other}')
        with pytest.raises(ResultError, match='holds runs of another text of the scenario'):
            kept(str(write(tmp_path, changed)), tmp_path)


def test_missing_results(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match='small.nc is not there; it is made by: lab run '
                       f'{tmp_path}/small.yaml'):
        kept(str(write(tmp_path)), tmp_path)
    with pytest.raises(ResultError, match='is not there; it is made by: lab run border'):
        kept('border', tmp_path)
    for name in ('nix', '../small'):
        with pytest.raises(UnknownResultsError, match="there are no results '.*' in .*; it takes "
                           r'the path of a scenario such as (nix|small)\.yaml'):
            kept(name, tmp_path / 'folder')
