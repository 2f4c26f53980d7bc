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

"""Any graph, told link by link."""

from dataclasses import dataclass

from leader_election.lab.topologies.graph_file import GraphFile, read_graph
from leader_election.lab.topologies.topology import Placement, TOPOLOGIES, Topology
from leader_election.parameters import parameter, ParameterError
import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class EdgeListParameters:
    """Who is linked to whom, and where they are."""

    path: str = parameter(
        '', 'A file: GraphML (.graphml), or a list of links with two names a line.')
    pairs: tuple[int, ...] = parameter(
        (), 'Instead of a file: the links, as pairs of indices from 0 on, one after the other.')
    positions: str = parameter(
        '', 'A file with a line "name x y" [m] for each device. Empty: as a GraphML file says, '
        'else a layout by force.')
    edge_length: float = parameter(
        1.0, 'How long the links of a layout are on the average.',
        unit='m', lower=1e-6, upper=1e6)
    connected: str = parameter(
        'required', 'Whether everyone has to be reached from everyone.',
        choices=lambda: ('required', 'any'))

    def __post_init__(self) -> None:
        """Refuse what makes no sense together, or does not pair up."""
        if bool(self.path) == bool(self.pairs):
            raise ParameterError('parameter path, or else parameter pairs, has to be given')
        if self.pairs and self.positions:
            raise ParameterError('parameter positions goes with parameter path')
        if len(self.pairs) % 2 or any(index < 0 for index in self.pairs):
            raise ParameterError(
                'parameter pairs: takes an even number of indices, at least 0 each')
        if any(a == b for a, b in zip(self.pairs[::2], self.pairs[1::2])):
            raise ParameterError('parameter pairs: nobody is linked to itself')


def place(parameters: EdgeListParameters, random: np.random.Generator) -> Placement:
    """Return devices by index; from a file, in the order of :class:`GraphFile`."""
    if parameters.path:
        pairs, position, count = read_graph('path', parameters.path, parameters.positions)
    else:
        pairs, position, count = _inline(parameters.pairs)
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(pairs.tolist())
    if parameters.connected == 'required' and not nx.is_connected(graph):
        parts = nx.number_connected_components(graph)
        raise ParameterError(f'parameter connected: the graph is in {parts} parts, and '
                             'connected is required')
    if position is None:
        position = _layout(graph, parameters.edge_length, random)
    return Placement(position, pairs)


def _inline(indices: tuple[int, ...]) -> GraphFile:
    pairs = np.unique(np.sort(np.array(indices, np.int32).reshape(-1, 2), axis=1), axis=0)
    return GraphFile(pairs, None, int(pairs.max()) + 1)


def _layout(graph: nx.Graph, edge_length: float, random: np.random.Generator,
            ) -> NDArray[np.float64]:
    """Return places by Fruchterman and Reingold's forces, as networkx computes them."""
    places = nx.spring_layout(graph, seed=int(random.integers(2**31)))
    position = np.array([places[i] for i in range(len(graph))], np.float64)
    a, b = np.array(graph.edges).T
    lengths = np.hypot(*(position[a] - position[b]).T)
    return position * edge_length / float(np.mean(lengths))


EDGE_LIST = TOPOLOGIES.add(Topology(
    name='edge_list', parameters=EdgeListParameters, place=place))
