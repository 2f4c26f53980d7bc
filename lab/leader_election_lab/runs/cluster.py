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

"""
Computation of runs by the workers of a Dask cluster, on this machine or on many.

The client submits batches of runs, few at a time. If a worker is lost, Dask computes its batches
again on another one. A worker computes only if its code and the files that the scenario names are
the same as the client's.
"""

from asyncio import TimeoutError as AsyncTimeoutError
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
import logging
from math import ceil
from queue import Empty, SimpleQueue
import signal
from threading import current_thread, main_thread
from time import monotonic
from typing import Any
import uuid

from leader_election_lab.experiment.scenario import parse, Scenario, ScenarioError
from leader_election_lab.runs import store
from leader_election_lab.runs.files import reason, ResultError
from leader_election_lab.runs.store import Digests, Keeper, Key, packed, Place
from leader_election_lab.simulation import simulation  # noqa: F401 - before it is digested
from leader_election_lab.simulation.run import Run, simulate
from leader_election_lab.states import ROUNDS
from leader_election_lab.terminal_output import Progress
import yaml

LOCAL = 'local'
"""Address of a cluster of processes on this machine, for the duration of the command."""
CONNECT = 20
"""Timeout of the connection to a scheduler [s]."""
UPDATE = 0.5
"""Time between two updates of the list of workers [s]."""
ANSWER = 5.0
"""Timeout of an answer that is ready [s], since its worker may have died in the meantime."""
BATCH = 0.5
"""Approximate computing time of a batch [s]. Its answer takes a few milliseconds."""

Asked = tuple[Place, Key]
"""A run, and its place in the store."""
Given = tuple[str, str, str, Mapping[tuple[str, int], str]]
"""A unique name of the computation, the name and the text of the scenario, and the fingerprints
of the client."""

_prepared: dict[str, list[Scenario]] = {}
"""On a worker: the variants of each scenario that it has received, by computation."""


def prepare(given: Given) -> str:
    """
    Store a scenario on a worker, if its runs would be the same as on the client.

    :return: the reason why the runs would differ here, empty if they would not.
    """
    job, name, text, digests = given
    try:
        scenario = parse(yaml.safe_load(text), name)
        own = store.digests(scenario)
    except (ScenarioError, OSError) as error:
        return str(error)
    for key, expected in sorted(digests.items()):
        if difference := own[key].difference(expected):
            what = 'content of the files that the scenario names' \
                if difference == 'scenario' else 'code'
            return f'{key[0]}: another {what}'
    _prepared[job] = [variant for _, variant in scenario.variants()]
    return ''


def compute_batch(given: Given, batch: Sequence[Key]) -> tuple[float, list[Run]] | None:
    """
    Compute runs on a worker, and return the time that this took [s] and the runs.

    :return: ``None`` if the runs would differ here.
    """
    job = given[0]
    if job not in _prepared and prepare(given):
        return None
    began = monotonic()
    found = [simulate(_prepared[job][key.variant], key.algorithm, key.seed) for key in batch]
    return monotonic() - began, found


@contextmanager
def connected(address: str, workers: int) -> Iterator[Any]:
    """
    Yield a client of a cluster.

    :param address: of its scheduler, such as ``tcp://host:8786``, or ``LOCAL``.
    :param workers: number of processes of a local cluster.
    :raises ResultError: if there is no scheduler, or a package is missing.
    """
    try:
        import distributed
    except ImportError:
        raise ResultError('--cluster needs the package distributed; pip install '
                          "'./lab[cluster]', or make .venv/.cluster, installs it"
                          ) from None
    # Lost workers are reported by this module instead.
    for name in list(logging.root.manager.loggerDict):
        if name.startswith(('distributed', 'tornado')):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    dask: Any = distributed  # An untyped package.
    cluster: Any = None
    try:
        if address == LOCAL:
            with _uninterrupted():
                cluster = dask.LocalCluster(
                    n_workers=workers, threads_per_worker=1, memory_limit=None,
                    dashboard_address='127.0.0.1:0', silence_logs=logging.CRITICAL)
        client = dask.Client(cluster or address, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        if cluster is not None:
            cluster.close()
        raise ResultError(f'there is no Dask scheduler at {address} '
                          f'({reason(error)})') from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=2)
        if cluster is not None:
            with suppress(Exception):
                cluster.close(timeout=5)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let processes that start in the block ignore Ctrl-C, since they inherit the handler."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


