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

"""Samples compared with measures computed from all states in plain Python, or by hand."""

from collections.abc import Sequence
import math
from typing import Any

from leader_election.election.regions.region import CANDIDATE
from leader_election_lab.simulation.simulation import Simulation
from leader_election_lab.states import COLUMNS, MEASURES, REGION_MEASURES
import numpy as np
import pytest
from simulations import begun, line, rounds, scene, SQUARE, states, WALK

FOUR = {'kind': 'grid', 'columns': 4, 'rows': 1, 'step': [10, 10]}
"""Ids 0 to 3 on a line. Each is in range of the next one."""


def measured(stage: Simulation, history: dict[int, list[bool]], since: int) -> dict[str, float]:
    """
    Return all measures by their definitions.

    :param history: for each device that runs, whether its leader changed, round by round.
    :param since: the number of changes since the last sample.
    """
    window = stage.scenario.measure.window
    devices = stage.network.devices
    now = {i: state for i, state in enumerate(states(stage)) if i in history}
    regions: dict[int, list[float]] = {}
    for state in now.values():
        regions.setdefault(state.leader, []).append(state.distance)
    leaders = {i + devices.id[0] for i, state in now.items()
               if state.leader == i + devices.id[0] and state.distance < np.inf}
    correct = {leader: region for leader, region in regions.items() if leader in leaders}
    radii = [max((distance for distance in region if distance < np.inf), default=0.0)
             for region in correct.values()]
    sizes = [len(region) for region in correct.values()]
    return {
        'instability': sum(sum(changes[-window:]) for changes in history.values())
        / (window * len(history)) if history else np.nan,
        'changes': since, 'leaders': len(leaders), 'named': len(regions),
        'correct': len(correct), 'spurious': len(regions) - len(correct),
        'mean_size': np.mean(sizes or 0), 'largest_size': max(sizes, default=0),
        'mean_radius': np.mean(radii or 0), 'largest_radius': max(radii, default=0),
        'running': len(history)}


def check(scenario: Any, label: str, seed: int) -> Simulation:
    """Run a scenario and compare each sample."""
    stage = begun(scenario, seed, label)
    history: dict[int, list[bool]] = {}
    leader: dict[int, int] = {}
    events = list(scenario.events)
    for k, time in enumerate(scenario.times()):
        changes = 0
        while True:
            stop = min([time, *(parameters.at for _, parameters in events)])
            for i, _ in rounds(stage, stop):
                now = states(stage)[i].leader
                if i in history:
                    history[i].append(now != leader[i])
                    changes += now != leader[i]
                else:
                    # The leader of the first round is not a change.
                    history[i] = [False]
                leader[i] = now
            stage.run(stop)
            if stop == time:
                break
            event, parameters = events.pop(0)
            stage.happen(event, parameters)
            for i in set(history) - set(np.flatnonzero(stage.network.devices.running)):
                del history[i]
            # An event that sets the leader is not a change. The next round that changes it is one.
            leader = {i: states(stage)[i].leader for i in leader}
        expected = measured(stage, history, changes)
        found = dict(zip(MEASURES, stage.network.watch.samples[k]))
        # Sums of radii differ by rounding, because the order of summation differs.
        assert found == pytest.approx(expected, rel=1e-12, abs=0, nan_ok=True), f'{time} s'
    return stage


@pytest.mark.parametrize('label', ['bounded', 'classic'])
@pytest.mark.parametrize('measure', [
    {'window': 1}, {'window': 3, 'interval': 0.7}, {'window': 63, 'interval': 2.5}],
    ids=['last round', '3 rounds', '63 rounds'])
