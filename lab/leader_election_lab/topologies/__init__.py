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

"""Kinds of topology, each with initial positions and links, by name in :data:`TOPOLOGIES`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from leader_election.parameters import parameter, ParameterError, REQUIRED_INT
from leader_election.parameters.registry import Registry
from leader_election.simulation.robot_logs import read_logs, SAMPLE
from leader_election_lab.topologies import graphs
from leader_election_lab.topologies.contacts import Contacts, ContactsParameters
from leader_election_lab.topologies.contacts import read as read_contacts
import numpy as np
from numpy.typing import NDArray


class Placement(NamedTuple):
    """The initial positions of some devices, and their links if these are fixed."""

    position: NDArray[np.float64]
    """Shape (n, 2) [m]."""
    pairs: NDArray[np.int32] | None = None
    """Fixed links, shape (m, 2), or ``None`` if devices in range of each other are linked."""
    fraction: NDArray[np.float64] | None = None
    """Positions relative to a random placement's area, 0 to 1 along x and y, shape (n, 2)."""
    contacts: Contacts | None = None
    """The times at which pairs are linked, or ``None`` if they always are."""


@dataclass(frozen=True)
class Topology:
    """A kind of topology: its parameters, and the function that places devices."""

    name: str
    parameters: type[Any]
    """A dataclass of ``leader_election.parameters.parameter`` fields."""
    place: Callable[[Any, np.random.Generator], Placement]
    """``place(parameters, random) -> placement``, or a ``ParameterError`` if it cannot."""


TOPOLOGIES: Registry[Topology] = Registry('topology', 'leader_election.topologies')


MOST = 1_000_000
"""The greatest number of devices of a topology."""
_TRIES = 1000
"""Greatest number of draws for a connected placement."""


@dataclass(frozen=True)
class UniformParameters:
    """Number of devices, and the rectangle in which they are uniformly distributed."""

    count: int = parameter(REQUIRED_INT, 'Number of devices.', lower=1, upper=MOST, required=True)
    low: tuple[float, ...] = parameter(
        (), 'The corner of the rectangle with the least x and y.',
        unit='m', lengths=(2,), required=True)
    high: tuple[float, ...] = parameter(
        (), 'The corner of the rectangle with the greatest x and y.',
        unit='m', lengths=(2,), required=True)
    connected: bool = parameter(
        False, 'Draw again until each device can be reached from all others over links of '
        'parameter range.')
    range: float = parameter(  # noqa: A003
        0.0, 'With connected: the longest link.', unit='m', lower=0.0, upper=1e9)

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for values that contradict each other."""
        if not all(low <= high for low, high in zip(self.low, self.high)):
            raise ParameterError('low', problem=f': {list(self.low)} is beyond parameter high, '
                                 f'{list(self.high)}')
        if self.connected and self.range == 0.0:
            raise ParameterError('range', problem=' is missing; connected needs it')


def place_uniform(parameters: UniformParameters, random: np.random.Generator) -> Placement:
    """Place devices uniformly at random, with one draw from [0, 1) for each coordinate."""
    low, high = np.array(parameters.low), np.array(parameters.high)
    for _ in range(_TRIES if parameters.connected else 1):
        fraction = random.random((parameters.count, 2))
        position = low + fraction * (high - low)
        if not parameters.connected or connected(position, parameters.range):
            return Placement(position, fraction=fraction)
    raise ParameterError('connected', problem=f': of {_TRIES} draws of {parameters.count} devices '
                         f'none is in one piece with links of {parameters.range:g} m')


def connected(position: NDArray[np.float64], reach: float) -> bool:
    """
    Return whether the graph of all links up to a length is connected.

    :param position: shape (n, 2) [m].
    :param reach: the greatest length of a link [m].

    >>> connected(np.array([[0.0, 0.0], [3.0, 4.0], [8.0, 4.0]]), 5.0)
    True
    """
    # scipy, networkx and numba load slowly, so only the topologies that need them import them.
    from scipy.sparse import coo_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]
    from scipy.spatial import KDTree  # type: ignore[import-untyped]
    n = len(position)
    pairs = KDTree(position).query_pairs(reach, output_type='ndarray')
    links = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    return int(connected_components(links, directed=False, return_labels=False)) == 1



@dataclass(frozen=True)
class GridParameters:
    """Size, position and links of a grid."""

    columns: int = parameter(
        REQUIRED_INT, 'Number of devices in a row.', lower=1, upper=10_000, required=True)
    rows: int = parameter(REQUIRED_INT, 'Number of rows.', lower=1, upper=10_000, required=True)
    first: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Position of the first device: x, y.', unit='m', lengths=(2,))
    step: tuple[float, ...] = parameter(
        (1.0, 1.0), 'From column to column, and from row to row.', unit='m', lengths=(2,))
    irregularity: float = parameter(
        0.0, 'Greatest random offset of a device in each direction, as a part of the step.',
        lower=0.0, upper=0.5)
    linked: bool = parameter(
        False, 'Neighbours in a row or column have a fixed link, independent of the range.')

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for values that contradict each other."""
        if self.columns * self.rows > MOST:
            raise ParameterError('rows', problem=f': {self.columns} x {self.rows} devices are '
                                 f'more than {MOST}')


