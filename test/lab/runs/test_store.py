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

"""Finished runs are kept by their fingerprints; only changed ones are run again."""

from pathlib import Path
import subprocess
import sys
from typing import Any

from lab.runs.test_computation import RecordedProgress, same, Stopping
from lab.simulations import scene, WALK
from lab.small_scenario import load, TEXT, VARIED, write
from leader_election.lab.experiment import scenario
from leader_election.lab.experiment.scenario import Scenario
from leader_election.lab.runs import computation as runs
from leader_election.lab.runs import results, sources, store
from leader_election.lab.runs.results import Key, ResultError
from leader_election.lab.runs.store import fingerprint, kept, UnknownResultsError
from leader_election.lab.subcommands import seeds_done
import pytest
import xarray


def ran(scenario: Scenario, seeds: range, folder: Path, *algorithms: str,
        ) -> tuple[int, str, xarray.Dataset]:
    """Return the number of runs that were computed, the notes, and the results."""
    progress = RecordedProgress()
    dataset = runs.run(scenario, seeds, folder, algorithms, progress=progress)
    printed = [line for line in progress.text.getvalue().splitlines() if ' runs: ' not in line]
    return progress.counted(), '\n'.join(printed), dataset


def edit(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Change the digest of one algorithm's code, as after a change of its source."""
    original = sources.of_run

    def changed(chosen: tuple[Any, ...]) -> str:
        mine = any(getattr(each, '__module__', '').endswith(module) for each in chosen)
        return ('e' if mine else '') + original(chosen)
    monkeypatch.setattr(store.sources, 'of_run', changed)


def test_an_algorithm_whose_code_has_changed_is_run_again_alone(tmp_path, monkeypatch):
    small = load(tmp_path)
    before = ran(small, range(5), tmp_path)[2]
    with monkeypatch.context() as patch:
        edit(patch, 'bounded')
        assert seeds_done(small, tmp_path) == '0, others changed'
        count, notes, after = ran(small, range(2), tmp_path)
    assert count == 2
    lines = [line for line in notes.splitlines() if line]
    assert lines[0] == (
        'small: 2 of 4 runs are there already; run again: 2 of bounded (changed: code)')
    # Of the changed algorithm only the new runs, of the other one all.
    assert results.present(after) == {
        *(Key('bounded', 0, seed) for seed in range(2)),
        *(Key('classic', 0, seed) for seed in range(5))}
    # The change is undone, and the earlier runs are used again.
    count, notes, back = ran(small, range(5), tmp_path)
    assert count == 0 and 'small: 10 of 10 runs are there already' in notes
    assert same(back, before)


def test_two_texts_take_turns_without_loss(tmp_path):
    one = load(tmp_path, VARIED)
    other = one.replaced({'messages.range': 41})
    first = ran(one, range(3), tmp_path)[2]
    count, notes, second = ran(other, range(2), tmp_path)
    assert count == 16
    assert 'run again: 8 of classic (changed: scenario), 8 of bounded (changed: scenario)' in notes
    assert seeds_done(one, tmp_path) == '3, others changed'
    for each, seeds, expected in ((one, range(3), first), (other, range(2), second)):
        count, _, dataset = ran(each, seeds, tmp_path)
        assert count == 0 and same(dataset, expected)
    runs.run(one, range(1), tmp_path, again=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        'small.nc', 'small.runs', 'small.yaml']
    assert seeds_done(one, tmp_path) == '1'


ADDED = '  - {name: classic, label: third, radius: 25, wins: weakest}\ndevices:'


@pytest.mark.parametrize(('change', 'count', 'notes'), [
    (('title: Small', 'title: Other'), 0, '16 of 16 runs are there already'),
    (('devices:', ADDED), 8, '16 of 24 runs are there already; new: 8'),
    (('[0, 0.5]', '[0.25, 0.5, 0]'), 8, '16 of 24 runs are there already; new: 8'),
    (('[random, together]', '[together]'), 0, '8 of 8 runs are there already'),
    (('  - {name: classic, radius: 30, wins: weakest}\n', ''), 0, '8 of 8 runs are there'),
    (('name: bounded', 'label: new, name: bounded'), 0, '16 of 16 runs are there already'),
    (('radius: 30, ties', 'radius: 31, ties'), 8,
     '8 of 16 runs are there already; run again: 8 of bounded (changed: parameters)'),
    (('{name: classic, radius: 30', '{radius: 30.0, name: classic'), 0, '16 of 16 runs'),
])
def test_only_new_or_changed_runs_are_computed(tmp_path, change, count, notes):
    ran(load(tmp_path, VARIED), range(2), tmp_path)
    assert VARIED.count(change[0]) == 1
    changed = load(tmp_path, VARIED.replace(*change))
    computed, lines, dataset = ran(changed, range(2), tmp_path)
    assert computed == count and f'small: {notes}' in lines
    assert same(dataset, runs.run(changed, range(2), tmp_path / 'anew'))
    assert dataset.attrs['title'] == changed.title


def test_algorithms_in_another_order_are_the_same_runs(tmp_path):
    first, second = (line for line in TEXT.splitlines() if '{name' in line)
    ran(load(tmp_path), range(2), tmp_path)
    swapped = TEXT.replace(first, '#').replace(second, first).replace('#', second)
    count, _, dataset = ran(load(tmp_path, swapped), range(3), tmp_path)
    assert count == 2 and dataset['algorithm'].values.tolist() == ['bounded', 'classic']


def test_an_interruption_leaves_the_results_unchanged(tmp_path):
    one = load(tmp_path)
    before = ran(one, range(4), tmp_path)[2]
    other = one.replaced({'messages.range': 41})
    with pytest.raises(KeyboardInterrupt):
        runs.run(other, range(9), tmp_path, workers=1, progress=Stopping())
    assert same(results.load(tmp_path / 'small.nc'), before)
    kept = len(list(store.runs_of(tmp_path, 'small').glob('*.npz'))) - 8
    count, _, dataset = ran(other, range(9), tmp_path)
    assert count == 18 - kept and len(results.present(dataset)) == 18


QUIET = scene()


def happening(*events: dict[str, Any]) -> Scenario:
    return scene(events=list(events))


def test_the_fingerprint_depends_on_all_inputs_of_a_run():
    one = fingerprint(QUIET, 'bounded')
    assert one == fingerprint(scene(title='Another', source='Nowhere'), 'bounded')
    others = [scene(messages={'range': 26}), scene(algorithms=[{'name': 'bounded', 'radius': 61}]),
              scene(algorithms=[{'name': 'bounded', 'radius': 60, 'wins': 'weakest'}]),
              scene(motion=WALK)]
    assert [one.difference(str(fingerprint(other, 'bounded'))) for other in others] == [
        'scenario', 'parameters', 'parameters', 'scenario']
    assert len({one, *(fingerprint(other, 'bounded') for other in others)}) == 5
    assert one.difference(str(one)) == '' and one.difference('0123456789abcdef') == 'code'


def test_the_notation_does_not_change_the_fingerprint():
    # A range with a point, another order, another label, other algorithms beside it.
    other = scene(messages={'range': 25.0}, algorithms=[
        {'name': 'classic', 'radius': 7}, {'radius': 60.0, 'label': 'ours', 'name': 'bounded'}])
    assert fingerprint(other, 'ours') == fingerprint(QUIET, 'bounded')
    assert fingerprint(other, 'classic') != fingerprint(QUIET, 'bounded')


def test_the_content_of_files_matters(tmp_path):
    file = tmp_path / 'graph'
    file.write_text('a b\nb c\n')
    of_file = scene(devices=[{'kind': 'edge_list', 'path': str(file)}])
    one = fingerprint(of_file, 'bounded')
    file.write_text('a b\nb c\nc a\n')
    assert one.difference(str(fingerprint(of_file, 'bounded'))) == 'scenario'
    file.write_text('a b\nb c\n')
    assert one == fingerprint(of_file, 'bounded')


PRINT = """
from leader_election.lab.experiment import scenario
from leader_election.lab.runs.store import fingerprint
loaded = scenario.load('coordination2019')
print(*(fingerprint(loaded, entrant.label) for entrant in loaded.entrants))
"""


def test_all_processes_agree():
    completed = subprocess.run([sys.executable, '-c', PRINT], capture_output=True, text=True,
                               check=True)
    # With regions, whose parameters hold arrays; and streets, whose speed is a lambda.
    loaded = scenario.load('coordination2019')
    assert completed.stdout.split() == [
        str(fingerprint(loaded, entrant.label)) for entrant in loaded.entrants]


def stem(of: Scenario) -> str:
    return str(fingerprint(of, 'bounded', but_later_events=True))


def test_the_stem_does_not_depend_on_later_events():
    die, heal = {'kind': 'die', 'at': 5, 'share': 0.5}, {'kind': 'heal', 'at': 7}
    one = stem(QUIET)
    assert one == stem(happening(die)) == stem(happening(heal, die))
    assert one == str(fingerprint(happening(), 'bounded')) != str(
        fingerprint(happening(die), 'bounded'))
    assert one != stem(scene(messages={'range': 26}))


def test_the_stem_depends_on_devices_that_join_later():
    join, earlier = ({'kind': 'join', 'at': at, 'first': 3} for at in (5, 4))
    die = {'kind': 'die', 'at': 6}
    stems = [stem(happening(*events)) for events in ([], [join], [earlier])]
    assert len(set(stems)) == 3
    assert stems[1] == stem(happening(join, die))


def test_results_are_found_by_path_and_by_name(tmp_path):
    dataset = runs.run(load(tmp_path, VARIED), [0, 1], tmp_path)
    assert kept(str(tmp_path / 'small.yaml'), tmp_path).identical(dataset)
    assert kept('small', tmp_path).identical(dataset)


def test_results_of_another_text_are_refused_with_the_command_to_run(tmp_path):
    runs.run(load(tmp_path), [0], tmp_path)
    path = write(tmp_path, TEXT.replace('count: 30', 'count: 31'))
    with pytest.raises(ResultError, match='small.nc holds runs of another text of the scenario, '
                       'or of other code; lab run '):
        kept(str(path), tmp_path)
    # A further algorithm does not invalidate results.
    more = TEXT.replace('algorithms:', 'algorithms:\n  - {name: colour}')
    assert kept(str(write(tmp_path, more)), tmp_path).sizes['algorithm'] == 2


def test_numbers_are_not_given_to_another_label(tmp_path):
    text = TEXT.replace('  - {name: classic, radius: 30, wins: weakest}\n', '').replace(
        'bounded, radius: 30', 'bounded, label: wide, radius: 30') + ''
    text = text.replace('devices:', '  - {name: bounded, label: narrow, radius: 9}\ndevices:')
    runs.run(load(tmp_path, text), [0], tmp_path)
    for label, other in (('narrow', 'wide'), ('wide', 'slim')):
        changed = text.replace(f'label: {label}', 'label: x').replace(
            f'label: {other}', f'label: {label}').replace('label: x', f'label: {other}')
        with pytest.raises(ResultError, match='holds runs of another text of the scenario'):
            kept(str(write(tmp_path, changed)), tmp_path)


def test_missing_results(tmp_path):
    with pytest.raises(ResultError, match='small.nc is not there; it is made by: lab run '
                       f'{tmp_path}/small.yaml'):
        kept(str(write(tmp_path)), tmp_path)
    with pytest.raises(ResultError, match='is not there; it is made by: lab run border'):
        kept('border', tmp_path)
    for name in ('nix', '../small'):
        with pytest.raises(UnknownResultsError, match="there are no results '.*' in .*; it takes "
                           r'the path of a scenario such as (nix|small)\.yaml'):
            kept(name, tmp_path / 'folder')
