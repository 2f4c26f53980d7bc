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

"""This package's own experiments: their scenarios, and the border computed by hand."""

import hashlib
from pathlib import Path
import re
from typing import Any

from leader_election.election.algorithms import ALGORITHMS
from leader_election_lab.experiment import scenario
from leader_election_lab.experiment import scenario as scenarios
from leader_election_lab.experiment.scenario import load, parse, Scenario
from leader_election_lab.figures import ONE_FOR_ALL
from leader_election_lab.motions import MOTIONS
from leader_election_lab.simulation import build
from leader_election_lab.simulation.network_events import EVENTS
from leader_election_lab.simulation.run import simulate
from leader_election_lab.states import COUNTERS, MEASURES
from leader_election_lab.topologies import TOPOLOGIES
import numpy as np
import pytest

OWN = [name for name in scenario.names() if name.startswith('sweep_')] + [
    'map', 'border', 'steadiness']


@pytest.mark.parametrize('name', OWN)
def test_every_algorithm_takes_part(name):
    loaded = scenario.load(name)
    # All but ``given``, which is not an election.
    assert {entrant.algorithm.name for entrant in loaded.entrants} == set(
        ALGORITHMS.names()) - {'given'}
    # Also the resilient election with regions.
    labels = {entrant.label for entrant in loaded.entrants}
    assert 'resilient-regions' in labels
    if name == 'map':
        assert set(ONE_FOR_ALL) < labels
        assert [len(values) for values in loaded.vary.values()] == [6, 6]


def test_sweep_varies_one_key_alone():
    base = scenario.load('sweep_loss')
    for name in OWN:
        if name.startswith('sweep_'):
            loaded = scenario.load(name)
            assert len(loaded.vary) == 1
            for part in ('duration', 'entrants', 'groups', 'motion_parameters', 'messages',
                         'rounds', 'events'):
                assert getattr(loaded, part) == getattr(base, part)


def test_only_base_stations_lead():
    stations = scenario.load('base_stations')
    _, moving = stations.variants()[2]
    assert moving.duration == 240
    run = simulate(moving.replaced({'duration': 40, 'events': []}), 'given', 0, [40.0])
    at_end = run.snapshots[0]
    assert np.flatnonzero(at_end.is_leader).tolist() == list(range(12))
    far = np.linalg.norm(at_end.position[:, None] - at_end.position[None, :12], axis=2)
    nearest = far.argmin(axis=1)
    # The nearest station by straight distance is mostly that along paths.
    assert np.mean(nearest == at_end.leader) > 0.7


def test_border_changes_half_the_strip_but_not_with_classic():
    """Outside, device 150 leads 12 columns of 5 devices, less some corners, and itself."""
    # It is at 22 m, the border at 19 m: columns from 20 m to 42 m, within a path of 20 m.
    border = scenario.load('border')
    # At 30 s and each minute after that it is farthest outside, at 60 s farthest inside.
    inside, outside = simulate(border, 'bounded', 0, [180.0, 210.0]).snapshots
    changed = inside.leader != outside.leader
    assert changed[150] and 50 < np.sum(changed) <= 61
    assert simulate(border, 'classic', 0).samples[100:, 1].sum() == 0


# The examples and names of doc/laboratory.md.

TEXT = (Path(__file__).parents[2] / 'doc' / 'laboratory.md').read_text()


def test_scenario_of_the_document_runs(tmp_path):
    [text] = re.findall(r'```yaml\n(.*?)```', TEXT, re.DOTALL)
    path = tmp_path / 'fifty.yaml'
    path.write_text(text)
    scenario = scenarios.load(str(path))
    assert [values['messages.loss'] for values, _ in scenario.variants()] == [0, 0.2, 0.4]
    # The strongest of fifty devices dies half way.
    [event] = scenario.events
    assert (event[0].name, event[1].at, event[1].strongest) == ('die', 60.0, 1)
    run = simulate(scenario.replaced({'duration': 70}), 'bounded', 0, snapshots=[59.0, 69.0])
    assert [int(snapshot.running.sum()) for snapshot in run.snapshots] == [50, 49]


