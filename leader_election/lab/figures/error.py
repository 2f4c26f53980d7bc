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

"""What cannot be drawn, and where no figure can be."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
import os
from pathlib import Path

from leader_election.lab.results import reason, ResultError


class FigureError(ResultError):
    """A figure that there is not, or that cannot be made; the text is one line for people."""


def check_place(out: Path, kinds: Sequence[str]) -> None:
    """
    Check that a file can be made, before what is to be in it is computed; its folder is made.

    :param kinds: the endings that it may have, such as ``.png``.
    :raises FigureError: where it cannot.
    """
    if out.suffix not in kinds:
        raise FigureError(f'{out} cannot be written: it takes one of {", ".join(kinds)}')
    if out.is_dir():
        raise FigureError(f'{out} cannot be written: it is a folder; move it away')
    with written(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(out if out.exists() else out.parent, os.W_OK):
        raise FigureError(f'{out} cannot be written: it is not allowed')


@contextmanager
def written(out: Path) -> Iterator[None]:
    """Turn what goes wrong with writing a file into a :class:`FigureError`."""
    try:
        yield
    except OSError as error:
        raise FigureError(f'{out} cannot be written: {reason(error)}') from None
