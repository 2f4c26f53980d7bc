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

"""Small simulations whose state tests inspect during the run."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from leader_election.election.algorithms import Algorithm, Device
from leader_election_lab.engine.device_round import call_round
from leader_election_lab.engine.entry_points import round_entry
from leader_election_lab.engine.network import (
    empty_workspace,
    FRESH,
    IN_FLIGHT,
    Network,
    OLDER,
)
from leader_election_lab.experiment.scenario import parse, Scenario
from leader_election_lab.simulation import build, simulation
from leader_election_lab.simulation.run import simulate
from leader_election_lab.simulation.simulation import Simulation
from leader_election_lab.states import COUNTERS, state_layout
from numba import njit
import numpy as np
import pytest

SQUARE = {'kind': 'uniform', 'count': 14, 'low': [0, 0], 'high': [60, 60]}
WALK = {'kind': 'levy', 'speed': 4, 'scale': 10, 'walls': [0, 0, 60, 60]}
"""Fast: at a range of 25 m a neighbour appears or disappears about every second round."""
LINE = {'kind': 'grid', 'columns': 5, 'rows': 1, 'step': [10, 10]}
"""Ids 0 to 4; at a range of 10 m each device receives from the next ones."""


def scene(**sections: Any) -> Scenario:
    """Return a scenario of Bounded Election on 14 devices that stand still."""
    return parse({
        'duration': 30, 'algorithms': [{'name': 'bounded', 'radius': 60}], 'devices': [SQUARE],
        'messages': {'range': 25}, **sections}, 'test')


def line(**sections: Any) -> Scenario:
    """Return a scenario of five devices on a line, the greatest id the strongest."""
    return scene(**{
        'devices': [LINE], 'messages': {'range': 10}, 'strength': {'cycle': ['id']}, **sections})


def begun(scenario: Scenario, seed: int = 0, label: str = '') -> Simulation:
    """Return a simulation at its start; without a label, of the scenario's first algorithm."""
    entrant = scenario.entrant(label) if label else scenario.entrants[0]
    with pytest.MonkeyPatch.context() as patch:
        # Each of so few devices lists all others. With an even seed lists are rebuilt, as of many.
        patch.setattr(build, 'FEW', build.FEW * (seed % 2))
        return Simulation(scenario, entrant, seed)


def played(scenario: Scenario, seed: int = 0) -> Simulation:
    """Return the finished simulation of the scenario's first algorithm, with all its events."""
    stages = []

    class Kept(Simulation):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            stages.append(self)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulation, 'Simulation', Kept)
        simulate(scenario, scenario.entrants[0].label, seed)
    return stages[0]


def rounds(stage: Simulation, until: float) -> Iterator[tuple[int, float]]:
    """Run step by step, and yield the index of the device of each round, and the time."""
    while True:
        network = stage.network
        i = int(network.rounds.order[network.rounds.head[0]])
        now = float(network.rounds.time[i])
        if len(network.moves.order) > 0:
            mover = network.moves.order[network.moves.head[0]]
            now = min(now, float(network.moves.time[mover]))
        if now >= until:
            return
        before = counts(stage)
        stage.run(np.nextafter(now, np.inf))
        done = {name: number - before[name] for name, number in counts(stage).items()}
        assert done['rounds'] + done['moves'] <= 1, 'two devices at the same time'
        if done['rounds']:
            yield i, now


def counts(stage: Simulation) -> dict[str, int]:
    """Return the counters of the simulation so far."""
    return dict(zip(COUNTERS, stage.network.watch.counts.tolist()))


def slots(network: Network, receivers: Iterable[int]) -> Iterator[tuple[int, int, int]]:
    """Yield the receiver, the sender and the slot of each link."""
    for i in receivers:
        for k in range(*network.links.row[i]):
            yield i, int(network.links.neighbour[k]), k


def held(network: Network, algorithm: Algorithm,
         receivers: Iterable[int] | None = None) -> dict[tuple[int, int], Any]:
    """Return the content of each mailbox that is not empty, by receiver and sender."""
    found = {}
    for i, j, k in slots(network, range(len(network.links.row)) if receivers is None
                         else receivers):
        if network.links.flags[k] & FRESH:
            found[i, j] = state_layout(algorithm).state(network.exports, j)
        elif network.links.flags[k] & OLDER:
            found[i, j] = state_layout(algorithm).state(
                network.pool.exports, int(network.links.pool_index[k]))
    return found


def in_flight(network: Network, algorithm: Algorithm) -> list[tuple[int, int, Any]]:
    """Return receiver, sender and content of all messages in flight."""
    found = []
    for i, j, k in slots(network, range(len(network.links.row))):
        flying = network.links.flags[k] & IN_FLIGHT != 0
        place, last = network.links.in_flight[k] if flying else (0, 0)
        while flying:
            found.append((i, j, state_layout(algorithm).state(network.pool.exports, int(place))))
            flying, place = place != last, network.pool.next[place]
    return found


def states(stage: Simulation) -> list[Any]:
    """Return the state of each device, in plain Python."""
    return state_layout(stage.entrant.algorithm).states(stage.network.exports)


def leaders(stage: Simulation) -> list[int]:
    """Return the leader of each device."""
    found: list[int] = stage.columns.leader.tolist()
    return found


# An algorithm of a user, whose rounds make mistakes.


class State(NamedTuple):
    """Its state."""

    leader: int
    distance: float
    rounds: float


class States(NamedTuple):
    """Its columns."""

    leader: list[int]
    distance: list[float]
    rounds: list[float]


class Reach(NamedTuple):
    """Its parameters."""

    radius: float


def own_algorithm(own_round: Any) -> Algorithm:
    """Return an algorithm of a user, whose code is kept by its name and file."""
    return Algorithm(own_round.__name__, own_round, State, States,
                     lambda device: State(device.id, 0.0, 0.0), Reach)


def of_own(name: str, **sections: Any) -> Scenario:
    """Return a scenario of an algorithm in nine devices in a line."""
    return parse({'duration': 20, 'devices': [{'kind': 'line', 'count': 9}], **{
        'messages': {'range': 2}, 'algorithms': [{'name': name, 'radius': 5, 'label': 'mine'}],
        **sections}}, 'small')


# Rounds as the laboratory compiles them, called one at a time.


@njit
def call(function, argument, device, messages, strength):  # type: ignore[no-untyped-def]
    """Call a round as the engine does, of the first device."""
    call_round(function, argument, np.uint32(0), device, messages, strength)


def called(algorithm: Algorithm, parameters: Any, device: Device, state: Any, others: list[Any],
           metric: list[float]) -> Any:
    """Return the new state that the compiled round of an algorithm makes."""
    layout, own = state_layout(algorithm), state_layout(algorithm).rows(1)
    workspace = empty_workspace(len(others), layout.width)
    workspace.metric[:] = metric
    for where, exports in ((own, [state]), (workspace.heard, others)):
        for j, export in enumerate(exports):
            for column, value in zip(layout.columns(where), export):
                column[j] = value
    entry = round_entry(
        algorithm, parameters, own, workspace, np.zeros(len(COUNTERS), np.int64), 0,
        np.zeros(1, np.int64))
    call(*entry.addresses, device.id, len(others), device.strength)
    return layout.state(own, 0)
