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

"""External events, each in a small network."""

from typing import Any

from election.algorithms.networks import links
from election.algorithms.simulate import led, Network
from leader_election.election.algorithms import BOUNDED, RECURSIVE
from leader_election.election.algorithms.recursive import RecursiveParameters
from leader_election_lab.experiment.parser import ScenarioError
from leader_election_lab.experiment.scenario import load
from leader_election_lab.simulation.build import network_of
from leader_election_lab.simulation.network_events import DeviceSelection, hesitant
from leader_election_lab.simulation.simulation import Simulation
from leader_election_lab.simulation.variants import with_levels
from leader_election_lab.states import state_layout
import numpy as np
import pytest
from simulations import begun, held, in_flight, leaders, line, scene, states

PHANTOM = 5
"""An id that no device on the line has."""
FORGETTING = 7
"""With a radius of 60 m and hops of 10 m an unrenewed candidacy disappears after these rounds."""


def until(time: float, **sections: Any) -> Simulation:
    """Return the line of five devices at a time, before any event."""
    stage = begun(line(**sections))
    stage.run(time)
    return stage


def happen(stage: Simulation, number: int = 0) -> None:
    stage.happen(*stage.scenario.events[number])


def heard(stage: Simulation) -> dict[tuple[int, int], Any]:
    return held(stage.network, stage.entrant.algorithm)


def on_its_way(stage: Simulation) -> list[tuple[int, int, Any]]:
    return in_flight(stage.network, stage.entrant.algorithm)


def event(kind: str, **details: Any) -> list[dict[str, Any]]:
    return [{'kind': kind, 'at': 10, **details}]


def test_device_that_joins_again_is_reset_but_its_messages_remain() -> None:
    stage = until(3, messages={'range': 10, 'expiry': 5}, events=[
        {'kind': 'join', 'at': 3, 'first': 2, 'last': 2},
        {'kind': 'die', 'at': 10, 'first': 2, 'last': 2, 'linger': True},
        {'kind': 'join', 'at': 12, 'first': 2, 'last': 2}])
    happen(stage, 0)
    stage.run(10)
    happen(stage, 1)
    stage.run(12)
    before = heard(stage)
    assert before[1, 2].leader == 4
    happen(stage, 2)
    assert states(stage)[2].leader == 2
    assert heard(stage) == before


def test_strength_event_sets_strengths() -> None:
    stage = until(10, events=event('strength', first=0, last=0, value=9.5))
    before = states(stage), heard(stage)
    happen(stage)
    assert stage.network.devices.strength.tolist() == [9.5, 1, 2, 3, 4]
    # It has no effect before the next round.
    assert (states(stage), heard(stage)) == before
    stage.run(16)
    assert leaders(stage) == [0] * 5


@pytest.mark.parametrize('messages', [{}, {'delay': [0.2, 0.2]}, {'delay': [2.5, 4.0]}],
                         ids=['at once', 'delay', 'long delay'])
@pytest.mark.parametrize('known', [False, True])
def test_state_event_claims_a_phantom(known: bool, messages: dict[str, Any]) -> None:
    stage = until(10, messages={'range': 10, **messages}, events=event(
        'state', first=1, last=2, claim='phantom', value=-99, heard=known,
        fields=['distance', 'hops', 'diameter'], values=[0, 0, 3]), algorithms=[
            {'name': 'bounded', 'radius': 60}, {'name': 'resilient'}])
    # Only the other algorithm has a diameter.
    before = heard(stage)
    flying = on_its_way(stage)
    happen(stage)
    after = states(stage)
    assert [state.leader == PHANTOM for state in after] == [False, True, True, False, False]
    assert after[1] == after[2] == (-99.0, 0.0, PHANTOM, 0)
    # Messages that were sent before are unchanged, or all replaced.
    assert heard(stage) == {
        (i, j): after[j] if known and j in (1, 2) else old for (i, j), old in before.items()}
    assert on_its_way(stage) == [
        (i, j, after[j] if known and j in (1, 2) else old) for i, j, old in flying]
    assert (len(flying) > 0) == ('delay' in messages)
    # With a delay of up to 4 s, a hop takes as long as 5 without.
    stage.run(10 + 5 * (FORGETTING + 5))
    assert leaders(stage) == [4] * 5


