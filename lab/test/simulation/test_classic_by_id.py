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

"""The classic election of ACSOS 2022, whose leaders are told by their ids alone."""

from leader_election.election.algorithms import BOUNDED, CLASSIC, Device
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.classic import (
    Choice,
    Choices,
    classic_round,
    ClassicParameters,
)
from leader_election_lab.experiment import scenario
from leader_election_lab.simulation.composed_rounds import by_id, classic_by_id_round
import pytest

NEAR = Choices([5.0], [1], [1.0], [1.0], [1], [1], [1])
"""A neighbour that follows device 1, whose value was 5."""


def test_leader_leads_on_when_its_strength_has_changed() -> None:
    before, settings = Choice(5.0, 1, 0.0, 0.0, 1), ClassicParameters(10.0)
    device = Device(1, -7.0)
    assert classic_round(device, before, NEAR, [1.0], settings).distance == 2.0
    assert classic_by_id_round(device, before, NEAR, [1.0], settings) == Choice(
        5.0, 1, 2.0, 0.0, 1, 2, 0)


@pytest.mark.parametrize(('device', 'before'), [
    (Device(1, -5.0), Choice(5.0, 1, 0.0, 0.0, 1)), (Device(2, -9.0), Choice(5.0, 1, 1.0, 1.0, 1)),
    (Device(1, BARRED), Choice(5.0, 1, 0.0, 0.0, 1))], ids=['same strength', 'member', 'barred'])
def test_round_is_that_of_robots_otherwise(device: Device, before: Choice) -> None:
    settings = ClassicParameters(10.0)
    assert classic_by_id_round(device, before, NEAR, [1.0], settings) == classic_round(
        device, before, NEAR, [1.0], settings)


def test_only_the_classic_election_of_the_weakest_is_by_id() -> None:
    assert by_id(BOUNDED) is BOUNDED and by_id(CLASSIC).round is classic_by_id_round
    entrants = {name: scenario.load(name).entrant('classic').algorithm.round
                for name in ('acsos2022_scale_free', 'acsos2022_centre')}
    assert entrants == {'acsos2022_scale_free': classic_by_id_round,
                        'acsos2022_centre': classic_round}
