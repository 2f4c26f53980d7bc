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

"""Measures of other packages: when they are computed, and what their mistakes look like."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import leader_election_lab as lab
from leader_election_lab.analysis.measures import each_run
from leader_election_lab.experiment.parser import ScenarioError
from leader_election_lab.experiment.scenario import Scenario
from leader_election_lab.own_measures import OWN_MEASURES, OwnMeasure, Sample
import numpy as np
import pytest

TEXT: dict[str, Any] = {
    'duration': 20.0, 'algorithms': [{'name': 'bounded', 'radius': 20}],
    'devices': [{'kind': 'uniform', 'count': 30, 'low': [0, 0], 'high': [60, 60]}],
    'messages': {'range': 12.0}, 'motion': {'kind': 'levy'},
    'events': [{'kind': 'die', 'at': 10.0, 'first': 3, 'last': 5}]}


@pytest.fixture
def add() -> Any:
    """Return a function that adds a measure for this test."""
    added: list[str] = []

    def add(name: str, compute: Callable[[Sample], float]) -> None:
        added.append(OWN_MEASURES.add(OwnMeasure(name, compute, f'By {name}.')).name)
    yield add
    for name in added:
        del OWN_MEASURES._entries[name]


def scenario(*own: str) -> Scenario:
    return lab.load({**TEXT, 'measure': {'interval': 0.7, 'own': list(own)}})


def test_own_measure_is_computed_at_each_sample_and_changes_nothing_else(
        add: Any, tmp_path: Path) -> None:
    add('clock', lambda sample: sample.time)
    add('lead', lambda sample: sample.leads.sum())
    found = lab.run(scenario('clock', 'lead'), 2, tmp_path / 'own')
    plain = lab.run(scenario(), 2, tmp_path / 'plain')
    assert np.allclose(found['clock'], found['time'], rtol=1e-6)
    assert (found['lead'] == found['leaders']).all() and found['lead'].max() > 0
    assert plain.equals(found[list(plain)].assign(fingerprint=plain['fingerprint']))
    assert found['lead'].attrs == {'long_name': 'lead', 'units': '1', 'description': 'By lead.'}
    assert each_run(found, 'lead').equals(each_run(found, 'leaders'))


def test_mistake_of_an_own_measure_is_one_line(add: Any, tmp_path: Path) -> None:
    add('wrong', lambda sample: 1 / 0)
    with pytest.raises(ScenarioError, match=r'measure wrong: .*division by zero.*at 0\.7 s '
                                            r'\(seed 0\)'):
        lab.run(scenario('wrong'), 1, tmp_path)


def test_unknown_measure_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ScenarioError, match=r"measure\.own: unknown measure 'none'"):
        scenario('none')
