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
How functions are compiled, and where compiled code is kept.

It is kept for the next time in ``~/.cache/leader_election`` (or ``$XDG_CACHE_HOME``), in a folder
of the engine's own sources: numba by itself looks at one file only. What is compiled for an
algorithm is kept in there by a digest of the algorithm's sources, so that a change of one leaves
the engine, and all other algorithms, as they are.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
import fcntl
import os
from pathlib import Path
import re
import shutil
import sys
import tempfile
import time
from types import ModuleType
from typing import Any

from leader_election.lab import sources
import numba
from numba import njit

MONTH = 30 * 24 * 3600.0
"""[s]."""


def cache_folder() -> Path:
    """Return where compiled code is kept, which is made if it is not there."""
    home = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
    fallback = Path(tempfile.gettempdir()) / f'leader_election-{os.getuid()}'
    for place in (home / 'leader_election', fallback):
        folder = place / f'numba-{numba.__version__}-{sources.of_engine()}'
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.touch()
        except OSError:
            continue
        # What is read from here is run: it has to be ours.
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
            _forget(place, 'numba-*')
            _forget(folder, f'{ENTRIES}*')
            return folder
    return Path(tempfile.mkdtemp(prefix='leader_election-'))


def _forget(place: Path, pattern: str) -> None:
    """Remove what was compiled of older sources, and not used for a month."""
    for folder in place.glob(pattern):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > MONTH:
                shutil.rmtree(folder)


ENTRIES = 'entry-'
"""How folders of what is compiled for one algorithm or motion begin."""
CACHE = cache_folder()
setattr(numba.config, 'CACHE_DIR', str(CACHE))  # noqa: B010

jit = njit(cache=True, nogil=True, error_model='numpy')
"""Compile a function that is called from Python, or seldom."""
inlined = njit(forceinline=True, error_model='numpy')
"""Compile a function into those that call it."""
uncached = njit(nogil=True, error_model='numpy')
"""Compile a function of which it is not known what it is made of."""


@contextmanager
def alone(name: str) -> Iterator[None]:
    """
    Let one process at a time compile what has this name.

    Those that wait then find what the first one has kept: many runs begin at once, in processes
    of their own, and the same code would be compiled in each of them.
    """
    with open(CACHE / f'{name}.lock', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def call(function: Any, *arguments: Any) -> Any:
    """Call a compiled function; what is not compiled yet is compiled by one process at a time."""
    if not function.overloads:
        with alone(function.py_func.__name__):
            function.compile(tuple(map(numba.typeof, arguments)))
    return function(*arguments)


def module(name: str, digest: str, text: str, scope: dict[str, Any]) -> ModuleType:
    """
    Return a module that is made out of a generated source, kept in a file if it has a digest.

    :param digest: of all that compiled code follows from; empty: it is not kept.
    :param scope: the names that the source uses.
    """
    name = re.sub('[^a-zA-Z0-9]+', '_', name)
    made = ModuleType(f'{__name__}.{ENTRIES}{name}_{digest or len(sys.modules)}')
    path = f'<{name}>'
    if digest:
        # numba finds what it has kept by the file that a function is from, and its contents.
        file = CACHE / f'{ENTRIES}{name}-{digest}' / 'entry.py'
        file.parent.mkdir(exist_ok=True)
        if not file.exists():
            half = file.with_suffix(f'.{os.getpid()}-{time.monotonic_ns()}')
            half.write_text(text)
            half.replace(file)
        file.parent.touch()
        path = str(file)
    made.__file__ = path
    vars(made).update(scope)
    # When it reads what it has kept, it looks for the module by its name.
    sys.modules[made.__name__] = made
    exec(compile(text, path, 'exec'), vars(made))
    return made
