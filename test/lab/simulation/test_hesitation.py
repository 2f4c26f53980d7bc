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

"""The rounding error of the artefact of ACSOS 2022: hesitating devices, and the effect."""

from algorithms.networks import links
from algorithms.simulate import led, Network
from leader_election.election.algorithms import BOUNDED, RECURSIVE
from leader_election.election.algorithms.recursive import configure
from leader_election.lab.experiment import scenario as scenarios
from leader_election.lab.experiment.scenario import load
from leader_election.lab.simulation.events import EVENTS
from leader_election.lab.simulation.hesitation import hesitant
from leader_election.lab.simulation.simulation import Simulation
import numpy as np
import pytest


def simulation(name: str = 'acsos2022_edge_rounding') -> Simulation:
    scenario = load(name)
    return Simulation(scenario, scenario.entrants[0], 0)


def hesitating(stage: Simulation, at: float) -> np.ndarray:
    """Apply the event; return a mask of the devices that hesitate."""
    event = EVENTS.get('rounding')
    stage.happen(event, event.parameters(at=at))
    return stage.columns.hesitates != 0


def test_a_sixth_of_all_devices_hesitate_where_the_time_crosses_a_power_of_two() -> None:
    stage = simulation()
    times = stage.network.rounds.time.copy()
    for _ in range(255):
        times += 1.0
    # Sums as in the artefact: a device hesitates if the last difference is too small.
    expected = (times + 1.0) - times < 1.0
    stage.play(0.0, 256.0)
    found = hesitating(stage, 256.0)
    assert (found == expected).all()
    # 1011 devices: a sixth, and four standard deviations to either side.
    assert found.mean() == pytest.approx(1 / 6, abs=4 * np.sqrt(5 / 36 / 1011))


def test_between_powers_of_two_no_device_hesitates() -> None:
    stage = simulation()
    stage.play(0.0, 7.0)
    assert not hesitating(stage, 7.0).any()


def test_a_device_hesitates_for_one_round() -> None:
    stage = simulation()
    stage.play(0.0, 4.0)
    assert hesitating(stage, 4.0).any()
    stage.play(4.0, 5.0)
    assert not stage.columns.hesitates.any()


def three(radius: float) -> Network:
    """Return 1 --1 m-- 2 --1 m-- 3 after convergence; 1 is the best, and 3 is beyond 1 m."""
    graph = links((1, 2, 1.0), (2, 3, 1.0))
    network = Network(hesitant(RECURSIVE), graph, {1: 9.0, 2: 5.0, 3: 7.0}, configure(radius))
    for _ in range(20):
        network.lockstep()
    return network


def hesitate(network: Network, *devices: int) -> None:
    for i in devices:
        network.states[i] = network.states[i]._replace(hesitates=1)


def test_hesitation_without_a_new_level_has_no_effect() -> None:
    network = three(1.0)
    before = dict(network.states)
    hesitate(network, 1, 2, 3)
    network.lockstep()
    assert network.states == before


def test_a_hesitating_device_names_itself_for_a_round() -> None:
    """
    2 proceeds to level 1 since 1 is too far away; 3, at that level, is better than 2.

    Without hesitation it follows 3 at once.
    """
    found = []
    for hesitates in (False, True):
        network = three(1.0)
        assert led(network) == {1: (1, 0.0), 2: (1, 1.0), 3: (3, 0.0)}
        network.graph = links((1, 2, 1.5), (2, 3, 1.0))
        if hesitates:
            hesitate(network, 2)
        rounds = []
        for _ in range(2):
            network.sweep([2])
            state = network.states[2]
            rounds.append((state.leader, state.depth, state.hesitates))
        found.append(rounds)
    assert found == [[(3, 1, 0), (3, 1, 0)], [(2, 1, 0), (3, 1, 0)]]


def test_only_the_recursive_election_can_hesitate() -> None:
    assert hesitant(BOUNDED) is BOUNDED
    assert hesitant(RECURSIVE) is hesitant(RECURSIVE)
    assert hesitant(RECURSIVE.with_levels(5)).levels == 5


def test_without_the_event_the_algorithm_is_the_robots_own() -> None:
    scenario = scenarios.load('acsos2022_edge')
    assert scenario.entrant('recursive').algorithm.round is RECURSIVE.round
    with_event = scenarios.load('acsos2022_edge_rounding').entrant('recursive').algorithm
    assert with_event.round is not RECURSIVE.round
