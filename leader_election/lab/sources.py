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

"""What results follow from: a digest of source files."""

from collections.abc import Iterable
from functools import lru_cache
import hashlib
import inspect
from pathlib import Path

from leader_election.algorithms import ALGORITHMS
from leader_election.coordination.aggregate import AGGREGATES
from leader_election.lab.motions import MOTIONS

PACKAGE = Path(__file__).parents[1]
COMPILED = ('algorithms', 'coordination', 'lab/engine', 'lab/motions')
"""What compiled code is made of."""
SIMULATED = ('coordination', 'lab/engine', 'lab/motions', 'lab/topologies', 'lab/events.py',
             'lab/selection.py', 'lab/scenario.py', 'lab/schema.py', 'lab/parser.py',
             'lab/build.py', 'lab/reset.py',
             'lab/regions.py', 'lab/simulate.py', 'lab/simulation.py', 'lab/message_length.py',
             'parameters/strict_yaml.py', 'robot/codec.py', 'world/logs.py')
"""What a run follows from, beside its algorithm."""


@lru_cache
def of_compiled_code() -> str:
    """Return a digest of all that is compiled, what users have registered included."""
    files = [file for place in COMPILED for file in _files(place)]
    files += [_file(ALGORITHMS.get(name).round) for name in ALGORITHMS.names()]
    files += [_file(MOTIONS.get(name).step) for name in MOTIONS.names()]
    return digest(files)


@lru_cache
def of_runs(algorithm: str, aggregate: str = '') -> str:
    """
    Return a digest of all that a run with an algorithm follows from, but its scenario.

    :param aggregate: what its regions collect, if it has any.
    """
    files = [file for place in SIMULATED for file in _files(place)]
    if aggregate:
        files.append(_file(AGGREGATES.get(aggregate).make))
    return digest([*files, *_files('algorithms'), _file(ALGORITHMS.get(algorithm).round)])


def digest(files: Iterable[Path]) -> str:
    """Return a digest of the contents of files, as 16 hexadecimal digits."""
    total = hashlib.sha256()
    for file in sorted(set(files)):
        total.update(hashlib.sha256(file.read_bytes()).digest())
    return total.hexdigest()[:16]


def _files(place: str) -> list[Path]:
    path = PACKAGE / place
    return [path] if path.is_file() else sorted(path.rglob('*.py'))


def _file(function: object) -> Path:
    return Path(inspect.getfile(function))  # type: ignore[arg-type]
