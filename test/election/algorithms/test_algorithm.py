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

"""The registered algorithms, and what Algorithm does for all of them."""

from dataclasses import replace
from math import inf
from typing import NamedTuple

from benchmarks.explicit_states import distances
from election.algorithms.networks import graphs
from election.algorithms.simulate import Network, shuffled
from hypothesis import given
from hypothesis import strategies as st
from leader_election.election.algorithms import (
    Algorithm,
    ALGORITHMS,
    BOUNDED,
    Device,
    RECURSIVE,
)
from leader_election.election.algorithms.algorithm import BARRED
from leader_election.election.algorithms.bounded import Candidacy
from leader_election.election.algorithms.recursive import LEVELS
from leader_election.election.algorithms.replicated import ENTRIES
from leader_election.parameters import ParameterError
import numpy as np
import pytest


class State(NamedTuple):
    """One number and one vector."""

    best: tuple[int, ...]
    distance: float
    leader: int


class States(NamedTuple):
    """The same, in columns."""

    best: list[tuple[int, ...]]
    distance: list[float]
    leader: list[int]


def arrays(device, state, neighbours, metric, parameters):
    """Return numbers and arrays of numpy."""
    return State(np.array(neighbours.best[0]), np.float64(len(metric)), device.id)


PLUG_IN = Algorithm('arrays', arrays, State, States, lambda device: State((-1, -1), 0, device.id),
                    lambda: None)


def test_compute_returns_plain_numbers_for_arrays():
    device = Device(5, 4.0)
    found = PLUG_IN.compute(device, PLUG_IN.start(device), [State((5, -1), 2.0, 5)], [1.0],
                            PLUG_IN.round_parameters({'radius': 9.0}))
    assert repr(found) == repr(State((5, -1), 1.0, 5))


def test_configure_is_refused_when_a_parameter_is_undeclared():
    wrong = replace(PLUG_IN, configure=lambda depth: None)
    with pytest.raises(ParameterError, match='^algorithm arrays: configure takes depth, which is '
                       'not declared; declare it in the parameters of the algorithm$'):
        wrong.round_parameters({'radius': 9.0})


@pytest.mark.parametrize('name', ALGORITHMS.names())
def test_algorithm_declares_the_required_fields(name):
    """Check the required fields, columns of the same names, and equal initial vectors."""
    algorithm = ALGORITHMS.get(name)
    fields = {field.name: field for field in algorithm.fields}
    assert fields['leader'].type is int and fields['leader'].padding is None
    assert fields['distance'].type is float and fields['distance'].padding is None
    assert algorithm.state._fields == algorithm.columns._fields == tuple(fields)
    for device in (Device(0, 0.0), Device(9, -7.5)):
        for field, value in zip(algorithm.fields, algorithm.start(device)):
            assert field.padding in (None, value)


@pytest.mark.parametrize('name, expected', [
    ('bounded', (-4.0, 0.0, 3, 0)),
    ('classic', (-4.0, 3, 0.0, 0.0, 3, 0, 0)),
    ('colour', (-4.0, 0.0, 3, 1, 0, 3, 3)),
    ('given', (inf, 3, 0)),
    ('resilient', (-4.0, 0.0, 3, 1.0, 0.0, 3, 3)),
    ('recursive', (-1, 4.0, (inf,) * LEVELS, (-1,) * LEVELS, (inf,) * LEVELS, 0.0, 3,
                   (0,) * LEVELS)),
    ('recursive-replicated', (0, 0, -1, (inf,) * ENTRIES, (-1,) * ENTRIES, (inf,) * LEVELS, 0.0, 3,
                              (0,) * LEVELS)),
])
def test_robot_leads_itself_or_nobody_at_its_start(name, expected):
    algorithm = ALGORITHMS.get(name)
    assert algorithm.start(Device(3, 4.0)) == algorithm.state(*expected)


def test_barred_robot_backs_nobody_at_its_start_in_classic():
    assert ALGORITHMS.get('classic').start(Device(3, BARRED)) == (inf, -1, inf, inf, 3, 0, 0)


@pytest.mark.parametrize('hops, rounds, expected', [(3, 2, 5), (3, 0, 3), (1, 1, 2), (0, 2, 0)])
def test_aged_adds_a_hop_per_round_except_to_the_leader(hops, rounds, expected):
    candidacy = Candidacy(-9.0, 2.0, 5, hops)
    assert BOUNDED.aged(candidacy, rounds) == candidacy._replace(hops=expected)
    levels = RECURSIVE.start(Device(3, 4.0))
    said = levels._replace(best_hops=(hops, *levels.best_hops[1:]))
    assert RECURSIVE.aged(said, rounds) == said._replace(
        best_hops=(expected, *levels.best_hops[1:]))


# Roles in every algorithm: a device that may not lead leads no other device if a candidate does.
#
# Devices that may not lead have the strength ``BARRED``. Where no candidate is in reach, such a
# device may be led by itself, or by another one of its kind: there is nobody else, and neither
# counts as a leader (``Instance.leads``). In ``classic`` it then has no leader, at any distance.

SETTINGS = {'radius': 3.0, 'ties': 'id', 'hop_limit': 20, 'replicates': 2,
            'replicate_period': 12, 'diameter_factor': 2.0, 'leaders': '0-9'}


@pytest.mark.parametrize('name', ALGORITHMS.names())
@given(graphs(most=8), st.data())
def test_only_candidates_lead_when_a_candidate_is_heard(name, graph, data):
    algorithm = ALGORITHMS.get(name)
    barred = data.draw(st.sets(st.sampled_from(sorted(graph))))
    strengths = {i: BARRED if i in barred else float(data.draw(st.integers(0, 3))) for i in graph}
    network = Network(algorithm, graph, strengths, algorithm.round_parameters(SETTINGS))
    sweep = shuffled(network, data.draw(st.integers(0, 2**32)))
    for _ in range(80):
        sweep()
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
