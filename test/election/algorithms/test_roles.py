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

"""
Roles in every algorithm: a device that may not lead leads no other device if a candidate does.

Devices that may not lead have the strength ``BARRED``. Where no candidate is in reach, such a
device may be led by itself, or by another one of its kind: there is nobody else, and neither
counts as a leader (``Instance.leads``). In ``classic`` it then has no leader, at any distance.
"""

import random

from benchmarks.explicit_states import distances
from election.algorithms.networks import graphs
from election.algorithms.simulate import Network
from hypothesis import given, HealthCheck, settings
from hypothesis import strategies as st
from leader_election.election.algorithms import ALGORITHMS
from leader_election.election.algorithms.algorithm import BARRED
import pytest

SETTINGS = {'radius': 3.0, 'ties': 'id', 'hop_limit': 20, 'replicates': 2,
            'replicate_period': 12, 'diameter_factor': 2.0, 'leaders': '0-9'}


@pytest.mark.parametrize('name', ALGORITHMS.names())
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(graphs(most=8), st.data())
def test_only_candidates_lead_where_there_is_one(name, graph, data):
    algorithm = ALGORITHMS.get(name)
    barred = data.draw(st.sets(st.sampled_from(sorted(graph))))
    strengths = {i: BARRED if i in barred else float(data.draw(st.integers(0, 3))) for i in graph}
    network = Network(algorithm, graph, strengths, algorithm.round_parameters(SETTINGS))
    order = sorted(graph)
    draw = random.Random(data.draw(st.integers(0, 2**32)))
    for _ in range(80):
        draw.shuffle(order)
        network.sweep(order)
    candidates = set(graph) - barred
    for i, state in network.states.items():
        if state.leader in barred and state.leader != i and name == 'classic':
            raise AssertionError(f'{i} is led by {state.leader}, which may not lead')
        if state.leader not in barred:
            continue
        if 'radius' not in algorithm.takes:
            assert not candidates, f'{i} is led by {state.leader}, though there are candidates'
            continue
        # The candidates that lead: no region of theirs may end within reach of this device.
        members = {j for j in graph if network.states[j].leader in candidates}
        for j, length in graph[i].items():
            if j in members:
                assert network.states[j].distance + length > SETTINGS['radius']
        assert all(far > SETTINGS['radius'] for j, far in distances(graph, {i}, {i} | (
            candidates - members)).items() if j in candidates - members)
