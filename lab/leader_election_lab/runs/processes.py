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

"""Compute runs in processes of this machine, and keep them as they are finished."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from multiprocessing import get_context, parent_process
from multiprocessing.connection import Connection, wait
import os
import signal
from threading import Event, Thread
from time import monotonic
from typing import Any

from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.runs.files import ResultError
from leader_election_lab.runs.store import Keeper, Key, Packed, packed, Place
from leader_election_lab.simulation.run import simulate
from leader_election_lab.states import ROUNDS
from leader_election_lab.terminal_output import Progress
from numba.core import event

Answer = tuple[int, Packed]
"""The number of rounds of a run, and the run."""
BATCH = 0.05
"""The least time between two messages of a process [s]: small runs are sent together."""


def compute(keys: Mapping[Place, Key], variants: Sequence[Scenario], workers: int, keeper: Keeper,
            title: str, progress: Progress) -> None:
    """
    Compute runs in processes, and keep each of them.

    Processes are forked, so that they have the compiled code. Threads would wait for each other:
    small runs hold the interpreter's lock most of the time.

    :param workers: the greatest number of processes.
    :param title: of the progress.
    :raises ResultError: if a run cannot be kept, or a process was killed.
    """
    context = get_context('fork')
    asked = list(keys.items())
    turn = context.Value('q')
    crew: dict[Any, Any] = {}
    try:
        for _ in range(min(workers, len(asked))):
            answers, says = context.Pipe(duplex=False)
            worker = context.Process(
                target=_work, args=(list(keys.values()), variants, turn, says), daemon=True)
            worker.start()
            # The process alone can write: its end is the end of what can be read.
            says.close()
            crew[answers] = worker
        with progress.counting(title, len(asked)):
            while crew:
                ready: list[Any] = wait(list(crew))
                for answers in ready:
                    try:
                        batch = answers.recv()
                    except EOFError:
                        _end(crew.pop(answers))
                        continue
                    for k, answer in batch:
                        place, key = asked[k]
                        rounds, run = answer or _compute(key, variants)
                        keeper.keep(run, place)
                        progress.finished(f'{key.algorithm}, seed {key.seed}', rounds)
    finally:
        for worker in crew.values():
            worker.terminate()
        for worker in crew.values():
            worker.join()


def _work(keys: Sequence[Key], variants: Sequence[Scenario], turn: Any,
          says: Connection) -> None:
    """Compute the next run, again and again, in a process of its own."""
    # Ctrl-C is for the parent, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()
    batch: list[tuple[int, Answer | None]] = []
    due = 0.0
    while True:
        with turn.get_lock():
            k, turn.value = turn.value, turn.value + 1
        if batch and (k >= len(keys) or monotonic() >= due):
            says.send(batch)
            batch, due = [], monotonic() + BATCH
        if k >= len(keys):
            break
        answer = None
        with suppress(Exception):  # It fails in the parent as well, which shows where.
            answer = _compute(keys[k], variants)
        batch.append((k, answer))
    # What the parent does at its exit, such as joining its threads, is not for this process.
    os._exit(0)


def _end_with_parent() -> None:
    """End this process in the middle of a run when its parent was killed."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _compute(key: Key, variants: Sequence[Scenario]) -> Answer:
    """Compute a run."""
    run = simulate(variants[key.variant], key.algorithm, key.seed)
    return int(run.counts[ROUNDS]), packed(run)


def _end(worker: Any) -> None:
    """Take note of the end of a process."""
    worker.join()
    if worker.exitcode:
        raise ResultError(f'a process that computed runs ended with status {worker.exitcode}; is '
                          'there too little memory? Finished runs are kept, and the same command '
                          'goes on from there')


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
    started, here = Event(), os.getpid()

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: event.Event) -> None:
            if not started.is_set() and os.getpid() == here:
                started.set()
                notify()

        def on_end(self, event: event.Event) -> None:
            pass

    with event.install_listener('numba:compile', Listener()):
        yield started
