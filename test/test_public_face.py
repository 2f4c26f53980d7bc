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

"""The names that other packages import: all there, listed once, and light."""

import subprocess
import sys

import leader_election
import pytest

PUBLIC = {
    'ADD', 'AGGREGATES', 'ALGORITHMS', 'Aggregate', 'AggregateSet', 'Algorithm', 'Codec',
    'Count', 'Device', 'Hops', 'Id', 'Kept', 'LEAST', 'METRICS', 'Member', 'Message', 'Metric',
    'NoParameters', 'OWN', 'ParameterError', 'RANKED', 'RangingInput', 'ReadingInput',
    'ReceivedReading', 'RobotKnowledge', 'STRENGTH_SOURCES', 'StrengthSource', 'Task', 'Ticks',
    'Unbounded', '__version__', 'all_of', 'any_of', 'build', 'combine', 'count', 'greatest',
    'histogram', 'least', 'mean', 'parameter', 'top', 'total', 'union'}
"""A name that leaves this list breaks users' packages: the version has to say so."""
HEAVY = ('rclpy', 'numba', 'matplotlib', 'shapely', 'xarray', 'scipy')


def test_public_names_are_the_documented_list() -> None:
    assert set(leader_election.__all__) == PUBLIC == set(dir(leader_election))


@pytest.mark.parametrize('name', sorted(PUBLIC))
def test_public_names_exist(name: str) -> None:
    assert getattr(leader_election, name) is not None


def test_unknown_name_raises() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Robot'"):
        getattr(leader_election, 'Robot')  # noqa: B009


@pytest.mark.parametrize('line, loaded', [
    ('import leader_election', ('numpy', 'leader_election.parameters', *HEAVY)),
    ('from leader_election import *', HEAVY)])
def test_import_loads_no_heavy_module(line: str, loaded: tuple[str, ...]) -> None:
    code = f'import sys\n{line}\nprint([m for m in {loaded!r} if m in sys.modules])'
    ran = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ('[]\n', '')