def test_state_event_claims_random_leaders() -> None:
    stage = until(10, events=event('state', claim='random'), first_id=3)
    happen(stage)
    claimed = states(stage)
    assert {state.leader for state in claimed} <= set(range(3, 8))
    assert len({state.leader for state in claimed}) > 1
    # With the value of this leader. The distance is unchanged.
    assert all(state.value == -state.leader for state in claimed)
    assert [state.distance for state in claimed] == [40, 30, 20, 10, 0]


def test_corrupt_changes_the_selected_devices_alone() -> None:
    stage = until(10, events=event('corrupt', first=1, share=0.5, most=7.0))
    before, sent = states(stage), heard(stage)
    happen(stage)
    changed = [i for i in range(5) if states(stage)[i] != before[i]]
    assert len(changed) == 2 and 0 not in changed
    # Messages that were sent before are unchanged.
    assert heard(stage) == sent
    assert all(0 <= states(stage)[i].distance <= 7 and -7 <= states(stage)[i].value <= 0
               for i in changed)


def chosen(network: Any, seed: int = 0, **some: Any) -> list[int]:
    """Return the selected devices."""
    return list(DeviceSelection(**some).among(network, np.random.default_rng(seed)).tolist())


@pytest.mark.parametrize(('some', 'expected'), [
    ({}, [0, 1, 2, 3, 4]), ({'first': 12}, [2, 3, 4]), ({'last': 11}, [0, 1]),
    ({'first': 11, 'last': 13}, [1, 2, 3]), ({'first': 15}, []), ({'strongest': 2}, [3, 4]),
    ({'strongest': 9}, [0, 1, 2, 3, 4]), ({'last': 12, 'strongest': 1}, [2]),
    ({'share': 0.0}, [])])
def test_selection_combines_its_conditions(some: dict[str, Any], expected: list[int]) -> None:
    assert sorted(chosen(begun(line(first_id=10)).network, **some)) == expected


@pytest.mark.parametrize(('some', 'text'), [
    ({'strongest': 6}, 'events.strongest: 6 is not allowed; it takes up to the number of devices, '
                       'which is 5'),
    ({'first': 15}, 'events.first: 15 is not allowed; it takes up to the greatest id, '
                    'which is 14')])
def test_scenario_is_refused_when_it_names_more_devices_or_ids_than_exist(
        some: dict[str, Any], text: str) -> None:
    with pytest.raises(ScenarioError, match=f'^scenario [a-z]*: {text}$'):
        begun(line(first_id=10, events=[{'kind': 'die', 'at': 1, **some}]))


def test_strongest_are_selected_among_running_devices() -> None:
    network = begun(line(strength={'cycle': ['equal']})).network
    network.devices.running[0] = False
    # The lowest ids win at equal strength.
    assert chosen(network, strongest=2) == [1, 2]
    # At first all five lead themselves.
    assert chosen(begun(line()).network, leaders=True, last=3, strongest=1) == [3]


def test_share_selects_that_part() -> None:
    network = begun(line()).network
    drawn = {tuple(chosen(network, seed, share=0.4)) for seed in range(100)}
    # All ten pairs of five devices.
    assert len(drawn) == 10 and {len(each) for each in drawn} == {2}


def test_leaders_lead_themselves_and_run() -> None:
    # At a range of 10 m, 0 and 1 are not connected with 3 and 4 without 2: 1 and 4 lead.
    stage = until(10, events=event('join', first=2, last=2))
    network = stage.network
    assert chosen(network, leaders=True) == [1, 4]
    network.devices.running[1] = False
    assert chosen(network, leaders=True) == [4]
    assert chosen(network, leaders=True, last=3) == []
    # A device that names itself at an infinite distance has no leader yet.
    stage.columns.distance[4] = np.inf
    assert chosen(network, leaders=True) == []