def test_samples_agree_with_the_definitions(label: str, measure: dict[str, Any]) -> None:
    stage = check(scene(
        algorithms=[{'name': label, 'radius': 30}], motion=WALK, measure=measure, first_id=7,
        duration=46, events=[
            {'kind': 'join', 'at': 6.2, 'first': 19}, {'kind': 'die', 'at': 12.1, 'first': 7,
                                                       'last': 9},
            {'kind': 'die', 'at': 20.6, 'first': 19, 'linger': True},
            # A device that joins again starts in its initial state.
            {'kind': 'join', 'at': 21.6, 'first': 19},
            {'kind': 'corrupt', 'at': 39.7}]), label, 3)
    # Some leaders that the event "corrupt" invents do not exist.
    at = int(40 // measure.get('interval', 1)) - 1
    assert label == 'classic' or stage.network.watch.samples[at, MEASURES.index('spurious')] > 0
    samples = stage.network.watch.samples
    assert samples[:, 1].sum() > 20 and len(set(samples[:, 2])) > 1


def test_samples_of_a_line_are_as_computed_by_hand() -> None:
    # Five devices 10 m apart, the last the strongest, radius 25 m: 2 and 3 follow 4, and 0
    # follows 1, the strongest of the others.
    stage = check(line(algorithms=[{'name': 'bounded', 'radius': 25}]), 'bounded', 0)
    found = dict(zip(MEASURES, stage.network.watch.samples[-1].tolist()))
    assert found == {
        'instability': 0.0, 'changes': 0.0, 'leaders': 2.0, 'named': 2.0, 'correct': 2.0,
        'spurious': 0.0, 'mean_size': 2.5, 'largest_size': 3.0, 'mean_radius': 15.0,
        'largest_radius': 20.0, 'running': 5.0}


def sampled(stage: Simulation, k: int) -> dict[str, float]:
    """Return the measures of regions in the k-th sample."""
    found = dict(zip(COLUMNS, stage.network.watch.samples[k].tolist()))
    return {name: found[name] for name in REGION_MEASURES}


def measured_of_regions(stage: Simulation, active: Sequence[int]) -> dict[str, float]:
    """Return the measures of regions, from the states of devices that have run a round."""
    now = {i: state for i, state in enumerate(states(stage)) if i in active}
    leaders = {i: state for i, state in now.items() if (
        state.role == CANDIDATE and state.leader == i and state.distance < math.inf)}
    informed = [state for state in now.values() if state.decision[0] < math.inf]
    loads = [state.summary[0] for state in leaders.values()]
    return {
        'counted': sum(loads), 'present': sum(state.contribution[0] for state in now.values()),
        'informed': len(informed) / len(now),
        'agreeing': sum(state.leader in leaders and abs(
            state.decision[0] - leaders[state.leader].decision[0]) < 0.5
            for state in informed) / len(now),
        'load_mean': np.mean(loads) if loads else np.nan,
        'load_sigma': np.std(loads) if loads else np.nan,
        'mean_reach': np.mean([state.reach for state in leaders.values()]) if loads else np.nan}


@pytest.mark.parametrize('collection', ['tree', 'multi-path', 'gossip'])
def test_samples_of_regions_agree_with_the_definitions(collection: str) -> None:
    scenario = scene(
        algorithms=[{'name': 'bounded', 'radius': 30, 'regions': {
            'collection': collection, 'feedback_gain': 1, 'feedback_target': 3}}],
        devices=[{**SQUARE, 'count': 9}, {**SQUARE, 'count': 5, 'role': 'worker'}],
        motion=WALK, measure={'interval': 0.7}, events=[
            {'kind': 'die', 'at': 8.2, 'leaders': True}, {'kind': 'corrupt', 'at': 15.3},
            {'kind': 'die', 'at': 24.1, 'last': 8}])
    stage = begun(scenario, 3)
    ran: set[int] = set()
    events = list(scenario.events)
    for k, time in enumerate(scenario.times()):
        while events and events[0][1].at < time:
            event, parameters = events.pop(0)
            ran |= {i for i, _ in rounds(stage, parameters.at)}
            stage.run(parameters.at)
            stage.happen(event, parameters)
        ran |= {i for i, _ in rounds(stage, time)}
        stage.run(time)
        ran &= set(np.flatnonzero(stage.network.devices.running))
        assert sampled(stage, k) == pytest.approx(
            measured_of_regions(stage, sorted(ran)), rel=1e-12, abs=1e-6, nan_ok=True), f'{time} s'
    samples = stage.network.watch.samples[:, [COLUMNS.index('counted'), COLUMNS.index('leaders')]]
    # At the end only workers are left, and no device is a leader.
    assert samples[-1].tolist() == [0.0, 0.0] and len(np.unique(samples[:, 0])) > 10


def test_samples_of_regions_are_nan_when_there_are_none() -> None:
    stage = begun(line())
    stage.run(5.0)
    assert np.isnan(stage.network.watch.samples[:5, len(MEASURES):]).all()


def test_loads_are_nan_when_the_aggregate_is_no_sum() -> None:
    stage = begun(scene(
        devices=[FOUR], messages={'range': 10}, strength={'cycle': ['id']}, algorithms=[
            {'name': 'bounded', 'radius': 60, 'regions': {'aggregate': 'min'}}]))
    stage.run(20.0)
    found = sampled(stage, 19)
    assert (found['informed'], found['agreeing']) == (1.0, 1.0)
    assert all(math.isnan(found[name]) for name in (
        'counted', 'present', 'load_mean', 'load_sigma'))


def test_loads_of_two_regions_are_as_computed_by_hand() -> None:
    # With a radius of 20 m, 3 leads 1 and 2, and 0 only itself: loads of 3 and 1.
    stage = begun(scene(
        devices=[FOUR], messages={'range': 10}, strength={'cycle': ['id']},
        algorithms=[{'name': 'bounded', 'radius': 20, 'regions': {}}]))
    stage.run(20.0)
    assert sampled(stage, 19) == {
        'counted': 4, 'present': 4, 'informed': 1, 'agreeing': 1, 'load_mean': 2, 'load_sigma': 1,
        'mean_reach': 20}
