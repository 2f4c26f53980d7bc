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
Digests of the sources that results and compiled code depend on: modules and their imports.

Imports are read from the sources. A name that is imported from a package counts as imported from
the module that defines it. Otherwise all algorithms would depend on each other through the package
that imports them all.
"""

import ast
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
import hashlib
from pathlib import Path
import sys
from types import CodeType, FunctionType
from typing import Any, NamedTuple

PACKAGE = Path(__file__).parents[1]
ENGINE = ('advance', 'entry_points')
"""The modules of the engine that import all its others."""


ATTEMPTS = 10
"""Attempts to parse a source."""
SIMULATION = 'leader_election.lab.simulate'
"""The module with the function that computes a run."""


class Import(NamedTuple):
    """A name that a module imports."""

    module: str
    """The full name of the module that it is imported from."""
    name: str
    """The name in that module; empty: the module itself."""
    known_as: str
    """The name in the module that imports it."""


class Source(NamedTuple):
    """The imports of a source file."""

    imports: tuple[Import, ...]
    """The imports that are executed, in any place of the module."""
    names: tuple[Import, ...]
    """All imports, including those for type checkers only."""


class Modules:
    """
    The modules of some top-level packages, found by their names without importing them.

    :param roots: the folder or file of each top-level package or module, by its name.
    """

    def __init__(self, roots: dict[str, Path]) -> None:
        self.roots = roots
        self._paths: dict[str, Path | None] = {}

    def path(self, module: str) -> Path | None:
        """Return the source file of a module; ``None`` if it is in none of these packages."""
        if module not in self._paths:
            self._paths[module] = self._find(module)
        return self._paths[module]

    def _find(self, module: str) -> Path | None:
        top, *rest = module.split('.')
        if top not in self.roots:
            return None
        path = self.roots[top].joinpath(*rest)
        for candidate in (path, path / '__init__.py', path.with_name(f'{path.name}.py')):
            if candidate.is_file():
                return candidate
        return None

    def imported(self, module: str) -> Iterator[str]:
        """Yield the modules of these packages that a module imports from."""
        path = self.path(module)
        if path is not None:
            for each in source_of(path, module).imports:
                yield from self.origin(each)

    def origin(self, wanted: Import) -> Iterator[str]:
        """Yield the module that an imported name comes from, looking through packages."""
        path = self.path(wanted.module)
        if path is None:
            return
        if wanted.name and self.path(f'{wanted.module}.{wanted.name}') is not None:
            yield f'{wanted.module}.{wanted.name}'
            return
        if wanted.name and path.name == '__init__.py':
            for each in source_of(path, wanted.module).names:
                if each.known_as == wanted.name:
                    yield from self.origin(each)
                    return
        yield wanted.module

    def closure(self, starts: Iterable[str], but: Container[str] = ()) -> dict[str, Path]:
        """Return the files of modules and of all their direct and indirect imports, by name."""
        found: dict[str, Path] = {}
        ahead = list(starts)
        while ahead:
            module = ahead.pop()
            path = self.path(module)
            if path is not None and module not in found and module not in but:
                found[module] = path
                ahead.extend(self.imported(module))
        return found


OURS = Modules({'leader_election': PACKAGE})


@lru_cache
def of_engine() -> str:
    """Return a digest of the sources of the engine, which is compiled once for all algorithms."""
    return digest(OURS.closure(
        f'leader_election.lab.engine.{module}' for module in ENGINE).values())


def of_code(*pieces: Any) -> str:
    """
    Return a digest of the sources that functions and classes depend on.

    :return: empty if one of them is in no file, so that its source is not known.
    """
    paths: set[Path] = set()
    for piece in _with_inner(pieces):
        found = _sources(piece)
        if not found:
            return ''
        paths |= found
    return digest(paths)


class ChangedSourceError(RuntimeError):
    """A source file that changed after this process had imported it."""


_first_seen: dict[Path, tuple[int, int]] = {}
"""Time and size of source files when this process imported them, or digested them first."""


def _version(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_mtime_ns, status.st_size


def remember_imported() -> None:
    """Store the versions of the files of this package's modules that are imported so far."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, '__file__', None)
        if name.partition('.')[0] in OURS.roots and file and file.endswith('.py'):
            _first_seen.setdefault(Path(file), _version(Path(file)))


def of_run(chosen: tuple[Any, ...], selectable: frozenset[str] = frozenset()) -> str:
    """
    Return a digest of all code that a run depends on.

    :param chosen: the functions and classes that the scenario chooses by name: the round of an
        algorithm, the step of a motion...
    :param selectable: modules that count only if chosen, even if other modules import a constant
        from them to check a setting: those of the algorithms.
    :raises ChangedSourceError: if a file changed after its import. The digest would be that of
        the new code, and the run that of the old one.
    """
    total, paths = _of_run(chosen, selectable)
    for path in paths:
        version = _version(path)
        if _first_seen.setdefault(path, version) != version:
            raise ChangedSourceError(
                f'{path} was changed after this process had imported it; start again: the '
                'command, the kernel of the notebook, or the worker of the cluster')
    return total


@lru_cache(maxsize=256)
def _of_run(chosen: tuple[Any, ...], selectable: frozenset[str]) -> tuple[str, tuple[Path, ...]]:
    paths = set(OURS.closure([SIMULATION], but=selectable).values())
    pieces = list(_with_inner(chosen))
    paths = paths.union(*map(_sources, pieces))
    total = digest(paths)
    texts = [text for piece in pieces if not _sources(piece) for text in _texts(piece, set())]
    if texts:
        # Code in no file, such as that of a notebook, is identified by its byte code.
        total = hashlib.sha256(repr((total, sorted(set(texts)))).encode()).hexdigest()[:16]
    return total, tuple(sorted(paths))


