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

"""Measures, held against the states of all devices, counted directly."""

from typing import Any

from lab.simulations import begun, line, rounds, scene, states, WALK
from leader_election.lab.engine import MEASURES
from leader_election.lab.simulate import Simulation
import numpy as np
import pytest


def measured(stage: Simulation, history: dict[int, list[bool]], since: int) -> dict[str, float]:
    """
    Return all measures by their definitions.

    :param history: of each device that runs, whether its leader changed, round by round.
    :param since: how many changes there were since the last sample.
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
        'mean_radius': np.mean(radii or 0), 'largest_radius': max(radii, default=0)}


def check(scenario: Any, label: str, seed: int) -> Simulation:
    """Run, and compare each sample."""
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
                    # Whom it names in its first round is no change.
                    history[i] = [False]
                leader[i] = now
            stage.run(stop)
            if stop == time:
                break
            event, parameters = events.pop(0)
            stage.happen(event, parameters)
            for i in set(history) - set(np.flatnonzero(stage.network.devices.running)):
                del history[i]
            # Whom it was made to name is no change of its own; that it names another then is one.
            leader = {i: states(stage)[i].leader for i in leader}
        expected = measured(stage, history, changes)
        found = dict(zip(MEASURES, stage.network.watch.samples[k]))
        # The mean of some radii is the same but for the order in which they are added.
        assert found == pytest.approx(expected, rel=1e-12, abs=0, nan_ok=True), f'{time} s'
    return stage


@pytest.mark.parametrize('label', ['bounded', 'classic'])
@pytest.mark.parametrize('measure', [
    {'window': 1}, {'window': 3, 'interval': 0.7}, {'window': 63, 'interval': 2.5}],
    ids=['last round', '3 rounds', '63 rounds'])
def test_measures(label: str, measure: dict[str, Any]) -> None:
    stage = check(scene(
        algorithms=[{'name': label, 'radius': 30}], motion=WALK, measure=measure, first_id=7,
        duration=80, events=[
            {'kind': 'join', 'at': 6.2, 'first': 19}, {'kind': 'die', 'at': 12.1, 'first': 7,
                                                       'last': 9},
            {'kind': 'die', 'at': 20.6, 'first': 19, 'linger': True},
            # Who joins again begins afresh.
            {'kind': 'join', 'at': 21.6, 'first': 19},
            {'kind': 'corrupt', 'at': 39.7}]), label, 3)
    # Some leaders that were made up do not even exist.
    at = int(40 // measure.get('interval', 1)) - 1
    assert label == 'classic' or stage.network.watch.samples[at, MEASURES.index('spurious')] > 0
    samples = stage.network.watch.samples
    assert samples[:, 1].sum() > 20 and len(set(samples[:, 2])) > 1


def test_nothing_is_there_before_the_first_round() -> None:
    # A device's first round is after 0 to 10 s; the sample at 1 s finds one of five, if any.
    stage = check(line(rounds={'period': 10}), 'bounded', 4)
    assert stage.network.watch.samples[-1, 6] == 5.0


def test_a_line_by_hand() -> None:
    # Five devices 10 m apart, the last the strongest, radius 25 m: 2, 3 and 4 follow 4, and of
    # what is left 1 is the strongest.
    stage = check(line(algorithms=[{'name': 'bounded', 'radius': 25}]), 'bounded', 0)
    found = dict(zip(MEASURES, stage.network.watch.samples[-1].tolist()))
    assert found == {
        'instability': 0.0, 'changes': 0.0, 'leaders': 2.0, 'named': 2.0, 'correct': 2.0,
        'spurious': 0.0, 'mean_size': 2.5, 'largest_size': 3.0, 'mean_radius': 15.0,
        'largest_radius': 20.0}
