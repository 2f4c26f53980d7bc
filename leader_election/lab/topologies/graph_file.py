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
Graphs in files: who is linked to whom, and where each is.

GraphML (``.graphml``), whose nodes may have the attributes ``x`` and ``y`` [m], as a street map
of OSMnx has after its projection; or else a list of links, one a line, two names each, as networkx
reads it. Direction, repeated links and links to oneself are left out.
"""

from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import ParseError

from leader_election.parameters import ParameterError
import networkx as nx  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray


class GraphFile(NamedTuple):
    """What is in a file."""

    pairs: NDArray[np.int32]
    """The links, the lower index first, shape (m, 2)."""
    position: NDArray[np.float64] | None
    """Where each node is [m], shape (n, 2); ``None``: the file does not say."""
    nodes: int
    """How many nodes there are; in the order of their names where all are whole numbers."""


def read_graph(parameter: str, path: str, positions: str = '') -> GraphFile:
    """
    Read a graph.

    :param parameter: what gave the path, as errors call it.
    :param positions: the path of a file with a line ``name x y`` [m] for each node; empty: none.
    :raises ParameterError: for a file that cannot be read, or a node without a place in
        ``positions``.
    """
    try:
        read = nx.read_graphml if path.endswith('.graphml') else nx.read_edgelist
        found: Any = read(path)
    except (OSError, ValueError, TypeError, KeyError, nx.NetworkXError, ParseError) as error:
        raise ParameterError(f'parameter {parameter}: {path}: no graph: {error}') from error
    names = list(found.nodes)
    if all(name.isdecimal() for name in names):
        names.sort(key=int)
    index = {name: i for i, name in enumerate(names)}
    pairs = sorted({(min(i, j), max(i, j))
                    for i, j in ((index[a], index[b]) for a, b in found.edges()) if i != j})
    if not pairs:
        raise ParameterError(f'parameter {parameter}: {path}: there are no links')
    places = _read_positions(positions) if positions else _attributes(path, found, parameter)
    missing = [name for name in names if name not in places]
    if positions and missing:
        raise ParameterError(f'parameter positions: {positions}: there is no {missing[0]}')
    position = None if missing else np.array([places[name] for name in names])
    return GraphFile(np.array(pairs, np.int32), position, len(names))


def _attributes(path: str, found: Any, parameter: str) -> dict[str, tuple[float, float]]:
    try:
        places = {name: (float(data['x']), float(data['y']))
                  for name, data in found.nodes(data=True) if 'x' in data and 'y' in data}
    except ValueError as error:
        raise ParameterError(f'parameter {parameter}: {path}: x or y: {error}') from error
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
        raise ParameterError(f'parameter positions: {path}: {error}') from error
    return _finite(places, 'positions', path)


def _finite(places: dict[str, tuple[float, float]], parameter: str, path: str,
            ) -> dict[str, tuple[float, float]]:
    for name, place in places.items():
        if not np.all(np.isfinite(place)):
            raise ParameterError(f'parameter {parameter}: {path}: {name} is at no finite place')
    return places