def _texts(piece: Any, known: set[int]) -> Iterator[str]:
    """Yield texts that identify code in no file, and the code that it refers to."""
    if id(piece) in known:
        return
    known.add(id(piece))
    if isinstance(piece, FunctionType):
        codes = list(_codes(piece.__code__))
        yield repr([(code.co_code, code.co_names, code.co_varnames, [
            each for each in code.co_consts if not isinstance(each, CodeType)])
            for code in codes])
        yield repr((piece.__defaults__, piece.__kwdefaults__))
        for name in dict.fromkeys(name for code in codes for name in code.co_names):
            value = piece.__globals__.get(name)
            if isinstance(value, (FunctionType, type)):
                if not _sources(value):
                    yield from _texts(value, known)
            elif isinstance(value, (bool, int, float, str, tuple)):
                yield f'{name} = {value!r}'
    elif isinstance(piece, type):
        fields = {name: getattr(kind, '__name__', str(kind))
                  for name, kind in getattr(piece, '__annotations__', {}).items()}
        yield repr((piece.__qualname__, fields, getattr(piece, '_field_defaults', {})))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield compiled code and all code within, such as that of comprehensions."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def digest(files: Iterable[Path]) -> str:
    """
    Return a digest of the contents of files, as 16 hexadecimal digits.

    Of Python sources without comments, docstrings and layout, since they change no result. Syntax
    trees differ between versions of Python, so the digest does too.
    """
    total = hashlib.sha256()
    for file in sorted(set(files)):
        status = file.stat()
        total.update(_digest_of_file(file, status.st_mtime_ns, status.st_size))
    return total.hexdigest()[:16]


def _parse(content: bytes) -> ast.Module:
    """
    Return the syntax tree of a source.

    Python 3.11 may raise ``SystemError`` if another thread parses at the same time, as it does to
    print a traceback (python/cpython issue 106905).
    """
    for _ in range(ATTEMPTS):
        with suppress(SystemError):
            return ast.parse(content)
    return ast.parse(content)


@cache
def _digest_of_file(path: Path, time: int, size: int) -> bytes:
    content = path.read_bytes()
    if path.suffix == '.py':
        tree = _parse(content)
        for node in ast.walk(tree):
            body = getattr(node, 'body', None)
            if isinstance(body, list):
                # A string that is a statement is a docstring, also those of fields.
                node.body = [  # type: ignore[attr-defined]
                    statement for statement in body if not (
                        isinstance(statement, ast.Expr)
                        and isinstance(statement.value, ast.Constant)
                        and isinstance(statement.value.value, str))]
        content = ast.dump(tree).encode()
    return hashlib.sha256(content).digest()


def _with_inner(pieces: Iterable[Any]) -> Iterator[Any]:
    """Yield functions and those in their closures, as the election in a round with regions."""
    for piece in pieces:
        yield piece
        yield from _with_inner(
            cell.cell_contents for cell in getattr(piece, '__closure__', None) or ()
            if isinstance(cell.cell_contents, (FunctionType, type)))


def _sources(piece: Any) -> set[Path]:
    """Return the files that a function or class depends on; empty if it is in no file."""
    module = piece.__module__
    if module in sys.modules and not isinstance(piece, FunctionType):
        file = Path(getattr(sys.modules[module], '__file__', None) or '')
    else:
        file = Path(getattr(getattr(piece, '__code__', None), 'co_filename', ''))
    if not file.is_file():
        return set()
    return set(_modules_around(module, file.resolve()).closure([module]).values())


def _modules_around(module: str, file: Path) -> 'Modules':
    """Return the modules that a module may depend on: this package's, and its own package's."""
    top, *rest = module.split('.')
    if top in OURS.roots:
        return OURS
    place = file.parent if file.name == '__init__.py' else file.with_suffix('')
    if rest and list(place.parts[-len(rest):]) == rest:
        return Modules({**OURS.roots, top: place.parents[len(rest) - 1]})
    if file.name == '__init__.py':
        return Modules({**OURS.roots, module: place})
    # A file by itself may import the files beside it.
    beside = {path.stem: path for path in file.parent.glob('*.py')}
    return Modules({**beside, **OURS.roots, module: file})


def source_of(path: Path, module: str) -> Source:
    """Return the imports of the source file of a module."""
    status = path.stat()
    return _read(path, module, status.st_mtime_ns, status.st_size)


@cache
def _read(path: Path, module: str, time: int, size: int) -> Source:
    tree = _parse(path.read_bytes())
    package = module if path.name == '__init__.py' else module.rpartition('.')[0]
    unseen = {id(inner) for node in ast.walk(tree)
              if isinstance(node, ast.If) and 'TYPE_CHECKING' in ast.dump(node.test)
              for statement in node.body for inner in ast.walk(statement)}
    imports, names = [], []
    for node in ast.walk(tree):
        found = list(_imports(node, package))
        names += found
        if id(node) not in unseen:
            imports += found
    return Source(tuple(imports), tuple(names))


def _imports(node: ast.AST, package: str) -> Iterator[Import]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield Import(alias.name, '', alias.asname or alias.name)
    elif isinstance(node, ast.ImportFrom):
        base = package.split('.')[:len(package.split('.')) + 1 - node.level] if node.level else []
        where = '.'.join([*base, *([node.module] if node.module else [])])
        for alias in node.names:
            yield Import(where, alias.name, alias.asname or alias.name)
