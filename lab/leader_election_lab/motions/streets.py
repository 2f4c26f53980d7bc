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
Walking along the streets of a generated town.

A device walks the shortest way to a crossing that is drawn at random, then to the next one.
"""

from dataclasses import dataclass
import math
from typing import Any, NamedTuple

from leader_election.parameters import parameter, ParameterError
from leader_election_lab.topologies import GridParameters, lattice_pairs, place_grid
import numpy as np
from numpy.typing import NDArray
import shapely

MOST_CROSSINGS = 2000
"""The table of shortest ways has an entry for each pair of crossings."""


class StreetMap(NamedTuple):
    """Crossings and streets, usually connected (see :func:`largest_part`)."""

    crossing: NDArray[np.float64]
    """Positions of crossings [m], shape (n, 2)."""
    street: NDArray[np.int32]
    """The crossings at the two ends of each street, which is straight, shape (m, 2)."""


def town(columns: int, rows: int, block: float, irregularity: float, missing: float,
         random: np.random.Generator) -> StreetMap:
    """
    Generate a town whose streets form a lattice, with random deviations.

    :param columns: number of crossings from west to east.
    :param rows: number of crossings from south to north.
    :param block: distance from one crossing to the next [m]. The first crossing is at (0, 0).
    :param irregularity: greatest offset of a crossing, as a part of block, 0 to 0.5.
    :param missing: the part of streets that are left out at random, 0 to 1. Crossings that this
        disconnects from the largest part of the town are left out too.
    """
    crossing = place_grid(GridParameters(
        columns, rows, step=(block, block), irregularity=irregularity), random).position
    street = lattice_pairs(columns, rows)
    kept = random.permutation(len(street))[round(missing * len(street)):]
    return largest_part(StreetMap(crossing, street[np.sort(kept)]))


def largest_part(streets: StreetMap) -> StreetMap:
    """Return the connected component with the most crossings."""
    if len(streets.street) == 0:
        raise ParameterError('there are no streets')
    # scipy loads slowly, and most scenarios have no streets.
    from scipy.sparse.csgraph import connected_components  # type: ignore[import-untyped]
    _, part = connected_components(_matrix(streets), directed=False)
    kept = part == np.argmax(np.bincount(part))
    index = np.cumsum(kept, dtype=np.int32) - 1
    street = streets.street[kept[streets.street[:, 0]]]
    return StreetMap(streets.crossing[kept], index[street].astype(np.int32))


def lengths(streets: StreetMap) -> NDArray[np.float64]:
    """Return the length of each street [m], shape (m,)."""
    ends = streets.crossing[streets.street]
    return np.hypot(*(ends[:, 0] - ends[:, 1]).T)


def next_crossings(streets: StreetMap) -> NDArray[np.int32]:
    """
    Return the next crossing on the shortest way between any two crossings.

    :return: shape (n, n): entry [a, b] is a neighbour of a, on the shortest way from a to b.

    >>> corner = StreetMap(np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]),
    ...                    np.array([[0, 1], [1, 2]], np.int32))
    >>> int(next_crossings(corner)[0, 2])
    1
    """
    from scipy.sparse.csgraph import shortest_path
    # Streets have no direction: the predecessor of a on the way from b is the successor of a on
    # the way to b.
    _, last = shortest_path(_matrix(streets), directed=False, return_predecessors=True)
    return np.ascontiguousarray(last.T, np.int32)


def _matrix(streets: StreetMap) -> Any:
    """Return the lengths of streets by their ends, as a sparse matrix."""
    from scipy.sparse import coo_array  # type: ignore[import-untyped]
    n = len(streets.crossing)
    return coo_array((lengths(streets), streets.street.T), shape=(n, n)).tocsr()


@dataclass(frozen=True)
class StreetsParameters:
    """The town, and the speed of devices."""

    speed: float = parameter(1.0, 'Speed of a device.', unit='m/s', lower=0.0, upper=1e6)
    columns: int = parameter(10, 'Crossings from west to east.', lower=2, upper=MOST_CROSSINGS)
    rows: int = parameter(10, 'Crossings from south to north.', lower=2, upper=MOST_CROSSINGS)
    block: float = parameter(
        100.0, 'From one crossing to the next. The first is at 0, 0.',
        unit='m', lower=1e-3, upper=1e6)
    irregularity: float = parameter(
        0.0, 'Greatest random offset of a crossing in each direction, as a part '
        'of a block.', lower=0.0, upper=0.4)
    missing: float = parameter(
        0.0, 'Part of the streets that are left out at random, with the crossings '
        'that this disconnects.', lower=0.0, upper=0.9)

    def __post_init__(self) -> None:
        """Raise a ``ParameterError`` for values that contradict each other."""
        if self.columns * self.rows > MOST_CROSSINGS:
            raise ParameterError('rows', problem=f': {self.columns} x {self.rows} crossings are '
                                 f'more than {MOST_CROSSINGS}')


class Streets(NamedTuple):
    """The way of each device through the streets."""

    ahead: NDArray[np.int32]
    """The crossing at the end of each device's present street, shape (n,)."""
    goal: NDArray[np.int32]
    """The destination of each device, a crossing, shape (n,)."""
    crossing: NDArray[np.float64]
    """Positions of crossings [m], shape (crossings, 2)."""
    next_crossing: NDArray[np.int32]
    """The result of :func:`next_crossings`, shape (crossings, crossings)."""
    length: float
    """Distance walked in a tick [m]."""


def streets_step(motion: Streets, i: int, position: NDArray[np.float64], now: float,
                 random: np.random.Generator) -> None:
    """Move device i along the streets for one tick, past any number of crossings."""
    x, y, left = position[i, 0], position[i, 1], motion.length
    while True:
        ahead = motion.ahead[i]
        dx, dy = motion.crossing[ahead, 0] - x, motion.crossing[ahead, 1] - y
        far = math.sqrt(dx * dx + dy * dy)
        if far > left:
            position[i, 0], position[i, 1] = x + dx * left / far, y + dy * left / far
            return
        left -= far
        x, y = motion.crossing[ahead, 0], motion.crossing[ahead, 1]
        if ahead == motion.goal[i]:
            # The new destination is any crossing but this one.
            goal = random.integers(0, len(motion.crossing) - 1)
            motion.goal[i] = goal + (goal >= ahead)
        motion.ahead[i] = motion.next_crossing[ahead, motion.goal[i]]


def begin_streets(parameters: StreetsParameters, position: NDArray[np.float64], tick: float,
                  random: np.random.Generator) -> Streets:
    """Put each device onto the nearest street, with an end of that street as first destination."""
    streets = town(parameters.columns, parameters.rows, parameters.block,
                   parameters.irregularity, parameters.missing, random)
    lines = shapely.linestrings(streets.crossing[streets.street])
    points = shapely.points(position)
    nearest = shapely.STRtree(lines).nearest(points)
    along = shapely.line_locate_point(lines[nearest], points)
    position[:] = shapely.get_coordinates(shapely.line_interpolate_point(lines[nearest], along))
    ahead = streets.street[nearest, random.integers(0, 2, len(position))]
    return Streets(ahead, ahead.copy(), streets.crossing, next_crossings(streets),
                   parameters.speed * tick)
