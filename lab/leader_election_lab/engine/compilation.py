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
The compilation of functions by numba, and the cache of compiled code.

Compiled code is cached in ``~/.cache/leader_election`` (or ``$XDG_CACHE_HOME``). The folder there
depends on a digest of all sources of the engine, because numba itself checks only the file that
contains a function. Within it, the code of an algorithm is stored by a digest of the algorithm's
sources: after a change of one algorithm only that one is compiled again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
import fcntl
import gc
from multiprocessing import get_context
import os
from pathlib import Path
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from types import ModuleType
from typing import Any

from leader_election_lab.runs import sources
import numba
from numba import njit

MONTH = 30 * 24 * 3600.0
"""[s]."""


def cache_folder() -> Path:
    """Return the folder of cached code, which is created if necessary."""
    places = [Path(tempfile.gettempdir()) / f'leader_election-{os.getuid()}']
    # A user without an entry in the list of users, as in a container, has no home.
    with suppress(RuntimeError):
        home = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
        places.insert(0, home / 'leader_election')
    for place in places:
        folder = place / f'numba-{numba.__version__}-{sources.digest(sources.ENGINE)}'
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.touch()
        except OSError:
            continue
        # Code in this folder is executed, so it must belong to this user.
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
            _remove_unused(place, 'numba-*')
            _remove_unused(folder, f'{ENTRY_PREFIX}*')
            return folder
    return Path(tempfile.mkdtemp(prefix='leader_election-'))


def _remove_unused(place: Path, pattern: str) -> None:
    """Remove folders with a name pattern that have not been used for a month."""
    for folder in place.glob(pattern):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > MONTH:
                shutil.rmtree(folder)


ENTRY_PREFIX = 'entry-'
"""The prefix of folders with the code of one algorithm or motion."""
CACHE = cache_folder()


@contextmanager
def cached_here() -> Iterator[None]:
    """
    Let functions that are decorated in the block be cached in our folder.

    A function keeps numba's folder of that moment. Those of users have their own.
    """
    config: Any = numba.config
    users, config.CACHE_DIR = config.CACHE_DIR, str(CACHE)
    try:
        yield
    finally:
        config.CACHE_DIR = users


def cached(**options: Any) -> Callable[[Any], Any]:
    """Return a decorator that compiles a function, and keeps its code in our folder."""
    def compiled(function: Any) -> Any:
        with cached_here():
            return njit(cache=True, **options)(function)
    return compiled


_COUNTED: Any = {'error_model': 'numpy', 'nogil': True, '_nrt': True, 'no_cfunc_wrapper': True}
_UNCOUNTED: Any = {**_COUNTED, '_nrt': False}
jit = cached(**_COUNTED)
"""Decorator: compile a function that is called from Python, or rarely."""
lean = cached(**_UNCOUNTED)
"""
Decorator: the same without reference counts, for a function that makes no array.

Counting the references of a network's arrays takes most of the time of a round.
"""
called = cached(**_COUNTED, no_cpython_wrapper=True)
"""Decorator: compile a function that only compiled code calls, without code for other callers."""
_UNCOUNTED.update(forceinline=True, no_cpython_wrapper=True)
inlined = njit(**_UNCOUNTED)
"""Decorator: always inline a function, which makes no array, into its callers."""
uncached = njit(**_COUNTED)
"""Decorator: compile a function whose source files are unknown, so that it cannot be cached."""


def _lock_file(name: str) -> Path:
    return CACHE / f'{name}.lock'


@contextmanager
def compile_lock(name: str) -> Iterator[None]:
    """
    Hold a lock that only one process at a time has, for each name.

    Many processes start their runs at the same time. The first one compiles, and the others find
    its code in the cache. No garbage is collected meanwhile, which takes a tenth of the time.
    """
    with open(_lock_file(name), 'w', encoding='utf-8') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()


def compile_beside(function: Any, call: Callable[[], object]) -> None:
    """
    Let another process make the first call that compiles a function of the engine.

    Meanwhile this process compiles others. When it needs this one it waits for the lock. Nothing
    happens if the function has been compiled before, perhaps by an earlier process.

    :param call: calls the function. What it changes is lost.
    """
    # A fork has one of several threads, and locks that another one holds stay locked.
    if not _lock_file(function.py_func.__name__).exists() and threading.active_count() == 1:
        get_context('fork').Process(target=_call, args=(call,), daemon=True).start()


def _call(call: Callable[[], object]) -> None:
    """Call a function, and end this process."""
    # Ctrl-C is for the parent, which then ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    call()
    # What the parent does at its exit is not for this process.
    os._exit(0)


_CALLABLE: dict[Any, Any] = {}
"""The compiled code of functions that Python calls."""


def call_compiled(function: Any, *arguments: Any) -> Any:
    """
    Call a function of the engine, which one process at a time compiles.

    The types are those of the first call: to look at those of all arrays takes longer than a call.
    """
    if function not in _CALLABLE:
        with compile_lock(function.py_func.__name__):
            _CALLABLE[function] = function.compile(tuple(map(numba.typeof, arguments)))
    return _CALLABLE[function](*arguments)


def generated_module(
    name: str, digest: str, source: str, scope: dict[str, Any],
) -> ModuleType:
    """
    Return a module made of generated source code.

    :param digest: of all sources that determine the compiled code, empty if it is not cached.
    :param scope: the names that the source uses.
    """
    name = re.sub('[^a-zA-Z0-9]+', '_', name)
    made = ModuleType(f'{__name__}.{ENTRY_PREFIX}{name}_{digest or len(sys.modules)}')
    path = f'<{name}>'
    if digest:
        # numba finds cached code by the file of the function, so there has to be a file.
        file = CACHE / f'{ENTRY_PREFIX}{name}-{digest}' / 'entry.py'
        file.parent.mkdir(exist_ok=True)
        if not file.exists():
            half = file.with_suffix(f'.{os.getpid()}-{time.monotonic_ns()}')
            half.write_text(source, encoding='utf-8')
            half.replace(file)
        file.parent.touch()
        path = str(file)
    made.__file__ = path
    vars(made).update(scope)
    # numba looks up the module by name when it loads cached code.
    sys.modules[made.__name__] = made
    exec(compile(source, path, 'exec'), vars(made))
    return made
