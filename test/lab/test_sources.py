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

"""Digests change when their sources change, and only then."""

from collections.abc import Iterator
import importlib.util
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys
from typing import Any

from leader_election.election.algorithms import ALGORITHMS, BOUNDED, CLASSIC
from leader_election.election.coordination.coordinated import round_of
from leader_election.lab import sources
from leader_election.lab.fingerprint import algorithm_modules
from leader_election.lab.motions import LEVY
import pytest


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    """Clear the caches of digests before and after a test."""
    forget()
    yield
    forget()


def forget() -> None:
    """Clear the caches of digests."""
    sources._of_run.cache_clear()
    sources._first_seen.clear()
    sources.of_engine.cache_clear()


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the package's sources; digests are computed from it from now on."""
    copy = tmp_path / 'leader_election'
    shutil.copytree(sources.PACKAGE, copy, ignore=shutil.ignore_patterns('__pycache__'))
    monkeypatch.setattr(sources, 'OURS', sources.Modules({'leader_election': copy}))
    return copy


def files(folder: Path, *texts: str) -> list[Path]:
    made = [folder / f'{number}.py' for number in range(len(texts))]
    for path, text in zip(made, texts):
        path.write_text(text)
    return made


def test_a_digest_is_of_contents(tmp_path: Path) -> None:
    one, two = files(tmp_path, 'a = 1\n', 'b = 2\n')
    before = sources.digest([one, two])
    assert re.fullmatch('[0-9a-f]{16}', before)
    assert before == sources.digest([two, one, one])
    assert before != sources.digest([one])
    two.write_text('b = 3\n')
    assert before != sources.digest([one, two])
    two.write_text('"""Two."""\n# Is three.\nb = (\n    3)\n"""A number."""\n')
    explained = sources.digest([one, two])
    two.write_text('b = 3\n')
    assert explained == sources.digest([one, two])
    two.write_text("b = '3'\n")
    assert explained != sources.digest([one, two])
    # The boundaries of files count.
    assert sources.digest(files(tmp_path, 'ab', 'c')) != sources.digest(files(tmp_path, 'a', 'bc'))


def digests() -> dict[str, str]:
    """Return the digests of runs, of compiled rounds and of the engine."""
    forget()
    others = algorithm_modules()
    return {'bounded': sources.of_run((BOUNDED.round,), others),
            'classic': sources.of_run((CLASSIC.round,), others),
            'levy': sources.of_run((BOUNDED.round, LEVY.step), others),
            'round': sources.of_code(BOUNDED.round),
            'regions': sources.of_code(round_of('bounded')),
            'engine': sources.of_engine()}


@pytest.mark.parametrize(('changed', 'follow'), [
    # An algorithm: its runs and its round.
    ('election/algorithms/bounded.py', {'bounded', 'levy', 'round', 'regions'}),
    ('election/algorithms/classic.py', {'classic'}),
    ('election/algorithms/replicated.py', set()),
    # The length of messages depends on the codec.
    ('election/robot/codec.py', {'bounded', 'classic', 'levy'}),
    ('election/robot/region_codec.py', {'bounded', 'classic', 'levy'}),
    ('lab/simulation.py', {'bounded', 'classic', 'levy'}),
    ('lab/motions/levy.py', {'levy'}),
    # Imported by the module above.
    ('lab/motions/walking.py', {'levy'}),
    ('lab/motions/streets.py', set()),
    ('election/coordination/collection.py', {'bounded', 'classic', 'levy', 'regions'}),
    ('lab/engine/links.py', {'bounded', 'classic', 'levy', 'engine'}),
    # No digest depends on figures, reports, or robots' nodes.
    ('lab/figures/border.py', set()), ('lab/report.py', set()), ('ros/nodes/election.py', set()),
])
def test_the_digests_that_depend_on_a_module(changed: str, follow: set[str], tree: Path) -> None:
    before = digests()
    path = tree / changed
    path.write_text(path.read_text() + 'another = 1\n')
    after = digests()
    assert {name for name in before if before[name] != after[name]} == follow


def imported(folder: Path, name: str) -> Any:
    """Return a module that lies in a folder, as if it were installed."""
    path = folder.joinpath(*name.split('.')).with_suffix('.py')
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


ROUND = 'def round(device, state, neighbours, metric, parameters):\n    return state\n'


