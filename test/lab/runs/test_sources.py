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

import importlib.util
from pathlib import Path
import re
import shutil
import sys
from typing import Any

from leader_election.election.algorithms import ALGORITHMS, BOUNDED
from leader_election.lab.runs import sources
import pytest


def test_a_digest_is_of_contents(tmp_path):
    one, two = tmp_path / '0.py', tmp_path / '1.py'
    one.write_text('a = 1\n')
    two.write_text('b = 2\n')
    before = sources.digest([one, two])
    assert re.fullmatch('[0-9a-f]{16}', before)
    assert before == sources.digest([two, one, one]) == sources.digest([tmp_path])
    assert before != sources.digest([one])
    (tmp_path / 'notes.txt').write_text('no source')
    assert before == sources.digest([tmp_path])
    two.write_text('b = 3\n')
    assert before != sources.digest([one, two])


def test_a_digest_of_the_package_is_of_all_its_sources(tmp_path):
    copy = tmp_path / 'copy'
    shutil.copytree(sources.PACKAGE, copy, ignore=shutil.ignore_patterns('__pycache__'))
    assert sources.of_package() == f'0.1.0, {sources.digest([copy])}'
    changed = copy / 'election' / 'robot' / 'codec.py'
    changed.write_text(changed.read_text() + 'another = 1\n')
    assert sources.of_package() != f'0.1.0, {sources.digest([copy])}'


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


@pytest.mark.parametrize('package', [True, False])
def test_the_digest_of_a_users_algorithm_includes_what_it_may_import(tmp_path, package):
    theirs = tmp_path / 'theirs'
    (theirs / 'parts').mkdir(parents=True)
    helper = theirs / ('parts/helper.py' if package else 'helper.py')
    helper.write_text('helper = 1\n')
    if package:
        (theirs / '__init__.py').write_text('')
    (theirs / 'swarm.py').write_text(ROUND)
    used = imported(tmp_path, 'theirs.swarm').round

    def both() -> tuple[str, str]:
        sources.of_run.cache_clear()
        return sources.of_code(used), sources.of_run((used,))
    before = both()
    assert before[1] != sources.of_run((BOUNDED.round,))
    (tmp_path / 'other.py').write_text('')
    assert both() == before
    helper.write_text('helper = 2\n')
    assert all(one != other for one, other in zip(before, both()))


def test_an_installed_module_by_itself_does_not_depend_on_those_beside_it(tmp_path):
    place = tmp_path / 'site-packages'
    place.mkdir()
    (place / 'lone.py').write_text(ROUND)
    (place / 'other.py').write_text('')
    assert sources._sources(imported(place, 'lone').round) == (place / 'lone.py',)


def test_code_in_no_file_has_no_digest():
    scope: dict[str, Any] = {'__name__': 'nowhere'}
    exec(ROUND, scope)
    assert sources.of_code(scope['round']) == ''


def test_all_algorithms_have_a_digest():
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
def test_code_in_no_file_is_identified_by_its_byte_code(part, other):
    usual = run_in_no_file(NOTEBOOK)
    assert run_in_no_file('\n\n' + NOTEBOOK) == usual
    assert NOTEBOOK.count(part) == 1 and run_in_no_file(NOTEBOOK.replace(part, other)) != usual
