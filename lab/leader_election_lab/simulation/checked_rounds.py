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
Runs whose rounds are also computed in plain Python, as on a robot.

Compiled rounds check no bounds. Beyond ``len(metric)`` they read what the memory holds, and nobody
sees it. In a checked run each round is computed twice from the same messages: in Python, which
raises an error beyond the last neighbour, and compiled.
"""

from functools import cache
import math
from typing import Any
from weakref import WeakValueDictionary

from leader_election.election.algorithms import Device
from leader_election.election.algorithms.chance import drawn
from leader_election.parameters.registry import explained
from leader_election_lab.engine.compilation import uncached
from leader_election_lab.engine.device_round import call_round, ROUND
from leader_election_lab.engine.entry_points import Entry
from leader_election_lab.experiment.parser import ScenarioError
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.experiment.schema import Entrant
from leader_election_lab.simulation.algorithm_mistakes import defined, not_finite, one_line
from leader_election_lab.simulation.simulation import Simulation
from leader_election_lab.states import state_layout
from numba import njit, objmode

TOLERANCE = 1e-9
"""The relative difference of a compiled number, whose functions may round otherwise."""
_RUNNING: WeakValueDictionary[int, 'CheckedSimulation'] = WeakValueDictionary()
"""By the address of the constant argument of their round."""


def check(scenario: Scenario, algorithm: str, seed: int) -> int:
    """
    Compute a run in plain Python, too, which takes about a hundred times as long.

    :param algorithm: the label of one of the scenario's algorithms.
    :return: the number of rounds, all of which are right.
    :raises ScenarioError: for the first round that reads beyond its neighbours, or raises another
        error, or whose state is not finite, or another one than the compiled one.
    """
    entrant = scenario.entrant(algorithm)
    with one_line(entrant):
        simulation = CheckedSimulation(scenario, entrant, seed)
        simulation.play()
    return sum(simulation.ran)


def compute(argument: int, i: int, device: int, messages: int, strength: float) -> None:
    """Compute a round of the run whose round has this argument, as :data:`ROUND` has them."""
    _RUNNING[argument].compute(i, device, messages, strength)


@njit
def _enter(argument, i, device, messages, strength):  # type: ignore[no-untyped-def]
    with objmode():
        compute(argument, i, device, messages, strength)


@uncached
def _call(function, argument, i, device, messages, strength):  # type: ignore[no-untyped-def]
    call_round(function, argument, i, device, messages, strength)


@cache
def _address() -> int:
    """Return the address of the function that the engine calls in place of a compiled round."""
    _enter.compile(ROUND)
    compiled: Any = _enter.overloads[ROUND]
    address: int = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    return address


class CheckedSimulation(Simulation):
    """A simulation that computes each round twice, and stops at the first difference."""

    def __init__(self, scenario: Scenario, entrant: Entrant, seed: int) -> None:
        self._mistake: ScenarioError | None = None
        super().__init__(scenario, entrant, seed)
        self.ran = [0] * len(self.network.devices.id)
        self.watch_every(scenario.rounds.period, CheckedSimulation._raise)

    def _raise(self) -> None:
        if self._mistake is not None:
            raise self._mistake

    def _bind_round(self) -> None:
        super()._bind_round()
        self._compiled = self._round
        self._round = Entry((_address(), self._compiled.addresses[1]), self._compiled)
        _RUNNING[self._round.addresses[1]] = self

    def compute(self, i: int, device: int, messages: int, strength: float) -> None:
        """Compute a round, and keep the first mistake: the engine cannot be left from here."""
        if self._mistake is not None:
            return
        self.ran[i] += 1
        try:
            wrong = self._compare(i, device, messages, strength)
        except Exception as error:
            wrong = f'{explained(error)}, with {messages} neighbours'
        if wrong:
            self._mistake = ScenarioError(
                f'algorithm {self.entrant.label}: {wrong}, in round {self.ran[i]} of device '
                f'{device} (seed {self.of[2]})')

    def _compare(self, i: int, device: int, messages: int, strength: float) -> str:
        """Return what is wrong with a round, or no text."""
        algorithm, network = self.entrant.algorithm, self.network
        layout, workspace, row = state_layout(algorithm), network.workspace, network.exports
        chance = drawn(self.of[2], device, int(self._rounds[i])) if algorithm.reads_chance else 0.0
        wanted = algorithm.compute(
            Device(device, strength, chance), layout.state(row, i),
            layout.states(workspace.heard[:messages]),
            workspace.metric[:messages].tolist(), self.entrant.parameters)
        _call(*self._compiled.addresses, i, device, messages, strength)
        for bad in not_finite(algorithm, row[i:i + 1]):
            return f'{defined(algorithm)}: state.{bad.field} is {bad.value}'
        for field, python, compiled in zip(algorithm.fields, wanted, layout.state(row, i)):
            pairs = [(python, compiled)] if field.padding is None else zip(python, compiled)
            if not all(math.isclose(a, b, rel_tol=TOLERANCE * (field.type is float))
                       for a, b in pairs):
                return (f'{defined(algorithm)}: state.{field.name} is {python} in Python, '
                        f'{compiled} compiled')
        return ''
