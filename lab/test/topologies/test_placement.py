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

"""Positions and links of devices."""

import gzip

from hypothesis import given
from hypothesis import strategies as st
from leader_election.parameters import build, ParameterError
from leader_election_lab.topologies import (
    connected,
    EDGE_LIST,
    GRID,
    LINE,
    LOGS,
    RING,
    SCALE_FREE,
    UNIFORM,
)
from leader_election_lab.topologies.scale_free import forces, sprout
import networkx as nx
import numpy as np
import pytest
from scipy.stats import kstest

BOX = {'low': [10, 20], 'high': [30, 25]}


def place(topology, seed=0, **values):
    return topology.place(build(topology.parameters, values), np.random.default_rng(seed))


def test_positions_are_uniform_and_match_the_fractions():
    placement = place(UNIFORM, count=2000, **BOX)
    x, y = placement.position.T
    assert kstest(x, 'uniform', (10, 20)).pvalue > 0.01
    assert kstest(y, 'uniform', (20, 5)).pvalue > 0.01
    assert np.array_equal(placement.position, [10, 20] + placement.fraction * [20, 5])
    assert placement.pairs is None


def test_placement_is_drawn_again_until_connected():
    """With seed 1 the first draw of 12 devices is in parts, and so another one is taken."""
    values = {'count': 12, **BOX, 'range': 4.0}
    assert not connected(place(UNIFORM, 1, **values).position, 4.0)
    found = place(UNIFORM, 1, **values, connected=True)
    assert connected(found.position, 4.0)
    assert np.array_equal(found.position, [10, 20] + found.fraction * [20, 5])


@given(st.lists(st.tuples(*[st.integers(0, 9)] * 2), min_size=1, max_size=12), st.integers(1, 4))
def test_connected_agrees_with_networkx(places, reach):
    graph = nx.Graph()
    graph.add_nodes_from(range(len(places)))
    graph.add_edges_from(
        (i, j) for i, a in enumerate(places) for j, b in enumerate(places)
        if (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 <= reach ** 2)
    assert connected(np.array(places, float), float(reach)) == nx.is_connected(graph)


def graph(placement):
    found = nx.Graph()
    found.add_nodes_from(range(len(placement.position)))
    found.add_edges_from(placement.pairs.tolist())
    assert found.number_of_edges() == len(placement.pairs)
    return found


def test_grid_has_positions_row_by_row_and_links_by_hand():
    """Three columns and two rows, row by row, steps of 2 m and 5 m."""
    placement = place(GRID, columns=3, rows=2, first=[1, 1], step=[2, 5], linked=True)
    assert placement.position.tolist() == [[1, 1], [3, 1], [5, 1], [1, 6], [3, 6], [5, 6]]
    assert sorted(placement.pairs.tolist()) == [
        [0, 1], [0, 3], [1, 2], [1, 4], [2, 5], [3, 4], [4, 5]]
    assert place(GRID, columns=3, rows=2).pairs is None


@given(st.integers(1, 6), st.integers(1, 6))
def test_links_of_a_grid_equal_those_of_networkx(columns, rows):
    linked = graph(place(GRID, columns=columns, rows=rows, linked=True))
    assert nx.is_isomorphic(linked, nx.grid_2d_graph(rows, columns))


@given(st.floats(0, 0.5))
def test_irregular_grid_is_offset_by_at_most_its_parameter(irregularity):
    regular = place(GRID, columns=4, rows=3, step=[2, 8]).position
    off = np.abs(place(GRID, columns=4, rows=3, step=[2, 8], irregularity=irregularity).position
                 - regular) / [2, 8]
    assert np.all(off <= irregularity + 1e-12)
    # Some of these 24 numbers are beyond half of the limit.
    assert np.max(off) >= irregularity / 2


def test_line_and_ring_have_positions_and_links_by_hand():
    placement = place(LINE, count=3, first=[1, 0], step=[3, 4], linked=True)
    assert placement.position.tolist() == [[1, 0], [4, 4], [7, 8]]
    assert placement.pairs.tolist() == [[0, 1], [1, 2]]
    assert place(LINE, count=1, linked=True).pairs.shape == (0, 2)
    placement = place(RING, count=4, radius=2.0, centre=[1, 1], linked=True)
    assert placement.position == pytest.approx(np.array([[3, 1], [1, 3], [-1, 1], [1, -1]]))
    assert placement.pairs.tolist() == [[0, 1], [1, 2], [2, 3], [0, 3]]


@given(st.integers(1, 12))
def test_links_of_a_ring_go_round(count):
    placement = place(RING, count=count, linked=True)
    whole = nx.cycle_graph(count) if count > 2 else nx.path_graph(count)
    assert nx.is_isomorphic(graph(placement), whole)


# Topologies read from files: graphs and logs.

def placed(**values):
    return place(EDGE_LIST, **values)


def test_edge_list_takes_links_from_the_scenario():
    """A triangle with a tail. One link is listed twice."""
    placement = placed(pairs=[0, 1, 2, 1, 2, 0, 3, 2, 1, 0], edge_length=5.0)
    assert placement.pairs.tolist() == [[0, 1], [0, 2], [1, 2], [2, 3]]
    ends = placement.position[placement.pairs]
    assert np.mean(np.hypot(*(ends[:, 0] - ends[:, 1]).T)) == pytest.approx(5.0)
    assert np.array_equal(placed(pairs=[0, 1, 1, 2]).position, placed(pairs=[0, 1, 1, 2]).position)


def test_edge_list_orders_devices_by_number_when_names_are_numbers(tmp_path):
    """10 comes after 9, and 11 is only in the file of positions."""
    (tmp_path / 'links').write_text('10 9\n9 7\n')
    (tmp_path / 'places').write_text('10 1 0\n9 2 0\n7 3 0\n11 4 0\n')
    placement = placed(path=str(tmp_path / 'links'), positions=str(tmp_path / 'places'))
    assert placement.position.tolist() == [[3, 0], [2, 0], [1, 0]]
    assert placement.pairs.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize('name', ['petersen.graphml', 'petersen.txt'])
def test_graphml_is_laid_out_when_it_has_no_places(tmp_path, name):
    nx.write_graphml(nx.petersen_graph(), tmp_path / name)
    placement = placed(path=str(tmp_path / name))
    assert placement.position.shape == (10, 2)
    assert nx.is_isomorphic(nx.Graph(placement.pairs.tolist()), nx.petersen_graph())


@pytest.mark.parametrize('text', [
    '\ufeff1 2\n2 3\n3 1\n', 'a#1 b\nb c\nc a#1\n', '# links\n1 2 # of three\n2 3\n 1 3\n',
    "1 2 {'weight': 3}\n2 3 {}\n3 1 {}\n", 'ä ö\r\nö ü\r\nä\tü\r\n'])
def test_edge_list_is_read_with_marks_comments_and_data(tmp_path, text):
    (tmp_path / 'links').write_bytes(text.encode())
    placement = placed(path=str(tmp_path / 'links'))
    assert placement.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]


