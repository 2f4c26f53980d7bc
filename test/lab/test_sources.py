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

"""Digests change when what they are of changes."""

from collections.abc import Iterator
import importlib.util
from pathlib import Path
import re
from typing import Any

from leader_election.algorithms import Algorithm, ALGORITHMS, BOUNDED
from leader_election.lab import sources
from leader_election.registry import Registry
import pytest


@pytest.fixture(autouse=True)
def afresh() -> Iterator[None]:
    """Let digests be computed anew, before and after."""
    for function in (sources.of_compiled_code, sources.of_runs):
        function.cache_clear()
    yield
    for function in (sources.of_compiled_code, sources.of_runs):
        function.cache_clear()


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
    # Not of where one file ends and the next begins alone.
    assert sources.digest(files(tmp_path, 'ab', 'c')) != sources.digest(files(tmp_path, 'a', 'bc'))


def test_all_that_is_named_is_there() -> None:
    for place in (*sources.COMPILED, *sources.SIMULATED):
        assert sources._files(place) != [] and all(f.is_file() for f in sources._files(place))


def rounds_in(path: Path) -> Any:
    """Return a plain function that is defined in a file of its own."""
    path.write_text('def their_round(device, state, neighbours, metric, parameters):\n'
                    '    return state\n')
    spec = importlib.util.spec_from_file_location('theirs', path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.their_round


def test_a_users_algorithm_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / 'theirs.py'
    registry: Registry[Algorithm] = Registry('algorithm', 'nobody.has_this_group')
    registry.add(BOUNDED)
    registry.add(Algorithm('theirs', rounds_in(path), BOUNDED.state, BOUNDED.columns,
                           BOUNDED.start, BOUNDED.configure))
    ours = sources.of_compiled_code(), sources.of_runs('bounded')
    sources.of_compiled_code.cache_clear()
    monkeypatch.setattr(sources, 'ALGORITHMS', registry)
    before = sources.of_compiled_code(), sources.of_runs('theirs')
    assert before[0] != ours[0] and before[1] != ours[1]
    path.write_text(path.read_text() + '# Another thought.\n')
    sources.of_compiled_code.cache_clear()
    sources.of_runs.cache_clear()
    assert sources.of_compiled_code() != before[0] and sources.of_runs('theirs') != before[1]
    # Runs of other algorithms are what they were.
    assert sources.of_runs('bounded') == ours[1]


def test_all_algorithms_have_a_digest() -> None:
    for name in ALGORITHMS.names():
        assert re.fullmatch('[0-9a-f]{16}', sources.of_runs(name))
