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

"""The engine calls the robots' own rounds: the very objects."""

from dataclasses import replace
from inspect import getclosurevars
from typing import NamedTuple

from leader_election.algorithms import ALGORITHMS, BOUNDED, Device
from leader_election.lab.build import columns_of
from leader_election.lab.engine import advance, compiled, use
from leader_election.robot.parameters import ElectionParameters
from numba import njit
from numba.core.registry import cpu_target
import numpy as np
import pytest

run_round = compiled.run_round


@njit
def call(device, state, neighbours, metric, parameters):  # type: ignore[no-untyped-def]
    """Call a round as the engine does."""
    return run_round(device, state, neighbours, metric, parameters)


def compiled_rounds() -> set[object]:
    """Return the plain functions that numba has compiled so far in the place of a round."""
    template, = cpu_target.typing_context.resolve_value_type(BOUNDED.round).templates
    return {dispatcher.py_func for dispatcher, _ in template._impl_cache.values()}


def test_the_loop_calls_what_is_looked_at_here() -> None:
    assert advance.py_func.__globals__['run_round'] is run_round


def test_the_round_that_is_compiled_is_the_robots() -> None:
    # The cheapest to compile stands for all: which one follows from the type of the parameters.
    parameters = BOUNDED.configure(5.0, 'id')
    use(BOUNDED, parameters)
    device = Device(1, 2.0)
    columns = columns_of(BOUNDED, 3)
    columns.value[:], columns.leader[:] = -9.0, 7
    found = call(device, BOUNDED.start(device), columns, np.array([4.0]), parameters)
    assert found == BOUNDED.state(value=-9.0, distance=4.0, leader=7)
    assert BOUNDED.round in compiled_rounds()


@pytest.mark.parametrize('name', ALGORITHMS.names())
def test_parameters_tell_the_round(name: str) -> None:
    algorithm = ALGORITHMS.get(name)
    parameters = algorithm.round_parameters(vars(ElectionParameters(robot_id=0)))
    use(algorithm, parameters)

    class Kind:
        instance_class = type(parameters)
    called = compiled._run_round(None, None, None, None, Kind)
    assert getclosurevars(called).nonlocals['own_round'] is algorithm.round


def test_two_rounds_with_one_type_of_parameters_are_refused() -> None:
    class Radius(NamedTuple):
        radius: float

    def another_round(device, state, neighbours, metric, parameters):  # type: ignore
        return state

    one = replace(BOUNDED, name='one', configure=Radius)
    use(one, Radius(1.0))
    use(one, Radius(2.0))
    # Algorithms may share a round: regions whose summaries are of different sizes do.
    use(replace(one, name='same round'), Radius(1.0))
    two = replace(one, name='two', round=another_round)
    with pytest.raises(ValueError, match='algorithms one and two have the same type .* Radius'):
        use(two, Radius(1.0))
