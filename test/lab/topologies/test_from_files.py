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

"""Topologies read from files: graphs and logs."""

from leader_election.lab.topologies import EDGE_LIST, LOGS
from leader_election.parameters import build, ParameterError
import networkx as nx
import numpy as np
import pytest


def place(**values):
    return EDGE_LIST.place(build(EDGE_LIST.parameters, values), np.random.default_rng(0))


def test_links_in_the_scenario():
    """A triangle with a tail; one link is listed twice."""
    placement = place(pairs=[0, 1, 2, 1, 2, 0, 3, 2, 1, 0], edge_length=5.0)
    assert placement.pairs.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3]]
    ends = placement.position[placement.pairs]
    assert np.mean(np.hypot(*(ends[:, 0] - ends[:, 1]).T)) == pytest.approx(5.0)
    assert np.array_equal(place(pairs=[0, 1, 1, 2]).position, place(pairs=[0, 1, 1, 2]).position)


def test_a_file_whose_names_are_numbers_keeps_their_order(tmp_path):
    """10 comes after 9, and 11 is only in the file of positions."""
    (tmp_path / 'links').write_text('10 9\n9 7\n')
    (tmp_path / 'places').write_text('10 1 0\n9 2 0\n7 3 0\n11 4 0\n')
    placement = place(path=str(tmp_path / 'links'), positions=str(tmp_path / 'places'))
    assert placement.position.tolist() == [[3, 0], [2, 0], [1, 0]]
    assert placement.pairs.tolist() == [[0, 1], [1, 2]]


def test_graphml_without_places_gets_a_layout(tmp_path):
    nx.write_graphml(nx.petersen_graph(), tmp_path / 'petersen.graphml')
    placement = place(path=str(tmp_path / 'petersen.graphml'))
    assert placement.position.shape == (10, 2)
    assert nx.is_isomorphic(nx.Graph(placement.pairs.tolist()), nx.petersen_graph())


def test_disconnected_graphs_are_allowed_on_request():
    """Device 2 is in no pair, and so has no link."""
    with pytest.raises(ParameterError, match='connected: the graph is in 3 parts'):
        place(pairs=[0, 1, 3, 4])
    assert len(place(pairs=[0, 1, 3, 4], connected='any').position) == 5


@pytest.mark.parametrize(('values', 'named'), [
    ({}, 'path'),
    ({'path': 'there', 'pairs': [0, 1]}, 'path'),
    ({'pairs': [0, 1, 2]}, 'pairs'),
    ({'pairs': [0, -1]}, 'pairs'),
    ({'pairs': [0, 0.5]}, 'pairs'),
    ({'pairs': [1, 1]}, 'pairs'),
    ({'pairs': [0, 1], 'positions': 'there'}, 'positions'),
    ({'path': '/nowhere'}, 'path: /nowhere: no graph'),
])
def test_invalid_parameters_are_refused(values, named):
    with pytest.raises(ParameterError, match=f'parameter {named}'):
        place(**values)


@pytest.mark.parametrize('text', ['', '1\n', 'a b c\n', 'a a\n', '<graphml', '\xff\xfe'])
def test_a_file_that_is_no_graph_is_refused(tmp_path, text):
    for name in ('file', 'file.graphml'):
        (tmp_path / name).write_text(text, encoding='latin-1')
        with pytest.raises(ParameterError, match=f'parameter path: {tmp_path / name}'):
            place(path=str(tmp_path / name))


def test_the_packaged_robots_start_at_the_first_rows_of_their_logs():
    """The first rows of the five files."""
    placement = LOGS.place(LOGS.parameters(), np.random.default_rng(0))
    assert placement.position.tolist() == [
        [0.0556, 3.0181], [2.1087, -1.2607], [1.5402, -0.6084], [-2.2205, 1.6985],
        [-0.8003, 1.9325]]
    assert placement.pairs is None