@pytest.mark.parametrize(('text', 'problem'), [
    ('1,2\n2,3\n', "line 1: it takes a link a line, as two names between spaces, .*: '1,2'"),
    ('1 2\n\n1, 3\n', "line 3: it takes a link a line, .*: '1, 3'"),
    ('1 2 0.5\n', 'line 1: .* weights'), ('% bip\n1 2\n', 'line 1: '), ('1 # 2\n', 'line 1: '),
    ('31220 1558 1567\n', 'line 1: '), ('New York Boston\n', 'line 1: '),
    ('<gexf/>', 'line 1: XML, but no GraphML; it takes GraphML, GML, or a link a line'),
    ('<osm><node/></osm>', 'OpenStreetMap data; save its streets as GraphML'),
    ('\0\0\0\r\n\tOSMHeader\x18', 'OpenStreetMap data; save its streets as GraphML'),
    ('graph [ node [ id 1 ]', 'no GML: ')])
def test_wrong_edge_list_is_refused_with_its_line(tmp_path, text, problem):
    (tmp_path / 'links.csv').write_text(text)
    with pytest.raises(ParameterError, match=f'parameter path: .*links.csv: {problem}'):
        placed(path=str(tmp_path / 'links.csv'))


@pytest.mark.parametrize('head', ['', '# of five\n', 'Creator "a hand"\nVersion 1\n'])
@pytest.mark.parametrize('name', ['town.gml', 'town.txt', 'town.graphml'])
def test_gml_is_read_by_its_content_when_its_name_says_something_else(tmp_path, name, head):
    """Read as an edge list, it would link graph with [, id with 7, and source with 7."""
    (tmp_path / name).write_text(head + """graph
[
  node [ id 7 label "a" x 0.0 y 0.0 ]
  node [ id 3 label "b" x 4.0 y 3.0 ]
  edge [ source 7 target 3 weight 2 ]
]
""")
    placement = placed(path=str(tmp_path / name))
    assert placement.position.tolist() == [[4, 3], [0, 0]]
    assert placement.pairs.tolist() == [[0, 1]]


