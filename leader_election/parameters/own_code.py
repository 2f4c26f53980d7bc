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

"""Errors of users' code, such as that of a plug-in, as one line: file, line, cause."""

from importlib.metadata import distributions
import os
from pathlib import Path
import re
import traceback

from leader_election.parameters.values import did_you_mean

PACKAGE = Path(__file__).resolve().parents[1]
OWN = {PACKAGE}
"""The packages whose code is not a user's; another distribution of this project adds its own."""
STANDARD = Path(os.__file__).resolve().parent
SHARED = ('site-packages', 'dist-packages')
"""Folders of installed packages: plug-ins, and libraries."""


def is_own(file: str) -> bool:
    """Return whether a file is a user's: neither of this project, of Python, nor of a library."""
    path = Path(file).resolve()
    if re.match('<(?!ipython)', file) or any(map(path.is_relative_to, OWN)):
        return False
    for folder in SHARED:
        if folder in path.parts:
            top = path.parts[path.parts.index(folder) + 1].removesuffix('.py')
            return any(top == each.module.split('.')[0] for one in distributions()
                       for each in one.entry_points
                       if each.group.startswith(f'{PACKAGE.name}.'))
    return not path.is_relative_to(STANDARD)


def at(file: str, line: int) -> str:
    """
    Return a place in the code as text; the file relative to the present folder if it is inside.

    >>> at('/opt/my_robots/loyal.py', 28)
    '/opt/my_robots/loyal.py, line 28'
    """
    path = Path(file)
    return f'{path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else file}, ' \
           f'line {line}'


def place_of(error: BaseException) -> str:
    """
    Return where an error comes from, as text: the innermost line of the user's code.

    Of a library that this code calls, the line of the call counts.

    :return: empty if no code of a user takes part.
    """
    if isinstance(error, SyntaxError) and error.filename and is_own(error.filename):
        return at(error.filename, error.lineno or 1)
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if is_own(frame.filename)]
    return at(own[-1].filename, own[-1].lineno or 1) if own else ''


def explained(error: BaseException) -> str:
    """Return an error as one line: where in the user's code it arose, if it did, and its cause."""
    place = place_of(error)
    lines = [f'SyntaxError: {error.msg}'] if isinstance(error, SyntaxError) else \
        traceback.TracebackException.from_exception(error).format_exception_only()
    text = ' '.join(' '.join(lines).partition('Did you mean')[0].split()).removesuffix('.')
    if isinstance(error, AttributeError) and (near := did_you_mean(error.name, dir(error.obj))):
        text += f'; {near.rstrip()}'
    return f'{place}: {text}' if place else text