class Sweep:
    """
    The computation of many runs by a cluster.

    :param client: of the cluster.
    :param address: of the scheduler, for error texts.
    :param scenario: the scenario of the runs.
    :param keys: the runs to be computed, by their places in the store.
    :param digests: the fingerprints of all algorithms and variants.
    :param keeper: writes the runs.
    :param progress: where finished runs are reported.
    """

    def __init__(self, client: Any, address: str, scenario: Scenario,
                 keys: Mapping[Place, Key], digests: Digests, keeper: Keeper,
                 progress: Progress) -> None:
        self.client, self.address, self.progress = client, address, progress
        self._keeper = keeper
        used = {key[:2] for key in keys.values()}
        self._given: Given = (uuid.uuid4().hex, scenario.name, scenario.text,
                              {which: str(digests[which]) for which in used})
        self._waiting = deque(keys.items())
        self._suspects: deque[Asked] = deque()
        """Runs whose workers died. Each is computed once more, without others beside it."""
        self._alone = False
        self._deadly: list[Key] = []
        self._batches: dict[str, tuple[Any, list[Asked], list[str] | None]] = {}
        """The pending futures, their runs, and the workers that they are for; by key."""
        self._answers: SimpleQueue[Any] = SimpleQueue()
        self.refused: dict[str, str] = {}
        """The reason why each worker is not used, empty if it is used."""
        self._threads = 0
        """The number of threads of all workers that are used."""
        self._seconds = BATCH
        """The time of a run in the latest batch [s], which may have compiled the algorithm."""
        self._waiting_noted = False

    def run(self) -> None:
        """
        Compute all runs, and keep each as soon as it is finished.

        :raises ResultError: if no worker can be used, the scheduler is gone, or all workers that
            computed a run died. Finished runs are kept.
        """
        due = 0.0
        while self._waiting or self._suspects or self._batches:
            if monotonic() >= due:
                self._update_workers()
                due = monotonic() + UPDATE
            self._hand_out()
            try:
                self._answered(self._answers.get(timeout=max(0.0, due - monotonic())))
            except Empty:
                continue
        if self._deadly:
            key = self._deadly[0]
            others = f' ({len(self._deadly) - 1} more likewise)' if self._deadly[1:] else ''
            raise ResultError(
                f'{key.algorithm}, seed {key.seed}, variant {key.variant + 1}: all workers that '
                f'were given this run died{others}; is there too little memory, or a limit of '
                'time? All other runs are kept')

    def _update_workers(self) -> None:
        """Add the workers that have joined, and remove those that are gone."""
        try:
            if self.client.status != 'running':
                raise OSError('the connection is lost')
            threads = self.client.nthreads()
        except (OSError, TimeoutError, AsyncTimeoutError) as error:
            raise ResultError(
                f'the Dask scheduler at {self.address} is gone ({reason(error)}); '
                'finished runs are kept, and the same command goes on from there') from None
        for worker in self.refused.keys() - threads.keys():
            if not self.refused.pop(worker):
                self.progress.note(f'worker {worker} is gone; its unfinished runs are computed '
                                   'again')
        if joined := list(threads.keys() - self.refused.keys()):
            answers = self.client.run(prepare, self._given, workers=joined, on_error='return')
            for worker, answer in answers.items():
                if isinstance(answer, OSError):
                    continue  # It is gone again.
                # Another error: the package is missing there, or older.
                self.refused[worker] = answer if isinstance(answer, str) else (
                    f'{type(answer).__name__}: {reason(answer)}')
                if self.refused[worker]:
                    self.progress.note(f'worker {worker} is not used: {self.refused[worker]}')
        for future, asked, allowed in list(self._batches.values()):
            if allowed and self.refused.keys().isdisjoint(allowed):
                del self._batches[future.key]
                future.cancel()
                self._waiting.extend(asked)
                self._alone = False
        self._threads = sum(threads[worker] for worker in self._used())
        self.progress.at_work(len(self._used()))
        if self._used():
            self._waiting_noted = False
        elif self.refused:
            raise ResultError(f'no worker of {self.address} can be used: '
                              f'{next(iter(self.refused.values()))}; each has to have the same '
                              'version of leader_election, of the algorithms of your own, and of '
                              'the files that the scenario names')
        elif not self._waiting_noted:
            self._waiting_noted = True
            self.progress.note(f'no worker is connected to {self.address}; waiting for one '
                               '(Ctrl-C ends, finished runs are kept)')

    def _used(self) -> list[str]:
        """Return the addresses of the workers that are used."""
        return [worker for worker, reason in self.refused.items() if not reason]

    def _hand_out(self) -> None:
        """Submit batches: two a thread, to avoid idle time. Suspect runs go last, one by one."""
        while self._waiting and self._used() and not self._alone and (
                len(self._batches) < 2 * self._threads):
            self._submit([self._waiting.popleft() for _ in range(self._batch_size())])
        if self._suspects and self._used() and not self._batches:
            self._alone = True
            self._submit([self._suspects.popleft()])

    def _submit(self, asked: list[Asked]) -> None:
        # On all workers, also those that will join, unless some are not used.
        allowed = self._used() if len(self._used()) < len(self.refused) else None
        future = self.client.submit(compute_batch, self._given, [key for _, key in asked],
                                    workers=allowed, pure=False)
        self._batches[future.key] = future, asked, allowed
        future.add_done_callback(self._answers.put)

    def _batch_size(self) -> int:
        """Return the number of runs of a batch. Smaller at the end, to end all together."""
        size = BATCH / max(self._seconds, 1e-6)
        return max(1, min(int(size), ceil(len(self._waiting) / (2 * self._threads))))

    def _answered(self, future: Any) -> None:
        """Store the runs of a batch."""
        if future.key not in self._batches:
            return
        answer: Any = None
        failure: Exception | None = None
        try:
            answer = future.result(timeout=ANSWER) if future.done() else None
        except Exception as error:
            late = isinstance(error, (TimeoutError, AsyncTimeoutError))
            failure = error if not late or future.status == 'error' else None
        if answer is None and failure is None and future.status in ('pending', 'finished'):
            # Computed again, perhaps by a worker that joins only now.
            future.add_done_callback(self._answers.put)
            return
        _, asked, _ = self._batches.pop(future.key)
        alone, self._alone = self._alone, False
        if failure is not None:
            if type(failure).__name__ == 'KilledWorker':
                # More workers died than the scheduler allows, perhaps of another batch.
                if alone:
                    self._deadly.append(asked[0][1])
                else:
                    self._suspects.extend(asked)
                return
            if future.status not in ('cancelled', 'lost'):
                raise failure
        if answer is None:  # The next update finds whether the scheduler is gone.
            self._waiting.extend(asked)
            return
        seconds, found = answer
        self._seconds = seconds / len(asked)
        for (place, key), run in zip(asked, found):
            self._keeper.keep(packed(run), place)
            self.progress.finished(f'{key.algorithm}, seed {key.seed}', int(run.counts[ROUNDS]))