def test_packed_graph_is_refused(tmp_path):
    (tmp_path / 'links.gz').write_bytes(gzip.compress(b'1 2\n'))
    with pytest.raises(ParameterError, match='links.gz: is packed; unpack it'):
        placed(path=str(tmp_path / 'links.gz'))


@pytest.mark.parametrize(('system', 'unit'), [
    *((system, 'degrees') for system in (
        'EPSG:4326', 'WGS84', 'OGC:CRS84', 'GEOGCRS["WGS 84"]', '+proj=longlat +no_defs')),
    ('PROJCRS["NAD83 / New York", LENGTHUNIT["US survey foot", 0.3048]]', 'feet'),
    ('+proj=lcc +lat_1=41 +units=us-ft', 'feet')])
def test_graphml_is_refused_when_its_places_are_no_metres(tmp_path, system, unit):
    graph = nx.Graph([(0, 1)], crs=system)
    nx.set_node_attributes(graph, {0: {'x': 9.0, 'y': 45.0}, 1: {'x': 9.001, 'y': 45.0}})
    nx.write_graphml(graph, tmp_path / 'town.GraphML')
    with pytest.raises(ParameterError, match=f'town.GraphML: x and y are {unit}, since crs is '):
        placed(path=str(tmp_path / 'town.GraphML'))
    (tmp_path / 'places').write_text('0 0 0\n1 10 0\n')
    placement = placed(path=str(tmp_path / 'town.GraphML'), positions=str(tmp_path / 'places'))
    assert placement.position.tolist() == [[0, 0], [10, 0]]


@pytest.mark.parametrize('system', ['EPSG:32633', '+proj=utm +zone=33 +datum=WGS84 +units=m',
                                    'PROJCRS["WGS 84 / UTM zone 33N",BASEGEOGCRS["WGS 84"]]'])
def test_graphml_is_read_when_its_places_are_metres(tmp_path, system):
    graph = nx.Graph([(0, 1)], crs=system)
    nx.set_node_attributes(graph, {0: {'x': 0.0, 'y': 0.0}, 1: {'x': 70.0, 'y': 0.0}})
    nx.write_graphml(graph, tmp_path / 'town.graphml', encoding='utf-16')
    placement = placed(path=str(tmp_path / 'town.graphml'))
    assert placement.position.tolist() == [[0, 0], [70, 0]]


def written(path, *places):
    graph = nx.path_graph(3)
    for node, (x, y) in enumerate(places):
        graph.nodes[node].update(x=x, y=y)
    nx.write_graphml(graph, path)
    return str(path)


def test_graphml_without_a_system_is_refused_when_its_links_are_of_millimetres(tmp_path):
    degrees = written(tmp_path / 'town.graphml', (9.99, 48.4), (9.991, 48.401), (9.992, 48.4))
    with pytest.raises(ParameterError, match=r'town.graphml: no link .* 0.0014 m; .*degrees\?'):
        placed(path=degrees)
    metres = written(tmp_path / 'room.graphml', (9.9, 48.4), (9.95, 48.4), (9.9, 48.5))
    assert placed(path=metres).position[1, 0] == pytest.approx(9.95)


def test_graphml_is_refused_when_only_some_nodes_have_places(tmp_path):
    path = written(tmp_path / 'town.graphml', (0.0, 0.0), (100.0, 0.0))
    with pytest.raises(ParameterError, match='town.graphml: node 2 has no x and y, as others'):
        placed(path=path)


def test_disconnected_graph_is_accepted_when_asked_for():
    """Device 2 is in no pair, and so has no link."""
    assert len(placed(pairs=[0, 1, 3, 4], connected='any').position) == 5


@pytest.mark.parametrize(('topology', 'values', 'named'), [
    (UNIFORM, BOX, 'count'),
    (UNIFORM, {'count': 3, 'low': [0, 0]}, 'high'),
    (UNIFORM, {'count': 3, 'low': [0, 5], 'high': [9, 4]}, 'low'),
    (UNIFORM, {'count': 3, **BOX, 'connected': True}, 'range'),
    (UNIFORM, {'count': 3, **BOX, 'connected': True, 'range': 1e-3}, 'connected: of 1000 draws'),
    (EDGE_LIST, {}, 'path'), (EDGE_LIST, {'path': 'there', 'pairs': [0, 1]}, 'path'),
    *((EDGE_LIST, {'pairs': pairs}, 'pairs') for pairs in (
        [0, 1, 2], [0, -1], [0, 0.5], [1, 1], [0, 2_000_000_000])),
    (GRID, {'columns': 10_000, 'rows': 10_000}, 'rows: 10000 x 10000 devices are more than'),
    (EDGE_LIST, {'pairs': [0, 1], 'positions': 'there'}, 'positions'),
    (EDGE_LIST, {'path': '/nowhere'}, 'path: /nowhere: No such file'),
    (EDGE_LIST, {'pairs': [0, 1, 3, 4]}, 'connected: the graph is in 3 parts')])
