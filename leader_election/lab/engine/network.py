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

"""The arrays and settings of a run."""

from typing import NamedTuple

from leader_election.lab.engine.event_queue import EventQueue
from leader_election.lab.engine.links import Links
from leader_election.lab.engine.messages import Pool
from leader_election.lab.engine.samples import Watch
from leader_election.lab.states import WordOffsets
import numpy as np
from numpy.typing import NDArray

DONE, LINKS_FULL, POOL_FULL, WORKSPACE_FULL = range(4)
"""Why :func:`advance` or :func:`rebuild` returned: it is finished, or these arrays are too small.

The caller then enlarges the arrays and calls again."""


class Devices(NamedTuple):
    """All devices, by index; shapes are (n,) where not stated otherwise."""

    id: NDArray[np.int64]  # noqa: A003
    """Consecutive numbers, in any order."""
    by_id: NDArray[np.int64]
    """The indices of devices in the order of their ids."""
    strength: NDArray[np.float64]
    position: NDArray[np.float64]
    """The current positions [m], shape (n, 2)."""
    present: NDArray[np.bool_]
    """Whether the device can be in range of others."""
    running: NDArray[np.bool_]
    """Whether the device runs rounds, and moves."""
    group: NDArray[np.int32]
    """Devices of different groups are never linked, however near."""
    among: NDArray[np.bool_]
    """Two devices that are both ``False`` here are never linked."""
    period: NDArray[np.float64]
    """Time between two rounds, before jitter [s]."""
    sent: NDArray[np.float64]
    """When the device last sent [s], -inf for never."""
    error: NDArray[np.float64]
    """The error of the device's estimated position [m], shape (n, 2)."""


class Medium(NamedTuple):
    """Settings of messages and rounds that are the same for all devices; numbers only."""

    reach: float
    """The range of messages, inclusive [m]."""
    estimated: bool
    """Whether distances are between estimated positions, ``Devices.error`` included."""
    trusted: float
    """Messages from farther than this, by the distance as estimated, are ignored [m]."""
    floor: float
    """The least distance that the metric gives [m]."""
    hops: bool
    """Whether the metric is 1 for all neighbours, instead of the distance."""
    expiry: float
    """How long a message is used after its receipt [s]."""
    loss: float
    """The probability that a message is lost, for each receiver."""
    delay_least: float
    """The least delay of a message; delays are uniform up to ``delay_most`` [s]."""
    delay_most: float
    duplication: float
    """The probability that a message arrives twice."""
    jitter: float
    """The largest random deviation of a round's period, as a fraction of the period."""
    degree_since: float
    """Strength is the number of neighbours heard since this time [s]; nan: it is as set."""
    degree_sign: float
    """The factor of that number, 1 or -1."""


class NeighbourLists(NamedTuple):
    """How the rows of links are made, and when they must be rebuilt."""

    first: NDArray[np.int32]
    """One device of each pair with a permanent link."""
    second: NDArray[np.int32]
    """The other device."""
    fixed: bool
    """Whether these pairs are the links, whatever the distance; else all devices in range are."""
    skin: float
    """The distance beyond the range up to which devices are listed [m]."""
    speed: float
    """The greatest speed of any device [m/s]."""
    tick: float
    """Time between two steps of a device [s]."""
    rebuild_at: NDArray[np.float64]
    """When the rows must be rebuilt [s], shape (1,)."""


class Workspace(NamedTuple):
    """Scratch memory for the neighbours of the device that runs its round."""

    columns: NDArray[np.int64]
    """The columns of neighbours' fields that a round reads, shape (capacity, width)."""
    row_addresses: NDArray[np.int64]
    """Addresses of the rows from which the columns are copied, shape (capacity,)."""
    metric: NDArray[np.float64]
    """Distances to the neighbours [m], shape (capacity,)."""
    in_range: NDArray[np.uint8]
    """Masks of the neighbours in range, eight slots each, shape (capacity,)."""


def empty_workspace(capacity: int, width: int) -> Workspace:
    """Return scratch memory for a number of neighbours whose state rows have a width."""
    return Workspace(
        np.zeros((capacity, width), np.int64), np.zeros(capacity, np.int64), np.zeros(capacity),
        np.zeros(capacity, np.uint8))


class Network(NamedTuple):
    """The whole state of a run."""

    devices: Devices
    offsets: WordOffsets
    vectors: NDArray[np.int64]
    """First word and length of each vector field, as ``StateLayout.vectors``."""
    exports: NDArray[np.int64]
    """The state of each device, which contains its latest message, shape (n, width)."""
    rounds: EventQueue
    moves: EventQueue
    links: Links
    lists: NeighbourLists
    pool: Pool
    watch: Watch
    frame: NDArray[np.int64]
    """The arguments of a round that are the same for all devices, by ``entry_points.FRAME``."""
    workspace: Workspace