def test_each_device_is_selected_with_the_chance() -> None:
    network = begun(line()).network

    def drawn(chance: float, seed: int) -> list[int]:
        return chosen(network, seed, first=1, chance=chance)
    # All subsets of four devices occur.
    assert len({tuple(drawn(0.5, seed)) for seed in range(300)}) == 2**4
    assert drawn(0.0, 0) == [] and drawn(1.0, 0) == [1, 2, 3, 4]
    # A device that is selected with one chance is selected with a greater one as well.
    assert all(set(drawn(0.3, seed)) <= set(drawn(0.6, seed)) for seed in range(50))


def test_split_is_by_the_coordinate_that_it_names() -> None:
    stage = begun(scene(events=event('split', axis='y', line=30)))
    happen(stage)
    devices = stage.network.devices
    assert devices.group.tolist() == (devices.position[:, 1] > 30).tolist()


def test_device_that_crosses_the_line_keeps_its_side() -> None:
    # Device 0 is at 0 m when the line is drawn at 15 m, and is then moved to the other side.
    stage = until(10, events=event('split', line=15))
    happen(stage)
    assert stage.network.devices.group.tolist() == [0, 0, 1, 1, 1]
    stage.network.devices.position[0, 0] = 35.0
    stage.run(10 + FORGETTING + 5)
    assert not any(0 in link for link in heard(stage))
    assert leaders(stage) == [0, 1, 4, 4, 4]


def test_strength_has_the_sign_of_the_scenario() -> None:
    # If the weakest wins, a device with 99 loses, and one with the least strength wins.
    for value, expected in ((99, 0), (-1, 2)):
        stage = until(10, algorithms=[{'name': 'bounded', 'radius': 60, 'wins': 'weakest'}],
                      events=event('strength', first=2, last=2, value=value))
        assert leaders(stage) == [0] * 5
        happen(stage)
        stage.run(20)
        assert leaders(stage) == [expected] * 5


def hesitating(rounds: int) -> np.ndarray:
    """Return a mask of the devices that hesitate after so many rounds of 1 s."""
    scenario, random = load('acsos2022_edge_rounding'), np.random.default_rng(0)
    [entrant, *_], [(event, parameters), *_] = scenario.entrants, scenario.events
    network, *_ = network_of(scenario, entrant, 0, random, random)
    for _ in range(rounds):
        network.devices.sent[:] = network.rounds.time
        # Sums, as in the artefact and in the engine.
        network.rounds.time[:] += 1.0
    event.happen(parameters, network, entrant.algorithm, random)
    return state_layout(entrant.algorithm).columns(network.exports).hesitates != 0


def test_sixth_of_all_devices_hesitate_where_the_time_crosses_a_power_of_two() -> None:
    # 1011 devices: a sixth, and four standard deviations to either side.
    assert hesitating(64).mean() == pytest.approx(1 / 6, abs=4 * np.sqrt(5 / 36 / 1011))
    assert not hesitating(63).any() and not hesitating(65).any()


def three(radius: float) -> Network:
    """Return 1 --1 m-- 2 --1 m-- 3 after convergence; 1 is the best, and 3 is beyond 1 m."""
    graph = links((1, 2, 1.0), (2, 3, 1.0))
    network = Network(
        hesitant(RECURSIVE), graph, {1: 9.0, 2: 5.0, 3: 7.0}, RecursiveParameters(radius))
    for _ in range(20):
        network.lockstep()
    return network


def hesitate(network: Network, *devices: int) -> None:
    for i in devices:
        network.states[i] = network.states[i]._replace(hesitates=1)


def test_hesitating_device_names_itself_for_a_round() -> None:
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
    assert hesitant(with_levels(RECURSIVE, 5)).levels == 5
