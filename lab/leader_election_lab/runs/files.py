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

"""Files that the laboratory writes: paths, checks before their content is computed, errors."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
import os
from pathlib import Path

from leader_election.parameters import files, LeaderElectionError

RESULTS = Path('results')
"""The usual folder of results."""


class ResultError(LeaderElectionError):
    """A file of results that cannot be used. The text is one line for the user."""


def path_of(folder: Path, name: str) -> Path:
    """Return the path of the results of a scenario."""
    return folder / f'{name}.nc'


def check_no_folder(path: Path) -> None:
    """Raise a :class:`ResultError` if the path of results is a folder."""
    if path.is_dir():
        raise ResultError(f'{path} is a folder, where a file is to be; move it away')


def check_writable(out: Path, kinds: Sequence[str]) -> None:
    """
    Check that a file can be written, before its content is computed, and create its folder.

    :param kinds: the allowed suffixes, such as ``.png``.
    :raises ResultError: if it cannot be written.
    """
    if out.suffix not in kinds:
        raise ResultError(f'{out} cannot be written: it takes one of {", ".join(kinds)}')
    if out.is_dir():
        raise ResultError(f'{out} cannot be written: it is a folder; move it away')
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResultError(f'{out} cannot be written: {reason(error)}') from None
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise ResultError(f'{out} cannot be written: it is not allowed')


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """
    Yield the path of a temporary file that replaces ``path`` once it is complete.

    :raises ResultError: if it cannot be written.
    """
    try:
        with files.replacing(path) as temporary:
            yield temporary
    except (OSError, RuntimeError) as error:
        raise ResultError(f'{path} cannot be written ({reason(error)}); make room, or choose '
                          'another folder') from None


def reason(error: Exception) -> str:
    """
    Return the reason of a failed file access, in one line.

    >>> reason(OSError(28, 'No space left on device', 'results/random.nc'))
    'No space left on device'
    """
    return str(getattr(error, 'strerror', None) or error).splitlines()[0]
