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

"""The computation of missing runs, in processes."""

from contextlib import closing
from functools import partial
from io import StringIO
import multiprocessing
import os
from pathlib import Path
from resource import getrlimit, setrlimit
from resource import RLIMIT_FSIZE as FILE_SIZE
import signal
import sqlite3

from example_results import present
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs import processes, store
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.processes import compiling
from leader_election_lab.runs.store import Key
from leader_election_lab.simulation.run import Run, simulate
from leader_election_lab.terminal_output import Progress
import numba
import numpy as np
import pytest
from rich.console import Console
from small_scenario import load, TEXT, VARIED


class RecordedProgress(Progress):
    """Keeps the lines of progress."""

    def __init__(self) -> None:
        self.text = StringIO()
        super().__init__(Console(file=self.text, width=200))

    def counted(self) -> int:
        """Return the number of runs that were computed."""
        last = [line for line in self.text.getvalue().splitlines() if ' runs: ' in line][-1:]
        return int(last[0].split()[0]) if last else 0


def test_results_do_not_depend_on_workers_and_order(tmp_path):
    scenario = load(tmp_path, VARIED)
    one = runs.run(scenario, range(4), tmp_path / 'one', workers=1)
    assert one.equals(runs.run(scenario, [3, 1, 0, 2], tmp_path / 'two', workers=2))
    assert present(one) == {
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
    assert progress.counted() == 2 * 3 and len(present(dataset)) == 2 * 4
    narrow, wide = dataset['leaders'].sel(algorithm='colour').transpose('algorithms.radius', ...)
    assert np.array_equal(narrow, wide)
    again = RecordedProgress()
    runs.run(scenario, range(2), tmp_path, progress=again)
    assert again.counted() == 0


def test_only_missing_runs_are_computed(tmp_path):
    scenario = load(tmp_path)
    first, more, none, again = (RecordedProgress() for _ in range(4))
    runs.run(scenario, range(2), tmp_path, ['bounded'], progress=first)
    dataset = runs.run(scenario, range(1, 4), tmp_path, progress=more)
    # Seed 1 of bounded is finished already.
    assert (first.counted(), more.counted()) == (2, 5)
    assert '1 of 6 runs are there already' in more.text.getvalue()
    assert present(dataset) == {
        *(Key('bounded', 0, seed) for seed in range(4)),
        *(Key('classic', 0, seed) for seed in range(1, 4))}
    assert dataset.equals(runs.run(scenario, range(1, 4), tmp_path, progress=none))
    assert none.counted() == 0
    dataset = runs.run(scenario, [0], tmp_path, ['classic'], again=True, progress=again)
    assert (again.counted(), present(dataset)) == (1, {Key('classic', 0, 0)})
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        'small.nc', 'small.runs', 'small.yaml']


class Stopping(RecordedProgress):
    """Interrupts after three runs, as Ctrl-C does."""

    def finished(self, what: str, rounds: int) -> None:
        super().finished(what, rounds)
        if self.counted() == 3:
            raise KeyboardInterrupt


def kept_runs(folder: Path) -> int:
    """Return the number of finished runs that are kept."""
    return sum(map(len, store.finished(folder, 'small').values()))


def stopped(folder: Path, text: str = VARIED) -> Path:
    """Interrupt a computation, and return the file of the finished runs."""
    folder.mkdir(exist_ok=True)
    with pytest.raises(KeyboardInterrupt):
        runs.run(load(folder, text), range(3), folder, workers=1, progress=Stopping())
    return store.database_of(folder, 'small')


@pytest.mark.parametrize('left', [100, 4096])
def test_truncated_store_is_an_error(tmp_path, left):
    part = stopped(tmp_path)
    part.write_bytes(part.read_bytes()[:left])
    with pytest.raises(ResultError, match='cannot be read .* remove it') as raised:
        runs.run(load(tmp_path, VARIED), range(3), tmp_path)
    assert str(part) in str(raised.value) and '\n' not in str(raised.value)
    part.unlink()
    assert len(present(runs.run(load(tmp_path, VARIED), range(3), tmp_path))) == 24


def test_empty_store_is_a_new_one(tmp_path):
    part = stopped(tmp_path)
    part.write_bytes(b'')
    assert len(present(runs.run(load(tmp_path, VARIED), range(3), tmp_path))) == 24


def test_store_in_use_by_another_program_is_not_to_be_removed(tmp_path, monkeypatch):
    path = stopped(tmp_path)
    monkeypatch.setattr(store.sqlite3, 'connect', partial(sqlite3.connect, timeout=0))
    with closing(sqlite3.connect(path)) as other:
        other.execute('BEGIN EXCLUSIVE')
        with pytest.raises(ResultError, match='is locked.*; close the program that has it open'):
            runs.run(load(tmp_path, VARIED), range(3), tmp_path)


