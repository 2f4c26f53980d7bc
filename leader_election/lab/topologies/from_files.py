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
Topologies read from files: any graph, and the first positions of robots' logs.

A graph is GraphML (``.graphml``), whose nodes may have the attributes ``x`` and ``y`` [m], as a
street map of OSMnx has after its projection; or else an edge list, one link a line, two names
each, as networkx reads it. Directions, repeated links and self-loops are ignored.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

from leader_election.lab.topologies.placement import Placement, TOPOLOGIES, Topology
from leader_election.parameters import parameter, ParameterError
from leader_election.simulation.robot_logs import read_logs, SAMPLE
import numpy as np
from numpy.typing import NDArray


class GraphFile(NamedTuple):
    """The content of a graph file."""

    pairs: NDArray[np.int32]
    """The links, the lower index first, shape (m, 2)."""
    position: NDArray[np.float64] | None
    """Positions of nodes [m], shape (n, 2); ``None``: the file has none."""
    nodes: int
    """Number of nodes; their order is that of their names where all are whole numbers."""


def read_graph(parameter: str, path: str, positions: str = '') -> GraphFile:
    """
    Read a graph.

    :param parameter: the name of the parameter that gave the path, for error texts.
    :param path: of a ``.graphml`` file or an edge list.
    :param positions: the path of a file with a line ``name x y`` [m] for each node; empty: none.
    :raises ParameterError: for a file that cannot be read, or a node that is missing in
        ``positions``.
    """
    # Not imported with the module: that takes as long as a short run.
    import networkx as nx  # type: ignore[import-untyped]
    try:
        read = nx.read_graphml if path.endswith('.graphml') else nx.read_edgelist
        found: Any = read(path)
    except (OSError, ValueError, TypeError, KeyError, nx.NetworkXError, ParseError) as error:
        raise ParameterError(parameter, problem=f': {path}: no graph: {error}') from error
    names = list(found.nodes)
    if all(name.isdecimal() for name in names):
        names.sort(key=int)
    index = {name: i for i, name in enumerate(names)}
    pairs = sorted({(min(i, j), max(i, j))
                    for i, j in ((index[a], index[b]) for a, b in found.edges()) if i != j})
    if not pairs:
        raise ParameterError(parameter, problem=f': {path}: there are no links')
    places = _read_positions(positions) if positions else _attributes(path, found, parameter)
    missing = [name for name in names if name not in places]
    if positions and missing:
        raise ParameterError('positions', problem=f': {positions}: there is no {missing[0]}')
    position = None if missing else np.array([places[name] for name in names])
    return GraphFile(np.array(pairs, np.int32), position, len(names))


def _attributes(path: str, found: Any, parameter: str) -> dict[str, tuple[float, float]]:
    try:
        places = {name: (float(data['x']), float(data['y']))
                  for name, data in found.nodes(data=True) if 'x' in data and 'y' in data}
    except ValueError as error:
        raise ParameterError(parameter, problem=f': {path}: x or y: {error}') from error
    return _finite(places, parameter, path)


def _read_positions(path: str) -> dict[str, tuple[float, float]]:
    places: dict[str, tuple[float, float]] = {}
    try:
        for number, line in enumerate(Path(path).read_text().splitlines(), 1):
            words = line.partition('#')[0].split()
            if words and len(words) != 3:
                raise ValueError(f'line {number} is not: name x y')
            if words:
                places[words[0]] = float(words[1]), float(words[2])
    except (OSError, ValueError) as error:
        raise ParameterError('positions', problem=f': {path}: {error}') from error
    return _finite(places, 'positions', path)


def _finite(places: dict[str, tuple[float, float]], parameter: str, path: str,
            ) -> dict[str, tuple[float, float]]:
    for name, place in places.items():
        if not np.all(np.isfinite(place)):
            raise ParameterError(parameter, problem=f': {path}: {name} is at no finite place')
    return places


@dataclass(frozen=True)
class EdgeListParameters:
    """The links of a graph, and the positions of its devices."""

    path: str = parameter(
        '', 'A file: GraphML (.graphml), or a list of links with two names a line.')
    pairs: tuple[int, ...] = parameter(
        (), 'Instead of a file: the links, as pairs of indices from 0 on, one after the other.')
    positions: str = parameter(
        '', 'A file with a line "name x y" [m] for each device. Empty: as given by the GraphML '
        'file, else a force-directed layout.')
    edge_length: float = parameter(
        1.0, 'Average length of the links of a layout.',
        unit='m', lower=1e-6, upper=1e6)
    connected: str = parameter(
        'required', 'Whether the graph has to be connected.',
        choices=lambda: ('required', 'any'))

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for values that contradict each other, or odd pairs."""
        if bool(self.path) == bool(self.pairs):
            raise ParameterError('parameter path, or else parameter pairs, has to be given')
        if self.pairs and self.positions:
            raise ParameterError('positions', problem=' goes with parameter path')
        if len(self.pairs) % 2 or any(index < 0 for index in self.pairs):
            raise ParameterError('pairs', problem=': takes an even number of indices, at least 0 '
                                 'each')
        if any(a == b for a, b in zip(self.pairs[::2], self.pairs[1::2])):
            raise ParameterError('pairs', problem=': takes no link of a device to itself')


def place_edge_list(parameters: EdgeListParameters, random: np.random.Generator) -> Placement:
    """Place devices by index; those of a file in the order of :class:`GraphFile`."""
    import networkx as nx
    if parameters.path:
        pairs, position, count = read_graph('path', parameters.path, parameters.positions)
    else:
        pairs, position, count = _graph_of(parameters.pairs)
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(pairs.tolist())
    if parameters.connected == 'required' and not nx.is_connected(graph):
        parts = nx.number_connected_components(graph)
        raise ParameterError('connected', problem=f': the graph is in {parts} parts, and '
                             'connected is required')
    if position is None:
        position = _layout(graph, parameters.edge_length, random)
    return Placement(position, pairs)


def _graph_of(indices: tuple[int, ...]) -> GraphFile:
    """Return the graph whose links are given as indices, two a link."""
    pairs = np.unique(np.sort(np.array(indices, np.int32).reshape(-1, 2), axis=1), axis=0)
    return GraphFile(pairs, None, int(pairs.max()) + 1)


def _layout(graph: Any, edge_length: float, random: np.random.Generator,
            ) -> NDArray[np.float64]:
    """Return positions by Fruchterman and Reingold's layout, as networkx computes it."""
    import networkx as nx
    places = nx.spring_layout(graph, seed=int(random.integers(2**31)))
    position = np.array([places[i] for i in range(len(graph))], np.float64)
    a, b = np.array(graph.edges).T
    lengths = np.hypot(*(position[a] - position[b]).T)
    return position * edge_length / float(np.mean(lengths))


EDGE_LIST = TOPOLOGIES.add(Topology(
    name='edge_list', parameters=EdgeListParameters, place=place_edge_list))


@dataclass(frozen=True)
class LogsParameters:
    """The logs of a topology, or of their replay."""

    logs: str = parameter(
        SAMPLE, 'A folder of CSV files, one a device, or physics5, two minutes of five '
        'robots with contact physics.', empty=False)


def place_logs(parameters: LogsParameters, random: np.random.Generator) -> Placement:
    """Place each device at the first position of its log, in the order of the logs' names."""
    return Placement(np.array([log.poses[0, :2] for log in read_logs(parameters.logs)]))


LOGS = TOPOLOGIES.add(Topology(name='logs', parameters=LogsParameters, place=place_logs))