def place_grid(parameters: GridParameters, random: np.random.Generator) -> Placement:
    """Place devices row by row, x first."""
    cells = np.indices((parameters.rows, parameters.columns))[::-1].reshape(2, -1).T
    off = parameters.irregularity * random.uniform(-1.0, 1.0, cells.shape)
    position = np.array(parameters.first) + (cells + off) * np.array(parameters.step)
    pairs = lattice_pairs(parameters.columns, parameters.rows) if parameters.linked else None
    return Placement(position, pairs)


def lattice_pairs(columns: int, rows: int) -> NDArray[np.int32]:
    """
    Return the links of a grid, whose devices are counted row by row.

    :return: shape (m, 2): first the links within rows, then those across rows.

    >>> lattice_pairs(2, 2).tolist()
    [[0, 1], [2, 3], [0, 2], [1, 3]]
    """
    index = np.arange(rows * columns, dtype=np.int32).reshape(rows, columns)
    along = np.column_stack((index[:, :-1].ravel(), index[:, 1:].ravel()))
    across = np.column_stack((index[:-1].ravel(), index[1:].ravel()))
    return np.vstack((along, across))



@dataclass(frozen=True)
class LineParameters:
    """Number of devices, position and links of a line."""

    count: int = parameter(REQUIRED_INT, 'Number of devices.', lower=1, upper=MOST, required=True)
    first: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Position of the first device: x, y.', unit='m', lengths=(2,))
    step: tuple[float, ...] = parameter(
        (1.0, 0.0), 'From each device to the next: along x, along y.', unit='m', lengths=(2,))
    linked: bool = parameter(
        False, 'Each device has a fixed link to the next, independent of the range.')


def place_line(parameters: LineParameters, random: np.random.Generator) -> Placement:
    """Place devices in their order along the line."""
    steps = np.arange(parameters.count)[:, np.newaxis] * np.array(parameters.step)
    pairs = lattice_pairs(parameters.count, 1) if parameters.linked else None
    return Placement(np.array(parameters.first) + steps, pairs)



@dataclass(frozen=True)
class RingParameters:
    """Number of devices, position and links of a ring."""

    count: int = parameter(REQUIRED_INT, 'Number of devices.', lower=1, upper=MOST, required=True)
    radius: float = parameter(1.0, 'Radius of the circle.', unit='m', lower=0.0, upper=1e9)
    centre: tuple[float, ...] = parameter(
        (0.0, 0.0), 'Centre of the circle: x, y.', unit='m', lengths=(2,))
    linked: bool = parameter(
        False, 'Each device has a fixed link to the next, and the last to the first, independent '
        'of the range.')


def place_ring(parameters: RingParameters, random: np.random.Generator) -> Placement:
    """Place devices evenly and anticlockwise along the circle, from the greatest x on."""
    angle = 2.0 * np.pi * np.arange(parameters.count) / parameters.count
    round_centre = parameters.radius * np.column_stack((np.cos(angle), np.sin(angle)))
    pairs = ring_pairs(parameters.count) if parameters.linked else None
    return Placement(np.array(parameters.centre) + round_centre, pairs)


