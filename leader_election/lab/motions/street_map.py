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

"""Street maps: crossings, the straight streets between them, and the shortest ways."""

from typing import NamedTuple

from leader_election.lab.topologies.graph_file import read_graph
from leader_election.lab.topologies.grid import GridParameters, lattice_pairs
from leader_election.lab.topologies.grid import place as place_grid
from leader_election.parameters import ParameterError
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array  # type: ignore[import-untyped]
from scipy.sparse.csgraph import (  # type: ignore[import-untyped]
    connected_components,
    shortest_path,
)

MOST_CROSSINGS = 2000
"""The table of ways has an entry for each two of them."""


class StreetMap(NamedTuple):
    """Crossings and streets, all in one piece."""

    crossing: NDArray[np.float64]
    """Where crossings are [m], shape (n, 2)."""
    street: NDArray[np.int32]
    """The two ends of each street, shape (m, 2); streets are straight."""


def town(columns: int, rows: int, block: float, irregularity: float, missing: float,
         random: np.random.Generator) -> StreetMap:
    """
    Return a town whose streets are a lattice, more or less.

    :param block: from one crossing to the next [m]; the first crossing is at (0, 0).
    :param irregularity: how far a crossing may be off its place, as a part of block, 0 to 0.5.
    :param missing: the part of streets that are left out at random, 0 to 1; what is then cut off
        from the largest part of the town is left out too.
    """
    crossing = place_grid(GridParameters(
        columns, rows, step=(block, block), irregularity=irregularity), random).position
    street = lattice_pairs(columns, rows)
    kept = random.permutation(len(street))[round(missing * len(street)):]
    return largest_part(StreetMap(crossing, street[np.sort(kept)]))


def read_street_map(parameter: str, path: str, positions: str) -> StreetMap:
    """
    Return the largest part of a street map in a file (see :func:`read_graph`).

    :raises ParameterError: also when the file does not say where crossings are, two ends of a
        street are at the same place, or there are too many crossings.
    """
    pairs, position, _ = read_graph(parameter, path, positions)
    if position is None:
        raise ParameterError(f'parameter {parameter}: {path} does not say where crossings are; '
                             'it takes GraphML with x and y, or parameter positions')
    part = largest_part(StreetMap(position, pairs))
    if len(part.crossing) > MOST_CROSSINGS:
        raise ParameterError(f'parameter {parameter}: {path} has {len(part.crossing)} crossings; '
                             f'it takes at most {MOST_CROSSINGS}')
    if np.any(lengths(part) == 0.0):
        raise ParameterError(f'parameter {parameter}: {path}: the two ends of a street are at '
                             'the same place')
    return part


def largest_part(streets: StreetMap) -> StreetMap:
    """Return the part with the most crossings that can all be reached from each other."""
    if len(streets.street) == 0:
        raise ParameterError('there are no streets')
    _, part = connected_components(_matrix(streets), directed=False)
    kept = part == np.argmax(np.bincount(part))
    index = np.cumsum(kept, dtype=np.int32) - 1
    street = streets.street[kept[streets.street[:, 0]]]
    return StreetMap(streets.crossing[kept], index[street].astype(np.int32))


def lengths(streets: StreetMap) -> NDArray[np.float64]:
    """Return the length of each street [m], shape (m,)."""
    ends = streets.crossing[streets.street]
    between: NDArray[np.float64] = np.hypot(*(ends[:, 0] - ends[:, 1]).T)
    return between


def next_crossings(streets: StreetMap) -> NDArray[np.int32]:
    """
    Return which crossing comes next on the shortest way.

    :return: shape (n, n): entry [a, b] is a neighbour of a, on the way from a to b.

    >>> corner = StreetMap(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]),
    ...                    np.array([[0, 1], [1, 2]], np.int32))
    >>> int(next_crossings(corner)[0, 2])
    1
    """
    # Streets have no direction, so what comes last on the way from b is what comes next from a.
    _, last = shortest_path(_matrix(streets), directed=False, return_predecessors=True)
    return np.ascontiguousarray(last.T, np.int32)


def _matrix(streets: StreetMap) -> coo_array:
    n = len(streets.crossing)
    return coo_array((lengths(streets), streets.street.T), shape=(n, n)).tocsr()