def test_store_that_cannot_be_opened_is_not_to_be_removed(tmp_path):
    part = stopped(tmp_path)
    part.unlink()
    part.mkdir()
    with pytest.raises(ResultError, match='unable to open.*; allow this user to read and write'):
        runs.run(load(tmp_path, VARIED), range(3), tmp_path)


def test_two_computations_at_once_are_refused(tmp_path):
    class Second(RecordedProgress):
        def finished(self, what: str, rounds: int) -> None:
            with pytest.raises(ResultError, match='in use by another'):
                runs.run(load(tmp_path), range(1), tmp_path, progress=RecordedProgress())
            super().finished(what, rounds)

    first = Second()
    runs.run(load(tmp_path), range(2), tmp_path, progress=first)
    assert first.counted() == 4


@pytest.mark.parametrize('again', [False, True])
def test_computation_is_refused_when_the_folder_is_not_writable(tmp_path, again):
    (tmp_path / 'file').write_text('')
    with pytest.raises(ResultError, match='file.* cannot be written'):
        runs.run(load(tmp_path), range(1), tmp_path / 'file', again=again)
    (tmp_path / 'small.nc').mkdir()
    with pytest.raises(ResultError, match='is a folder, .* move it away'):
        runs.run(load(tmp_path), range(1), tmp_path, again=again)


def test_refused_results_are_left_alone(tmp_path):
    (tmp_path / 'small.nc').write_text('nonsense')
    with pytest.raises(ResultError, match='cannot be read'):
        runs.run(load(tmp_path), range(1), tmp_path)
    assert (tmp_path / 'small.nc').read_text() == 'nonsense'


def test_finished_runs_are_kept_when_the_disk_is_full(tmp_path):
    scenario = load(tmp_path)
    runs.run(scenario, range(3), tmp_path, ['bounded'])
    used, (soft, hard) = store.database_of(tmp_path, 'small').stat().st_size, getrlimit(FILE_SIZE)
    setrlimit(FILE_SIZE, (used, hard))
    try:
        with pytest.raises(ResultError, match='runs.sqlite cannot be written .* make room'):
            runs.run(scenario, range(100), tmp_path, ['bounded'])
    finally:
        setrlimit(FILE_SIZE, (soft, hard))
    kept = kept_runs(tmp_path)
    assert 3 <= kept < 100
    rest = RecordedProgress()
    assert len(present(runs.run(scenario, range(100), tmp_path, ['bounded'],
                                        progress=rest))) == 100
    assert rest.counted() == 100 - kept


PATHS = """
duration: 20
algorithms: [{name: bounded, radius: 30}]
devices: [{kind: edge_list, path: GRAPH}]
"""


def test_runs_are_discarded_when_a_named_file_changes_meanwhile(tmp_path):
    graph = tmp_path / 'graph'
    texts = 'a b\nb c\n', 'a b\nb c\nc a\n'
    graph.write_text(texts[0])
    scenario = load(tmp_path, PATHS.replace('GRAPH', str(graph)))

    class Editing(RecordedProgress):
        def finished(self, what: str, rounds: int) -> None:
            super().finished(what, rounds)
            graph.write_text(texts[1])

    with pytest.raises(ResultError, match='a file that the scenario names was changed'):
        runs.run(scenario, range(3), tmp_path, progress=Editing())
    assert kept_runs(tmp_path) == 0
    sent = []
    for text in texts:
        graph.write_text(text)
        progress = RecordedProgress()
        counts = runs.run(scenario, range(3), tmp_path, progress=progress)['counts']
        assert progress.counted() == 3
        sent.append(int(counts.sel(counter='sent').sum()))
    assert sent[1] > sent[0]


def test_compilation_is_reported_once_and_cached_code_is_not():
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


def test_computation_says_that_a_process_was_killed(tmp_path, monkeypatch):
    """The kernel does so when there is too little memory."""
    def killed(scenario: Scenario, algorithm: str, seed: int) -> Run:
        if seed == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return simulate(scenario, algorithm, seed)
    with monkeypatch.context() as patched, pytest.raises(
            ResultError, match='ended with status -9; is there too little memory'):
        patched.setattr(processes, 'simulate', killed)
        runs.run(load(tmp_path), range(3), tmp_path, ['bounded'], workers=1)
    rest = RecordedProgress()
    runs.run(load(tmp_path), range(3), tmp_path, ['bounded'], progress=rest)
    # What was not sent yet is lost with the process.
    assert rest.counted() in (1, 2)


def test_error_in_a_process_is_that_of_the_run(tmp_path, monkeypatch):
    def failing(scenario: Scenario, algorithm: str, seed: int) -> Run:
        raise LookupError(f'no seed {seed}')
    monkeypatch.setattr(processes, 'simulate', failing)
    with pytest.raises(LookupError, match='no seed 0'):
        runs.run(load(tmp_path), [0], tmp_path, ['bounded'])
    assert not multiprocessing.active_children()
