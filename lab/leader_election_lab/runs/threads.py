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

"""Compute runs in threads of this process, and keep each run as soon as it is finished."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import as_completed, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
import sys
from threading import Event, Lock
from time import monotonic

from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs import store
from leader_election_lab.runs.store import Key
from leader_election_lab.simulation.simulate import simulate, simulate_branches
from leader_election_lab.states import ROUNDS
from leader_election_lab.terminal_output import Progress
from numba.core import event

SWITCH = 1e-4
"""The time after which a thread lets others run Python [s]."""


def compute(groups: Sequence[Mapping[Path, Key]], variants: Sequence[Scenario], workers: int,
            progress: Progress) -> None:
    """Compute groups of runs, each group in one thread, and write each run to its file."""
    writing, stopped = Lock(), Event()

    def compute_group(group: Mapping[Path, Key]) -> list[tuple[Key, int]]:
        finished_runs = []
        first = next(iter(group.values()))
        branches = simulate_branches([variants[key.variant] for key in group.values()],
                                     first.algorithm, first.seed)
        for (file, key), finished in zip(group.items(), branches):
            with writing:
                if stopped.is_set():
                    break
                store.keep(finished, file)
            finished_runs.append((key, int(finished.counts[ROUNDS]) - finished.shared))
        return finished_runs

    pool = ThreadPoolExecutor(workers)
    usual = sys.getswitchinterval()
    # A thread whose rounds are over would wait for the interpreter's lock as long as they took.
    sys.setswitchinterval(SWITCH)
    try:
        for future in as_completed([pool.submit(compute_group, group) for group in groups]):
            for key, rounds in future.result():
                progress.finished(f'{key.algorithm}, seed {key.seed}', rounds)
    except BaseException:
        # Do not wait for unfinished runs, and do not keep them.
        with writing:
            stopped.set()
        raise
    finally:
        sys.setswitchinterval(usual)
        pool.shutdown(wait=False, cancel_futures=True)


def compile_by_running(scenario: Scenario, label: str, progress: Progress) -> None:
    """Compile an algorithm by a short run, and report it unless the compiled code was cached."""
    began = monotonic()
    with compiling(lambda: progress.note(f'compiling {label} (once; it is kept) ...')) as started:
        simulate(replace(scenario, duration=scenario.measure.interval), label, 0)
    if started.is_set():
        progress.note(f'compiled {label} in {monotonic() - began:.1f} s')


@contextmanager
def compiling(notify: Callable[[], None]) -> Iterator[Event]:
    """
    Call a function once, as soon as numba begins to compile, but not if it reads its cache.

    :return: an event that is set when compilation begins.
    """
    started = Event()

    class Listener(event.Listener):
        def on_start(self, event: event.Event) -> None:
            if not started.is_set():
                started.set()
                notify()

        def on_end(self, event: event.Event) -> None:
            pass

    with event.install_listener('numba:compile', Listener()):
        yield started
