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

"""Mistakes in a user's algorithm are named in one line, by their place and cause."""

from dataclasses import replace
import math
from typing import Any, NamedTuple

from leader_election.election.algorithms import ALGORITHMS
from leader_election.parameters.registry import explained
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.parser import ScenarioError
from leader_election_lab.simulation.algorithm_mistakes import of_numba
from leader_election_lab.simulation.run import simulate
from numba import njit
from numba.core.errors import UnsupportedBytecodeError
import pytest
from simulations import of_own, own_algorithm, State


def misspelled(device, state, neighbours, metric, parameters):
    """Read a field that there is not."""
    far = 0.0
    for j in range(len(metric)):
        far = neighbours.distanze[j] + metric[j]
    return State(device.id, far, 0.0)


def importing(device, state, neighbours, metric, parameters):
    """Do what Python can, and numba cannot."""
    import os
    return State(device.id, 0.0, float(os.getpid()))


def incomplete(device, state, neighbours, metric, parameters):
    """Return another thing than a state."""
    return device.id, 0.0


def dividing(device, state, neighbours, metric, parameters):
    """Return nan from the third round of device 3 on."""
    rounds = 0.0 * math.inf if device.id == 3 and state.rounds >= 2.0 else state.rounds + 1.0
    return State(device.id, 0.0, rounds)


def growing(device, state, neighbours, metric, parameters):
    """Return infinity from the second round on."""
    return State(device.id, 0.0, 1e200 * (1e200 if state.rounds > 1.0 else 1.0))


pytestmark = pytest.mark.usefixtures('registered')


def run(own_round: Any = misspelled, **changes: Any) -> None:
    """Run an algorithm among nine devices."""
    ALGORITHMS.replace(replace(own_algorithm(own_round), **changes))
    simulate(of_own(own_round.__name__), 'mine', 0)


@pytest.mark.parametrize('wrong, cause', [
    (misspelled, "line {4}: AttributeError: 'States' object has no attribute 'distanze'; "
                 'did you mean distance?'),
    (importing, 'line {2}: Use of unsupported opcode'),
    (incomplete, r'line {0}: incomplete returns \(0, 0.0\); it takes a State')])
def test_mistake_is_one_line_with_file_line_and_cause(wrong: Any, cause: str) -> None:
    first = wrong.__code__.co_firstlineno
    with pytest.raises(ScenarioError, match=f'^[^ ]*, {cause.format(*range(first, first + 6))}'
                       ) as error:
        run(wrong)
    assert __file__.endswith(str(error.value).partition(',')[0]) and '\n' not in str(error.value)


def test_nan_names_algorithm_field_device_and_round() -> None:
    with pytest.raises(ScenarioError, match=r'^algorithm mine: state.rounds of device 3 is nan '
                       r'after round 3 \(seed 0\); .*test_algorithm_mistakes.py, line '):
        run(dividing)


def test_state_is_refused_when_a_finite_field_is_infinite() -> None:
    with pytest.raises(ScenarioError, match=r'rounds of device \d is infinite after round 2'):
        run(growing)


def test_code_that_is_called_when_the_scenario_is_read_is_named() -> None:
    with pytest.raises(ScenarioError, match=r'^scenario small: [^ ]*test_algorithm_mistakes.py, '
                       r"line \d+: AttributeError: 'float' object has no attribute 'metres'"):
        run(configure=lambda radius: radius.metres)


def test_algorithm_is_refused_when_its_round_or_state_is_invalid() -> None:
    class Named(NamedTuple):
        leader: str
        distance: float

    with pytest.raises(ScenarioError, match='algorithms.name: State: its round is .*; it takes a '
                       'plain function'):
        run(State)
    with pytest.raises(ScenarioError, match='misspelled: field leader of a state '
                       "cannot be <class 'str'>"):
        run(state=Named, start=lambda device: Named('0', 0.0))


def test_algorithm_names_the_reason_when_it_cannot_be_loaded(
        monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ALGORITHMS._broken, 'broken', 'own.py, line 3: SyntaxError: no')
    with pytest.raises(ScenarioError, match='algorithms.name: broken cannot be loaded: own.py, '
                       'line 3: SyntaxError: no'):
        scenarios.parse({'duration': 1, 'algorithms': [{'name': 'broken'}],
                         'devices': [{'kind': 'line', 'count': 2}]}, 'small')


def test_error_without_code_of_a_user_has_no_place() -> None:
    assert explained(SyntaxError('no', ('/own/x.py', 4, 1, ''))) == \
        '/own/x.py, line 4: SyntaxError: no'
    assert explained(KeyError('x')) == "KeyError: 'x'"


Wide = NamedTuple('Wide', [(f'field{k}', float) for k in range(17)])


def conditional(x):
    return Wide(field0=x if x > 0.0 else 0.0, field1=x, field2=x, field3=x, field4=x, field5=x,
                field6=x, field7=x, field8=x, field9=x, field10=x, field11=x, field12=x,
                field13=x, field14=x, field15=x, field16=x)


def test_conditional_within_a_long_call_is_explained_in_one_line() -> None:
    with pytest.raises(UnsupportedBytecodeError) as refused:
        njit(conditional)(1.0)
    assert of_numba(str(refused.value)) == (
        'numba refuses a conditional inside a call with more than 15 arguments by name; compute '
        'the value in a line above the call')
