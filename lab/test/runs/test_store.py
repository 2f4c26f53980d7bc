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

"""Finished runs are kept by their fingerprints. Only changed ones are run again."""

import importlib.util
from pathlib import Path
import re
import shutil
import subprocess
import sys
from typing import Any

from example_results import present
from leader_election.election.algorithms import BOUNDED
from leader_election_lab.experiment import scenario
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs import kept as kept_results
from leader_election_lab.runs import results, sources, store
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.kept import kept
from leader_election_lab.runs.store import fingerprint, Key
from leader_election_lab.subcommands import seeds_done
import pytest
from runs.test_computation import kept_runs, RecordedProgress, Stopping
from simulations import scene, WALK
from small_scenario import load, VARIED, write
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


def test_algorithm_is_run_again_alone_when_its_code_changes(tmp_path, monkeypatch):
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
    assert present(after) == {
        *(Key('bounded', 0, seed) for seed in range(2)),
        *(Key('classic', 0, seed) for seed in range(5))}
    # The change is undone, and the earlier runs are used again.
    count, notes, back = ran(small, range(5), tmp_path)
    assert count == 0 and 'small: 10 of 10 runs are there already' in notes
    assert back.equals(before)


def test_runs_are_kept_when_two_texts_take_turns(tmp_path):
    one = load(tmp_path, VARIED)
    other = one.replaced({'messages.range': 41})
    first = ran(one, range(3), tmp_path)[2]
    # An interruption leaves the results of the other text unchanged.
    with pytest.raises(KeyboardInterrupt):
        runs.run(other, range(2), tmp_path, workers=1, progress=Stopping())
    assert results.load(tmp_path / 'small.nc').equals(first)
    finished = kept_runs(tmp_path) - 24
    count, notes, second = ran(other, range(2), tmp_path)
    assert count == 16 - finished < 16
    assert seeds_done(one, tmp_path) == '3, others changed'
    for each, seeds, expected in ((one, range(3), first), (other, range(2), second)):
        count, _, dataset = ran(each, seeds, tmp_path)
        assert count == 0 and dataset.equals(expected)
    runs.run(one, range(1), tmp_path, again=True)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        'small.nc', 'small.runs', 'small.yaml']
    assert seeds_done(one, tmp_path) == '1'


ADDED = '  - {name: classic, label: third, radius: 25, wins: weakest}\ndevices:'