def test_the_digest_of_a_users_algorithm_includes_its_package(tmp_path: Path) -> None:
    package = tmp_path / 'theirs'
    for folder in (package, package / 'parts'):
        folder.mkdir()
        (folder / '__init__.py').write_text('')
    (package / 'swarm.py').write_text(
        'from leader_election.election.algorithms.resilient import Follower\n'
        'from .parts import helper\nfrom theirs.parts.more import most\n' + ROUND)
    (package / 'parts' / '__init__.py').write_text('from .deep import helper\n')
    for name in ('deep', 'more', 'other'):
        (package / 'parts' / f'{name}.py').write_text('helper = most = 1\n')
    sys.path.insert(0, str(tmp_path))
    try:
        used = imported(tmp_path, 'theirs.swarm').round
    finally:
        sys.path.remove(str(tmp_path))

    def both() -> tuple[str, str]:
        forget()
        return sources.of_code(used), sources.of_run((used,), algorithm_modules())
    before = both()
    assert before[1] != sources.of_run((BOUNDED.round,), algorithm_modules())
    for name, counts in (('parts/deep', True), ('parts/more', True), ('parts/other', False),
                         ('swarm', True)):
        path = package / f'{name}.py'
        path.write_text(path.read_text() + 'another = 1\n')
        after = both()
        assert [one != other for one, other in zip(before, after)] == [counts] * 2
        before = after
    resilient = sources.OURS.path('leader_election.election.algorithms.resilient')
    assert resilient in sources._sources(used)


def test_the_digest_of_a_single_file_includes_the_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / 'lone.py').write_text('import beside_lone\nimport numpy\n' + ROUND)
    (tmp_path / 'beside_lone.py').write_text('helper = 1\n')
    sys.path.insert(0, str(tmp_path))
    try:
        used = imported(tmp_path, 'lone').round
    finally:
        sys.path.remove(str(tmp_path))
    assert {path.name for path in sources._sources(used)} == {'lone.py', 'beside_lone.py'}


def test_code_that_changed_after_its_import_has_no_digest(tree: Path) -> None:
    chosen, others = (BOUNDED.round,), algorithm_modules()
    before = sources.of_run(chosen, others)
    engine = tree / 'lab' / 'simulation.py'
    time = engine.stat().st_mtime_ns
    engine.write_text(engine.read_text() + 'another = 1\n')
    for digested in (chosen, (BOUNDED.round, LEVY.step)):
        with pytest.raises(sources.ChangedSourceError,
                           match='simulation.py was changed after this process had imported it'):
            sources.of_run(digested, others)
    engine.write_text(engine.read_text().removesuffix('another = 1\n'))
    os.utime(engine, ns=(time, time))
    assert sources.of_run(chosen, others) == before


def test_the_files_of_a_simulation_are_remembered_as_they_are_imported() -> None:
    code = ('from leader_election.lab import api, sources;'
            'print(*(module for module, path in sources.OURS.closure([sources.SIMULATION]).items()'
            ' if path not in sources._first_seen))')
    ran = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True)
    assert (ran.returncode, ran.stdout.split()) == (0, []), ran.stderr


def test_code_in_no_file_has_no_digest() -> None:
    scope: dict[str, Any] = {'__name__': 'nowhere'}
    exec(ROUND, scope)
    assert sources.of_code(scope['round']) == ''


def test_names_that_a_package_imports_come_from_their_own_modules() -> None:
    ours = sources.OURS
    wanted = sources.Import('leader_election.election.algorithms', 'Device', 'Device')
    assert list(ours.origin(wanted)) == ['leader_election.election.algorithms.algorithm']
    # A module of the package, and a name of another package.
    for module, name, origin in (('leader_election.lab', 'engine', ['leader_election.lab.engine']),
                                 ('numpy', 'array', [])):
        assert list(ours.origin(sources.Import(module, name, name))) == origin


def test_imports_for_type_checkers_do_not_count(tmp_path: Path) -> None:
    path, = files(tmp_path, 'from typing import TYPE_CHECKING\n'
                            'if TYPE_CHECKING:\n    import one\nimport two\n')
    read = sources.source_of(path, 'any')
    assert [each.module for each in read.imports] == ['typing', 'two']
    assert {each.module for each in read.names} == {'typing', 'one', 'two'}


def test_all_algorithms_have_a_digest() -> None:
    for name in ALGORITHMS.names():
        assert re.fullmatch('[0-9a-f]{16}', sources.of_code(ALGORITHMS.get(name).round))


NOTEBOOK = """
from typing import NamedTuple
class State(NamedTuple):
    leader: int
LIMIT = 3
def farther(a):
    return a + LIMIT
def own_round(device, state):
    return [farther(x) for x in range(2)], State(1)
"""


def run_in_no_file(text: str) -> str:
    """Return the digest of a run of code that is in no file, as in a notebook."""
    names: dict[str, Any] = {'__name__': 'notebook'}
    exec(compile(text, '<ipython-input-1>', 'exec'), names)
    return sources.of_run((names['own_round'], names['State']))


@pytest.mark.parametrize(('part', 'other'), [
    ('range(2)', 'range(4)'), ('a + LIMIT', 'a - LIMIT'), ('LIMIT = 3', 'LIMIT = 4'),
    ('State(1)', 'State(2)'), ('leader: int', 'leader: float'), ('farther(x)', 'farther(-x)')])
def test_code_in_no_file_is_identified_by_its_byte_code(part: str, other: str) -> None:
    usual = run_in_no_file(NOTEBOOK)
    assert run_in_no_file('\n\n' + NOTEBOOK) == usual
    assert NOTEBOOK.count(part) == 1 and run_in_no_file(NOTEBOOK.replace(part, other)) != usual