def test_invalid_parameters_are_refused(topology, values, named):
    with pytest.raises(ParameterError, match=f'parameter {named}'):
        place(topology, **values)


@pytest.mark.parametrize('text', ['', '1\n', 'a b c\n', 'a a\n', '<graphml', '\xff\xfe'])
def test_file_that_is_no_graph_is_refused(tmp_path, text):
    for name in ('file', 'file.graphml'):
        (tmp_path / name).write_text(text, encoding='latin-1')
        with pytest.raises(ParameterError, match=f'parameter path: {tmp_path / name}'):
            placed(path=str(tmp_path / name))


def test_packaged_robots_start_at_the_first_rows_of_their_logs():
    """The first rows of the five files."""
    placement = LOGS.place(LOGS.parameters(), np.random.default_rng(0))
    assert placement.position.tolist() == [
        [0.0556, 3.0181], [2.1087, -1.2607], [1.5402, -0.6084], [-2.2205, 1.6985],
        [-0.8003, 1.9325]]
    assert placement.pairs is None


@given(st.integers(2, 12), st.integers(0, 999))
def test_forces_are_as_documented(count, seed):
    """Of any small graph, node by node and force by force."""
    random = np.random.default_rng(seed)
    pairs = [(i, j) for j in range(count) for i in range(j) if random.random() < 0.3 or j == i + 1]
    position = random.uniform(-3, 3, (count, 2)).astype(np.float32)
    links = np.bincount(np.array(pairs).ravel())
    x, y, strength = np.ones((3, count), np.float32)
    forces(*position.T.copy(), np.array(pairs, np.int32), links.astype(np.float32), x, y, strength)
    for i in range(count):
        wanted, strong = np.zeros(2), 0.0
        for j in set(range(count)) - {i}:
            away = (position[i] - position[j]).astype(float)
            far = np.hypot(*away)
            push = 0.024 / max(far, 1.0) ** 2
            wanted += away / far * push
            strong += push
            if (i, j) in pairs or (j, i) in pairs:
                wanted -= away / far * 0.06 * (far - 1) / (0.1 * links[i])
                strong += 0.06 * (far - 1)
        assert (x[i], y[i]) == pytest.approx(wanted, rel=1e-4, abs=1e-5)
        assert strength[i] == pytest.approx(strong, rel=1e-4, abs=1e-5)


def grown(count, edge_length, seed=0):
    return place(SCALE_FREE, seed, count=count, edge_length=edge_length)


def test_initial_positions_are_near_linked_devices():
    """0 - 1 - 3 and 1 - 2: each is off its earlier neighbour by at most 1 each way."""
    pairs = np.array([[0, 1], [1, 2], [1, 3]], np.int32)
    position = sprout(pairs, np.random.default_rng(0))
    assert np.all(np.abs(position[pairs[:, 0]] - position[pairs[:, 1]]) <= 1)
    assert len(np.unique(position, axis=0)) == 4


def test_degrees_follow_preferential_attachment():
    """
    In large trees 4 / (k (k + 1) (k + 2)) of the devices have k links.

    B. Bollobas et al., "The degree sequence of a scale-free random graph process", 2001: so 2/3
    have one link, and 1/6 two. Were links drawn uniformly instead, it would be 1/2 and 1/4.
    """
    placement = grown(1000, 0.2)
    tree = nx.Graph(placement.pairs.tolist())
    assert len(tree) == len(placement.position) == 1000 and nx.is_tree(tree)
    links = np.bincount([degree for _, degree in tree.degree]) / 1000
    assert links[1] == pytest.approx(2 / 3, abs=0.04)
    assert links[2] == pytest.approx(1 / 6, abs=0.04)


def test_lengths_scale_with_the_edge_length():
    """Two devices: their d is where 0.6 (d - 1) = 0.024 / d^2."""
    apart = np.hypot(*np.diff(grown(2, 5.0).position, axis=0)[0])
    assert apart == pytest.approx(5 * 1.03718, rel=1e-5)


def test_same_seed_gives_the_same_tree_and_places():
    first, second, other = grown(50, 1.0), grown(50, 1.0), grown(50, 1.0, seed=1)
    assert np.array_equal(first.pairs, second.pairs)
    assert np.array_equal(first.position, second.position)
    assert not np.array_equal(first.pairs, other.pairs)