def ring_pairs(count: int) -> NDArray[np.int32]:
    """
    Return the links of a ring, shape (m, 2).

    >>> ring_pairs(3).tolist()
    [[0, 1], [1, 2], [0, 2]]
    >>> ring_pairs(2).tolist()
    [[0, 1]]
    """
    index = np.arange(count, dtype=np.int32)
    pairs = np.column_stack((index, np.roll(index, -1)))
    # Two devices have one link, not two, and a single device has none to itself.
    return np.sort(pairs if count > 2 else pairs[:count - 1], axis=1)



@dataclass(frozen=True)
class ScaleFreeParameters:
    """Number of devices, and the scale of the layout."""

    count: int = parameter(REQUIRED_INT, 'Number of devices.', lower=2, upper=5000, required=True)
    edge_length: float = parameter(
        1.0, 'Length of a spring at rest, one for each link. Links become longer, since devices '
        'also repel each other.',
        unit='m', lower=1e-6, upper=1e6)


def place_scale_free(parameters: ScaleFreeParameters, generator: np.random.Generator,
                     ) -> Placement:
    """Place devices in the order in which they were added, with fixed links."""
    from leader_election_lab.topologies import scale_free
    pairs = scale_free.scale_free_tree(parameters.count, generator)
    layout = scale_free.settle(scale_free.sprout(pairs, generator), pairs)
    return Placement(parameters.edge_length * layout, pairs)



@dataclass(frozen=True)
class EdgeListParameters:
    """The links of a graph, and the positions of its devices."""

    path: str = parameter('', 'A file: GraphML, GML, or a list of links with two names a line.')
    pairs: tuple[int, ...] = parameter(
        (), 'Instead of a file: the links, as pairs of indices from 0 on, one after the other.')
    positions: str = parameter(
        '', 'A file with a line "name x y" [m] for each device. Empty: as given by the file of '
        'the graph, else a force-directed layout.')
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
        if len(self.pairs) % 2 or any(not 0 <= index < MOST for index in self.pairs):
            raise ParameterError('pairs', problem=': takes an even number of indices, each from 0 '
                                 f'to {MOST - 1}')
        if any(a == b for a, b in zip(self.pairs[::2], self.pairs[1::2])):
            raise ParameterError('pairs', problem=': takes no link of a device to itself')


def place_edge_list(parameters: EdgeListParameters, random: np.random.Generator) -> Placement:
    """Place devices in the order of their indices, or of the numbers in a file."""
    import networkx as nx  # type: ignore[import-untyped]
    if parameters.path:
        pairs, position, count = graphs.read_graph(parameters.path, parameters.positions)
    else:
        pairs, position, count = graphs.graph_of(parameters.pairs)
    graph = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(pairs.tolist())
    if parameters.connected == 'required' and not nx.is_connected(graph):
        parts = nx.number_connected_components(graph)
        raise ParameterError('connected', problem=f': the graph is in {parts} parts, and '
                             'connected is required')
    if position is None:
        position = graphs.spring_layout(graph, parameters.edge_length, random)
    return Placement(position, pairs)



@dataclass(frozen=True)
class LogsParameters:
    """The logs of a topology, or of their replay."""

    logs: str = parameter(
        SAMPLE, 'A folder of CSV files or TUM trajectories, one a device, or physics5, two '
        'minutes of five robots with contact physics.', empty=False)


def place_logs(parameters: LogsParameters, random: np.random.Generator) -> Placement:
    """Place each device at the first position of its log, in the order of the logs' names."""
    return Placement(np.array([log.poses[0, :2] for log in read_logs(parameters.logs)]))



def place_contacts(parameters: ContactsParameters, random: np.random.Generator) -> Placement:
    """Place the devices of a trace of contacts, with links that change over time."""
    contacts, position = read_contacts(parameters)
    return Placement(position, contacts.pairs, contacts=contacts)


UNIFORM, GRID, LINE, RING, SCALE_FREE, EDGE_LIST, LOGS, CONTACTS = map(TOPOLOGIES.add, (
    Topology('uniform', UniformParameters, place_uniform),
    Topology('grid', GridParameters, place_grid),
    Topology('line', LineParameters, place_line),
    Topology('ring', RingParameters, place_ring),
    Topology('scale_free', ScaleFreeParameters, place_scale_free),
    Topology('edge_list', EdgeListParameters, place_edge_list),
    Topology('logs', LogsParameters, place_logs),
    Topology('contacts', ContactsParameters, place_contacts)))
