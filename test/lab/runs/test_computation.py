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

"""The computation of missing runs, in threads."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
import fcntl
from io import StringIO
import os
from pathlib import Path

from lab.small_scenario import load, TEXT, VARIED
from leader_election.lab.experiment.scenario import Scenario
from leader_election.lab.runs import computation as runs
from leader_election.lab.runs import results, store
from leader_election.lab.runs.computation import compiling
from leader_election.lab.runs.results import Key, ResultError
from leader_election.lab.simulation.simulate import Run, simulate, simulate_branches
from leader_election.lab.terminal_output import Progress
import numba
import numpy as np
import pytest
from rich.console import Console
import xarray


class RecordedProgress(Progress):
    """Keeps the lines of progress."""

    def __init__(self) -> None:
        self.text = StringIO()
        super().__init__(Console(file=self.text, width=200))

    def counted(self) -> int:
        """Return the number of runs that were computed."""
        last = [line for line in self.text.getvalue().splitlines() if ' runs: ' in line][-1:]
        return int(last[0].split()[0]) if last else 0


def same(one: xarray.Dataset, other: xarray.Dataset) -> bool:
    """Return whether all numbers and labels are the same; nothing is rounded."""
    return one.equals(other)


def test_workers_and_order_change_nothing(tmp_path):
    scenario = load(tmp_path, VARIED)
    one = runs.run(scenario, range(4), tmp_path / 'one', workers=1)
    two = runs.run(scenario, [3, 1, 0, 2], tmp_path / 'two', workers=2)
    assert same(one, two)
    assert results.present(one) == {
        Key(label, k, seed) for label in ('classic', 'bounded') for k in range(4)
        for seed in range(4)}
    # Seeds differ, so the comparison is meaningful.
    assert not np.array_equal(one['changes'].isel(seed=0), one['changes'].isel(seed=1))


def test_variants_that_do_not_affect_an_algorithm_are_run_once(tmp_path):
    # The radius varies, which colour does not take: 2 seeds, bounded twice and colour once.
    text = TEXT.replace('{name: classic, radius: 30, wins: weakest}', '{name: colour}')
    scenario = load(tmp_path, text + 'vary: {algorithms.radius: [20, 30]}\n')
    progress = RecordedProgress()
    dataset = runs.run(scenario, range(2), tmp_path, progress=progress)
    assert progress.counted() == 2 * 3 and len(results.present(dataset)) == 2 * 4
    narrow, wide = dataset['leaders'].sel(algorithm='colour').transpose('algorithms.radius', ...)
    assert np.array_equal(narrow, wide)
    again = RecordedProgress()
    runs.run(scenario, range(2), tmp_path, progress=again)
    assert again.counted() == 0


def test_results_are_those_of_simulate(tmp_path):
    scenario = load(tmp_path, VARIED)
    dataset = runs.run(scenario, [6], tmp_path)
    values, variant = scenario.variants()[3]
    run = simulate(variant, 'classic', 6)
    one = dataset.sel(algorithm='classic', seed=6, **values)
    assert np.array_equal(one['instability'], run.samples[:, 0], equal_nan=True)
    assert np.array_equal(one['counts'], run.counts)
    assert float(one['message_bytes']) == run.message_bytes


def test_only_missing_runs_are_computed(tmp_path):
    scenario = load(tmp_path)
    first, more, none, again = (RecordedProgress() for _ in range(4))
    runs.run(scenario, range(2), tmp_path, ['bounded'], progress=first)
    dataset = runs.run(scenario, range(1, 4), tmp_path, progress=more)
    # Seed 1 of bounded is finished already.
    assert (first.counted(), more.counted()) == (2, 5)
    assert '1 of 6 runs are there already' in more.text.getvalue()
    assert results.present(dataset) == {
        *(Key('bounded', 0, seed) for seed in range(4)),
        *(Key('classic', 0, seed) for seed in range(1, 4))}
    assert same(dataset, runs.run(scenario, range(1, 4), tmp_path, progress=none))
    assert none.counted() == 0
    dataset = runs.run(scenario, [0], tmp_path, ['classic'], again=True, progress=again)
    assert (again.counted(), results.present(dataset)) == (1, {Key('classic', 0, 0)})
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        'small.nc', 'small.runs', 'small.yaml']


class Stopping(RecordedProgress):
    """Interrupts after three runs, as Ctrl-C does."""

    def finished(self, what: str, rounds: int) -> None:
        super().finished(what, rounds)
        if self.counted() == 3:
            raise KeyboardInterrupt


DEADLY = TEXT + """
events: [{kind: die, at: 12, leaders: true, chance: 0}]
vary: {messages.loss: [0, 0.5], events.chance: [0, 0.5, 1]}
"""


def test_runs_with_the_same_start_are_run_together(tmp_path, monkeypatch):
    asked = []

    def noted(scenarios: Sequence[Scenario], algorithm: str, seed: int) -> Iterator[Run]:
        asked.append((algorithm, seed, len(scenarios)))
        return simulate_branches(scenarios, algorithm, seed)
    monkeypatch.setattr(runs, 'simulate_branches', noted)
    scenario = load(tmp_path, DEADLY)
    first, rest = RecordedProgress(), RecordedProgress()
    runs.run(scenario, range(1), tmp_path, ['bounded'], progress=first)
    dataset = runs.run(scenario, range(2), tmp_path, progress=rest)
    # A group of three chances for each of two losses.
    assert (first.counted(), rest.counted()) == (6, 18)
    assert asked[:2] == [('bounded', 0, 3)] * 2
    assert sorted(asked[2:]) == 2 * [('bounded', 1, 3)] + 2 * [('classic', 0, 3)] \
        + 2 * [('classic', 1, 3)]
    for values, variant in scenario.variants():
        for label in ('bounded', 'classic'):
            alone, kept = simulate(variant, label, 1), dataset.sel(
                algorithm=label, seed=1, **values)
            assert np.array_equal(kept['instability'], alone.samples[:, 0], equal_nan=True)
            assert np.array_equal(kept['counts'], alone.counts)


def test_missing_branches_are_run(tmp_path):
    scenario = load(tmp_path, DEADLY)
    with pytest.raises(KeyboardInterrupt):
        runs.run(scenario, range(3), tmp_path / 'stopped', workers=1, progress=Stopping())
    parts = store.runs_of(tmp_path / 'stopped', 'small')
    # Also if some runs of a group are finished already.
    sorted(parts.glob('*.npz'))[0].unlink()
    kept = len(list(parts.glob('*.npz')))
    rest = RecordedProgress()
    dataset = runs.run(scenario, range(3), tmp_path / 'stopped', progress=rest)
    assert rest.counted() == 36 - kept
    assert same(dataset, runs.run(scenario, range(3), tmp_path / 'whole'))


def stopped(folder: Path, text: str = VARIED) -> Path:
    """Interrupt a computation; return the file of a finished run."""
    with pytest.raises(KeyboardInterrupt):
        runs.run(load(folder, text), range(3), folder, workers=1, progress=Stopping())
    return sorted(store.runs_of(folder, 'small').glob('*.npz'))[0]


@pytest.mark.parametrize('left', [0, 100, -1])
def test_a_truncated_run_is_an_error(tmp_path, left):
    part = stopped(tmp_path)
    part.write_bytes(part.read_bytes()[:left])
    with pytest.raises(ResultError, match='cannot be read .* remove it') as raised:
        runs.run(load(tmp_path, VARIED), range(3), tmp_path)
    assert str(part) in str(raised.value) and '\n' not in str(raised.value)
    part.unlink()
    assert len(results.present(runs.run(load(tmp_path, VARIED), range(3), tmp_path))) == 24


def test_two_computations_at_once_are_refused(tmp_path):
    class Second(RecordedProgress):
        def finished(self, what: str, rounds: int) -> None:
            with pytest.raises(ResultError, match='in use by another'):
                runs.run(load(tmp_path), range(1), tmp_path, progress=RecordedProgress())
            super().finished(what, rounds)

    first = Second()
    runs.run(load(tmp_path), range(2), tmp_path, progress=first)
    assert first.counted() == 4


def test_two_processes_in_turns_lose_no_run(tmp_path):
    scenario = load(tmp_path)

    def in_turn(seeds: range) -> None:
        for seed in seeds:
            while True:
                try:
                    runs.run(scenario, [seed], tmp_path, ['bounded'], 1,
                             progress=RecordedProgress())
                    break
                except ResultError as error:
                    assert 'in use by another' in str(error)
                    with open(store.runs_of(tmp_path, 'small') / '.lock', 'w') as lock:
                        fcntl.flock(lock, fcntl.LOCK_EX)  # Until the other one is done.

    with ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(in_turn, range(k, 12, 2)) for k in (0, 1)]:
            done.result()
    kept = results.present(results.load(tmp_path / 'small.nc'))
    assert kept == {Key('bounded', 0, seed) for seed in range(12)}


@pytest.mark.parametrize('again', [False, True])
def test_a_folder_in_the_place_of_results_is_an_error(tmp_path, again):
    (tmp_path / 'small.nc').mkdir()
    with pytest.raises(ResultError, match='is a folder, .* move it away'):
        runs.run(load(tmp_path), range(1), tmp_path, again=again)


def test_refused_results_are_left_alone(tmp_path):
    (tmp_path / 'small.nc').write_text('nonsense')
    with pytest.raises(ResultError, match='cannot be read'):
        runs.run(load(tmp_path), range(1), tmp_path)
    assert (tmp_path / 'small.nc').read_text() == 'nonsense'


def test_a_full_disk_is_an_error_and_finished_runs_are_kept(tmp_path):
    scenario = load(tmp_path)
    parts = store.runs_of(tmp_path, 'small')
    parts.mkdir()
    digest = store.digests(scenario)['bounded', 0]
    # The run of seed 2 is written to /dev/full, which has no space.
    (parts / f'.{digest},2.npz.writing').symlink_to('/dev/full')
    with pytest.raises(ResultError, match=r',2\.npz cannot be written \(No space left'):
        runs.run(scenario, range(5), tmp_path, ['bounded'], workers=1)
    assert f'{digest},2.npz' not in os.listdir(parts)
    rest = RecordedProgress()
    assert len(results.present(runs.run(scenario, range(5), tmp_path, ['bounded'],
                                        progress=rest))) == 5
    assert rest.counted() <= 3


def test_a_folder_that_cannot_be_made_is_an_error(tmp_path):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ResultError, match='file.* cannot be written'):
        runs.run(load(tmp_path), range(1), tmp_path / 'file')


PATHS = """
duration: 20
algorithms: [{name: bounded, radius: 30}]
devices: [{kind: edge_list, path: GRAPH}]
"""


def test_a_file_that_changes_between_runs_is_read_again(tmp_path):
    graph = tmp_path / 'graph'
    scenario = load(tmp_path, PATHS.replace('GRAPH', str(graph)))
    sent = []
    for edges in ('a b\nb c\n', 'a b\nb c\nc a\n'):
        graph.write_text(edges)
        counts = runs.run(scenario, [0], tmp_path, progress=RecordedProgress())['counts']
        sent.append(int(counts.sel(counter='sent').sum()))
    assert sent[1] > sent[0]


def test_runs_are_discarded_if_a_file_changes_meanwhile(tmp_path):
    graph = tmp_path / 'graph'
    graph.write_text('a b\nb c\n')
    scenario = load(tmp_path, PATHS.replace('GRAPH', str(graph)))

    class Editing(RecordedProgress):
        def finished(self, what: str, rounds: int) -> None:
            super().finished(what, rounds)
            graph.write_text('a b\nb c\nc a\n')

    with pytest.raises(ResultError, match='a file that the scenario names was changed'):
        runs.run(scenario, range(3), tmp_path, progress=Editing())
    assert not list(store.runs_of(tmp_path, 'small').glob('*.npz'))
    graph.write_text('a b\nb c\n')
    progress = RecordedProgress()
    runs.run(scenario, range(3), tmp_path, progress=progress)
    assert progress.counted() == 3


def test_a_compilation_is_reported_once_and_cached_code_is_not():
    messages: list[str] = []
    add = numba.njit(lambda one, other: one + other)
    with compiling(lambda: messages.append('compiling')) as started:
        assert not started.is_set()
        # For integers, and for floats.
        assert add(1, 2) == 3 and add(1.0, 2.0) == 3.0
    assert started.is_set() and messages == ['compiling']
    with compiling(lambda: messages.append('again')) as started:
        assert add(1, 2) == 3
    assert not started.is_set() and messages == ['compiling']
