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
Skip test files that import missing packages, such as the laboratory's, and report them.

Under a sourced ROS 2 only the packages of package.xml are installed. A file that imports another
one would end the whole run with an error of collection.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from functools import cache
import gc
from importlib.util import find_spec
from pathlib import Path
import sys
from typing import Any

from budget import examples
from hypothesis import HealthCheck, settings
import pytest

# The time of an example, and of drawing it, depends on the load of the machine, and networks are
# large.
settings.register_profile('untimed', deadline=None, max_examples=examples(30),
                          suppress_health_check=[
                              HealthCheck.too_slow, HealthCheck.data_too_large,
                              HealthCheck.large_base_example, HealthCheck.filter_too_much])
settings.load_profile('untimed')

ROOT = Path(__file__).resolve().parent
FOLDERS = tuple(ROOT / folder for folder in ('', 'lab', 'doc', 'test', 'lab/test'))
"""The folders with modules of the checkout: pythonpath in pyproject.toml."""


@cache
def imports(file: Path) -> frozenset[str]:
    """Return the names of the modules that a file imports at its own import."""
    found: set[str] = set()
    for node in ast.parse(file.read_text(encoding='utf-8')).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f'{node.module}.{alias.name}' for alias in node.names}
    return frozenset(found)


@cache
def own(name: str) -> tuple[Path, ...]:
    """Return the files of the checkout run by the import of a module; none for other packages."""
    parts = name.split('.')
    for folder in FOLDERS:
        files = [path for n in range(1, len(parts) + 1)
                 for path in (folder.joinpath(*parts[:n], '__init__.py'),
                              folder.joinpath(*parts[:n]).with_suffix('.py')) if path.is_file()]
        if files:
            return tuple(files)
    return ()


@cache
def is_there(name: str) -> bool:
    """Return whether a module of another package is installed; our folders do not count."""
    if name in sys.stdlib_module_names:
        return True
    spec = find_spec(name)
    return spec is not None and spec.origin is not None


@cache
def direct(file: Path) -> tuple[frozenset[Path], frozenset[str]]:
    """Return the files of the checkout that a file imports, and the missing modules."""
    files: set[Path] = set()
    lacking: set[str] = set()
    for name in imports(file):
        found = own(name)
        files.update(found)
        if not found and not is_there(name.partition('.')[0]):
            lacking.add(name.partition('.')[0])
    return frozenset(files - {file}), frozenset(lacking)


def missing(file: Path) -> frozenset[str]:
    """Return the missing modules that a file imports, directly or indirectly."""
    found: set[str] = set()
    seen, waiting = {file}, [file]
    while waiting:
        files, lacking = direct(waiting.pop())
        waiting += files - seen
        seen |= files
        found |= lacking
    return frozenset(found)


_passed_over: dict[str, list[str]] = {}
"""The missing modules of each skipped file."""


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """
    Collect tests without garbage collection, as there is no garbage but ever more to search.

    What there is then is excluded from it, and from the search for nodes after a test.
    """
    gc.disable()
    yield
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture
def real_logs() -> str:
    """Return the folder with the logs of five real robots; the test is skipped without it."""
    from benchmarks import real_logs
    from leader_election.parameters import ParameterError
    try:
        return real_logs.real_logs()
    except ParameterError as error:
        pytest.skip(str(error))


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Skip a file that cannot be imported here."""
    if collection_path.suffix != '.py' or not (lacking := missing(collection_path)):
        return None
    _passed_over[collection_path.relative_to(ROOT).as_posix()] = sorted(lacking)
    return True


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the skipped files to the controller of pytest-xdist, which collects no tests."""
    if hasattr(session.config, 'workeroutput'):
        session.config.workeroutput['passed_over'] = _passed_over


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Receive the skipped files of a worker process."""
    _passed_over.update(getattr(node, 'workeroutput', {}).get('passed_over', {}))


def summary(passed_over: dict[str, list[str]]) -> str:
    """
    Return the line that lists the skipped files, with the reason.

    >>> summary({'lab/test/test_a.py': ['numba'], 'lab/test/test_b.py': ['mcap', 'numba']})
    'not tested, since mcap, numba are not installed: 2 files of lab/test'
    """
    modules = sorted({module for lacking in passed_over.values() for module in lacking})
    places = Counter('/'.join(file.split('/')[:-1][:2]) for file in passed_over)
    return (f'not tested, since {", ".join(modules)} {"is" if len(modules) == 1 else "are"} not '
            'installed: ' + ', '.join(f'{count} file{"s" * (count > 1)} of {place}'
                                      for place, count in sorted(places.items())))


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Report the skipped files, also after a successful run."""
    if _passed_over:
        terminalreporter.write_line(summary(_passed_over), yellow=True)
