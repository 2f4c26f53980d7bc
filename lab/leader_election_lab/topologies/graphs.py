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

A graph file is GraphML or GML, whose nodes may have the attributes ``x`` and ``y`` [m], or an edge
list: one link a line, two names between spaces. The content decides which, not the file's name.
Comments from a ``#`` after a space or at the beginning on are ignored, as are attributes,
directions, repeated links and self-loops.
"""

from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterator
from io import BytesIO
import re
from typing import Any, NamedTuple

from leader_election.parameters import ParameterError
from leader_election.parameters.files import number, read_bytes, read_text, shortened, words_of
import numpy as np
from numpy.typing import NDArray

LINE = 'a link a line, as two names between spaces'
HEAD = 65536
"""The part of a file that tells its format [bytes]."""
DEGREES = r'^(EPSG:)?(4326|4269|4267|4258|4979)$|^(OGC:|urn:.*:)?(CRS84|WGS ?84)$' \
    r'|^\s*(GEOGCS|GEOGCRS|GEODCRS|GEOGRAPHICCRS)\b|\+proj=(longlat|latlong|lonlat|latlon)'
"""The text of a coordinate reference system (attribute ``crs`` of a graph) in degrees."""
FEET = r'\b(foot|feet|ft(us)?)\b|\+units=(us-)?ft'
"""The text of one in feet. Those that EPSG defines have numbers alone, and count as metres."""
LONGEST_IN_DEGREES = 0.02
"""Positions up to 180 and 90 whose longest link is shorter may be degrees: of 2 km on Earth."""
FARTHEST = 1e9
"""The greatest coordinate of a node [m]."""


class GraphFile(NamedTuple):
    """The content of a graph file."""

    pairs: NDArray[np.int32]
    """The links, the lower index first, shape (m, 2)."""
    position: NDArray[np.float64] | None
    """Positions of nodes [m], shape (n, 2), or ``None`` if the file has none."""
    nodes: int
    """Number of nodes, in the order of their names if all are whole numbers."""


def read_graph(path: str, positions: str = '') -> GraphFile:
    """
    Read a graph.

    :param path: of a GraphML or GML file, or an edge list.
    :param positions: the path of a file with a line ``name x y`` [m] for each node, or no text.
    :raises ParameterError: for a file that cannot be read, or a node that is missing in
        ``positions``.
    """
    try:
        found = _by_content(read_bytes(path), path)
        if not positions:
            _check_metres(found)
    except ValueError as error:
        raise ParameterError('path', problem=f': {path}: {error}') from error
    names = list(found.nodes)
    if all(name.isdecimal() for name in names):
        names.sort(key=int)
    index = {name: i for i, name in enumerate(names)}
    pairs = sorted({(min(i, j), max(i, j))
                    for i, j in ((index[a], index[b]) for a, b in found.edges()) if i != j})
    if not pairs:
        raise ParameterError('path', problem=f': {path}: there are no links')
    places = _read_positions(positions) if positions else _attributes(path, found)
    missing = [name for name in names if name not in places]
    if positions and missing:
        raise ParameterError('positions', problem=f': {positions}: there is no {missing[0]}')
    if places and missing:
        raise ParameterError('path', problem=f': {path}: node {missing[0]} has no x and y, as '
                             'others have')
    position = None if missing else np.array([places[name] for name in names])
    if position is not None and not (positions or found.graph.get('crs')):
        _check_not_degrees(path, position, np.array(pairs))
    return GraphFile(np.array(pairs, np.int32), position, len(names))


def _by_content(data: bytes, path: str) -> Any:
    """Return the graph of a file in any of the formats, which its first characters tell."""
    # Not imported with the module: that takes as long as a short run.
    import networkx as nx  # type: ignore[import-untyped]
    wide = data[:2] in (BOM_UTF16_LE, BOM_UTF16_BE)
    head = data[:HEAD].decode('utf-16' if wide else 'utf-8-sig', 'ignore').lstrip()
    if 'OSMHeader' in head[:64] or re.search(r'<osm\b', head):
        raise ValueError('OpenStreetMap data; save its streets as GraphML, in OSMnx by '
                         'project_graph and save_graphml')
    if head.startswith('<'):
        if not re.search(r'<(\w+:)?graphml\b', head):
            raise ValueError(f'line 1: XML, but no GraphML; it takes GraphML, GML, or {LINE}')
        return _by_library(lambda: nx.read_graphml(BytesIO(data)), 'GraphML')
    text = read_text(path)
    if re.search(r'^\s*graph\s*\[', head, re.MULTILINE | re.IGNORECASE):
        return _by_library(lambda: nx.relabel_nodes(nx.parse_gml(text, label='id'), str), 'GML')
    graph = nx.Graph()
    graph.add_edges_from(_edge_list(text))
    return graph


def _by_library(read: Callable[[], Any], form: str) -> Any:
    try:
        return read()
    except Exception as error:  # noqa: BLE001 - any error of the library on a wrong file
        raise ValueError(f'no {form}: {" ".join(str(error).split())}') from error


def _edge_list(text: str) -> Iterator[tuple[str, str]]:
    """Yield the links of an edge list. A third column may be a weight, but also anything else."""
    for line, words in words_of(text):
        first, second, *rest = (*words, '', '')[:max(len(words), 2)]
        if not second or first[0] in '%*' or re.search('[,;]', first + second) or (
                rest and not rest[0].startswith('{')):
            raise ValueError(f'line {line}: it takes {LINE}, without commas and weights: '
                             f'{shortened(" ".join(words))!r}')
        yield first, second


def _check_not_degrees(path: str, position: NDArray[np.float64], pairs: NDArray[np.int64]) -> None:
    """Raise an error if coordinates without a system look like degrees of a town."""
    longest = float(np.hypot(*(position[pairs[:, 0]] - position[pairs[:, 1]]).T).max())
    if longest < LONGEST_IN_DEGREES and np.all(np.abs(position) <= (180, 90)):
        raise ParameterError('path', problem=f': {path}: no link is longer than {longest:.2g} '
                             'm; x and y are in metres (degrees?)')


def _check_metres(graph: Any) -> None:
    """Raise a ``ValueError`` if the coordinates of a graph are degrees, or feet."""
    system = str(graph.graph.get('crs', ''))
    for unit, pattern in (('degrees', DEGREES), ('feet', FEET)):
        if re.search(pattern, system, re.IGNORECASE):
            raise ValueError(f'x and y are {unit}, since crs is {shortened(system)}; project the '
                             'graph to metres, in OSMnx by project_graph')


def _attributes(path: str, found: Any) -> dict[str, tuple[float, float]]:
    try:
        places = {name: (float(data['x']), float(data['y']))
                  for name, data in found.nodes(data=True) if 'x' in data and 'y' in data}
    except ValueError as error:
        raise ParameterError('path', problem=f': {path}: x or y: {error}') from error
    return _finite(places, 'path', path)


def _read_positions(path: str) -> dict[str, tuple[float, float]]:
    places: dict[str, tuple[float, float]] = {}
    try:
        for line, words in words_of(read_text(path)):
            try:
                name, x, y = words
                place = number(x), number(y)
            except ValueError:
                raise ValueError(f'line {line} is not: name x y: '
                                 f'{shortened(" ".join(words))!r}') from None
            if name in places:
                raise ValueError(f'line {line}: {name} is there twice')
            places[name] = place
    except ValueError as error:
        raise ParameterError('positions', problem=f': {path}: {error}') from error
    return _finite(places, 'positions', path)


def _finite(places: dict[str, tuple[float, float]], parameter: str, path: str,
            ) -> dict[str, tuple[float, float]]:
    for name, place in places.items():
        if not np.all(np.abs(place) <= FARTHEST):
            raise ParameterError('path', problem=f': {path}: {name} is at no finite place, or '
                                 f'beyond {FARTHEST:g} m')
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
