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

"""Runs depend on scenario, algorithm and seed, and on nothing else."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from leader_election_lab.engine.network import empty_pool, empty_workspace
from leader_election_lab.experiment.scenario import Scenario, ScenarioError
from leader_election_lab.simulation import build, simulation
from leader_election_lab.simulation.run import Run, simulate
from leader_election_lab.simulation.simulation import Simulation
from leader_election_lab.states import COUNTERS, MEASURES
import numpy as np
import pytest
from simulations import begun, leaders, LINE, line, played, scene, WALK

BUSY = scene(
    motion=WALK, rounds={'spread': 0.2, 'jitter': 0.1},
    messages={'range': 25, 'delay': [0.1, 1.5], 'loss': 0.2, 'duplication': 0.1, 'expiry': 3},
    strength={'cycle': ['random', 'degree'], 'every': 7}, events=[
        {'kind': 'join', 'at': 4.5, 'first': 12}, {'kind': 'corrupt', 'at': 9, 'share': 0.5},
        {'kind': 'die', 'at': 14, 'share': 0.2}])
QUIET = scene()
WALKING = scene(motion=WALK)
WITH_REGIONS = scene(
    motion=WALK, messages={'range': 25, 'delay': [0.1, 1.5], 'loss': 0.2, 'expiry': 3},
    algorithms=[{'name': 'bounded', 'radius': 60, 'regions': {
        'aggregate': 'mean', 'feedback_gain': 1, 'feedback_alpha': 0.1, 'feedback_target': 4}}],
    events=[{'kind': 'join', 'at': 4.5, 'first': 12}, {'kind': 'corrupt', 'at': 9, 'share': 0.5},
            {'kind': 'die', 'at': 14, 'leaders': True, 'chance': 0.5}])
SCENARIOS = pytest.mark.parametrize(
    'scenario', [QUIET, WALKING, BUSY, WITH_REGIONS],
    ids=['quiet', 'walk', 'everything', 'regions'])


def run(scenario: Scenario, seed: int, snapshots: tuple[float, ...] = ()) -> Run:
    return simulate(scenario, 'bounded', seed, snapshots)


def digits(result: Run) -> tuple[bytes, bytes, float]:
    """Return all results, to the last bit."""
    return result.samples.tobytes(), result.counts.tobytes(), result.message_bytes


@SCENARIOS
def test_run_is_the_same_for_equal_seeds_also_in_threads(scenario):
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda seed: digits(run(scenario, seed)), range(8)))
    assert together == [digits(run(scenario, seed)) for seed in range(8)]
    assert len({*together}) == 8


@SCENARIOS
@pytest.mark.parametrize('stretch', [1, 100, 10**12])
def test_run_is_the_same_for_any_stretch(scenario, stretch, monkeypatch):
    expected = digits(run(scenario, 1))
    monkeypatch.setattr('leader_election_lab.simulation.simulation.STRETCH', stretch)
    assert digits(run(scenario, 1)) == expected


@pytest.mark.parametrize('scenario', [QUIET, WALKING], ids=['quiet', 'walk'])
def test_run_is_the_same_in_any_order_of_storage(scenario, monkeypatch):
    expected = digits(run(scenario, 1))
    monkeypatch.setattr(build, 'SMALL', 3)
    ids = begun(scenario, 1).network.devices.id.tolist()
    assert ids != sorted(ids) == list(range(14))
    assert digits(run(scenario, 1)) == expected


@SCENARIOS
def test_run_is_the_same_with_snapshots(scenario):
    times = (0.0, 0.35, 8.0, 15.27, 30.0)
    seen = run(scenario, 2, times)
    assert digits(seen) == digits(run(scenario, 2))
    assert tuple(snapshot.time for snapshot in seen.snapshots) == times
    # A snapshot is a copy, not a view of the running simulation.
    assert len({snapshot.leader.tobytes() for snapshot in seen.snapshots}) > 1


@pytest.mark.parametrize('messages', [{}, {'expiry': 1.5}, {'delay': [0.8, 0.8]}],
                         ids=['plain', 'expiry', 'delay'])
def test_run_is_the_same_whenever_lists_are_rebuilt(messages, monkeypatch):
    scenario = scene(motion=WALK, messages={'range': 25, **messages})
    found = []
    for few, skin in ((0, 0.33), (0, 0.4), (0, 3.0), (100, 0.4)):
        monkeypatch.setattr(build, 'FEW', few)
        monkeypatch.setattr(build, 'SKIN', skin)
        result = run(scenario, 0)
        found.append((result.samples.tobytes(), int(result.counts[COUNTERS.index('sent')])))
    assert found == found[:1] * 4


@pytest.mark.parametrize('field', ['pool', 'workspace'])
@pytest.mark.parametrize('scenario', [WALKING, BUSY], ids=['walking', 'everything'])
def test_run_is_the_same_when_arrays_grow(field, scenario, monkeypatch):
    expected = digits(run(scenario, 4))
    made = []

    class Tiny(Simulation):
        """Begins with the least capacity."""

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            exports = self.network.exports
            self.network = self.network._replace(**{
                'pool': {'pool': empty_pool(exports[:1].copy())},
                'workspace': {'workspace': empty_workspace(1, exports.shape[1])}}[field])
            self._bind_round()
            made.append(self)
    monkeypatch.setattr(simulation, 'Simulation', Tiny)
    assert digits(run(scenario, 4)) == expected
    grown, = made
    assert len(getattr(grown.network, field)[1]) > 1


@pytest.mark.parametrize(('duration', 'interval', 'count'), [
    (0.3, 0.1, 3), (0.7, 0.1, 7), (2.1, 0.7, 3), (3, 2, 1)])
def test_all_samples_are_taken(duration, interval, count):
    # As floats, three times 0.1 is more than 0.3.
    samples = run(scene(duration=duration, measure={'interval': interval},
                        rounds={'period': 0.01}), 0).samples
    assert len(samples) == count and not np.any(np.isnan(samples[:, :len(MEASURES)]))


def test_snapshot_of_a_line_is_as_computed_by_hand():
    # Five devices 10 m apart on a line, the range 10 m. The strongest is the last, and dies.
    scenario = line(events=[{'kind': 'die', 'at': 20, 'first': 4}], first_id=0)
    before, after = run(scenario, 0, (19.0, 20.0)).snapshots
    assert before.id.tolist() == [0, 1, 2, 3, 4]
    assert before.position.tolist() == [[0, 0], [10, 0], [20, 0], [30, 0], [40, 0]]
    assert before.leader.tolist() == [4] * 5
    assert before.is_leader.tolist() == [False] * 4 + [True]
    assert {(min(pair), max(pair)) for pair in before.pairs.tolist()} == {
        (0, 1), (1, 2), (2, 3), (3, 4)}
    assert before.running.tolist() == [True] * 5
    # A snapshot at the time of an event is after it.
    assert after.running.tolist() == [True] * 4 + [False]
    assert after.is_leader.tolist() == [False] * 5


def test_acquainted_devices_have_received_initial_states():
    for acquainted in (False, True):
        stage = begun(line(rounds={'acquainted': acquainted, 'phase': 'together'}))
        if acquainted:
            stage.acquaint()
        # Rounds are in the order of indices: 0 is the first, and has a message of 1 only then.
        stage.run(0.5)
        assert leaders(stage)[0] == (1 if acquainted else 0)


def test_strengths_change_over_time():
    scenario = line(strength={'cycle': ['id', 'lower_id', 'degree'], 'every': 20}, duration=60,
                    algorithms=[{'name': 'bounded', 'radius': 100}])
    by_id, by_lower_id, by_degree = run(scenario, 0, (19.9, 39.9, 59.9)).snapshots
    assert by_id.leader.tolist() == [4] * 5
    assert by_lower_id.leader.tolist() == [0] * 5
    # 1, 2 and 3 have two neighbours each: the lowest id of these leads.
    assert by_degree.leader.tolist() == [1] * 5


@pytest.mark.parametrize('wins', ['strongest', 'weakest'])
@pytest.mark.parametrize('acquainted', [False, True])
def test_initial_state_has_the_degree_of_the_first_round(wins, acquainted):
    scenario = scene(strength={'cycle': ['degree']}, rounds={'acquainted': acquainted},
                     algorithms=[{'name': 'classic', 'radius': 60, 'wins': wins}])
    stage = begun(scenario, 2)
    backed = (-stage.columns.lead_value).tolist()
    if acquainted:
        stage.acquaint()
    stage.run(0.999)
    assert backed == stage.network.devices.strength.tolist()
    assert len(set(backed)) > 3


SERVERS = {'kind': 'line', 'count': 3, 'step': [10, 0]}
USERS = {'kind': 'line', 'count': 2, 'first': [20, 5], 'step': [1, 0], 'among': False}
"""Ids 3 and 4, 1 m apart, stronger than servers by id. Only server 2, at (20, 0), is near."""


def test_users_receive_from_servers_but_not_from_each_other():
    # A radius of 6 m is enough from server 2 to user 3, 5 m away, and to user 4, 5.1 m away.
    scenario = line(devices=[SERVERS, USERS], algorithms=[{'name': 'bounded', 'radius': 6}])
    [seen] = run(scenario, 0, (20.0,)).snapshots
    assert {(min(pair), max(pair)) for pair in seen.pairs.tolist()} == {
        (0, 1), (1, 2), (2, 3), (2, 4)}
    # Server 2 follows user 4, the strongest. User 3, which is nearer to user 4, does not.
    assert seen.leader.tolist() == [0, 1, 4, 3, 4]


def test_given_links_do_not_connect_users():
    scenario = line(devices=[{**SERVERS, 'linked': True, 'among': False}], messages={})
    assert leaders(played(scenario)) == [0, 1, 2]


def test_device_that_does_not_move_stays_in_its_place():
    # One street, from (0, 0) to (100, 0), and one back at y = 100. Users are put into it.
    town = {'kind': 'streets', 'columns': 2, 'rows': 2, 'block': 100, 'speed': 1}
    devices = [{**LINE, 'first': [20, 30], 'moves': False}, {**LINE, 'first': [20, 30]}]
    start, later = run(scene(devices=devices, motion=town), 0, (0.0, 10.0)).snapshots
    servers = [[20.0 + 10 * k, 30.0] for k in range(5)]
    assert start.position[:5].tolist() == later.position[:5].tolist() == servers
    # The nearest street to (20, 30) is the one at x = 0; to (40, 30) the one at y = 0.
    assert start.position[5].tolist() == [0, 30] and start.position[7].tolist() == [40, 0]
    assert np.all(np.linalg.norm(later.position[5:] - start.position[5:], axis=1) > 0)


def test_position_that_is_no_number_is_refused():
    stage = begun(line(first_id=5))
    stage.network.devices.position[2, 1] = np.nan
    with pytest.raises(ScenarioError, match=r'^motion static: the position of device 7 is '
                                            r'\[20.0, nan\] \(seed 0\)$'):
        stage.run(3.0)
