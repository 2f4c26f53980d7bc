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

"""Runs on a Dask cluster: a real scheduler and worker processes, some of which are killed."""

from collections.abc import Iterator
from contextlib import contextmanager, ExitStack
from functools import partial
from pathlib import Path
import shutil
import subprocess
import sys

import distributed
from example_results import present
import leader_election
from leader_election_lab.runs import cluster
from leader_election_lab.runs import computation as runs
from leader_election_lab.runs.files import ResultError
import pytest
from runs.test_computation import kept_runs, RecordedProgress
from small_scenario import load, VARIED

PACKAGE = Path(leader_election.__file__).parent
DASK = [sys.executable, '-m', 'dask']


@contextmanager
def process(*arguments: str, folder: Path = PACKAGE.parent) -> 'Iterator[subprocess.Popen[str]]':
    """Run a command of dask in a folder, from which it imports. Kill it in the end."""
    with subprocess.Popen([*DASK, *arguments], cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as started:
        try:
            yield started
        finally:
            started.kill()
            started.communicate()


@contextmanager
def scheduler() -> 'Iterator[tuple[str, subprocess.Popen[str]]]':
    """Yield the address of a scheduler, and its process."""
    with process('scheduler', '--host', '127.0.0.1', '--port', '0', '--no-dashboard') as started:
        assert started.stderr is not None
        line = next(line for line in started.stderr if 'Scheduler at:' in line)
        yield line.split()[-1], started


@contextmanager
def worker(address: str, *more: str, folder: Path = PACKAGE.parent,
            ) -> 'Iterator[subprocess.Popen[str]]':
    """Start a worker of one thread, and wait until it has joined."""
    with process('worker', address, '--nthreads', '1', '--no-nanny', '--no-dashboard',
                 '--death-timeout', '30', *more, folder=folder) as started:
        # The scheduler's count of workers may still include a worker that was killed.
        assert started.stderr is not None
        next(line for line in started.stderr if 'Registered to:' in line)
        yield started


def test_lost_workers_change_nothing_and_a_lost_scheduler_is_an_error(tmp_path):
    scenario = load(tmp_path, VARIED + 'measure: {devices: true}\n')
    started: list[subprocess.Popen[str]] = []
    with ExitStack() as stack, scheduler() as (address, of_scheduler):
        class Joining(RecordedProgress):
            """Starts a worker when there is none, and kills the first one after its first run."""

            def note(self, text: str) -> None:
                super().note(text)
                if text.startswith('no worker is connected'):
                    started.append(stack.enter_context(worker(address)))

            def finished(self, what: str, rounds: int) -> None:
                super().finished(what, rounds)
                started[0].kill()

        class Killing(RecordedProgress):
            """Kills the scheduler after five runs."""

            def finished(self, what: str, rounds: int) -> None:
                super().finished(what, rounds)
                if self.counted() >= 5:
                    of_scheduler.kill()

        progress = Joining()
        dataset = runs.run(scenario, range(3), tmp_path / 'cluster', progress=progress,
                           cluster=address)
        with pytest.raises(ResultError, match=f'scheduler at {address} is gone .* goes on'):
            runs.run(load(tmp_path), range(50), tmp_path, progress=Killing(), cluster=address)
    text = progress.text.getvalue()
    assert text.count(' is gone; its unfinished runs are computed again') == 1
    assert len(started) == 2 and progress.counted() == 24
    *_, last = [line for line in text.splitlines() if ' runs: ' in line]
    assert ', 1 worker, ' in last
    assert dataset.equals(runs.run(scenario, range(3), tmp_path / 'threads'))
    assert kept_runs(tmp_path) >= 5


DEADLY_PLACE = """
from dataclasses import dataclass
import os
from leader_election_lab.topologies import Placement, Topology, TOPOLOGIES
from leader_election.parameters import parameter
import numpy as np

@dataclass(frozen=True)
class Parameters:
    deadly: bool = parameter(False, 'Whether the process dies.')

def place(parameters, random):
    if parameters.deadly:
        os._exit(1)
    return Placement(10.0 * random.random((9, 2)))

TOPOLOGIES.add(Topology(name='minefield', parameters=Parameters, place=place))
"""
MINES = """
duration: 5
algorithms: [{name: bounded, radius: 6}]
devices: [{kind: minefield, deadly: false}]
messages: {range: 4}
vary: {devices.deadly: [false, true]}
"""


def test_worker_with_other_code_is_not_used_and_run_that_kills_its_workers_is_named(
        tmp_path, monkeypatch):
    other = tmp_path / 'other'
    shutil.copytree(PACKAGE, other / PACKAGE.name, ignore=shutil.ignore_patterns('__pycache__'))
    with open(other / PACKAGE.name / 'election' / 'algorithms' / 'bounded.py', 'a') as source:
        source.write('EDITED = True\n')
    (tmp_path / 'minefield.py').write_text(DEADLY_PLACE)
    monkeypatch.syspath_prepend(str(tmp_path))
    __import__('minefield')
    # The workers import it as well.
    monkeypatch.setenv('PYTHONPATH', str(tmp_path), prepend=':')
    monkeypatch.setenv('DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES', '0')
    with scheduler() as (address, _), ExitStack() as stack:
        with worker(address, folder=other):
            with pytest.raises(ResultError, match='no worker of .* can be used: bounded: another '
                                                  'code; each has to'):
                runs.run(load(tmp_path), range(2), tmp_path, cluster=address)
            stack.enter_context(worker(address, '--preload', 'minefield'))
            progress = RecordedProgress()
            dataset = runs.run(load(tmp_path), range(3), tmp_path, progress=progress,
                               cluster=address)
            text = progress.text.getvalue()
            assert text.count('is not used: bounded: another code') == 1
            assert ', 1 worker, ' in text and ', 2 workers' not in text
            assert len(present(dataset)) == 6
        stack.enter_context(worker(address, '--preload', 'minefield'))
        mines = tmp_path / 'mines'
        mines.mkdir()
        with pytest.raises(ResultError, match='bounded, seed 0, variant 2: all workers that were '
                                              'given this run died; .* All other runs are kept'):
            runs.run(load(mines, MINES), [0], mines, progress=RecordedProgress(), cluster=address)
    assert kept_runs(mines) == 1


def test_local_cluster_gives_the_same_results(tmp_path, monkeypatch):
    # Its workers are threads here, which start sooner than processes.
    monkeypatch.setattr(distributed, 'LocalCluster', partial(
        distributed.LocalCluster, processes=False))
    found = runs.run(load(tmp_path), range(2), tmp_path / 'local', workers=2, cluster='local')
    assert found.equals(runs.run(load(tmp_path), range(2), tmp_path / 'processes'))


def test_missing_scheduler_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, 'CONNECT', 0.5)
    for address in ('tcp://127.0.0.1:1', 'nonsense://x'):
        with pytest.raises(ResultError, match=f'no Dask scheduler at {address} ') as raised:
            runs.run(load(tmp_path), range(1), tmp_path, cluster=address)
        assert '\n' not in str(raised.value)
    monkeypatch.setitem(sys.modules, 'distributed', None)
    with pytest.raises(ResultError, match=r'needs the package distributed; pip .*\[cluster\]'):
        runs.run(load(tmp_path), range(1), tmp_path, cluster='local')
