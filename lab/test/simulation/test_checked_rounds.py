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

"""Rounds that are also computed in plain Python: what compiled ones alone do not notice."""

import math

from leader_election.election.algorithms import ALGORITHMS
from leader_election_lab.experiment.parser import ScenarioError
from leader_election_lab.simulation.checked_rounds import check
from leader_election_lab.simulation.run import simulate
from leader_election_lab.states import ROUNDS
import pytest
from simulations import of_own, own_algorithm, State


def peeking(device, state, neighbours, metric, parameters):
    """Read one neighbour too many from the third round on."""
    leader = device.id
    for j in range(len(metric) + (state.rounds >= 2.0)):
        leader = max(leader, neighbours.leader[j])
    return State(leader, 0.0, state.rounds + 1.0)


def lapsing(device, state, neighbours, metric, parameters):
    """Return nan in the third round only, which the end of a run does not show."""
    rounds = 3.0 if math.isnan(state.rounds) else state.rounds + 1.0
    return State(device.id, 0.0, math.nan if state.rounds == 2.0 else rounds)


def overflowing(device, state, neighbours, metric, parameters):
    """Return an integer beyond 64 bits, which wraps only where it is compiled."""
    far = 2**62 + device.id
    return State(device.id, 1.0 if 2 * far > 0 else 0.0, state.rounds + 1.0)


@pytest.mark.usefixtures('registered')
@pytest.mark.parametrize('round_, cause', [
    (peeking, r'line \d+: IndexError: tuple index out of range, with \d neighbours, in round 3 '),
    (lapsing, r'line \d+: state.rounds is nan, in round 3 '),
    (overflowing, r'line \d+: state.distance is 1.0 in Python, 0.0 compiled, in round 1 ')])
def test_checked_run_finds_what_a_compiled_one_hides(round_, cause) -> None:
    ALGORITHMS.replace(own_algorithm(round_))
    scenario = of_own(round_.__name__)
    simulate(scenario, 'mine', 0)
    with pytest.raises(ScenarioError, match=f'algorithm mine: .*test_checked_rounds.py, {cause}'):
        check(scenario, 'mine', 0)


@pytest.mark.parametrize('sections', [
    {}, {'messages': {'range': 3, 'loss': 0.2, 'delay': [0.1, 1.5], 'expiry': 3}},
    {'algorithms': [{'name': 'bounded', 'radius': 5, 'label': 'mine', 'regions': {}}]},
    {'algorithms': [{'name': 'recursive', 'radius': 5, 'label': 'mine'}]}])
def test_checked_run_counts_the_rounds_of_a_right_algorithm(sections: dict[str, object]) -> None:
    scenario = of_own('bounded', **sections)
    assert check(scenario, 'mine', 0) == simulate(scenario, 'mine', 0).counts[ROUNDS] > 0