@pytest.mark.parametrize(('kind', 'names'), [
    ('topology', TOPOLOGIES.names()), ('motion', MOTIONS.names()), ('event', EVENTS.names()),
    ('section', scenarios.KEYS[3:])])
def test_document_names_all_entries(kind, names):
    assert [name for name in names if f'`{name}`' not in TEXT] == []


# The results of runs are unchanged: optimisations change no number.


SQUARE = {'kind': 'uniform', 'count': 60, 'low': [0, 0], 'high': [120, 120]}
WALK = {'kind': 'levy', 'speed': 4, 'scale': 10, 'walls': [0, 0, 120, 120]}
REGIONS = {'aggregate': 'mean', 'collection': 'multi-path'}
SCRIPT = [
    {'kind': 'die', 'at': 8, 'last': 4}, {'kind': 'join', 'at': 12, 'first': 55},
    {'kind': 'split', 'at': 16, 'line': 60}, {'kind': 'corrupt', 'at': 20, 'share': 0.3},
    {'kind': 'heal', 'at': 24}]


def own(algorithm: dict[str, Any], **sections: Any) -> Scenario:
    """Return a scenario of 60 devices that walk."""
    return parse({'duration': 30, 'algorithms': [algorithm], 'devices': [SQUARE], 'motion': WALK,
                  'messages': {'range': 25}, **sections}, 'test')


BOUNDED = {'name': 'bounded', 'radius': 50}
CASES = {
    'random': load('acsos2022_random').replaced({'duration': 20}),
    'scale free': load('acsos2022_scale_free').replaced({'duration': 20}),
    'resilient': load('ifac2020_convergence').replaced({'duration': 20}),
    'perturbed': load('ifac2020_perturbed').replaced({'duration': 40}),
    'lost, late, twice': own(BOUNDED, rounds={'spread': 0.2, 'jitter': 0.1}, messages={
        'range': 25, 'loss': 0.2, 'delay': [0.1, 1.5], 'duplication': 0.2, 'expiry': 3}),
    'lost, events': own({'name': 'classic', 'radius': 50}, events=SCRIPT, messages={
        'range': 25, 'loss': 0.3, 'expiry': 2.5}),
    'regions': own({**BOUNDED, 'regions': REGIONS}, events=SCRIPT),
    'errors': own(BOUNDED, localisation={'model': 'cooperative', 'communication_range': 22}),
}
"""Their first algorithms."""
COUNTED = [MEASURES.index(name) for name in ('changes', 'leaders', 'named', 'correct')]
"""Counts do not depend on the last digit of a sine, which depends on the machine."""


def digest(scenario: Scenario, seed: int) -> str:
    """Return a digest of the counts of the engine and of each sample."""
    result = simulate(scenario, scenario.entrants[0].label, seed)
    text = repr((
        {name: int(result.counts[COUNTERS.index(name)]) for name in (
            'rounds', 'moves', 'sent', 'duplicated', 'lost', 'delivered', 'overwritten',
            'expired', 'departed', 'undelivered', 'rebuilt')},
        result.samples[:, COUNTED].astype(np.int64).tolist()))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


EXPECTED = {
    'random': ['6e58d1e92da8', '9b6f36e00386'],
    'scale free': ['d7eec7f7584e', '825574b03b6a'],
    'resilient': ['e2ce8102ae7a', '66c662460511'],
    'perturbed': ['9a156d5fef2c', 'd8e7399e258b'],
    'lost, late, twice': ['ad7f9bda287f', '3c738e9cd527'],
    'lost, events': ['47f18f9e1253', 'd84f51157aa3'],
    'regions': ['e469bdf3ff75', '505b53986c08'],
    'errors': ['50a1cb3659f7', '5916c684339d'],
}


@pytest.mark.parametrize('name', CASES)
def test_results_are_unchanged(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Rows are rebuilt, as in networks that are not small.
    monkeypatch.setattr(build, 'FEW', 0)
    assert [digest(CASES[name], seed) for seed in range(2)] == EXPECTED[name]
