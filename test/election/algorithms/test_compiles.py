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

"""Every round compiles, and then says exactly what it says in plain Python."""

from collections.abc import Callable
from types import FunctionType
from typing import Any

from budget import examples
from election.algorithms.states import states
from hypothesis import given, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import Algorithm, ALGORITHMS, Device
from leader_election.election.algorithms.fields import Field
from leader_election.election.robot.parameters import ElectionParameters
import numpy as np
import pytest

numba = pytest.importorskip('numba', reason='numba is not installed: only a laboratory needs it')

SPARE = 2
"""How many rows more than there are neighbours the columns have."""
KNOWN: set[FunctionType] = set()
# Near each other, so that ties are as frequent as anything else.
IDS = st.integers(0, 5)
WHOLE = st.integers(-2, 18)
REAL = st.integers(-8, 8).map(lambda n: n / 2)


def compiled(function: FunctionType) -> Callable[..., Any]:
    """Return a function compiled, having told numba of the plain functions that it calls."""
    tell(function)
    made: Callable[..., Any] = numba.njit(function)
    return made


def tell(function: FunctionType) -> None:
    for name in function.__code__.co_names:
        named = function.__globals__.get(name)
        if isinstance(named, FunctionType) and named not in KNOWN:
            KNOWN.add(named)
            numba.extending.overload(named, strict=False)(lambda *_, named=named: named)
            tell(named)


COMPILED = {name: compiled(ALGORITHMS.get(name).round) for name in ALGORITHMS.names()}


def array(field: Field, values: Any) -> Any:
    return np.array(values, dtype=np.int64 if field.type is int else np.float64)


def in_laboratory(algorithm: Algorithm, state: Any) -> Any:
    """Return a state as a laboratory has it: vectors are arrays."""
    return algorithm.state(*(
        value if field.padding is None else array(field, value)
        for field, value in zip(algorithm.fields, state)))


def columns(algorithm: Algorithm, said: list[Any], spare: Any) -> Any:
    """Return the columns of what neighbours said, with rows behind them that are nobody's."""
    rows = zip(*said, *[spare] * SPARE)
    return algorithm.columns(*(
        array(field, values) for field, values in zip(algorithm.fields, rows)))


@pytest.mark.parametrize('name', ALGORITHMS.names())
@settings(max_examples=examples(60), deadline=None)
@given(st.data())
def test_compiled_round_equals_the_plain_round(name, data):
    algorithm = ALGORITHMS.get(name)
    any_state = states(algorithm, IDS, WHOLE, REAL)
    device = Device(data.draw(IDS), data.draw(REAL))
    own = data.draw(st.just(algorithm.start(device)) | any_state)
    said = data.draw(st.lists(any_state, max_size=6))
    metric = [data.draw(st.integers(1, 6)) / 2 for _ in said]
    parameters = algorithm.round_parameters(
        {**vars(ElectionParameters(robot_id=0)), 'radius': data.draw(st.integers(0, 16)) / 2})
    expected = algorithm.compute(device, own, said, metric, parameters)
    found = COMPILED[name](
        device, in_laboratory(algorithm, own), columns(algorithm, said, data.draw(any_state)),
        np.array(metric, dtype=np.float64), parameters)
    assert type(found).__name__ == algorithm.state.__name__
    # By their texts, which tell -0.0 from 0.0 and 3 from 3.0.
    assert repr(algorithm.plain(found)) == repr(expected)