@pytest.fixture(scope='module')
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all runs of one seed."""
    folder = tmp_path_factory.mktemp('finished')
    ran(load(folder, VARIED), range(1), folder)
    return folder


@pytest.mark.parametrize(('change', 'count', 'notes'), [
    (('title: Small', 'title: Other'), 0, '8 of 8 runs are there already'),
    (('range: 40', 'range: 41'), 8, '0 of 8 runs are there already; run again: 4 of classic '
     '(changed: scenario), 4 of bounded (changed: scenario)'),
    (('devices:', ADDED), 4, '8 of 12 runs are there already; new: 4'),
    (('[0, 0.5]', '[0.25, 0.5, 0]'), 4, '8 of 12 runs are there already; new: 4'),
    (('radius: 30, ties', 'radius: 31, ties'), 4,
     '4 of 8 runs are there already; run again: 4 of bounded (changed: parameters)')])
def test_only_new_or_changed_runs_are_computed(finished, tmp_path, change, count, notes):
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    assert VARIED.count(change[0]) == 1
    changed = load(tmp_path, VARIED.replace(*change))
    computed, lines, dataset = ran(changed, range(1), tmp_path)
    assert computed == count and f'small: {notes}' in lines
    assert dataset.equals(runs.run(changed, range(1), tmp_path / 'anew'))
    assert dataset.attrs['title'] == changed.title
    assert dataset['algorithm'].values.tolist() == [each.label for each in changed.entrants]


QUIET = scene()


def happening(*events: dict[str, Any]) -> Scenario:
    return scene(events=list(events))


def test_fingerprint_depends_on_all_inputs_of_a_run():
    one = fingerprint(QUIET, 'bounded')
    assert one == fingerprint(scene(title='Another', source='Nowhere'), 'bounded')
    others = [scene(messages={'range': 26}), scene(algorithms=[{'name': 'bounded', 'radius': 61}]),
              scene(algorithms=[{'name': 'bounded', 'radius': 60, 'wins': 'weakest'}]),
              scene(motion=WALK)]
    assert [one.difference(str(fingerprint(other, 'bounded'))) for other in others] == [
        'scenario', 'parameters', 'parameters', 'scenario']
    assert len({one, *(fingerprint(other, 'bounded') for other in others)}) == 5
    assert one.difference(str(one)) == '' and one.difference('0123456789abcdef') == 'code'


def test_fingerprint_ignores_the_notation():
    # A range with a point, another order, another label, other algorithms beside it.
    other = scene(messages={'range': 25.0}, algorithms=[
        {'name': 'classic', 'radius': 7}, {'radius': 60.0, 'label': 'ours', 'name': 'bounded'}])
    assert fingerprint(other, 'ours') == fingerprint(QUIET, 'bounded')
    assert fingerprint(other, 'classic') != fingerprint(QUIET, 'bounded')


def test_fingerprint_depends_on_the_content_of_files(tmp_path):
    file = tmp_path / 'graph'
    file.write_text('a b\nb c\n')
    of_file = scene(devices=[{'kind': 'edge_list', 'path': str(file)}])
    one = fingerprint(of_file, 'bounded')
    file.write_text('a b\nb c\nc a\n')
    assert one.difference(str(fingerprint(of_file, 'bounded'))) == 'scenario'
    file.write_text('a b\nb c\n')
    assert one == fingerprint(of_file, 'bounded')


PRINT = """
from leader_election_lab.experiment import scenario
from leader_election_lab.runs.store import fingerprint
loaded = scenario.load('coordination2019')
print(*(fingerprint(loaded, entrant.label) for entrant in loaded.entrants))
"""


def test_fingerprint_is_the_same_in_all_processes():
    completed = subprocess.run([sys.executable, '-c', PRINT], capture_output=True, text=True,
                               check=True)
    # With regions, whose parameters hold arrays; and streets, whose speed is a lambda.
    loaded = scenario.load('coordination2019')
    assert completed.stdout.split() == [
        str(fingerprint(loaded, entrant.label)) for entrant in loaded.entrants]


def test_results_are_found_by_path_and_name(tmp_path):
    dataset = runs.run(load(tmp_path), [0], tmp_path)
    path = write(tmp_path)
    assert kept(str(path), tmp_path).identical(dataset)
    assert kept('small', tmp_path).identical(dataset)


def test_missing_results_name_the_command(tmp_path):
    with pytest.raises(ResultError, match='small.nc is not there; it is made by: lab run '
                       f'{tmp_path}/small.yaml'):
        kept(str(write(tmp_path)), tmp_path)
    with pytest.raises(ResultError, match='is not there; it is made by: lab run border'):
        kept('border', tmp_path)
    for name in ('nix', '../small'):
        with pytest.raises(ResultError, match="there are no results '.*' in .*; it takes "
                           r'the path of a scenario such as (nix|small)\.yaml'):
            kept(name, tmp_path / 'folder')


# Digests change when their sources change, and only then.


def test_digest_depends_on_contents_alone(tmp_path):
    one, two = tmp_path / '0.py', tmp_path / '1.py'
    one.write_text('a = 1\n')
    two.write_text('b = 2\n')
    before = sources.digest([one, two])
    assert re.fullmatch('[0-9a-f]{16}', before)
    assert before == sources.digest([two, one, one]) == sources.digest([tmp_path])
    assert before != sources.digest([one])
    (tmp_path / 'notes.txt').write_text('no source')
    assert before == sources.digest([tmp_path])
    two.write_text('b = 3\n')
    assert before != sources.digest([one, two])


def test_version_has_a_digest_of_all_sources_of_both_distributions(tmp_path, monkeypatch):
    copies = [tmp_path / 'b', tmp_path / 'a']
    for source, copy in zip(sources.OWN, copies):
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns('__pycache__'))
    version = sources.of_package.__wrapped__
    found = [version()]
    monkeypatch.setattr(sources, 'OWN', copies)
    found.append(version())
    for copy in copies:
        (copy / '__init__.py').write_text('another = 1\n')
        found.append(version())
    assert found[0] == found[1] and len({*found}) == 3


def imported(folder: Path, name: str) -> Any:
    """Return a module that lies in a folder, as if it were installed."""
    path = folder.joinpath(*name.split('.')).with_suffix('.py')
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


ROUND = 'def round(device, state, neighbours, metric, parameters):\n    return state\n'


@pytest.mark.parametrize('package', [True, False])
def test_digest_of_an_algorithm_of_a_user_includes_its_imports(tmp_path, package):
    theirs = tmp_path / 'theirs'
    (theirs / 'parts').mkdir(parents=True)
    helper = theirs / ('parts/helper.py' if package else 'helper.py')
    helper.write_text('helper = 1\n')
    (theirs / 'parts' / 'unused.py').write_text('')
    if package:
        (theirs / '__init__.py').write_text('')
    # By way of another module. It is not executed here, but it is read.
    way = 'from .parts import helper' if package else 'import helper'
    (theirs / 'way.py').write_text(f'if False:\n    {way}\n')
    (theirs / 'swarm.py').write_text(
        f'if False:\n    from {"theirs." * package}way import *\n{ROUND}')
    used = imported(tmp_path, 'theirs.swarm').round

    def both() -> tuple[str, str]:
        sources.of_run.cache_clear()
        return sources.of_code(used), sources.of_run((used,))
    before = both()
    assert before[1] != sources.of_run((BOUNDED.round,))
    (tmp_path / 'other.py').write_text('')
    (theirs / 'parts' / 'unused.py').write_text('# A comment.')
    assert both() == before
    helper.write_text('helper = 2\n')
    assert all(one != other for one, other in zip(before, both()))


def test_installed_module_does_not_depend_on_neighbouring_modules(tmp_path):
    place = tmp_path / 'site-packages'
    place.mkdir()
    (place / 'lone.py').write_text(ROUND)
    (place / 'other.py').write_text('')
    assert sources.sources_of(imported(place, 'lone').round) == (place / 'lone.py',)


def test_code_in_no_file_has_no_digest():
    scope: dict[str, Any] = {'__name__': 'nowhere'}
    exec(ROUND, scope)
    assert sources.of_code(scope['round']) == ''


NOTEBOOK = """
from typing import NamedTuple
class State(NamedTuple):
    leader: int
