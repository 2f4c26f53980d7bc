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

"""Digests of the sources that results and compiled code depend on."""

import ast
from collections.abc import Iterable, Iterator
from functools import cache
import hashlib
from pathlib import Path
import sys
from types import CodeType, FunctionType
from typing import Any

import leader_election

PACKAGE = Path(leader_election.__file__).resolve().parent
LABORATORY = Path(__file__).resolve().parents[1]
OWN = (PACKAGE, LABORATORY)
ENGINE = (
    *(LABORATORY / part for part in ('engine', 'states.py')),
    *(PACKAGE / part for part in ('election/regions', *(
        f'election/algorithms/{name}.py' for name in ('algorithm', 'chance', 'fields')))))
"""The sources of the engine, which is compiled once for all algorithms."""
COMMON = tuple(PACKAGE / part for part in (
    'election/algorithms', 'election/regions', 'parameters'))
"""Packages that an algorithm or a motion of any place may import from."""
SHARED = ('site-packages', 'dist-packages')
"""Folders of installed modules that have nothing to do with each other."""


def is_own(path: Path) -> bool:
    """Return whether a file belongs to leader_election or to the laboratory."""
    return any(path.is_relative_to(folder) for folder in OWN)


def digest(paths: Iterable[Path]) -> str:
    """
    Return a digest of the contents of files, as 16 hexadecimal digits.

    :param paths: of files, and of folders: all Python sources in these.
    """
    total = hashlib.sha256()
    for path in sorted(set(paths)):
        for file in sorted(path.rglob('*.py')) if path.is_dir() else [path]:
            content = hashlib.sha256(file.read_bytes()).hexdigest()
            total.update(f'{file.name} {content}\n'.encode())
    return total.hexdigest()[:16]


@cache
def of_package() -> str:
    """
    Return the version of leader_election with a digest of its sources and the laboratory's.

    It is computed once, at the latest when the simulation is imported, so it is that of the code
    in memory.
    """
    # Each by itself: which path comes first depends on where they are installed.
    both = ' '.join(digest([folder]) for folder in OWN)
    return f'{leader_election.__version__}, {hashlib.sha256(both.encode()).hexdigest()[:16]}'


def of_code(*pieces: Any) -> str:
    """
    Return a digest of the sources that functions and classes depend on.

    :return: empty if one of them is in no file, so that its source is not known.
    """
    paths = [sources_of(piece) for piece in _with_inner(pieces)]
    return digest(sum(paths, COMMON)) if all(paths) else ''


@cache
def of_run(chosen: tuple[Any, ...]) -> str:
    """
    Return a digest of all code that a run depends on.

    :param chosen: the functions and classes that the scenario chooses by name: the round of an
        algorithm, the step of a motion and others, also of other packages or of a notebook.
    """
    pieces = list(_with_inner(chosen))
    theirs = {(path, piece.__qualname__) for piece in pieces for path in sources_of(piece)
              if not is_own(path)}
    # Code in no file, such as that of a notebook, is identified by its byte code.
    texts = {text for piece in pieces if not sources_of(piece) for text in _texts(piece, set())}
    return hashlib.sha256(
        repr((of_package(), digest(path for path, _ in theirs), sorted(texts),
              sorted({name for _, name in theirs}))).encode()).hexdigest()[:16]


def _with_inner(pieces: Iterable[Any]) -> Iterator[Any]:
    """Yield functions and those in their closures, as the election in a round with regions."""
    for piece in pieces:
        yield piece
        yield from _with_inner(
            cell.cell_contents for cell in getattr(piece, '__closure__', None) or ()
            if isinstance(cell.cell_contents, (FunctionType, type)))


def sources_of(piece: Any) -> tuple[Path, ...]:
    """
    Return the folders or files with all sources that a function or class depends on.

    :return: in leader_election and the laboratory, the folder of its module. Elsewhere its file,
        and those of its package, or beside a module without one, that this imports, directly or
        indirectly. Code in no file has none.
    """
    code = getattr(piece, '__code__', None)
    file = Path(code.co_filename if code is not None else getattr(
        sys.modules.get(piece.__module__), '__file__', None) or '')
    if not file.is_file():
        return ()
    file = file.resolve()
    if is_own(file):
        return (file.parent,)
    top = file
    while (top.parent / '__init__.py').is_file():
        top = top.parent
    if top == file and top.parent.name in SHARED:
        return (file,)
    found: set[Path] = set()
    waiting = [file]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += (each for each in _imported(path, top.parent)
                        if top == file or each.is_relative_to(top))
    return tuple(sorted(found))


def _imported(path: Path, root: Path) -> Iterator[Path]:
    """Yield the files below a folder that a file imports, with those of all packages around."""
    package = path.parent.relative_to(root).parts
    names: list[tuple[str, ...]] = [(*package, '__init__')]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names += (tuple(alias.name.split('.')) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[:len(package) + 1 - node.level] if node.level else ()
            base += tuple((node.module or '').split('.')) if node.module else ()
            names += ((*base, alias.name) for alias in node.names)
    for name in names:
        for n in range(1, len(name) + 1):
            place = root.joinpath(*name[:n])
            yield from filter(Path.is_file, (place.parent / f'{place.name}.py',
                                             place / '__init__.py'))


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
                if not sources_of(value):
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
