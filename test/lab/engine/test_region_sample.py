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

"""What is measured of regions, computed another way and worked by hand."""

from collections.abc import Sequence
import math

from lab.simulations import begun, line, rounds, scene, SQUARE, states, WALK
from leader_election.coordination.region import CANDIDATE
from leader_election.lab.engine import COLUMNS
from leader_election.lab.engine.region_sample import REGION_MEASURES
from leader_election.lab.simulate import Simulation
import numpy as np
import pytest

FOUR = {'kind': 'grid', 'columns': 4, 'rows': 1, 'step': [10, 10]}
"""Ids 0 to 3 on a line, and each hears the next."""


def sampled(stage: Simulation, k: int) -> dict[str, float]:
    """Return the k-th sample of what is measured of regions."""
    found = dict(zip(COLUMNS, stage.network.watch.samples[k].tolist()))
    return {name: found[name] for name in REGION_MEASURES}


def measured(stage: Simulation, begun_by: Sequence[int]) -> dict[str, float]:
    """Return what a sample must say, from the states of those that run and have begun."""
    now = {i: state for i, state in enumerate(states(stage)) if i in begun_by}
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
def test_measures(collection: str) -> None:
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
            measured(stage, sorted(ran)), rel=1e-12, abs=1e-6, nan_ok=True), f'{time} s'
    samples = stage.network.watch.samples[:, [COLUMNS.index('counted'), COLUMNS.index('leaders')]]
    # At the end only workers are left: nobody leads, and nobody counts.
    assert samples[-1].tolist() == [0.0, 0.0] and len(np.unique(samples[:, 0])) > 10


def test_without_regions_nothing_is_measured_of_them() -> None:
    stage = begun(line())
    stage.run(5.0)
    assert np.isnan(stage.network.watch.samples[:5, -len(REGION_MEASURES):]).all()


def test_what_does_not_add_up_is_no_load() -> None:
    stage = begun(scene(
        devices=[FOUR], messages={'range': 10}, strength={'cycle': ['id']}, algorithms=[
            {'name': 'bounded', 'radius': 60, 'regions': {'aggregate': 'min'}}]))
    stage.run(20.0)
    found = sampled(stage, 19)
    assert (found['informed'], found['agreeing']) == (1.0, 1.0)
    assert all(math.isnan(found[name]) for name in (
        'counted', 'present', 'load_mean', 'load_sigma'))


def together(collection: str) -> Simulation:
    """Return 12 rounds of the line: all at once, and what is sent in one is heard in the next."""
    stage = begun(scene(
        devices=[FOUR], messages={'range': 10, 'delay': [0.5, 0.5]}, rounds={'phase': 'together'},
        strength={'cycle': ['id']},
        algorithms=[{'name': 'bounded', 'radius': 60, 'regions': {'collection': collection}}]))
    stage.run(12.0)
    return stage


def test_a_line_of_four_by_hand() -> None:
    """
    In round 1 each leads and counts itself, and in round 2 only 3, the strongest, leads still.

    In round 2 each other robot has made the next one its parent, and hands it what it has: so 3
    counts 2, 1 and 0 in rounds 3, 4 and 5. What it says reaches these after as many rounds again.
    """
    counted, agreeing = [4, 1, 2, 3, 4, 4, 4, 4], [1, 0.5, 0.25, 0.25, 0.25, 0.5, 0.75, 1]
    for collection in ('tree', 'multi-path'):
        stage = together(collection)
        found = [sampled(stage, k) for k in range(12)]
        assert [one['counted'] for one in found] == counted + [4] * 4
        assert [one['agreeing'] for one in found] == agreeing + [1] * 4
        assert all(one['informed'] == 1 and one['present'] == 4 for one in found)
        assert found[-1] == {
            'counted': 4, 'present': 4, 'informed': 1, 'agreeing': 1, 'load_mean': 4,
            'load_sigma': 0, 'mean_reach': 60}


def test_gossip_on_a_line_of_four_by_hand() -> None:
    """
    Gossip waits until who tells it has the same leader.

    2 has it in round 2, 1 in round 3, and 0 in round 4; so 3 hears of them in rounds 3, 5 and 7.
    """
    stage = together('gossip')
    assert [sampled(stage, k)['counted'] for k in range(12)] == [4, 1, 2, 2, 3, 3] + [4] * 6


def test_loads_of_two_regions_by_hand() -> None:
    # With a radius of 20 m 3 leads 1 and 2, and 0 itself: loads of 3 and 1.
    stage = begun(scene(
        devices=[FOUR], messages={'range': 10}, strength={'cycle': ['id']},
        algorithms=[{'name': 'bounded', 'radius': 20, 'regions': {}}]))
    stage.run(20.0)
    assert sampled(stage, 19) == {
        'counted': 4, 'present': 4, 'informed': 1, 'agreeing': 1, 'load_mean': 2, 'load_sigma': 1,
        'mean_reach': 20}