LIMIT = 3
def farther(a):
    return a + LIMIT
def own_round(device, state):
    return [farther(x) for x in range(2)], State(1)
"""


def run_in_no_file(text: str) -> str:
    """Return the digest of a run of code that is in no file, as in a notebook."""
    names: dict[str, Any] = {'__name__': 'notebook'}
    exec(compile(text, '<ipython-input-1>', 'exec'), names)
    return sources.of_run((names['own_round'], names['State']))


@pytest.mark.parametrize(('part', 'other'), [
    ('range(2)', 'range(4)'), ('a + LIMIT', 'a - LIMIT'), ('LIMIT = 3', 'LIMIT = 4'),
    ('State(1)', 'State(2)'), ('leader: int', 'leader: float'), ('farther(x)', 'farther(-x)')])
def test_code_in_no_file_is_identified_by_its_byte_code(part, other):
    usual = run_in_no_file(NOTEBOOK)
    assert run_in_no_file('\n\n' + NOTEBOOK) == usual
    assert NOTEBOOK.count(part) == 1 and run_in_no_file(NOTEBOOK.replace(part, other)) != usual


def test_plug_in_is_named_with_version_digest_and_commit(tmp_path, monkeypatch):
    (tmp_path / 'swarmish').mkdir()
    (tmp_path / 'swarmish' / '__init__.py').write_text(ROUND)
    module = imported(tmp_path / 'swarmish', '__init__')
    assert [*kept_results.plug_ins([BOUNDED.round])] == []
    [line] = kept_results.plug_ins([module.round, module.round])
    assert line == f'__init__, sources {sources.digest([tmp_path / "swarmish"])}'
    for arguments in (['init', '-q'], ['add', '.'], [
            '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'first']):
        subprocess.run(['git', '-C', tmp_path, *arguments], check=True)
    assert re.fullmatch('.*, commit [0-9a-f]{40}', next(kept_results.plug_ins([module.round])))
    (tmp_path / 'swarmish' / '__init__.py').write_text(ROUND + '# new')
    assert next(kept_results.plug_ins([module.round])).endswith(' with changes')
