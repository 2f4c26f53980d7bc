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

"""A registry of named things: algorithms, metrics, strength sources."""

from importlib.metadata import entry_points
from typing import Generic, Protocol, TypeVar


class Named(Protocol):
    """Anything that carries the name it is chosen by."""

    @property
    def name(self) -> str:
        """Return the name."""


T = TypeVar('T', bound=Named)


class Registry(Generic[T]):
    """
    What can be chosen by a name, ours and what users add.

    A user adds one by calling :meth:`add`, or, so that the ordinary executables find it without
    a line of code of ours changed, by an entry point of the registry's group in the
    user's own package.

    :param kind: what is registered, as error messages call it.
    :param group: the entry point group, for example ``leader_election.metrics``.
    """

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self.group = group
        self._entries: dict[str, T] = {}
        self._loaded = False

    def add(self, entry: T) -> T:
        """Register an entry and return it; a name taken by another is a ``ValueError``."""
        if self._entries.setdefault(entry.name, entry) is not entry:
            raise ValueError(f'{self.kind} {entry.name!r} is registered already')
        return entry

    def get(self, name: str) -> T:
        """Return the entry of that name; an unknown one is a ``KeyError`` that lists the known."""
        self._load()
        if name not in self._entries:
            raise KeyError(f'unknown {self.kind} {name!r}; known: {", ".join(self.names())}')
        return self._entries[name]

    def names(self) -> tuple[str, ...]:
        """Return all names, sorted."""
        self._load()
        return tuple(sorted(self._entries))

    def _load(self) -> None:
        if not self._loaded:
            self._loaded = True
            for entry_point in entry_points(group=self.group):
                self.add(entry_point.load())
