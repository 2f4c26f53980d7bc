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
Lookup by name: algorithms, metrics, strength sources, aggregates, and types of ROS messages.

A registry holds the entries of this package and those that entry points of other packages add. An
error of users' code, such as that of a plug-in, is explained in one line: file, line, cause.
"""

from functools import cache
from importlib import import_module
from importlib.metadata import distributions, entry_points
import os
from pathlib import Path
import re
import traceback
from typing import Any, Generic, TypeVar

from leader_election.parameters import did_you_mean

PACKAGE = Path(__file__).resolve().parents[1]
OWN = {PACKAGE}
"""The packages whose code is not a user's. Another distribution of this project adds its own."""
STANDARD = Path(os.__file__).resolve().parent
SHARED = ('site-packages', 'dist-packages')
"""Folders of installed packages: plug-ins, and libraries."""


T = TypeVar('T', bound=Any)
"""The type of entries, which have a name."""


@cache
def installed_entry_points() -> Any:
    """Return the entry points of all installed packages. To read them takes tens of ms."""
    return entry_points()


class Registry(Generic[T]):
    """
    Entries by their names: those of this package and those of users' packages.

    A user adds an entry by calling :meth:`add`, or by an entry point of the registry's group in a
    package of their own. Then the ordinary executables find it without a change here. An entry
    point that cannot be loaded is left out; a request for it raises an error with the reason.

    :param kind: the kind of entries, for error messages.
    :param group: the entry point group, for example ``leader_election.metrics``.
    """

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self.group = group
        self._entries: dict[str, T] = {}
        self._replaceable: set[str] = set()
        self._broken: dict[str, str] = {}
        self._loaded = False

    def add(self, entry: T) -> T:
        """Register an entry and return it. A name taken by another is a ``ValueError``."""
        if self._entries.setdefault(entry.name, entry) is not entry:
            raise ValueError(f'{self.kind} {entry.name!r} is registered already')
        return entry

    def replace(self, entry: T) -> T:
        """
        Register an entry in place of one that this method registered earlier, and return it.

        A name taken by another is a ``ValueError``.
        """
        self._load()
        if entry.name in self._entries and entry.name not in self._replaceable:
            raise ValueError(f'{self.kind} {entry.name!r} is registered already')
        self._replaceable.add(entry.name)
        self._entries[entry.name] = entry
        return entry

    def get(self, name: str) -> T:
        """Return the entry of that name. An unknown one is a ``KeyError`` that lists the known."""
        self._load()
        if name in self._broken:
            raise KeyError(f'{self.kind} {name!r} cannot be loaded: {self._broken[name]}')
        if name not in self._entries:
            raise KeyError(f'unknown {self.kind} {name!r}; {did_you_mean(name, self.names())}'
                           f'known: {", ".join(self.names())}')
        return self._entries[name]

    def names(self) -> tuple[str, ...]:
        """Return all names, sorted."""
        self._load()
        return tuple(sorted(self._entries))

    def broken(self) -> dict[str, str]:
        """Return the errors of entry points that could not be loaded, by their names."""
        self._load()
        return dict(self._broken)

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        for entry_point in installed_entry_points().select(group=self.group):
            try:
                self.add(entry_point.load())
            except Exception as error:  # A user's module may raise anything when it is imported.
                self._broken[entry_point.name] = explained(error)


def message_type(name: str) -> Any:
    """
    Return the class of messages of a type, for example ``std_msgs/msg/Float64``.

    :raises ValueError: for a text other than ``package/msg/Type``.
    :raises ImportError: if there is no such package.
    :raises AttributeError: if it has no such type.
    """
    package, kind, message = name.split('/')
    if kind != 'msg':
        raise ValueError(f'{name!r} is not a package/msg/Type')
    return getattr(import_module(f'{package}.msg'), message)


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
    Return a place in the code as text. The file relative to the present folder if it is inside.

    >>> at('/opt/my_robots/loyal.py', 28)
    '/opt/my_robots/loyal.py, line 28'
    """
    return f'{file.removeprefix(f"{os.getcwd()}/")}, line {line}'


def place_of(error: BaseException) -> str:
    """
    Return the origin of an error as text: the innermost line of the user's code.

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
