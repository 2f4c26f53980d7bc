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

"""A plug-in of pytest that runs the collected tests on mutants, in a forked process for each."""

from collections import defaultdict
from collections.abc import Iterator
from enum import Enum
from functools import cache
import gc
from importlib import import_module
import multiprocessing
import os
from pathlib import Path
import signal
import sys
import time
import traceback
from types import FunctionType
from typing import Any

from _pytest.runner import runtestprotocol
from benchmarks.mutants.mutant import Mutant
from coverage import Coverage
from hypothesis import Phase, settings
import pytest

CORE = str(Path(__file__).resolve().parents[2] / 'leader_election' / 'election')
SECONDS = 10.0
"""The time of the tests of a mutant [s]. Slower tests, which this leaves out, kill little more."""
CACHE = type(cache(str))
SLOW = 0.7
"""The time from which on a test is left out [s]."""
BROKEN = 2
"""The exit status of a process that could not try its mutant."""
Line = tuple[str, int]


class Result(Enum):
    """What became of a mutant, in the order of the columns of the table."""

    TEXT = 'text'
    EQUIVALENT = 'equivalent'
    IMPORTED = 'at import'
    KILLED = 'killed'
    SURVIVED = 'survived'


_items: list[pytest.Item] = []
"""The collected tests, which forked processes inherit."""
_caches: list[Any] = []
"""The caches of functions, which the collection may have filled."""


def short(path: str) -> str:
    """Return the folder and the name of a file of the core."""
    return '/'.join(Path(path).parts[-2:])


def functions() -> dict[tuple[str, str], list[FunctionType]]:
    """Return the functions of the core by file and qualified name."""
    found = defaultdict(list)
    for each in gc.get_objects():
        if isinstance(each, FunctionType) and each.__code__.co_filename.startswith(CORE):
            found[short(each.__code__.co_filename), each.__qualname__].append(each)
    return found


@cache
def coverage(process: int) -> Coverage:
    """Return the tool that notes the lines of the core. Each process needs its own."""
    made = Coverage(data_file=None, config_file=False, include=[f'{CORE}/*'])
    # Some tests reach nothing of the core.
    made.set_option('run:disable_warnings', ['no-data-collected'])
    return made


def fails(item: pytest.Item) -> bool:
    """Run one test with empty caches, and return whether it failed."""
    for cached in _caches:
        cached.cache_clear()
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def covered() -> set[Line]:
    """Return the lines of the core that were reached since the tool's start."""
    data = coverage(os.getpid()).get_data()
    return {(short(file), line) for file in data.measured_files()
            for line in data.lines(file) or ()}


def reach(number: int) -> tuple[float, set[Line]]:
    """Return the time of a test [s] and the lines that it reaches, none if it fails or lasts."""
    coverage(os.getpid()).erase()
    start = time.process_time()
    with coverage(os.getpid()).collect():
        failed = fails(_items[number])
    spent = time.process_time() - start
    if failed:
        print('fails without a mutant:', _items[number].nodeid, file=sys.__stderr__)
    return spent, set() if failed or spent > SLOW else covered()


def attempt(mutant: Mutant, originals: list[FunctionType], tests: list[tuple[float, int]]) -> int:
    """Return 1 if a test fails with the mutant, otherwise 0. A signal ends endless tests."""
    if not originals:
        raise LookupError(f'{mutant.function} is not imported')
    for each in originals:
        each.__code__ = mutant.code
        if mutant.defaults:
            positional, named = mutant.defaults
            each.__defaults__ = tuple(old if new is ... else new for old, new in zip(
                each.__defaults__ or (), positional, strict=True))
            each.__kwdefaults__ = (each.__kwdefaults__ or {}) | {
                name: new for name, new in named.items() if new is not ...}
    left = SECONDS
    for spent, number in tests:
        left -= spent
        if left < 0.0:
            break
        signal.setitimer(signal.ITIMER_PROF, 3.0 + 10.0 * spent)
        if fails(_items[number]):
            return 1
    return 0


class Trial:
    """
    Run the collected tests on mutants.

    :ivar results: a result for each mutant.
    """

    def __init__(self, mutants: list[Mutant], jobs: int) -> None:
        """Take the mutants and the number of processes at a time."""
        self._mutants, self._jobs = mutants, jobs
        self._imported: set[Line] = set()
        self._running: dict[int, Mutant] = {}
        self.results: dict[Mutant, Result] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        """Draw the same examples in each run, and do not reduce those that fail."""
        settings.register_profile('mutants', settings.get_profile('untimed'), derandomize=True,
                                  database=None, phases=[Phase.explicit, Phase.generate])
        settings.load_profile('mutants')

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_collection(self) -> Iterator[None]:
        """Note the lines that run while modules are imported."""
        with coverage(os.getpid()).collect():
            yield
        self._imported = covered()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Find the tests that reach each line, fast ones first, and run them on the mutants."""
        _items[:] = session.items
        # All processes share one folder of temporary files.
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        # conftest.py has hidden all objects from the search.
        gc.unfreeze()
        for file in {mutant.file for mutant in self._mutants}:
            # Robots import their parts when they need them.
            import_module('leader_election.election.' + file.removesuffix('.py').replace('/', '.'))
        originals = functions()
        _caches[:] = [each for each in gc.get_objects() if isinstance(each, CACHE)
                      and each.__module__.startswith('leader_election.')]
        gc.freeze()
        tests: dict[Line, list[tuple[float, int]]] = defaultdict(list)
        with multiprocessing.get_context('fork').Pool(self._jobs) as pool:
            found = pool.imap(reach, range(len(_items)), chunksize=4)
            for number, (spent, lines) in enumerate(found):
                for line in lines:
                    tests[line].append((spent, number))
        for mutant in self._mutants:
            places = {(mutant.file, line) for line in mutant.lines}
            chosen = sorted({test for place in places for test in tests[place]})
            if not chosen and places & self._imported:
                self.results[mutant] = Result.IMPORTED
                continue
            if len(self._running) == self._jobs:
                self._wait()
            if (pid := os.fork()) == 0:
                try:
                    os._exit(attempt(mutant, originals[mutant.file, mutant.function], chosen))
                except BaseException:
                    traceback.print_exc(file=sys.__stderr__)
                    os._exit(BROKEN)
            self._running[pid] = mutant
        while self._running:
            self._wait()
        return True

    def _wait(self) -> None:
        """Wait for the end of one process. A signal ends endless tests."""
        pid, status = os.wait()
        if os.waitstatus_to_exitcode(status) == BROKEN:
            raise RuntimeError('a mutant cannot be tried')
        self.results[self._running.pop(pid)] = Result.KILLED if status else Result.SURVIVED
