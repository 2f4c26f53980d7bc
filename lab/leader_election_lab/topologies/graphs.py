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
Graphs, read from files or given as pairs of indices, and their layouts in the plane.

A graph file is GraphML (``.graphml``), whose nodes may have the attributes ``x`` and ``y`` [m].
Any other file is an edge list as networkx reads it: one link a line, two names each. Directions,
repeated links and self-loops are ignored.
"""

from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

from leader_election.parameters import ParameterError
import numpy as np
from numpy.typing import NDArray


class GraphFile(NamedTuple):
    """The content of a graph file."""

    pairs: NDArray[np.int32]
    """The links, the lower index first, shape (m, 2)."""
    position: NDArray[np.float64] | None
    """Positions of nodes [m], shape (n, 2), or ``None`` if the file has none."""
    nodes: int
    """Number of nodes, in the order of their names if all are whole numbers."""


def read_graph(parameter: str, path: str, positions: str = '') -> GraphFile:
    """
    Read a graph.

    :param parameter: the name of the parameter that gave the path, for error texts.
    :param path: of a ``.graphml`` file, or an edge list.
    :param positions: the path of a file with a line ``name x y`` [m] for each node, or no text.
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


def graph_of(indices: tuple[int, ...]) -> GraphFile:
    """Return the graph whose links are given as indices, two a link."""
    pairs = np.unique(np.sort(np.array(indices, np.int32).reshape(-1, 2), axis=1), axis=0)
    return GraphFile(pairs, None, int(pairs.max()) + 1)


def spring_layout(graph: Any, edge_length: float, random: np.random.Generator,
                  ) -> NDArray[np.float64]:
    """Return positions by Fruchterman and Reingold's layout, as networkx computes it."""
    import networkx as nx
    places = nx.spring_layout(graph, seed=int(random.integers(2**31)))
    position = np.array([places[i] for i in range(len(graph))], np.float64)
    a, b = np.array(graph.edges).T
    lengths = np.hypot(*(position[a] - position[b]).T)
    return position * edge_length / float(np.mean(lengths))
