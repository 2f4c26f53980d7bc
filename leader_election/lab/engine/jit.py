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
How functions are compiled.

Compiled code is kept for the next time in ``~/.cache/leader_election`` (or ``$XDG_CACHE_HOME``),
by a digest of all sources that go into it, since numba by itself looks at one file only: a change
of an algorithm would go unnoticed.
"""

from contextlib import suppress
import os
from pathlib import Path
import shutil
import tempfile
import time

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
        folder = place / f'numba-{numba.__version__}-{sources.of_compiled_code()}'
        try:
            folder.mkdir(parents=True, exist_ok=True)
            folder.touch()
        except OSError:
            continue
        # What is read from here is run: it has to be ours.
        if os.access(folder, os.W_OK) and folder.stat().st_uid == os.getuid():
            _forget(place)
            return folder
    return Path(tempfile.mkdtemp(prefix='leader_election-'))


def _forget(place: Path) -> None:
    """Remove what was compiled of older sources, and not used for a month."""
    for folder in place.glob('numba-*'):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > MONTH:
                shutil.rmtree(folder)


setattr(numba.config, 'CACHE_DIR', str(cache_folder()))  # noqa: B010

jit = njit(cache=True, nogil=True, error_model='numpy')
"""Compile a function that is called from Python, or seldom."""
inlined = njit(forceinline=True, error_model='numpy')
"""Compile a function into those that call it."""
