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

"""Programs of rounds in the laboratory."""

from leader_election_lab.columns import ROUNDS
from leader_election_lab.experiment.scenario import parse, ScenarioError
from leader_election_lab.simulation.simulation import Simulation
import pytest

WALK = {
    'duration': 100, 'algorithms': [{'name': 'bounded', 'radius': 10}],
    'devices': [{'kind': 'line', 'count': 6, 'step': [1, 0], 'moves': False},
                {'kind': 'line', 'count': 6, 'first': [0, 1], 'step': [1, 0]}],
    'motion': {'kind': 'shuttle', 'start': [0, 9], 'end': [99, 9], 'speed': 0.5},
    'rounds': {'period': 2, 'scheduler': 'stride', 'scheduler_parameters': {'stride': 0.25}},
    'messages': {'range': 3}}


def test_devices_that_walk_run_more_rounds() -> None:
    walk = parse(WALK, 'walk')
    stage = Simulation(walk, walk.entrants[0], 0)
    stage.play()
    periods = stage.network.devices.period
    assert periods[:6].tolist() == [2.0] * 6 and periods[6:] == pytest.approx([0.5] * 6)
    # 50 rounds of each that stands, and 200 of each that walks but for the first few seconds.
    rounds = int(stage.network.watch.counts[ROUNDS])
    assert 6 * 50 + 6 * 190 <= rounds <= 6 * 51 + 6 * 200


def test_unknown_parameters_of_a_program_are_refused() -> None:
    rounds = {'scheduler': 'stride', 'scheduler_parameters': {'leap': 1}}
    with pytest.raises(ScenarioError, match='rounds.leap|rounds.scheduler_parameters.leap'):
        parse(WALK | {'rounds': rounds}, 'walk')
