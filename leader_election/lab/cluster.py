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

The client sends batches of runs to single workers, few at a time. If a worker is lost, only its
batches are computed again. A worker receives the scenario once, and computes only if its code and
the files that the scenario names are the same as the client's.
"""

from asyncio import TimeoutError as AsyncTimeoutError
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
import logging
from math import ceil
from pathlib import Path
from queue import Empty, SimpleQueue
import signal
from threading import current_thread, Lock, main_thread
from time import monotonic
from typing import Any
import uuid

from leader_election.lab import results, store
from leader_election.lab.engine.samples import ROUNDS
from leader_election.lab.results import Digests, Key, ResultError
from leader_election.lab.scenario import parse, Scenario, ScenarioError
from leader_election.lab.simulate import Run, simulate, simulate_branches
from leader_election.lab.terminal import Progress
import yaml

LOCAL = 'local'
"""Address of a cluster of processes on this machine, for the duration of the command."""
CONNECT = 20
"""Timeout of the connection to a scheduler [s]."""
UPDATE = 0.5
"""Time between two updates of the list of workers [s]."""
BATCH = 0.5
"""Approximate computing time of a batch [s]; its answer takes a few milliseconds."""
ALONE, DEADLY = 2, 4
"""Number of workers that died while they computed a group, after which it is sent alone, and
after which it is abandoned."""

Group = Mapping[Path, Key]
"""Runs that are identical until their events differ, by file."""
Work = tuple[str, tuple[int, ...], int]
"""Runs of a group: the label of the algorithm, the variants, and the seed."""

_prepared: dict[str, list[Scenario]] = {}
"""On a worker: the variants of each scenario that it has received, by job."""
_compiled: set[tuple[str, str]] = set()
_compiling = Lock()


def prepare(job: str, name: str, text: str, digests: Mapping[tuple[str, int], str]) -> str:
    """
    Store a scenario on a worker, if its runs would be the same as on the client.

    :param job: unique name of the computation.
    :param digests: the fingerprints of the client.
    :return: the reason why the runs would differ here; empty: they would not.
    """
    try:
        scenario = parse(yaml.safe_load(text), name)
        own = results.digests(scenario)
    except (ScenarioError, OSError) as error:
        return str(error)
    for key, expected in digests.items():
        if difference := own[key].difference(expected):
            what = 'content of the files that the scenario names' \
                if difference == 'scenario' else 'code'
            return f'{key[0]}: another {what}'
    _prepared[job] = [variant for _, variant in scenario.variants()]
    return ''


def compute_batch(job: str, batch: Sequence[Work]) -> tuple[float, list[list[Run]]] | None:
    """
    Compute groups of runs on a worker; return the time that this took [s], and the runs.

    :return: ``None`` if this process has not received the scenario.
    """
    variants = _prepared.get(job)
    if variants is None:
        return None
    for label in {label for label, _, _ in batch}:
        with _compiling:
            if (job, label) not in _compiled:
                first = replace(variants[0], duration=variants[0].measure.interval)
                simulate(first, label, 0)
                _compiled.add((job, label))
    began = monotonic()
    found = [list(simulate_branches([variants[k] for k in indices], label, seed))
             for label, indices, seed in batch]
    return monotonic() - began, found


@contextmanager
def connected(address: str, workers: int) -> Iterator[Any]:
    """
    Yield a client of a cluster.

    :param address: of its scheduler, such as ``tcp://host:8786``, or ``LOCAL``.
    :param workers: number of processes of a local cluster.
    :raises ResultError: where there is no scheduler, or a package is missing.
    """
    try:
        import distributed
    except ImportError:
        raise ResultError('--cluster needs the package distributed; pip install '
                          "'leader_election[cluster]', or make .venv/.cluster, installs it"
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
                          f'({results.reason(error)})') from None
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
    """Let processes that are started in the block ignore Ctrl-C: they inherit the handler."""
    if current_thread() is not main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@dataclass
class Worker:
    """A worker of the cluster, and the batches sent to it."""

    threads: int
    ready: bool = False
    refused: str = ''
    """The reason why the worker is not used; empty: it is used once it is ready."""
    batches: dict[str, tuple[Any, list[Group]]] = field(default_factory=dict)
    """Futures and their groups of runs, by the keys of the futures."""
    alone: bool = False
    """Whether it computes a suspect group, and receives nothing else meanwhile."""

    @property
    def room(self) -> int:
        """Return the number of batches it still takes; a queued one avoids idle time."""
        return 0 if not self.ready or self.alone else 2 * self.threads - len(self.batches)


class Lost(Exception):
    """A result was lost with its worker or with the scheduler."""


class Sweep:
    """
    The computation of many runs by a cluster.

    :param client: of the cluster.
    :param address: of the scheduler, for error texts.
    :param scenario: the scenario of the runs.
    :param groups: the groups of runs to be computed.
    :param digests: the fingerprints of all algorithms and variants.
    :param progress: where finished runs are reported.
    """

    def __init__(self, client: Any, address: str, scenario: Scenario, groups: Sequence[Group],
                 digests: Digests, progress: Progress) -> None:
        self.client, self.address, self.progress = client, address, progress
        used = {(key.algorithm, key.variant) for group in groups for key in group.values()}
        self._given = (scenario.name, scenario.text,
                       {which: str(digests[which]) for which in used})
        self._job = uuid.uuid4().hex
        self._waiting = deque(groups)
        self._again: deque[Group] = deque()
        self._deaths: dict[int, int] = {}
        self._deadly: list[Key] = []
        self._events: SimpleQueue[Any] = SimpleQueue()
        self.workers: dict[str, Worker] = {}
        self._asked: dict[str, tuple[Any, str]] = {}
        """The pending calls of :func:`prepare`, each with its worker's address, by key."""
        self._seconds, self._groups = 0.0, 0
        self._waiting_noted = False

    def run(self) -> None:
        """
        Compute all groups, and write each run to its file as it is finished.

        :raises ResultError: if no worker can be used, the scheduler is gone, or all workers that
            computed a run died; finished runs are kept.
        """
        due = 0.0
        while self._waiting or self._again or any(w.batches for w in self.workers.values()):
            if monotonic() >= due:
                self._update_workers()
                due = monotonic() + UPDATE
            self._hand_out()
            try:
                future = self._events.get(timeout=max(0.0, due - monotonic()))
            except Empty:
                continue
            if not self._answered(future):
                due = 0.0
        if self._deadly:
            key = self._deadly[0]
            others = f' ({len(self._deadly) - 1} more likewise)' if self._deadly[1:] else ''
            raise ResultError(
                f'{key.algorithm}, seed {key.seed}, variant {key.variant + 1}: the last {DEADLY} '
                f'workers that were given this run died{others}; is there too little memory, or a '
                'limit of time? All other runs are kept')

    def _update_workers(self) -> None:
        """Add the workers that have joined, and remove those that are gone."""
        threads = self._threads()
        for address in self.workers.keys() - threads.keys():
            self._lost(address)
        for address in threads.keys() - self.workers.keys():
            self.workers[address] = Worker(threads[address])
            self._ask(address)
        usable = sum(not worker.refused for worker in self.workers.values())
        self.progress.at_work(usable)
        if usable:
            self._waiting_noted = False
        elif self.workers:
            reason = next(iter(self.workers.values())).refused
            raise ResultError(f'no worker of {self.address} can be used: {reason}; each has to '
                              'have the same version of leader_election, of the algorithms of '
                              'your own, and of the files that the scenario names')
        elif not self._waiting_noted:
            self._waiting_noted = True
            self.progress.note(f'no worker is connected to {self.address}; waiting for one '
                               '(Ctrl-C ends, finished runs are kept)')

    def _threads(self) -> dict[str, int]:
        """Return the workers that are connected, and the number of threads of each."""
        try:
            if self.client.status != 'running':
                raise OSError('the connection is lost')
            return dict(self.client.nthreads())
        except (OSError, TimeoutError, AsyncTimeoutError) as error:
            raise ResultError(
                f'the Dask scheduler at {self.address} is gone ({results.reason(error)}); '
                'finished runs are kept, and the same command goes on from there') from None

    def _submit(self, address: str, function: Any, *arguments: Any) -> Any:
        future = self.client.submit(function, self._job, *arguments, workers=[address], pure=False,
                                    allow_other_workers=False)
        future.add_done_callback(self._events.put)
        return future

    def _ask(self, address: str) -> None:
        """Send the scenario to a worker."""
        self.workers[address].ready = False
        future = self._submit(address, prepare, *self._given)
        self._asked[future.key] = future, address

    def _lost(self, address: str) -> None:
        """Remove a worker that is gone, and queue its batches again."""
        worker = self.workers.pop(address)
        self._asked = {key: asked for key, asked in self._asked.items() if asked[1] != address}
        for _, groups in worker.batches.values():
            self._take_back(groups)
        if worker.batches:
            self.progress.note(f'worker {address} is gone; its unfinished runs are computed '
                               'again')

    def _take_back(self, groups: Sequence[Group]) -> None:
        """Queue groups again whose worker died; abandon those that ``DEADLY`` workers died of."""
        for group in groups:
            self._deaths[id(group)] = self._deaths.get(id(group), 0) + 1
            if self._deaths[id(group)] < DEADLY:
                self._again.append(group)
            else:
                self._deadly.append(next(iter(group.values())))

    def _hand_out(self) -> None:
        """Send batches to all workers with room for them, the least loaded first."""
        while self._again or self._waiting:
            free = [(len(worker.batches) / worker.threads, address)
                    for address, worker in self.workers.items() if worker.room > 0]
            if not free:
                return
            load, address = min(free)
            worker = self.workers[address]
            suspect = bool(self._again) and self._deaths.get(id(self._again[0]), 0) >= ALONE
            if self._again and (not suspect or load == 0):
                batch = [self._again.popleft()]
                worker.alone = suspect
            elif self._waiting:
                batch = [self._waiting.popleft() for _ in range(self._batch_size())]
            else:
                return  # A suspect group waits for an idle worker.
            work = [(next(iter(group.values())).algorithm,
                     tuple(key.variant for key in group.values()),
                     next(iter(group.values())).seed) for group in batch]
            future = self._submit(address, compute_batch, work)
            worker.batches[future.key] = future, batch

    def _batch_size(self) -> int:
        """Return the number of groups of a batch; smaller at the end, to end all together."""
        if self._groups == 0:
            return 1
        threads = sum(w.threads for w in self.workers.values() if not w.refused)
        size = BATCH / max(self._seconds / self._groups, 1e-6)
        return max(1, min(int(size), ceil(len(self._waiting) / (2 * threads))))

    def _answered(self, future: Any) -> bool:
        """Process an answer; return whether its worker can still be used."""
        if future.key in self._asked:
            _, address = self._asked.pop(future.key)
            if address not in self.workers:
                return True
            worker = self.workers[address]
            try:
                worker.refused = self._fetched(future, address)
            except Lost:
                return False
            except Exception as error:
                # The package is missing there, or older.
                worker.refused = f'{type(error).__name__}: {results.reason(error)}'
            worker.ready = not worker.refused
            if worker.refused:
                self.progress.note(f'worker {address} is not used: {worker.refused}')
            return worker.ready
        for address, worker in self.workers.items():
            if future.key in worker.batches:
                return self._computed(future, address)
        return True  # From a worker that is gone.

    def _computed(self, future: Any, address: str) -> bool:
        """Store the runs of a batch; return whether its worker can still be used."""
        worker = self.workers[address]
        try:
            answer = self._fetched(future, address)
        except Lost:
            return False  # The next update finds that the worker, or the scheduler, is gone.
        _, groups = worker.batches.pop(future.key)
        worker.alone = False
        if answer is None:
            # A new process has the address of one that died.
            self._take_back(groups)
            self._ask(address)
            return True
        seconds, found = answer
        self._seconds, self._groups = self._seconds + seconds, self._groups + len(groups)
        for group, runs in zip(groups, found):
            for (file, key), run in zip(group.items(), runs):
                store.keep(run, file)
                self.progress.finished(f'{key.algorithm}, seed {key.seed}',
                                       int(run.counts[ROUNDS]) - run.shared)
        return True

    def _fetched(self, future: Any, address: str) -> Any:
        """Return the result of a future, or raise its exception, or :class:`Lost`."""
        timeout = 2.0
        while True:
            try:
                return future.result(timeout=timeout)
            except (TimeoutError, AsyncTimeoutError):
                # A slow network; or the worker has died since it was ready.
                timeout *= 2
                if address not in self._threads():
                    raise Lost from None
            except Exception as error:
                if future.status in ('cancelled', 'lost') or type(error).__name__ in (
                        'KilledWorker', 'CommClosedError'):
                    raise Lost from None
                raise
