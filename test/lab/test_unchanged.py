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

"""The results of runs are unchanged: optimisations change no number."""

import hashlib
from typing import Any

from leader_election.lab.engine import MEASURES
from leader_election.lab.engine.samples import COUNTERS
from leader_election.lab.experiment.scenario import load, parse, Scenario
from leader_election.lab.simulation.simulate import simulate
import numpy as np
import pytest

SQUARE = {'kind': 'uniform', 'count': 60, 'low': [0, 0], 'high': [120, 120]}
WALK = {'kind': 'levy', 'speed': 4, 'scale': 10, 'walls': [0, 0, 120, 120]}
REGIONS = {'aggregate': 'mean', 'collection': 'multi-path'}
EVENTS = [
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
    'lost, events': own({'name': 'classic', 'radius': 50}, events=EVENTS, messages={
        'range': 25, 'loss': 0.3, 'expiry': 2.5}),
    'regions': own({**BOUNDED, 'regions': REGIONS}, events=EVENTS),
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
def test_results_are_unchanged(name: str) -> None:
    assert [digest(CASES[name], seed) for seed in range(2)] == EXPECTED[name]
